//! A product that is only added to something is not rounded before.
//!
//! ```text
//! let p = x * y                     let s = fma(x, y, z)
//! let s = p + z             ==>
//! let t = z - p                     let m = -x
//!                                   let t = fma(m, y, z)
//! ```
//!
//! One instruction does the work of two, and its result is nearer to the exact one. The compiler decides it here, in Core, so
//! that all back ends and all numbers of threads compute the same bits; `--math strict` leaves the pass out.
//!
//! Limits, so that nothing becomes a surprise that was none: of two products neither is preferred, as `a * b - b * a` has to
//! be 0, unless both are squares, whose sum has no such cases. A square is not subtracted from anything, and nothing from it: the
//! root of `r - x * x` must not become a NaN because the difference is slightly below 0. A product that is needed elsewhere
//! has to be rounded anyway. Half precision has no such instruction.

use base::{Map, Name, Set};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Exp, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, MathOp, Prim, UnOp, eval_un};

/// Contracts products and sums in all functions.
pub fn contract(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        let mut pass =
            Contract { uses: uses(&body), program, products: Map::default(), gone: Set::default(), turns: 0 };
        pass.list(ListMut::Block(&mut body));
        let gone = pass.gone;
        if !gone.is_empty() {
            body.replace_stms(&mut |stm| {
                if stm.vars.iter().any(|var| gone.contains(var)) { Vec::new() } else { vec![stm] }
            });
        }
        program.functions[id].body = body;
    }
}

fn uses(body: &Block) -> Map<Var, usize> {
    let mut found: Map<Var, usize> = Map::default();
    body.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            *found.entry(*var).or_default() += 1;
        }
    });
    found
}

struct Contract<'p> {
    program: &'p mut Program,
    uses: Map<Var, usize>,
    products: Map<Var, Product>,
    /// Products that nobody needs any more.
    gone: Set<Var>,
    /// How many lists of statements that run at different times have been seen.
    turns: usize,
}

#[derive(Clone, Copy)]
struct Product {
    factors: [Atom; 2],
    /// Which statements run as often as it.
    turn: usize,
}

impl Product {
    fn is_square(self) -> bool {
        self.factors[0] == self.factors[1]
    }
}

impl Contract<'_> {
    /// A list of statements that runs at times of its own.
    fn list(&mut self, list: ListMut<'_>) {
        self.turns += 1;
        match list {
            ListMut::Block(block) => self.block(block, self.turns),
            ListMut::Steps(steps) => self.steps(steps, self.turns),
        }
    }

    fn block(&mut self, block: &mut Block, turn: usize) {
        for stm in std::mem::take(&mut block.stms) {
            block.stms.extend(self.statement(stm, turn));
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>, turn: usize) {
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } | Step::Guard(_, body) => self.list(ListMut::Steps(body)),
                Step::Let(_) => {}
                Step::Scan(scan) => {
                    self.list(ListMut::Block(&mut scan.op.body));
                    self.block(&mut scan.value, turn);
                }
                Step::Emit(emit) => self.block(&mut emit.value, turn),
            }
            match step {
                Step::Let(stm) => steps.extend(self.statement(stm, turn).into_iter().map(Step::Let)),
                other => steps.push(other),
            }
        }
    }

    fn statement(&mut self, mut stm: Stm, turn: usize) -> Vec<Stm> {
        stm.exp.for_each_list_mut(&mut |list| self.list(list));
        match stm.exp {
            Exp::Bin(BinOp::Mul, Prim::F32 | Prim::F64, x, y) => {
                self.products.insert(stm.vars[0], Product { factors: [x, y], turn });
                vec![stm]
            }
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub), prim @ (Prim::F32 | Prim::F64), x, y) => {
                self.sum(stm, turn, (op, prim), [x, y])
            }
            _ => vec![stm],
        }
    }

    /// A sum or difference, with a product that is not rounded before if one of the operands is one.
    fn sum(&mut self, stm: Stm, turn: usize, (op, prim): (BinOp, Prim), [x, y]: [Atom; 2]) -> Vec<Stm> {
        let [left, right] = [self.product(x), self.product(y)];
        let are_squares = [left, right].into_iter().flatten().all(Product::is_square);
        let may_be_contracted = match (left, right) {
            (Some(_), Some(_)) => op == BinOp::Add && are_squares,
            (Some(_), None) | (None, Some(_)) => op == BinOp::Add || !are_squares,
            (None, None) => false,
        };
        let mut stms = Vec::new();
        let mut negated = |pass: &mut Self, atom: Atom| {
            if op == BinOp::Add { atom } else { pass.negation(&mut stms, prim, atom, &stm) }
        };
        let args = if !may_be_contracted {
            return vec![stm];
        } else if let Some([a, b]) = self.take(y, turn) {
            vec![negated(self, a), b, x]
        } else if let Some([a, b]) = self.take(x, turn) {
            vec![a, b, negated(self, y)]
        } else {
            return vec![stm];
        };
        stms.push(Stm { exp: Exp::Math(MathOp::Fma, prim, args), ..stm });
        stms
    }

    fn product(&self, atom: Atom) -> Option<Product> {
        atom.var().and_then(|var| self.products.get(&var).copied())
    }

    /// The factors of a product that nobody else needs.
    fn take(&mut self, atom: Atom, turn: usize) -> Option<[Atom; 2]> {
        let var = atom.var().filter(|var| self.uses.get(var) == Some(&1))?;
        let product = self.products.get(&var).filter(|product| product.turn == turn)?;
        self.gone.insert(var);
        Some(product.factors)
    }

    fn negation(&mut self, stms: &mut Vec<Stm>, prim: Prim, atom: Atom, of: &Stm) -> Atom {
        if let Atom::Const(number) = atom
            && let Ok(opposite) = eval_un(UnOp::Neg, number)
        {
            return Atom::Const(opposite);
        }
        let var = self.program.vars.push(VarInfo::new(Name::new("m"), Type::Scalar(prim)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Un(UnOp::Neg, prim, atom), span: of.span });
        Atom::Var(var)
    }
}
