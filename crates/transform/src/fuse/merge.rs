//! Makes two bulk forms over loops of the same length one.
//!
//! ```text
//! let ys = bulk { out gen [n] ..; for i < n { ..; emit [i] => y } }        let (ys, s) = bulk {
//! let s = bulk { out reduce ..; for j < n { let v = ys[j]; emit => v } }     out gen [n] ..
//!                                                                            out reduce ..
//!                                                                      =>    for i < n {
//!                                                                              ..; emit 0 [i] => y
//!                                                                              let v = y; emit 1 => v
//!                                                                            }
//!                                                                          }
//! ```
//!
//! An output that nothing else reads vanishes. What the second form reads of the first must be the element of the same
//! turn, or a part of it. If that is given in an inner loop, then the inner loops are merged too.

use super::chain::Chain;
use super::cost;
use super::settle::{lift, renumber};
use super::uses::Uses;
use base::Span;
use ir::rename::Substitution;
use ir::traverse::{ListMut, Part, PartMut};
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Type, Var};

/// A form that is bindings and one loop: its index, count and body.
pub(super) struct OneLoop<'a> {
    pub before: &'a [Step],
    pub var: Var,
    pub count: Atom,
    pub body: &'a [Step],
}

impl OneLoop<'_> {
    /// The form, if it is one: no recursive arrays, and no checks whether all elements are defined.
    pub fn of(bulk: &Bulk) -> Option<OneLoop<'_>> {
        let (Step::For { var, count, body, .. }, before) = bulk.steps.split_last()? else { return None };
        let plain = before.iter().all(|step| matches!(step, Step::Let(_))) && bulk.outputs.iter().all(is_plain);
        plain.then_some(OneLoop { before, var: *var, count: *count, body })
    }
}

fn is_plain(output: &Output) -> bool {
    let checked = matches!(&output.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. });
    !checked && output.rec().is_empty()
}

/// What is known about two forms that can be merged.
pub(super) struct Match {
    chain: Chain,
    /// The loops of the second form that correspond to those of the chain.
    loops: Vec<Var>,
    /// Whether the second reads what the first makes.
    pub reads: bool,
}

/// Whether two forms can be merged: the second reads elements of its own turn only.
pub(super) fn matching(program: &Program, first: &Stm, second: &Stm) -> Option<Match> {
    let (Exp::Bulk(from), Exp::Bulk(to)) = (&first.exp, &second.exp) else { return None };
    let (one, other) = (OneLoop::of(from)?, OneLoop::of(to)?);
    if one.count != other.count {
        return None;
    }
    let wanted = mentioned(program, &first.vars, second);
    let mut chain = Chain::to(&first.vars, from, &wanted)?;
    if chain.loops.is_empty() {
        chain.loops.push((one.var, one.count));
    }
    let mut reads = Reads { program, chain: &chain, loops: Vec::new(), longest: vec![other.var] };
    let outputs = Exp::Bulk(Bulk { outputs: to.outputs.clone(), steps: Vec::new(), scheduled: false });
    let stm = Stm { vars: second.vars.clone(), certs: second.certs.clone(), exp: outputs, span: second.span };
    let outside = reads.none_in(&stm) && other.before.iter().all(|step| reads.fits(step));
    reads.loops.push(other.var);
    if !outside || !reads.all_fit(other.body) {
        return None;
    }
    let loops = reads.longest;
    Some(Match { reads: !wanted.is_empty(), chain, loops })
}

/// Which of these a statement mentions.
fn mentioned(program: &Program, vars: &[Var], stm: &Stm) -> Vec<Var> {
    let mut found = Vec::new();
    let mut mention = |var: Var| {
        if vars.contains(&var) && !found.contains(&var) {
            found.push(var);
        }
    };
    stm.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => mention(*var),
        Part::Bind(var) => program.ty(*var).for_each_var(&mut mention),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}

/// The reads of a form, compared with what another one makes.
struct Reads<'a> {
    program: &'a Program,
    chain: &'a Chain,
    /// The loops around the current place that will be merged.
    loops: Vec<Var>,
    /// The longest list of them.
    longest: Vec<Var>,
}

