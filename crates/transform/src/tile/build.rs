//! Writing contractions by tiles.

use super::find::{Contraction, Sum};
use crate::write::{Writer, added, array};
use base::Name;
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, LoopForm, Mark, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, MathOp, Prim};

/// Rows and columns of a tile: as many sums as processors have registers, and as many columns as vectors have lanes.
const ROWS: i64 = 8;
const COLUMNS: i64 = 16;
/// Shorter sums do not pay for packing.
const SHORTEST: i64 = 8;
/// Longer sums are not added one value after the other.
const LONGEST: i64 = 8192;

/// The statements that compute a contraction by tiles, where the sizes are fit for it.
pub(super) fn tiled(program: &mut Program, found: &Contraction, stm: Stm) -> Vec<Stm> {
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let fit = is_fit(&mut writer, found);
    let mut stms = writer.taken();
    let then = by_tiles(&mut writer, found, &stm);
    let then = copy_block(&mut writer.program.vars, &then, Substitution::default());
    let own = copies(&mut writer.program.vars, &stm.vars);
    let otherwise =
        Block { result: own.iter().copied().map(Atom::Var).collect(), stms: vec![Stm { vars: own, ..stm.clone() }] };
    stms.push(Stm { exp: Exp::If(fit, then, otherwise), ..stm });
    stms
}

/// Whether there are enough rows and columns, and sums of a length that fits.
fn is_fit(writer: &mut Writer<'_>, found: &Contraction) -> Atom {
    let limits = [
        (BinOp::Ge, found.row.1, ROWS),
        (BinOp::Ge, found.column.1, COLUMNS),
        (BinOp::Ge, found.sum.count, SHORTEST),
        (BinOp::Le, found.sum.count, LONGEST),
    ];
    let holds = limits.map(|(op, size, limit)| writer.truth(op, Prim::I64, size, Atom::size(limit)));
    let both = |writer: &mut Writer<'_>, a, b| writer.truth(BinOp::LogAnd, Prim::Bool, a, b);
    let all = both(writer, holds[0], holds[1]);
    let all = both(writer, all, holds[2]);
    both(writer, all, holds[3])
}

/// The whole array by tiles.
fn by_tiles(writer: &mut Writer<'_>, found: &Contraction, stm: &Stm) -> Block {
    let (columns, rows) = (found.column.1, found.row.1);
    let full = writer.int("tiles", BinOp::Div, columns, Atom::size(COLUMNS));
    let bands = writer.int("bands", BinOp::Div, rows, Atom::size(ROWS));
    let done_columns = writer.int("done", BinOp::Mul, full, Atom::size(COLUMNS));
    let left_columns = writer.int("left", BinOp::Sub, columns, done_columns);
    let done_rows = writer.int("done", BinOp::Mul, bands, Atom::size(ROWS));
    let left_rows = writer.int("left", BinOp::Sub, rows, done_rows);
    let mut head = writer.taken();
    let packed = pack(writer, found, full);
    let packing = writer.taken();
    let all = Area { packed, rows: ROWS, bands: (bands, None), lanes: Atom::size(COLUMNS), tiles: Tiles::Each(full) };
    let right = Area { lanes: left_columns, tiles: Tiles::One(full, done_columns), ..all };
    let below = Area { rows: 1, bands: (left_rows, Some(done_rows)), ..all };
    let corner = Area { lanes: left_columns, tiles: Tiles::One(full, done_columns), ..below };
    let areas: Vec<Step> = [all, right, below, corner].iter().map(|area| area.steps(writer, found)).collect();
    let steps = if found.outer.is_empty() {
        head.extend(packing);
        areas
    } else {
        let inside = packing.into_iter().map(Step::Let).chain(areas).collect();
        found.outer.iter().rev().fold(inside, |body: Vec<Step>, (var, count, bound)| {
            let body = bound.iter().cloned().map(Step::Let).chain(body).collect();
            vec![Step::For { var: *var, count: *count, mark: Mark::Open, body }]
        })
    };
    let own = copies(&mut writer.program.vars, &stm.vars);
    let elems = copies(&mut writer.program.vars, &found.output.elems);
    let outputs = vec![Output { elems, ..found.output.clone() }];
    let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
    head.push(Stm { vars: own.clone(), certs: stm.certs.clone(), exp, span: stm.span });
    Block { stms: head, result: own.into_iter().map(Atom::Var).collect() }
}

