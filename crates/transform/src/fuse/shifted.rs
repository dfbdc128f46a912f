//! Running combinations that are only read one place further on.
//!
//! ```text
//! let s: [n]i64 = bulk {                                 let e: [n]i64 = bulk {
//!   out gen [n] of (y: i64)                                out gen [n] of (y: i64)
//!   for i < n { scan z by + of xs[i]; emit [i] => z }      for k < n {
//! }                                                          scan z by + of { if k < 1 { => 0 } else { => xs[k - 1] } }
//! let r: [n]i64 = bulk {                           =>        emit [k] => z
//!   out gen [n] of (x: i64)                                }
//!   for k < n {                                          }
//!     emit [k] {                                         let r: [n]i64 = bulk {
//!       if k == 0 { => c } else { => f s[k - 1] }          out gen [n] of (x: i64)
//!     }                                                    for k < n {
//!   }                                                        emit [k] { if k == 0 { => c } else { => f e[k] } }
//! }                                                        }
//!                                                        }
//! ```
//!
//! Each turn then reads the element of its own turn, so both forms can be merged: an exclusive scan needs no second array.
//! `[c] ++ init s` and `[c] ++ s` are read like this, too: an array behind another one becomes one loop first. Where `c` is
//! neutral, nothing is to be chosen.
//!
//! The first value is neutral for the operator, bit by bit. The blocks in which sums of floating-point numbers are combined
//! begin at other elements then, which nobody sees: all that is read are these sums. Nothing may fail, because the last value
//! may be one that is not computed any more.

use super::item::Item;
use super::memory::Memory;
use super::merge::{OneLoop, in_block};
use super::producer::Producer;
use base::{Map, Name, Set};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Program, Scan, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim, Scalar, eval_bin};

/// How many statements before a form are looked at.
const WINDOW: usize = 50;

/// Changes the scans of a function that are only read like this.
pub(super) fn scans(program: &mut Program, memory: &Memory, body: &mut Block) {
    let mut has_scan = false;
    let (mut uses, mut literals) = (Map::default(), Map::default());
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| *uses.entry(var).or_default() += 1),
        Part::Stm(Stm { vars, exp: Exp::Literal(_, elements), .. }) => {
            let first = elements.first().filter(|first| elements.iter().all(|element| element == *first));
            literals.extend(first.map(|first| (vars[0], *first)));
        }
        Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) => has_scan |= !analysis::emits::scans(&bulk.steps).is_empty(),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    if has_scan {
        Shift { program, memory, uses, literals }.block(body);
    }
}

struct Shift<'p> {
    program: &'p mut Program,
    memory: &'p Memory,
    /// How often the function mentions each variable.
    uses: Map<Var, usize>,
    /// Vectors all of whose elements are the same.
    literals: Map<Var, Atom>,
}

/// An array of all running combinations of a loop.
struct Running<'a> {
    /// The index of the loop and how many turns it has.
    index: Var,
    count: Atom,
    /// What is bound before the combination.
    lets: Vec<Stm>,
    scan: &'a Scan,
    emit: &'a Emit,
    /// What changes nothing, in the place of a value before the first one.
    nothing: Vec<Atom>,
}

