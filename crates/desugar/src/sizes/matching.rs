//! Matching values against types: sizes that are not known yet are bound, known ones are checked.

use crate::arrays::dims::{first_length, made_jagged, rank_of, size_of_rows, sizes};
use crate::arrays::parts::retyped;
use crate::context::{Desugar, Given, Made};
use crate::data::value::{ArrayVal, Val, behind, inside, is_shape};
use crate::sizes::types::has_sum;
use base::{Name, bug};
use fault::{Message, Text, message};
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Var};
use scalar::Prim;
use std::rc::Rc;
pub(crate) use typed::matching::Mode;
use typed::{LocalId, Shape, Size, Type, walk};

/// What messages say about the value that is matched.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    pub mode: Mode,
    pub argument: Option<Name>,
    /// The type as written, for `:>`.
    pub written: &'a str,
}

impl About<'_> {
    pub fn new(mode: Mode) -> About<'static> {
        About { mode, argument: None, written: "" }
    }
}

/// What an array type says about the dimensions of its values.
struct Said<'t> {
    dims: Vec<&'t typed::Dim>,
    /// Whether that is all of them: a type argument may have dimensions that the type does not name.
    closed: bool,
}

impl<'t> Said<'t> {
    fn by(ty: &'t Type) -> Said<'t> {
        let (dims, elem) = walk::split(ty);
        Said { dims, closed: !matches!(elem, Type::Var(_)) }
    }

    /// Where a shape stands.
    fn shape(&self) -> Option<usize> {
        self.dims.iter().position(|dim| matches!(dim, typed::Dim::Shape(_)))
    }
}

/// An array whose dimensions are being matched.
pub(crate) struct Matching<'a> {
    pub about: About<'a>,
    /// The checks so far, on which the matched array relies.
    pub certs: Vec<Var>,
}

