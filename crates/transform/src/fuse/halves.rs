//! A reduction of one array behind another goes through both, one after the other, if one of them is what a filter keeps.
//!
//! ```text
//! let (m, ks) = bulk { out keep .. }                      let (m, ks) = bulk { out keep .. }
//! let zs = bulk {                                         let r1 = bulk {
//!   out gen [n + m] ..                                      out reduce by + ..
//!   for i < n { ..; emit [i] => x }                         for i < n { ..; emit => f x }
//!   for j < m { let k = n + j; emit [k] => ks[j] }        }
//! }                                                 =>    let r = bulk {
//! let r = bulk {                                            out reduce from (r1) by + ..
//!   out reduce by + ..                                      for j < m { let v = ks[j]; emit => f v }
//!   for i < n + m { let v = zs[i]; emit => f v }          }
//! }
//! ```
//!
//! The reduction of kept values is then merged with the filter. One loop over both arrays, which chooses in each turn, could not be.
//! The second part begins with what the first one gives, so all values are combined in their order, and what the user calls neutral
//! is there once: it need not be neutral on the right. Nothing that is computed at another time may fail, and nothing consumes what it reads.

use super::memory::Memory;
use base::{Map, Name, Set};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// The most statements of a reduction that is made twice.
const LARGEST: usize = 60;

/// Splits the reductions of a block, and of the blocks inside.
pub(super) fn reduce(program: &mut Program, memory: &Memory, block: &mut Block) {
    for stm in &mut block.stms {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(inner) => reduce(program, memory, inner),
            ListMut::Steps(steps) => {
                Step::for_each_emit_mut(steps, &mut |emit| reduce(program, memory, &mut emit.value))
            }
        });
    }
    let mut known = Known::default();
    let mut waiting = std::mem::take(&mut block.stms);
    waiting.reverse();
    while let Some(stm) = waiting.pop() {
        match known.split(program, &stm) {
            Some(halves) => waiting.extend(halves.into_iter().rev()),
            None => {
                known.add(program, memory, &stm);
                block.stms.push(stm);
            }
        }
    }
    known.drop_unused(block);
}

/// What the statements before say.
#[derive(Default)]
struct Known {
    /// Numbers of kept values, and of elements of arrays that have kept values in them.
    kept: Set<Var>,
    /// Arrays of scalars, one behind another.
    pairs: Map<Var, Pair>,
    /// Conditions that a number is not below another, and checks of these.
    large: Map<Var, [Atom; 2]>,
}

/// An array behind another.
#[derive(Clone)]
struct Pair {
    arrays: Vec<Var>,
    certs: Vec<Var>,
    parts: [Half; 2],
}

/// A part of such an array.
#[derive(Clone)]
struct Half {
    /// The loop.
    var: Var,
    count: Atom,
    /// The element.
    element: Block,
}

impl Known {
    fn add(&mut self, program: &Program, memory: &Memory, stm: &Stm) {
        let bulk = match &stm.exp {
            Exp::Bulk(bulk) => bulk,
            Exp::Bin(BinOp::Ge, Prim::I64, total, part) => {
                self.large.insert(stm.vars[0], [*total, *part]);
                return;
            }
            Exp::Assert { cond: Atom::Var(cond), .. } => {
                return self.large.extend(self.large.get(cond).copied().map(|total| (stm.vars[0], total)));
            }
            _ => return,
        };
        let mut rest = &stm.vars[..];
        for output in &bulk.outputs {
            let (bound, more) = rest.split_at(output.bound());
            rest = more;
            if matches!(output.kind, Kind::Keep) {
                self.kept.insert(bound[0]);
            }
        }
        if consumed(memory, stm) {
            return;
        }
        if let Some((total, pair)) = self.pair(program, stm, bulk) {
            self.kept.extend(total.var());
            self.pairs.extend(pair.arrays.iter().map(|array| (*array, pair.clone())));
        }
    }

