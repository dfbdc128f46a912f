//! Sizes that only constructors of sums mention.
//!
//! Their values are in the first array that has them; but the value at hand may be of another constructor, so only the run
//! can tell where that is. If no array has such a size it is 0, which fits: nothing is there that could have another.
//! Few programs ask, so a size is looked for where it is read, not where it is bound.

use crate::arrays::dims::flat;
use crate::arrays::parts::{element, is_case};
use crate::context::{Desugar, Made};
use crate::data::value::{ArrayVal, Env, Source, Val};
use crate::sizes::matching::{About, Mode};
use ir::num::Compute;
use ir::{Atom, Limitation};
use scalar::Prim;
use std::rc::Rc;
use typed::{LocalId, Shape, Size, Type, TypeParam, walk};

impl<'t> Desugar<'t> {
    /// Remembers a value in whose constructors the sizes of its type may be found.
    pub(crate) fn hide(&mut self, ty: &'t Type, val: &Val<'t>) {
        for Named { local, .. } in names(self.typed, ty).into_iter().filter(|name| name.in_sum) {
            if self.env.vals.contains_key(&local) {
                continue;
            }
            let sources = Rc::make_mut(&mut self.env).hidden.entry(local).or_default();
            sources.retain(|source| !std::ptr::eq(source.ty, ty));
            sources.push(Source { local, ty, val: val.clone() });
        }
    }

    /// Makes what is known of a size known under the name of a type parameter.
    pub(crate) fn hide_as(&self, size: LocalId, param: LocalId, env: &mut Env<'t>) {
        if let Some(sources) = self.env.hidden.get(&size) {
            env.hidden.insert(param, sources.clone());
        }
    }

    /// The environment with the values of sizes that it knows only where to find, if they are mentioned.
    pub(crate) fn revealed(&mut self, env: &Env<'t>, is_mentioned: impl Fn(LocalId) -> bool) -> Made<Env<'t>> {
        let mut env = env.clone();
        let mut hidden: Vec<_> = std::mem::take(&mut env.hidden).into_iter().filter(|h| is_mentioned(h.0)).collect();
        hidden.sort_by_key(|h| h.0);
        for (local, sources) in hidden {
            if let std::collections::hash_map::Entry::Vacant(place) = env.vals.entry(local) {
                place.insert(self.found(&sources)?);
            }
        }
        Ok(env)
    }

    /// Binds the sizes of an entry point that constructors mention first, so that all values are checked against them.
    pub(crate) fn reveal_sizes(&mut self, def: &'t typed::Def, args: &[Val<'t>]) -> Made<()> {
        for local in def.type_params.iter().filter_map(TypeParam::local) {
            let values = def.params.iter().map(|param| &param.pat.ty).zip(args);
            let sources: Vec<Source> = values
                .filter(|(ty, _)| named(self.typed, ty, local).is_some())
                .map(|(ty, val)| Source { local, ty, val: val.clone() })
                .collect();
            let first = sources.first().and_then(|source| named(self.typed, source.ty, local));
            if first.is_some_and(|name| name.in_sum) {
                let val = self.at(def.span, |d| d.found(&sources))?;
                self.set(local, val);
            }
        }
        Ok(())
    }

    /// What the first source says that has such an array.
    pub(crate) fn found(&mut self, sources: &[Source<'t>]) -> Made<Val<'t>> {
        let all: Vec<_> = sources.iter().map(|source| (Atom::bool(true), source.clone())).collect();
        match sources.first() {
            Some(first) => Ok(self.first_found(first, &all)?.1),
            None => self.unsupported(Limitation::UnknownSize),
        }
    }

    /// The same of sources that exist under some conditions, and whether one of them has such an array.
    fn first_found(&mut self, of: &Source<'t>, sources: &[(Atom, Source<'t>)]) -> Made<(Atom, Val<'t>)> {
        let mut found = (Atom::bool(false), nothing(self.typed, of));
        for (is, source) in sources.iter().rev() {
            let (there, val) = self.find(source)?;
            let there = self.b.num((*is).and(there));
            let val = self.choose(there, |_| Ok(val), |_| Ok(found.1))?;
            found = (self.b.num(there.or(found.0)), val);
        }
        Ok(found)
    }

    /// Whether a value has an array of the size, and the size.
    fn find(&mut self, source: &Source<'t>) -> Made<(Atom, Val<'t>)> {
        let ty = self.concrete(source.ty);
        let (dims, elem) = walk::split(ty);
        if dims.into_iter().enumerate().any(|(at, dim)| name_of(dim, at > 0) == Some(source.local)) {
            return Ok((Atom::bool(true), self.read_dim(source, ty)?));
        }
        if let (Type::Array(..), Val::Array(array)) = (ty, &source.val) {
            return self.find_in(source, elem, array);
        }
        let parts = self.parts(source);
        self.first_found(source, &parts)
    }

