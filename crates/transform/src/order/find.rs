//! Which value of recursive arrays reads which.

use super::filled;
use base::{Map, Set, Span};
use ir::facts::Facts;
use ir::facts::places::Place;
use ir::facts::precedence::Precedence;
use ir::facts::walk::{Around, Visitor};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Var};
use std::borrow::Cow;

/// Forms with more clauses are computed on demand.
const MOST: usize = 24;

/// A form that makes recursive arrays whose elements each have one value.
pub(super) struct Recursive<'p> {
    pub first: Var,
    pub span: Span,
    pub bulk: &'p Bulk,
    pub places: Vec<Place<'p>>,
    pub reads: Vec<Read>,
    /// For two clauses, in both orders, how many of their outermost loops are the same ones.
    pub shared: Map<(usize, usize), usize>,
}

/// A value that reads an element which another one may define.
pub(super) struct Read {
    pub reader: usize,
    pub writer: usize,
    /// By so many of the outermost loops, for all directions of these.
    pub when: Map<usize, Vec<Precedence>>,
}

pub(super) struct Finder<'p> {
    program: &'p Program,
    pub found: Vec<Recursive<'p>>,
    /// The form that the walk is in, and the value.
    open: Vec<(usize, Option<usize>)>,
    /// How deep the walk is, and where it left what is in `open`.
    depth: Vec<Entered>,
    /// The names of recursive arrays: form, output, and how many subscripts lead to an element.
    names: Map<Var, (usize, usize, usize)>,
}

#[derive(PartialEq)]
enum Entered {
    Form,
    Value(Option<usize>),
    Other,
}

impl<'p> Finder<'p> {
    pub fn new(program: &'p Program) -> Finder<'p> {
        Finder { program, found: Vec::new(), open: Vec::new(), depth: Vec::new(), names: Map::default() }
    }

    /// A form that may be computed in order, with what its clauses define.
    fn recursive(&self, facts: &mut Facts<'p>, stm: &'p Stm, bulk: &'p Bulk) -> Option<Recursive<'p>> {
        let first = *stm.vars.first()?;
        if bulk.scheduled || !bulk.outputs.iter().all(|output| is_plain(bulk, output)) {
            return None;
        }
        let places = facts.places(bulk)?;
        if places.len() > MOST || !one_by_one(self.program, bulk, &places) {
            return None;
        }
        for (number, output) in bulk.outputs.iter().enumerate() {
            let own: Vec<&Place<'_>> = places.iter().filter(|place| place.emit.output == number).collect();
            if !is_defined_once(self.program, facts, output, &own) {
                return None;
            }
        }
        let shared = shared(facts, bulk, &places);
        Some(Recursive { first, span: stm.span, bulk, places, reads: Vec::new(), shared })
    }

    fn read(&mut self, facts: &mut Facts<'p>, name: Var, at: &[Atom]) {
        let Some((form, output, cells)) = self.names.get(&name).copied() else { return };
        let Some((_, Some(reader))) = self.open.iter().rev().find(|(open, _)| *open == form).copied() else { return };
        let recursive = &mut self.found[form];
        let at: Vec<_> = at.iter().take(cells).map(|atom| facts.terms.poly(*atom)).collect();
        for (writer, place) in recursive.places.iter().enumerate() {
            if place.emit.output != output {
                continue;
            }
            let levels: Vec<usize> = match recursive.shared.get(&(reader, writer)) {
                _ if reader == writer => vec![place.loops.len()],
                Some(shared) => (0..=*shared).collect(),
                None => vec![0],
            };
            if let Some(when) = facts.precedence(&at, &recursive.places[reader], place, &levels) {
                recursive.reads.push(Read { reader, writer, when: levels.into_iter().zip(when).collect() });
            }
        }
    }
}

impl<'p> Visitor<'p> for Finder<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        match &stm.exp {
            Exp::Bulk(bulk) if is_recursive(bulk) => {
                let Some(found) = self.recursive(facts, stm, bulk) else { return };
                let form = self.found.len();
                for (number, output) in bulk.outputs.iter().enumerate() {
                    let cells = found.places.iter().find(|place| place.emit.output == number);
                    let cells = cells.map_or(0, |place| place.at.len());
                    self.names.extend(output.rec().iter().map(|name| (*name, (form, number, cells))));
                }
                self.found.push(found);
            }
            Exp::Index(name, at) => self.read(facts, *name, at),
            _ => {}
        }
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, around: Around<'p>) {
        let entered = match around {
            Around::Steps(steps) => match self.found.iter().rposition(|form| std::ptr::eq(&*form.bulk.steps, steps)) {
                Some(form) => {
                    self.open.push((form, None));
                    Entered::Form
                }
                None => Entered::Other,
            },
            Around::Block(block) => self.value(block),
            Around::For(..) | Around::Count(..) | Around::While | Around::If(..) => Entered::Other,
        };
        self.depth.push(entered);
    }

    fn leave(&mut self) {
        match self.depth.pop() {
            Some(Entered::Form) => {
                self.open.pop();
            }
            Some(Entered::Value(outer)) => {
                if let Some((_, value)) = self.open.last_mut() {
                    *value = outer;
                }
            }
            Some(Entered::Other) | None => {}
        }
    }
}

