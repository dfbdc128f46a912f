//! The form of values that come together ([`crate::data::form`]), and new variables for its components.

use crate::arrays::dims::size_of_rows;
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim, Forms, Fresh};
use crate::data::tree::Walk;
use crate::data::types::{Cases, Mono, MonoDim, agreeing_cases};
use crate::data::value::{ArrayVal, SumVal, Val, Values, behind, is_shape};
use base::id::Id;
use base::{Name, bug};
use ir::{Atom, Dim, Exp, Limitation, Type, Var};
use scalar::Prim;

/// Where values stand whose form is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// They are no rows: branches, turns of a loop.
    Alone,
    /// They are rows of one array: where they differ in their first dimension each has its size, behind it they are jagged.
    Row,
    /// They stand inside an array that is a row: every dimension in which they differ is jagged.
    InRow,
}

impl Place {
    /// The place of an array's elements.
    fn inside(self) -> Place {
        match self {
            Place::Alone => Place::Alone,
            Place::Row | Place::InRow => Place::InRow,
        }
    }
}

impl<'t> Desugar<'t> {
    /// Whether an atom means the same outside of a block that was opened when there were `mark` variables.
    pub(crate) fn outside(&self, atom: Atom, mark: usize) -> bool {
        atom.var().is_none_or(|v| v.index() < mark || self.global_vars.contains(&v))
    }

    pub(crate) fn mark(&self) -> usize {
        self.b.program.vars.len()
    }

