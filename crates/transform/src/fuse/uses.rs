//! How often variables are used, and removing what is not.

use super::last_reads::last_reads;
use super::settle::renumber;
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Kind, Output, Program, Step, Stm, Var};

/// How often a function mentions each variable, also in types.
#[derive(Clone, Default)]
pub(super) struct Uses {
    counts: Map<Var, usize>,
    /// How often types mention it.
    in_types: Map<Var, usize>,
    /// How often elements of it were read at the beginning.
    reads: Map<Var, usize>,
    /// How often the last element of it was read at the beginning.
    lasts: Map<Var, usize>,
    /// Arrays that something needs as a whole.
    whole: Set<Var>,
    /// What changed since a merge was begun: it may be given up.
    changes: Vec<(Var, usize)>,
}

impl Uses {
    /// Counts.
    pub fn of(program: &Program, body: &Block) -> Uses {
        let mut uses = Uses::default();
        body.walk(&mut |part| match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => uses.more(*var),
            Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| uses.more_in_type(var)),
            Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => *uses.reads.entry(*array).or_default() += 1,
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        });
        let is_whole = |(var, count): (&Var, &usize)| (uses.reads.get(var) != Some(count)).then_some(*var);
        uses.lasts = last_reads(program, body);
        uses.whole = uses.counts.iter().filter_map(is_whole).collect();
        uses.begin();
        uses
    }

    /// Forgets what changed before.
    pub fn begin(&mut self) {
        self.changes.clear();
    }

    /// Undoes what changed since.
    pub fn give_up(&mut self) {
        for (var, count) in std::mem::take(&mut self.changes).into_iter().rev() {
            self.counts.insert(var, count);
        }
    }

    fn set(&mut self, var: Var, count: usize) {
        let before = self.counts.insert(var, count).unwrap_or_default();
        self.changes.push((var, before));
    }

    /// One more.
    pub fn more(&mut self, var: Var) {
        self.set(var, self.count(var) + 1);
    }

    /// One more, in a type.
    pub fn more_in_type(&mut self, var: Var) {
        self.more(var);
        *self.in_types.entry(var).or_default() += 1;
    }

    /// Whether something needs more of an array than single elements.
    pub fn needs_whole(&self, array: Var) -> bool {
        self.whole.contains(&array)
    }

    /// Whether only the last element of an array is read.
    pub fn only_last(&self, array: Var) -> bool {
        self.lasts.get(&array) == Some(&self.count(array))
    }

    /// Whether the type of something other than these variables mentions it.
    pub fn is_size(&self, program: &Program, var: Var, gone: &[Var]) -> bool {
        let mut own = 0;
        gone.iter().for_each(|array| program.ty(*array).for_each_var(&mut |size| own += usize::from(size == var)));
        self.in_types.get(&var).is_some_and(|count| *count > own)
    }

    /// These variables are no longer bound, so their types mention nothing.
    pub fn forget(&mut self, program: &Program, gone: &[Var]) {
        for var in gone {
            program.ty(*var).for_each_var(&mut |size| {
                self.in_types.entry(size).and_modify(|count| *count = count.saturating_sub(1));
            });
        }
    }

    /// One less.
    pub fn less(&mut self, var: Var) {
        self.set(var, self.count(var).saturating_sub(1));
    }

    /// How often something mentions it.
    pub fn count(&self, var: Var) -> usize {
        self.counts.get(&var).copied().unwrap_or_default()
    }

    /// Whether something mentions it.
    pub fn any(&self, var: Var) -> bool {
        self.count(var) > 0
    }
}

/// Removes the outputs of a form, and the components of new arrays, that nothing uses.
pub(super) fn drop_unused(program: &Program, uses: &mut Uses, stm: &mut Stm) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    let mut numbers: Vec<Option<usize>> = Vec::new();
    let (mut outputs, mut vars, mut rest) = (Vec::new(), Vec::new(), &stm.vars[..]);
    for (number, mut output) in std::mem::take(&mut bulk.outputs).into_iter().enumerate() {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        forget_types(program, uses, &output, bound);
        if is_needed(uses, &output, bound) {
            let kept = keep_components(uses, &mut output, bound);
            values_keep(uses, &mut bulk.steps, number, &kept);
            let first = bound.len() - kept.len();
            vars.extend(&bound[..first]);
            vars.extend(bound[first..].iter().zip(&kept).filter(|(_, kept)| **kept).map(|(var, _)| var));
            numbers.push(Some(outputs.len()));
            outputs.push(output);
        } else {
            numbers.push(None);
        }
    }
    without(uses, &mut bulk.steps, &numbers);
    renumber(&mut bulk.steps, &|number| numbers[number].unwrap_or(number));
    bulk.outputs = outputs;
    stm.vars = vars;
}

