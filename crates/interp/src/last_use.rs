//! Marks the reads after which a variable is not needed any more.
//!
//! The evaluator moves the value out of the slot there, so that an array consumed by `with`, `scatter` or `update` has
//! no second reference and is changed in place. The code is walked against the order of evaluation with the set of
//! slots that are still read later. Code that runs several times never moves what was bound outside of it, except that
//! a loop's own pattern is bound anew at each turn.

use crate::code::*;
use crate::slots::{SlotSet, Uses};

/// Marks the body of a function with so many slots, whose result is matched afterwards.
pub(crate) fn mark_body(body: &mut BodyCode, slots: usize, result: &Matcher) {
    let mut live = SlotSet::default();
    if slots > 0 {
        // Reserves the words, so that unions below need not grow the set.
        live.insert(slots as Slot - 1);
        live.subtract(&live.clone());
    }
    keep(&mut live, |uses| uses.matcher(result));
    if let BodyCode::Node(node) = body {
        mark(node, &mut live);
    }
}

/// Keeps alive whatever some code uses.
fn keep(live: &mut SlotSet, visit: impl FnOnce(&mut Uses)) {
    let mut uses = Uses::default();
    visit(&mut uses);
    live.union(&uses.reads);
}

fn touch(read: &mut Read, live: &mut SlotSet) {
    read.last = !live.contains(read.slot);
    live.insert(read.slot);
}

/// Marks code that may run several times: nothing bound outside of it is moved.
fn mark_repeated(node: &mut Node, live: &mut SlotSet) {
    let mut uses = Uses::default();
    uses.node(node);
    live.union(&uses.free());
    mark(node, live);
}

fn mark_rev<'a>(nodes: impl DoubleEndedIterator<Item = &'a mut Node>, live: &mut SlotSet) {
    nodes.rev().for_each(|n| mark(n, live));
}

fn mark_branches<'a>(branches: impl Iterator<Item = &'a mut Node>, live: &mut SlotSet) {
    let after = live.clone();
    for branch in branches {
        let mut inside = after.clone();
        mark(branch, &mut inside);
        live.union(&inside);
    }
}

/// Marks a node, given the slots that are read after it; adds those that it reads.
fn mark(node: &mut Node, live: &mut SlotSet) {
    match node {
        Node::Const(_) | Node::Bytes(_) | Node::Hole(_) | Node::Constant(_) | Node::Operator(_) => {}
        Node::Blank(ty, _) => keep(live, |uses| uses.type_code(ty)),
        Node::Read(read, _) | Node::Size(read, _) => touch(read, live),
        Node::Global(_, types, _) => keep(live, |uses| uses.type_args(types)),
        Node::Instance(read, types, _) => {
            keep(live, |uses| uses.type_args(types));
            touch(read, live);
        }
        Node::Record(fields) => mark_rev(fields.iter_mut().map(|f| &mut f.1), live),
        Node::Array(items, ty, _) => {
            keep(live, |uses| uses.type_code(ty));
            mark_rev(items.iter_mut(), live);
        }
        Node::Range(range) => mark_range(range, live),
        Node::Project(inner, _) | Node::Unary(_, inner, _) => mark(inner, live),
        Node::Index(index) => mark_index(index, live),
        Node::Call(call) => mark_call(call, live),
        Node::Apply(fun, args, _) => mark_apply(fun, args, live),
        Node::Constr(_, args) => mark_rev(args.iter_mut(), live),
        Node::Scalar(code) => mark_rev(code.args.iter_mut(), live),
        Node::Binary(_, pair, _) | Node::Lifted(_, pair, _) | Node::And(pair) | Node::Or(pair) => {
            mark(&mut pair.1, live);
            mark(&mut pair.0, live);
        }
        Node::Lambda(_, captures) => captures.iter_mut().rev().for_each(|r| touch(r, live)),
        Node::If(parts) => {
            mark_branches([&mut parts.1, &mut parts.2].into_iter(), live);
            mark(&mut parts.0, live);
        }
        Node::Let(code) => mark_let(code, live),
        Node::LetRec(code) => mark_let_rec(code, live),
        Node::Loop(code) => mark_loop(code, live),
        Node::Match(code) => mark_match(code, live),
        Node::With(code) => mark_with(code, live),
        Node::Coerce(code) => {
            keep(live, |uses| uses.matcher(&code.sizes));
            mark(&mut code.value, live);
        }
        Node::Assert(code) => {
            mark(&mut code.body, live);
            mark(&mut code.cond, live);
        }
        Node::Comprehension(code) => mark_comprehension(code, live),
        Node::ArrayBy(code) => mark_array_by(code, live),
        Node::Update(code) => mark_update(code, live, true),
        Node::Accum(code) => mark_accum(code, live),
        Node::Exts(code) => {
            keep(live, |uses| uses.matcher(&code.sizes));
            mark(&mut code.value, live);
        }
    }
}

