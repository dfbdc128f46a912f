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

use super::item::Item;
use super::kept;
use super::kept_results;
use super::merge::{OneLoop, in_block};
use super::uses::Uses;
use affine::Linear;
use base::{Map, Name, Set, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Kind, Mark, Program, Region, Scan, SiteId, Step, Stm, Tree, Type, Var, VarInfo};
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
    let mut earlier = done.iter().enumerate().rev();
    let (keeper, (count, arrays)) = earlier.find_map(|(place, earlier)| Some((place, kept_by(earlier, item)?)))?;
    // Where the values stay in memory, nothing is gained by reading them before they are there.
    if one.count == Atom::Var(count) || arrays.iter().any(|array| uses.needs_whole(*array)) {
        return None;
    }
    let late = Late::of(program, &done[keeper..]);
    let mut slice = Slice::of(program, &late, &one, (keeper, count), &arrays)?;
    slice.checks = late.checks(stm, &slice.reads)?;
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
    /// What sums and differences are.
    forms: Map<Var, Linear<Var>>,
}

impl Late {
    /// Of the items from the keeper on.
    fn of(program: &Program, items: &[Item]) -> Late {
        let mut late = Late { vars: Set::default(), checks: Map::default(), forms: Map::default() };
        let Some((keeper, behind)) = items.split_first() else { return late };
        late.vars.extend(&keeper.binds);
        for item in behind {
            let Step::Let(stm) = &item.step else { continue };
            late.define(stm);
            if late.mentioned(program, stm) {
                late.vars.extend(&stm.vars);
                if let Exp::Assert { site, .. } = stm.exp {
                    late.checks.insert(stm.vars[0], site);
                }
            }
        }
        late
    }

    /// Notes what a sum or difference is.
    fn define(&mut self, stm: &Stm) {
        let form = match stm.exp {
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => self.form(a).add(&self.form(b)),
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) => self.form(a).sub(&self.form(b)),
            _ => None,
        };
        self.forms.extend(form.map(|form| (stm.vars[0], form)));
    }

    fn form(&self, atom: Atom) -> Linear<Var> {
        match (atom, atom.as_size()) {
            (_, Some(size)) => Linear::constant(size),
            (Atom::Var(var), None) => self.forms.get(&var).cloned().unwrap_or_else(|| Linear::symbol(var)),
            (Atom::Const(_), None) => base::bug!("an index is an integer"),
        }
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
    /// By how much the number of a kept value is greater than the number of its turn.
    shift: Linear<Var>,
    /// How many turns there are, if the slice does not end with the last value.
    turns: Option<Atom>,
    /// The reads of kept values by what they bind.
    reads: Map<Var, Read>,
}

