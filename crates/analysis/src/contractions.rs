//! Contractions: arrays of which each element combines many values, such as a matrix product.

use crate::emits;
use base::{Map, Set};
use ir::traverse::Part;
use ir::tree::identities;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, LoopForm, Output, Program, Region, Step, Stm, Type, Var, nest,
};
use scalar::{BinOp, Prim, Scalar};

/// Rows and columns of a tile: as many sums as processors have registers, and as many columns as vectors have lanes.
pub const ROWS: i64 = 8;
/// See [`ROWS`].
pub const COLUMNS: i64 = 16;
/// Longer sums are not added one value after the other.
const LONGEST: i64 = 32768;

/// An array of which each element combines values.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// Loops around those over rows and columns, with what each binds; many products at once have one.
    pub outer: Vec<(Var, Atom, Vec<Stm>)>,
    /// The loops over rows and columns: indices and counts.
    pub row: (Var, Atom),
    /// See `row`.
    pub column: (Var, Atom),
    /// What each element binds before values are combined.
    pub before: Vec<Stm>,
    /// How they are combined.
    pub sum: Sum,
    /// What is done with the combination.
    pub after: Vec<Stm>,
    /// The element.
    pub result: Atom,
    /// The value of a turn that depends on the column and not on the row, and that others use: it is packed.
    pub packed: Var,
    /// The array.
    pub output: Output,
}

/// A combination of values.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The variable that is bound to it.
    pub var: Var,
    /// Its type.
    pub prim: Prim,
    /// The index of the loop over values.
    pub index: Var,
    /// How many there are.
    pub count: Atom,
    /// What they are combined with first.
    pub neutral: Atom,
    /// The operator; it is one operation.
    pub op: Region,
    /// The value of a turn.
    pub value: Block,
}

impl Contraction {
    /// What a statement computes, if it is a contraction.
    pub fn of(program: &Program, stm: &Stm) -> Option<Contraction> {
        let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
        let ([output], [step]) = (&outputs[..], &steps[..]) else { return None };
        let levels = nest::levels(step);
        let [outer @ .., rows, columns] = &levels[..] else { return None };
        let shape: Vec<Dim> = levels.iter().map(|level| Dim::Size(level.count)).collect();
        is_array(program, output, &shape).then_some(())?;
        let (Step::Emit(emit), lets) = columns.body.split_last()? else { return None };
        let indices: Vec<Atom> = levels.iter().map(|level| Atom::Var(level.var)).collect();
        (emit.at == indices).then_some(())?;
        let mut before: Vec<Stm> = rows.bindings().cloned().collect();
        for step in lets {
            let Step::Let(stm) = step else { return None };
            before.push(stm.clone());
        }
        let (sum, own, after) = in_value(program, emit)?;
        before.extend(own);
        before.iter().chain(&after).chain(&sum.value.stms).all(is_scalar).then_some(())?;
        let row = (rows.var, rows.count);
        let column = (columns.var, columns.count);
        let result = *emit.value.result.first()?;
        let packed = packed_value(program, &dependences(row.0, column.0, &before, &sum), &sum)?;
        let outer = outer.iter().map(|level| (level.var, level.count, level.bindings().cloned().collect())).collect();
        let output = output.clone();
        let found = Contraction { outer, row, column, before, sum, after, result, packed, output };
        found.is_rectangular().then_some(found)
    }

    /// What sizes must be at run time so that tiles pay: enough columns, and sums of a length that fits. None, if it is known that
    /// they are not, or that there are few rows.
    pub fn asked(&self) -> Option<Vec<(BinOp, Atom, i64)>> {
        let constant = |atom: Atom| match atom {
            Atom::Const(Scalar::I64(k)) => Some(k),
            _ => None,
        };
        (constant(self.row.1).is_none_or(|rows| rows >= ROWS)).then_some(())?;
        let (columns, values) = (self.column.1, self.sum.count);
        let limits = [(BinOp::Ge, columns, COLUMNS), (BinOp::Ge, values, 1), (BinOp::Le, values, LONGEST)];
        let mut asked = Vec::new();
        for (op, size, limit) in limits {
            match constant(size) {
                Some(k) => (if op == BinOp::Ge { k >= limit } else { k <= limit }).then_some(())?,
                None => asked.push((op, size, limit)),
            }
        }
        Some(asked)
    }

    /// Whether the number of values and the first of them are the same everywhere.
    fn is_rectangular(&self) -> bool {
        let mut inside: Set<Var> = self.before.iter().flat_map(|stm| &stm.vars).copied().collect();
        for (index, _, bound) in &self.outer {
            inside.insert(*index);
            inside.extend(bound.iter().flat_map(|stm| &stm.vars));
        }
        inside.extend([self.row.0, self.column.0]);
        let fixed = |atom: &Atom| atom.var().is_none_or(|var| !inside.contains(&var));
        [self.sum.count, self.sum.neutral, self.row.1, self.column.1].iter().all(fixed)
    }
}

