//! Loops that store where data says also say what they will read soon.
//!
//! ```text
//! for i = low to high {                    for i = low to high {
//!   let k = keys[i]                          prefetch keys[i + 512]
//!   counts[k] := counts[k] + 1       ==>     let k = keys[i]
//! }                                          counts[k] := counts[k] + 1
//!                                          }
//! ```
//!
//! A processor sees by itself that a loop reads memory step by step, unless the loop goes to other places in between. The same
//! is done where short rows lie one after the other, because each of them is another loop:
//!
//! ```text
//! for i = low to high {                    for i = low to high {
//!   let off = offsets[i]                     let off = offsets[i]
//!   for k = 0 to 16 {                ==>     prefetch xs[off + 512]
//!     .. xs[off + k] ..                      for k = 0 to 16 { .. xs[off + k] .. }
//!   }                                      }
//! }
//! ```
//!
//! Lanes that each wait for their own last sum leave time: where turns read one line of the cache after the other, they ask
//! for lines further on, because the processor alone does not look ahead far enough.
//!
//! ```text
//! for g = 0 to groups {                    for g = 0 to groups {
//!   for k = 0 to 16 {                        prefetch xs[at + g * 16 + 512]
//!     lanes[k] += xs[at + g * 16 + k]  ==>   for k = 0 to 16 { lanes[k] += xs[at + g * 16 + k] }
//!   }                                      }
//! }
//! ```

use crate::data::expr::{self, ExprBuilder};
use crate::data::forms::{Form, Forms};
use base::{Map, Set};
use kernel::walk::for_each_stm;
use kernel::{Expr, Home, Mode, Op, Program, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// How far ahead, in bytes.
const AHEAD: i64 = 2048;

/// The most elements from one turn to the next: several turns share what the processor fetches.
const STEP: i64 = 8;

/// The bytes of a line of the cache.
const LINE: i64 = 64;
/// The most lines that a turn of lanes reads of one array: of more, it does not wait for its own sums.
const LINES: i64 = 2;

/// Finds such loops in all functions.
pub(crate) fn look(program: &mut Program) {
    let exprs = ExprBuilder::over(std::mem::take(&mut program.exprs));
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        in_block(program, &exprs, &mut body, false);
        program.functions[id].body = body;
    }
    program.exprs = exprs.finish();
}

/// Looks at statements and what is inside of them. Rows of their own are asked for where they begin.
fn in_block(program: &Program, exprs: &ExprBuilder, stms: &mut [Stm], in_rows: bool) {
    for stm in stms {
        let more = match stm {
            Stm::For { var, mode: Mode::Sequential, body, .. } => {
                let mut more = reads(program, exprs, *var, body);
                if !in_rows {
                    more.extend(lines(program, exprs, *var, body));
                }
                more
            }
            _ => Vec::new(),
        };
        let rows = match stm {
            Stm::For { var, mode: Mode::Sequential | Mode::Parallel, body, .. } => rows(program, exprs, *var, body),
            _ => Vec::new(),
        };
        for block in stm.blocks_mut() {
            in_block(program, exprs, block, in_rows || !rows.is_empty());
            for (place, row) in rows.iter().rev() {
                block.insert(*place, row.clone());
            }
            block.splice(0..0, more.iter().cloned());
        }
    }
}

/// What a loop with this variable will read soon.
fn reads(program: &Program, exprs: &ExprBuilder, var: Var, body: &[Stm]) -> Vec<Stm> {
    let mut turn = Turn::new(exprs);
    if !turn.add(body) || !turn.scatters {
        return Vec::new();
    }
    let inside = declared(body);
    // Copies of the body are as one turn: the first of them stands for all.
    let forms = Forms { program, exprs, vars: [var, turn.copies.unwrap_or(var)], lets: &turn.lets };
    let wanted = |form: &Form<2>, _: Prim| {
        let steps = expr::as_int(form.by[0]).is_some_and(|step| (1..=STEP).contains(&step));
        i64::from(steps)
    };
    prefetches(&forms, &inside, turn.loads, &wanted)
}

/// What a loop will read soon each turn of which is a loop over lanes that reads whole lines.
fn lines(program: &Program, exprs: &ExprBuilder, var: Var, body: &[Stm]) -> Vec<Stm> {
    let Some((Stm::For { var: lane, from, to, mode: Mode::Simd | Mode::Unrolled, body: inner }, before)) =
        body.split_last()
    else {
        return Vec::new();
    };
    let mut turn = Turn::new(exprs);
    let (Some(0), Some(count)) = (expr::as_int(*from), expr::as_int(*to)) else { return Vec::new() };
    if !turn.add(before) || !turn.add(inner) {
        return Vec::new();
    }
    let forms = Forms { program, exprs, vars: [var, *lane], lets: &turn.lets };
    let wanted = |form: &Form<2>, prim: Prim| {
        let (lines, rest) = (count * prim.bytes() as i64 / LINE, count * prim.bytes() as i64 % LINE);
        let in_order = form.by.map(expr::as_int) == [Some(count), Some(1)];
        if in_order && rest == 0 && lines <= LINES { lines } else { 0 }
    };
    prefetches(&forms, &declared(body), turn.loads, &wanted)
}

