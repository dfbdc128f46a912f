//! Clauses of an update whose subscripts are a vector of unknown length: they replace an element, or a part.

use crate::arrays::dims::{flat, shape_below, vector_val};
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::draft::{Draft, DraftEmit};
use crate::data::value::Val;
use crate::exprs::clauses::Target;
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Var};
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
        let lengths: Vec<Atom> = (0..=rank).map(|c| self.b.num(count.equals(c as i64))).collect();
        let mut steps = Draft::after(self.b.close(), []);
        for (c, is) in lengths.into_iter().enumerate() {
            self.b.open();
            let element = |k: usize| self.b.under(few.as_slice(), |b| b.number("i", iv, Atom::size(k as i64)));
            let at: Vec<Atom> = (0..c).map(element).collect();
            let certs = self.subscript_checks(&at, target, few.into_iter().collect());
            let lets = self.b.close();
            let (stms, val) = self.block(|d| d.expr(value))?;
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
        let (iv, count) = self.as_vector(vector)?;
        let certs = self.vector_checks(iv, shape, target, true)?;
        let below = self.b.under(&certs, |b| shape_below(b, shape, count));
        let total = self.b.total(vec![Dim::Shape(below)]);
        let mut steps = Draft::after(self.b.close(), []);
        let (mut stms, new) = self.block(|d| {
            let val = d.expr(value)?;
            d.fitting_part(&val, below, target.whole.as_ref())
        })?;
        if !target.rec {
            // Computed once; the values of recursive arrays may be read only in the values themselves.
            steps.extend(Draft::after(std::mem::take(&mut stms), []));
        }
        let emit = DraftEmit { output: target.output, certs, ..self.emit(stms, new) };
        steps.push(self.replace_below(iv, (below, total), emit)?);
        Ok(steps)
    }

    /// The elements of a value one after the other, checked to have the shape of the part that it replaces.
    pub(crate) fn fitting_part(&mut self, val: &Val<'t>, below: Var, whole: Option<&Val<'t>>) -> Made<Val<'t>> {
        let new = self.as_array(val)?;
        let rows = whole.map_or(&new.rows, |whole| whole.split().1).clone();
        let fitting = self.fitting(&Val::array(vec![Dim::Shape(below)], rows), Val::Array(new))?;
        let fitting = self.as_array(&fitting)?;
        Ok(Val::Array(flat(&mut self.b, &fitting)))
    }

    /// The step that replaces what a vector of indices leads to: `total` elements of the shape `below`, by those that
    /// stand one after the other in the value handed over.
    pub(crate) fn replace_below(
        &mut self,
        iv: Var,
        (below, total): (Var, Atom),
        emit: DraftEmit<'t>,
    ) -> Made<Draft<'t>> {
        self.draft_loop(total, |d, k| {
            let full = d.vector_below(iv, below, k)?;
            let emit = d.map_emit(DraftEmit { at: vec![full.into()], ..emit }, |d, emit| {
                let new = d.as_array(&emit.val)?;
                Ok(element(&mut d.b, &new, &[k]))
            })?;
            Ok(vec![Draft::Emit(emit)])
        })
    }

    /// A vector of indices with those of element number `k` of a shape behind it.
    pub(crate) fn vector_below(&mut self, iv: Var, below: Var, k: Atom) -> Made<Var> {
        let ty = self.b.ty(below).clone();
        let inner = self.b.bind("jv", ty, Exp::Unrank { index: k, shape: below });
        let (outer, inner) = (vector_val(&self.b, iv), vector_val(&self.b, inner));
        let full = self.joined_vectors(&outer, &inner)?;
        Ok(self.as_vector(&full)?.0)
    }
}