/// What columns need, by tiles: lane `l` of tile `t` is column `16 t + l`. The last tile repeats the last column.
fn pack(writer: &mut Writer<'_>, found: &Contraction, full: Atom) -> Var {
    let Sum { index, count, value, .. } = &found.sum;
    let var = found.packed;
    let Some(prim) = writer.program.ty(var).prim() else { base::bug!("only numbers are packed") };
    let tiles = writer.int("tiles", BinOp::Add, full, Atom::size(1));
    let last = writer.int("last", BinOp::Sub, found.column.1, Atom::size(1));
    let mut before = writer.taken();
    let (tile, lane) = (writer.index("tile"), writer.index("lane"));
    let column = writer.int("column", BinOp::Mul, tile.into(), Atom::size(COLUMNS));
    let column = writer.int("column", BinOp::Add, column, lane.into());
    let column = writer.least("column", column, last);
    let mut stms = writer.taken();
    let needed = needed(found.before.iter().chain(&value.stms), var);
    let own = Substitution::new(&[found.column.0], &[column]);
    let block = copy_block(&mut writer.program.vars, &Block { stms: needed, result: vec![var.into()] }, own);
    stms.extend(block.stms);
    let emit = Emit {
        output: 0,
        at: vec![tile.into(), (*index).into(), lane.into()],
        certs: Vec::new(),
        value: Block { stms, result: block.result },
        span: writer.span,
    };
    let counts = [(tile, tiles), (*index, *count), (lane, Atom::size(COLUMNS))];
    let step = counts.into_iter().rev().fold(Step::Emit(emit), |inner, (var, count)| Step::For {
        var,
        count,
        mark: Mark::Open,
        body: vec![inner],
    });
    let dims: Vec<Dim> = counts.iter().map(|(_, count)| Dim::Size(*count)).collect();
    let elem = writer.program.vars.push(VarInfo::new(Name::new("x"), Type::Scalar(prim)));
    let output = Output { kind: array(dims.clone()), sizes: Vec::new(), elems: vec![elem] };
    let exp = Exp::Bulk(Bulk { outputs: vec![output], steps: vec![step], scheduled: false });
    let fresh = copy_block(
        &mut writer.program.vars,
        &Block { stms: vec![Stm { vars: vec![elem], certs: Vec::new(), exp, span: writer.span }], result: Vec::new() },
        Substitution::default(),
    );
    let Some(Stm { exp, .. }) = fresh.stms.into_iter().next() else { base::bug!("a copy without its statement") };
    std::mem::swap(&mut writer.stms, &mut before);
    match writer.bind("packed", Type::array(prim, dims), exp) {
        Atom::Var(packed) => packed,
        Atom::Const(_) => base::bug!("an array is a constant"),
    }
}

/// The statements of these that a variable needs.
fn needed<'s>(stms: impl DoubleEndedIterator<Item = &'s Stm>, var: Var) -> Vec<Stm> {
    let (mut wanted, mut found) = (vec![var], Vec::new());
    for stm in stms.rev() {
        if stm.vars.iter().any(|bound| wanted.contains(bound)) {
            wanted.extend(super::find::uses(stm));
            found.push(stm.clone());
        }
    }
    found.reverse();
    found
}

/// A part of the array that is computed by tiles of one size.
#[derive(Clone, Copy)]
struct Area {
    packed: Var,
    /// Rows of a tile.
    rows: i64,
    /// How many bands of rows there are, and the first row if it is not 0.
    bands: (Atom, Option<Atom>),
    /// Columns of a tile.
    lanes: Atom,
    tiles: Tiles,
}

/// The tiles of an area, side by side.
#[derive(Clone, Copy)]
enum Tiles {
    /// As many as this.
    Each(Atom),
    /// The one with this number, which begins at this column.
    One(Atom, Atom),
}

/// A column of a tile.
struct Column {
    /// The number of the tile, and the lane of the column.
    tile: Atom,
    lane: Var,
    /// The numbers of the column and of the rows.
    number: Atom,
    rows: Vec<Atom>,
    /// How many values a sum has.
    turns: Atom,
}

impl Area {
    fn steps(&self, writer: &mut Writer<'_>, found: &Contraction) -> Step {
        let (band, lane) = (writer.index("band"), writer.index("lane"));
        let (tile, around) = match self.tiles {
            Tiles::Each(count) => {
                let tile = writer.index("tile");
                (Atom::Var(tile), Some((tile, count)))
            }
            Tiles::One(number, _) => (number, None),
        };
        let first = self.first_row(writer, band);
        let mut rows = vec![first];
        rows.extend((1..self.rows).map(|k| writer.int("row", BinOp::Add, first, Atom::size(k))));
        // Sums are not empty; so C compilers see it.
        let at_least = vec![found.sum.count, Atom::size(1)];
        let turns = writer.bind("turns", Type::I64, Exp::Math(MathOp::Max, Prim::I64, at_least));
        let by_band = writer.taken();
        let column = match self.tiles {
            Tiles::Each(_) => writer.int("column", BinOp::Mul, tile, Atom::size(COLUMNS)),
            Tiles::One(_, first) => first,
        };
        let column = writer.int("column", BinOp::Add, column, lane.into());
        let mut body: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        body.extend(self.tile(writer, found, &Column { tile, lane, number: column, rows, turns }));
        let mark = if self.lanes.var().is_none() { Mark::Simd } else { Mark::Open };
        let lanes = Step::For { var: lane, count: self.lanes, mark, body };
        let inner = by_band.into_iter().map(Step::Let).chain([lanes]).collect();
        let bands = Step::For { var: band, count: self.bands.0, mark: Mark::Open, body: inner };
        match around {
            Some((var, count)) => Step::For { var, count, mark: Mark::Open, body: vec![bands] },
            None => bands,
        }
    }

