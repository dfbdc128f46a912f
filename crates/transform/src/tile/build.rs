//! Writing contractions by tiles.

use super::rows;
use crate::write::{Writer, added, array, version};
use analysis::contractions::{self, COLUMNS, Contraction, ROWS, Sum};
use base::Name;
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, LoopForm, Mark, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, MathOp, Prim};

/// The statements that compute a contraction by tiles, where the sizes are fit for it. None, if they never are.
pub(super) fn tiled(program: &mut Program, found: &Contraction, stm: &Stm) -> Option<Vec<Stm>> {
    let asked = found.asked()?;
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let fit = is_fit(&mut writer, &asked);
    let mut stms = writer.taken();
    let then = by_tiles(&mut writer, found, stm);
    let then = copy_block(&mut writer.program.vars, &then, Substitution::default());
    match fit {
        Some(fit) => {
            let otherwise = version(writer.program, stm.clone());
            stms.push(Stm { exp: Exp::If(fit, then, otherwise), ..stm.clone() });
        }
        None => {
            stms.extend(then.stms);
            let named = stm.vars.iter().zip(then.result);
            stms.extend(named.map(|(var, same)| Stm { vars: vec![*var], exp: Exp::Atom(same), ..stm.clone() }));
        }
    }
    Some(stms)
}

/// Whether all of this holds; nothing, if nothing is asked.
fn is_fit(writer: &mut Writer<'_>, asked: &[(BinOp, Atom, i64)]) -> Option<Atom> {
    let holds: Vec<Atom> =
        asked.iter().map(|(op, size, limit)| writer.truth(*op, Prim::I64, *size, Atom::size(*limit))).collect();
    holds.into_iter().reduce(|a, b| writer.truth(BinOp::LogAnd, Prim::Bool, a, b))
}

/// The whole array by tiles.
fn by_tiles(writer: &mut Writer<'_>, found: &Contraction, stm: &Stm) -> Block {
    let found = &rows::in_order(writer, found);
    let (columns, rows) = (found.column.1, found.row.1);
    let full = writer.int("tiles", BinOp::Div, columns, Atom::size(COLUMNS));
    let bands = writer.int("bands", BinOp::Div, rows, Atom::size(ROWS));
    let done_columns = writer.int("done", BinOp::Mul, full, Atom::size(COLUMNS));
    let left_columns = writer.int("left", BinOp::Sub, columns, done_columns);
    let done_rows = writer.int("done", BinOp::Mul, bands, Atom::size(ROWS));
    let left_rows = writer.int("left", BinOp::Sub, rows, done_rows);
    let more = writer.least("more", left_columns, Atom::size(1));
    let tiles = writer.int("tiles", BinOp::Add, full, more);
    let mut head = writer.taken();
    let packed = pack(writer, found, [full, more, tiles]);
    let packing = writer.taken();
    let all = Area { packed, rows: ROWS, bands: (bands, None), tiles: full };
    let below = Area { rows: 1, bands: (left_rows, Some(done_rows)), ..all };
    let right = Rest { packed, tile: full, first: done_columns, columns: left_columns };
    let mut areas = vec![all.steps(writer, found), below.steps(writer, found)];
    areas.extend(right.steps(writer, found));
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

/// What columns need, by tiles: lane `l` of tile `t` is column `16 t + l`. A last tile that is not full repeats the last column,
/// and is packed apart: the lanes of all others lie side by side.
fn pack(writer: &mut Writer<'_>, found: &Contraction, [full, more, tiles]: [Atom; 3]) -> Var {
    let var = found.packed;
    let Some(prim) = writer.program.ty(var).prim() else { base::bug!("only numbers are packed") };
    let last = writer.int("last", BinOp::Sub, found.column.1, Atom::size(1));
    let mut before = writer.taken();
    let steps = vec![packing(writer, found, full, None), packing(writer, found, more, Some((full, last)))];
    let dims: Vec<Dim> = [tiles, found.sum.count, Atom::size(COLUMNS)].map(Dim::Size).to_vec();
    let elem = writer.program.vars.push(VarInfo::new(Name::new("x"), Type::Scalar(prim)));
    let output = Output { kind: array(dims.clone()), sizes: Vec::new(), elems: vec![elem] };
    let exp = Exp::Bulk(Bulk { outputs: vec![output], steps, scheduled: false });
    std::mem::swap(&mut writer.stms, &mut before);
    match writer.bind("packed", Type::array(prim, dims), exp) {
        Atom::Var(packed) => packed,
        Atom::Const(_) => base::bug!("an array is a constant"),
    }
}

/// Packs so many tiles: the first ones, or, with the last column, those from a number on.
fn packing(writer: &mut Writer<'_>, found: &Contraction, tiles: Atom, rest: Option<(Atom, Atom)>) -> Step {
    let Sum { index, count, value, .. } = &found.sum;
    let [tile, turn, lane] = ["tile", "i", "lane"].map(|name| writer.index(name));
    let number = match rest {
        Some((first, _)) => writer.int("tile", BinOp::Add, first, tile.into()),
        None => tile.into(),
    };
    let by_tile = lets(writer.taken());
    let column = writer.int("column", BinOp::Mul, number, Atom::size(COLUMNS));
    let column = writer.int("column", BinOp::Add, column, lane.into());
    let column = match rest {
        Some((_, last)) => writer.least("column", column, last),
        None => column,
    };
    let mut stms = writer.taken();
    let needed = needed(found.before.iter().chain(&value.stms), found.packed);
    let own = Substitution::new(&[found.column.0, *index], &[column, turn.into()]);
    let packed = Block { stms: needed, result: vec![found.packed.into()] };
    let block = copy_block(&mut writer.program.vars, &packed, own);
    stms.extend(block.stms);
    let at = vec![number, turn.into(), lane.into()];
    let value = Block { stms, result: block.result };
    let emit = Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span: writer.span });
    let within = |var, count, body| Step::For { var, count, mark: Mark::Open, body };
    let lanes = within(lane, Atom::size(COLUMNS), vec![emit]);
    let turns = within(turn, *count, vec![lanes]);
    within(tile, tiles, by_tile.into_iter().chain([turns]).collect())
}

