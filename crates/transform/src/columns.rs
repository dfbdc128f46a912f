//! Sums of columns are added up row by row.
//!
//! ```text
//! let ys: [m]f64 = bulk {                       let ys: [m]f64 = if n >= 16 && .. {
//!   out gen [m] of (y: f64)                       let zs: [m]f64 = bulk { out gen [m] of (z: f64) for j < m { emit [j] => 0 } }
//!   for j < m {                                   let ss: [m]f64 = bulk {
//!     let s: f64 = bulk {                           out accum (zs) of (x: f64) by (+)
//!       out reduce of (x: f64) from (0) by (+)      for i < n { for j < m { emit [j] => a[i, j] * w[i] } }
//!       for i < n { emit => a[i, j] * w[i] }  =>    }
//!     }                                             let ys: [m]f64 = bulk { .. for j < m { emit [j] => f ss[j] } }
//!     emit [j] => f s                               => ys
//!   }                                             } else { .. }
//! }
//! ```
//!
//! Elements of a column are far apart in memory, those of a row side by side: whole lines of the cache are used, and the next
//! ones are fetched in advance. Each sum takes its values in the same order as before. Nothing may fail inside. Sums of few rows
//! stay in registers, and so many columns that their sums leave the cache stay as they are (`if`).

use crate::write::{Writer, array, version};
use base::Set;
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::tree::Tree;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Program, Remark, Step, Stm, Topic, Type, Var,
};
use scalar::{BinOp, Prim};

/// The sums of fewer rows stay in registers.
const FEWEST_ROWS: i64 = 16;
/// One column is read in order.
const FEWEST_COLUMNS: i64 = 2;
/// The sums of more columns are read from memory for each row.
const MOST_COLUMNS: i64 = 1 << 18;
/// What may be computed for each element that was computed for each column: so many statements.
const LITTLE: usize = 8;

/// Adds up the columns of all functions.
pub fn columns(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut changed = Vec::new();
        in_block(program, &mut body, &mut changed);
        program.functions[fun].body = body;
        for span in changed {
            let text = "columns are added up row by row, in the order of memory, unless there are few rows";
            program.functions[fun].remark(Remark::done(Topic::Tiled, span, text));
        }
    }
}

/// Changes forms that are not inside of others: those would need memory in each turn.
fn in_block(program: &mut Program, block: &mut Block, changed: &mut Vec<base::Span>) {
    for mut stm in std::mem::take(&mut block.stms) {
        if !matches!(stm.exp, Exp::Bulk(_)) {
            stm.exp.for_each_list_mut(&mut |list| match list {
                ListMut::Block(block) => in_block(program, block, changed),
                ListMut::Steps(_) => {}
            });
        }
        let Some(then) = Columns::of(program, &stm).map(|found| (found.conditions(), found.by_rows(program, &stm)))
        else {
            block.stms.push(stm);
            continue;
        };
        changed.push(stm.span);
        block.stms.extend(two(program, then, stm));
    }
}

/// The statement in two versions.
fn two(program: &mut Program, (conditions, then): (Conditions, Block), stm: Stm) -> Vec<Stm> {
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let each = conditions.map(|(op, size, limit)| writer.truth(op, Prim::I64, size, Atom::size(limit)));
    let fit = each.into_iter().reduce(|a, b| writer.truth(BinOp::LogAnd, Prim::Bool, a, b));
    let mut stms = writer.taken();
    let otherwise = version(program, stm.clone());
    stms.push(Stm { exp: Exp::If(fit.unwrap_or(Atom::bool(true)), then, otherwise), ..stm });
    stms
}

/// Sizes and their limits.
type Conditions = [(BinOp, Atom, i64); 3];

