//! Variables that hold a value which is decided at run time: results of choices, loop variables, accumulators.

use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Desc, Rep, Strides};
use ir::{Dim, Type};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// Such variables.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// A scalar.
    Scalar(K, Prim),
    /// An array; strides unless it is always in row-major order.
    Array { buffer: K, offset: K, strides: Option<Vec<K>> },
    /// A descriptor.
    Desc { offsets: K, start: K },
    /// Nothing.
    Cert,
    /// A box.
    Box(K),
}

impl Slot {
    /// What stands in it.
    pub fn rep(&self) -> Rep {
        match self {
            Slot::Scalar(k, _) => Rep::Scalar(Expr::Var(*k)),
            Slot::Array { buffer, offset, strides } => {
                let strides = match strides {
                    None => Strides::RowMajor,
                    Some(ks) => Strides::Explicit(ks.iter().map(|k| Expr::Var(*k)).collect()),
                };
                Rep::Array(Array { buffer: *buffer, offset: Expr::Var(*offset), strides, whole: false })
            }
            Slot::Desc { offsets, start } => Rep::Desc(Desc { offsets: *offsets, start: Expr::Var(*start) }),
            Slot::Cert => Rep::Cert,
            Slot::Box(k) => Rep::Box(*k),
        }
    }

    /// Its buffer.
    pub fn buffer(&self) -> Option<K> {
        match self {
            Slot::Array { buffer, .. } => Some(*buffer),
            Slot::Desc { offsets, .. } => Some(*offsets),
            Slot::Box(k) => Some(*k),
            Slot::Scalar(..) | Slot::Cert => None,
        }
    }
}

