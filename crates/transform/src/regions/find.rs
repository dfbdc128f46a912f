//! Finds forms of which a region has values of its own.

use analysis::places;
use base::{Map, Set, Span};
use ir::facts::places::{Apart, Place};
use ir::facts::terms::{Poly, Sym, Term};
use ir::facts::walk::{Around, Visitor};
use ir::facts::{Fact, Facts};
use ir::moves;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Output, Program, Step, Stm, Var};
use scalar::MathOp;
use std::borrow::Cow;

/// An update leaves at most so many rows at each end of a dimension.
const BORDER: i64 = 16;
/// More regions than this are not told apart one by one.
const MOST: usize = 4;
/// Larger forms have one version.
const LARGEST: usize = 160;

/// A form to change.
pub(super) struct Found {
    pub span: Span,
    /// The extents of the array.
    pub extents: Vec<Atom>,
    pub regions: Vec<Region>,
    pub rest: Rest,
    /// What must hold for that.
    pub asked: Asked,
}

/// What is to be asked before a form.
#[derive(Default)]
pub(super) struct Asked {
    /// The first of two integers must be at most the second.
    pub orders: Vec<[Sum; 2]>,
    /// What keeps regions apart from each other.
    pub apart: Vec<Apart>,
}

impl Asked {
    pub fn is_nothing(&self) -> bool {
        self.orders.is_empty() && self.apart.is_empty()
    }
}

/// The value of elements that are in no region.
pub(super) enum Rest {
    /// The elements of these arrays.
    Old(Vec<Var>),
    /// A value that is the same everywhere.
    Value(Block),
    /// That of a clause.
    Clause(Region),
}

/// A value for the elements of a box.
pub(super) struct Region {
    /// One for each dimension.
    pub sides: Vec<Side>,
    /// The statements before the value, in the loops.
    pub before: Vec<Stm>,
    /// The conditions of its elements, which those statements compute.
    pub guards: Vec<Atom>,
    pub emit: Emit,
    /// Whether it is the whole array but for a few elements at each end of a dimension.
    is_nearly_all: bool,
}

/// The subscripts of a region in a dimension.
pub(super) enum Side {
    At(Sum),
    /// From one to another, exclusive, with the counter of the loop, which begins at 0. None where that is the border.
    Range {
        counter: Var,
        low: Option<Sum>,
        high: Option<Sum>,
    },
}

/// A sum of variables and a constant.
#[derive(Clone)]
pub(super) struct Sum {
    pub added: Vec<Var>,
    pub subtracted: Vec<Var>,
    pub constant: i64,
}

/// Finds forms, by the first variable that they bind.
pub(super) struct Finder<'p> {
    program: &'p Program,
    /// Copies that are only updated.
    copied: Map<Var, Var>,
    pub found: Map<Var, Found>,
}

impl<'p> Finder<'p> {
    pub fn new(program: &'p Program, copied: Map<Var, Var>) -> Finder<'p> {
        Finder { program, copied, found: Map::default() }
    }
}

impl<'p> Visitor<'p> for Finder<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        let (Exp::Bulk(bulk), Some(first)) = (&stm.exp, stm.vars.first()) else { return };
        let [output] = &bulk.outputs[..] else { return };
        let scalars = output.elems.iter().all(|elem| self.program.ty(*elem).dims().is_empty());
        if !scalars || !output.sizes.is_empty() || !output.rec().is_empty() {
            return;
        }
        let mark = facts.mark();
        let found = match &output.kind {
            Kind::Gen { shape, otherwise, .. } => clauses(facts, bulk, shape, otherwise.as_ref()),
            Kind::Update { arrays, skip: false, .. } if !values_fail(bulk) => self.update(facts, bulk, arrays),
            Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => None,
        };
        facts.forget(mark);
        let found =
            found.map(|(extents, regions, rest, asked)| Found { span: stm.span, extents, regions, rest, asked });
        self.found.extend(found.map(|found| (*first, found)));
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, _: Around<'p>) {}

    fn leave(&mut self) {}
}

