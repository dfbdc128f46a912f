//! Running sums that are written as recursive arrays or loops.
//!
//! ```text
//! out gen [n] of (x: i32) rec (s: [n]i32)       out gen [n] of (x: i32)
//! if n > 0 { emit [0] => xs[0] }                for i < n {
//! for i < n - 1 {                         =>      scan (s: i32) from (0) by (a, b) { a + b } of { => xs[i] }
//!   emit [i + 1] { => s[i] + xs[i + 1] }          emit [i] => s
//! }                                             }
//! ```
//!
//! Each element is the one before it, combined with a value by an operator that is exact in any order; `sum_scans` does the
//! same for sums of floats, which then are combined like those of `scan`. Scans run on all threads. The first element may be
//! any value: `if i == 0 { .. } else { .. }` asks for it unless it is what the other elements would add. So may the form be: two
//! clauses, one clause that asks for the index, or a loop that replaces the elements of an array one after the other.
//!
//! Nothing may fail, and values must not read the array otherwise. What the verifier cannot follow stays as it was.

use crate::attempt;
use crate::write::{Writer, array};
use analysis::messages::Messages;
use analysis::same::Same;
use base::{Map, Name};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::tree::{identities, is_exact};
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Region, Scan, Step, Stm, Topic,
    Tree, Type, Var, VarInfo,
};
use scalar::{BinOp, MathOp, Prim};

const DONE: &str = "each element combines the one before with a value: computed as a `scan`, on all threads";

/// Makes scans of exact operators.
pub fn scans(program: &mut Program) {
    change(program, false);
}

/// The same for sums of floats.
pub fn sum_scans(program: &mut Program) {
    change(program, true);
}

fn change(program: &mut Program, rounds: bool) {
    for fun in program.functions.ids() {
        let definitions = definitions(&program.functions[fun].body);
        attempt::stms(program, fun, (Topic::Parallel, DONE), |program, stm, changed| {
            let scan = Recurrence::of(program, &definitions, &stm).and_then(|found| found.scan(program, &stm, rounds));
            changed.extend(scan.as_ref().map(|_| stm.span));
            vec![scan.unwrap_or(stm)]
        });
    }
}

/// How numbers are computed.
fn definitions(body: &Block) -> Map<Var, Exp> {
    let mut found = Map::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { vars, exp: exp @ (Exp::Bin(..) | Exp::Select(..)), .. }) = part {
            found.extend(vars.first().map(|var| (*var, exp.clone())));
        }
    });
    found
}

/// An array of which each element is combined with the one before.
struct Recurrence {
    count: Atom,
    index: Var,
    /// What is bound before the loop, and in each turn.
    before: Vec<Step>,
    turn: Vec<Stm>,
    /// The condition for the first element, the first element, and the value with which others are combined.
    is_first: Option<Atom>,
    first: Block,
    rest: Block,
    /// The operation.
    operation: Stm,
    elem: Var,
}

impl Recurrence {
    fn of(program: &mut Program, definitions: &Map<Var, Exp>, stm: &Stm) -> Option<Recurrence> {
        (!stm.can_fail()).then_some(())?;
        match &stm.exp {
            Exp::Bulk(bulk) => of_array(program, definitions, bulk),
            Exp::Loop { .. } => of_loop(program, definitions, stm),
            _ => None,
        }
    }

    /// The array as a scan, if the order of its combinations does not matter.
    fn scan(self, program: &mut Program, stm: &Stm, rounds: bool) -> Option<Stm> {
        let Type::Scalar(prim) = *program.ty(self.elem) else { return None };
        let op = operator(program, &self.operation, prim)?;
        let is_sum = matches!(self.operation.exp, Exp::Bin(BinOp::Add, Prim::F32 | Prim::F64, ..));
        let neutral = neutral(&op, &self.operation.exp, prim)?;
        (is_exact(&op) != rounds && (is_exact(&op) || is_sum)).then_some(())?;
        let is_like_others = self.is_like_others(program);
        let mut writer = Writer { program, stms: self.turn, span: stm.span };
        let value = if is_like_others {
            Block { stms: [writer.taken(), self.rest.stms].concat(), result: self.rest.result }
        } else {
            let is_first =
                self.is_first.unwrap_or_else(|| writer.truth(BinOp::Eq, Prim::I64, self.index.into(), Atom::size(0)));
            let x = writer.bind("x", Type::Scalar(prim), Exp::If(is_first, self.first, self.rest));
            Block { stms: writer.taken(), result: vec![x] }
        };
        let sum = writer.var("s", Type::Scalar(prim));
        let tree = if is_exact(&op) { Tree::Free } else { Tree::PLAIN };
        let scan = Scan { vars: vec![sum], op, neutral: vec![neutral], tree, value, span: stm.span };
        let emit = writer.emit(0, vec![self.index.into()], sum.into());
        let body = vec![Step::Scan(scan), emit];
        let mut steps = self.before;
        steps.push(Step::For { var: self.index, count: self.count, mark: Mark::Open, body });
        let outputs =
            vec![Output { kind: array(vec![Dim::Size(self.count)]), sizes: Vec::new(), elems: vec![self.elem] }];
        Some(Stm { exp: Exp::Bulk(Bulk { outputs, steps, scheduled: false }), ..stm.clone() })
    }

