//! Writing triangles as a loop.

use super::find::{Clause, Sum, Triangles};
use crate::write::{Writer, added};
use base::Span;
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Step, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// In smaller matrices the loop does not pay.
const LEAST: i64 = 128;
/// Longer sums are not added one value after the other.
const LONGEST: i64 = 8192;

/// The statements that compute triangles by a loop, where the size is fit for it.
pub(super) fn by_turns(program: &mut Program, found: &Triangles, stm: Stm) -> Vec<Stm> {
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let large = writer.truth(BinOp::Ge, Prim::I64, found.size, Atom::size(LEAST));
    let short = writer.truth(BinOp::Le, Prim::I64, found.size, Atom::size(LONGEST));
    let fit = writer.truth(BinOp::LogAnd, Prim::Bool, large, short);
    let mut stms = writer.taken();
    let result = loop_of(&mut writer, found);
    let then = Block { stms: writer.taken(), result: vec![result] };
    let own = copies(&mut writer.program.vars, &stm.vars);
    let otherwise =
        Block { result: own.iter().copied().map(Atom::Var).collect(), stms: vec![Stm { vars: own, ..stm.clone() }] };
    stms.push(Stm { exp: Exp::If(fit, then, otherwise), ..stm });
    stms
}

/// The loop over turns. Its matrix has the elements that are there, and of all others the sums so far.
fn loop_of(writer: &mut Writer<'_>, found: &Triangles) -> Atom {
    let dims = vec![Dim::Size(found.size); 2];
    let (i, j) = (writer.index("i"), writer.index("j"));
    let zero = writer.emit(0, vec![i.into(), j.into()], found.upper.sum.neutral);
    let steps = vec![repeated(i, found.size, vec![repeated(j, found.size, vec![zero])])];
    let first = writer.arrays("sums", &[found.prim], &dims, steps)[0];
    let before = writer.taken();
    let ty = Type::array(found.prim, dims);
    let (matrix, turn) = (writer.var("sums", ty.clone()), writer.index("k"));
    let last = Turn::new(writer, found, turn).all(writer, matrix);
    let body = Block { stms: writer.taken(), result: vec![last.into()] };
    writer.stms = before;
    let params = vec![(matrix, first.into())];
    writer.bind("triangles", ty, Exp::repeat(params, LoopForm::For(turn, found.size), body))
}

/// A turn: the elements behind the diagonal and below it are those of its row and column.
struct Turn<'b> {
    found: &'b Triangles,
    turn: Atom,
    /// The first row and column behind, and how many there are.
    first: Atom,
    count: Atom,
}