impl Reads<'_> {
    fn all_fit(&mut self, steps: &[Step]) -> bool {
        let inner = self.inner_loop(steps);
        for (place, step) in steps.iter().enumerate() {
            let fits = match step {
                Step::For { var, body, .. } if Some(place) == inner => {
                    self.loops.push(*var);
                    if self.loops.len() > self.longest.len() {
                        self.longest = self.loops.clone();
                    }
                    let fits = self.all_fit(body);
                    self.loops.pop();
                    fits
                }
                step => self.fits(step),
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// The loop that will be merged with the next one of the chain, because it reads what is made there.
    fn inner_loop(&self, steps: &[Step]) -> Option<usize> {
        let (_, wanted) = self.chain.loops.get(self.loops.len())?;
        steps.iter().position(|step| match step {
            Step::For { count, .. } => count == wanted && self.count(step).0 > 0,
            Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => false,
        })
    }

    fn fits(&self, step: &Step) -> bool {
        let (all, good) = self.count(step);
        all == good
    }

    fn none_in(&self, stm: &Stm) -> bool {
        let mut all = 0;
        stm.walk(&mut |part| all += self.mentions(&part));
        all == 0
    }

    /// How often a step mentions what the other form makes, and how often it reads an element of its own turn.
    fn count(&self, step: &Step) -> (usize, usize) {
        let (mut all, mut good) = (0, 0);
        step.walk(&mut |part| {
            all += self.mentions(&part);
            if let Part::Stm(stm) = part
                && let Some((array, at)) = read(&stm.exp)
            {
                good += usize::from(self.is_own(array, at) && self.has_own_length(&stm.exp));
            }
        });
        (all, good)
    }

    fn mentions(&self, part: &Part<'_>) -> usize {
        let is_made = |var: Var| usize::from(self.chain.find(var).is_some());
        match part {
            Part::Atom(Atom::Var(var)) => is_made(*var),
            Part::Use(var) => is_made(**var),
            Part::Bind(var) => {
                let mut count = 0;
                self.program.ty(**var).for_each_var(&mut |var| count += is_made(var));
                count
            }
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => 0,
        }
    }

    /// Whether a descriptor of rows that are read belongs to rows whose number is read, too: then both have one name for it.
    fn has_own_length(&self, exp: &Exp) -> bool {
        let Exp::DescIndex(desc, _) = exp else { return true };
        let made = self.chain.find(*desc).and_then(|made| made.value.var());
        let is_made = |size: Atom| self.chain.arrays.iter().any(|made| made.value == size);
        match made.map(|value| self.program.ty(value)) {
            Some(Type::Desc(dims)) => matches!(dims[..], [Dim::Size(size @ Atom::Var(_))] if is_made(size)),
            Some(_) | None => false,
        }
    }

    fn is_own(&self, array: Var, at: &[Atom]) -> bool {
        let Some(made) = self.chain.find(array) else { return false };
        let turn = self.loops.iter().map(|var| Atom::Var(*var));
        made.depth <= self.loops.len()
            && made.depth <= at.len()
            && at.iter().copied().take(made.depth).eq(turn.take(made.depth))
    }
}

/// A read of an array or of a descriptor: what, and where.
fn read(exp: &Exp) -> Option<(Var, &[Atom])> {
    match exp {
        Exp::Index(from, at) | Exp::DescLength(from, at) | Exp::DescIndex(from, at) => Some((*from, at)),
        _ => None,
    }
}

/// Merges two forms that match. Returns what replaces variables of the second in types, too: see [`rename_types`].
pub(super) fn merge(program: &Program, uses: &mut Uses, first: Stm, second: Stm, how: &Match) -> (Stm, Substitution) {
    let (Exp::Bulk(mut from), Exp::Bulk(mut to)) = (first.exp, second.exp) else { base::bug!("forms are merged") };
    lift(&mut from.steps);
    lift(&mut to.steps);
    let mut replaced = how.indices();
    let value_of = |array: Var| how.chain.find(array).map(|made| (made.value, made.depth));
    let mut steps = in_block(to.steps, |block| {
        let values = use_values(program, uses, block, &value_of);
        replaced.0.extend(values.0);
        replace(block, &replaced, uses);
    });
    renumber(&mut steps, &|output| output + from.outputs.len());
    from.outputs.append(&mut to.outputs);
    let loops: Vec<(Var, Var)> = how.chain.loops.iter().map(|(var, _)| *var).zip(how.loops.iter().copied()).collect();
    let steps = joined(from.steps, steps, &loops);
    let mut made = Stm {
        vars: first.vars.into_iter().chain(second.vars).collect(),
        certs: first.certs,
        exp: Exp::Bulk(Bulk { outputs: from.outputs, steps, scheduled: false }),
        span: second.span,
    };
    made.rely_on(&second.certs);
    (made, replaced)
}

impl Match {
    /// The indices of the second form that others replace.
    fn indices(&self) -> Substitution {
        let own: Vec<Atom> = self.chain.loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
        Substitution::new(&self.loops, &own)
    }
}

/// Replaces variables in the types of what a statement binds inside.
pub(super) fn rename_types(program: &mut Program, uses: &mut Uses, made: &Stm, replaced: &Substitution) {
    made.walk(&mut |part| {
        if let Part::Bind(var) = part {
            let ty = replaced.ty(&program.vars[*var].ty);
            if ty != program.vars[*var].ty {
                ty.for_each_var(&mut |var| uses.more(var));
                program.vars[*var].ty = ty;
            }
        }
    });
}

/// Replaces what a block uses, but not in types.
fn replace(block: &mut Block, replaced: &Substitution, uses: &mut Uses) {
    block.walk_mut(&mut |part| match part {
        PartMut::Atom(atom) => {
            let by = replaced.atom(*atom);
            by.var().filter(|_| by != *atom).into_iter().for_each(|var| uses.more(var));
            *atom = by;
        }
        PartMut::Use(var) => {
            let by = replaced.var(*var);
            if by != *var {
                uses.more(by);
            }
            *var = by;
        }
        PartMut::Bind(_) | PartMut::Block(_) | PartMut::Stm(_) => {}
    });
}

/// Changes steps as if they were a block.
pub(super) fn in_block(steps: Vec<Step>, change: impl FnOnce(&mut Block)) -> Vec<Step> {
    let exp = Exp::Bulk(Bulk { outputs: Vec::new(), steps, scheduled: false });
    let stm = Stm { vars: Vec::new(), certs: Vec::new(), exp, span: Span::OF_CALLER };
    let mut block = Block { stms: vec![stm], result: Vec::new() };
    change(&mut block);
    match block.stms.pop().map(|stm| stm.exp) {
        Some(Exp::Bulk(bulk)) => bulk.steps,
        Some(_) | None => base::bug!("a form stays a form"),
    }
}

/// Replaces reads of elements by their values, and reads of parts of rows by those of the rows. `value_of` says what the
/// element of an array is, and how many indices lead to it. A name for a whole element is replaced as well; returns these.
pub(super) fn use_values(
    program: &Program,
    uses: &mut Uses,
    block: &mut Block,
    value_of: &dyn Fn(Var) -> Option<(Atom, usize)>,
) -> Substitution {
    let mut names = Substitution::default();
    block.for_each_stm_mut(&mut |stm| {
        let Some((array, at)) = read(&stm.exp) else { return };
        let Some((value, depth)) = value_of(array) else { return };
        uses.less(array);
        let inside = at[depth..].to_vec();
        value.var().into_iter().for_each(|var| uses.more(var));
        stm.exp = match value {
            Atom::Var(row) if !inside.is_empty() => read_in(&stm.exp, row, inside),
            value => {
                let has_type_of = |value: Var, var: Var| *program.ty(value) == names.ty(program.ty(var));
                let same = |var: Var| value.var().is_some_and(|value| has_type_of(value, var));
                let (alike, others): (Vec<Var>, Vec<Var>) = stm.vars.iter().partition(|var| same(**var));
                alike.into_iter().for_each(|var| names.insert(var, value));
                match value {
                    // Rows of equal lengths that have different names.
                    Atom::Var(row) if program.ty(row).is_array() && !others.is_empty() => Exp::Retype(row),
                    value => Exp::Atom(value),
                }
            }
        };
    });
    replace(block, &names, uses);
    without(block, &names, uses);
    names
}

/// The same read of a part of what it read before.
fn read_in(exp: &Exp, part: Var, at: Vec<Atom>) -> Exp {
    match exp {
        Exp::DescLength(..) => Exp::DescLength(part, at),
        Exp::DescIndex(..) => Exp::DescIndex(part, at),
        _ => Exp::Index(part, at),
    }
}

/// Removes bindings of names that were replaced.
fn without(block: &mut Block, names: &Substitution, uses: &mut Uses) {
    let mut stays = |stm: &Stm| match (&stm.exp, &stm.vars[..]) {
        (Exp::Atom(value), [var]) if names.0.contains_key(var) => {
            value.var().into_iter().for_each(|value| uses.less(value));
            false
        }
        (_, _) => true,
    };
    block.stms.retain(&mut stays);
    block.stms.iter_mut().for_each(|stm| without_inside(stm, names, uses));
}

fn without_inside(stm: &mut Stm, names: &Substitution, uses: &mut Uses) {
    stm.exp.for_each_list_mut(&mut |list| match list {
        ListMut::Block(block) => without(block, names, uses),
        ListMut::Steps(steps) => without_steps(steps, names, uses),
    });
}

fn without_steps(steps: &mut Vec<Step>, names: &Substitution, uses: &mut Uses) {
    let mut out = Vec::with_capacity(steps.len());
    for mut step in std::mem::take(steps) {
        match step {
            Step::Let(stm) => {
                let mut one = Block { stms: vec![stm], result: Vec::new() };
                without(&mut one, names, uses);
                out.extend(one.stms.into_iter().map(Step::Let));
                continue;
            }
            Step::For { ref mut body, .. } | Step::Guard(_, ref mut body) => without_steps(body, names, uses),
            Step::Scan(ref mut scan) => {
                without(&mut scan.op.body, names, uses);
                without(&mut scan.value, names, uses);
            }
            Step::Emit(ref mut emit) => without(&mut emit.value, names, uses),
        }
        out.push(step);
    }
    *steps = out;
}

/// Steps one behind the other, where each of these pairs of loops becomes one. Bindings before the second loop go before
/// the one loop.
fn joined(first: Vec<Step>, mut second: Vec<Step>, loops: &[(Var, Var)]) -> Vec<Step> {
    let Some(((index, other), inner)) = loops.split_first() else {
        return first.into_iter().chain(second).collect();
    };
    let place = |steps: &[Step], index: Var| {
        let found = steps.iter().position(|step| matches!(step, Step::For { var, .. } if *var == index));
        found.unwrap_or_else(|| base::bug!("a loop that is merged is gone"))
    };
    let mut out = first;
    let behind = out.split_off(place(&out, *index) + 1);
    let after = second.split_off(place(&second, *other) + 1);
    let (Some(Step::For { var, count, mark, body }), Some(Step::For { body: more, .. })) = (out.pop(), second.pop())
    else {
        base::bug!("a loop that is merged is gone")
    };
    out.extend(second);
    out.push(Step::For { var, count, mark, body: joined(body, more, inner) });
    out.extend(behind);
    out.extend(after);
    out
}

/// Two loops of one form as one, if they are equally long and read the same arrays.
pub(super) fn loops(program: &mut Program, first: &Step, second: &Step) -> Option<Step> {
    let (Step::For { var, count, mark, body }, Step::For { var: other, count: wanted, body: more, .. }) =
        (first, second)
    else {
        return None;
    };
    let one_input = cost::share_input(std::slice::from_ref(first), std::slice::from_ref(second));
    if count != wanted || !one_input {
        return None;
    }
    let renamed = Substitution::new(&[*other], &[Atom::Var(*var)]);
    let more = in_block(more.clone(), |block| renamed.block(&mut program.vars, block));
    let body = body.iter().cloned().chain(more).collect();
    Some(Step::For { var: *var, count: *count, mark: *mark, body })
}