impl<'a> Running<'a> {
    fn of(program: &Program, stm: &'a Stm) -> Option<Running<'a>> {
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
        let ([output], [Step::For { var, count, body, .. }]) = (&outputs[..], &steps[..]) else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let [before @ .., Step::Scan(scan), Step::Emit(emit)] = &body[..] else { return None };
        let binding = |step: &Step| match step {
            Step::Let(stm) => Some(stm.clone()),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        };
        let lets = before.iter().map(binding).collect::<Option<_>>()?;
        let scalars = scan.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
        let stored = emit.value.stms.is_empty()
            && emit.value.result.iter().copied().eq(scan.vars.iter().map(|var| Atom::Var(*var)));
        let whole = *shape == [Dim::Size(*count)] && emit.at == [Atom::Var(*var)];
        let plain = rec.is_empty() && output.sizes.is_empty() && scalars && stored && whole;
        let fits = plain && is_harmless(program, stm);
        let nothing = nothing(scan).filter(|_| fits)?;
        Some(Running { index: *var, count: *count, lets, scan, emit, nothing })
    }
}

/// What combined with the first value of a running combination gives that value. Of the zeros that is the negative one, but
/// who says that a zero is neutral does not tell them apart.
fn nothing(scan: &Scan) -> Option<Vec<Atom>> {
    let known = ir::tree::identities(&scan.op)?;
    if ir::tree::is_exact(&scan.op) {
        return starts_neutral(scan).then(|| scan.neutral.clone());
    }
    let choose = |(own, known): (&Atom, Scalar)| match own {
        Atom::Const(own) if eval_bin(BinOp::Eq, *own, known) == Ok(Scalar::Bool(true)) => Atom::Const(*own),
        Atom::Const(_) | Atom::Var(_) => Atom::Const(known),
    };
    Some(scan.neutral.iter().zip(known).map(choose).collect())
}

/// Whether a running combination begins with values that change nothing, whatever the order of the others.
pub(super) fn starts_neutral(scan: &Scan) -> bool {
    let identities = ir::tree::identities(&scan.op).filter(|_| ir::tree::is_exact(&scan.op));
    identities.is_some_and(|known| scan.neutral.iter().copied().eq(known.into_iter().map(Atom::Const)))
}

fn is_harmless(program: &Program, stm: &Stm) -> bool {
    let mut harmless = true;
    stm.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            harmless &= !stm.exp.can_fail() && stm.exp.consumes(&program.functions).is_empty();
        }
    });
    harmless
}