/// The bounds and the step of a range.
fn mark_range(range: &mut RangeCode, live: &mut SlotSet) {
    mark(&mut range.end, live);
    mark_rev(range.second.iter_mut(), live);
    mark(&mut range.first, live);
}

/// A call evaluates the arguments, then those of the function that it gives, then the types.
fn mark_call(call: &mut CallCode, live: &mut SlotSet) {
    keep(live, |uses| uses.type_args(&call.types));
    mark_rev(call.more.iter_mut(), live);
    mark_rev(call.args.iter_mut(), live);
}

/// A function is evaluated before its arguments; one that takes types, after them.
fn mark_apply(fun: &mut Node, args: &mut [Node], live: &mut SlotSet) {
    let fun_last = fun.takes_types();
    if fun_last {
        mark(fun, live);
    }
    mark_rev(args.iter_mut(), live);
    if !fun_last {
        mark(fun, live);
    }
}

/// A value, its pattern, and the code that sees it.
fn mark_let(code: &mut LetCode, live: &mut SlotSet) {
    mark(&mut code.body, live);
    keep(live, |uses| uses.pattern(&code.pat));
    mark(&mut code.value, live);
}

/// Arrays that need one another, and the code that sees them.
fn mark_let_rec(code: &mut LetRecCode, live: &mut SlotSet) {
    mark(&mut code.body, live);
    // Values are computed after the shapes and subscripts of all arrays of the group.
    for array in &code.arrays {
        keep(live, |uses| match &array.kind {
            RecKind::Array(code) => uses.array_by(code),
            RecKind::Update(code) => uses.update(code),
        });
    }
    for array in code.arrays.iter_mut().rev() {
        match &mut array.kind {
            RecKind::Array(code) => mark_array_by(code, live),
            RecKind::Update(code) => mark_update(code, live, false),
        }
    }
}

/// A value and the branches of its cases.
fn mark_match(code: &mut MatchCode, live: &mut SlotSet) {
    mark_branches(code.cases.iter_mut().map(|c| &mut c.1), live);
    code.cases.iter().for_each(|c| keep(live, |uses| uses.pattern(&c.0)));
    mark(&mut code.value, live);
}

/// The body of a comprehension runs for every element.
fn mark_comprehension(code: &mut ComprehensionCode, live: &mut SlotSet) {
    keep(live, |uses| uses.type_code(&code.ty));
    mark_repeated(&mut code.body, live);
    mark_quals(&mut code.quals, live);
}

/// The parts of `accum`.
fn mark_accum(code: &mut AccumCode, live: &mut SlotSet) {
    keep(live, |uses| uses.type_code(&code.ty));
    mark_clauses(&mut code.clauses, live);
    mark_rev([&mut code.op, &mut code.neutral, &mut code.shape].into_iter(), live);
}

fn mark_indices(indices: &mut [IndexArg], live: &mut SlotSet) {
    for index in indices.iter_mut().rev() {
        match index {
            IndexArg::At(e) | IndexArg::Vector(e) => mark(e, live),
            IndexArg::Slice { start, end, stride, span: _ } => {
                mark_rev([start, end, stride].into_iter().flatten(), live);
            }
        }
    }
}