    /// Removes such arrays that nothing reads any more.
    fn drop_unused(&self, block: &mut Block) {
        if self.pairs.is_empty() {
            return;
        }
        let mut used: Set<Var> = Set::default();
        block.result.iter().for_each(|atom| used.extend(atom.var()));
        let mut place = block.stms.len();
        while place > 0 {
            place -= 1;
            let stm = &block.stms[place];
            if stm.vars.iter().all(|var| self.pairs.contains_key(var) && !used.contains(var)) && !stm.vars.is_empty() {
                block.stms.remove(place);
                continue;
            }
            stm.walk(&mut |part| {
                if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                    used.insert(*var);
                }
            });
        }
    }

    /// An array behind another, of which one has kept values.
    fn pair(&self, program: &Program, stm: &Stm, bulk: &Bulk) -> Option<(Atom, Pair)> {
        let ([output], [first, second]) = (&bulk.outputs[..], &bulk.steps[..]) else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let [Dim::Size(total)] = shape[..] else { return None };
        let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        let plain = rec.is_empty() && output.sizes.is_empty() && scalars && !fails(stm);
        let ((one, place), (two, behind)) = (half(first)?, half(second)?);
        let starts_behind = two.element.stms.iter().any(|stm| {
            let sum = matches!(stm.exp, Exp::Bin(BinOp::Add, Prim::I64, a, b)
                if (a, b) == (one.count, two.var.into()) || (b, a) == (one.count, two.var.into()));
            sum && stm.vars.iter().any(|var| Atom::Var(*var) == behind)
        });
        let has_kept = [&one, &two].iter().any(|half| half.count.var().is_some_and(|count| self.kept.contains(&count)));
        let fits = plain && place == Atom::Var(one.var) && starts_behind && has_kept;
        // That a sum of sizes is not too large concerns memory for all elements only.
        let parts = [[total, one.count], [total, two.count]];
        let of_memory = |cert: &&Var| self.large.get(*cert).is_some_and(|sizes| parts.contains(sizes));
        let certs = stm.certs.iter().filter(|cert| !of_memory(cert)).copied().collect();
        let pair = Pair { arrays: stm.vars.clone(), certs, parts: [one, two] };
        fits.then_some((total, pair))
    }

    /// The statements that a reduction of such an array becomes.
    fn split(&self, program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let [Step::For { var, body, .. }] = &bulk.steps[..] else { return None };
        let reduces = bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Reduce { .. }));
        let scalars = stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
        let plain = body.iter().all(|step| matches!(step, Step::Let(_) | Step::Emit(_) | Step::Guard(..)));
        if !reduces || !scalars || !plain || fails(stm) || size(stm) > LARGEST {
            return None;
        }
        let pair = self.read_by(*var, body)?;
        let between = copies(&mut program.vars, &stm.vars);
        let first = Stm { vars: between.clone(), ..over_half(program, pair, 0, stm, None) };
        let second = Stm { vars: stm.vars.clone(), ..over_half(program, pair, 1, stm, Some(&between)) };
        Some(vec![first, second])
    }

    /// The arrays that a loop reads at its own index, if it mentions them in no other way.
    fn read_by(&self, index: Var, body: &[Step]) -> Option<&Pair> {
        let mut found: Option<&Pair> = None;
        let (mut mentions, mut reads) = (0, 0);
        for step in body {
            step.walk(&mut |part| match part {
                Part::Stm(Stm { exp: Exp::Index(array, at), .. }) if at[..] == [Atom::Var(index)] => {
                    if let Some(pair) = self.pairs.get(array) {
                        reads += usize::from(found.get_or_insert(pair).arrays == pair.arrays);
                    }
                }
                Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions += usize::from(self.pairs.contains_key(var)),
                Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
            });
        }
        found.filter(|_| mentions == reads)
    }
}

/// A loop that gives an element in each turn, and where.
fn half(step: &Step) -> Option<(Half, Atom)> {
    let Step::For { var, count, body, .. } = step else { return None };
    let (Step::Emit(Emit { at, value, certs, .. }), before) = body.split_last()? else { return None };
    let [place] = at[..] else { return None };
    let mut stms = Vec::new();
    for step in before {
        let Step::Let(stm) = step else { return None };
        stms.push(stm.clone());
    }
    stms.extend(value.stms.iter().cloned().map(|stm| stm.relying_on(certs)));
    Some((Half { var: *var, count: *count, element: Block { stms, result: value.result.clone() } }, place))
}

