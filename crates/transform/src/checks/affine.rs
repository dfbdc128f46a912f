//! Which checks of a loop hold in all turns exactly if they hold in the first ones and in the last one, or if sizes are large
//! enough.

use super::sizes::Enough;
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Emit, Exp, Program, SiteId, Step, Stm, Var};
use scalar::{BinOp, MathOp, Prim};

/// The statements that every turn of a loop runs.
pub(super) struct Body<'a> {
    counter: Var,
    /// What is bound in the loop, by straight-line statements if there is one.
    defs: Map<Var, Option<&'a Stm>>,
    order: Vec<&'a Stm>,
}

/// How an integer changes from turn to turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Motion {
    /// Not at all.
    Fixed,
    /// A turn adds this, which is 1 or -1.
    ByOne(i64),
    /// It is what a turn adds this to, or something that does not change, whichever is smaller (or larger).
    Limited(i64),
    /// Every turn adds the same. The sum may wrap around.
    Even,
}

/// A check that need not be made in each turn.
pub(super) struct Check {
    pub cert: Var,
    pub by: Decision,
}

impl Check {
    /// Whether the first turn and the last one decide it: elements at such an index may be read in another order later, and it
    /// is still seen that they are there.
    pub fn is_of_plain_index(&self) -> bool {
        matches!(&self.by, Decision::Turns(condition) if condition.result.len() == 1)
    }
}

/// What decides a check before the loop.
pub(super) enum Decision {
    /// The first turns and the last one: the condition, and then the indices that do not change by one.
    Turns(Block),
    /// Sizes that are at least some numbers.
    Sizes(Vec<(Var, i64)>),
}

