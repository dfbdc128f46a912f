//! Moves a form over kept values to where they are kept.
//!
//! ```text
//! let (m, ws) = bulk { out keep ..; for i < n { ..; if c { emit => w } } }     let s = bulk {
//! let s = bulk { out reduce ..; for j < m { let v = ws[j]; emit => v } }         out reduce ..
//!                                                                          =>    for i < n {
//!                                                                                  ..; if c { let v = w; emit => v }
//!                                                                                }
//!                                                                              }
//! ```
//!
//! A new array over the kept values is kept beside them: it becomes a component of the same output. All other outputs stay
//! what they are; reductions and scans then count the turns of the first form's loop. Where the second form uses the number of
//! a value, a scan counts the values.

use super::counting;
use super::merge::{OneLoop, in_block, use_values};
use super::settle::{lift, renumber};
use super::uses::Uses;
use base::Set;
use ir::rename::Substitution;
use ir::traverse::Part;
use ir::{Atom, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Program, Step, Stm, Var};

/// What is known about two forms of which the second runs over what the first keeps.
pub(super) struct Kept {
    /// The output of the first that keeps the values.
    output: usize,
    /// The kept arrays.
    arrays: Vec<Var>,
    /// The index of the second.
    index: Var,
    /// Which outputs of the second are kept too.
    beside: Vec<bool>,
    /// Whether it needs the index for more than reading the value.
    pub counts: bool,
}

/// Whether the second form only uses the values that the first keeps, one in each turn.
pub(super) fn matching(program: &Program, first: &Stm, second: &Stm) -> Option<Kept> {
    let (Exp::Bulk(from), Exp::Bulk(to)) = (&first.exp, &second.exp) else { return None };
    let other = OneLoop::of(to)?;
    let (output, bound) = kept_output(first, from, other.count.var()?)?;
    let count = bound[0];
    let beside: Vec<bool> = (0..to.outputs.len()).map(|number| is_element_wise(to, number, &other)).collect();
    let mut kept = Kept { output, arrays: bound[1..].to_vec(), index: other.var, beside, counts: false };
    let fits = |to: &Output, beside: bool| beside || !mentions(program, &first.vars, &alone(to));
    let outputs_fit = to.outputs.iter().zip(&kept.beside).all(|(output, beside)| fits(output, *beside));
    let elems = to.outputs.iter().flat_map(|output| &output.elems);
    let mut sizes = false;
    elems.for_each(|elem| program.ty(*elem).for_each_var(&mut |var| sizes |= first.vars.contains(&var)));
    let before_fits = other.before.iter().all(|step| !step_mentions(program, &first.vars, step));
    let good = outputs_fit && !sizes && before_fits && kept.reads_only_values(program, first, count, &other);
    good.then_some(kept)
}

/// The output of a form that keeps so many values, and what it binds. It keeps values at one place only.
fn kept_output<'a>(stm: &'a Stm, bulk: &Bulk, count: Var) -> Option<(usize, &'a [Var])> {
    if bulk.outputs.iter().any(|output| !output.rec().is_empty()) {
        return None;
    }
    let mut rest = &stm.vars[..];
    for (number, output) in bulk.outputs.iter().enumerate() {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        if matches!(output.kind, Kind::Keep) && bound.first() == Some(&count) {
            let once = output.sizes.is_empty() && analysis::emits::count(&bulk.steps, number) == 1;
            return once.then_some((number, bound));
        }
    }
    None
}

/// Whether an output is a new array of which each turn gives the element with its own number.
pub(super) fn is_element_wise(bulk: &Bulk, number: usize, one: &OneLoop<'_>) -> bool {
    let output = &bulk.outputs[number];
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, .. } = &output.kind else { return false };
    let direct =
        |step: &Step| matches!(step, Step::Emit(emit) if emit.output == number && emit.at == [Atom::Var(one.var)]);
    output.sizes.is_empty()
        && shape[..] == [Dim::Size(one.count)]
        && analysis::emits::count(one.body, number) == 1
        && one.body.iter().any(direct)
}

/// An output without values.
fn alone(output: &Output) -> Stm {
    let exp = Exp::Bulk(Bulk { outputs: vec![output.clone()], steps: Vec::new(), scheduled: false });
    Stm { vars: Vec::new(), certs: Vec::new(), exp, span: base::Span::OF_CALLER }
}

