//! A reduction of an array that is made in parts goes through the parts.
//!
//! ```text
//! let (m, ks) = bulk { out keep .. }                      let (m, ks) = bulk { out keep .. }
//! let zs = bulk {                                         let r1 = bulk {
//!   out gen [n + m] ..                                      out reduce by + ..
//!   for i < n { ..; emit [i] => x }                         for i < n { ..; emit => f x }
//!   for j < m { let k = n + j; emit [k] => ks[j] }        }
//! }                                                 =>    let r2 = bulk {
//! let r = bulk {                                            out reduce by + ..
//!   out reduce by + ..                                      for j < m { let v = ks[j]; emit => f v }
//!   for i < n + m { let v = zs[i]; emit => f v }          }
//! }                                                       let r = r1 + r2
//! ```
//!
//! The reduction of kept values is then merged with the filter. One loop over both arrays, which chooses in each turn, could not be.
//! Arrays by several clauses that cannot be one loop are of this kind, too. There must be nothing else that needs the array, unless it
//! is cheap to make.
//!
//! Values are combined in their order. Only sums, products, least and greatest values begin anew in each part, from what changes
//! nothing, and may have clauses in any order; everything else begins with what the part before gives. What the user
//! calls neutral is there once: it need not be neutral on the right. Nothing that is computed at another time may fail, and nothing
//! consumes what it reads.

use super::memory::Memory;
use base::{Map, Name, Set};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::{ListMut, Part};
use ir::tree::{identities, is_exact};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, MathOp, Prim};

/// The most statements of a reduction that is made once for each part.
const LARGEST: usize = 60;
/// The most parts.
const MOST_PARTS: usize = 4;
/// The most statements of an element that may be computed twice.
const CHEAP: usize = 6;

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
    block.stms.iter().for_each(|stm| known.add(program, memory, stm));
    if known.arrays.is_empty() {
        return;
    }
    known.keep_those_that_vanish(program, block);
    let mut waiting = std::mem::take(&mut block.stms);
    waiting.reverse();
    while let Some(stm) = waiting.pop() {
        match known.split(program, &stm) {
            Some(stms) => waiting.extend(stms.into_iter().rev()),
            None => block.stms.push(stm),
        }
    }
    known.drop_unused(block);
}

/// What statements say.
#[derive(Default)]
struct Known {
    /// Numbers of kept values, and of elements of arrays that have kept values in them.
    kept: Set<Var>,
    /// Arrays of scalars that are made in parts.
    arrays: Map<Var, InParts>,
    /// Conditions that a number is not below another, and checks of these.
    large: Map<Var, [Atom; 2]>,
    /// Checks that are made whether something relies on them or not.
    lasting: Set<Var>,
}

/// An array that is made in parts.
#[derive(Clone)]
struct InParts {
    arrays: Vec<Var>,
    total: Atom,
    /// Checks that it relies on.
    certs: Vec<Var>,
    parts: Vec<Elements>,
    /// Whether each part begins where the one before ends.
    in_order: bool,
}

/// A part of such an array.
#[derive(Clone)]
struct Elements {
    /// The loop: its counter, and how many turns it has.
    turns: (Var, Atom),
    /// The index of an element.
    place: Atom,
    /// The element; its statements bind the index, too.
    element: Block,
    /// Checks that it relies on.
    certs: Vec<Var>,
}