/// The statements of these that a variable needs.
fn needed<'s>(stms: impl DoubleEndedIterator<Item = &'s Stm>, var: Var) -> Vec<Stm> {
    let (mut wanted, mut found) = (vec![var], Vec::new());
    for stm in stms.rev() {
        if stm.vars.iter().any(|bound| wanted.contains(bound)) {
            wanted.extend(contractions::uses(stm));
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
    /// How many tiles lie side by side.
    tiles: Atom,
}

impl Area {
    fn steps(&self, writer: &mut Writer<'_>, found: &Contraction) -> Step {
        let [tile, band, lane] = ["tile", "band", "lane"].map(|name| writer.index(name));
        let first = self.first_row(writer, band);
        let mut rows = vec![first];
        rows.extend((1..self.rows).map(|k| writer.int("row", BinOp::Add, first, Atom::size(k))));
        let turns = turns(writer, found);
        let by_band = writer.taken();
        let column = writer.int("column", BinOp::Mul, tile.into(), Atom::size(COLUMNS));
        let column = writer.int("column", BinOp::Add, column, lane.into());
        let mut body = lets(writer.taken());
        let here = Column { packed: self.packed, tile: tile.into(), lane, number: column, rows, turns };
        let sums = here.sums(writer, found);
        let results = sums.vars.clone();
        body.push(Step::Let(sums));
        body.extend(
            here.rows.iter().zip(results).map(|(row, sum)| handed_over(writer, found, [*row, column, sum.into()])),
        );
        let lanes = in_lanes(lane, body);
        let inner = lets(by_band).into_iter().chain([lanes]).collect();
        let bands = Step::For { var: band, count: self.bands.0, mark: Mark::Open, body: inner };
        Step::For { var: tile, count: self.tiles, mark: Mark::Open, body: vec![bands] }
    }

    /// The number of the first row of a band.
    fn first_row(&self, writer: &mut Writer<'_>, band: Var) -> Atom {
        match self.bands.1 {
            Some(first) => writer.int("row", BinOp::Add, first, band.into()),
            None => writer.int("row", BinOp::Mul, band.into(), Atom::size(self.rows)),
        }
    }
}

/// The columns that do not fill a tile.
struct Rest {
    packed: Var,
    /// The number of their tile, the first of them, and how many there are.
    tile: Atom,
    first: Atom,
    columns: Atom,
}

impl Rest {
    /// Row by row, the sums of a whole tile, of which only some are needed.
    fn steps(&self, writer: &mut Writer<'_>, found: &Contraction) -> Vec<Step> {
        let [row, lane, own] = ["row", "lane", "lane"].map(|name| writer.index(name));
        let some = writer.truth(BinOp::Gt, Prim::I64, self.columns, Atom::size(0));
        let mut steps = lets(writer.taken());
        let turns = turns(writer, found);
        let last = writer.int("last", BinOp::Sub, found.column.1, Atom::size(1));
        let mut body = lets(writer.taken());
        let column = writer.int("column", BinOp::Add, self.first, lane.into());
        let column = writer.least("column", column, last);
        let mut inner = lets(writer.taken());
        let here = Column { packed: self.packed, tile: self.tile, lane, number: column, rows: vec![row.into()], turns };
        let sums = here.sums(writer, found);
        let sum = sums.vars[0].into();
        inner.extend([Step::Let(sums), writer.emit(0, vec![lane.into()], sum)]);
        let shape = [Dim::Size(Atom::size(COLUMNS))];
        let line = writer.arrays("line", &[found.sum.prim], &shape, vec![in_lanes(lane, inner)])[0];
        body.extend(lets(writer.taken()));
        let column = writer.int("column", BinOp::Add, self.first, own.into());
        // It is one of the lanes anyway; so everybody sees it.
        let at = writer.least("lane", own.into(), Atom::size(COLUMNS - 1));
        let sum = writer.bind("s", Type::Scalar(found.sum.prim), Exp::Index(line, vec![at]));
        let mut needed = lets(writer.taken());
        needed.push(handed_over(writer, found, [row.into(), column, sum]));
        body.push(Step::For { var: own, count: self.columns, mark: Mark::Open, body: needed });
        let by_row = Step::For { var: row, count: found.row.1, mark: Mark::Open, body };
        steps.push(Step::Guard(some, vec![by_row]));
        steps
    }
}

fn lets(stms: Vec<Stm>) -> Vec<Step> {
    stms.into_iter().map(Step::Let).collect()
}

/// The columns of a tile side by side.
fn in_lanes(lane: Var, body: Vec<Step>) -> Step {
    Step::For { var: lane, count: Atom::size(COLUMNS), mark: Mark::Simd, body }
}

/// How many values a sum has. Sums are not empty; so C compilers see it.
fn turns(writer: &mut Writer<'_>, found: &Contraction) -> Atom {
    let at_least = vec![found.sum.count, Atom::size(1)];
    writer.bind("turns", Type::I64, Exp::Math(MathOp::Max, Prim::I64, at_least))
}

/// What becomes of the sum of a row and a column.
fn handed_over(writer: &mut Writer<'_>, found: &Contraction, [row, column, sum]: [Atom; 3]) -> Step {
    let own = Substitution::new(&[found.row.0, found.column.0, found.sum.var], &[row, column, sum]);
    let stms: Vec<Stm> = match found.result.var() {
        Some(result) => needed(found.before.iter().chain(&found.after), result),
        None => Vec::new(),
    };
    let block = Block { stms, result: vec![found.result] };
    let value = copy_block(&mut writer.program.vars, &block, own);
    let outer = found.outer.iter().map(|(var, ..)| Atom::Var(*var));
    let at = outer.chain([row, column]).collect();
    Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span: writer.span })
}