fn mentions(program: &Program, vars: &[Var], stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| found |= part_mentions(program, vars, &part));
    found
}

fn step_mentions(program: &Program, vars: &[Var], step: &Step) -> bool {
    let mut found = false;
    step.walk(&mut |part| found |= part_mentions(program, vars, &part));
    found
}

fn part_mentions(program: &Program, vars: &[Var], part: &Part<'_>) -> bool {
    match part {
        Part::Atom(Atom::Var(var)) => vars.contains(var),
        Part::Use(var) => vars.contains(var),
        Part::Bind(var) => {
            let mut found = false;
            program.ty(**var).for_each_var(&mut |var| found |= vars.contains(&var));
            found
        }
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => false,
    }
}

impl Kept {
    /// Whether the body of the second form mentions nothing of the first but the value of its turn, and its index only to
    /// say which one that is.
    fn reads_only_values(&mut self, program: &Program, first: &Stm, count: Var, one: &OneLoop<'_>) -> bool {
        let (mut made, mut indices, mut good, mut sizes) = (0, 0, 0, false);
        for step in one.body {
            step.walk(&mut |part| {
                match &part {
                    Part::Atom(Atom::Var(var)) => {
                        made += usize::from(first.vars.contains(var));
                        indices += usize::from(*var == self.index);
                    }
                    Part::Use(var) => made += usize::from(first.vars.contains(var)),
                    Part::Bind(var) => program.ty(**var).for_each_var(&mut |var| {
                        sizes |= first.vars.contains(&var) || var == self.index || var == count;
                    }),
                    Part::Stm(Stm { exp: Exp::Index(array, at), .. }) if self.arrays.contains(array) => {
                        let others = at.iter().skip(1).any(|atom| *atom == Atom::Var(self.index));
                        good += usize::from(at.first() == Some(&Atom::Var(self.index)) && !others);
                    }
                    Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
                };
            });
        }
        let places = self.beside.iter().filter(|beside| **beside).count();
        self.counts = indices != good + places;
        !sizes && made == good && (!self.counts || self.index_is_a_value(one.body))
    }

    /// Whether no place in an array depends on the index, apart from those of kept values: that it is below their number is
    /// known of the index of a loop only.
    fn index_is_a_value(&self, body: &[Step]) -> bool {
        let mut depends: Set<Var> = [self.index].into_iter().collect();
        let mut good = true;
        for step in body {
            step.walk(&mut |part| {
                let Part::Stm(stm) = part else { return };
                if matches!(&stm.exp, Exp::Index(array, _) if self.arrays.contains(array)) {
                    return;
                }
                let mut uses = false;
                stm.walk(&mut |part| uses |= matches!(part, Part::Atom(Atom::Var(var)) if depends.contains(var)));
                if uses {
                    good &= is_scalar(&stm.exp, &depends);
                    depends.extend(&stm.vars);
                }
            });
        }
        good && self.places_are_constant(body, &depends)
    }

    fn places_are_constant(&self, body: &[Step], depends: &Set<Var>) -> bool {
        let free = |atom: &Atom| atom.var().is_none_or(|var| !depends.contains(&var));
        analysis::emits::all(body).into_iter().all(|emit| self.beside[emit.output] || emit.at.iter().all(free))
            && body.iter().all(|step| match step {
                Step::For { count, .. } => free(count),
                Step::Guard(..) | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => true,
            })
    }
}

/// Whether an expression computes scalars from scalars, and divides by none of these.
fn is_scalar(exp: &Exp, depends: &Set<Var>) -> bool {
    match exp {
        Exp::Bin(_, _, _, Atom::Var(by)) => !exp.is_partial() || !depends.contains(by),
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) => true,
        // What is inside is looked at by itself.
        Exp::If(..) => true,
        _ => false,
    }
}

