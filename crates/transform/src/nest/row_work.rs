//! What the elements of a row share: it would be computed for each of them if rows were no longer made one after the other.

use analysis::cost;
use base::Map;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Kind, Output, Program, Step, Stm, Var};

/// Through how many arrays that are made for one reader it is looked for.
const DEEPEST: usize = 6;

/// What rows take in the arrays of a function that are read in one place, so that fusion may compute them there.
pub(super) struct RowWork(Map<Var, Row>);

struct Row {
    /// The cycles for what the elements of one row share.
    cycles: usize,
    /// What is read for elements.
    inputs: Vec<Var>,
}

impl RowWork {
    pub fn of(program: &Program, body: &Block) -> RowWork {
        let uses = super::combined::uses(program, |f| body.walk(f));
        let mut rows = RowWork(Map::default());
        body.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Bulk(bulk), vars, .. }) = part
                && let [var] = vars[..]
                && uses.get(&var) == Some(&1)
            {
                rows.0.insert(var, Row { cycles: shared(program, bulk), inputs: inputs(&bulk.steps) });
            }
        });
        rows
    }

    /// How many cycles are shared by the elements of the rows that steps read.
    pub fn cycles(&self, steps: &[Step]) -> usize {
        self.all(&inputs(steps), DEEPEST)
    }

    fn all(&self, arrays: &[Var], depth: usize) -> usize {
        let one = |array: &Var| match self.0.get(array) {
            None => 0,
            Some(_) if depth == 0 => usize::MAX,
            Some(row) => row.cycles.saturating_add(self.all(&row.inputs, depth - 1)),
        };
        arrays.iter().map(one).fold(0, usize::saturating_add)
    }
}

/// The cycles for what the elements of one row share: all that is not in the innermost loop.
fn shared(program: &Program, bulk: &Bulk) -> usize {
    let [Output { kind: Kind::Gen { otherwise: None, .. }, .. }] = &bulk.outputs[..] else { return usize::MAX };
    let mut steps = &bulk.steps[..];
    // What is bound before the loop that is looked at, and what is bound in it.
    let (mut before, mut inside) = (0usize, 0usize);
    loop {
        let Some((last, lets)) = steps.split_last() else { return usize::MAX };
        for step in lets {
            let Step::Let(stm) = step else { return usize::MAX };
            inside = inside.saturating_add(cycles(stm));
        }
        match last {
            Step::For { body, .. } => {
                before = before.saturating_add(std::mem::take(&mut inside));
                steps = body;
            }
            Step::Emit(emit) if bulk.outputs[0].elems.iter().any(|elem| program.ty(*elem).is_array()) => {
                return before.saturating_add(inside).saturating_add(in_row(program, &emit.value));
            }
            Step::Emit(_) => return before,
            Step::Guard(..) | Step::Let(_) | Step::Scan(_) => return usize::MAX,
        }
    }
}

/// The cycles for what the elements of a row share that is a value.
fn in_row(program: &Program, value: &Block) -> usize {
    let [Atom::Var(row)] = value.result[..] else { return usize::MAX };
    let Some(maker) = value.stms.iter().find(|stm| stm.vars == [row]) else { return 0 };
    let others = value.stms.iter().filter(|stm| stm.vars != [row]).map(cycles).fold(0, usize::saturating_add);
    let own = match &maker.exp {
        Exp::Bulk(bulk) => shared(program, bulk),
        Exp::Index(..) => 0,
        _ => usize::MAX,
    };
    own.saturating_add(others)
}

/// How many cycles a statement takes: too many if it repeats something.
pub(super) fn cycles(stm: &Stm) -> usize {
    match any(stm, &repeats) {
        true => usize::MAX,
        false => cost::cycles(&[Step::Let(stm.clone())]),
    }
}

fn repeats(exp: &Exp) -> bool {
    let loops = matches!(exp, Exp::Bulk(_) | Exp::Loop { .. } | Exp::Call(..) | Exp::Sort(..) | Exp::SortKeys(_));
    loops || matches!(exp, Exp::Copy(_) | Exp::DescOf(_) | Exp::DescLengths(_) | Exp::DescEqual(..))
}

fn any(stm: &Stm, wanted: &dyn Fn(&Exp) -> bool) -> bool {
    let mut found = wanted(&stm.exp);
    stm.walk(&mut |part| found |= matches!(part, Part::Stm(inner) if wanted(&inner.exp)));
    found
}

/// The arrays of which steps read elements or rows.
fn inputs(steps: &[Step]) -> Vec<Var> {
    let mut found = Vec::new();
    for step in steps {
        step.walk(&mut |part| match part {
            Part::Stm(Stm { exp: Exp::Index(array, _), .. }) if !found.contains(array) => found.push(*array),
            _ => {}
        });
    }
    found
}