/// The same block without what its results do not need.
fn needed(block: &Block) -> Block {
    let mut used: Set<Var> = block.result.iter().filter_map(|atom| atom.var()).collect();
    let mut stms = Vec::new();
    for stm in block.stms.iter().rev() {
        if stm.vars.iter().any(|var| used.contains(var)) {
            stm.walk(&mut |part| {
                if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                    used.insert(*var);
                }
            });
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    Block { stms, result: block.result.clone() }
}

/// A copy of a reduction that runs over one part, and begins with other numbers.
fn over_half(program: &mut Program, pair: &Pair, number: usize, original: &Stm, from: Option<&[Var]>) -> Stm {
    let own = Block { stms: vec![original.clone()], result: Vec::new() };
    let mut copy = copy_block(&mut program.vars, &own, Substitution::default());
    let Some(Stm { exp: Exp::Bulk(mut bulk), vars, certs, span }) = copy.stms.pop() else {
        base::bug!("a reduction is a form")
    };
    let Some(Step::For { var, body, .. }) = bulk.steps.pop() else { base::bug!("a reduction has a loop") };
    let half = &pair.parts[number];
    let counter = program.vars.push(VarInfo::new(Name::new("i"), Type::I64));
    let names = Substitution::new(&[half.var], &[counter.into()]);
    let element = copy_block(&mut program.vars, &needed(&half.element), names);
    let values: Map<Var, Atom> = pair.arrays.iter().copied().zip(element.result).collect();
    let body = with_values(body, var, &values, original);
    let mut steps = Vec::new();
    if body.iter().any(|step| mentions(step, var)) {
        // The second part begins where the first one ends.
        let exp = match number {
            0 => Exp::Atom(counter.into()),
            _ => Exp::Bin(BinOp::Add, Prim::I64, pair.parts[0].count, counter.into()),
        };
        steps.push(Step::Let(Stm { vars: vec![var], certs: Vec::new(), exp, span }));
    }
    steps.extend(element.stms.into_iter().map(|stm| Step::Let(stm.relying_on(&pair.certs))));
    steps.extend(body);
    bulk.steps.push(Step::For { var: counter, count: half.count, mark: Mark::Open, body: steps });
    from.into_iter().for_each(|from| begin_with(&mut bulk, from));
    Stm { vars, certs, exp: Exp::Bulk(bulk), span }
}

/// Steps with the elements of a turn in place of reads of them.
fn with_values(steps: Vec<Step>, index: Var, values: &Map<Var, Atom>, form: &Stm) -> Vec<Step> {
    let exp = Exp::Bulk(Bulk { outputs: Vec::new(), steps, scheduled: false });
    let mut block = Block { stms: vec![Stm { exp, ..form.clone() }], result: Vec::new() };
    block.for_each_stm_mut(&mut |stm| {
        if let Exp::Index(array, at) = &stm.exp
            && at[..] == [Atom::Var(index)]
            && let Some(value) = values.get(array)
        {
            stm.exp = Exp::Atom(*value);
        }
    });
    match block.stms.remove(0).exp {
        Exp::Bulk(bulk) => bulk.steps,
        _ => base::bug!("a form stays a form"),
    }
}

fn mentions(step: &Step, var: Var) -> bool {
    let mut found = false;
    step.walk(&mut |part| {
        if let Part::Atom(Atom::Var(used)) | Part::Use(used) = part {
            found |= *used == var;
        }
    });
    found
}

/// Lets reductions begin with these numbers.
fn begin_with(bulk: &mut Bulk, from: &[Var]) {
    let mut rest = from.iter().copied().map(Atom::Var);
    for output in &mut bulk.outputs {
        let bound = output.bound();
        let Kind::Reduce { neutral, .. } = &mut output.kind else { base::bug!("a reduction reduces") };
        *neutral = rest.by_ref().take(bound).collect();
    }
}

/// Whether something consumes memory that a statement reads.
fn consumed(memory: &Memory, stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            found |= memory.group(*var).is_some();
        }
    });
    found
}

fn fails(stm: &Stm) -> bool {
    let mut fails = false;
    stm.walk(&mut |part| fails |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
    fails
}

fn size(stm: &Stm) -> usize {
    let mut count = 0;
    stm.walk(&mut |part| count += usize::from(matches!(part, Part::Stm(_))));
    count
}