    /// Whether the first element is the value that others add, at index 0.
    fn is_like_others(&self, program: &mut Program) -> bool {
        let turn = Block { stms: [&self.turn[..], &self.rest.stms].concat(), result: self.rest.result.clone() };
        let at_zero = copy_block(&mut program.vars, &turn, Substitution::new(&[self.index], &[Atom::size(0)]));
        let needed = |block: &Block| Block { stms: used(block), result: block.result.clone() };
        let asked = |block: Block| Exp::If(Atom::bool(true), block, Block::default());
        let first = Block { stms: [&self.turn[..], &self.first.stms].concat(), result: self.first.result.clone() };
        let stm = |exp: Exp| Stm { vars: Vec::new(), certs: Vec::new(), exp, span: self.operation.span };
        let (messages, merged) = (Messages::of(program), Substitution::default());
        Same::new(program, &messages, &merged).are(&stm(asked(needed(&at_zero))), &stm(asked(needed(&first))))
    }
}

/// The statements of a block that its result needs.
fn used(block: &Block) -> Vec<Stm> {
    let mut wanted: Vec<Var> = block.result.iter().filter_map(|atom| atom.var()).collect();
    let mut found: Vec<Stm> = Vec::new();
    for stm in block.stms.iter().rev().filter(|stm| stm.exp.blocks().is_empty()) {
        if stm.vars.iter().any(|var| wanted.contains(var)) {
            stm.walk(&mut |part| {
                if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                    wanted.push(*var);
                }
            });
            found.push(stm.clone());
        }
    }
    found.reverse();
    found
}

/// A recursive array with one dimension, computed in order.
fn of_array(program: &mut Program, definitions: &Map<Var, Exp>, bulk: &Bulk) -> Option<Recurrence> {
    let [Output { kind, sizes, elems }] = &bulk.outputs[..] else { return None };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = kind else { return None };
    let ([Dim::Size(count)], [rec], [elem]) = (&shape[..], &rec[..], &elems[..]) else { return None };
    (bulk.scheduled && sizes.is_empty()).then_some(())?;
    let is_let = |step: &&Step| matches!(step, Step::Let(_));
    let before: Vec<Step> = bulk.steps.iter().filter(is_let).cloned().collect();
    let clauses: Vec<&Step> = bulk.steps.iter().filter(|step| !is_let(step)).collect();
    match clauses[..] {
        [Step::For { var, count: turns, body, .. }] if turns == count => {
            let (turn, emit) = one_value(body)?;
            (emit.at == [Atom::Var(*var)]).then_some(())?;
            of_choice(definitions, *rec, turn, emit).map(|(turn, is_first, first, rest, operation)| Recurrence {
                count: *count,
                index: *var,
                before,
                turn,
                is_first: Some(is_first),
                first,
                rest,
                operation,
                elem: *elem,
            })
        }
        [first, Step::For { var, body, .. }] => {
            let first = first_element(first)?;
            let (turn, emit) = one_value(body)?;
            let place = moved(definitions, &emit.at, *var)?;
            let block = Block { stms: [turn, emit.value.stms.clone()].concat(), result: emit.value.result.clone() };
            let (rest, operation) = combined(&block, *rec, |at| at == Atom::Var(*var))?;
            let (index, rest) = from_zero(program, *var, place, rest);
            let turn = Vec::new();
            Some(Recurrence { count: *count, index, before, turn, is_first: None, first, rest, operation, elem: *elem })
        }
        _ => None,
    }
}

/// The bindings and the value of a turn.
fn one_value(body: &[Step]) -> Option<(Vec<Stm>, &Emit)> {
    let (Step::Emit(emit), before) = body.split_last()? else { return None };
    let lets = before.iter().map(|step| if let Step::Let(stm) = step { Some(stm.clone()) } else { None });
    emit.certs.is_empty().then_some(())?;
    Some((lets.collect::<Option<_>>()?, emit))
}

