//! Which checks of a loop hold in all turns exactly if they hold in the first and in the last one.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Emit, Exp, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// The statements that every turn of a loop runs.
pub(super) struct Body<'a> {
    counter: Var,
    /// What is bound in the loop, by straight-line statements if there is one.
    defs: Map<Var, Option<&'a Stm>>,
    order: Vec<&'a Stm>,
}

/// An index that is compared: whether from below and from above.
type Compared = Map<Var, [bool; 2]>;

impl<'a> Body<'a> {
    /// The body of a loop in which these variables change from turn to turn, too.
    pub fn new(counter: Var, changing: &[Var]) -> Body<'a> {
        let defs = changing.iter().map(|var| (*var, None)).collect();
        Body { counter, defs, order: Vec::new() }
    }

    /// Adds statements.
    pub fn stms(&mut self, stms: impl IntoIterator<Item = &'a Stm>) {
        for stm in stms {
            self.order.push(stm);
            self.defs.extend(stm.vars.iter().map(|var| (*var, Some(stm))));
        }
    }

    /// Adds the steps that every turn takes.
    pub fn steps(&mut self, steps: &'a [Step]) {
        for step in steps {
            match step {
                Step::Let(stm) => self.stms([stm]),
                Step::Emit(Emit { value, .. }) => self.stms(&value.stms),
                Step::Scan(scan) => self.defs.extend(scan.vars.iter().map(|var| (*var, None))),
                Step::For { .. } | Step::Guard(..) => {}
            }
        }
    }

    /// The checks, each with the computation of its condition.
    pub fn checks(&self) -> Vec<(Var, Block)> {
        let of = |stm: &&Stm| match (&stm.exp, &stm.vars[..]) {
            (Exp::Assert { cond, .. }, [cert]) if self.ends_decide(*cond) => Some((*cert, self.computation(*cond)?)),
            _ => None,
        };
        self.order.iter().filter_map(of).collect()
    }

    /// Whether a condition compares nothing but what does not change, and indices that change by one, each with two limits.
    fn ends_decide(&self, cond: Atom) -> bool {
        let mut compared = Compared::default();
        self.conjunction(cond, &mut compared).is_some() && compared.values().all(|sides| *sides == [true, true])
    }

    fn conjunction(&self, cond: Atom, compared: &mut Compared) -> Option<()> {
        if self.slope(cond) == Some(0) {
            return Some(());
        }
        match &self.def(cond)?.exp {
            Exp::Atom(a) => self.conjunction(*a, compared),
            Exp::Bin(BinOp::LogAnd, _, a, b) => {
                self.conjunction(*a, compared)?;
                self.conjunction(*b, compared)
            }
            Exp::Bin(BinOp::Le | BinOp::Lt, Prim::I64, a, b) => self.comparison(*a, *b, compared),
            Exp::Bin(BinOp::Ge | BinOp::Gt, Prim::I64, a, b) => self.comparison(*b, *a, compared),
            _ => None,
        }
    }

    /// One side stays, the other one goes up or down by one.
    fn comparison(&self, low: Atom, high: Atom, compared: &mut Compared) -> Option<()> {
        let (moving, from_above) = match (self.slope(low)?, self.slope(high)?) {
            (0, 1 | -1) => (high, false),
            (1 | -1, 0) => (low, true),
            _ => return None,
        };
        compared.entry(moving.var()?).or_default()[usize::from(from_above)] = true;
        Some(())
    }

    fn def(&self, atom: Atom) -> Option<&'a Stm> {
        self.defs.get(&atom.var()?).copied().flatten()
    }

    /// What a turn adds to an integer: 0 if it does not change.
    fn slope(&self, atom: Atom) -> Option<i64> {
        let Atom::Var(var) = atom else { return Some(0) };
        if var == self.counter {
            return Some(1);
        }
        let stm = match self.defs.get(&var) {
            Some(def) => (*def)?,
            None => return Some(0),
        };
        match &stm.exp {
            Exp::Atom(a) => self.slope(*a),
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => self.slope(*a)?.checked_add(self.slope(*b)?),
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) => self.slope(*a)?.checked_sub(self.slope(*b)?),
            exp if is_total(exp) => {
                let mut stays = true;
                exp.for_each_part(&mut |part| {
                    if let Part::Atom(atom) = part {
                        stays &= self.slope(*atom) == Some(0);
                    }
                });
                stays.then_some(0)
            }
            _ => None,
        }
    }

    /// The statements that compute a condition, all of which have a value for any operands.
    fn computation(&self, cond: Atom) -> Option<Block> {
        let mut needed: Set<Var> = cond.var().into_iter().collect();
        let mut stms: Vec<Stm> = Vec::new();
        for stm in self.order.iter().rev() {
            if !stm.vars.iter().any(|var| needed.contains(var)) {
                continue;
            }
            if !is_total(&stm.exp) {
                return None;
            }
            stm.exp.for_each_part(&mut |part| {
                if let Part::Atom(Atom::Var(var)) = part {
                    needed.insert(*var);
                }
            });
            // It has a value whether the checks that it names hold or not.
            stms.push(Stm { certs: Vec::new(), ..(*stm).clone() });
        }
        stms.reverse();
        Some(Block { stms, result: vec![cond] })
    }
}

/// Whether a scalar expression has a value for any operands.
fn is_total(exp: &Exp) -> bool {
    match exp {
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) => !exp.is_partial(),
        _ => false,
    }
}
