//! Functions that call themselves last become loops.
//!
//! ```text
//! fn go(n, xs: [n]f64, i: i64, acc: f64) {         fn go(n, xs: [n]f64, i: i64, acc: f64) {
//!   let t = i == n                                   let (i.2, acc.2) = loop (i.1 = i, acc.1 = acc) while {
//!   let x = if t { => acc } else {                     let t.1 = i.1 == n
//!     let j = i + 1                                    => !t.1
//!     let y = xs[i]                           =>     } do {
//!     let z = acc + y                                  let j = i.1 + 1
//!     let r = go(n, xs, j, z)                          let y = xs[i.1]
//!     => r                                             let z = acc.1 + y
//!   }                                                  => j, z
//!   => x                                             }
//! }                                                  => acc.2
//!                                                  }
//! ```
//!
//! A loop needs no stack, other functions can have its body inlined, and passes behind make sums and arrays of it. What is
//! computed before the choices between calling and ending is computed in the condition, in the turn and in the end, so it must be
//! cheap. Parameters that all calls hand on as they are are not carried.
//!
//! Limits: all calls of the function in itself come last, in branches of `if`; parameters are scalars and arrays.

use crate::attempt;
use base::Set;
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, LoopForm, Program, Remark, Stm, Topic, Type, Var, VarInfo};
use scalar::{BinOp, Prim, UnOp};

const DONE: &str = "the function calls itself last, so it is a loop, which needs no stack";

/// Changes all functions.
pub fn tails(program: &mut Program) {
    let arithmetic = ir::calls::arithmetic(program);
    for fun in program.functions.ids() {
        let Some(body) = as_loop(program, fun, &arithmetic) else { continue };
        // What a branch says is known inside of it alone.
        if attempt::body(program, fun, body) {
            let function = &mut program.functions[fun];
            function.too_deep = None;
            let span = function.span;
            function.remark(Remark::done(Topic::Parallel, span, DONE));
        }
    }
}

/// What comes last in a block.
#[derive(Clone, Copy, PartialEq)]
enum Tail {
    /// The function ends.
    End,
    /// It calls itself.
    Call,
    /// Both, depending on a choice.
    Choice,
}

/// A function that calls itself last.
struct Recursive<'b> {
    fun: FunId,
    body: &'b Block,
    params: Vec<Var>,
}

fn as_loop(program: &mut Program, fun: FunId, arithmetic: &Set<FunId>) -> Option<Block> {
    let body = program.functions[fun].body.clone();
    let is_plain = |var: &Var| {
        let info = &program.vars[*var];
        info.pending.is_none() && matches!(info.ty, Type::Scalar(_) | Type::Array(..))
    };
    let all = program.functions[fun].params.clone();
    let found = Recursive { fun, body: &body, params: all };
    let calls = found.calls(&body);
    let is_last = !calls.is_empty() && calls.len() == count(&body, fun) && found.tail(&body) == Tail::Choice;
    (is_last && found.params.iter().all(is_plain) && found.repeats(&body, arithmetic)).then_some(())?;
    let is_kept = |number: &usize| calls.iter().all(|args| args[*number] == Atom::Var(found.params[*number]));
    let carried: Vec<usize> = (0..found.params.len()).filter(|number| !is_kept(number)).collect();
    (!carried.is_empty()).then(|| found.build(program, &carried))
}

impl<'b> Recursive<'b> {
    fn tail(&self, block: &Block) -> Tail {
        let Some(last) = last(block) else { return Tail::End };
        match &last.exp {
            Exp::Call(fun, _) if *fun == self.fun => Tail::Call,
            Exp::If(_, one, other) => match (self.tail(one), self.tail(other)) {
                (one, other) if one == other => one,
                _ => Tail::Choice,
            },
            _ => Tail::End,
        }
    }