/// The value of a clause that defines element 0.
fn first_element(step: &Step) -> Option<Block> {
    let emit = match step {
        Step::Emit(emit) => emit,
        Step::Guard(_, body) => match &body[..] {
            [Step::Emit(emit)] => emit,
            _ => return None,
        },
        Step::For { .. } | Step::Let(_) | Step::Scan(_) => return None,
    };
    (emit.at == [Atom::size(0)] && emit.certs.is_empty()).then(|| emit.value.clone())
}

/// The variable that is the index and one.
fn moved(definitions: &Map<Var, Exp>, at: &[Atom], index: Var) -> Option<Var> {
    let [Atom::Var(place)] = at[..] else { return None };
    is_sum(definitions, place.into(), index, 1).then_some(place)
}

/// Whether a number is the index and a constant.
fn is_sum(definitions: &Map<Var, Exp>, atom: Atom, index: Var, by: i64) -> bool {
    let is = |a: Atom, constant: Atom, by: i64| a == Atom::Var(index) && constant.as_size() == Some(by);
    match atom.var().and_then(|var| definitions.get(&var)) {
        Some(Exp::Bin(BinOp::Add, Prim::I64, a, b)) => is(*a, *b, by) || is(*b, *a, by),
        Some(Exp::Bin(BinOp::Sub, Prim::I64, a, b)) => is(*a, *b, -by),
        _ => false,
    }
}

/// What a value combines with the element before: the value without that, and the operation, which comes last.
fn combined(block: &Block, rec: Var, is_before: impl Fn(Atom) -> bool) -> Option<(Block, Stm)> {
    let (operation, before) = block.stms.split_last()?;
    let ([total], [result]) = (&operation.vars[..], &block.result[..]) else { return None };
    (*result == Atom::Var(*total)).then_some(())?;
    let is_read =
        |stm: &&Stm| matches!(&stm.exp, Exp::Index(array, at) if *array == rec && at.len() == 1 && is_before(at[0]));
    let read = before.iter().find(is_read)?.vars[0];
    let (a, b) = operands(&operation.exp)?;
    let value = match (a == Atom::Var(read), b == Atom::Var(read)) {
        (true, false) => b,
        (false, true) => a,
        (_, _) => return None,
    };
    let mut uses = (0, 0);
    block.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            uses.0 += usize::from(*var == rec);
            uses.1 += usize::from(*var == read);
        }
    });
    (uses == (1, 1)).then_some(())?;
    let stms = before.iter().filter(|stm| stm.vars != [read]).cloned().collect();
    Some((Block { stms, result: vec![value] }, operation.clone()))
}

fn operands(exp: &Exp) -> Option<(Atom, Atom)> {
    match exp {
        Exp::Bin(_, _, a, b) => Some((*a, *b)),
        Exp::Math(MathOp::Min | MathOp::Max, _, args) => Some((args[0], args[1])),
        _ => None,
    }
}

/// The parts of a value that asks whether it is the first: what comes before, the condition, both values, and the operation.
type Choice = (Vec<Stm>, Atom, Block, Block, Stm);

fn of_choice(definitions: &Map<Var, Exp>, rec: Var, turn: Vec<Stm>, emit: &Emit) -> Option<Choice> {
    let (choice, before) = emit.value.stms.split_last()?;
    let Exp::If(cond, then, otherwise) = &choice.exp else { return None };
    (emit.value.result.iter().copied().eq(choice.vars.iter().copied().map(Atom::Var))).then_some(())?;
    let Some(Exp::Bin(BinOp::Eq, Prim::I64, asked, zero)) = definitions.get(&cond.var()?) else { return None };
    let index = asked.var().filter(|_| *zero == Atom::size(0))?;
    let (rest, operation) = combined(otherwise, rec, |at| is_sum(definitions, at, index, -1))?;
    let turn = [turn, before.to_vec()].concat();
    let reads = |stm: &Stm| {
        let mut found = false;
        stm.walk(&mut |part| found |= matches!(part, Part::Use(var) | Part::Atom(Atom::Var(var)) if *var == rec));
        found
    };
    let is_free = !turn.iter().chain(&then.stms).any(reads);
    (is_free && emit.at == [Atom::Var(index)]).then(|| (turn, *cond, then.clone(), rest, operation))
}

/// A value in terms of the place of its element, which is one more than the index: the place, and the value.
fn from_zero(program: &mut Program, index: Var, place: Var, mut value: Block) -> (Var, Block) {
    let mut new = |name: &str| program.vars.push(VarInfo::new(Name::new(name), Type::I64));
    let (own, before) = (new("i"), new("i"));
    value.stms.retain(|stm| stm.vars != [place]);
    let names = Substitution::new(&[place, index], &[own.into(), before.into()]);
    let mut value = copy_block(&mut program.vars, &value, names);
    let mut is_used = false;
    value.walk(&mut |part| is_used |= matches!(part, Part::Atom(Atom::Var(var)) if *var == before));
    if is_used {
        let exp = Exp::Bin(BinOp::Sub, Prim::I64, own.into(), Atom::size(1));
        let span = value.stms.first().map_or(base::Span::OF_CALLER, |stm| stm.span);
        value.stms.insert(0, Stm { vars: vec![before], certs: Vec::new(), exp, span });
    }
    (own, value)
}