    /// The form of values that come together in a block that sees only variables below `mark`.
    pub(crate) fn join(&mut self, vals: &[&Val<'t>], mark: usize) -> Made<Form> {
        self.join_all(vals, mark, Place::Alone, None)
    }

    /// The form of what stands inside of the first dimensions of an array: all of its dimensions are fixed.
    pub(crate) fn form_behind(&mut self, array: &ArrayVal<'t>, outer: usize) -> Made<Form> {
        self.join(&[&behind(array, outer)], usize::MAX)
    }

    /// The form of the rows of one array: rows that differ in length become jagged. `ty` is the type of a row.
    pub(crate) fn join_rows(&mut self, vals: &[&Val<'t>], mark: usize, ty: Option<&Mono>) -> Made<Form> {
        self.join_all(vals, mark, Place::Row, ty)
    }

    fn join_all(&mut self, vals: &[&Val<'t>], mark: usize, place: Place, ty: Option<&Mono>) -> Made<Form> {
        let Some(first) = vals.first() else {
            return self.unsupported(Limitation::NothingKnown);
        };
        let is_array = |val: &&Val| matches!(val, Val::Vector(..) | Val::Lengths(_) | Val::Array(_));
        match first {
            Val::Vector(prim, atoms)
                if place == Place::Alone
                    && vals.iter().all(|val| matches!(val, Val::Vector(_, b) if b.len() == atoms.len())) =>
            {
                Ok(Form::Vector(*prim, atoms.len()))
            }
            // An array of rank 0 is its element: it may stand beside others.
            _ if vals.iter().any(is_array) => self.join_arrays(vals, mark, place, ty),
            Val::Scalar(prim, _) => Ok(Form::scalar(*prim)),
            Val::Record(fields) => {
                let form = |i: usize| {
                    let column: Vec<&Val> = vals.iter().filter_map(|val| val.children().get(i).copied()).collect();
                    self.join_all(&column, mark, place, ty.and_then(|ty| ty.parts().get(i).copied()))
                };
                Ok(Form::Record((0..fields.len()).map(form).collect::<Made<_>>()?))
            }
            Val::Sum(sum) => self.join_sums(vals, sum.cases.clone(), mark, place),
            Val::Fun(fun) => match fun.sig() {
                Some(sig) => Ok(Form::Fun(self.box_of(&sig))),
                None => self.unsupported(Limitation::PolymorphicFunction),
            },
            Val::Vector(..) | Val::Lengths(_) | Val::Array(_) => bug!("arrays were joined before"),
        }
    }

    fn join_sums(&mut self, vals: &[&Val<'t>], cases: Cases, mark: usize, place: Place) -> Made<Form> {
        let sums: Vec<&SumVal> =
            vals.iter().filter_map(|val| if let Val::Sum(sum) = val { Some(&**sum) } else { None }).collect();
        // Each value was typed where it was made: only what all of them say holds.
        let cases = sums.iter().fold(cases, |cases, sum| agreeing_cases(&cases, &sum.cases));
        let cases = self.sized_cases(&cases, mark);
        let mut part = |c: usize, (p, ty): (usize, &Mono)| {
            let column: Vec<&Val> = sums.iter().filter_map(|sum| sum.part(c, p)).collect();
            // Values of other constructors have dummies here: what is fixed in some is not in all, unless the type says it.
            let complete = column.len() == vals.len();
            let form = match column.is_empty() {
                true => self.form_of(ty, place == Place::Row),
                false => self.join_all(&column, if complete { mark } else { 0 }, place, None)?,
            };
            let form = if complete { form } else { loosen(&form, place) };
            Ok(self.with_typed_sizes(&form, ty, mark))
        };
        let parts =
            cases.iter().enumerate().map(|(c, (_, types))| types.iter().enumerate().map(|ty| part(c, ty)).collect());
        let parts = parts.collect::<Made<Vec<Vec<Form>>>>()?;
        Ok(Form::sum(cases.clone(), parts))
    }

    fn join_arrays(&mut self, vals: &[&Val<'t>], mark: usize, place: Place, ty: Option<&Mono>) -> Made<Form> {
        let split = |val: &&Val<'t>| match val {
            Val::Vector(prim, atoms) => {
                (vec![Dim::Size(Atom::size(atoms.len() as i64))], Val::Scalar(*prim, Atom::Const(prim.zero())))
            }
            Val::Lengths(desc) => (self.b.ty(*desc).dims().to_vec(), Val::size(Atom::size(0))),
            val => (val.split().0.to_vec(), val.split().1.clone()),
        };
        let (lists, below): (Vec<Vec<Dim>>, Vec<Val>) = vals.iter().map(split).unzip();
        let (types, elem_ty) = split_type(ty, lists[0].len());
        let elem = self.join_all(&below.iter().collect::<Vec<_>>(), mark, place.inside(), elem_ty)?;
        // Dimensions are compared one by one where shapes stand in the same places.
        let alike = |a: &[Dim], b: &[Dim]| a.iter().map(is_shape).eq(b.iter().map(is_shape));
        if lists.iter().any(|dims| !alike(dims, &lists[0])) {
            return self.join_ranks(&lists, elem);
        }
        let mut dims: Vec<FormDim> = Vec::new();
        for i in 0..lists[0].len() {
            let all: Vec<Dim> = lists.iter().map(|l| l[i]).collect();
            dims.push(self.join_dim(&all, mark, &dims, place, types.get(i).copied()));
        }
        Ok(Form::array(dims, elem))
    }

    fn join_ranks(&mut self, lists: &[Vec<Dim>], elem: Form) -> Made<Form> {
        if lists.iter().flatten().any(|d| matches!(d, Dim::Jagged(_))) {
            return self.unsupported(Limitation::DifferentJaggedRanks);
        }
        Ok(Form::array(vec![FormDim::Shape], elem))
    }

    fn join_dim(&mut self, all: &[Dim], mark: usize, before: &[FormDim], place: Place, ty: Option<MonoDim>) -> FormDim {
        let same = all.iter().all(|d| *d == all[0]);
        let jagged = all.iter().any(|d| matches!(d, Dim::Jagged(_)));
        let outermost = place == Place::Row && before.is_empty();
        match all[0] {
            // The descriptor's type mentions the dimensions before it: they must be fixed, too.
            Dim::Jagged(d)
                if place == Place::Alone
                    && same
                    && self.outside(Atom::Var(d), mark)
                    && before.iter().all(|b| matches!(b, FormDim::Fixed(_))) =>
            {
                FormDim::Fixed(all[0])
            }
            _ if jagged && outermost => FormDim::Size,
            _ if jagged => FormDim::Jagged,
            Dim::Size(n) if same && self.outside(n, mark) && place == Place::Alone => FormDim::Fixed(all[0]),
            Dim::Size(n) if same && self.outside(n, mark) => FormDim::Fixed(Dim::Size(size_of_rows(&mut self.b, n))),
            Dim::Size(_) => match ty {
                Some(MonoDim::Size(n)) if self.outside(n, mark) => {
                    FormDim::Fixed(Dim::Size(size_of_rows(&mut self.b, n)))
                }
                _ if place == Place::Alone || outermost => FormDim::Size,
                _ => FormDim::Jagged,
            },
            Dim::Shape(v) if same && self.outside(Atom::Var(v), mark) => FormDim::Fixed(all[0]),
            Dim::Shape(_) | Dim::Jagged(_) => FormDim::Shape,
        }
    }

    /// The form of all values of a type: nothing is fixed but what the type says.
    pub(crate) fn form_of(&mut self, ty: &Mono, rows: bool) -> Form {
        self.form_at(ty, if rows { Place::Row } else { Place::Alone })
    }

    fn form_at(&mut self, ty: &Mono, place: Place) -> Form {
        match ty {
            Mono::Scalar(prim) => Form::scalar(*prim),
            Mono::Array(dim, elem) => {
                let dim = match dim {
                    MonoDim::Size(n) => FormDim::Fixed(Dim::Size(*n)),
                    MonoDim::Unknown => FormDim::Size,
                    MonoDim::Jagged if place != Place::InRow => FormDim::Size,
                    MonoDim::Jagged => FormDim::Jagged,
                    MonoDim::Shape(Some(v)) => FormDim::Fixed(Dim::Shape(*v)),
                    MonoDim::Shape(None) => FormDim::Shape,
                };
                Form::array(vec![dim], self.form_at(elem, Place::InRow))
            }
            Mono::Record(fields) => Form::Record(fields.iter().map(|f| self.form_at(&f.1, place)).collect()),
            Mono::Sum(cases) => {
                let cases = self.sized_cases(cases, usize::MAX);
                let mut part = |part: &Mono| {
                    let form = loosen(&self.form_at(part, place), place);
                    self.with_typed_sizes(&form, part, usize::MAX)
                };
                let parts = cases.iter().map(|(_, parts)| parts.iter().map(&mut part).collect()).collect();
                Form::sum(cases, parts)
            }
            Mono::Fun(sig) => Form::Fun(self.box_of(sig)),
        }
    }

    /// New variables for the components of a form, inside some dimensions, and the value they make.
    pub(crate) fn fresh(&mut self, form: &Form, name: &str, outer: &[Dim], out: &mut Fresh) -> Val<'t> {
        let val = form.walk(outer, &mut Naming { d: self, name, out });
        Val::array(outer.to_vec(), val)
    }

    /// The same outside of all dimensions, with the variables.
    pub(crate) fn fresh_vars(&mut self, form: &Form, name: &str) -> (Val<'t>, Fresh) {
        let mut fresh = Fresh::default();
        let val = self.fresh(form, name, &[], &mut fresh);
        (val, fresh)
    }

    /// Binds new variables in a form to what an expression gives.
    pub(crate) fn bind_form(&mut self, form: &Form, name: &str, exp: Exp) -> Val<'t> {
        let (val, fresh) = self.fresh_vars(form, name);
        self.b.bind_all(fresh.all(), exp);
        val
    }
}

/// Makes variables for the components of a form.
struct Naming<'a, 'd, 't> {
    d: &'d mut Desugar<'t>,
    name: &'a str,
    out: &'a mut Fresh,
}

impl Naming<'_, '_, '_> {
    fn var(&mut self, name: &str, ty: Type, size: bool) -> Var {
        let var = self.d.b.var(Name::new(name), ty);
        self.out.vars.push((var, size));
        var
    }
}

