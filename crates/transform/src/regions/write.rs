//! Writes forms in which each element chooses its value.

use super::asked;
use super::find::{Found, Region, Rest, Side, Sum, needed};
use crate::write::{self, version};
use base::{Name, Span};
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// The statement in place of a form, and those that it needs. Where something must hold, the form stays as the other version.
pub(super) fn chosen(program: &mut Program, mut stm: Stm, found: &Found) -> Vec<Stm> {
    if found.asked.is_nothing() {
        return plain(program, stm, found);
    }
    let (mut stms, cond) = asked::condition(program, &found.asked, stm.span);
    let own = copies(&mut program.vars, &stm.vars);
    let (span, certs, vars) = (stm.span, stm.certs.clone(), std::mem::replace(&mut stm.vars, own));
    let checked = version(program, stm.clone());
    let result = stm.vars.iter().copied().map(Atom::Var).collect();
    let chosen = Block { stms: plain(program, stm, found), result };
    stms.push(Stm { vars, certs, exp: Exp::Choose(cond, chosen, checked), span });
    stms
}

/// The form in which each element chooses.
fn plain(program: &mut Program, stm: Stm, found: &Found) -> Vec<Stm> {
    let Exp::Bulk(bulk) = &stm.exp else { base::bug!("only forms are changed") };
    let output = &bulk.outputs[0];
    let mut writer = Writer { program, before: Vec::new(), span: stm.span, elems: &output.elems };
    let indices: Vec<Var> = found.extents.iter().map(|_| writer.variable("i", Type::I64)).collect();
    let value = writer.value(found, &indices);
    let at = indices.iter().copied().map(Atom::Var).collect();
    let emit = Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span: stm.span });
    let step = indices.iter().zip(&found.extents).rev().fold(emit, |inner, (var, count)| Step::For {
        var: *var,
        count: *count,
        mark: Mark::Open,
        body: vec![inner],
    });
    let shape = found.extents.iter().map(|extent| Dim::Size(*extent)).collect();
    let kind = Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
    let elems = copies(&mut writer.program.vars, &output.elems);
    let mut stms = writer.before;
    let outputs = vec![Output { kind, sizes: Vec::new(), elems }];
    stms.push(Stm { exp: Exp::Bulk(Bulk { outputs, steps: vec![step], scheduled: false }), ..stm });
    stms
}

struct Writer<'p> {
    program: &'p mut Program,
    /// Statements before the form.
    before: Vec<Stm>,
    span: Span,
    elems: &'p [Var],
}

