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

use crate::data::expr::{self, ExprBuilder};
use crate::data::forms::Forms;
use base::{Map, Set};
use kernel::walk::for_each_stm;
use kernel::{Expr, Home, Mode, Op, Program, Stm, Type, Var};
use scalar::BinOp;

/// How far ahead, in bytes.
const AHEAD: i64 = 2048;

/// The most elements from one turn to the next: several turns share what the processor fetches.
const STEP: i64 = 8;

/// Finds such loops in all functions.
pub(crate) fn look(program: &mut Program) {
    let exprs = ExprBuilder::over(std::mem::take(&mut program.exprs));
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        in_block(program, &exprs, &mut body);
        program.functions[id].body = body;
    }
    program.exprs = exprs.finish();
}

fn in_block(program: &Program, exprs: &ExprBuilder, stms: &mut [Stm]) {
    for stm in stms {
        let more = match stm {
            Stm::For { var, mode: Mode::Sequential, body, .. } => reads(program, exprs, *var, body),
            _ => Vec::new(),
        };
        let rows = match stm {
            Stm::For { var, mode: Mode::Sequential | Mode::Parallel, body, .. } => rows(program, exprs, *var, body),
            _ => Vec::new(),
        };
        for block in stm.blocks_mut() {
            in_block(program, exprs, block);
            for (place, row) in rows.iter().rev() {
                block.insert(*place, row.clone());
            }
            block.splice(0..0, more.iter().cloned());
        }
    }
}

/// What a loop with this variable will read soon.
fn reads(program: &Program, exprs: &ExprBuilder, var: Var, body: &[Stm]) -> Vec<Stm> {
    let mut turn = Turn { exprs, lets: Map::default(), copies: None, loads: Vec::new(), scatters: false };
    if !turn.add(body) || !turn.scatters {
        return Vec::new();
    }
    let inside = declared(body);
    // Copies of the body are as one turn: the first of them stands for all.
    let forms = Forms { program, exprs, vars: [var, turn.copies.unwrap_or(var)], lets: &turn.lets };
    let mut found: Map<Var, Stm> = Map::default();
    for (buffer, at) in turn.loads {
        let Type::Buffer(prim) = program.vars[buffer].ty else { continue };
        let Some(form) = forms.of(at) else { continue };
        let steps = expr::as_int(form.by[0]).is_some_and(|step| (1..=STEP).contains(&step));
        let ahead = exprs.add(form.at(exprs, [Expr::Var(var), expr::int(0)]), expr::int(AHEAD / prim.bytes() as i64));
        let mut known = is_known(program, &inside, buffer);
        exprs.for_each_var(ahead, &mut |var| known &= !inside.contains(&var));
        if steps && known {
            found.entry(buffer).or_insert(Stm::Prefetch(buffer, ahead));
        }
    }
    let mut found: Vec<(Var, Stm)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(buffer, _)| *buffer);
    found.into_iter().map(|(_, stm)| stm).collect()
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

impl Turn<'_> {
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