/// A loop that replaces each element of an array but the first.
fn of_loop(program: &mut Program, definitions: &Map<Var, Exp>, stm: &Stm) -> Option<Recurrence> {
    let Exp::Loop { params, form: LoopForm::For(index, turns), body, .. } = &stm.exp else { return None };
    let ([(carried, Atom::Var(given))], [Atom::Var(result)]) = (&params[..], &body.result[..]) else { return None };
    let Type::Array(prim, dims) = program.ty(*carried).clone() else { return None };
    let [Dim::Size(count)] = dims[..] else { return None };
    is_all_but_one(definitions, *turns, count).then_some(())?;
    let (update, before) = body.stms.split_last()?;
    let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &update.exp else { return None };
    let ([Output { kind, .. }], [Step::Emit(emit)]) = (&outputs[..], &steps[..]) else { return None };
    let Kind::Update { arrays, skip: false, rec } = kind else { return None };
    let is_own = arrays[..] == [*carried] && rec.is_empty() && update.vars == [*result];
    (is_own && emit.certs.is_empty() && stm.certs.is_empty()).then_some(())?;
    let place = moved(definitions, &emit.at, *index)?;
    let block = Block { stms: [before, &emit.value.stms].concat(), result: emit.value.result.clone() };
    let (rest, operation) = combined(&block, *carried, |at| at == Atom::Var(*index))?;
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let x = writer.bind("x", Type::Scalar(prim), Exp::Index(*given, vec![Atom::size(0)]));
    let first = Block { stms: writer.taken(), result: vec![x] };
    let elem = writer.var("x", Type::Scalar(prim));
    let (index, rest) = from_zero(program, *index, place, rest);
    let (before, turn) = (Vec::new(), Vec::new());
    Some(Recurrence { count, index, before, turn, is_first: None, first, rest, operation, elem })
}

/// Whether a loop has one turn less than an array has elements, and none if there are no elements.
fn is_all_but_one(definitions: &Map<Var, Exp>, turns: Atom, count: Atom) -> bool {
    let is_less = |atom: Atom| match (atom.var().and_then(|var| definitions.get(&var)), atom.as_size()) {
        (Some(Exp::Bin(BinOp::Sub, Prim::I64, a, b)), _) => *a == count && *b == Atom::size(1),
        (None, Some(turns)) => count.as_size().and_then(|count| count.checked_sub(1)) == Some(turns),
        (_, _) => false,
    };
    let is_more_than_one = |atom: Atom| match atom.var().and_then(|var| definitions.get(&var)) {
        Some(Exp::Bin(BinOp::Lt, Prim::I64, a, b)) => *a == Atom::size(1) && *b == count,
        _ => false,
    };
    match turns.var().and_then(|var| definitions.get(&var)) {
        Some(Exp::Select(cond, turns, none)) => {
            is_more_than_one(*cond) && is_less(*turns) && none.as_size().is_some_and(|none| none <= 0)
        }
        _ => is_less(turns),
    }
}

/// An operation as a function of two numbers.
fn operator(program: &mut Program, operation: &Stm, prim: Prim) -> Option<Region> {
    let mut new = |name: &str| program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(prim)));
    let (a, b, result) = (new("a"), new("b"), new("t"));
    let exp = match &operation.exp {
        Exp::Bin(op, own, ..) if *own == prim => Exp::Bin(*op, prim, a.into(), b.into()),
        Exp::Math(op @ (MathOp::Min | MathOp::Max), own, _) if *own == prim => {
            Exp::Math(*op, prim, vec![a.into(), b.into()])
        }
        _ => return None,
    };
    let stm = Stm { vars: vec![result], certs: Vec::new(), exp, span: operation.span };
    Some(Region { params: vec![a, b], body: Block { stms: vec![stm], result: vec![result.into()] } })
}

/// The number that changes nothing.
fn neutral(op: &Region, operation: &Exp, prim: Prim) -> Option<Atom> {
    let number = match operation {
        Exp::Math(MathOp::Min, ..) if prim.is_int() => prim.highest(),
        Exp::Math(MathOp::Max, ..) if prim.is_int() => prim.lowest(),
        _ => *identities(op)?.first()?,
    };
    Some(Atom::Const(number))
}