/// Moves the body of the second form into the first. Returns what replaces variables of the second in types.
pub(super) fn merge(
    program: &mut Program,
    uses: &mut Uses,
    first: Stm,
    second: Stm,
    how: &Kept,
) -> (Stm, Substitution) {
    let (Exp::Bulk(mut from), Exp::Bulk(mut to)) = (first.exp, second.exp) else { base::bug!("forms are merged") };
    lift(&mut from.steps);
    lift(&mut to.steps);
    let Some(Step::For { body, count, .. }) = to.steps.pop() else {
        base::bug!("a form over kept values has one loop")
    };
    // The loop and the shapes of new arrays no longer mention how many values are kept.
    let shapes = how.beside.iter().filter(|beside| **beside).count();
    count.var().into_iter().for_each(|count| (0..=shapes).for_each(|_| uses.less(count)));
    let values = kept_values(&from.steps, how.output);
    let value_of = |array: Var| how.arrays.iter().position(|known| *known == array).map(|at| (values[at], 1));
    let mut replaced = Substitution::default();
    let mut body = in_block(body, |block| replaced = use_values(program, uses, block, &value_of));
    let beside = beside(&mut body, &how.beside);
    renumber(&mut body, &|number| numbers(from.outputs.len(), &how.beside)[number]);
    if how.counts {
        body.splice(0..0, counting::turns_before(program, how.index, second.span));
    }
    put(&mut from.steps, how.output, &mut Some((body, beside)));
    let mut steps = std::mem::take(&mut to.steps);
    steps.append(&mut from.steps);
    let (vars, outputs) = outputs((first.vars, from.outputs), (second.vars, to.outputs), how);
    let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
    let mut made = Stm { vars, certs: first.certs, exp, span: second.span };
    made.rely_on(&second.certs);
    (made, replaced)
}

/// The value that an output keeps.
fn kept_values(steps: &[Step], output: usize) -> Vec<Atom> {
    let all = analysis::emits::all(steps);
    match all.into_iter().find(|emit| emit.output == output) {
        Some(emit) => emit.value.result.clone(),
        None => base::bug!("nothing is kept"),
    }
}

/// Takes the values away that are kept beside others, in order.
fn beside(body: &mut Vec<Step>, beside: &[bool]) -> Vec<(usize, Emit)> {
    let mut taken = Vec::new();
    for step in std::mem::take(body) {
        match step {
            Step::Emit(emit) if beside[emit.output] => taken.push((emit.output, emit)),
            step => body.push(step),
        }
    }
    taken.sort_by_key(|(output, _)| *output);
    taken
}

/// The numbers of the outputs of the second form behind so many of the first.
fn numbers(first: usize, beside: &[bool]) -> Vec<usize> {
    let mut next = first;
    let number = |beside: &bool| {
        let own = next;
        next += usize::from(!beside);
        own
    };
    beside.iter().map(number).collect()
}

/// Steps of the second form, and values that are kept beside others.
type Inside = (Vec<Step>, Vec<(usize, Emit)>);

/// Puts steps before the value of an output, and more components into it.
fn put(steps: &mut Vec<Step>, output: usize, inside: &mut Option<Inside>) {
    for mut step in std::mem::take(steps) {
        match &mut step {
            Step::For { body, .. } | Step::Guard(_, body) => put(body, output, inside),
            Step::Emit(emit) if emit.output == output => {
                let (body, beside) = inside.take().unwrap_or_default();
                steps.extend(body);
                for (_, other) in beside {
                    emit.value.result.extend(other.value.result);
                    emit.certs.extend(other.certs);
                }
            }
            Step::Emit(_) | Step::Let(_) | Step::Scan(_) => {}
        }
        steps.push(step);
    }
}

/// The outputs of both forms and what they bind.
fn outputs(
    (vars, outputs): (Vec<Var>, Vec<Output>),
    (more_vars, more): (Vec<Var>, Vec<Output>),
    how: &Kept,
) -> (Vec<Var>, Vec<Output>) {
    let (mut beside, mut behind) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    let mut rest = &more_vars[..];
    for (output, is_beside) in more.into_iter().zip(&how.beside) {
        let (bound, others) = rest.split_at(output.bound());
        rest = others;
        if *is_beside {
            beside.0.extend(bound);
            beside.1.extend(output.elems);
        } else {
            behind.0.extend(bound);
            behind.1.push(output);
        }
    }
    let (mut all_vars, mut all, mut rest) = (Vec::new(), Vec::new(), &vars[..]);
    for (number, mut output) in outputs.into_iter().enumerate() {
        let (bound, others) = rest.split_at(output.bound());
        rest = others;
        all_vars.extend(bound);
        if number == how.output {
            all_vars.append(&mut beside.0);
            output.elems.append(&mut beside.1);
        }
        all.push(output);
    }
    all_vars.append(&mut behind.0);
    all.append(&mut behind.1);
    (all_vars, all)
}