/// An index that is compared: how it changes, and whether it is compared from below and from above.
type Compared = Map<Var, (Motion, [bool; 2])>;

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

    /// The checks that few turns decide, or that sizes are large `enough` for, apart from `kept` ones.
    pub fn checks(&self, program: &Program, enough: &Map<Var, Enough>, kept: &Set<Var>) -> Vec<Check> {
        self.order
            .iter()
            .filter_map(|stm| self.check(program, stm).or_else(|| self.by_sizes(enough, stm)))
            .filter(|check| !kept.contains(&check.cert))
            .collect()
    }

    /// All checks that every turn makes, and what may keep them in the loop.
    pub fn all_checks(&self) -> Vec<(Var, &'static str)> {
        let of = |stm: &&Stm| match (&stm.exp, &stm.vars[..]) {
            (Exp::Assert { cond, .. }, [cert]) if self.is_data(*cond) => {
                Some((*cert, "the index is read from an array"))
            }
            (Exp::Assert { .. }, [cert]) => Some((*cert, "the first and the last turn do not decide it")),
            _ => None,
        };
        self.order.iter().filter_map(of).collect()
    }

    /// Whether a value is computed from elements of arrays that are read in the loop.
    fn is_data(&self, atom: Atom) -> bool {
        let Some(stm) = self.def(atom) else { return false };
        let mut found = matches!(stm.exp, Exp::Index(..));
        stm.exp.for_each_part(&mut |part| {
            if let Part::Atom(part) = part {
                found |= self.is_data(*part);
            }
        });
        found
    }

    fn check(&self, program: &Program, stm: &Stm) -> Option<Check> {
        let [cert] = &stm.vars[..] else { return None };
        let (cond, in_memory) = match &stm.exp {
            Exp::Assert { cond, site, .. } => (cond, is_of_element(program, *site)),
            Exp::Ensure { cond, otherwise } => (cond, checks_elements(program, otherwise)),
            _ => return None,
        };
        let mut compared = Compared::default();
        self.conjunction(*cond, &mut compared)?;
        // Extents of arrays are small, so an index that is below one in two turns moves by little.
        let is_few = |motion: &Motion| matches!(motion, Motion::Fixed | Motion::ByOne(_));
        let few = |(motion, sides): &(Motion, [bool; 2])| *sides == [true; 2] && (in_memory || is_few(motion));
        if !compared.values().all(few) {
            return None;
        }
        let mut even: Vec<Var> =
            compared.iter().filter(|(_, (motion, _))| *motion == Motion::Even).map(|(var, _)| *var).collect();
        even.sort_unstable();
        let mut condition = self.computation(*cond)?;
        condition.result.extend(even.into_iter().map(Atom::Var));
        Some(Check { cert: *cert, by: Decision::Turns(condition) })
    }

    /// A check that holds if sizes outside are large enough.
    fn by_sizes(&self, enough: &Map<Var, Enough>, stm: &Stm) -> Option<Check> {
        let [cert] = stm.vars[..] else { return None };
        let Enough { sizes, counters } = enough.get(&cert)?;
        let outside = sizes.iter().all(|(size, _)| *size != self.counter && !self.defs.contains_key(size));
        (outside && counters.contains(&self.counter)).then(|| Check { cert, by: Decision::Sizes(sizes.clone()) })
    }

    fn conjunction(&self, cond: Atom, compared: &mut Compared) -> Option<()> {
        if self.motion(cond) == Some(Motion::Fixed) {
            return Some(());
        }
        match &self.def(cond)?.exp {
            Exp::Atom(a) => self.conjunction(*a, compared),
            Exp::Bin(BinOp::LogAnd, _, a, b) => {
                self.conjunction(*a, compared)?;
                self.conjunction(*b, compared)
            }
            // Whether an inner loop has turns is the same in all turns.
            Exp::Bin(BinOp::LogOr, _, a, b) if self.motion(*a) == Some(Motion::Fixed) => self.conjunction(*b, compared),
            Exp::Bin(BinOp::Le | BinOp::Lt, Prim::I64, a, b) => self.comparison(*a, *b, compared),
            Exp::Bin(BinOp::Ge | BinOp::Gt, Prim::I64, a, b) => self.comparison(*b, *a, compared),
            _ => None,
        }
    }

    /// One side stays, the other one goes up or down evenly.
    fn comparison(&self, low: Atom, high: Atom, compared: &mut Compared) -> Option<()> {
        let (moving, motion, from_above) = match (self.motion(low)?, self.motion(high)?) {
            (Motion::Fixed, motion @ (Motion::Fixed | Motion::ByOne(_))) => (high, motion, false),
            (Motion::Fixed, motion) if low == Atom::size(0) => (high, motion, false),
            (motion, Motion::Fixed) => (low, motion, true),
            _ => return None,
        };
        let entry = compared.entry(moving.var()?).or_insert((motion, [false; 2]));
        entry.1[usize::from(from_above)] = true;
        Some(())
    }

    fn def(&self, atom: Atom) -> Option<&'a Stm> {
        self.defs.get(&atom.var()?).copied().flatten()
    }

    /// How an integer changes, unless that differs from turn to turn.
    fn motion(&self, atom: Atom) -> Option<Motion> {
        let Atom::Var(var) = atom else { return Some(Motion::Fixed) };
        if var == self.counter {
            return Some(Motion::ByOne(1));
        }
        let stm = match self.defs.get(&var) {
            Some(def) => (*def)?,
            None => return Some(Motion::Fixed),
        };
        match &stm.exp {
            Exp::Atom(a) => self.motion(*a),
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => sum(self.motion(*a)?, self.motion(*b)?),
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) => sum(self.motion(*a)?, negative(self.motion(*b)?)),
            Exp::Math(MathOp::Min | MathOp::Max, Prim::I64, args) => {
                let [a, b] = args[..] else { return None };
                limited(self.motion(a)?, self.motion(b)?)
            }
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) => match (self.motion(*a)?, self.motion(*b)?) {
                (Motion::Fixed, Motion::Fixed) => Some(Motion::Fixed),
                (Motion::Limited(_), _) | (_, Motion::Limited(_)) => None,
                (Motion::Fixed, _) | (_, Motion::Fixed) => Some(Motion::Even),
                _ => None,
            },
            exp if is_total(exp) => {
                let mut stays = true;
                exp.for_each_part(&mut |part| {
                    if let Part::Atom(atom) = part {
                        stays &= self.motion(*atom) == Some(Motion::Fixed);
                    }
                });
                stays.then_some(Motion::Fixed)
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

/// Whether a check is one of an index of an array in memory.
fn is_of_element(program: &Program, site: SiteId) -> bool {
    program.sites[site].message.fault.is_of_element()
}

/// Whether all checks of a block are.
fn checks_elements(program: &Program, block: &Block) -> bool {
    let mut all = true;
    block.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Assert { site, .. }, .. }) = part {
            all &= is_of_element(program, *site);
        }
    });
    all
}

/// Whether a scalar expression has a value for any operands.
fn is_total(exp: &Exp) -> bool {
    match exp {
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) => !exp.is_partial(),
        Exp::Math(MathOp::Min | MathOp::Max, prim, _) => prim.is_int(),
        _ => false,
    }
}

fn sum(a: Motion, b: Motion) -> Option<Motion> {
    match (a, b) {
        // The sum might wrap around before it comes to its limit.
        (Motion::Limited(_), _) | (_, Motion::Limited(_)) => None,
        (Motion::Fixed, motion) | (motion, Motion::Fixed) => Some(motion),
        (Motion::ByOne(a), Motion::ByOne(b)) if a == -b => Some(Motion::Fixed),
        _ => Some(Motion::Even),
    }
}

/// The smaller or larger one of something that moves and of something that does not. Whether it is inside of an array changes
/// once on the way from the first to the last turn, unless it moves further than there are numbers below zero.
fn limited(a: Motion, b: Motion) -> Option<Motion> {
    match (a, b) {
        (Motion::Fixed, Motion::Fixed) => Some(Motion::Fixed),
        (Motion::Fixed, Motion::ByOne(step) | Motion::Limited(step))
        | (Motion::ByOne(step) | Motion::Limited(step), Motion::Fixed) => Some(Motion::Limited(step)),
        _ => None,
    }
}

fn negative(motion: Motion) -> Motion {
    match motion {
        Motion::ByOne(step) => Motion::ByOne(-step),
        Motion::Limited(step) => Motion::Limited(-step),
        Motion::Fixed | Motion::Even => motion,
    }
}
