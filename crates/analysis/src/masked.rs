//! Which loops can run as vectors whose last one is not full: a mask leaves out the lanes behind the end.
//!
//! ```text
//! for j < m { emit { let x = a[i, j]; let y = b[j]; let p = x * y; => p } }
//! ```
//!
//! Then a loop of any length gains from lanes: there are no turns left over that run one by one. C compilers make such vectors
//! of arithmetic on elements that lie side by side, or that are found by subscripts from memory. Elements at a stride, reads that
//! do not depend on the loop, checks and divisions of integers keep them from it.

use base::Map;
use ir::{Atom, Block, Emit, Exp, Step, Stm, Var};
use scalar::{BinOp, MathOp, Prim};

/// How a value depends on the turn of the loop. Values that are not known here do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// The number of the turn and something that does not change.
    Counts,
    /// It comes from memory.
    Read,
    /// It is computed from the number in another way.
    Other,
}

/// Whether the turns of a loop with this variable and body can be lanes of such vectors.
pub fn may_be(var: Var, body: &[Step]) -> bool {
    let mut turns = Turns(Map::default());
    turns.0.insert(var, Turn::Counts);
    body.iter().all(|step| match step {
        Step::Let(stm) => turns.statement(stm),
        Step::Emit(Emit { value, .. }) => turns.block(value).is_some(),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) => false,
    })
}

struct Turns(Map<Var, Turn>);

impl Turns {
    fn of(&self, atom: &Atom) -> Option<Turn> {
        self.0.get(&atom.var()?).copied()
    }

    /// How values that are computed from these depend on the turn.
    fn computed(&self, atoms: &[Atom]) -> Option<Turn> {
        let turns: Vec<Turn> = atoms.iter().filter_map(|atom| self.of(atom)).collect();
        if turns.contains(&Turn::Read) { Some(Turn::Read) } else { turns.first().map(|_| Turn::Other) }
    }

    /// Notes what a block binds; how its results depend on the turn, if they can be lanes.
    fn block(&mut self, block: &Block) -> Option<Option<Turn>> {
        let all = block.stms.iter().all(|stm| self.statement(stm));
        all.then(|| self.computed(&block.result))
    }

    /// Notes what a statement binds; whether it can be done in lanes.
    fn statement(&mut self, stm: &Stm) -> bool {
        let turn = match &stm.exp {
            Exp::Atom(atom) => self.of(atom),
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub), Prim::I64, a, b) => match (self.of(a), self.of(b)) {
                (Some(Turn::Counts), None) => Some(Turn::Counts),
                (None, Some(Turn::Counts)) if *op == BinOp::Add => Some(Turn::Counts),
                (_, _) => self.computed(&[*a, *b]),
            },
            Exp::Bin(op, prim, a, b) if has_vectors(*op, *prim) => self.computed(&[*a, *b]),
            Exp::Un(_, prim, a) if *prim != Prim::F16 => self.computed(&[*a]),
            Exp::Convert(from, to, a) if ![*from, *to].contains(&Prim::F16) => match self.of(a) {
                Some(Turn::Counts) if *to == Prim::I64 => Some(Turn::Counts),
                _ => self.computed(&[*a]),
            },
            Exp::Math(op, prim, args) if *prim != Prim::F16 && is_branchless(*op) => self.computed(args),
            Exp::Select(cond, a, b) => self.computed(&[*cond, *a, *b]),
            Exp::If(cond, then, otherwise) => match (self.block(then), self.block(otherwise)) {
                (Some(a), Some(b)) => self.of(cond).or(a).or(b).map(|_| Turn::Read),
                (_, _) => return false,
            },
            Exp::Index(_, at) if self.is_side_by_side(at) => Some(Turn::Read),
            _ => return false,
        };
        stm.vars.iter().for_each(|var| {
            turn.map(|turn| self.0.insert(*var, turn));
        });
        true
    }

    /// Whether elements at these subscripts lie side by side or are found by subscripts from memory.
    fn is_side_by_side(&self, at: &[Atom]) -> bool {
        let Some((last, before)) = at.split_last() else { return false };
        before.iter().all(|at| self.of(at).is_none()) && matches!(self.of(last), Some(Turn::Counts | Turn::Read))
    }
}

/// Whether there are vector instructions for an operation.
fn has_vectors(op: BinOp, prim: Prim) -> bool {
    let divides = matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem);
    op != BinOp::Pow && prim != Prim::F16 && (!divides || prim.is_float() && op == BinOp::Div)
}

/// Whether a function is computed without branches.
fn is_branchless(op: MathOp) -> bool {
    use MathOp::{Abs, Exp, Exp2, Fma, Log, Log2, Mad, Max, Min, Sqrt};
    matches!(op, Abs | Exp | Exp2 | Fma | Log | Log2 | Mad | Max | Min | Sqrt)
}