    /// The arguments of the calls that come last.
    fn calls(&self, block: &'b Block) -> Vec<&'b [Atom]> {
        match last(block).map(|stm| &stm.exp) {
            Some(Exp::Call(fun, args)) if *fun == self.fun => vec![args],
            Some(Exp::If(_, one, other)) => [self.calls(one), self.calls(other)].concat(),
            _ => Vec::new(),
        }
    }

    /// Whether what is computed before choices may be computed again.
    fn repeats(&self, block: &Block, arithmetic: &Set<FunId>) -> bool {
        let is_cheap = |stm: &Stm| match &stm.exp {
            Exp::Call(fun, _) => arithmetic.contains(fun) && *fun != self.fun,
            exp => is_cheap(exp),
        };
        match (self.tail(block), block.stms.split_last()) {
            (Tail::Choice, Some((Stm { exp: Exp::If(_, one, other), .. }, before))) => {
                before.iter().all(is_cheap) && self.repeats(one, arithmetic) && self.repeats(other, arithmetic)
            }
            _ => true,
        }
    }

    fn build(&self, program: &mut Program, carried: &[usize]) -> Block {
        let params: Vec<Var> = carried.iter().map(|number| self.params[*number]).collect();
        let state = copies(&mut program.vars, &params);
        let last = copies(&mut program.vars, &params);
        let atoms = |vars: &[Var]| -> Vec<Atom> { vars.iter().copied().map(Atom::Var).collect() };
        let inside = Substitution::new(&params, &atoms(&state));
        let cond = self.condition(program, self.body);
        let cond = copy_block(&mut program.vars, &cond, inside.clone());
        let turn = self.turn(program, self.body, carried);
        let turn = copy_block(&mut program.vars, &turn, inside);
        let end = self.end(self.body);
        let mut end = copy_block(&mut program.vars, &end, Substitution::new(&params, &atoms(&last)));
        let span = program.functions[self.fun].span;
        let params = state.into_iter().zip(atoms(&params)).collect();
        let exp = Exp::repeat(params, LoopForm::While(cond), turn);
        end.stms.insert(0, Stm { vars: last, certs: Vec::new(), exp, span });
        end
    }

    /// Whether the function calls itself.
    fn condition(&self, program: &mut Program, block: &Block) -> Block {
        let always = |goes_on| Block { stms: Vec::new(), result: vec![Atom::bool(goes_on)] };
        let (cond, one, other, before) = match (self.tail(block), choice(block)) {
            (Tail::End, _) => return always(false),
            (Tail::Call, _) | (Tail::Choice, None) => return always(true),
            (Tail::Choice, Some(parts)) => parts,
        };
        let mut stms = before.to_vec();
        let exp = match (self.tail(one), self.tail(other)) {
            (Tail::Call, Tail::End) => return Block { stms, result: vec![cond] },
            (Tail::End, Tail::Call) => opposite(before, cond),
            _ => Exp::If(cond, self.condition(program, one), self.condition(program, other)),
        };
        let var = program.vars.push(VarInfo::new(base::Name::new("t"), Type::Scalar(Prim::Bool)));
        let span = block.stms[block.stms.len() - 1].span;
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
        Block { stms, result: vec![var.into()] }
    }

    /// What is carried to the next turn, where there is one.
    fn turn(&self, program: &mut Program, block: &Block, carried: &[usize]) -> Block {
        let Some((cond, one, other, before)) = choice(block) else {
            let Some((Stm { exp: Exp::Call(_, args), .. }, before)) = block.stms.split_last() else {
                base::bug!("a turn that does not end in a call")
            };
            return Block { stms: before.to_vec(), result: carried.iter().map(|number| args[*number]).collect() };
        };
        let mut stms = before.to_vec();
        let rest = match (self.tail(one), self.tail(other)) {
            (_, Tail::End) => self.turn(program, one, carried),
            (Tail::End, _) => self.turn(program, other, carried),
            _ => {
                let params: Vec<Var> = carried.iter().map(|number| self.params[*number]).collect();
                let vars = copies(&mut program.vars, &params);
                let result = vars.iter().copied().map(Atom::Var).collect();
                let exp = Exp::If(cond, self.turn(program, one, carried), self.turn(program, other, carried));
                let span = block.stms[block.stms.len() - 1].span;
                Block { stms: vec![Stm { vars, certs: Vec::new(), exp, span }], result }
            }
        };
        stms.extend(rest.stms);
        Block { stms, result: rest.result }
    }

    /// What the function gives where it does not call itself.
    fn end(&self, block: &Block) -> Block {
        let (Tail::Choice, Some((cond, one, other, before))) = (self.tail(block), choice(block)) else {
            return block.clone();
        };
        let mut stms = before.to_vec();
        let result = match (self.tail(one), self.tail(other)) {
            (Tail::Call, _) | (_, Tail::Call) => {
                let rest = self.end(if self.tail(one) == Tail::Call { other } else { one });
                stms.extend(rest.stms);
                rest.result
            }
            _ => {
                let exp = Exp::If(cond, self.end(one), self.end(other));
                stms.extend(block.stms.last().map(|last| Stm { exp, ..last.clone() }));
                block.result.clone()
            }
        };
        Block { stms, result }
    }
}

/// The last statement of a block, if it gives all that the block gives.
fn last(block: &Block) -> Option<&Stm> {
    let last = block.stms.last()?;
    let vars = last.vars.iter().copied().map(Atom::Var);
    let relies = matches!(last.exp, Exp::If(..)) && !last.certs.is_empty();
    (!relies && vars.eq(block.result.iter().copied())).then_some(last)
}

/// The condition and the sides of the choice that comes last, and what is before it.
fn choice(block: &Block) -> Option<(Atom, &Block, &Block, &[Stm])> {
    match &last(block)?.exp {
        Exp::If(cond, one, other) => Some((*cond, one, other, &block.stms[..block.stms.len() - 1])),
        _ => None,
    }
}

fn is_cheap(exp: &Exp) -> bool {
    match exp {
        Exp::If(_, one, other) => one.stms.iter().chain(&other.stms).all(|stm| is_cheap(&stm.exp)),
        Exp::Assert { .. } => true,
        exp => exp.is_simple(),
    }
}

/// That a condition does not hold. Integers that are not equal are said to be so: loops that count are found by that.
fn opposite(stms: &[Stm], cond: Atom) -> Exp {
    let def = stms.iter().find(|stm| stm.vars.len() == 1 && cond == stm.vars[0].into());
    let opposite = |op: BinOp| match op {
        BinOp::Eq => Some(BinOp::Ne),
        BinOp::Ne => Some(BinOp::Eq),
        BinOp::Lt => Some(BinOp::Ge),
        BinOp::Le => Some(BinOp::Gt),
        BinOp::Gt => Some(BinOp::Le),
        BinOp::Ge => Some(BinOp::Lt),
        _ => None,
    };
    match def.map(|stm| &stm.exp) {
        Some(Exp::Bin(op, prim, a, b)) if prim.is_int() && opposite(*op).is_some() => {
            Exp::Bin(opposite(*op).unwrap_or(*op), *prim, *a, *b)
        }
        _ => Exp::Un(UnOp::Not, Prim::Bool, cond),
    }
}

/// How often a block calls a function.
fn count(block: &Block, fun: FunId) -> usize {
    let mut found = 0;
    block.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Call(callee, _), .. }) = part {
            found += usize::from(*callee == fun);
        }
    });
    found
}
