//! Clauses of an update whose subscripts are a vector of unknown length: they replace an element, or a part.

use crate::clauses::Target;
use crate::ranks::is_shape;
use crate::rows::{Draft, DraftEmit};
use crate::value::{ArrayVal, Val};
use crate::{Desugar, Made};
use base::Name;
use ir::{Atom, Dim, Exp, Type, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::{Clause, Expr, Index};

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
        let fits = self.b.bin(BinOp::Le, Prim::I64, count, Atom::size(rank as i64));
        let site = self.subscript_count_site();
        let few = self.b.assert(fits, site, vec![count, Atom::size(rank as i64)]);
        let lengths = (0..=rank).map(|c| self.b.bin(BinOp::Eq, Prim::I64, count, Atom::size(c as i64)));
        let lengths: Vec<Atom> = lengths.collect();
        let mut steps: Vec<Draft> = Draft::lets(self.b.close()).collect();
        for (c, is) in lengths.into_iter().enumerate() {
            self.b.open();
            let element = |d: &mut Self, k: usize| {
                d.under(few.as_slice(), |d| d.b.scalar("i", Prim::I64, Exp::Index(iv, vec![Atom::size(k as i64)])))
            };
            let at: Vec<Atom> = (0..c).map(|k| element(self, k)).collect();
            let certs = self.subscript_checks(&at, target, few.into_iter().collect());
            let lets = self.b.close();
            let (stms, val) = self.value_block(value)?;
            let emit = DraftEmit { output: target.output, at, certs, stms, val, row: Atom::size(0), span: self.b.span };
            steps.push(Draft::Guard(is, Draft::lets(lets).chain([Draft::Emit(emit)]).collect()));
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
        let rank = self.rank_of(shape);
        let (iv, count) = self.as_vector(vector)?;
        let fits = self.b.bin(BinOp::Le, Prim::I64, count, rank);
        let site = self.subscript_count_site();
        let mut certs: Vec<Var> = self.b.assert(fits, site, vec![count, rank]).into_iter().collect();
        certs.extend(self.inside_shape(iv, count, shape, target, &certs)?);
        let below = self.under(&certs, |d| d.shape_below(shape, rank, count));
        let total = self.b.scalar("n", Prim::I64, Exp::Total(vec![Dim::Shape(below)]));
        let mut steps: Vec<Draft> = Draft::lets(self.b.close()).collect();
        let (stms, val) = self.value_block(value)?;
        self.reopen(stms);
        let new = self.fitting_part(&val, below, target);
        let mut stms = self.b.close();
        let new = new?;
        if !target.rec {
            // Computed once; the values of recursive arrays may be read only in the values themselves.
            steps.extend(Draft::lets(std::mem::take(&mut stms)));
        }
        let k = self.b.var(Name::new("k"), Type::I64);
        self.b.open();
        let full = self.vector_below(iv, count, below, k.into());
        let lets = self.b.close();
        self.reopen(stms);
        let val = self.element(&new, &[k.into()]);
        let stms = self.b.close();
        let at = vec![full?.into()];
        let emit = DraftEmit { output: target.output, at, certs, stms, val, row: Atom::size(0), span: self.b.span };
        let body = Draft::lets(lets).chain([Draft::Emit(emit)]).collect();
        steps.push(Draft::For { var: k, count: total, body });
        Ok(steps)
    }

    /// The elements of a value one after the other, checked to have the shape of the part that it replaces.
    fn fitting_part(&mut self, val: &Val<'t>, below: Var, target: &Target<'t>) -> Made<Rc<ArrayVal>> {
        let new = self.as_array(val)?;
        let (new, found, _) = self.with_shape(&new)?;
        let (want, have) = (self.vector_val(below), self.vector_val(found));
        let equal = self.equal(&want, &have)?;
        let part = match &target.whole {
            Some(Val::Array(whole)) => ArrayVal { dims: vec![Dim::Shape(below)], rows: whole.rows.clone() },
            _ => ArrayVal { dims: vec![Dim::Shape(below)], rows: new.rows.clone() },
        };
        let expected = self.describe(&Val::Array(Rc::new(part)), 0);
        let described = self.describe(&Val::Array(Rc::new(new.clone())), expected.args.len());
        let site = self.replacement_site(expected.text, described.text);
        let args = expected.args.into_iter().chain(described.args).collect();
        let cert = self.b.assert(equal, site, args);
        let new = self.retyped(&new, vec![Dim::Shape(below)], cert.as_slice());
        self.flat(&new)
    }
}

/// Whether an array of partly known rank is updated behind the dimensions that are known one by one.
pub(crate) fn beyond_known(dims: &[Dim], clauses: &[Clause]) -> bool {
    let known = crate::ranks::leading(dims);
    known > 0 && dims.iter().any(is_shape) && clauses.iter().any(|clause| reaches(clause, known))
}

fn reaches(clause: &Clause, known: usize) -> bool {
    match clause {
        Clause::Element { subscripts, .. } => {
            subscripts.len() > known || subscripts.iter().any(|s| matches!(s, Index::Vector(_)))
        }
        Clause::Group { clauses, .. } => clauses.iter().any(|clause| reaches(clause, known)),
    }
}
