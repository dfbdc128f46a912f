//! Boxes: memory with the number of the case, the numbers that make up its components, and references to their memory.
//!
//! A scalar is one word, a descriptor a reference and its start, an array a reference, its offset and, if all its
//! dimensions are regular, a stride for each; a box is a reference. Whoever opens a box reads the words and borrows the
//! references: the box keeps them while it is open.

use crate::Low;
use crate::context::Lower;
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Desc, Rep, Strides};
use ir::{Atom, Block, BoxId, Region, Type, Var};
use kernel::{Expr, Stm, Var as K};
use scalar::{MathOp, Prim};

impl Lower<'_> {
    /// Makes a box.
    pub fn pack(&mut self, var: Option<Var>, kind: BoxId, case: usize, parts: &[Atom]) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let (mut refs, mut words) = (Vec::new(), vec![expr::int(case as i64)]);
        let wanted = self.src.boxes[kind].cases.get(case).map_or(&[][..], |case| case);
        for (part, param) in parts.iter().zip(wanted) {
            self.put_in(*part, &mut refs, &mut words)?;
            if let Some(handle) = self.handle(*part, *param)? {
                refs.extend(handle.buffers());
                words.extend(handle.numbers());
            }
        }
        let to = self.code.declare_buffer(self.src.vars[var].name.as_str(), Prim::I64);
        let span = self.code.span;
        self.homes.boxes.insert(to);
        refs.iter().for_each(|k| self.aliases.merge(to, *k));
        self.code.emit(Stm::Pack { to, refs, words, span });
        self.code.own(to);
        self.homes.bind(var, Rep::Box(to));
        Ok(())
    }

    fn put_in(&mut self, part: Atom, refs: &mut Vec<K>, words: &mut Vec<Expr>) -> Low<()> {
        match self.homes.atom(part) {
            Rep::Scalar(value) => {
                let prim = match part {
                    Atom::Const(x) => x.prim(),
                    Atom::Var(v) => self.src.ty(v).prim().unwrap_or(Prim::I64),
                };
                words.push(as_word(prim, value));
            }
            Rep::Desc(Desc { offsets, start }) => {
                refs.push(offsets);
                words.push(start);
            }
            Rep::Box(k) => refs.push(k),
            Rep::Cert => {}
            rep @ (Rep::Vector(..) | Rep::Array(_)) => {
                let dims = self.dims_of(part);
                let array = self.in_memory(rep);
                refs.push(array.buffer);
                words.push(array.offset.clone());
                if is_regular(&dims) {
                    words.extend(self.strides(&array, &dims)?);
                }
            }
        }
        Ok(())
    }

    /// Runs what belongs to the case of a box.
    pub fn open_box(&mut self, vars: &[Var], x: Var, cases: &[Region]) -> Low<()> {
        let Rep::Box(from) = self.homes.rep(x) else {
            base::bug!("something else in the place of a box");
        };
        let blocks: Vec<&Block> = cases.iter().map(|case| &case.body).collect();
        let is = |i: usize| expr::eq(expr::load(from, expr::int(0)), expr::int(i as i64));
        let choose = |blocks: Vec<Vec<Stm>>| {
            let mut blocks = blocks.into_iter().enumerate().rev();
            // Without any case there are no boxes of the kind, and this is never run.
            let last = blocks.next().map(|(_, block)| block).unwrap_or_default();
            let rest = blocks.fold(last, |rest, (i, block)| vec![Stm::If(is(i), block, rest)]);
            match <[Stm; 1]>::try_from(rest) {
                Ok([only @ Stm::If(..)]) => only,
                Ok(only) => Stm::If(expr::truth(true), only.into(), Vec::new()),
                Err(stms) => Stm::If(expr::truth(true), stms, Vec::new()),
            }
        };
        let take_out = |this: &mut Self, i: usize| {
            this.forget_parts(cases);
            this.take_out(from, &cases[i].params)
        };
        self.alternatives(vars, &blocks, take_out, choose)?;
        self.forget_parts(cases);
        Ok(())
    }

    /// Behind a case there are no recursive arrays out of its box any more.
    fn forget_parts(&mut self, cases: &[Region]) {
        cases.iter().flat_map(|case| &case.params).for_each(|var| drop(self.recs.remove(var)));
    }

    /// Binds the components of a box, in the order in which they were put in.
    fn take_out(&mut self, from: K, params: &[Var]) -> Low<()> {
        let (mut refs, mut words) = (0, 1);
        for var in params {
            let name = self.src.vars[*var].name.as_str();
            let rep = match self.src.ty(*var).clone() {
                Type::Scalar(prim) => {
                    let value = from_word(prim, self.word(from, &mut words));
                    Rep::Scalar(self.code.name(name, prim, value))
                }
                Type::Array(prim, dims) => {
                    let buffer = self.fetch(name, prim, from, &mut refs);
                    let offset = self.number(from, "offset", &mut words);
                    let strides = if is_regular(&dims) {
                        Strides::Explicit(dims.iter().map(|_| self.number(from, "stride", &mut words)).collect())
                    } else {
                        Strides::RowMajor
                    };
                    Rep::Array(Array { buffer, offset, strides, whole: false })
                }
                Type::Desc(_) => {
                    let offsets = self.fetch(name, Prim::I64, from, &mut refs);
                    Rep::Desc(Desc { offsets, start: self.number(from, "start", &mut words) })
                }
                Type::Box(_) => {
                    let k = self.fetch(name, Prim::I64, from, &mut refs);
                    self.homes.boxes.insert(k);
                    Rep::Box(k)
                }
                Type::Cert => Rep::Cert,
            };
            self.homes.bind(*var, rep.clone());
            let handle = self.handle_buffers(*var);
            if !handle.is_empty() {
                let buffers: Vec<K> =
                    handle.iter().map(|(name, prim)| self.fetch(name, *prim, from, &mut refs)).collect();
                let numbers = ["base", "depth"].map(|name| self.number(from, name, &mut words));
                self.receive_rec(*var, &rep, &buffers, numbers)?;
            }
        }
        Ok(())
    }

    fn word(&self, from: K, next: &mut i64) -> Expr {
        *next += 1;
        expr::load(from, expr::int(*next - 1))
    }

    fn number(&mut self, from: K, name: &str, next: &mut i64) -> Expr {
        let word = self.word(from, next);
        self.code.name_int(name, word)
    }

    fn fetch(&mut self, name: &str, prim: Prim, from: K, next: &mut usize) -> K {
        let to = self.code.fresh(name, kernel::Type::Buffer(prim));
        self.code.emit(Stm::Fetch { to, from, at: *next });
        self.aliases.merge(to, from);
        *next += 1;
        to
    }
}

/// The bits of a scalar as a number.
fn as_word(prim: Prim, value: Expr) -> Expr {
    match prim.unsigned().filter(|_| prim.is_float()) {
        Some(bits) => convert(bits, Prim::I64, Expr::Math(MathOp::ToBits, prim, vec![value])),
        None => convert(prim, Prim::I64, value),
    }
}

/// The scalar that was put into a word.
fn from_word(prim: Prim, word: Expr) -> Expr {
    match prim.unsigned().filter(|_| prim.is_float()) {
        Some(bits) => Expr::Math(MathOp::FromBits, prim, vec![convert(Prim::I64, bits, word)]),
        None => convert(Prim::I64, prim, word),
    }
}

fn convert(from: Prim, to: Prim, value: Expr) -> Expr {
    if from == to { value } else { Expr::Convert(from, to, Box::new(value)) }
}