impl Finder<'_> {
    /// The walk enters the value of a clause.
    fn value(&mut self, block: &Block) -> Entered {
        let Some((form, value)) = self.open.last_mut() else { return Entered::Other };
        let place = self.found[*form].places.iter().position(|place| std::ptr::eq(&place.emit.value, block));
        match place {
            Some(place) => Entered::Value(value.replace(place)),
            None => Entered::Other,
        }
    }
}

/// Whether some form makes recursive arrays.
pub(super) fn has_recursive(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |part| {
        found |= matches!(part, Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) if is_recursive(bulk));
    });
    found
}

fn is_recursive(bulk: &Bulk) -> bool {
    bulk.outputs.iter().any(|output| !output.rec().is_empty())
}

/// Whether an output is an array of elements of one size, and the value of those that no clause defines can be there first.
fn is_plain(bulk: &Bulk, output: &Output) -> bool {
    let names: Vec<Var> = bulk.outputs.iter().flat_map(|output| output.rec()).copied().collect();
    let new = match &output.kind {
        Kind::Gen { otherwise, .. } => otherwise.as_ref().is_none_or(|value| filled::is_ready(value, &names)),
        Kind::Update { skip, .. } => !skip,
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    };
    new && output.sizes.is_empty() && !output.rec().is_empty()
}

/// Whether each outermost step has one value at most, and values read recursive arrays one element at a time.
fn one_by_one(program: &Program, bulk: &Bulk, places: &[Place<'_>]) -> bool {
    let single = |(k, place): (usize, &Place<'_>)| places[..k].iter().all(|other| other.step != place.step);
    let names: Map<Var, usize> = bulk
        .outputs
        .iter()
        .enumerate()
        .flat_map(|(number, output)| {
            let cells = places.iter().find(|place| place.emit.output == number).map_or(0, |place| place.at.len());
            output.rec().iter().map(move |name| (*name, cells))
        })
        .collect();
    let in_values = places.iter().all(|place| reads_elements(&place.emit.value, &names));
    let regular = names.keys().all(|name| program.ty(*name).dims().iter().all(|dim| matches!(dim, Dim::Size(_))));
    regular && in_values && places.iter().enumerate().all(single)
}

fn reads_elements(value: &Block, names: &Map<Var, usize>) -> bool {
    let (mut uses, mut reads) = (0, 0);
    value.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => uses += usize::from(names.contains_key(var)),
        Part::Stm(Stm { exp: Exp::Index(var, at), .. }) => {
            reads += usize::from(names.get(var).is_some_and(|cells| at.len() >= *cells));
        }
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    uses == reads
}

/// Whether each element of an output has one value, or at most one if there are old elements.
fn is_defined_once(program: &Program, facts: &mut Facts<'_>, output: &Output, places: &[&Place<'_>]) -> bool {
    match &output.kind {
        Kind::Gen { coverage: Coverage::Exact, .. } => true,
        Kind::Gen { shape, otherwise: Some(_), .. } => facts.no_collision(shape, places, &[]),
        Kind::Gen { shape, otherwise: None, .. } => facts.is_exact(shape, places, &[]),
        Kind::Update { arrays, .. } => {
            let (Some(array), Some(place)) = (arrays.first(), places.first()) else { return false };
            let dims = program.ty(*array).dims();
            let cells = place.at.len().min(dims.len());
            places.iter().all(|place| place.at.len() == cells) && facts.no_collision(&dims[..cells], places, &[])
        }
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    }
}

/// How many outermost loops of two clauses have the same numbers of turns.
fn shared(facts: &mut Facts<'_>, bulk: &Bulk, places: &[Place<'_>]) -> Map<(usize, usize), usize> {
    let mut found = Map::default();
    let inside = bound_in_loops(bulk);
    let fixed = |place: &Place<'_>| {
        let fixed = |(_, count): &&(Var, Atom)| count.var().is_none_or(|var| !inside.contains(&var));
        place.loops.iter().take_while(fixed).count()
    };
    for (a, one) in places.iter().enumerate() {
        for (b, other) in places.iter().enumerate().filter(|(b, _)| *b != a) {
            let levels = facts.same_turns(one, other).min(fixed(one)).min(fixed(other));
            if levels > 0 {
                found.insert((a, b), levels);
            }
        }
    }
    found
}

/// What the loops of a form bind.
fn bound_in_loops(bulk: &Bulk) -> Set<Var> {
    Step::bound_in(bulk.steps.iter().filter(|step| !matches!(step, Step::Let(_))))
}

/// Where a form may fail, or show something.
#[derive(Default)]
pub(super) struct Failing {
    /// In bindings outside of loops.
    pub before: bool,
    /// In loops, but not in values.
    pub in_loops: bool,
    /// In values.
    pub in_values: bool,
}

pub(super) fn may_fail(steps: &[Step]) -> Failing {
    let mut failing = Failing::default();
    for step in steps {
        match step {
            Step::Let(stm) => failing.before |= stm.can_fail(),
            step => fails_in(std::slice::from_ref(step), &mut failing),
        }
    }
    failing
}

fn fails_in(steps: &[Step], failing: &mut Failing) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => fails_in(body, failing),
            Step::Let(stm) => failing.in_loops |= stm.can_fail(),
            Step::Emit(emit) => failing.in_values |= emit.value.stms.iter().any(Stm::can_fail),
            Step::Scan(_) => failing.in_loops = true,
        }
    }
}
