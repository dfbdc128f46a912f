//! A form over a slice of kept values as one over all of them.
//!
//! ```text
//! let (m, ys) = bulk { out keep ..; .. }                let (m, ys) = bulk { out keep ..; .. }
//! let t = m - 1                                         let s = bulk {
//! let c = assert 1 <= m                                   out reduce ..
//! let <c> s = bulk {                                      for k < m {
//!   out reduce ..                                =>         let j = k - 1; let inside = 0 <= j
//!   for j < t {                                             if inside { let v = ys[k]; emit => v }
//!     let i = j + 1; let <c> v = ys[i]; emit => v         }
//!   }                                                   }
//! }                                                     ..
//! ```
//!
//! Then it can move to where the values are kept ([`super::kept`]), although how many there are is known only behind. What it
//! reads of values that were kept before the one of its turn, as in `map2 (-) (tail ys) (init ys)`, a running combination carries along.
//! The check of the slice stays behind both. Nothing of the form may rely on it otherwise. New arrays that are results become
//! kept values, too ([`super::kept_results`]).

use super::carried::{Code, window};
use super::item::Item;
use super::kept;
use super::kept_results;
use super::merge::{OneLoop, in_block};
use super::numbers::Forms;
use super::turns::{self, Places};
use super::uses::Uses;
use affine::Linear;
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Bulk, Exp, Kind, Mark, Program, SiteId, Step, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// How far back a turn can read.
const LONGEST: i64 = 8;

/// The slice of kept values that an item runs over. It names only the late checks of the slice.
pub(super) fn find(program: &Program, uses: &Uses, done: &[Item], item: &Item) -> Option<Slice> {
    let Step::Let(stm) = &item.step else { return None };
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let one = OneLoop::of(bulk)?;
    if !outputs_fit(program, uses, stm, bulk, &one) {
        return None;
    }
    let Keeper { place: keeper, count, arrays } = keeper(done, item)?;
    // Where the values stay in memory, nothing is gained by reading them before they are there.
    if arrays.iter().any(|array| uses.needs_whole(*array)) {
        return None;
    }
    let late = Late::of(program, &done[keeper..]);
    let mut slice = Slice::of(program, &late, &one, (keeper, count), &arrays)?;
    slice.checks = late.checks(stm, &slice.reads)?;
    if one.count == Atom::Var(count) && slice.checks.is_empty() {
        return None;
    }
    slice.check = done[keeper..].iter().rev().find_map(|item| slice.check_by(item));
    if kept_results::makes_arrays(&bulk.outputs) {
        // To move single values of a filter costs less than to count them where they are kept.
        let several = slice.reads.values().any(|read| read.back > 0) || !analysis::emits::scans(&bulk.steps).is_empty();
        (several && slice.check.is_some()).then_some(())?;
    }
    late.only_in_reads(program, stm, &one, &slice.reads).then_some(slice)
}

/// Whether the outputs of a form can do without the numbers of its turns. New arrays must be needed as a whole: others are better
/// left to what reads them.
fn outputs_fit(program: &Program, uses: &Uses, stm: &Stm, bulk: &Bulk, one: &OneLoop<'_>) -> bool {
    let mut rest = &stm.vars[..];
    bulk.outputs.iter().enumerate().all(|(number, output)| {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        match output.kind {
            Kind::Gen { .. } => {
                let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
                let whole = bound.iter().all(|array| uses.needs_whole(*array));
                scalars && whole && kept::is_element_wise(bulk, number, one)
            }
            Kind::Update { .. } => false,
            Kind::Keep | Kind::Reduce { .. } | Kind::Accum { .. } => true,
        }
    })
}

/// What keeps values that another item mentions.
pub(super) struct Keeper {
    /// Which item it is.
    pub place: usize,
    /// How many values, and the arrays of them.
    pub count: Var,
    pub arrays: Vec<Var>,
}