impl Slice {
    fn of(program: &Program, late: &Late, one: &OneLoop<'_>, kept: (usize, Var), arrays: &[Var]) -> Option<Slice> {
        let (keeper, count) = kept;
        let places = places(late, one, arrays)?;
        let length = late.form(one.count);
        let (shift, turns) = if late.is_early(&length) {
            (furthest(&places)?, Some(one.count))
        } else {
            (Linear::symbol(count).sub(&length)?, None)
        };
        late.is_early(&shift).then_some(())?;
        let mut reads = Map::default();
        for (var, array, offset) in places {
            let back = shift.sub(&offset)?.as_constant().filter(|back| (0..=LONGEST).contains(back))?;
            let scalar = matches!(program.ty(array).dims(), [_]);
            (back == 0 || scalar).then_some(())?;
            reads.insert(var, Read { array, back });
        }
        Some(Slice { keeper, checks: Map::default(), check: None, count, arrays: arrays.to_vec(), shift, turns, reads })
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
        steps.push(Step::Guard(inside, body));
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

    /// Binds the number of the turn. Gives whether there is such a turn.
    fn inside(&self, code: &mut Code<'_>, number: Var, shift: Atom, turn: Var) -> Atom {
        code.bind(turn, Exp::Bin(BinOp::Sub, Prim::I64, number.into(), shift));
        let begun = code.binary(BinOp::Ge, Prim::Bool, turn.into(), Atom::size(0));
        match self.turns {
            None => begun,
            Some(turns) => {
                let goes_on = code.binary(BinOp::Lt, Prim::Bool, turn.into(), turns);
                code.logic(begun, goes_on)
            }
        }
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

/// What the reads of kept values bind, the arrays, and the places after that of the turn.
fn places(late: &Late, one: &OneLoop<'_>, arrays: &[Var]) -> Option<Vec<(Var, Var, Linear<Var>)>> {
    let mut inner = Late { vars: Set::default(), checks: Map::default(), forms: late.forms.clone() };
    let mut found = Vec::new();
    for step in one.before.iter().chain(one.body) {
        step.walk(&mut |part| {
            let Part::Stm(stm) = part else { return };
            inner.define(stm);
            if let Exp::Index(array, at) = &stm.exp
                && arrays.contains(array)
            {
                let offset = at.first().and_then(|at| inner.form(*at).sub(&Linear::symbol(one.var)));
                found.push(offset.map(|offset| (stm.vars[0], *array, offset)));
            }
        });
    }
    found.into_iter().collect()
}

/// The greatest of the places, if they differ by constants.
fn furthest(places: &[(Var, Var, Linear<Var>)]) -> Option<Linear<Var>> {
    let (first, rest) = places.split_first()?;
    rest.iter().try_fold(first.2.clone(), |furthest, (_, _, offset)| {
        let ahead = offset.sub(&furthest)?.as_constant()?;
        Some(if ahead > 0 { offset.clone() } else { furthest })
    })
}

/// Writes steps.
struct Code<'p> {
    program: &'p mut Program,
    steps: Vec<Step>,
    span: Span,
}

impl Code<'_> {
    fn fresh(&mut self, name: &str, prim: Prim) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(prim)))
    }

    /// The steps, all of which are bindings.
    fn statements(self) -> Vec<Stm> {
        let binding = |step| match step {
            Step::Let(stm) => stm,
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {
                base::bug!("an operator has bindings")
            }
        };
        self.steps.into_iter().map(binding).collect()
    }

    fn bind(&mut self, var: Var, exp: Exp) {
        self.steps.push(Step::Let(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span }));
    }

    fn binary(&mut self, op: BinOp, result: Prim, a: Atom, b: Atom) -> Atom {
        let var = self.fresh("t", result);
        self.bind(var, Exp::Bin(op, Prim::I64, a, b));
        var.into()
    }

    fn logic(&mut self, a: Atom, b: Atom) -> Atom {
        let var = self.fresh("t", Prim::Bool);
        self.bind(var, Exp::Bin(BinOp::LogAnd, Prim::Bool, a, b));
        var.into()
    }

    /// The value of a form.
    fn sum(&mut self, form: &Linear<Var>) -> Atom {
        let mut sum = Atom::size(form.constant_part());
        for (var, factor) in form.terms() {
            let term = match factor {
                1 => Atom::Var(*var),
                factor => self.binary(BinOp::Mul, Prim::I64, Atom::Var(*var), Atom::size(*factor)),
            };
            sum = match sum.as_size() {
                Some(0) => term,
                _ => self.binary(BinOp::Add, Prim::I64, sum, term),
            };
        }
        sum
    }
}

/// Carries the last values along: this one, the one before, and so on. Gives their names.
///
/// Combined are the last values of two parts of a sequence, with how many there are.
fn window(code: &mut Code<'_>, value: Var, prim: Prim, furthest: i64) -> Vec<Var> {
    let neutral = || Atom::Const(prim.zero());
    let length = usize::try_from(furthest).unwrap_or_default() + 1;
    let own = |code: &mut Code<'_>, name: &str| -> Vec<Var> {
        let count = code.fresh("n", Prim::I64);
        [count].into_iter().chain((0..length).map(|_| code.fresh(name, prim))).collect()
    };
    let (a, b, vars) = (own(code, "a"), own(code, "b"), own(code, "v"));
    let mut op = Code { program: &mut *code.program, steps: Vec::new(), span: code.span };
    let count = op.binary(BinOp::Add, Prim::I64, a[0].into(), b[0].into());
    let limit = Atom::size(furthest + 1);
    let is_more = op.binary(BinOp::Gt, Prim::Bool, count, limit);
    let most = op.fresh("n", Prim::I64);
    op.bind(most, Exp::Select(is_more, limit, count));
    let newer: Vec<Atom> =
        (0..furthest + 1).map(|number| op.binary(BinOp::Eq, Prim::Bool, b[0].into(), Atom::size(number))).collect();
    let mut result = vec![Atom::Var(most)];
    for age in 0..length {
        let mut chosen = b[1 + age];
        for (number, are_newer) in newer.iter().enumerate().take(age + 1) {
            let choice = op.fresh("v", prim);
            op.bind(choice, Exp::Select(*are_newer, a[1 + age - number].into(), chosen.into()));
            chosen = choice;
        }
        result.push(chosen.into());
    }
    let stms = op.statements();
    let op = Region { params: a.into_iter().chain(b).collect(), body: Block { stms, result } };
    let zeros = (0..length).map(|_| neutral());
    let first = [Atom::size(1), value.into()].into_iter().chain((1..length).map(|_| neutral())).collect();
    code.steps.push(Step::Scan(Scan {
        vars: vars.clone(),
        op,
        neutral: [Atom::size(0)].into_iter().chain(zeros).collect(),
        tree: Tree::PLAIN,
        value: Block { stms: Vec::new(), result: first },
        span: code.span,
    }));
    vars[1..].to_vec()
}