impl<'b> Turn<'b> {
    fn new(writer: &mut Writer<'_>, found: &'b Triangles, turn: Var) -> Turn<'b> {
        let first = writer.int("first", BinOp::Add, turn.into(), Atom::size(1));
        let count = writer.int("count", BinOp::Sub, found.size, first);
        Turn { found, turn: turn.into(), first, count }
    }

    /// All that it does with a matrix.
    fn all(&self, writer: &mut Writer<'_>, matrix: Var) -> Var {
        let (found, turn) = (self.found, self.turn);
        let before = writer.taken();
        // The element of the diagonal, then those in its row, which are sums like it.
        let value = element(writer, found, &found.upper, (matrix, turn, turn, Atom::size(0)), None);
        let matrix = self.update(writer, before, matrix, value_at(vec![turn, turn], value, writer.span));
        let before = writer.taken();
        let (counter, at, lets) = self.moved(writer);
        let offset = writer.int("offset", BinOp::Add, Atom::size(1), counter.into());
        let lets = lets.into_iter().chain(writer.taken());
        let value = element(writer, found, &found.upper, (matrix, turn, at, offset), None);
        let row = self.along(counter, lets, value_at(vec![turn, at], value, writer.span));
        let matrix = self.update(writer, before, matrix, row);
        // Those below.
        let pivot = writer.bind("pivot", Type::Scalar(found.prim), Exp::Index(matrix, vec![turn, turn]));
        let before = writer.taken();
        let (counter, at, lets) = self.moved(writer);
        let value = element(writer, found, &found.lower, (matrix, at, turn, turn), Some(pivot));
        let column = self.along(counter, lets, value_at(vec![at, turn], value, writer.span));
        let matrix = self.update(writer, before, matrix, column);
        let lines = [self.line(writer, matrix, true), self.line(writer, matrix, false)];
        self.add(writer, matrix, lines)
    }

    /// The array of what the turn's column has below the diagonal, or its row behind it.
    fn line(&self, writer: &mut Writer<'_>, matrix: Var, is_column: bool) -> Var {
        let before = writer.taken();
        let (counter, at, mut stms) = self.moved(writer);
        let place = if is_column { vec![at, self.turn] } else { vec![self.turn, at] };
        let x = writer.bind("x", Type::Scalar(self.found.prim), Exp::Index(matrix, place));
        stms.extend(writer.taken());
        let value = Block { stms, result: vec![x] };
        let step = self.along(counter, [], value_at(vec![counter.into()], value, writer.span));
        writer.stms = before;
        writer.arrays("line", &[self.found.prim], &[Dim::Size(self.count)], vec![step])[0]
    }

    /// Adds the values of the turn to all sums.
    fn add(&self, writer: &mut Writer<'_>, matrix: Var, [column, row]: [Var; 2]) -> Var {
        let before = writer.taken();
        let Clause { row: i, column: j, sum, .. } = &self.found.upper;
        let (down, at_row, row_lets) = self.moved(writer);
        let (across, at_column, column_lets) = self.moved(writer);
        let old = writer.bind("s", Type::Scalar(self.found.prim), Exp::Index(matrix, vec![at_row, at_column]));
        let mut stms = writer.taken();
        let lined = |stm: &Stm| match &stm.exp {
            Exp::Index(_, at) if at[1] == Atom::Var(sum.turn) => {
                Stm { exp: Exp::Index(column, vec![down.into()]), ..stm.clone() }
            }
            Exp::Index(..) => Stm { exp: Exp::Index(row, vec![across.into()]), ..stm.clone() },
            _ => stm.clone(),
        };
        let value = Block { stms: sum.value.stms.iter().map(lined).collect(), result: sum.value.result.clone() };
        let own = Substitution::new(&[*i, *j, sum.turn], &[at_row, at_column, self.turn]);
        let value = copy_block(&mut writer.program.vars, &value, own);
        let Block { stms: combined, result } = combined(writer.program, self.found.prim, sum, value, old);
        stms.extend(combined);
        let emit = value_at(vec![at_row, at_column], Block { stms, result }, writer.span);
        let step = self.along(down, row_lets, self.along(across, column_lets, emit));
        self.update(writer, before, matrix, step)
    }

    /// A counter, and the row or column behind the diagonal that it stands for.
    fn moved(&self, writer: &mut Writer<'_>) -> (Var, Atom, Vec<Stm>) {
        let counter = writer.index("i");
        let at = writer.int("t", BinOp::Add, self.first, counter.into());
        (counter, at, writer.taken())
    }

    fn along(&self, counter: Var, lets: impl IntoIterator<Item = Stm>, step: Step) -> Step {
        repeated(counter, self.count, lets.into_iter().map(Step::Let).chain([step]).collect())
    }

    /// The matrix after an update, which comes after these statements.
    fn update(&self, writer: &mut Writer<'_>, before: Vec<Stm>, matrix: Var, step: Step) -> Var {
        writer.stms = before;
        let elem = writer.var("x", Type::Scalar(self.found.prim));
        let kind = Kind::Update { arrays: vec![matrix], skip: false, rec: Vec::new() };
        let outputs = vec![Output { kind, sizes: Vec::new(), elems: vec![elem] }];
        let ty = writer.program.ty(matrix).clone();
        let bulk = Exp::Bulk(Bulk { outputs, steps: vec![step], scheduled: false });
        match writer.bind("sums", ty, bulk) {
            Atom::Var(var) => var,
            Atom::Const(_) => base::bug!("an array is a constant"),
        }
    }
}

/// The value of an element whose sum is there: its row, its column, and the counter that leads to it.
fn element(
    writer: &mut Writer<'_>,
    found: &Triangles,
    clause: &Clause,
    (matrix, row, column, counter): (Var, Atom, Atom, Atom),
    pivot: Option<Atom>,
) -> Block {
    let sum = writer.bind("s", Type::Scalar(found.prim), Exp::Index(matrix, vec![row, column]));
    let mut stms = writer.taken();
    let known = |stm: &Stm| match (&stm.exp, pivot) {
        (Exp::Index(array, _), Some(pivot)) if *array == found.name => Stm { exp: Exp::Atom(pivot), ..stm.clone() },
        (_, _) => stm.clone(),
    };
    let is_other = |stm: &&Stm| !stm.vars.contains(&clause.column);
    let own = clause.before.iter().chain(&clause.after).filter(is_other).map(known).collect();
    let names = [clause.row, clause.counter, clause.column, clause.sum.var];
    // The column of a lower element is its counter.
    let atoms = [row, counter, column, sum];
    let block = Block { stms: own, result: vec![clause.result] };
    let copied = copy_block(&mut writer.program.vars, &block, Substitution::new(&names, &atoms));
    stms.extend(copied.stms);
    Block { stms, result: copied.result }
}

/// A sum with one more value.
fn combined(program: &mut Program, prim: Prim, sum: &Sum, mut value: Block, old: Atom) -> Block {
    let Some(var) = value.result[0].var() else { base::bug!("a sum of constants") };
    if let Some(stm) = added(program, prim, &sum.op, &mut value.stms, (var, old)) {
        let result = vec![stm.vars[0].into()];
        value.stms.push(stm);
        return Block { stms: value.stms, result };
    }
    let own = Substitution::new(&sum.op.params, &[old, var.into()]);
    let block = copy_block(&mut program.vars, &sum.op.body, own);
    value.stms.extend(block.stms);
    Block { stms: value.stms, result: block.result }
}

fn value_at(at: Vec<Atom>, value: Block, span: Span) -> Step {
    Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span })
}

fn repeated(var: Var, count: Atom, body: Vec<Step>) -> Step {
    Step::For { var, count, mark: Mark::Open, body }
}