    /// The number of the first row of a band.
    fn first_row(&self, writer: &mut Writer<'_>, band: Var) -> Atom {
        match self.bands.1 {
            Some(first) => writer.int("row", BinOp::Add, first, band.into()),
            None => writer.int("row", BinOp::Mul, band.into(), Atom::size(self.rows)),
        }
    }

    /// The sums of a column of a tile, and what becomes of them.
    fn tile(&self, writer: &mut Writer<'_>, found: &Contraction, here: &Column) -> Vec<Step> {
        let sums = self.sums(writer, found, here);
        let results = sums.vars.clone();
        let mut steps = vec![Step::Let(sums)];
        for (row, sum) in here.rows.iter().zip(results) {
            let own =
                Substitution::new(&[found.row.0, found.column.0, found.sum.var], &[*row, here.number, sum.into()]);
            let stms: Vec<Stm> = match found.result.var() {
                Some(result) => needed(found.before.iter().chain(&found.after), result),
                None => Vec::new(),
            };
            let block = Block { stms, result: vec![found.result] };
            let value = copy_block(&mut writer.program.vars, &block, own);
            let outer = found.outer.iter().map(|(var, ..)| Atom::Var(*var));
            let at = outer.chain([*row, here.number]).collect();
            steps.push(Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span: writer.span }));
        }
        steps
    }

    /// Reads what belongs to a column.
    fn packed_value(&self, writer: &mut Writer<'_>, found: &Contraction, here: &Column, turn: Var) -> Atom {
        let ty = writer.program.ty(found.packed).clone();
        let lane = match self.tiles {
            Tiles::Each(_) => Atom::Var(here.lane),
            // It is one of the lanes anyway; so everybody sees it.
            Tiles::One(..) => writer.least("lane", here.lane.into(), Atom::size(COLUMNS - 1)),
        };
        writer.bind("y", ty, Exp::Index(self.packed, vec![here.tile, turn.into(), lane]))
    }

    /// The loop over values, which carries a sum for each row.
    fn sums(&self, writer: &mut Writer<'_>, found: &Contraction, here: &Column) -> Stm {
        let sum = &found.sum;
        let ty = Type::Scalar(sum.prim);
        let turn = writer.index("k");
        let mut new = |name: &str| -> Vec<Var> {
            here.rows.iter().map(|_| writer.program.vars.push(VarInfo::new(Name::new(name), ty.clone()))).collect()
        };
        let (carried, vars) = (new("s"), new("s"));
        let read = self.packed_value(writer, found, here, turn);
        let mut stms = writer.taken();
        let mut result = Vec::new();
        for (row, carried) in here.rows.iter().zip(&carried) {
            let names = [found.row.0, found.column.0, sum.index, found.packed];
            let own = Substitution::new(&names, &[*row, here.number, turn.into(), read]);
            let Some(value) = sum.value.result[0].var() else { base::bug!("a value is a constant") };
            let needed = without(needed(found.before.iter().chain(&sum.value.stms), value), found.packed);
            let (needed, combine) = combination(writer.program, sum, needed, value, *carried);
            let block = Block { stms: needed.into_iter().chain(combine.stms).collect(), result: combine.result };
            let block = copy_block(&mut writer.program.vars, &block, own);
            stms.extend(block.stms);
            result.extend(block.result);
        }
        let params = carried.into_iter().map(|var| (var, sum.neutral)).collect();
        let exp = Exp::Loop { params, form: LoopForm::For(turn, here.turns), body: Block { stms, result } };
        Stm { vars, certs: Vec::new(), exp, span: writer.span }
    }
}

/// Statements without those that only a variable needs, which has its value already.
fn without(stms: Vec<Stm>, var: Var) -> Vec<Stm> {
    let rest: Vec<Stm> = stms.into_iter().filter(|stm| !stm.vars.contains(&var)).collect();
    let mut kept: Vec<Stm> = Vec::new();
    for (at, stm) in rest.iter().enumerate() {
        let is_last = at + 1 == rest.len();
        let is_used = rest[at + 1..].iter().any(|later| stm.vars.iter().any(|v| super::find::uses(later).contains(v)));
        if is_last || is_used {
            kept.push(stm.clone());
        }
    }
    kept
}

/// What combines a sum with a value: a product that is added need not be rounded before.
fn combination(program: &mut Program, sum: &Sum, mut stms: Vec<Stm>, value: Var, carried: Var) -> (Vec<Stm>, Block) {
    if let Some(stm) = added(program, sum.prim, &sum.op, &mut stms, (value, carried.into())) {
        let result = vec![stm.vars[0].into()];
        return (stms, Block { stms: vec![stm], result });
    }
    let own = Substitution::new(&sum.op.params, &[carried.into(), value.into()]);
    (stms, copy_block(&mut program.vars, &sum.op.body, own))
}
