//! Which arrays by clauses have exactly one value for each element.

use base::{Map, Span};
use ir::facts::Facts;
use ir::facts::places::{Apart, Place};
use ir::facts::walk::{Around, Visitor};
use ir::traverse::Part;
use ir::{Block, Bulk, Coverage, Exp, Kind, Output, Step, Stm, Var};
use std::borrow::Cow;

/// More clauses than this are not compared with each other.
const MOST: usize = 24;

/// Outputs of a form that need no checks, if all these conditions hold.
pub(super) struct Exact {
    /// The place of the form.
    pub span: Span,
    pub outputs: Vec<usize>,
    pub if_all: Vec<Apart>,
}

/// Finds them, by the first variable that the form binds.
#[derive(Default)]
pub(super) struct Finder {
    pub exact: Map<Var, Exact>,
}

impl<'p> Visitor<'p> for Finder {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        if let (Exp::Bulk(bulk), Some(first)) = (&stm.exp, stm.vars.first())
            && bulk.outputs.iter().any(is_checked)
            && let Some(exact) = exact(facts, bulk, stm.span)
        {
            self.exact.insert(*first, exact);
        }
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        Cow::Borrowed(certs)
    }

    fn enter(&mut self, _: &mut Facts<'p>, _: Around<'p>) {}

    fn leave(&mut self) {}
}

/// Whether some form checks which elements are defined.
pub(super) fn has_checked(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |part| {
        found |= matches!(part, Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) if bulk.outputs.iter().any(is_checked));
    });
    found
}

pub(super) fn is_checked(output: &Output) -> bool {
    matches!(output.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
}

fn exact<'p>(facts: &mut Facts<'p>, bulk: &'p Bulk, span: Span) -> Option<Exact> {
    let places = facts.places(bulk)?;
    let mut inside = None;
    let mut found = Exact { span, outputs: Vec::new(), if_all: Vec::new() };
    for (number, output) in bulk.outputs.iter().enumerate() {
        let own: Vec<&Place<'_>> = places.iter().filter(|place| place.emit.output == number).collect();
        // Recursive arrays also need an order: that is for the pass `order`.
        let is_plain = output.sizes.is_empty() && output.rec().is_empty();
        if !is_checked(output) || !is_plain || own.len() > MOST {
            continue;
        }
        if holds(facts, output, &own, &[]) {
            found.outputs.push(number);
            continue;
        }
        let conditions = facts.apart_if(&own, inside.get_or_insert_with(|| Step::bound_in(&bulk.steps)));
        if !conditions.is_empty() && holds(facts, output, &own, &conditions) {
            let conditions = needed(facts, output, &own, conditions);
            found.outputs.push(number);
            found
                .if_all
                .extend(conditions.into_iter().filter(|apart| !found.if_all.contains(apart)).collect::<Vec<_>>());
        }
    }
    (!found.outputs.is_empty()).then_some(found)
}

/// The conditions without those that follow from others.
fn needed(facts: &mut Facts<'_>, output: &Output, places: &[&Place<'_>], mut all: Vec<Apart>) -> Vec<Apart> {
    for number in (0..all.len()).rev() {
        let mut fewer = all.clone();
        fewer.remove(number);
        if !fewer.is_empty() && holds(facts, output, places, &fewer) {
            all = fewer;
        }
    }
    all
}

/// Whether an output gets one value for each element, or at most one if others have a value.
fn holds(facts: &mut Facts<'_>, output: &Output, places: &[&Place<'_>], known: &[Apart]) -> bool {
    match &output.kind {
        Kind::Gen { shape, otherwise: Some(_), .. } => facts.no_collision(shape, places, known),
        Kind::Gen { shape, otherwise: None, .. } => facts.is_exact(shape, places, known),
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    }
}