impl<'p> Finder<'p> {
    /// An update of nearly all elements that would have to wait, or of a copy.
    fn update(&self, facts: &mut Facts<'p>, bulk: &'p Bulk, arrays: &[Var]) -> Option<Parts> {
        let copied: Option<Vec<Var>> = arrays.iter().map(|array| self.copied.get(array).copied()).collect();
        let reads = places::mentioned(bulk).iter().any(|var| arrays.contains(var));
        if copied.is_none() && (!reads || is_in_place(self.program, bulk, arrays)) {
            return None;
        }
        let extents = extents(self.program.ty(*arrays.first()?).dims())?;
        let boxes = Boxes::new(facts, bulk, &extents)?;
        let [place] = &boxes.places[..] else { return None };
        if !place.place.guards.is_empty() {
            return None;
        }
        let mut asked = Asked::default();
        let region = boxes.region(facts, place, &extents, false, &mut asked)?;
        let rest = Rest::Old(copied.unwrap_or_else(|| arrays.to_vec()));
        (region.is_nearly_all && asked.is_nothing()).then(|| (extents, vec![region], rest, asked))
    }
}

/// Whether values can be written at once, perhaps after copies of rows and columns: the pass `lines` makes these.
fn is_in_place(program: &Program, bulk: &Bulk, arrays: &[Var]) -> bool {
    let has_lines = |array: &Var| moves::of(bulk).is_some_and(|moves| moves.lines(*array).is_some());
    places::are_own(program, bulk) || arrays.len() == 1 && arrays.iter().all(has_lines)
}

type Parts = (Vec<Atom>, Vec<Region>, Rest, Asked);

/// An array by clauses of which the last, or a value, is for all elements that the others do not define. What was asked holds
/// from here on.
fn clauses<'p>(facts: &mut Facts<'p>, bulk: &'p Bulk, shape: &[Dim], otherwise: Option<&Block>) -> Option<Parts> {
    let extents = extents(shape)?;
    let boxes = Boxes::new(facts, bulk, &extents)?;
    let (last, before) = boxes.places.split_last()?;
    let (others, rest) = match otherwise {
        Some(value) => (&boxes.places[..], Rest::Value(value.clone())),
        None if last.place.guards.is_empty() => return None,
        // What its guard asks, which elements are defined, is known from the others.
        None => {
            let rest = boxes.region(facts, last, &extents, false, &mut Asked::default())?;
            (before, Rest::Clause(Region { guards: Vec::new(), ..rest }))
        }
    };
    if others.is_empty() || others.len() > MOST || otherwise.is_some_and(|value| value.stms.iter().any(Stm::can_fail)) {
        return None;
    }
    let (fails, mut asked) = (values_fail(bulk), Asked::default());
    let mut regions = Vec::new();
    for path in others {
        regions.push(boxes.region(facts, path, &extents, fails, &mut asked)?);
    }
    (!fails || boxes.places.iter().all(|path| boxes.never_fails(facts, path))).then_some(())?;
    let all: Vec<&Place<'p>> = boxes.places.iter().map(|path| &path.place).collect();
    let holds = |facts: &mut Facts<'p>, known: &[Apart]| match otherwise {
        None => facts.is_exact(shape, &all, known),
        Some(_) => facts.no_collision(shape, &all, known),
    };
    if !holds(facts, &[]) {
        asked.apart = facts.apart_if(&all, &boxes.inside);
        (!asked.apart.is_empty() && holds(facts, &asked.apart)).then_some(())?;
    }
    (asked.is_nothing() || size(bulk) <= LARGEST).then_some((extents, regions, rest, asked))
}

/// How many statements a form has.
fn size(bulk: &Bulk) -> usize {
    let mut size = 0;
    bulk.steps.iter().for_each(|step| step.walk(&mut |part| size += usize::from(matches!(part, Part::Stm(_)))));
    size
}

/// Whether something inside of a form can fail, apart from the definition of its elements.
fn values_fail(bulk: &Bulk) -> bool {
    let mut found = false;
    let mut look = |part: Part<'_>| found |= matches!(part, Part::Stm(stm) if stm.exp.can_fail());
    bulk.steps.iter().for_each(|step| step.walk(&mut look));
    if let [Output { kind: Kind::Gen { otherwise: Some(value), .. }, .. }] = &bulk.outputs[..] {
        value.walk(&mut look);
    }
    found
}