impl Lower<'_> {
    /// Declares a slot for values of a type. With `strided`, arrays may lie in any order.
    pub fn slot(&mut self, name: &str, ty: &Type, strided: bool) -> Slot {
        match ty {
            Type::Scalar(prim) => Slot::Scalar(self.code.declare(name, *prim), *prim),
            Type::Array(prim, dims) => {
                let buffer = self.code.declare_buffer(name, *prim);
                let offset = self.code.declare("offset", Prim::I64);
                let strided = strided && is_regular(dims);
                let strides = strided.then(|| dims.iter().map(|_| self.code.declare("stride", Prim::I64)).collect());
                Slot::Array { buffer, offset, strides }
            }
            Type::Desc(_) => {
                let offsets = self.code.declare_buffer(name, Prim::I64);
                let start = self.code.declare("start", Prim::I64);
                Slot::Desc { offsets, start }
            }
            Type::Cert => Slot::Cert,
            Type::Box(_) => {
                let k = self.code.declare_buffer(name, Prim::I64);
                self.homes.boxes.insert(k);
                Slot::Box(k)
            }
        }
    }

    /// Fills a slot that owns nothing. The value is moved if the innermost block owns it and `last` says that nothing
    /// else needs it, otherwise shared. An array that does not fit the slot's order is copied.
    pub fn fill(&mut self, slot: &Slot, rep: Rep, dims: &[Dim], last: bool) -> Low<()> {
        match slot {
            Slot::Scalar(k, _) => match rep {
                Rep::Scalar(value) => self.code.emit(Stm::Set(*k, value)),
                Rep::Vector(..) | Rep::Array(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => {
                    base::bug!("an array in the place of a scalar");
                }
            },
            Slot::Array { buffer, offset, strides } => {
                let fresh = matches!(rep, Rep::Vector(..));
                let mut array = self.in_memory(rep);
                let mut last = last || fresh;
                if strides.is_none() && !array.is_row_major() {
                    array = self.copy(&array, dims)?;
                    last = true;
                }
                self.hand_over(*buffer, array.buffer, last);
                self.code.emit(Stm::Set(*offset, array.offset.clone()));
                if let Some(ks) = strides {
                    let strides = self.strides(&array, dims)?;
                    ks.iter().zip(strides).for_each(|(k, s)| self.code.emit(Stm::Set(*k, s)));
                }
            }
            Slot::Desc { offsets, start } => {
                let Rep::Desc(desc) = rep else {
                    base::bug!("something else in the place of a descriptor");
                };
                self.hand_over(*offsets, desc.offsets, last);
                self.code.emit(Stm::Set(*start, desc.start));
            }
            Slot::Cert => {}
            Slot::Box(to) => {
                let Rep::Box(from) = rep else {
                    base::bug!("something else in the place of a box");
                };
                self.hand_over(*to, from, last);
            }
        }
        Ok(())
    }

    /// Makes a buffer refer to the memory of another.
    pub fn hand_over(&mut self, to: K, from: K, last: bool) {
        self.aliases.merge(to, from);
        if last && self.code.disown(from) {
            self.code.emit(Stm::Move { to, from });
        } else {
            self.code.emit(Stm::Share { to, from });
        }
    }

    /// Fills several slots at once with values that may stand in these very slots.
    pub fn refill(&mut self, slots: &[Slot], reps: Vec<Rep>, dims: &[&[Dim]]) -> Low<()> {
        let mut moves = Vec::new();
        let mut sets = Vec::new();
        let last = single_uses(&reps);
        for (i, (slot, rep)) in slots.iter().zip(reps).enumerate() {
            match (slot, rep) {
                (Slot::Scalar(k, prim), Rep::Scalar(value)) => {
                    let value = self.next_value(slots, *k, *prim, value);
                    sets.push((*k, value));
                }
                (Slot::Array { buffer, offset, strides }, Rep::Array(array))
                    if array.buffer == *buffer && (strides.is_some() || array.is_row_major()) =>
                {
                    let value = self.next_value(slots, *offset, Prim::I64, array.offset.clone());
                    sets.push((*offset, value));
                    if let Some(ks) = strides {
                        for (k, s) in ks.iter().zip(self.strides(&array, dims[i])?) {
                            let value = self.next_value(slots, *k, Prim::I64, s);
                            sets.push((*k, value));
                        }
                    }
                }
                (slot, rep) => {
                    let strided = matches!(slot, Slot::Array { strides: Some(_), .. });
                    let ty = self.type_of_slot(slot, dims[i]);
                    let next = self.slot("next", &ty, strided);
                    self.fill(&next, rep, dims[i], last[i])?;
                    moves.push((slot.clone(), next));
                }
            }
        }
        for (slot, next) in moves {
            self.move_slot(&slot, &next);
        }
        sets.into_iter().filter(|(k, v)| *v != Expr::Var(*k)).for_each(|(k, v)| self.code.emit(Stm::Set(k, v)));
        Ok(())
    }

    /// A value that stays as it is while slots change.
    fn next_value(&mut self, slots: &[Slot], own: K, prim: Prim, value: Expr) -> Expr {
        let Expr::Var(from) = value else {
            return value;
        };
        if from != own && slots.iter().any(|slot| slot.has(from)) {
            return self.code.snapshot("next", prim, Expr::Var(from));
        }
        Expr::Var(from)
    }

    fn type_of_slot(&self, slot: &Slot, dims: &[Dim]) -> Type {
        match slot {
            Slot::Scalar(_, prim) => Type::Scalar(*prim),
            Slot::Array { buffer, .. } => Type::Array(self.code.prim_of(*buffer), dims.to_vec()),
            Slot::Desc { .. } => Type::Desc(dims.to_vec()),
            Slot::Cert => Type::Cert,
            Slot::Box(_) => Type::Box(ir::BoxId(0)),
        }
    }

    /// Releases what a slot holds and moves another's value into it.
    fn move_slot(&mut self, slot: &Slot, next: &Slot) {
        match (slot, next) {
            (
                Slot::Array { buffer, offset, strides },
                Slot::Array { buffer: from, offset: next_offset, strides: next_strides },
            ) => {
                self.replace(*buffer, *from);
                self.code.emit(Stm::Set(*offset, expr::var(*next_offset)));
                for (k, next) in strides.iter().flatten().zip(next_strides.iter().flatten()) {
                    self.code.emit(Stm::Set(*k, expr::var(*next)));
                }
            }
            (Slot::Desc { offsets, start }, Slot::Desc { offsets: from, start: next_start }) => {
                self.replace(*offsets, *from);
                self.code.emit(Stm::Set(*start, expr::var(*next_start)));
            }
            (Slot::Box(k), Slot::Box(from)) => self.replace(*k, *from),
            (_, _) => {}
        }
    }

    fn replace(&mut self, buffer: K, from: K) {
        self.code.emit(Stm::Release(buffer));
        self.code.emit(Stm::Move { to: buffer, from });
        self.aliases.merge(buffer, from);
    }

    /// The innermost block releases what is in the slots.
    pub fn own_slots(&mut self, slots: &[Slot]) {
        slots.iter().filter_map(Slot::buffer).for_each(|k| self.code.own(k));
    }
}

impl Slot {
    fn has(&self, k: K) -> bool {
        match self {
            Slot::Scalar(own, _) => *own == k,
            Slot::Array { offset, strides, .. } => *offset == k || strides.iter().flatten().any(|s| *s == k),
            Slot::Desc { start, .. } => *start == k,
            Slot::Cert | Slot::Box(_) => false,
        }
    }
}

/// For each value, whether no other one of them is in the same buffer.
pub(crate) fn single_uses(reps: &[Rep]) -> Vec<bool> {
    let times = |b: Option<K>| reps.iter().filter(|r| r.buffer() == b).count();
    reps.iter().map(|r| times(r.buffer()) == 1).collect()
}