fn mark_index(index: &mut IndexCode, live: &mut SlotSet) {
    if index.base.is_place() {
        mark(&mut index.base, live);
        mark_indices(&mut index.indices, live);
    } else {
        mark_indices(&mut index.indices, live);
        mark(&mut index.base, live);
    }
}

fn mark_with(code: &mut WithCode, live: &mut SlotSet) {
    let place = matches!(code.source, Node::Read(..));
    if place {
        mark(&mut code.source, live);
    }
    mark(&mut code.value, live);
    for step in code.path.iter_mut().rev() {
        match step {
            StepCode::Field(_) => {}
            StepCode::Index(indices) => mark_indices(indices, live),
        }
    }
    if !place {
        mark(&mut code.source, live);
    }
}

fn mark_loop(code: &mut LoopCode, live: &mut SlotSet) {
    // What the loop binds anew at each turn may be moved within a turn; all else must last for the next one.
    let mut own = Uses::default();
    own.pattern(&code.pat);
    let mut turn = Uses::default();
    turn.node(&code.body);
    match &code.form {
        LoopForm::For(slot, _) => own.binds.insert(*slot),
        LoopForm::ForIn(pat, _) => own.pattern(pat),
        LoopForm::While(cond) => turn.node(cond),
    }
    code.sizes.iter().for_each(|s| own.binds.insert(*s));
    turn.reads.union(&own.reads);
    let mut outside = turn.free();
    outside.subtract(&own.binds);
    live.union(&outside);
    let mut inside = live.clone();
    inside.subtract(&own.binds);
    mark(&mut code.body, &mut inside);
    if let LoopForm::While(cond) = &mut code.form {
        inside.union(&own.binds);
        mark_repeated(cond, &mut inside);
    }
    keep(live, |uses| uses.pattern(&code.pat));
    if let LoopForm::For(_, limit) | LoopForm::ForIn(_, limit) = &mut code.form {
        mark(limit, live);
    }
    mark(&mut code.init, live);
}

fn mark_quals(quals: &mut [QualCode], live: &mut SlotSet) {
    for qual in quals.iter_mut().rev() {
        match qual {
            QualCode::For { generators, .. } => {
                for generator in generators.iter_mut() {
                    match generator {
                        GenCode::In(_, array) => mark_repeated(array, live),
                        GenCode::Range { lo, hi, step, .. } => {
                            lo.iter_mut().chain([hi]).chain(step).for_each(|n| mark_repeated(n, live));
                        }
                    }
                }
            }
            QualCode::Let(_, node) | QualCode::If(node) => mark_repeated(node, live),
        }
        keep(live, |uses| uses.quals(std::slice::from_ref(qual)));
    }
}

fn mark_clauses(clauses: &mut [ClauseCode], live: &mut SlotSet) {
    for clause in clauses.iter_mut().rev() {
        match clause {
            ClauseCode::Element(element) => {
                mark_repeated(&mut element.value, live);
                for index in &mut element.subscripts {
                    match index {
                        IndexArg::At(e) | IndexArg::Vector(e) => mark_repeated(e, live),
                        IndexArg::Slice { start, end, stride, span: _ } => {
                            [start, end, stride].into_iter().flatten().for_each(|n| mark_repeated(n, live));
                        }
                    }
                }
                mark_quals(&mut element.quals, live);
            }
            ClauseCode::Group { quals, clauses } => {
                mark_clauses(clauses, live);
                mark_quals(quals, live);
            }
        }
    }
}

fn mark_array_by(code: &mut ArrayByCode, live: &mut SlotSet) {
    keep(live, |uses| uses.type_code(&code.ty));
    code.otherwise.iter_mut().for_each(|e| mark_repeated(e, live));
    mark_clauses(&mut code.clauses, live);
    mark(&mut code.shape, live);
}

fn mark_update(code: &mut UpdateCode, live: &mut SlotSet, in_place: bool) {
    // A plain update reads its array last, after all new values, so it is the only reference then.
    let last = in_place && matches!(code.array, Node::Read(..));
    if last {
        mark(&mut code.array, live);
    }
    mark_clauses(&mut code.clauses, live);
    if !last {
        mark(&mut code.array, live);
    }
}