/// A column of a tile.
struct Column {
    packed: Var,
    /// The number of the tile, and the lane of the column.
    tile: Atom,
    lane: Var,
    /// The numbers of the column and of the rows.
    number: Atom,
    rows: Vec<Atom>,
    /// How many values a sum has.
    turns: Atom,
}

impl Column {
    /// The loop over values, which carries a sum for each row.
    fn sums(&self, writer: &mut Writer<'_>, found: &Contraction) -> Stm {
        let sum = &found.sum;
        let ty = Type::Scalar(sum.prim);
        let turn = writer.index("k");
        let mut new = |name: &str| -> Vec<Var> {
            self.rows.iter().map(|_| writer.program.vars.push(VarInfo::new(Name::new(name), ty.clone()))).collect()
        };
        let (carried, vars) = (new("s"), new("s"));
        let ty = writer.program.ty(found.packed).clone();
        let read = writer.bind("y", ty, Exp::Index(self.packed, vec![self.tile, turn.into(), self.lane.into()]));
        let mut stms = writer.taken();
        let mut result = Vec::new();
        for (row, carried) in self.rows.iter().zip(&carried) {
            let names = [found.row.0, found.column.0, sum.index, found.packed];
            let own = Substitution::new(&names, &[*row, self.number, turn.into(), read]);
            let Some(value) = sum.value.result[0].var() else { base::bug!("a value is a constant") };
            let others = found.before.iter().chain(&sum.value.stms).filter(|stm| !stm.vars.contains(&found.packed));
            let needed = needed(others, value);
            let (needed, combine) = combination(writer.program, sum, needed, value, *carried);
            let block = Block { stms: needed.into_iter().chain(combine.stms).collect(), result: combine.result };
            let block = copy_block(&mut writer.program.vars, &block, own);
            stms.extend(block.stms);
            result.extend(block.result);
        }
        let params = carried.into_iter().map(|var| (var, sum.neutral)).collect();
        let exp = Exp::repeat(params, LoopForm::For(turn, self.turns), Block { stms, result });
        Stm { vars, certs: Vec::new(), exp, span: writer.span }
    }
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