/// Sums of columns.
struct Columns {
    /// The loops over rows and columns: indices and counts.
    row: (Var, Atom),
    column: (Var, Atom),
    /// What is bound for each column before its sums.
    before: Vec<Stm>,
    /// The sums: their names, outputs, and the steps of a turn.
    vars: Vec<Var>,
    outputs: Vec<Output>,
    steps: Vec<Step>,
    /// What becomes of the sums of a column.
    after: Block,
    /// Checks that all of it relies on.
    certs: Vec<Var>,
}

impl Columns {
    fn of(program: &Program, stm: &Stm) -> Option<Columns> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let (column, emit, mut before) = loop_over_columns(program, bulk)?;
        let place = before.iter().position(|stm| matches!(stm.exp, Exp::Bulk(_)))?;
        let after = Block { stms: before.split_off(place + 1), result: emit.value.result.clone() };
        let sums = before.pop()?;
        let certs = [&stm.certs, &emit.certs, &sums.certs].into_iter().flatten().copied().collect();
        let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = sums.exp else { return None };
        let [Step::For { var, count, body, .. }] = &steps[..] else { return None };
        let (row, steps) = ((*var, *count), body.clone());
        let found = Columns { row, column, before, vars: sums.vars, outputs, steps, after, certs };
        (found.are_plain_sums(program) && found.reads_rows(program)).then_some(found)
    }

    /// Whether nothing can fail, and little is computed again for each element.
    fn are_plain_sums(&self, program: &Program) -> bool {
        let inside: Set<Var> =
            self.before.iter().flat_map(|stm| stm.vars.iter().copied()).chain([self.column.0]).collect();
        let is_outside = |atom: Atom| atom.var().is_none_or(|var| !inside.contains(&var));
        let is_sum = |output: &Output| match &output.kind {
            Kind::Reduce { op, neutral, .. } => {
                let mut outside = true;
                op.body.walk(&mut |part| {
                    if let Part::Atom(atom) = part {
                        outside &= is_outside(*atom);
                    }
                });
                let constant = neutral.iter().all(|atom| atom.var().is_none());
                outside && constant && op.body.stms.iter().all(is_scalar) && are_scalars(program, output)
            }
            _ => false,
        };
        let light = self.before.len() <= LITTLE && self.before.iter().all(is_light);
        let sound = self.after.stms.iter().all(|stm| !stm.can_fail());
        light && sound && is_outside(self.row.1) && self.outputs.iter().all(is_sum) && self.steps.iter().all(is_plain)
    }

    /// Whether an array is read whose rows are those of the sums, and none is read across.
    fn reads_rows(&self, program: &Program) -> bool {
        let ((row, _), (column, _)) = (self.row, self.column);
        let mut reads = Reads {
            program,
            by_row: Set::from_iter([row]),
            by_column: Set::from_iter([column]),
            side_by_side: Set::from_iter([column]),
            rows: false,
            across: false,
        };
        let before = self.before.iter().cloned().map(Step::Let).collect::<Vec<_>>();
        for step in before.iter().chain(&self.steps) {
            step.walk(&mut |part| {
                if let Part::Stm(stm) = part {
                    reads.stm(stm);
                }
            });
        }
        reads.rows && !reads.across
    }

    fn conditions(&self) -> Conditions {
        let ((_, rows), (_, columns)) = (self.row, self.column);
        [(BinOp::Ge, rows, FEWEST_ROWS), (BinOp::Ge, columns, FEWEST_COLUMNS), (BinOp::Le, columns, MOST_COLUMNS)]
    }

    /// The sums row by row, and what becomes of them.
    fn by_rows(&self, program: &mut Program, stm: &Stm) -> Block {
        let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
        let sums = self.sums(&mut writer);
        let is_all = self.after.stms.is_empty()
            && self.after.result.iter().copied().eq(self.vars.iter().copied().map(Atom::Var));
        let vars = if is_all { sums } else { self.finished(&mut writer, stm, &sums) };
        let block = Block { stms: writer.taken(), result: vars.into_iter().map(Atom::Var).collect() };
        copy_block(&mut program.vars, &block, Substitution::default())
    }

    fn sums(&self, writer: &mut Writer<'_>) -> Vec<Var> {
        let (column, columns) = self.column;
        let shape = [Dim::Size(columns)];
        let (mut arrays, mut outputs) = (Vec::new(), Vec::new());
        for output in &self.outputs {
            let Kind::Reduce { op, neutral, .. } = &output.kind else { base::bug!("a sum is a reduction") };
            let mut started = Vec::new();
            for (elem, start) in output.elems.iter().zip(neutral) {
                let prim = prim(writer.program, *elem);
                let index = writer.index("j");
                let steps = vec![writer.emit(0, vec![index.into()], *start)];
                let each = Step::For { var: index, count: columns, mark: Mark::Open, body: steps };
                started.extend(writer.arrays("start", &[prim], &shape, vec![each]));
            }
            for start in &started {
                let ty = writer.program.ty(*start).clone();
                arrays.push(writer.var("sums", ty));
            }
            let kind = Kind::Accum { arrays: started, skip: false, op: op.clone(), tree: Tree::Uncut };
            outputs.push(Output { kind, ..output.clone() });
        }
        let turn = self.before.iter().cloned().map(Step::Let).chain(at_place(&self.steps, column)).collect();
        let inner = Step::For { var: column, count: columns, mark: Mark::Open, body: turn };
        let steps = vec![Step::For { var: self.row.0, count: self.row.1, mark: Mark::Open, body: vec![inner] }];
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        let sums = Stm { vars: arrays, certs: self.certs.clone(), exp, span: writer.span };
        // What is made of the sums has names of the columns, too.
        let copy = version(writer.program, sums);
        writer.stms.extend(copy.stms);
        copy.result.into_iter().filter_map(|atom| atom.var()).collect()
    }

    /// What is made of the sums of each column.
    fn finished(&self, writer: &mut Writer<'_>, stm: &Stm, sums: &[Var]) -> Vec<Var> {
        let Exp::Bulk(bulk) = &stm.exp else { base::bug!("columns without a form") };
        let (column, columns) = self.column;
        let (certs, span) = (Vec::new(), writer.span);
        let read = |(var, array): (&Var, &Var)| {
            Step::Let(Stm { vars: vec![*var], certs: Vec::new(), exp: Exp::Index(*array, vec![column.into()]), span })
        };
        let mut body: Vec<Step> = self.before.iter().cloned().map(Step::Let).collect();
        body.extend(self.vars.iter().zip(sums).map(read));
        body.push(Step::Emit(Emit { output: 0, at: vec![column.into()], certs, value: self.after.clone(), span }));
        let outputs = vec![Output { kind: array(vec![Dim::Size(columns)]), ..bulk.outputs[0].clone() }];
        let steps = vec![Step::For { var: column, count: columns, mark: Mark::Open, body }];
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        let last = Stm { vars: stm.vars.clone(), certs: self.certs.clone(), exp, span };
        // The variance follows the mean.
        if let Some(next) = Columns::of(writer.program, &last).filter(|next| next.conditions() == self.conditions()) {
            let block = next.by_rows(writer.program, &last);
            writer.stms.extend(block.stms);
            return block.result.into_iter().filter_map(|atom| atom.var()).collect();
        }
        writer.stms.push(last);
        stm.vars.clone()
    }
}

