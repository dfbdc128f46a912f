//! Finds forms of which a region has values of its own.

use analysis::places;
use base::{Map, Set, Span};
use ir::facts::places::Place;
use ir::facts::terms::{Poly, Sym, Term};
use ir::facts::walk::{Around, Visitor};
use ir::facts::{Fact, Facts};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Output, Program, Step, Stm, Var};
use scalar::MathOp;
use std::borrow::Cow;

/// An update leaves at most so many rows at each end of a dimension.
const BORDER: i64 = 16;
/// More regions than this are not told apart one by one.
const MOST: usize = 4;

/// A form to change.
pub(super) struct Found {
    pub span: Span,
    /// The extents of the array.
    pub extents: Vec<Atom>,
    pub regions: Vec<Region>,
    pub rest: Rest,
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
        if !scalars || !output.sizes.is_empty() || !output.rec().is_empty() || values_fail(bulk) {
            return;
        }
        let found = match &output.kind {
            Kind::Gen { shape, otherwise, .. } => clauses(facts, bulk, shape, otherwise.as_ref()),
            Kind::Update { arrays, skip: false, .. } => self.update(facts, bulk, arrays),
            Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => None,
        };
        let found = found.map(|(extents, regions, rest)| Found { span: stm.span, extents, regions, rest });
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
        let region = boxes.region(facts, place, &extents)?;
        let rest = Rest::Old(copied.unwrap_or_else(|| arrays.to_vec()));
        region.is_nearly_all.then(|| (extents, vec![region], rest))
    }
}

/// Whether values can be written at once, perhaps after copies of rows and columns: the pass `lines` makes these.
fn is_in_place(program: &Program, bulk: &Bulk, arrays: &[Var]) -> bool {
    let has_lines = |array: &Var| places::moves(bulk).is_some_and(|moves| moves.lines(*array).is_some());
    places::are_own(program, bulk) || arrays.len() == 1 && arrays.iter().all(has_lines)
}

type Parts = (Vec<Atom>, Vec<Region>, Rest);

/// An array by clauses of which the last, or a value, is for all elements that the others do not define.
fn clauses<'p>(facts: &mut Facts<'p>, bulk: &'p Bulk, shape: &[Dim], otherwise: Option<&Block>) -> Option<Parts> {
    let extents = extents(shape)?;
    let boxes = Boxes::new(facts, bulk, &extents)?;
    let (guarded, others): (Vec<&Path<'p>>, Vec<&Path<'p>>) =
        boxes.places.iter().partition(|path| !path.place.guards.is_empty());
    if others.is_empty() || others.len() > MOST {
        return None;
    }
    let all: Vec<&Place<'p>> = boxes.places.iter().map(|path| &path.place).collect();
    let regions = others.iter().map(|path| boxes.region(facts, path, &extents)).collect::<Option<Vec<Region>>>()?;
    let rest = match (&guarded[..], otherwise) {
        ([rest], None) if facts.is_exact(shape, &all, &[]) => Rest::Clause(boxes.region(facts, rest, &extents)?),
        ([], Some(value)) if facts.no_collision(shape, &all, &[]) => Rest::Value(value.clone()),
        _ => return None,
    };
    Some((extents, regions, rest))
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

    /// The box that a value goes to: each loop moves a subscript of its own by one.
    fn region(&self, facts: &mut Facts<'p>, path: &Path<'p>, extents: &[Atom]) -> Option<Region> {
        let Place { emit, loops, at, .. } = &path.place;
        let from_outside = emit.certs.iter().all(|cert| !self.inside.contains(cert));
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
                    sides.push(Side::At(self.sum(facts, at)?));
                }
                [(var, count)] => {
                    let (side, is_whole) = self.range(facts, at, *var, *count, *extent)?;
                    (is_nearly_all, moved) = (is_nearly_all && is_whole, moved + 1);
                    sides.push(side);
                }
                _ => return None,
            }
        }
        let before = path.before.iter().map(|stm| (*stm).clone()).collect();
        (moved == loops.len()).then(|| Region { sides, before, emit: (*emit).clone(), is_nearly_all })
    }

    fn symbol(&self, facts: &mut Facts<'p>, counter: Var) -> Sym {
        facts.terms.poly(counter.into()).terms()[0].0[0]
    }

    /// The subscripts that a loop runs through, and whether these are all but a few at both ends.
    fn range(&self, facts: &mut Facts<'p>, at: &Poly, counter: Var, count: Atom, extent: Atom) -> Option<(Side, bool)> {
        let low = at.sub(&facts.terms.poly(counter.into()))?;
        let low = first_turn(facts, low, counter, count);
        let high = low.add(&turns(facts, count))?;
        // Then no sum of numbers of elements wraps around.
        facts.follows(&Fact::Order(Poly::constant(0), low.clone(), false)).then_some(())?;
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
    let choice = low.as_symbol().and_then(|product| match product[..] {
        [sym] => Some(facts.terms.terms[sym].clone()),
        _ => None,
    });
    let Some(Term::Select(_, a, b)) = choice else { return low };
    let mark = facts.mark();
    facts.counts(counter, count);
    let found = [a, b].into_iter().find(|value| {
        let difference = low.sub(value);
        difference.is_some_and(|difference| facts.follows(&Fact::Zero(difference)))
    });
    facts.forget(mark);
    found.unwrap_or(low)
}

/// How many turns a loop has; may be negative where it has none.
fn turns(facts: &mut Facts<'_>, count: Atom) -> Poly {
    let turns = facts.terms.poly(count);
    let Some(&[sym]) = turns.as_symbol().map(Vec::as_slice) else { return turns };
    let none = |poly: &Poly| poly.as_constant().is_some_and(|n| n <= 0);
    match facts.terms.terms[sym].clone() {
        Term::Select(cond, a, b) if none(&b) => {
            let mark = facts.mark();
            facts.suppose(cond, false);
            let is_none = facts.follows(&Fact::Order(a.clone(), Poly::constant(0), false));
            facts.forget(mark);
            if is_none { a } else { turns }
        }
        Term::Extreme(MathOp::Max, a, b) if none(&b) => a,
        _ => turns,
    }
}
