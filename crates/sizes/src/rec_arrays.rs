//! Recursive arrays: are all rows of one length, and what length is it.

use super::cx::Cx;
use super::demand::{Decided, Rows};
use super::unify::Mode;
use super::vars::{Kind, Var};
use base::Span;
use typed::{Dim, RecArray, Size, Type, walk};

impl Cx<'_> {
    /// Arrays that see one another. Their rows are first assumed not to differ.
    pub(super) fn rec_arrays(&mut self, arrays: &mut [RecArray]) {
        for array in arrays.iter_mut() {
            array.ty = self.rec_array_type(&array.ty.clone(), array.value.span);
            self.bind(array.name, array.ty.clone());
        }
        for array in arrays.iter_mut() {
            self.expr(&mut array.value);
            self.fits_rec_array(&array.ty, &array.value.ty.clone(), array.value.span);
            array.ty = self.norm(&array.ty);
        }
    }

    fn rec_array_type(&mut self, ty: &Type, span: Span) -> Type {
        let ty = self.open_written(ty, span);
        let mut numbers = 0..;
        walk::map_dims(&ty, false, &mut |dim, under| {
            let varies = numbers.next().is_some_and(|d| self.assumptions.varies(span, d));
            let Dim::Size(Size::Local(v)) = dim else { return dim.clone() };
            let Some(var) = self.vars.get_mut(v).filter(|v| matches!(v.kind, Kind::Free)) else { return dim.clone() };
            var.demand.known = false;
            var.demand.rows = Rows::One;
            match under && varies {
                true => Dim::Jagged(Some(self.unknown_function(span, "row lengths of the array being defined"))),
                false => dim.clone(),
            }
        })
    }

    /// Unifies the type that the clauses of a recursive array give with the type that was assumed.
    fn fits_rec_array(&mut self, assumed: &Type, found: &Type, span: Span) {
        let found = self.norm(found);
        // Functions in the clauses may have taken rows of the array: yet the clauses decide how long those are.
        for local in walk::free_locals(&self.norm(assumed)) {
            let ours = |v: &&mut Var| matches!(v.kind, Kind::Free) && v.demand.decided == Decided::Outside;
            if let Some(var) = self.vars.get_mut(&local).filter(ours) {
                var.demand.decided = Decided::Here;
            }
        }
        self.unify(assumed, &found, span, Mode::Common).ok();
        let (before, after) = (walk::dims(&self.norm(assumed)), walk::dims(&self.norm(&found)));
        if before.len() == after.len() {
            for (number, (old, new)) in before.iter().zip(&after).enumerate() {
                if old.1 && matches!(old.0, Dim::Size(_)) && !self.same_dim(&old.0, &new.0) {
                    self.assumptions.refute(span, number);
                }
            }
        }
        // Rows that differ in length have the lengths that the clauses give them.
        let mut next = after.iter().enumerate();
        let expected = walk::map_dims(assumed, false, &mut |dim, _| match next.next() {
            Some((number, (new, _))) if self.assumptions.varies(span, number) => new.clone(),
            Some(_) | None => dim.clone(),
        });
        if let Err(mismatch) = self.unify(&expected, &found, span, Mode::Checked) {
            self.mismatch(span, "the array's type", &expected, &found, mismatch);
        }
    }
}
