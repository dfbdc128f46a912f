//! What is computed before a loop to know whether its checks hold in all turns. Nothing is computed twice: the first and the
//! last turn of nests have much in common.

use super::affine::{Check, Decision};
use base::{Map, Name, Span};
use ir::known::Computation;
use ir::rename::Substitution;
use ir::{Atom, Block, Exp, Program, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// An array in memory has fewer elements.
const LARGEST: i64 = 1 << 47;

/// A loop: its counter and how many turns it takes.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub var: Var,
    pub count: Atom,
    pub span: Span,
}

/// The statements before a loop.
pub(super) struct Before<'p> {
    program: &'p mut Program,
    around: Counted,
    stms: Vec<Stm>,
    computed: Map<Computation, Atom>,
}

impl Before<'_> {
    pub fn new(program: &mut Program, around: Counted) -> Before<'_> {
        Before { program, around, stms: Vec::new(), computed: Map::default() }
    }

    /// Whether the loop has no turns or checks hold in all of them, and what computes it.
    pub fn hold(mut self, checks: &[Check]) -> (Vec<Stm>, Atom) {
        let all = self.all_turns(checks);
        let none = self.binary(BinOp::Le, self.around.count, Atom::size(0));
        let cond = self.binary(BinOp::LogOr, none, all);
        (self.stms, cond)
    }

    /// Whether checks hold in all turns of a loop that has some.
    fn all_turns(&mut self, checks: &[Check]) -> Atom {
        let last = self.binary(BinOp::Sub, self.around.count, Atom::size(1));
        let mut all = Atom::bool(true);
        for check in checks {
            let held = match &check.by {
                Decision::Turns(condition) => self.in_turns(condition, last),
                Decision::Sizes(sizes) => {
                    let enough =
                        |(size, least): &(Var, i64)| self.binary(BinOp::Ge, (*size).into(), Atom::size(*least));
                    sizes.iter().map(enough).collect()
                }
            };
            for cond in held {
                all = self.binary(BinOp::LogAnd, all, cond);
            }
        }
        all
    }

    /// A condition in the turns that decide it: the first and the last one, and the second one if there are indices.
    fn in_turns(&mut self, condition: &Block, last: Atom) -> Vec<Atom> {
        let at_first = self.at_turn(condition, Atom::size(0));
        let at_last = self.at_turn(condition, last);
        let mut held = vec![at_first[0], at_last[0]];
        if at_first.len() > 1 {
            let turn = self.second();
            let at_second = self.at_turn(condition, turn);
            held.push(at_second[0]);
            let indices = at_first.iter().zip(&at_second).skip(1);
            held.extend(indices.map(|(first, second)| self.comes_to_an_end(*first, *second)));
        }
        held
    }

    /// The condition of a check in a turn, and its indices.
    fn at_turn(&mut self, condition: &Block, turn: Atom) -> Vec<Atom> {
        let mut values = Substitution::new(&[self.around.var], &[turn]);
        for stm in &condition.stms {
            let of = |atom: &Atom| values.atom(*atom);
            let exp = match &stm.exp {
                Exp::Atom(a) => Exp::Atom(of(a)),
                Exp::Bin(op, prim, a, b) => Exp::Bin(*op, *prim, of(a), of(b)),
                Exp::Un(op, prim, a) => Exp::Un(*op, *prim, of(a)),
                Exp::Convert(from, to, a) => Exp::Convert(*from, *to, of(a)),
                Exp::Math(op, prim, args) => Exp::Math(*op, *prim, args.iter().map(of).collect()),
                Exp::Select(c, a, b) => Exp::Select(of(c), of(a), of(b)),
                _ => base::bug!("the condition of a check is computed from scalars"),
            };
            let [var] = stm.vars[..] else { base::bug!("a scalar is one value") };
            let value = self.value(self.program.ty(var).clone(), exp);
            values.insert(var, value);
        }
        condition.result.iter().map(|atom| values.atom(*atom)).collect()
    }

    /// The second turn, or the first one if there is no other.
    fn second(&mut self) -> Atom {
        let several = self.binary(BinOp::Gt, self.around.count, Atom::size(1));
        self.value(Type::I64, Exp::Select(several, Atom::size(1), Atom::size(0)))
    }

    /// Whether an index that moves does so in few turns: it would have left any array otherwise, and come back.
    fn comes_to_an_end(&mut self, first: Atom, second: Atom) -> Atom {
        let few = self.binary(BinOp::Lt, self.around.count, Atom::size(LARGEST));
        let stays = self.binary(BinOp::Eq, first, second);
        self.binary(BinOp::LogOr, few, stays)
    }

    /// A condition, or a difference of sizes.
    fn binary(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        let operands = if matches!(op, BinOp::LogAnd | BinOp::LogOr) { Prim::Bool } else { Prim::I64 };
        let ty = if op == BinOp::Sub { Type::I64 } else { Type::Scalar(Prim::Bool) };
        self.value(ty, Exp::Bin(op, operands, a, b))
    }

    fn value(&mut self, ty: Type, exp: Exp) -> Atom {
        let computation = exp.computation();
        let before = computation.as_ref().and_then(|computation| self.computed.get(computation)).copied();
        if let Some(atom) = exp.known().or(before) {
            return atom;
        }
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), ty));
        self.stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.around.span });
        self.computed.extend(computation.map(|computation| (computation, var.into())));
        var.into()
    }
}