impl Known {
    fn add(&mut self, program: &mut Program, memory: &Memory, stm: &Stm) {
        let bulk = match &stm.exp {
            Exp::Bulk(bulk) => bulk,
            Exp::Bin(BinOp::Ge, Prim::I64, total, part) => {
                self.large.insert(stm.vars[0], [*total, *part]);
                return;
            }
            Exp::Assert { cond, site, .. } => {
                self.lasting.extend(stm.vars.iter().filter(|_| program.sites[*site].stays));
                let sizes = cond.var().and_then(|cond| self.large.get(&cond)).copied();
                return self.large.extend(sizes.map(|sizes| (stm.vars[0], sizes)));
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
        if let Some(found) = self.in_parts(program, stm, bulk).filter(|_| !consumed(memory, stm)) {
            self.kept.extend(found.total.var().filter(|_| found.in_order));
            self.arrays.extend(stm.vars.iter().map(|array| (*array, found.clone())));
        }
    }

    /// An array that is made in parts, and could not be made by one loop.
    fn in_parts(&self, program: &mut Program, stm: &Stm, bulk: &Bulk) -> Option<InParts> {
        let [output] = &bulk.outputs[..] else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let [Dim::Size(total)] = shape[..] else { return None };
        let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        let plain = rec.is_empty() && output.sizes.is_empty() && scalars && !fails(stm);
        if !plain || !(2..=MOST_PARTS).contains(&bulk.steps.len()) {
            return None;
        }
        let parts = bulk.steps.iter().map(|step| elements(program, step)).collect::<Option<Vec<_>>>()?;
        let in_order = matches!(&parts[..], [one, two] if begins_behind(one, two));
        let is_kept = |part: &Elements| part.turns.1.var().is_some_and(|count| self.kept.contains(&count));
        // That a sum of sizes is not too large concerns memory for all elements only.
        let of_memory = |cert: &&Var| {
            let sizes = self.large.get(*cert);
            in_order && sizes.is_some_and(|[all, part]| *all == total && parts.iter().any(|own| own.turns.1 == *part))
        };
        let certs = stm.certs.iter().filter(|cert| !of_memory(cert)).copied().collect();
        let fits = !in_order || parts.iter().any(is_kept);
        fits.then(|| InParts { arrays: stm.vars.clone(), total, certs, parts, in_order })
    }

    /// Forgets arrays that something else needs, unless they are cheap.
    fn keep_those_that_vanish(&mut self, program: &Program, block: &Block) {
        let mut uses: Map<Var, usize> = Map::default();
        block.result.iter().filter_map(|atom| atom.var()).for_each(|var| *uses.entry(var).or_default() += 1);
        let mut good: Map<Var, usize> = Map::default();
        for stm in block.stms.iter().rev() {
            let vanishes = |array: &Var| uses.get(array) == good.get(array);
            let own = self.arrays.get(&stm.vars.first().copied().unwrap_or(Var(u32::MAX)));
            let is_array = own.is_some_and(|own| own.arrays.iter().all(vanishes));
            if own.is_some() && !is_array && !own.is_some_and(is_cheap) {
                stm.vars.iter().for_each(|array| _ = self.arrays.remove(array));
            }
            let is_reader = is_array || self.parts_of(program, stm).is_some();
            stm.walk(&mut |part| {
                if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                    *uses.entry(*var).or_default() += 1;
                    *good.entry(*var).or_default() += usize::from(is_reader);
                }
            });
        }
    }

    /// Removes such arrays that nothing reads any more.
    fn drop_unused(&self, block: &mut Block) {
        let mut used: Set<Var> = Set::default();
        block.result.iter().for_each(|atom| used.extend(atom.var()));
        let mut place = block.stms.len();
        while place > 0 {
            place -= 1;
            let stm = &block.stms[place];
            if stm.vars.iter().all(|var| self.arrays.contains_key(var) && !used.contains(var)) && !stm.vars.is_empty() {
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

    /// The array whose elements a statement combines, one in each turn.
    fn parts_of(&self, program: &Program, stm: &Stm) -> Option<&InParts> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let [Step::For { var, count, body, .. }] = &bulk.steps[..] else { return None };
        let reduces = bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Reduce { .. }));
        let scalars = stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
        let plain = body.iter().all(|step| matches!(step, Step::Let(_) | Step::Emit(_) | Step::Guard(..)));
        if !reduces || !scalars || !plain || fails(stm) || size(stm) > LARGEST {
            return None;
        }
        let found = self.read_by(*var, body)?;
        (found.total == *count && (found.in_order || begins_anew(bulk).is_some())).then_some(found)
    }

    /// The arrays that a loop reads at its own index, if it mentions them in no other way.
    fn read_by(&self, index: Var, body: &[Step]) -> Option<&InParts> {
        let mut found: Option<&InParts> = None;
        let (mut mentions, mut reads) = (0, 0);
        for step in body {
            step.walk(&mut |part| match part {
                Part::Stm(Stm { exp: Exp::Index(array, at), .. }) if at[..] == [Atom::Var(index)] => {
                    if let Some(parts) = self.arrays.get(array) {
                        reads += usize::from(found.get_or_insert(parts).arrays == parts.arrays);
                    }
                }
                Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions += usize::from(self.arrays.contains_key(var)),
                Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
            });
        }
        found.filter(|_| mentions == reads)
    }

    /// The statements that a reduction of such an array becomes.
    fn split(&self, program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
        let found = self.parts_of(program, stm)?;
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let neutral = begins_anew(bulk);
        let mut stms: Vec<Stm> = Vec::new();
        for number in 0..found.parts.len() {
            let before = stms.last().map(|before| before.vars.iter().copied().map(Atom::Var).collect());
            let from = before.map(|before: Vec<Atom>| neutral.clone().unwrap_or(before));
            let part = self.over_part(program, found, number, stm, from);
            let vars = copies(&mut program.vars, &stm.vars);
            stms.push(Stm { vars, ..part });
        }
        let results: Vec<Vec<Atom>> =
            stms.iter().map(|part| part.vars.iter().copied().map(Atom::Var).collect()).collect();
        let combined = match (&neutral, results.split_first()) {
            (Some(_), Some((first, others))) => {
                others.iter().fold(first.clone(), |left, right| combined(program, bulk, &left, right, &mut stms))
            }
            (_, _) => results.last()?.clone(),
        };
        for (var, value) in stm.vars.iter().zip(combined) {
            stms.push(Stm { vars: vec![*var], certs: Vec::new(), exp: Exp::Atom(value), span: stm.span });
        }
        Some(stms)
    }

    /// A copy of a reduction that runs over one part, and begins with other numbers.
    fn over_part(
        &self,
        program: &mut Program,
        found: &InParts,
        number: usize,
        original: &Stm,
        from: Option<Vec<Atom>>,
    ) -> Stm {
        let own = Block { stms: vec![original.clone()], result: Vec::new() };
        let mut copy = copy_block(&mut program.vars, &own, Substitution::default());
        let Some(Stm { exp: Exp::Bulk(mut bulk), vars, certs, span }) = copy.stms.pop() else {
            base::bug!("a reduction is a form")
        };
        let Some(Step::For { var, body, .. }) = bulk.steps.pop() else { base::bug!("a reduction has a loop") };
        let part = &found.parts[number];
        let counter = program.vars.push(VarInfo::new(Name::new("i"), Type::I64));
        let names = Substitution::new(&[part.turns.0], &[counter.into()]);
        let Block { mut stms, mut result } = part.element.clone();
        // The index is the last result, as long as it is not known who needs it.
        result.push(part.place);
        let is_numbered = body.iter().any(|step| mentions_besides_reads(step, var, &found.arrays));
        if !is_numbered {
            result.pop();
        }
        Block { stms, result } = copy_block(&mut program.vars, &needed(&Block { stms, result }), names);
        if is_numbered {
            let place = result.pop().unwrap_or(counter.into());
            stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Atom(place), span });
        }
        let values: Map<Var, Atom> = found.arrays.iter().copied().zip(result).collect();
        let body = self.with_values(body, var, &values, original);
        let in_bounds = |stm: &Stm| {
            matches!(&stm.exp, Exp::Index(array, at) if at[..] == [counter.into()]
        && program.ty(*array).dims() == [Dim::Size(part.turns.1)])
        };
        let relies =
            |stm: Stm| if !stm.exp.is_partial() || in_bounds(&stm) { stm } else { stm.relying_on(&found.certs) };
        let mut steps: Vec<Step> = stms.into_iter().map(|stm| Step::Let(relies(stm))).collect();
        steps.extend(body);
        bulk.steps.push(Step::For { var: counter, count: part.turns.1, mark: Mark::Open, body: steps });
        from.into_iter().for_each(|from| begin_with(&mut bulk, from));
        let needed: Vec<Var> =
            found.certs.iter().chain(&part.certs).filter(|cert| !self.lasting.contains(cert)).copied().collect();
        Stm { vars, certs, exp: Exp::Bulk(bulk), span }.relying_on(&needed)
    }

    /// Steps with the elements of a turn in place of reads of them.
    fn with_values(&self, steps: Vec<Step>, index: Var, values: &Map<Var, Atom>, form: &Stm) -> Vec<Step> {
        let exp = Exp::Bulk(Bulk { outputs: Vec::new(), steps, scheduled: false });
        let mut block = Block { stms: vec![Stm { exp, ..form.clone() }], result: Vec::new() };
        block.for_each_stm_mut(&mut |stm| {
            if let Exp::Index(array, at) = &stm.exp
                && at[..] == [Atom::Var(index)]
                && let Some(value) = values.get(array)
            {
                stm.exp = Exp::Atom(*value);
                stm.certs.retain(|cert| !self.lasting.contains(cert));
            }
        });
        match block.stms.remove(0).exp {
            Exp::Bulk(bulk) => bulk.steps,
            _ => base::bug!("a form stays a form"),
        }
    }
}