/// The loop of a form that makes one array: its index and count, what it hands over, and the statements of a turn.
fn loop_over_columns<'b>(program: &Program, bulk: &'b Bulk) -> Option<((Var, Atom), &'b Emit, Vec<Stm>)> {
    let ([output], [Step::For { var, count, body, .. }]) = (&bulk.outputs[..], &bulk.steps[..]) else { return None };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    let [lets @ .., Step::Emit(emit)] = &body[..] else { return None };
    let whole = *shape == [Dim::Size(*count)] && emit.at == [Atom::Var(*var)];
    let plain = !bulk.scheduled && rec.is_empty() && are_scalars(program, output);
    let binding = |step: &Step| match step {
        Step::Let(stm) => Some(stm.clone()),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    };
    let mut stms: Vec<Stm> = lets.iter().map(binding).collect::<Option<_>>()?;
    stms.extend(emit.value.stms.iter().cloned());
    (whole && plain).then_some(((*var, *count), emit, stms))
}

/// Steps whose values go to this place.
fn at_place(steps: &[Step], place: Var) -> Vec<Step> {
    let moved = |step: &Step| match step {
        Step::Emit(emit) => Step::Emit(Emit { at: vec![place.into()], ..emit.clone() }),
        Step::Guard(cond, body) => Step::Guard(*cond, at_place(body, place)),
        Step::Let(_) | Step::For { .. } | Step::Scan(_) => step.clone(),
    };
    steps.iter().map(moved).collect()
}