impl Writer<'_> {
    fn variable(&mut self, name: &str, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }

    fn bind(&mut self, stms: &mut Vec<Stm>, ty: Type, exp: Exp) -> Atom {
        let var = self.variable("t", ty);
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span });
        var.into()
    }

    /// The value of an element: that of the first region that it is in, or the rest.
    fn value(&mut self, found: &Found, indices: &[Var]) -> Block {
        let (rest, mut certs) = self.rest(&found.rest, indices);
        found.regions.iter().rev().fold(rest, |otherwise, region| {
            let then = self.inside(region, indices);
            certs.extend(&region.emit.certs);
            self.choice(region, indices, then, otherwise, std::mem::take(&mut certs))
        })
    }

    fn rest(&mut self, rest: &Rest, indices: &[Var]) -> (Block, Vec<Var>) {
        match rest {
            Rest::Old(arrays) => (self.old(arrays, indices), Vec::new()),
            Rest::Value(value) => (copy_block(&mut self.program.vars, value, Substitution::default()), Vec::new()),
            Rest::Clause(region) => (self.inside(region, indices), region.emit.certs.clone()),
        }
    }

    /// The elements of arrays.
    fn old(&mut self, arrays: &[Var], indices: &[Var]) -> Block {
        let at: Vec<Atom> = indices.iter().copied().map(Atom::Var).collect();
        let vars = copies(&mut self.program.vars, self.elems);
        let read = |(var, array): (&Var, &Var)| Stm {
            vars: vec![*var],
            certs: Vec::new(),
            exp: Exp::Index(*array, at.clone()),
            span: self.span,
        };
        let stms = vars.iter().zip(arrays).map(read).collect();
        Block { stms, result: vars.into_iter().map(Atom::Var).collect() }
    }

    /// The value of a region at an element of it.
    fn inside(&mut self, region: &Region, indices: &[Var]) -> Block {
        let value = &region.emit.value;
        self.at(region, indices, &value.stms, &value.result)
    }

    /// What the turn of a region at an element of it computes.
    fn at(&mut self, region: &Region, indices: &[Var], more: &[Stm], result: &[Atom]) -> Block {
        let mut stms = Vec::new();
        let mut counters = Substitution::default();
        for (side, index) in region.sides.iter().zip(indices) {
            match side {
                Side::At(_) => {}
                Side::Range { counter, low: None, .. } => counters.insert(*counter, *index),
                Side::Range { counter, low: Some(low), .. } => {
                    let low = self.sum(low);
                    let turn = self.bind(&mut stms, Type::I64, Exp::Bin(BinOp::Sub, Prim::I64, (*index).into(), low));
                    counters.insert(*counter, turn);
                }
            }
        }
        let value = Block { stms: more.to_vec(), result: result.to_vec() };
        let stms_before = needed(&region.before, &value);
        let all = Block { stms: stms_before.into_iter().chain(value.stms).collect(), result: value.result };
        let own = copy_block(&mut self.program.vars, &all, counters);
        stms.extend(own.stms);
        Block { stms, result: own.result }
    }

    /// One value in a region, another one outside of it.
    fn choice(&mut self, region: &Region, indices: &[Var], then: Block, otherwise: Block, certs: Vec<Var>) -> Block {
        let mut stms = Vec::new();
        let mut all: Option<Atom> = None;
        for (op, index, bound) in self.conditions(region, indices) {
            let holds = self.bind(&mut stms, Type::Scalar(Prim::Bool), Exp::Bin(op, Prim::I64, index, bound));
            all = Some(match all {
                Some(all) => {
                    let both = Exp::Bin(BinOp::LogAnd, Prim::Bool, all, holds);
                    self.bind(&mut stms, Type::Scalar(Prim::Bool), both)
                }
                None => holds,
            });
        }
        let Some(cond) = self.with_guards(region, indices, all, &mut stms) else { return then };
        let vars = copies(&mut self.program.vars, self.elems);
        let result = vars.iter().copied().map(Atom::Var).collect();
        stms.push(Stm { vars, certs, exp: Exp::If(cond, then, otherwise), span: self.span });
        Block { stms, result }
    }

    /// Whether an element is in the box of a region, and the conditions of the region hold.
    fn with_guards(
        &mut self,
        region: &Region,
        indices: &[Var],
        inside: Option<Atom>,
        stms: &mut Vec<Stm>,
    ) -> Option<Atom> {
        let [guard] = region.guards[..] else { return inside };
        let holds = self.at(region, indices, &[], &[guard]);
        let Some(inside) = inside else {
            stms.extend(holds.stms);
            return Some(holds.result[0]);
        };
        let otherwise = Block { stms: Vec::new(), result: vec![Atom::bool(false)] };
        Some(self.bind(stms, Type::Scalar(Prim::Bool), Exp::If(inside, holds, otherwise)))
    }

    /// What must hold of the indices of a region.
    fn conditions(&mut self, region: &Region, indices: &[Var]) -> Vec<(BinOp, Atom, Atom)> {
        let mut found = Vec::new();
        for (side, index) in region.sides.iter().zip(indices) {
            let bounds = match side {
                Side::At(at) => vec![(BinOp::Eq, Some(at))],
                Side::Range { low, high, .. } => vec![(BinOp::Ge, low.as_ref()), (BinOp::Lt, high.as_ref())],
            };
            for (op, bound) in bounds {
                found.extend(bound.map(|bound| (op, Atom::Var(*index), self.sum(bound))));
            }
        }
        found
    }

    /// A sum, computed before the form.
    fn sum(&mut self, sum: &Sum) -> Atom {
        let mut writer =
            write::Writer { program: self.program, stms: std::mem::take(&mut self.before), span: self.span };
        let total = asked::sum(&mut writer, sum);
        self.before = writer.stms;
        total
    }
}