/// The dimensions, if all are regular.
fn extents(dims: &[Dim]) -> Option<Vec<Atom>> {
    let extent = |dim: &Dim| match dim {
        Dim::Size(n) => Some(*n),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    };
    dims.iter().map(extent).collect()
}

/// A value and the statements before it.
struct Path<'p> {
    place: Place<'p>,
    before: Vec<&'p Stm>,
}

/// The values of a form, and what it binds.
struct Boxes<'p> {
    places: Vec<Path<'p>>,
    inside: Set<Var>,
    /// The names of extents that are computed in another way than as sums.
    names: Map<Sym, Var>,
}

impl<'p> Boxes<'p> {
    fn new(facts: &mut Facts<'p>, bulk: &'p Bulk, extents: &[Atom]) -> Option<Boxes<'p>> {
        let places = facts.places(bulk)?;
        let mut paths = Vec::new();
        paths_to(&bulk.steps, &mut Vec::new(), &mut paths);
        let places = places.into_iter().zip(paths).map(|(place, before)| Path { place, before }).collect();
        let inside = Step::bound_in(&bulk.steps);
        let name = |extent: Var| match facts.terms.poly(extent.into()).as_symbol().map(Vec::as_slice) {
            Some([sym]) => Some((*sym, extent)),
            _ => None,
        };
        let names = extents.iter().filter_map(|extent| extent.var()).filter_map(name).collect();
        Some(Boxes { places, inside, names })
    }

    /// Whether nothing before a value fails, as far as is known, and nothing in it can.
    fn never_fails(&self, facts: &mut Facts<'p>, path: &Path<'p>) -> bool {
        let mark = facts.mark();
        for (var, count) in &path.place.loops {
            facts.counts(*var, *count);
            has_turn(facts, *var, *count);
        }
        let holds = path.before.iter().all(|stm| match &stm.exp {
            Exp::Assert { cond, .. } => facts.meaning(*cond, true).iter().all(|fact| facts.follows(fact)),
            _ => !stm.can_fail(),
        });
        facts.forget(mark);
        holds && !path.place.emit.value.stms.iter().any(Stm::can_fail)
    }

    /// The box that a value goes to: each loop moves a subscript of its own by one. If subscripts may `fail`, what keeps them
    /// inside of the array is asked for.
    fn region(
        &self,
        facts: &mut Facts<'p>,
        path: &Path<'p>,
        extents: &[Atom],
        fail: bool,
        asked: &mut Asked,
    ) -> Option<Region> {
        let Place { emit, loops, at, guards, .. } = &path.place;
        let checks: Set<Var> =
            path.before.iter().filter(|stm| is_check(stm)).flat_map(|stm| stm.vars.clone()).collect();
        let from_outside = emit.certs.iter().all(|cert| !self.inside.contains(cert) || checks.contains(cert));
        if at.len() != extents.len() || !from_outside {
            return None;
        }
        let (mut sides, mut is_nearly_all, mut moved) = (Vec::new(), true, 0);
        for (at, extent) in at.iter().zip(extents) {
            let own: Vec<&(Var, Atom)> =
                loops.iter().filter(|(var, _)| at.mentions(&vec![self.symbol(facts, *var)])).collect();
            match own[..] {
                [] => {
                    is_nearly_all = false;
                    if fail {
                        self.ask(facts, Poly::constant(0), at.clone(), asked)?;
                        let extent = facts.terms.poly(*extent);
                        self.ask(facts, at.add_constant(1)?, extent, asked)?;
                    }
                    sides.push(Side::At(self.sum(facts, at)?));
                }
                [(var, count)] => {
                    let (side, is_whole) = self.range(facts, at, (*var, *count), *extent, fail, asked)?;
                    (is_nearly_all, moved) = (is_nearly_all && is_whole, moved + 1);
                    sides.push(side);
                }
                _ => return None,
            }
        }
        let before: Vec<Stm> =
            path.before.iter().filter(|stm| !is_check(stm)).map(|stm| without(stm, &checks)).collect();
        let emit = emit_without(emit, &checks);
        (moved == loops.len() && guards.len() <= 1).then(|| Region {
            sides,
            before,
            guards: guards.clone(),
            emit,
            is_nearly_all,
        })
    }

    /// Asks whether an integer is at most another one, unless that is known.
    fn ask(&self, facts: &mut Facts<'p>, low: Poly, high: Poly, asked: &mut Asked) -> Option<()> {
        let fact = Fact::Order(low.clone(), high.clone(), false);
        if !facts.follows(&fact) {
            asked.orders.push([self.sum(facts, &low)?, self.sum(facts, &high)?]);
            facts.learn(fact);
        }
        Some(())
    }

    fn symbol(&self, facts: &mut Facts<'p>, counter: Var) -> Sym {
        facts.terms.poly(counter.into()).terms()[0].0[0]
    }

    /// The subscripts that a loop runs through, and whether these are all but a few at both ends.
    fn range(
        &self,
        facts: &mut Facts<'p>,
        at: &Poly,
        (counter, count): (Var, Atom),
        extent: Atom,
        fail: bool,
        asked: &mut Asked,
    ) -> Option<(Side, bool)> {
        let low = at.sub(&facts.terms.poly(counter.into()))?;
        let low = first_turn(facts, low, counter, count);
        // Then no sum of numbers of elements wraps around.
        self.ask(facts, Poly::constant(0), low.clone(), asked)?;
        let high = low.add(&turns(facts, &low, count))?;
        if fail {
            let extent = facts.terms.poly(extent);
            self.ask(facts, low.clone(), extent.clone(), asked)?;
            self.ask(facts, high.clone(), extent, asked)?;
        }
        let left = facts.terms.poly(extent).sub(&high)?.as_constant();
        let is_few = |left: Option<i64>| left.is_some_and(|left| (0..=BORDER).contains(&left));
        let is_whole = is_few(low.as_constant()) && is_few(left);
        let bound = |facts: &mut Facts<'p>, is_border: bool, poly: &Poly| match is_border {
            true => Some(None),
            false => self.sum(facts, poly).map(Some),
        };
        let (begins, ends) = (low.as_constant() == Some(0), left == Some(0));
        let (low, high) = (bound(facts, begins, &low)?, bound(facts, ends, &high)?);
        Some((Side::Range { counter, low, high }, is_whole))
    }

    /// An integer as a sum of variables from outside of the form.
    fn sum(&self, facts: &Facts<'p>, poly: &Poly) -> Option<Sum> {
        let mut sum = Sum { added: Vec::new(), subtracted: Vec::new(), constant: poly.constant_part() };
        for (product, factor) in poly.terms() {
            let [sym] = product[..] else { return None };
            let var = match facts.terms.terms[sym] {
                Term::Atom(Atom::Var(var)) => var,
                _ => *self.names.get(&sym)?,
            };
            match factor {
                _ if self.inside.contains(&var) => return None,
                1 => sum.added.push(var),
                -1 => sum.subtracted.push(var),
                _ => return None,
            }
        }
        Some(sum)
    }
}