impl Shift<'_> {
    fn block(&mut self, block: &mut Block) {
        block.stms.iter_mut().for_each(|stm| self.inside(stm));
        let mut place = 0;
        while place < block.stms.len() {
            let first = place.saturating_sub(WINDOW);
            let found = (first..place).rev().find_map(|scan| Some((scan, self.both(&block.stms[scan..=place])?)));
            if let Some((scan, both)) = found {
                block.stms.splice(place..=place, both);
                block.stms.remove(scan);
            }
            place += 1;
        }
    }

    fn inside(&mut self, stm: &mut Stm) {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
    }

    fn steps(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.inside(stm),
                Step::Scan(scan) => self.block(&mut scan.value),
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
    }

    /// The first of these statements, shifted, and the last one, which is all that reads it.
    fn both(&mut self, stms: &[Stm]) -> Option<[Stm; 2]> {
        let [first, .., reader] = stms else { return None };
        let running = Running::of(self.program, first)?;
        let times: usize = first.vars.iter().filter_map(|var| self.uses.get(var)).sum();
        let used = mentions(reader, &first.vars);
        if used == 0 || used != times || !self.may_move(&stms[..stms.len() - 1]) {
            return None;
        }
        let mut reader = self.in_one_loop(reader, running.count)?;
        let Exp::Bulk(bulk) = &reader.exp else { return None };
        let one = OneLoop::of(bulk).filter(|one| one.before.is_empty())?;
        let (index, turns) = (one.var, one.count);
        let arrays: Vec<Var> = first.vars.iter().map(|array| self.shifted_name(*array, turns)).collect();
        let mut reads = Reads { index, before: Set::default(), from: &first.vars, to: &arrays, found: 0 };
        reads.replace(&mut reader);
        if reads.found != times {
            return None;
        }
        self.without_choice(&mut reader, index, &running.nothing, &arrays);
        let shifted = self.shifted(first, &running, arrays, turns, &reader.certs);
        Some([shifted, reader])
    }

    /// Whether the first of these statements may move behind the others.
    fn may_move(&self, stms: &[Stm]) -> bool {
        let item = |stm: &Stm| Item::of(self.program, self.memory, Step::Let(stm.clone()));
        let Some((first, behind)) = stms.split_first() else { return false };
        let first = item(first);
        behind.iter().all(|stm| !item(stm).does.ordered_after(&first))
    }

    /// A reader of an array with so many elements that has one loop of so many turns, or one more if it reads all elements.
    fn in_one_loop(&mut self, reader: &Stm, count: Atom) -> Option<Stm> {
        let Exp::Bulk(bulk) = &reader.exp else { return None };
        match &bulk.steps[..] {
            [Step::For { count: own, .. }] => (*own == count).then(|| reader.clone()),
            [Step::For { count: one, .. }, Step::For { count: rest, .. }] => {
                let producer = Producer::of_two(self.program, reader)?;
                let [(var, total)] = producer.loops[..] else { return None };
                (one.as_size() == Some(1) && (total == count || *rest == count)).then_some(())?;
                let (value, span) = (producer.element, reader.span);
                let emit = Emit { output: 0, at: vec![var.into()], certs: Vec::new(), value, span };
                let step = Step::For { var, count: total, mark: Mark::Open, body: vec![Step::Emit(emit)] };
                let exp = Exp::Bulk(Bulk { outputs: bulk.outputs.clone(), steps: vec![step], scheduled: false });
                Some(Stm { vars: reader.vars.clone(), certs: producer.certs, exp, span })
            }
            _ => None,
        }
    }

    fn shifted_name(&mut self, array: Var, turns: Atom) -> Var {
        let info = self.program.vars[array].clone();
        let Some(prim) = info.ty.prim() else { base::bug!("a form makes what is no array") };
        self.program.vars.push(VarInfo { ty: Type::Array(prim, vec![Dim::Size(turns)]), ..info })
    }

    fn scalar(&mut self, name: &str, prim: Prim) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(prim)))
    }

    /// The form that gives the combinations of all values before the one of the turn.
    fn shifted(&mut self, stm: &Stm, running: &Running<'_>, vars: Vec<Var>, turns: Atom, certs: &[Var]) -> Stm {
        let Exp::Bulk(bulk) = &stm.exp else { base::bug!("a running combination is no form") };
        let span = stm.span;
        let (turn, is_first) = (self.scalar("i", Prim::I64), self.scalar("first", Prim::Bool));
        let bind = |var: Var, exp: Exp| Stm { vars: vec![var], certs: Vec::new(), exp, span };
        let Scan { op, value, .. } = running.scan;
        let own = bind(running.index, Exp::Bin(BinOp::Sub, Prim::I64, turn.into(), Atom::size(1)));
        let stms = [own].into_iter().chain(running.lets.iter().cloned()).chain(value.stms.iter().cloned()).collect();
        let otherwise = Block { stms, result: value.result.clone() };
        let then = Block { stms: Vec::new(), result: running.nothing.clone() };
        let items = ir::rename::copies(&mut self.program.vars, &op.params[..running.nothing.len()]);
        let result = items.iter().map(|item| Atom::Var(*item)).collect();
        let choice = Stm { vars: items, certs: Vec::new(), exp: Exp::If(is_first.into(), then, otherwise), span };
        let scan = Scan { value: Block { stms: vec![choice], result }, ..running.scan.clone() };
        let body = vec![
            Step::Let(bind(is_first, Exp::Bin(BinOp::Lt, Prim::I64, turn.into(), Atom::size(1)))),
            Step::Scan(scan),
            Step::Emit(Emit { at: vec![turn.into()], ..running.emit.clone() }),
        ];
        let mut outputs = bulk.outputs.clone();
        if let Kind::Gen { shape, .. } = &mut outputs[0].kind {
            *shape = vec![Dim::Size(turns)];
        }
        let steps = vec![Step::For { var: turn, count: turns, mark: Mark::Open, body }];
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        let certs = stm.certs.iter().chain(certs.iter().filter(|cert| !stm.certs.contains(cert))).copied().collect();
        Stm { vars, certs, exp, span }
    }

    /// Where a value is neutral in the first turn and the combination of all before in the others, it is that combination.
    fn without_choice(&self, reader: &mut Stm, index: Var, nothing: &[Atom], arrays: &[Var]) {
        let mut firsts: Set<Var> = Set::default();
        reader.walk(&mut |part| {
            if let Part::Stm(Stm { vars, exp: Exp::Bin(op, Prim::I64, a, b), .. }) = part {
                let limit = match op {
                    BinOp::Lt => Some(Atom::size(1)),
                    BinOp::Eq => Some(Atom::size(0)),
                    _ => None,
                };
                firsts.extend(vars.iter().filter(|_| *a == Atom::Var(index) && Some(*b) == limit));
            }
        });
        let mut block = Block { stms: vec![reader.clone()], result: Vec::new() };
        block.for_each_stm_mut(&mut |stm| {
            let Exp::If(Atom::Var(condition), then, otherwise) = &stm.exp else { return };
            let ([first], [rest], true) = (&then.result[..], &otherwise.result[..], firsts.contains(condition)) else {
                return;
            };
            let Some((read, others)) = otherwise.stms.split_last() else { return };
            let Exp::Index(array, _) = read.exp else { return };
            let number = arrays.iter().position(|known| *known == array);
            let is_read = *rest == Atom::Var(read.vars[0]) && others.iter().all(|stm| matches!(stm.exp, Exp::Bin(..)));
            let harmless = then.stms.iter().all(|stm| matches!(stm.exp, Exp::Index(..)));
            if is_read && harmless && number.is_some_and(|number| self.value(then, *first) == nothing[number]) {
                let certs = read.certs.iter().filter(|cert| !stm.certs.contains(cert)).copied().collect::<Vec<_>>();
                stm.exp = read.exp.clone();
                stm.certs.extend(certs);
            }
        });
        block.stms.pop().into_iter().for_each(|changed| *reader = changed);
    }

    /// What an atom is: an element of a vector of constants, or itself.
    fn value(&self, block: &Block, atom: Atom) -> Atom {
        let read = block.stms.iter().find(|stm| stm.vars.first().copied().map(Atom::Var) == Some(atom));
        match read.map(|stm| &stm.exp) {
            Some(Exp::Index(vector, _)) => self.literals.get(vector).copied().unwrap_or(atom),
            Some(_) | None => atom,
        }
    }
}

