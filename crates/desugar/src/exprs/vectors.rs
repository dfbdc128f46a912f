//! Clauses of an update whose subscripts are a vector of unknown length: they replace an element, or a part.

use crate::arrays::dims::{flat, rank_of, shape_below, vector_val};
use crate::arrays::parts::{element, retyped};
use crate::context::{Desugar, Made};
use crate::data::draft::{Draft, DraftEmit};
use crate::data::value::{ArrayVal, Val};
use crate::exprs::clauses::Target;
use base::Name;
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Type, Var};
use std::rc::Rc;
use typed::Expr;

impl<'t> Desugar<'t> {
    /// The steps of such a clause. A block is open, in which the vector was computed.
    pub(crate) fn vector_clause(
        &mut self,
        vector: &Val<'t>,
        value: &'t Expr,
        target: &Target<'t>,
    ) -> Made<Vec<Draft<'t>>> {
        match target.dims.as_slice() {
            [Dim::Shape(shape)] => self.part_of_shape(vector, *shape, value, target),
            _ => self.part_by_length(vector, value, target),
        }
    }

    /// The array has a known rank: one clause for each number of subscripts that there may be.
    fn part_by_length(&mut self, vector: &Val<'t>, value: &'t Expr, target: &Target<'t>) -> Made<Vec<Draft<'t>>> {
        let rank = target.dims.len();
        let (iv, count) = self.as_vector(vector)?;
        let few = self.check(count.at_most(rank as i64), message::subscript_count(), [count, Atom::size(rank as i64)]);
        let lengths = (0..=rank).map(|c| self.b.num(count.equals(c as i64)));
        let lengths: Vec<Atom> = lengths.collect();
        let mut steps = Draft::after(self.b.close(), []);
        for (c, is) in lengths.into_iter().enumerate() {
            self.b.open();
            let element =
                |d: &mut Self, k: usize| d.b.under(few.as_slice(), |b| b.number("i", iv, Atom::size(k as i64)));
            let at: Vec<Atom> = (0..c).map(|k| element(self, k)).collect();
            let certs = self.subscript_checks(&at, target, few.into_iter().collect());
            let lets = self.b.close();
            let (stms, val) = self.value_block(value)?;
            let emit = DraftEmit { output: target.output, at, certs, ..self.emit(stms, val) };
            steps.push(Draft::Guard(is, Draft::after(lets, [Draft::Emit(emit)])));
        }
        Ok(steps)
    }

    /// The array has an unknown rank: what is replaced is written element by element.
    fn part_of_shape(
        &mut self,
        vector: &Val<'t>,
        shape: Var,
        value: &'t Expr,
        target: &Target<'t>,
    ) -> Made<Vec<Draft<'t>>> {
        let rank = rank_of(&self.b, shape);
        let (iv, count) = self.as_vector(vector)?;
        let mut certs: Vec<Var> =
            self.check(count.at_most(rank), message::subscript_count(), [count, rank]).into_iter().collect();
        certs.extend(self.inside_shape(iv, count, shape, target, &certs)?);
        let below = self.b.under(&certs, |b| shape_below(b, shape, rank, count));
        let total = self.b.total(vec![Dim::Shape(below)]);
        let mut steps = Draft::after(self.b.close(), []);
        let (mut stms, new) = self.block(|d| {
            let val = d.expr(value)?;
            d.fitting_part(&val, below, target)
        })?;
        if !target.rec {
            // Computed once; the values of recursive arrays may be read only in the values themselves.
            steps.extend(Draft::after(std::mem::take(&mut stms), []));
        }
        let k = self.b.var(Name::new("k"), Type::I64);
        let (lets, full) = self.block(|d| d.vector_below(iv, count, below, k.into()))?;
        let (stms, val) = self.block_after(stms, |d| Ok(element(&mut d.b, &new, &[k.into()])))?;
        let emit = DraftEmit { output: target.output, at: vec![full.into()], certs, ..self.emit(stms, val) };
        let body = Draft::after(lets, [Draft::Emit(emit)]);
        steps.push(Draft::For { var: k, count: total, body });
        Ok(steps)
    }

    /// The elements of a value one after the other, checked to have the shape of the part that it replaces.
    fn fitting_part(&mut self, val: &Val<'t>, below: Var, target: &Target<'t>) -> Made<Rc<ArrayVal<'t>>> {
        let new = self.as_array(val)?;
        let (new, found, _) = self.with_shape(&new)?;
        let (want, have) = (vector_val(&self.b, below), vector_val(&self.b, found));
        let equal = self.equal(&want, &have)?;
        let part = match &target.whole {
            Some(Val::Array(whole)) => ArrayVal { dims: vec![Dim::Shape(below)], rows: whole.rows.clone() },
            _ => ArrayVal { dims: vec![Dim::Shape(below)], rows: new.rows.clone() },
        };
        let (part, found) = (Val::Array(Rc::new(part)), Val::Array(Rc::new(new.clone())));
        let cert = self.check_replacement(equal, &part, &found);
        let new = retyped(&mut self.b, &new, vec![Dim::Shape(below)], cert.as_slice());
        Ok(flat(&mut self.b, &new))
    }
}