/// Which elements a turn reads.
struct Reads<'p> {
    program: &'p Program,
    /// What depends on the row, or on the column.
    by_row: Set<Var>,
    by_column: Set<Var>,
    /// Indices that go up by one with the column.
    side_by_side: Set<Var>,
    /// Whether elements of a row are read side by side,
    rows: bool,
    /// and whether others are that columns keep apart.
    across: bool,
}

impl Reads<'_> {
    fn stm(&mut self, stm: &Stm) {
        let (mut by_row, mut by_column) = (false, false);
        stm.walk(&mut |part| {
            if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                by_row |= self.by_row.contains(var);
                by_column |= self.by_column.contains(var);
            }
        });
        match &stm.exp {
            Exp::Index(array, at) => self.read(*array, at),
            Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, a, b) if !by_row && self.depends(*a) && !self.depends(*b) => {
                let steady = a.var().is_some_and(|a| self.side_by_side.contains(&a));
                self.side_by_side.extend(stm.vars.iter().filter(|_| steady));
            }
            _ => {}
        }
        self.by_row.extend(stm.vars.iter().filter(|_| by_row));
        self.by_column.extend(stm.vars.iter().filter(|_| by_column));
    }

    fn depends(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.by_column.contains(&var))
    }

    fn read(&mut self, array: Var, at: &[Atom]) {
        let Some((last, outer)) = at.split_last() else { return };
        let is_in = |set: &Set<Var>, atom: &Atom| atom.var().is_some_and(|var| set.contains(&var));
        let side_by_side = is_in(&self.side_by_side, last);
        let regular = self.program.ty(array).dims().iter().all(|dim| matches!(dim, Dim::Size(_)));
        self.across |= !regular || outer.iter().any(|atom| self.depends(*atom)) || self.depends(*last) && !side_by_side;
        self.rows |= side_by_side && outer.iter().any(|atom| is_in(&self.by_row, atom));
    }
}

/// Whether the values of an output are numbers.
fn are_scalars(program: &Program, output: &Output) -> bool {
    output.sizes.is_empty() && output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)))
}

fn prim(program: &Program, elem: Var) -> Prim {
    match program.ty(elem) {
        Type::Scalar(prim) => *prim,
        _ => base::bug!("a sum of numbers"),
    }
}

/// Whether a step computes numbers and hands them over.
fn is_plain(step: &Step) -> bool {
    match step {
        Step::Let(stm) => is_scalar(stm),
        Step::Emit(emit) => emit.value.stms.iter().all(is_scalar),
        Step::Guard(_, body) => body.iter().all(is_plain),
        Step::For { .. } | Step::Scan(_) => false,
    }
}

/// Whether a statement computes numbers and cannot fail.
fn is_scalar(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::If(_, then, otherwise) => [then, otherwise].iter().all(|block| block.stms.iter().all(is_scalar)),
        Exp::Math(..) => !stm.can_fail(),
        _ => is_light(stm),
    }
}

/// Whether that costs little, too.
fn is_light(stm: &Stm) -> bool {
    let light = matches!(
        stm.exp,
        Exp::Atom(_) | Exp::Index(..) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..)
    );
    light && !stm.can_fail()
}