/// The last of these items that keeps values that an item mentions.
pub(super) fn keeper(done: &[Item], item: &Item) -> Option<Keeper> {
    done.iter().enumerate().rev().find_map(|(place, earlier)| {
        let (count, arrays) = kept_by(earlier, item)?;
        Some(Keeper { place, count, arrays })
    })
}

/// What numbers are that these items compute.
pub(super) fn forms(items: &[Item]) -> Forms {
    let mut forms = Forms::default();
    for item in items {
        if let Step::Let(stm) = &item.step {
            forms.define(stm);
        }
    }
    forms
}

/// How many values an item keeps, and the arrays of them, if another item mentions one.
fn kept_by(earlier: &Item, item: &Item) -> Option<(Var, Vec<Var>)> {
    let Step::Let(Stm { vars, exp: Exp::Bulk(bulk), .. }) = &earlier.step else { return None };
    let mut rest = &vars[..];
    for output in &bulk.outputs {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        if matches!(output.kind, Kind::Keep) && output.sizes.is_empty() && item.does.uses_any(&bound[1..]) {
            return Some((bound[0], bound[1..].to_vec()));
        }
    }
    None
}

/// What is known only after values were kept.
struct Late {
    vars: Set<Var>,
    /// The checks among them.
    checks: Map<Var, SiteId>,
    /// What numbers are.
    forms: Forms,
}

impl Late {
    /// Of the items from the keeper on.
    fn of(program: &Program, items: &[Item]) -> Late {
        let mut late = Late { vars: Set::default(), checks: Map::default(), forms: forms(items) };
        let Some((keeper, behind)) = items.split_first() else { return late };
        late.vars.extend(&keeper.binds);
        for item in behind {
            let Step::Let(stm) = &item.step else { continue };
            if late.mentioned(program, stm) {
                late.vars.extend(&stm.vars);
                if let Exp::Assert { site, .. } = stm.exp {
                    late.checks.insert(stm.vars[0], site);
                }
            }
        }
        late
    }

    fn mentioned(&self, program: &Program, stm: &Stm) -> bool {
        let mut found = false;
        stm.walk(&mut |part| found |= self.mentions(program, &part) > 0);
        found
    }

    fn mentions(&self, program: &Program, part: &Part<'_>) -> usize {
        let is_late = |var: Var| usize::from(self.vars.contains(&var));
        match part {
            Part::Atom(Atom::Var(var)) => is_late(*var),
            Part::Use(var) => is_late(**var),
            Part::Bind(var) => {
                let mut count = 0;
                program.ty(**var).for_each_var(&mut |var| count += is_late(var));
                count
            }
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => 0,
        }
    }

    /// Whether a form is of what is known earlier.
    fn is_early(&self, form: &Linear<Var>) -> bool {
        form.symbols().all(|var| !self.vars.contains(var))
    }

    /// The late checks that a form and its reads of kept values name, or what needs no checks; none if it names something late that
    /// is no check.
    fn checks(&self, stm: &Stm, reads: &Map<Var, Read>) -> Option<Map<Var, SiteId>> {
        let mut certs: Vec<Var> = stm.certs.clone();
        stm.walk(&mut |part| {
            if let Part::Stm(inner) = part
                && !relies_on_checks(inner, reads)
            {
                certs.extend(&inner.certs);
            }
        });
        let late = certs.iter().filter(|cert| self.vars.contains(cert));
        late.map(|cert| Some((*cert, *self.checks.get(cert)?))).collect()
    }