    /// The same of the elements of an array.
    fn find_in(&mut self, source: &Source<'t>, ty: &'t Type, array: &ArrayVal<'t>) -> Made<(Atom, Val<'t>)> {
        let flat = flat(&mut self.b, array);
        let total = flat.first_size();
        let find_at = |d: &mut Self, i: Atom| {
            let val = element(&mut d.b, &flat, &[i]);
            d.find(&source.part(ty, &val))
        };
        let first = self.least(total, |d, i| {
            let (there, _) = find_at(d, i)?;
            Ok(d.b.num_as("first", there.select(i, total)))
        })?;
        let there = self.b.num(first.below(total));
        let val = self.choose(there, |d| Ok(find_at(d, first)?.1), |d| Ok(nothing(d.typed, source)))?;
        Ok((there, val))
    }

    /// The sources inside a source that is a record or of some constructor, each with the condition under which it is one.
    fn parts(&mut self, source: &Source<'t>) -> Vec<(Atom, Source<'t>)> {
        let mut parts = Vec::new();
        match (self.concrete(source.ty), &source.val) {
            (Type::Record(fields), Val::Record(vals)) => {
                let fields = fields.iter().map(|field| &field.1);
                parts.extend(fields.zip(vals.iter()).map(|(ty, val)| (Atom::bool(true), source.part(ty, val))));
            }
            (Type::Sum(cases), Val::Sum(sum)) => {
                for (c, ((_, types), vals)) in cases.iter().zip(&sum.parts).enumerate() {
                    let Some(vals) = vals else { continue };
                    if types.iter().any(|ty| named(self.typed, ty, source.local).is_some()) {
                        let is = is_case(&mut self.b, sum, c);
                        parts.extend(types.iter().zip(vals).map(|(ty, val)| (is, source.part(ty, val))));
                    }
                }
            }
            (_, _) => {}
        }
        parts.retain(|(_, part)| named(self.typed, part.ty, source.local).is_some());
        parts
    }

    /// An array that has the size: matching it against its type binds the name.
    fn read_dim(&mut self, source: &Source<'t>, ty: &'t Type) -> Made<Val<'t>> {
        let outer = self.env.clone();
        self.unset(source.local);
        let matched = self.matched(ty, source.val.clone(), About::new(Mode::Bind));
        let found = self.env.vals.get(&source.local).cloned();
        self.env = outer;
        matched?;
        match found {
            Some(Val::Lengths(desc)) => Ok(Val::Array(self.as_array(&Val::Lengths(desc))?)),
            Some(val) => Ok(val),
            None => self.unsupported(Limitation::UnknownSize),
        }
    }
}

/// What a size is if no array has it.
fn nothing<'t>(typed: &typed::Program, source: &Source<'t>) -> Val<'t> {
    match named(typed, source.ty, source.local) {
        Some(Named { is_size: true, .. }) => Val::size(Atom::size(0)),
        _ => Val::Vector(Prim::I64, Rc::new([])),
    }
}

/// The name that a dimension binds. The outer one of an array has no row lengths.
fn name_of(dim: &typed::Dim, is_row: bool) -> Option<LocalId> {
    match dim {
        typed::Dim::Size(Size::Local(local)) | typed::Dim::Shape(Shape::Local(local)) => Some(*local),
        typed::Dim::Jagged(Some(local)) if is_row => Some(*local),
        typed::Dim::Size(Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) => None,
        typed::Dim::Jagged(_) | typed::Dim::Shape(Shape::Meta(_) | Shape::Unknown) => None,
    }
}

/// Where a type stands.
#[derive(Clone, Copy, Default)]
struct Place {
    is_row: bool,
    in_sum: bool,
    /// In a constructor among the elements of an array: each has rows of its own.
    in_element: bool,
}

/// A dimension with a name.
struct Named {
    local: LocalId,
    /// Rather than row lengths or a shape.
    is_size: bool,
    in_sum: bool,
}

/// Every dimension with a name that values of a type have, in the order in which they are matched.
fn names(typed: &typed::Program, ty: &Type) -> Vec<Named> {
    let mut names = Vec::new();
    add_names(typed, ty, Place::default(), &mut names);
    names
}

/// The first dimension under this name.
fn named(typed: &typed::Program, ty: &Type, local: LocalId) -> Option<Named> {
    names(typed, ty).into_iter().find(|name| name.local == local)
}

fn add_names(typed: &typed::Program, ty: &Type, place: Place, names: &mut Vec<Named>) {
    let place = match ty {
        Type::Array(dim, _) => {
            let (is_size, in_sum) = (matches!(dim, typed::Dim::Size(_)), place.in_sum);
            let has_name = !(place.in_element && matches!(dim, typed::Dim::Jagged(_)));
            let local = name_of(dim, place.is_row).filter(|_| has_name);
            names.extend(local.map(|local| Named { local, is_size, in_sum }));
            Place { is_row: true, ..place }
        }
        Type::Sum(_) => Place { is_row: false, in_sum: true, in_element: place.in_element || place.is_row },
        Type::Abstract(..) => return add_names(typed, &typed.concrete(ty), place, names),
        Type::Fun(_) => return,
        _ => place,
    };
    ty.for_each_child(&mut |ty| add_names(typed, ty, place, names));
}