impl<'t> Walk<Forms, Values<'t>> for Naming<'_, '_, 't> {
    fn scalar(&mut self, prim: Prim, (): &(), outer: &[Dim]) -> Atom {
        self.var(self.name, Type::array(prim, outer.to_vec()), false).into()
    }

    fn tag(&mut self, prim: Prim, (): &(), outer: &[Dim]) -> Atom {
        self.var("tag", Type::array(prim, outer.to_vec()), false).into()
    }

    fn dim(&mut self, dim: &FormDim, outer: &[Dim]) -> Dim {
        match dim {
            FormDim::Fixed(dim) => *dim,
            FormDim::Size => Dim::Size(self.var("n", Type::I64, true).into()),
            FormDim::Jagged => Dim::Jagged(self.var("d", Type::Desc(outer.to_vec()), true)),
            FormDim::Shape => {
                let rank = self.var("r", Type::I64, true);
                Dim::Shape(self.var("s", Type::Array(Prim::I64, vec![Dim::Size(rank.into())]), true))
            }
        }
    }

    fn other(&mut self, form: &Form, outer: &[Dim]) -> Val<'t> {
        match form {
            Form::Vector(prim, count) => {
                let atoms = (0..*count).map(|_| self.scalar(*prim, &(), outer));
                Val::Vector(*prim, atoms.collect())
            }
            Form::Fun(id) => {
                let var = self.var(self.name, Type::Box(*id), false);
                self.d.boxed_val(var, *id)
            }
            _ => bug!("{form:?} is a leaf of a form"),
        }
    }
}

/// The dimensions of a type and what is below them.
fn split_type(ty: Option<&Mono>, count: usize) -> (Vec<MonoDim>, Option<&Mono>) {
    let mut dims = Vec::new();
    let mut ty = ty;
    while let Some(Mono::Array(dim, elem)) = ty
        && dims.len() < count
    {
        dims.push(*dim);
        ty = Some(elem);
    }
    if dims.iter().any(|d| matches!(d, MonoDim::Shape(_))) {
        return (Vec::new(), ty);
    }
    (dims, ty)
}

/// The form with nothing fixed: values of other constructors have dummies in its place.
fn loosen(form: &Form, place: Place) -> Form {
    match form {
        Form::Array(array) => {
            let loose = |(i, dim): (usize, &FormDim)| match dim.open() {
                FormDim::Size if place == Place::InRow || (place == Place::Row && i > 0) => FormDim::Jagged,
                FormDim::Jagged if place == Place::Row && i == 0 => FormDim::Size,
                open => open,
            };
            Form::array(array.dims.iter().enumerate().map(loose).collect(), loosen(&array.rows, place.inside()))
        }
        Form::Vector(prim, _) => Form::array(vec![FormDim::Size], Form::scalar(*prim)),
        _ => form.map(|part| loosen(part, place)),
    }
}