    /// Whether nothing late is mentioned but by reads of kept values, by checks of the whole form and of what needs none, and as its
    /// number of turns.
    fn only_in_reads(&self, program: &Program, stm: &Stm, one: &OneLoop<'_>, reads: &Map<Var, Read>) -> bool {
        let (mut all, mut good) = (0, 0);
        stm.walk(&mut |part| {
            all += self.mentions(program, &part);
            if let Part::Stm(inner) = part
                && !relies_on_checks(inner, reads)
            {
                good += usize::from(is_read(inner, reads));
                good += inner.certs.iter().filter(|cert| self.vars.contains(cert)).count();
            }
        });
        good += stm.certs.iter().filter(|cert| self.vars.contains(cert)).count();
        // The number of turns, and the shapes and types of new arrays.
        let Exp::Bulk(bulk) = &stm.exp else { return false };
        let made = bulk.outputs.iter().filter(|output| matches!(output.kind, Kind::Gen { .. }));
        let shapes: usize = made.map(|output| 1 + output.bound()).sum();
        good += one.count.var().map_or(0, |count| usize::from(self.vars.contains(&count)) * (1 + shapes));
        all == good
    }
}

/// A read of a kept value.
pub(super) struct Read {
    array: Var,
    /// How many values before the one of the turn.
    back: i64,
}

fn is_read(stm: &Stm, reads: &Map<Var, Read>) -> bool {
    stm.vars.first().is_some_and(|var| reads.contains_key(var))
}

/// Whether a statement may have a value only because checks hold, apart from reads of kept values: these are read as they are kept.
fn relies_on_checks(stm: &Stm, reads: &Map<Var, Read>) -> bool {
    match &stm.exp {
        Exp::If(_, then, otherwise) => then.stms.iter().chain(&otherwise.stms).any(|stm| relies_on_checks(stm, reads)),
        exp => exp.is_partial() && !is_read(stm, reads),
    }
}

/// The slice that a form runs over.
pub(super) struct Slice {
    /// Which item keeps the values.
    pub keeper: usize,
    /// The checks that the form over all values does not name any more.
    pub checks: Map<Var, SiteId>,
    /// One of them.
    check: Option<Stm>,
    /// How many values are kept, and the arrays of them.
    count: Var,
    arrays: Vec<Var>,
    /// From one turn to the next it goes on by so many values.
    step: i64,
    /// The number of the value at which the first turn runs.
    shift: Linear<Var>,
    /// How many turns there are, if the slice does not end with the last value.
    turns: Option<Atom>,
    /// The reads of kept values by what they bind.
    reads: Map<Var, Read>,
}

impl Slice {
    fn of(program: &Program, late: &Late, one: &OneLoop<'_>, kept: (usize, Var), arrays: &[Var]) -> Option<Slice> {
        let (keeper, count) = kept;
        let places = Places::of(&late.forms, one, arrays).filter(|places| places.step > 0)?;
        let length = late.forms.of(one.count);
        let (shift, limit) = if late.is_early(&length) {
            (places.furthest()?, Some(one.count))
        } else {
            (places.first_turn(&late.forms, &length, count)?, None)
        };
        late.is_early(&shift).then_some(())?;
        let mut reads = Map::default();
        for turns::Read { var, array, first } in places.reads {
            let back = shift.sub(&first)?.as_constant().filter(|back| (0..=LONGEST).contains(back))?;
            let scalar = matches!(program.ty(array).dims(), [_]);
            (back == 0 || scalar).then_some(())?;
            reads.insert(var, Read { array, back });
        }
        let (step, arrays) = (places.step, arrays.to_vec());
        Some(Slice { keeper, checks: Map::default(), check: None, count, arrays, step, shift, turns: limit, reads })
    }

    /// The check that an item makes, if it is one of this slice.
    fn check_by(&self, item: &Item) -> Option<Stm> {
        let Step::Let(stm) = &item.step else { return None };
        stm.vars.first().is_some_and(|var| self.checks.contains_key(var)).then(|| stm.clone())
    }