/// The value to be packed. None if nothing is read for columns alone, or nothing for rows alone, or if there are several.
fn packed_value(program: &Program, depends: &Map<Var, Depends>, sum: &Sum) -> Option<Var> {
    sum.value.result.first()?.var()?;
    let of = |var: Var| depends.get(&var).copied().unwrap_or_default();
    let reads = |wanted: &dyn Fn(Depends) -> bool| {
        sum.value.stms.iter().any(|stm| matches!(stm.exp, Exp::Index(..)) && wanted(of(stm.vars[0])))
    };
    let by_row = |d: Depends| d.row && !d.column && d.turn;
    let by_column = |d: Depends| d.column && !d.row && d.turn;
    // What depends on both is computed for each row anew: it must not be read from memory, where columns lie apart.
    if !reads(&by_row) || !reads(&by_column) || reads(&|d| d.row && d.column) {
        return None;
    }
    let mut found: Vec<Var> = Vec::new();
    let mut is_used = |by: Option<Var>, var: Var| {
        let outside = by.is_none_or(|user| !by_column(of(user)));
        if by_column(of(var)) && outside && !found.contains(&var) {
            found.push(var);
        }
    };
    for stm in &sum.value.stms {
        uses(stm).into_iter().for_each(|var| is_used(Some(stm.vars[0]), var));
    }
    sum.value.result.iter().filter_map(|atom| atom.var()).for_each(|var| is_used(None, var));
    let [found] = found[..] else { return None };
    matches!(program.ty(found), Type::Scalar(prim) if *prim != Prim::Bool).then_some(found)
}

/// What the variables of a turn depend on.
fn dependences(row: Var, column: Var, before: &[Stm], sum: &Sum) -> Map<Var, Depends> {
    let mut known: Map<Var, Depends> = Map::default();
    known.insert(row, Depends { row: true, ..Depends::default() });
    known.insert(column, Depends { column: true, ..Depends::default() });
    known.insert(sum.index, Depends { turn: true, ..Depends::default() });
    for stm in before.iter().chain(&sum.value.stms) {
        let mut all = Depends::default();
        for var in uses(stm) {
            all = all.and(known.get(&var).copied().unwrap_or_default());
        }
        stm.vars.iter().for_each(|var| {
            known.insert(*var, all);
        });
    }
    known
}

/// What a value depends on.
#[derive(Clone, Copy, Default)]
struct Depends {
    row: bool,
    column: bool,
    turn: bool,
}

impl Depends {
    fn and(self, other: Depends) -> Depends {
        Depends { row: self.row | other.row, column: self.column | other.column, turn: self.turn | other.turn }
    }
}

/// The variables that a statement uses, those it relies on included.
pub fn uses(stm: &Stm) -> Vec<Var> {
    let mut found = stm.certs.clone();
    stm.exp.for_each_part(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            found.push(*var);
        }
    });
    found
}

/// Whether an output is a new array of scalars of this shape.
fn is_array(program: &Program, output: &Output, wanted: &[Dim]) -> bool {
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return false };
    let [elem] = output.elems[..] else { return false };
    rec.is_empty() && output.sizes.is_empty() && shape == wanted && matches!(program.ty(elem), Type::Scalar(_))
}

/// Whether a statement computes one number, and nothing more.
fn is_scalar(stm: &Stm) -> bool {
    let simple = matches!(
        stm.exp,
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) | Exp::Index(..)
    );
    simple && stm.vars.len() == 1
}

/// The combination in the value of an element, and what stands before and after it.
fn in_value(program: &Program, emit: &Emit) -> Option<(Sum, Vec<Stm>, Vec<Stm>)> {
    let stms = &emit.value.stms;
    let at = stms.iter().position(|stm| matches!(stm.exp, Exp::Bulk(_) | Exp::Loop { .. }))?;
    let stm = &stms[at];
    let [var] = stm.vars[..] else { return None };
    let Type::Scalar(prim) = program.ty(var) else { return None };
    let sum = match &stm.exp {
        Exp::Bulk(bulk) => reduction(var, *prim, bulk)?,
        Exp::Loop { params, form, body, .. } => repetition(program, var, *prim, (params, form, body))?,
        _ => return None,
    };
    let relying = |stm: &Stm, certs: &[Var]| {
        let mut stm = stm.clone();
        stm.certs.extend(certs);
        stm
    };
    let value_stms = sum.value.stms.iter().map(|inner| relying(inner, &stm.certs)).collect();
    let value = Block { stms: value_stms, ..sum.value };
    Some((Sum { value, ..sum }, stms[..at].to_vec(), stms[at + 1..].to_vec()))
}

/// A reduction by one operation.
fn reduction(var: Var, prim: Prim, bulk: &Bulk) -> Option<Sum> {
    let ([output], [Step::For { var: index, count, body, .. }]) = (&bulk.outputs[..], &bulk.steps[..]) else {
        return None;
    };
    let Kind::Reduce { op, neutral, .. } = &output.kind else { return None };
    identities(op)?;
    let value = emits::value(body)?;
    Some(Sum { var, prim, index: *index, count: *count, neutral: *neutral.first()?, op: op.clone(), value })
}

/// A loop that combines what it carries with a value, by one operation that is its last.
fn repetition(program: &Program, var: Var, prim: Prim, parts: (&[(Var, Atom)], &LoopForm, &Block)) -> Option<Sum> {
    let ([(carried, init)], LoopForm::For(index, count), body) = parts else { return None };
    let (last, before) = body.stms.split_last()?;
    (body.result == [Atom::Var(*last.vars.first()?)]).then_some(())?;
    let other = match &last.exp {
        Exp::Bin(_, _, a, b) if *a == Atom::Var(*carried) => *b,
        Exp::Math(_, _, args) if args.first() == Some(&Atom::Var(*carried)) => *args.get(1)?,
        _ => return None,
    };
    let right = other.var().filter(|right| *right != *carried && matches!(program.ty(*right), Type::Scalar(_)))?;
    if before.iter().any(|stm| uses(stm).contains(carried)) || !last.certs.is_empty() {
        return None;
    }
    let op =
        Region { params: vec![*carried, right], body: Block { stms: vec![last.clone()], result: body.result.clone() } };
    identities(&op)?;
    let value = Block { stms: before.to_vec(), result: vec![other] };
    Some(Sum { var, prim, index: *index, count: *count, neutral: *init, op, value })
}