/// What changes nothing in the reductions of a form, if it has such values.
fn begins_anew(bulk: &Bulk) -> Option<Vec<Atom>> {
    let mut all = Vec::new();
    for output in &bulk.outputs {
        let Kind::Reduce { op, neutral, .. } = &output.kind else { return None };
        match identities(op) {
            Some(identities) => all.extend(identities.into_iter().map(Atom::Const)),
            // The least number of all remains the least if it is asked for twice.
            None if is_exact(op) && op.body.stms.iter().all(is_extreme) => all.extend(neutral),
            None => return None,
        }
    }
    Some(all)
}

fn is_extreme(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Math(MathOp::Min | MathOp::Max, ..))
}

/// Combines what two parts give.
fn combined(program: &mut Program, bulk: &Bulk, left: &[Atom], right: &[Atom], stms: &mut Vec<Stm>) -> Vec<Atom> {
    let (mut first, mut results) = (0, Vec::new());
    for output in &bulk.outputs {
        let Kind::Reduce { op, .. } = &output.kind else { base::bug!("a reduction reduces") };
        let own = first..first + output.bound();
        first = own.end;
        let args = [&left[own.clone()], &right[own]].concat();
        let both = copy_block(&mut program.vars, &op.body, Substitution::new(&op.params, &args));
        stms.extend(both.stms);
        results.extend(both.result);
    }
    results
}

