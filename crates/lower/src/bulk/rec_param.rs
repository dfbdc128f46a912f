//! Recursive arrays under construction as parameters, and in boxes.
//!
//! Whoever gets one gets beside its memory what it takes to ask for elements: who defines them, how far those are, the
//! number of the first one, and whom a stop is for. A stop leaves the functions between by itself.

use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rec_array::RecArray;
use crate::rep::{Array, Rep};
use base::Set;
use ir::{Atom, BoxId, FunId, Limitation, Type, Var};
use kernel::{Expr, Type as KType, Var as K};
use scalar::Prim;

/// What goes with a recursive array that is handed on.
pub(crate) struct Handle {
    /// See [`RecArray`].
    pub owner: K,
    /// See [`RecArray`].
    pub states: K,
    /// See [`RecArray`].
    pub number: Option<K>,
    /// See [`RecArray`].
    pub base: Expr,
    /// See [`RecArray`].
    pub depth: Expr,
}

impl Handle {
    /// The memory that it refers to.
    pub fn buffers(&self) -> impl Iterator<Item = K> {
        [self.owner, self.states].into_iter().chain(self.number)
    }

    /// Its numbers.
    pub fn numbers(self) -> [Expr; 2] {
        [self.base, self.depth]
    }
}

impl Lower<'_> {
    /// What goes with an argument for a parameter, if that is a recursive array.
    pub fn handle(&self, arg: Atom, param: Var) -> Low<Option<Handle>> {
        let rec = arg.var().and_then(|var| self.recs.get(&var));
        match (rec, self.src.vars[param].pending) {
            (None, None) => Ok(None),
            (Some(rec), Some(_)) => {
                let RecArray { owner, states, number, base, depth, .. } = rec.clone();
                Ok(Some(Handle { owner, states, number, base, depth }))
            }
            (Some(_), None) | (None, Some(_)) => self.unsupported(Limitation::RecUse),
        }
    }

    /// The types of the buffers in the handle of a parameter, with names; none if it is not a recursive array.
    pub fn handle_buffers(&self, param: Var) -> Vec<(&'static str, Prim)> {
        let mut buffers = Vec::new();
        if let Some(pending) = self.src.vars[param].pending {
            buffers.extend([("owner", Prim::I64), ("states", Prim::U8)]);
            buffers.extend(pending.numbered.then_some(("number", Prim::I64)));
        }
        buffers
    }

    /// Makes a parameter known as a recursive array: its memory, the buffers of its handle, and its numbers.
    pub fn receive_rec(&mut self, param: Var, rep: &Rep, buffers: &[K], [base, depth]: [Expr; 2]) -> Low<()> {
        let (Some(pending), [owner, states, rest @ ..]) = (self.src.vars[param].pending, buffers) else {
            return Ok(());
        };
        let cell_dims = pending.dims;
        let dims = self.src.ty(param).dims().to_vec();
        let number = rest.first().copied();
        let array = match rep {
            Rep::Array(array) => array.clone(),
            Rep::Desc(desc) => Array::at(desc.offsets, expr::int(0)),
            Rep::Scalar(_) | Rep::Vector(..) | Rep::Cert | Rep::Box(_) => {
                base::bug!("something else in the place of a recursive array");
            }
        };
        let (cells, row) = match number {
            Some(_) => (self.inside(&dims[..cell_dims])?, expr::int(0)),
            None => (self.count(&dims[..cell_dims])?, self.inside(&dims[cell_dims..])?),
        };
        let row = self.code.name_int("row", row);
        let (owner, states, cell_dims) = (*owner, *states, Some(cell_dims));
        self.recs.insert(param, RecArray { array, dims, cell_dims, row, cells, base, owner, states, number, depth });
        Ok(())
    }

    /// How deep the next recursive bulk form stands: no array that can be asked for in it has the same number. Some may be
    /// in boxes, so that only the run knows how deep they stand.
    pub(super) fn next_depth(&mut self) -> Expr {
        match self.recs.is_empty() && !self.may_stop {
            true => expr::int(1),
            false => self.code.name_int("depth", expr::add(Expr::Attempts, expr::int(1))),
        }
    }

    /// Whether a function may be left by a stop: something that it gets is, or holds, a recursive array.
    pub fn stops(&self, function: FunId) -> bool {
        self.src.functions[function].params.iter().any(|param| self.is_pending(*param, &mut Set::default()))
    }

    fn is_pending(&self, var: Var, seen: &mut Set<BoxId>) -> bool {
        let inside = match self.src.ty(var) {
            Type::Box(kind) if seen.insert(*kind) => {
                self.src.boxes[*kind].cases.iter().flatten().any(|part| self.is_pending(*part, seen))
            }
            _ => false,
        };
        inside || self.src.vars[var].pending.is_some()
    }

    /// Kernel parameters for the handle of a parameter.
    pub fn handle_params(&mut self, param: Var, rep: &Rep, params: &mut Vec<K>) -> Low<()> {
        let buffers: Vec<(&str, KType)> =
            self.handle_buffers(param).into_iter().map(|(name, prim)| (name, KType::Buffer(prim))).collect();
        if buffers.is_empty() {
            return Ok(());
        }
        let mut new = |this: &mut Self, name: &str, ty| {
            let k = this.code.fresh(name, ty);
            params.push(k);
            k
        };
        let buffers: Vec<K> = buffers.into_iter().map(|(name, ty)| new(self, name, ty)).collect();
        let int = KType::Scalar(Prim::I64);
        let numbers = [Expr::Var(new(self, "base", int)), Expr::Var(new(self, "depth", int))];
        self.receive_rec(param, rep, &buffers, numbers)
    }
}