impl<'t> Desugar<'t> {
    /// The value with the names of sizes that its type says.
    pub(crate) fn matched(&mut self, ty: &'t Type, val: Val<'t>, about: About) -> Made<Val<'t>> {
        let outer = self.whole.clone();
        let alone = outer.is_none();
        self.whole.get_or_insert_with(|| val.clone());
        let matched = self.matched_part(ty, val, &[], about);
        self.whole = outer;
        if let (Ok(val), true, Mode::Bind | Mode::Check | Mode::Full) = (&matched, alone && has_sum(ty), about.mode) {
            self.hide(ty, val);
        }
        matched
    }

    /// The same of a part that stands inside of some dimensions, which are matched already.
    fn matched_part(&mut self, ty: &'t Type, val: Val<'t>, outer: &[Dim], about: About) -> Made<Val<'t>> {
        match (ty, &val) {
            (Type::Abstract(..), _) => {
                let ty = self.concrete(ty);
                self.matched_part(ty, val, outer, about)
            }
            (Type::Record(fields), Val::Record(vals)) => {
                let pairs = fields.iter().zip(vals.iter());
                let vals = pairs.map(|((_, ty), val)| self.matched_part(ty, val.clone(), outer, about));
                Ok(Val::Record(vals.collect::<Made<_>>()?))
            }
            _ if !outer.is_empty() => self.matched_rows(ty, val, outer, about),
            (Type::Sum(cases), Val::Sum(sum)) if sum.parts.iter().flatten().count() == 1 => {
                self.with_parts(cases, sum, |d, (_, ty), part| d.matched_part(ty, part, &[], about))
            }
            (Type::Sum(cases), Val::Sum(sum)) if self.checks_sums(about) => self.checked_sum(cases, sum, about),
            (Type::Array(typed::Dim::Shape(shape), elem), Val::Scalar(..) | Val::Record(_) | Val::Sum(_)) => {
                if let Shape::Local(local) = *shape
                    && !self.env.vals.contains_key(&local)
                {
                    self.set(local, Val::Vector(Prim::I64, Rc::new([])));
                }
                self.matched_part(elem, val, &[], about)
            }
            (Type::Array(..), Val::Vector(_, atoms)) if about.mode != Mode::Coerce || walk::split(ty).0.len() < 2 => {
                let length = [Dim::Size(Atom::size(atoms.len() as i64))];
                let (said, mut dims) = (Said::by(ty), length.to_vec());
                let mut matching = Matching { about, certs: Vec::new() };
                self.match_dims(&said, &[], &mut dims, &mut matching)?;
                if dims == length {
                    return self.relying(&val, &matching.certs);
                }
                // In memory it can have a length that is no number.
                let array = self.as_array(&val)?;
                Ok(retyped(&mut self.b, &array, dims, &matching.certs).into())
            }
            (Type::Array(..), Val::Vector(..) | Val::Lengths(_) | Val::Array(_)) => {
                let array = self.as_array(&val)?;
                Ok(self.matched_array(ty, &array, 0, about)?.into())
            }
            (Type::Prim(_) | Type::Record(_) | Type::Sum(_), Val::Array(array)) if about.mode == Mode::Coerce => {
                let (array, cert) = self.check_rank(array, 0, about)?;
                let val = self.under(cert.as_slice(), |d| d.only_element(&array))?;
                self.matched_part(ty, val, &[], about)
            }
            (_, _) => Ok(val),
        }
    }

    /// Arrays and sums in the elements of an array.
    fn matched_rows(&mut self, ty: &'t Type, rows: Val<'t>, outer: &[Dim], about: About) -> Made<Val<'t>> {
        match (ty, &rows) {
            (Type::Array(..), Val::Array(_)) => {
                let array = self.matched_array(ty, &inside(outer, &rows), outer.len(), about)?;
                Ok(behind(&array, outer.len()))
            }
            (Type::Sum(cases), Val::Sum(sum)) if about.mode.checks_names() || self.checks_sums(about) => {
                self.matched_sums(cases, sum, outer, about)
            }
            (_, _) => Ok(rows),
        }
    }

    pub(crate) fn concrete(&mut self, ty: &'t Type) -> &'t Type {
        // Types of a program live as long as it does; there are few abstract ones.
        match ty {
            Type::Abstract(..) => Box::leak(Box::new(self.typed.concrete(ty))),
            _ => ty,
        }
    }

    /// An array behind the first `outer` dimensions, which are matched already.
    fn matched_array(&mut self, ty: &'t Type, array: &ArrayVal<'t>, outer: usize, about: About) -> Made<ArrayVal<'t>> {
        let said = Said::by(ty);
        let array = self.aligned(&said, array, outer)?;
        let array = self.conform(&said, array, outer, about)?;
        let mut own = array.dims[outer..].to_vec();
        let mut matching = Matching { about, certs: Vec::new() };
        let count = self.match_dims(&said, &array.dims[..outer], &mut own, &mut matching)?;
        let all = count == own.len();
        let mut array = retyped(&mut self.b, &array, [&array.dims[..outer], &own].concat(), &matching.certs);
        if all {
            array.rows = self.matched_part(walk::split(ty).1, array.rows, &array.dims, about)?;
        }
        Ok(array)
    }

    /// The array with as many dimensions one by one behind the first `start` as the type has in front of a shape; what a
    /// shape has a name for is one shape.
    fn aligned(&mut self, said: &Said<'t>, array: &ArrayVal<'t>, start: usize) -> Made<ArrayVal<'t>> {
        let mut array = array.clone();
        // The dimensions of a shape are regular.
        for at in said.shape().map_or(array.dims.len(), |known| (start + known).max(1))..array.dims.len() {
            array = self.made_regular(&array, at, None);
        }
        if !array.dims[start..].iter().any(is_shape) {
            return Ok(array);
        }
        let Some(known) = said.shape() else {
            return if said.closed { Ok(array) } else { self.with_leading(&array, start, said.dims.len()) };
        };
        if let [typed::Dim::Shape(Shape::Local(_))] = said.dims.as_slice() {
            return Ok(self.shape_from(&array, start)?.0);
        }
        let array = self.with_leading(&array, start, known)?;
        // Another shape behind it may be any part of the whole.
        let behind = &said.dims[known + 1..];
        match behind.is_empty() || !behind.iter().all(|dim| matches!(dim, typed::Dim::Size(_))) {
            true => Ok(array),
            false => self.with_trailing(&array, start + known, behind.len()),
        }
    }

    /// The array with jagged dimensions where the type has them, and regular ones where it says so.
    fn conform(&mut self, said: &Said<'t>, mut array: ArrayVal<'t>, outer: usize, about: About) -> Made<ArrayVal<'t>> {
        if said.shape().is_some() {
            return Ok(array);
        }
        let rank = said.dims.len();
        if said.closed && about.mode == Mode::Coerce && outer == 0 {
            let (checked, cert) = self.check_rank(&array, rank, about)?;
            array = retyped(&mut self.b, &checked, checked.dims.clone(), cert.as_slice());
        }
        if said.closed && array.dims[outer..].iter().any(is_shape) && rank > 0 {
            array = self.with_rank(&array, outer, rank)?;
        }
        for (at, dim) in (outer..).zip(&said.dims) {
            array = match (dim, array.dims.get(at)) {
                (typed::Dim::Jagged(_), Some(Dim::Size(_))) if at > 0 => made_jagged(&mut self.b, &array, at),
                (typed::Dim::Size(Size::Unknown), _) if about.mode != Mode::Coerce => continue,
                (typed::Dim::Size(size), Some(Dim::Jagged(_))) if about.mode == Mode::Coerce => {
                    self.coerced_rows(&array, at, size, about)
                }
                (typed::Dim::Size(size), Some(Dim::Jagged(_))) => {
                    let default = self.known_size(size);
                    self.made_regular(&array, at, default)
                }
                (_, _) => continue,
            };
        }
        Ok(array)
    }

    /// In `:>`: a jagged dimension as a regular one, of the size that the type says.
    fn coerced_rows(&mut self, array: &ArrayVal<'t>, at: usize, size: &'t Size, about: About) -> ArrayVal<'t> {
        let Dim::Jagged(desc) = array.dims[at] else { return array.clone() };
        let mut array = array.clone();
        let default = self.known_size(size);
        if let Some(want) = default {
            let first = first_length(&mut self.b, desc, &array.dims[..at], want);
            let equal = self.b.num(want.equals(first));
            let mut matching = Matching { about, certs: Vec::new() };
            let cert = self.clash(equal, &self.size_text(size), (want, first), &mut matching);
            array = retyped(&mut self.b, &array, array.dims.clone(), cert.as_slice());
        }
        let shape = self.describe(self.whole_matched(), 1);
        let message = message::coercion(shape.text, about.written, message::coerced_rows());
        let args = [desc.into()].into_iter().chain(shape.args).collect();
        self.made_regular_or(&array, at, default, message, args)
    }

    /// The value that messages show.
    fn whole_matched(&self) -> &Val<'t> {
        self.whole.as_ref().unwrap_or_else(|| bug!("nothing is being matched"))
    }

    /// In `:>`: the array as one of unknown rank, if it may be of another rank than the type, with a check that it is not.
    fn check_rank(&mut self, array: &ArrayVal<'t>, rank: usize, about: About) -> Made<(ArrayVal<'t>, Option<Var>)> {
        let known = array.dims.iter().all(|dim| matches!(dim, Dim::Size(_) | Dim::Jagged(_)));
        if known && array.dims.len() == rank {
            return Ok((array.clone(), None));
        }
        let described = self.describe(&Val::Array(Rc::new(array.clone())), 0);
        let (array, shape) = self.shape_from(array, 0)?;
        let fits = rank_of(&self.b, shape).equals(rank as i64);
        let cert = self.check(fits, message::coerced_rank(described.text, about.written), described.args);
        Ok((array, cert))
    }

    /// Matches dimensions behind the `outer` ones one by one; says how many of the array's they cover.
    fn match_dims(
        &mut self,
        Said { dims, .. }: &Said<'t>,
        outer: &[Dim],
        have: &mut Vec<Dim>,
        matching: &mut Matching<'_>,
    ) -> Made<usize> {
        let shapes = dims.iter().filter(|d| matches!(d, typed::Dim::Shape(_))).count();
        let mut at = 0;
        for dim in dims {
            match dim {
                typed::Dim::Size(size) => {
                    if let Some(Dim::Size(n)) = have.get(at).copied() {
                        let around: Vec<Dim> = outer.iter().chain(&have[..at]).copied().collect();
                        let n = self.match_size(size, n, &around, matching)?;
                        have[at] = Dim::Size(n);
                    }
                    at += 1;
                }
                typed::Dim::Jagged(local) => {
                    if let (Some(local), Some(Dim::Jagged(desc))) = (local, have.get(at).copied()) {
                        let desc = self.match_lengths(*local, desc, matching)?;
                        have[at] = Dim::Jagged(desc);
                    }
                    at += 1;
                }
                // Where one of two adjacent shapes ends is not visible in the value.
                typed::Dim::Shape(_) if shapes > 1 => return Ok(have.len()),
                typed::Dim::Shape(shape) => {
                    let others = dims.len() - shapes;
                    let at_most = have.len() - at.min(have.len());
                    let covered = have.len().saturating_sub(others).min(at_most);
                    let part = have[at..at + covered].to_vec();
                    let part = self.match_shape(*shape, part, matching)?;
                    let found = part.len();
                    have.splice(at..at + covered, part);
                    at += found;
                }
            }
        }
        Ok(at.min(have.len()))
    }

    fn match_size(&mut self, size: &'t Size, have: Atom, around: &[Dim], matching: &mut Matching<'_>) -> Made<Atom> {
        let mode = matching.about.mode;
        let want = match size {
            Size::Local(local) => self.known_name(*local, Val::size(have), matching).and_then(|v| v.atom()),
            Size::Const(_) if mode.checks_names() => self.known_size(size),
            Size::Expr(_) if mode.checks_expressions() => self.known_size(size),
            Size::Unknown | Size::Meta(_) | Size::Const(_) | Size::Expr(_) => None,
        };
        let Some(want) = want.filter(|want| *want != have) else { return Ok(have) };
        let equal = self.b.num(want.equals(have));
        let fits = self.or_no_rows(equal, around);
        self.clash(fits, &self.size_text(size), (want, have), matching);
        // Rows that are not there are as long as the type says, if that is a size at all.
        if fits == equal { Ok(want) } else { Ok(size_of_rows(&mut self.b, want)) }
    }

    /// What a name means already, if that must be checked. An unknown name is bound to what was found.
    pub(crate) fn known_name(&mut self, local: LocalId, found: Val<'t>, matching: &Matching<'_>) -> Option<Val<'t>> {
        match self.env.vals.get(&local) {
            None => {
                self.set(local, found);
                None
            }
            Some(_) if !matching.about.mode.checks_names() => None,
            Some(known) => Some(known.clone()),
        }
    }

    /// What messages call a size that a type says.
    fn size_text(&self, size: &Size) -> String {
        match size {
            Size::Local(local) => format!("`{}`", self.typed.locals[*local].name),
            Size::Expr(expr) => format!("`{}`", self.typed.show_size_expr(expr)),
            Size::Const(_) | Size::Unknown | Size::Meta(_) => "the declared size".into(),
        }
    }

    /// Where there are no rows, they are as long as the type says.
    fn or_no_rows(&mut self, equal: Atom, around: &[Dim]) -> Atom {
        if around.is_empty() {
            return equal;
        }
        let rows = self.b.scalar("rows", Prim::I64, Exp::Total(around.to_vec()));
        self.b.num(equal.or(rows.equals(0)))
    }

    /// Checks that two sizes (or vectors of sizes) are equal.
    pub(crate) fn clash(
        &mut self,
        equal: Atom,
        what: &str,
        (want, have): (Atom, Atom),
        matching: &mut Matching<'_>,
    ) -> Option<Var> {
        let about = matching.about;
        let shape = self.describe(self.whole_matched(), 2);
        let mut message = if about.mode == Mode::Coerce {
            message::coercion(shape.text, about.written, message::coerced_size(what))
        } else {
            let context = match about.mode {
                Mode::Check | Mode::Late if self.entry.is_some() => "called from outside with these arguments",
                mode => mode.context(),
            };
            let start = match about.argument {
                Some(name) => format!("argument `{name}` of shape "),
                None => "a value of shape ".to_string(),
            };
            let subject = Text::words(start).followed_by(shape.text);
            message::sizes(what, subject, context)
        };
        let mut args: Vec<Atom> = [want, have].into_iter().chain(shape.args).collect();
        if let (Mode::Check, Some(given)) = (about.mode, self.given.clone()) {
            self.add_given(&given, &mut message, &mut args);
        }
        let cert = self.check(equal, message, args);
        matching.certs.extend(cert);
        cert
    }

    /// Says what the arguments of a call are, if there are several.
    fn add_given(&mut self, given: &Given<'t>, message: &mut Message, args: &mut Vec<Atom>) {
        if given.arrays.len() < 2 {
            return;
        }
        let mut arrays = Vec::new();
        for (name, val) in &given.arrays {
            let shape = self.describe(val, args.len());
            arrays.push((*name, shape.text));
            args.extend(shape.args);
        }
        message.notes.push(message::arguments(given.name, arrays));
    }

    /// The dimensions under the names of the shape that they are.
    fn match_shape(&mut self, shape: Shape, have: Vec<Dim>, matching: &mut Matching<'_>) -> Made<Vec<Dim>> {
        let Shape::Local(local) = shape else { return Ok(have) };
        let found = self.shape_val(&have)?;
        let Some(known) = self.known_name(local, found.clone(), matching) else { return Ok(have) };
        if let (Val::Array(a), Val::Array(b)) = (&known, &found)
            && a.rows.var().is_some()
            && a.rows.var() == b.rows.var()
        {
            return Ok(have);
        }
        let equal = self.equal(&known, &found)?;
        if equal != Atom::bool(true) {
            let what = format!("shape `{}`", self.typed.locals[local].name);
            let (want, have) = (self.as_vector(&known)?.0, self.as_vector(&found)?.0);
            self.clash(equal, &what, (want.into(), have.into()), matching);
        }
        Ok(match (&known, have.as_slice()) {
            (Val::Vector(_, atoms), _) if atoms.len() == have.len() => sizes(atoms),
            (Val::Array(vector), dims) if dims.iter().any(is_shape) => {
                vector.rows.var().map_or(have, |var| vec![Dim::Shape(var)])
            }
            (_, _) => have,
        })
    }
}
