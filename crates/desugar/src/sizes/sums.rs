//! Arrays in constructors.
//!
//! A value of a sum has the parts of all its constructors; those of the others are dummies. Where the type says how long
//! an array in a constructor is, the dummy is just as long: so all values of the type have one form, elements of arrays
//! can be replaced by those of other constructors, and reductions can combine them. Where the type does not say it, the
//! dummy is empty, and in an array the part is jagged.

use crate::arrays::dims::{flat, flat_rows, not_negative, size_of_rows};
use crate::arrays::parts::{element, is_case};
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::types::{Cases, Mono, MonoDim, map_case_dims};
use crate::data::value::{ArrayVal, SumVal, Val, behind, has_jagged, inside};
use crate::sizes::matching::{About, Mode};
use crate::sizes::types::has_expression;
use base::bug;
use fault::message;
use ir::{Atom, Dim, Var};
use scalar::{BinOp, Scalar};
use std::rc::Rc;
use typed::{LocalId, Size, Type};

/// The constructors of a sum type of the program.
type TypedCases<'t> = &'t [(base::Name, Vec<Type>)];

/// The constructors with types that mention only sizes which `keep` knows another name for.
pub(crate) fn cases_with(cases: &Cases, keep: &dyn Fn(Var) -> Option<Atom>) -> Cases {
    map_case_dims(cases, &mut |dim: MonoDim| match dim {
        MonoDim::Size(Atom::Var(n)) => keep(n).map_or(MonoDim::Unknown, MonoDim::Size),
        MonoDim::Shape(Some(v)) => MonoDim::Shape(keep(v).and_then(|atom| atom.var())),
        MonoDim::Size(Atom::Const(_)) | MonoDim::Unknown | MonoDim::Jagged | MonoDim::Shape(None) => dim,
    })
}

impl<'t> Desugar<'t> {
    /// Constructors with types whose sizes can be those of dummies: they mean the same outside, and are not negative. A
    /// size that nothing has checked may be; then no array has it, and dummies are empty.
    pub(crate) fn sized_cases(&mut self, cases: &Cases, mark: usize) -> Cases {
        map_case_dims(cases, &mut |dim| match dim {
            MonoDim::Size(n) if self.outside(n, mark) => MonoDim::Size(size_of_rows(&mut self.b, n)),
            MonoDim::Shape(Some(v)) if !self.outside(v.into(), mark) => MonoDim::Shape(None),
            MonoDim::Size(_) => MonoDim::Unknown,
            MonoDim::Shape(_) | MonoDim::Unknown | MonoDim::Jagged => dim,
        })
    }

    /// The form of a part of a constructor with the sizes that its type says, where they mean the same outside.
    pub(crate) fn with_typed_sizes(&self, form: &Form, ty: &Mono, mark: usize) -> Form {
        match (form, ty) {
            (Form::Array(array), Mono::Array(..)) => {
                let (mut ty, mut dims) = (ty, array.dims.clone());
                for dim in &mut dims {
                    let Mono::Array(said, inner) = ty else { break };
                    ty = inner;
                    if let (FormDim::Size | FormDim::Jagged, MonoDim::Size(n)) = (*dim, *said)
                        && not_negative(&self.b, n)
                        && self.outside(n, mark)
                    {
                        *dim = FormDim::Fixed(Dim::Size(n));
                    }
                }
                Form::array(dims, self.with_typed_sizes(&array.rows, ty, mark))
            }
            (Form::Record(_), Mono::Record(_)) | (Form::Sum(_), Mono::Sum(_)) => {
                let mut types = ty.parts().into_iter();
                form.map(|part| types.next().map_or(part.clone(), |ty| self.with_typed_sizes(part, ty, mark)))
            }
            (form, _) => form.clone(),
        }
    }