/// The statements before each value, in the order of the values.
fn paths_to<'p>(steps: &'p [Step], before: &mut Vec<&'p Stm>, paths: &mut Vec<Vec<&'p Stm>>) {
    let depth = before.len();
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => paths_to(body, before, paths),
            Step::Let(stm) => before.push(stm),
            Step::Emit(_) => paths.push(before.clone()),
            Step::Scan(_) => {}
        }
    }
    before.truncate(depth);
}

/// The subscript in the first turn of a loop, if it has one. Where a choice comes out the same way in every loop that has
/// turns, it is no choice.
fn first_turn(facts: &mut Facts<'_>, low: Poly, counter: Var, count: Atom) -> Poly {
    let Some(Term::Select(_, a, b)) = choice(facts, &low) else { return low };
    let mark = facts.mark();
    facts.counts(counter, count);
    let found = [a, b].into_iter().find(|value| {
        let difference = low.sub(value);
        difference.is_some_and(|difference| facts.follows(&Fact::Zero(difference)))
    });
    facts.forget(mark);
    found.unwrap_or(low)
}

/// How many turns a loop has whose first index is not negative; may be negative where it has none, and any number if the last
/// index is below the first one.
fn turns(facts: &mut Facts<'_>, low: &Poly, count: Atom) -> Poly {
    let turns = facts.terms.poly(count);
    let turns = not_too_many(facts, turns);
    let none = |poly: &Poly| poly.as_constant().is_some_and(|n| n <= 0);
    match choice(facts, &turns) {
        Some(Term::Select(cond, a, b)) if none(&b) => {
            let ends = low.add(&a).and_then(|high| room(low, &high));
            if ends.is_some_and(|ends| facts.meaning(cond, true) == [ends]) {
                return a;
            }
            let mark = facts.mark();
            facts.suppose(cond, false);
            let is_none = facts.follows(&Fact::Order(a.clone(), Poly::constant(0), false));
            facts.forget(mark);
            if is_none { a } else { turns }
        }
        Some(Term::Extreme(MathOp::Max, a, b)) if none(&b) => a,
        _ => turns,
    }
}