    /// A form over the slice as one over all values, and the statements behind it.
    pub fn over_all(&self, program: &mut Program, uses: &mut Uses, stm: &Stm) -> (Stm, Vec<Stm>) {
        let mut made = stm.clone();
        self.forget_checks(uses, &mut made.certs);
        let turns = match &made.exp {
            Exp::Bulk(bulk) => OneLoop::of(bulk).map(|one| one.count),
            _ => None,
        };
        let behind = match (turns, &self.check) {
            (Some(turns), Some(check)) => kept_results::keep(program, uses, &mut made, turns, check),
            (_, _) => Vec::new(),
        };
        let Exp::Bulk(bulk) = &mut made.exp else { base::bug!("a form is a form") };
        let Some(Step::For { var: turn, count, body, .. }) = bulk.steps.pop() else { base::bug!("a form has a loop") };
        count.var().into_iter().for_each(|count| uses.less(count));
        uses.more(self.count);
        let mut code = Code { program, steps: Vec::new(), span: stm.span };
        let shift = code.sum(&self.shift);
        bulk.steps.append(&mut code.steps);
        let number = code.fresh("k", Prim::I64);
        let carried = self.carried(&mut code, number);
        let body = in_block(body, |block| {
            block.for_each_stm_mut(&mut |inner| {
                if !relies_on_checks(inner, &self.reads) {
                    self.forget_checks(uses, &mut inner.certs);
                }
                let Some(read) = inner.vars.first().and_then(|var| self.reads.get(var)) else { return };
                let Exp::Index(_, at) = &mut inner.exp else { base::bug!("a value is read") };
                at[0] = number.into();
                if read.back > 0 {
                    uses.less(read.array);
                    inner.exp = Exp::Atom(carried[&(read.array, read.back)].into());
                }
            });
        });
        carried.keys().filter(|(_, back)| *back == 1).for_each(|(array, _)| uses.more(*array));
        let inside = self.inside(&mut code, number, shift, turn);
        let mut steps = code.steps;
        match inside {
            Some(inside) => steps.push(Step::Guard(inside, body)),
            None => steps.extend(body),
        }
        bulk.steps.push(Step::For { var: number, count: self.count.into(), mark: Mark::Open, body: steps });
        (made, behind)
    }

    fn forget_checks(&self, uses: &mut Uses, certs: &mut Vec<Var>) {
        certs.retain(|cert| {
            let is_late = self.checks.contains_key(cert);
            if is_late {
                uses.less(*cert);
            }
            !is_late
        });
    }

    /// Binds the number of the turn. Gives whether there is such a turn, if not always.
    fn inside(&self, code: &mut Code<'_>, number: Var, shift: Atom, turn: Var) -> Option<Atom> {
        let step = Atom::size(self.step);
        let way = if self.step > 1 { code.fresh("way", Prim::I64) } else { turn };
        code.bind(way, Exp::Bin(BinOp::Sub, Prim::I64, number.into(), shift));
        let way = Atom::Var(way);
        let mut conditions = Vec::new();
        if shift != Atom::size(0) {
            conditions.push(code.binary(BinOp::Ge, Prim::Bool, way, Atom::size(0)));
        }
        if self.step > 1 {
            code.bind(turn, Exp::Bin(BinOp::Div, Prim::I64, way, step));
            let rest = code.binary(BinOp::Mod, Prim::I64, way, step);
            conditions.push(code.binary(BinOp::Eq, Prim::Bool, rest, Atom::size(0)));
        }
        conditions.extend(self.turns.map(|turns| code.binary(BinOp::Lt, Prim::Bool, turn.into(), turns)));
        conditions.into_iter().reduce(|all, condition| code.logic(all, condition))
    }

    /// Carries values along. Gives their names by array and how many values before.
    fn carried(&self, code: &mut Code<'_>, number: Var) -> Map<(Var, i64), Var> {
        let mut names = Map::default();
        for array in &self.arrays {
            let reads = self.reads.values().filter(|read| read.array == *array);
            let furthest = reads.map(|read| read.back).max().unwrap_or(0);
            if furthest > 0 {
                let Some(prim) = code.program.ty(*array).prim() else { base::bug!("values are kept in an array") };
                let value = code.fresh("v", prim);
                code.bind(value, Exp::Index(*array, vec![number.into()]));
                let carried = window(code, value, prim, furthest);
                names.extend(carried.into_iter().zip(0..).map(|(name, back)| ((*array, back), name)));
            }
        }
        names
    }
}