/// Reads one place before that of the turn.
struct Reads<'a> {
    index: Var,
    /// The names of that place.
    before: Set<Var>,
    /// The arrays, and what is read at the place of the turn instead.
    from: &'a [Var],
    to: &'a [Var],
    found: usize,
}

impl Reads<'_> {
    fn replace(&mut self, reader: &mut Stm) {
        let Exp::Bulk(bulk) = &mut reader.exp else { return };
        bulk.steps =
            in_block(std::mem::take(&mut bulk.steps), |block| block.for_each_stm_mut(&mut |stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &mut Stm) {
        match &mut stm.exp {
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) if *a == Atom::Var(self.index) && b.as_size() == Some(1) => {
                self.before.extend(&stm.vars);
            }
            Exp::Bin(BinOp::Add, Prim::I64, a, b) if *a == Atom::Var(self.index) && b.as_size() == Some(-1) => {
                self.before.extend(&stm.vars);
            }
            Exp::Index(array, at) if at.len() == 1 && at[0].var().is_some_and(|at| self.before.contains(&at)) => {
                if let Some(number) = self.from.iter().position(|from| from == array) {
                    *array = self.to[number];
                    at[0] = Atom::Var(self.index);
                    self.found += 1;
                }
            }
            _ => {}
        }
    }
}

/// How often a statement mentions some variables.
fn mentions(stm: &Stm, vars: &[Var]) -> usize {
    let mut count = 0;
    stm.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => count += usize::from(vars.contains(var)),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    count
}