/// A loop that gives an element in each turn, or a single element.
fn elements(program: &mut Program, step: &Step) -> Option<Elements> {
    let (turns, (emit, before)) = match step {
        Step::For { var, count, body, .. } => match body.split_last()? {
            (Step::Emit(emit), before) => ((*var, *count), (emit, before)),
            (_, _) => return None,
        },
        Step::Emit(emit) => {
            let once = program.vars.push(VarInfo::new(Name::new("once"), Type::I64));
            ((once, Atom::size(1)), (emit, &[][..]))
        }
        Step::Let(_) | Step::Guard(..) | Step::Scan(_) => return None,
    };
    let Emit { at, value, certs, .. } = emit;
    let [place] = at[..] else { return None };
    let mut stms = Vec::new();
    for step in before {
        let Step::Let(stm) = step else { return None };
        stms.push(stm.clone());
    }
    stms.extend(value.stms.iter().cloned().map(|stm| stm.relying_on(certs)));
    let element = Block { stms, result: value.result.clone() };
    Some(Elements { turns, place, element, certs: certs.clone() })
}

/// Whether the elements of a part stand in order from 0, and those of another one behind them.
fn begins_behind(one: &Elements, two: &Elements) -> bool {
    let behind = two.element.stms.iter().any(|stm| {
        let sum = matches!(stm.exp, Exp::Bin(BinOp::Add, Prim::I64, a, b)
            if (a, b) == (one.turns.1, two.turns.0.into()) || (b, a) == (one.turns.1, two.turns.0.into()));
        sum && stm.vars.iter().any(|var| Atom::Var(*var) == two.place)
    });
    one.place == Atom::Var(one.turns.0) && behind
}

/// Whether the elements of an array may be computed twice.
fn is_cheap(parts: &InParts) -> bool {
    let simple =
        |part: &Elements| part.element.stms.len() <= CHEAP && part.element.stms.iter().all(|stm| stm.exp.is_simple());
    parts.in_order && parts.parts.iter().all(simple)
}

/// The same block without what its results and its index do not need.
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

/// Whether a step uses an index for more than reading elements of some arrays.
fn mentions_besides_reads(step: &Step, index: Var, arrays: &[Var]) -> bool {
    let (mut all, mut reads) = (0, 0);
    step.walk(&mut |part| match part {
        Part::Atom(Atom::Var(used)) | Part::Use(used) => all += usize::from(*used == index),
        Part::Stm(Stm { exp: Exp::Index(array, at), .. }) => {
            reads += usize::from(arrays.contains(array) && at[..] == [Atom::Var(index)]);
        }
        Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
    });
    all > reads
}

/// Lets reductions begin with these numbers.
fn begin_with(bulk: &mut Bulk, from: Vec<Atom>) {
    let mut rest = from.into_iter();
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
