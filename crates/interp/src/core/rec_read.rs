//! Reading recursive arrays while they are made.

use super::levels;
use super::machine::Machine;
use super::sink::NOBODY;
use super::stop::{Need, Run, Stop};
use super::val::{Array, RecName, Val};
use super::view::Part;
use ir::{Type, Var};
use scalar::Prim;
use value::PrimVec;

impl<'p> Machine<'p> {
    /// The element or subarray at indices.
    pub(super) fn rec_index(&mut self, name: RecName, at: &[i64], var: Var) -> Run<Val> {
        let outer = self.recursive_of(name)?.outer.clone();
        let (leading, inside) = at.split_at(at.len().min(outer.len()));
        let row = levels::place(&outer, leading);
        let places = row.and_then(|row| levels::span(&outer[leading.len()..], row..row + 1));
        let Some(places) = places else {
            return self.outside(at);
        };
        if leading.len() < outer.len() {
            let vals = self.rec_values(name, places)?;
            return self.together(vals, var);
        }
        match self.rec_values(name, places)?.pop() {
            Some(Val::Array(row)) => {
                let part = self.part_at(&row, inside)?;
                self.as_scalar(part, var)
            }
            Some(val) if inside.is_empty() => Ok(val),
            Some(_) | None => self.internal("more indices than dimensions"),
        }
    }

    /// Parts of leading dimensions.
    pub(super) fn rec_slice(&mut self, name: RecName, parts: &[Part], var: Var) -> Run<Val> {
        let outer = self.recursive_of(name)?.outer.clone();
        let (leading, inside) = parts.split_at(parts.len().min(outer.len()));
        let mut places = Vec::new();
        for row in self.rows_of(&outer, leading)? {
            places.extend(levels::span(&outer[leading.len()..], row..row + 1).unwrap_or(0..0));
        }
        let mut vals = self.rec_values(name, places)?;
        if !inside.is_empty() {
            for val in &mut vals {
                let Val::Array(row) = val else { return self.internal("more ranges than dimensions") };
                *val = Val::Array(self.sliced(row, inside)?);
            }
        }
        self.together(vals, var)
    }

    /// A size of the element at indices: the length of a row, or a descriptor.
    fn rec_size(&self, name: RecName, at: &[i64]) -> Run<Val> {
        let outer = &self.recursive_of(name)?.outer;
        let place = levels::place(outer, &at[..at.len().min(outer.len())]).filter(|_| at.len() >= outer.len());
        match place {
            Some(place) => match self.rec_values(name, [place])?.pop() {
                Some(val) => Ok(val),
                None => self.internal("an element of a recursive array without its sizes"),
            },
            None => self.outside(at),
        }
    }

    /// The length of a row inside a recursive array's element, or of the element itself.
    pub(super) fn rec_desc_length(&self, name: RecName, at: &[i64]) -> Run<Val> {
        let inside = at.get(self.recursive_of(name)?.outer.len()..).unwrap_or_default();
        match self.rec_size(name, at)? {
            Val::Desc(desc) => self.length_in(&desc, inside),
            // Rows of one length each.
            val => Ok(val),
        }
    }

    /// The descriptor of a part of an element.
    pub(super) fn rec_desc_index(&self, name: RecName, at: &[i64], var: Var) -> Run<Val> {
        let inside = at.get(self.recursive_of(name)?.outer.len()..).unwrap_or_default();
        match self.rec_size(name, at)? {
            Val::Desc(desc) if inside.is_empty() => Ok(Val::Desc(desc)),
            Val::Desc(desc) => self.index_in(&desc, inside),
            Val::Scalar(scalar::Scalar::I64(n)) => self.uniform(n, var),
            _ => self.internal("a size that is no size"),
        }
    }

    fn recursive_of(&self, name: RecName) -> Run<&super::sink::Sink<'p>> {
        match self.recs.get(name.serial).and_then(|state| state.sinks.get(name.output)) {
            Some(sink) => Ok(sink),
            None => self.internal("a recursive array is read after its end"),
        }
    }

    /// The values at places; those that are not there yet are asked for.
    fn rec_values(&self, name: RecName, places: impl IntoIterator<Item = usize>) -> Run<Vec<Val>> {
        let sink = self.recursive_of(name)?;
        let slots = &self.recs[name.serial].slots;
        let (mut vals, mut missing) = (Vec::new(), Vec::new());
        for place in places {
            let val = match sink.owner.get(place) {
                // Only updates have old values, and they have no sizes.
                Some(&NOBODY) => match sink.old.get(name.component) {
                    Some(old) => self.old_value(old, sink.outer.len(), place, sink.output.elems.get(name.component)),
                    None => None,
                },
                Some(instance) => match slots.get(*instance) {
                    Some(&NOBODY) => {
                        missing.push(*instance);
                        continue;
                    }
                    Some(slot) => sink.columns.component(name.component, *slot),
                    None => None,
                },
                None => None,
            };
            match val {
                Some(val) => vals.push(val),
                None => return self.internal("an element of a recursive array that nothing defines"),
            }
        }
        if missing.is_empty() {
            return Ok(vals);
        }
        missing.dedup();
        Err(Stop::Need(Box::new(Need { serial: name.serial, instances: missing })))
    }

    fn old_value(&self, old: &Array, depth: usize, place: usize, elem: Option<&Var>) -> Option<Val> {
        let row = old.row(depth, place)?;
        self.as_scalar(row, *elem?).ok()
    }

    /// Values one after the other, in the dimensions of a variable.
    fn together(&self, vals: Vec<Val>, var: Var) -> Run<Val> {
        let ty = self.ty(var);
        let mut data = PrimVec::new(ty.prim().unwrap_or(Prim::Bool));
        for val in vals {
            match val {
                Val::Scalar(x) if x.prim() == data.prim() => data.push(x),
                Val::Array(row) if row.data.prim() == data.prim() => data.extend_from(&row.data),
                _ => return self.internal("elements of another type"),
            }
        }
        match ty {
            Type::Array(_, dims) => Ok(Val::Array(self.make(self.levels_of(dims)?, data)?)),
            Type::Scalar(_) | Type::Desc(_) | Type::Cert | Type::Box(_) => {
                self.internal("several elements for one scalar")
            }
        }
    }
}