    /// A part of a constructor for a form that fixes sizes: if the value is of another one, the dummy that it has may be
    /// shorter.
    pub(crate) fn part_if_there(
        &mut self,
        sum: &SumVal<'t>,
        case: usize,
        part: &Val<'t>,
        form: &Form,
    ) -> Made<Val<'t>> {
        if !may_be_shorter(part, form) {
            return Ok(part.clone());
        }
        let is = is_case(&mut self.b, sum, case);
        self.choose(is, |_| Ok(part.clone()), |d| Ok(d.dummy_of(form)))
    }

    /// A part of a constructor in an array, jagged behind the `outer` dimensions: regular, with dummies where other
    /// constructors are.
    fn with_dummies(
        &mut self,
        sum: &SumVal<'t>,
        (case, part): (usize, &Val<'t>),
        outer: &[Dim],
        elem: &Mono,
        row: &mut dyn FnMut(&mut Self, Val<'t>) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let (tags, parts) = self.flat_part(sum, part, outer);
        let new = self.build_in(outer, Some(elem), |d, i| {
            let is = d.is_case_at(&tags, i, case);
            let row = |d: &mut Self| {
                let part = d.regular_part(&parts, i, elem);
                row(d, part)
            };
            d.choose(is, row, |d| Ok(d.dummy(elem)))
        })?;
        Ok(behind(&new, outer.len()))
    }

    /// The constructors of the elements of an array and a part of one of them, all elements one after the other.
    fn flat_part(&mut self, sum: &SumVal<'t>, part: &Val<'t>, outer: &[Dim]) -> (Rc<ArrayVal<'t>>, ArrayVal<'t>) {
        let tags = flat(&mut self.b, &inside(outer, &sum.tag_val()));
        let parts = flat_rows(&mut self.b, &inside(outer, part), outer.len(), tags.first_size());
        (tags, parts)
    }

    /// Whether element `i` is of a constructor.
    fn is_case_at(&mut self, tags: &ArrayVal<'t>, i: Atom, case: usize) -> Atom {
        let Val::Scalar(prim, tag) = element(&mut self.b, tags, &[i]) else { bug!("a constructor is no number") };
        self.b.bin(BinOp::Eq, prim, tag, Atom::Const(Scalar::from_bits(prim, case as u64)))
    }

    /// The part of element `i` with regular dimensions where its type has them.
    fn regular_part(&mut self, parts: &ArrayVal<'t>, i: Atom, ty: &Mono) -> Val<'t> {
        let part = element(&mut self.b, parts, &[i]);
        let (Val::Array(array), Some(mut ty)) = (&part, ty.elem()) else { return part };
        let mut array = (**array).clone();
        for at in 1..array.dims.len() {
            let Mono::Array(dim, below) = ty else { break };
            if !matches!(dim, MonoDim::Jagged) {
                array = self.made_regular(&array, at, None);
            }
            ty = below;
        }
        array.into()
    }

    /// A truth that relies on all checks of a value's sizes, which are made if it is there.
    fn fits_if(
        &mut self,
        there: Atom,
        ty: &'t Type,
        about: About,
        val: impl FnOnce(&mut Self) -> Val<'t>,
    ) -> Made<Atom> {
        let yes = Val::bool(Atom::bool(true));
        let fits = self.choose(
            there,
            |d| {
                let val = val(d);
                d.matched_alone(ty, val, about)?;
                let certs = d.b.certs();
                d.relying(&yes, &certs)
            },
            |_| Ok(yes.clone()),
        )?;
        Ok(fits.scalar("a choice between truth values"))
    }

    /// A part of a value matched as if it stood alone: messages show the part. It binds no names: it need not be there.
    fn matched_alone(&mut self, ty: &'t Type, val: Val<'t>, about: About) -> Made<Val<'t>> {
        let (whole, env) = (self.whole.take(), self.env.clone());
        let matched = self.matched(ty, val, about);
        (self.whole, self.env) = (whole, env);
        matched
    }

    /// What relies on checks must be found out, even if nothing looks at the value.
    fn require(&mut self, truth: Atom) {
        self.check(truth, message::row_length(), [Atom::size(0); 3]);
    }

    /// A part of a constructor in an array for a form that fixes its size: where it is jagged, dummies are missing.
    pub(crate) fn part_of_size(
        &mut self,
        sum: &SumVal<'t>,
        (case, part): (usize, &Val<'t>),
        form: &Form,
        outer: &[Dim],
        ty: &Mono,
    ) -> Made<Val<'t>> {
        match (form.split().0.first(), part.split().0.first()) {
            (Some(FormDim::Fixed(want @ Dim::Size(_))), Some(have)) if want != have => {
                let ty = with_fixed_sizes(ty, form);
                self.with_dummies(sum, (case, part), outer, &ty, &mut |_, val| Ok(val))
            }
            (_, _) => Ok(part.clone()),
        }
    }

    /// The parts of a sum that comes from outside: who gives a value of some constructor has chosen the sizes in it.
    pub(crate) fn checked_sum(&mut self, cases: TypedCases<'t>, sum: &SumVal<'t>, about: About) -> Made<Val<'t>> {
        self.with_said_parts(cases, sum, about, |d, (c, ty), given, complete| {
            let is = is_case(&mut d.b, sum, c);
            let mono = d.mono(ty);
            let fits = d.fits_if(is, ty, about, |_| given.clone())?;
            d.require(fits);
            match complete {
                true => d.choose(is, |d| d.matched_alone(ty, given, about), |d| Ok(d.dummy(&mono))),
                false => Ok(given),
            }
        })
    }

    /// The elements of an array with parts that are as long as their types say. Elements that come from outside are
    /// checked.
    pub(crate) fn matched_sums(
        &mut self,
        cases: TypedCases<'t>,
        sum: &SumVal<'t>,
        outer: &[Dim],
        about: About,
    ) -> Made<Val<'t>> {
        self.with_said_parts(cases, sum, about, |d, (c, ty), part, complete| {
            let mono = d.mono(ty);
            if d.checks_sums(about) {
                let (tags, parts) = d.flat_part(sum, &part, outer);
                let fits = d.all(tags.first_size(), |d, i| {
                    let is = d.is_case_at(&tags, i, c);
                    d.fits_if(is, ty, about, |d| d.regular_part(&parts, i, &mono))
                })?;
                d.require(fits);
            }
            if !has_jagged(&part) || !complete {
                return Ok(part);
            }
            d.with_dummies(sum, (c, &part), outer, &mono, &mut |d, val| d.matched_alone(ty, val, about))
        })
    }

    /// The sum with what `f` makes of each part whose type says sizes: of the number of its constructor, its type, the part,
    /// and whether the type says all sizes.
    fn with_said_parts(
        &mut self,
        cases: TypedCases<'t>,
        sum: &SumVal<'t>,
        about: About,
        mut f: impl FnMut(&mut Self, (usize, &'t Type), Val<'t>, bool) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        self.with_parts(cases, sum, |d, (case, ty), part| match d.said_sizes(ty, about) {
            Some(complete) => f(d, (case, ty), part, complete),
            None => Ok(part),
        })
    }

    /// The sum with what `f` makes of each part: of the number of its constructor, its type and the part.
    pub(crate) fn with_parts(
        &mut self,
        cases: TypedCases<'t>,
        sum: &SumVal<'t>,
        mut f: impl FnMut(&mut Self, (usize, &'t Type), Val<'t>) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let mut sum = sum.clone();
        for (case, ((_, types), parts)) in cases.iter().zip(&mut sum.parts).enumerate() {
            for (ty, part) in types.iter().zip(parts.iter_mut().flatten()) {
                *part = f(self, (case, ty), part.clone())?;
            }
        }
        Ok(Val::Sum(Rc::new(sum)))
    }

    /// Whether a type says how long everything in its values is; none if there is nothing to match. Until a later pass
    /// over the arguments from outside has checked expressions, a part keeps the sizes that it has.
    fn said_sizes(&mut self, ty: &'t Type, about: About) -> Option<bool> {
        let (mut some, mut known) = (false, true);
        self.look_for_sizes(ty, &mut some, &mut known);
        let late = has_expression(ty, true);
        let checked_later = self.checks_sums(about) && about.mode == Mode::Check && late;
        (some && (late || about.mode != Mode::Late)).then_some(known && !checked_later)
    }

    fn look_for_sizes(&mut self, ty: &'t Type, some: &mut bool, known: &mut bool) {
        let ty = self.concrete(ty);
        if let Type::Array(dim, _) = ty {
            let bound = |local: &LocalId| self.env.vals.contains_key(local);
            let (says, tells) = match dim {
                typed::Dim::Size(Size::Unknown | Size::Meta(_)) => (false, true),
                typed::Dim::Size(size) => (true, self.known_size(size).is_some()),
                typed::Dim::Jagged(lengths) => (lengths.as_ref().is_some_and(bound), false),
                typed::Dim::Shape(shape) => (matches!(shape, typed::Shape::Local(s) if bound(s)), false),
            };
            *some |= says;
            *known &= tells;
        }
        if !matches!(ty, Type::Fun(_)) {
            ty.for_each_child(&mut |ty| self.look_for_sizes(ty, some, known));
        }
    }

    /// Whether sums are looked into when a value is matched: those that come from outside.
    pub(crate) fn checks_sums(&self, about: About) -> bool {
        self.entry.is_some() && matches!(about.mode, Mode::Check | Mode::Late)
    }
}

/// A type with the sizes that a form of its values fixes.
fn with_fixed_sizes(ty: &Mono, form: &Form) -> Mono {
    let (dims, _) = form.split();
    let mut fixed = dims.iter();
    ty.map_dims(&mut |dim| match fixed.next() {
        Some(FormDim::Fixed(Dim::Size(n))) => MonoDim::Size(*n),
        Some(_) | None => dim,
    })
}

/// Whether a part has arrays, in fields too, of other sizes than a form fixes.
fn may_be_shorter(part: &Val, form: &Form) -> bool {
    match (part, form) {
        (Val::Array(array), Form::Array(form)) => {
            let other = |(want, have): (&FormDim, &Dim)| matches!(want, FormDim::Fixed(dim) if dim != have);
            form.dims.iter().zip(&array.dims).any(other)
        }
        (Val::Record(fields), Form::Record(forms)) => {
            fields.iter().zip(forms.iter()).any(|(part, form)| may_be_shorter(part, form))
        }
        (_, _) => false,
    }
}