/// Removes the first outputs of a form if nothing needs them; then the values of the others keep their numbers less so many.
/// Returns whether they are gone.
pub(super) fn drop_first(program: &Program, uses: &mut Uses, stm: &mut Stm, count: usize) -> bool {
    let Exp::Bulk(bulk) = &mut stm.exp else { return false };
    let mut rest = &stm.vars[..];
    for output in &bulk.outputs[..count] {
        let (bound, more) = rest.split_at(output.bound());
        rest = more;
        forget_types(program, uses, output, bound);
        if is_needed(uses, output, bound) {
            return false;
        }
    }
    stm.vars = rest.to_vec();
    let numbers: Vec<Option<usize>> = (0..bulk.outputs.len()).map(|number| number.checked_sub(count)).collect();
    without(uses, &mut bulk.steps, &numbers);
    renumber(&mut bulk.steps, &|number| number - count);
    bulk.outputs.drain(..count);
    true
}

/// Whether something needs an output. What changes arrays in place does, whatever becomes of it.
fn is_needed(uses: &Uses, output: &Output, bound: &[Var]) -> bool {
    let changes = matches!(output.kind, Kind::Update { .. } | Kind::Accum { .. });
    changes || bound.iter().any(|var| uses.any(*var))
}

/// Whether each component of an output can go by itself.
fn is_separate(output: &Output) -> bool {
    let alone = output.sizes.is_empty() && output.rec().is_empty();
    alone && matches!(output.kind, Kind::Gen { otherwise: None, .. } | Kind::Keep)
}

/// The types of arrays that will go no longer use sizes: nothing else may need how many values are kept.
fn forget_types(program: &Program, uses: &mut Uses, output: &Output, bound: &[Var]) {
    if output.sizes.is_empty() {
        for array in &bound[bound.len() - output.elems.len()..] {
            if is_separate(output) && !uses.any(*array) {
                program.ty(*array).for_each_var(&mut |size| uses.less(size));
            }
        }
    } else if matches!(output.kind, Kind::Gen { .. } | Kind::Keep) {
        forget_descriptors(program, uses, bound);
    }
}

/// The same for arrays with rows of different lengths: they go with their descriptors, if nothing else needs these.
fn forget_descriptors(program: &Program, uses: &mut Uses, bound: &[Var]) {
    let mut own: Map<Var, usize> = Map::default();
    bound.iter().for_each(|var| program.ty(*var).for_each_var(&mut |size| *own.entry(size).or_default() += 1));
    if bound.iter().all(|var| uses.count(*var) == own.get(var).copied().unwrap_or_default()) {
        own.into_iter().for_each(|(size, count)| (0..count).for_each(|_| uses.less(size)));
    }
}

/// Which components of an output are needed: each, or those that something uses.
fn keep_components(uses: &Uses, output: &mut Output, bound: &[Var]) -> Vec<bool> {
    let arrays = &bound[bound.len() - output.elems.len()..];
    let separate = is_separate(output);
    let kept: Vec<bool> = arrays.iter().map(|array| !separate || uses.any(*array)).collect();
    let mut flags = kept.iter();
    output.elems.retain(|_| flags.next() == Some(&true));
    kept
}

/// Leaves components of the values of an output away.
fn values_keep(uses: &mut Uses, steps: &mut [Step], output: usize, kept: &[bool]) {
    if kept.iter().all(|kept| *kept) {
        return;
    }
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => values_keep(uses, body, output, kept),
            Step::Emit(emit) if emit.output == output => {
                let mut flags = kept.iter();
                emit.value.result.retain(|atom| {
                    let stays = flags.next() == Some(&true);
                    atom.var().filter(|_| !stays).into_iter().for_each(|var| uses.less(var));
                    stays
                });
            }
            Step::Emit(_) | Step::Let(_) | Step::Scan(_) => {}
        }
    }
}

/// Leaves the values of outputs away that have no number any more.
fn without(uses: &mut Uses, steps: &mut Vec<Step>, numbers: &[Option<usize>]) {
    steps.retain_mut(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => {
            without(uses, body, numbers);
            true
        }
        Step::Emit(emit) => {
            let stays = numbers[emit.output].is_some();
            emit.value.result.iter().filter_map(|atom| atom.var()).filter(|_| !stays).for_each(|var| uses.less(var));
            stays
        }
        Step::Let(_) | Step::Scan(_) => true,
    });
}