/// A loop with a turn has as many as its choices say.
fn has_turn(facts: &mut Facts<'_>, counter: Var, count: Atom) {
    let (turn, count) = (facts.terms.poly(counter.into()), facts.terms.poly(count));
    let turns = not_too_many(facts, count);
    if let Some(Term::Select(cond, a, b)) = choice(facts, &turns)
        && b.as_constant() == Some(0)
    {
        facts.suppose(cond, true);
        facts.learn(Fact::Order(turn, a, true));
    }
}

/// That the first of two integers is below the second.
fn room(low: &Poly, high: &Poly) -> Option<Fact> {
    Some(Fact::Order(low.clone(), high.clone(), true))
}

/// The number of turns without the case that there are more than any number: `select(n < 0, 9223372036854775807, n)` is `n`
/// where `n` is `select(low < high, high - low, 0)` and `low` is not negative.
fn not_too_many(facts: &mut Facts<'_>, turns: Poly) -> Poly {
    let Some(Term::Select(wraps, most, fewer)) = choice(facts, &turns) else { return turns };
    let Some(Term::Select(cond, distance, none)) = choice(facts, &fewer) else { return turns };
    let natural = |poly: &Poly| Fact::Order(Poly::constant(0), poly.clone(), false);
    let is_limit = most.as_constant() == Some(i64::MAX) && none.as_constant() == Some(0);
    if !is_limit || facts.meaning(wraps, false) != [natural(&fewer)] {
        return turns;
    }
    let mark = facts.mark();
    facts.suppose(cond, true);
    let fits = facts.follows(&natural(&distance));
    facts.forget(mark);
    if fits { fewer } else { turns }
}

/// What a polynomial stands for that is a single symbol.
fn choice(facts: &Facts<'_>, poly: &Poly) -> Option<Term> {
    match poly.as_symbol().map(Vec::as_slice) {
        Some(&[sym]) => Some(facts.terms.terms[sym].clone()),
        _ => None,
    }
}

fn is_check(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Assert { .. })
}

/// Those statements that others of them, or a value, need.
pub(super) fn needed(stms: &[Stm], value: &Block) -> Vec<Stm> {
    let mut used: Set<Var> = Set::default();
    let mut add = |part: Part<'_>| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            used.insert(*var);
        }
    };
    value.walk(&mut add);
    let mut kept = Vec::new();
    for stm in stms.iter().rev() {
        if stm.vars.iter().any(|var| used.contains(var)) {
            stm.walk(&mut |part| {
                if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                    used.insert(*var);
                }
            });
            kept.push(stm.clone());
        }
    }
    kept.reverse();
    kept
}

/// A statement that does not rely on these checks.
fn without(stm: &Stm, checks: &Set<Var>) -> Stm {
    let mut block = Block { stms: vec![stm.clone()], result: Vec::new() };
    block.for_each_stm_mut(&mut |stm| stm.certs.retain(|cert| !checks.contains(cert)));
    block.stms.remove(0)
}

/// A value that does not rely on these checks.
fn emit_without(emit: &Emit, checks: &Set<Var>) -> Emit {
    let mut own = emit.clone();
    own.certs.retain(|cert| !checks.contains(cert));
    own.value.for_each_stm_mut(&mut |stm| stm.certs.retain(|cert| !checks.contains(cert)));
    own
}