/// Asks for what these loads will read soon: of each array so many lines as are wanted, given how its place moves.
fn prefetches(
    forms: &Forms<'_, 2>,
    inside: &Set<Var>,
    loads: Vec<(Var, Expr)>,
    wanted: &dyn Fn(&Form<2>, Prim) -> i64,
) -> Vec<Stm> {
    let Forms { program, exprs, vars: [var, _], .. } = *forms;
    let mut found: Map<Var, Vec<Stm>> = Map::default();
    for (buffer, at) in loads {
        let Type::Buffer(prim) = program.vars[buffer].ty else { continue };
        let Some(form) = forms.of(at) else { continue };
        let place = form.at(exprs, [Expr::Var(var), expr::int(0)]);
        let mut known = is_known(program, inside, buffer);
        exprs.for_each_var(place, &mut |used| known &= used == var || !inside.contains(&used));
        let line = |line: i64| exprs.add(place, expr::int((AHEAD + line * LINE) / prim.bytes() as i64));
        let lines = if known { wanted(&form, prim) } else { 0 };
        if lines > 0 {
            found.entry(buffer).or_insert_with(|| (0..lines).map(|n| Stm::Prefetch(buffer, line(n))).collect());
        }
    }
    let mut found: Vec<(Var, Vec<Stm>)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(buffer, _)| *buffer);
    found.into_iter().flat_map(|(_, stms)| stms).collect()
}

/// The rows that a loop with this variable goes through, each with the place in its body where the beginning of a row is known.
fn rows(program: &Program, exprs: &ExprBuilder, var: Var, body: &[Stm]) -> Vec<(usize, Stm)> {
    let is_of_turn = |value: Expr| match exprs.operation(value) {
        Some(Op::Load(_, at)) => at == Expr::Var(var),
        _ => false,
    };
    let begins: Map<Var, usize> = (1..)
        .zip(body)
        .filter_map(|(place, stm)| match stm {
            Stm::Let(row, value) if is_of_turn(*value) => Some((*row, place)),
            _ => None,
        })
        .collect();
    if begins.is_empty() {
        return Vec::new();
    }
    let inside = declared(body);
    let mut found: Map<Var, (usize, Expr)> = Map::default();
    let mut look = |stm: &Stm| {
        if let Stm::Let(_, value) = stm
            && let Some(Op::Load(buffer, at)) = exprs.operation(*value)
            && let Some(Op::Bin(BinOp::Add, _, Expr::Var(row), _)) = exprs.operation(at)
            && let (Some(place), Type::Buffer(prim)) = (begins.get(&row), program.vars[buffer].ty)
            && is_known(program, &inside, buffer)
        {
            let ahead = exprs.add(Expr::Var(row), expr::int(AHEAD / prim.bytes() as i64));
            found.entry(buffer).or_insert((*place, ahead));
        }
    };
    body.iter().flat_map(Stm::blocks).for_each(|block| for_each_stm(block, &mut look));
    let mut found: Vec<(usize, Var, Expr)> =
        found.into_iter().map(|(buffer, (place, at))| (place, buffer, at)).collect();
    found.sort_unstable_by_key(|(place, buffer, _)| (*place, *buffer));
    found.into_iter().map(|(place, buffer, at)| (place, Stm::Prefetch(buffer, at))).collect()
}

/// What statements declare, at any depth.
fn declared(body: &[Stm]) -> Set<Var> {
    let mut inside: Set<Var> = Set::default();
    for_each_stm(body, &mut |stm| inside.extend(stm.declared()));
    inside
}

/// Whether a buffer is in memory before a turn that declares these.
fn is_known(program: &Program, inside: &Set<Var>, buffer: Var) -> bool {
    !inside.contains(&buffer) && !matches!(program.vars[buffer].home, Home::Local(_))
}

/// What a turn of a loop does.
struct Turn<'a> {
    exprs: &'a ExprBuilder,
    lets: Map<Var, Expr>,
    /// The variable of a loop that consists of copies of its body.
    copies: Option<Var>,
    /// What each turn reads.
    loads: Vec<(Var, Expr)>,
    /// Whether it stores where something says that it has read.
    scatters: bool,
}

impl<'a> Turn<'a> {
    fn new(exprs: &'a ExprBuilder) -> Self {
        Turn { exprs, lets: Map::default(), copies: None, loads: Vec::new(), scatters: false }
    }

    /// Looks at statements that every turn runs. Whether they are all of a simple kind.
    fn add(&mut self, stms: &[Stm]) -> bool {
        stms.iter().all(|stm| match stm {
            Stm::Let(var, value) => {
                self.lets.insert(*var, *value);
                self.expr(*value);
                true
            }
            Stm::Set(_, value) => {
                self.expr(*value);
                true
            }
            Stm::Store { at, value, .. } => {
                self.expr(*value);
                self.scatters |= self.is_read(*at);
                true
            }
            Stm::For { var, mode: Mode::Unrolled, body, .. } => {
                self.copies.get_or_insert(*var);
                self.add(body)
            }
            Stm::If(_, then, otherwise) => self.add_guarded(then) && self.add_guarded(otherwise),
            Stm::Declare(_) | Stm::Fail { .. } => true,
            _ => false,
        })
    }

    /// The same for statements that some turns leave out: what they read is not counted.
    fn add_guarded(&mut self, stms: &[Stm]) -> bool {
        let before = self.loads.len();
        let simple = self.add(stms);
        self.loads.truncate(before);
        simple
    }

    fn expr(&mut self, expr: Expr) {
        let Some(op) = self.exprs.operation(expr) else { return };
        if let Op::Load(buffer, at) = op {
            self.loads.push((buffer, at));
        }
        op.for_each_operand(|operand| self.expr(operand));
    }

    /// Whether a number comes from memory.
    fn is_read(&self, expr: Expr) -> bool {
        if let Expr::Var(var) = expr {
            return self.lets.get(&var).is_some_and(|value| self.is_read(*value));
        }
        let Some(op) = self.exprs.operation(expr) else { return false };
        let mut read = op.buffer().is_some();
        op.for_each_operand(|operand| read |= self.is_read(operand));
        read
    }
}
