//! A loop whose turns compute each row of an array from that row alone becomes a loop for each row.
//!
//! ```text
//! let ys: [n][m]f64 = loop (xs = as) for t < k {      let ys: [n][m]f64 = bulk {
//!   let zs: [n][m]f64 = bulk {                          out gen [n] of (y: [m]f64)
//!     out gen [n] of (z: [m]f64)                        for i < n {
//!     for i < n {                                         let a: [m]f64 = copy as[i]
//!       emit [i] { .. xs[i, j] .. => z }          =>      let y: [m]f64 = loop (x = a) for t < k {
//!     }                                                     .. x[j] ..
//!   }                                                       => z
//!   => zs                                                 }
//! }                                                       emit [i] => y
//!                                                     } }
//! ```
//!
//! Threads then wait for each other once instead of in every turn, and a row stays in the cache for all turns. That pays for
//! many rows that are neither short nor too long for the cache, so there are two versions. Nothing may fail inside, so that
//! the first failing check stays the first. Arrays of scalars stay: their turns use vectors. Products of matrices stay, too: tiles
//! of many rows read the other matrix less often than one row at a time does.

use crate::write::array;
use analysis::contractions::Contraction;
use analysis::cost;
use analysis::mentions::Mentions;
use base::{Name, Span};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Remark, Step, Stm, Topic,
};
use ir::{Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// With fewer rows threads are left without work.
const MANY: i64 = 64;
/// Shorter rows take less time than what is done once in every turn.
const SHORTEST: i64 = 256;
/// Longer rows do not stay in the cache.
const LONGEST: i64 = 16384;
/// The largest loop, in statements, of which there are two versions.
const LARGEST: usize = 100;

/// Exchanges the loops of all functions.
pub fn exchange(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut changed = Vec::new();
        body.replace_stms(&mut |stm| match Rows::of(program, &stm) {
            Some(rows) => {
                changed.push(stm.span);
                rows.versions(program, stm)
            }
            None => vec![stm],
        });
        program.functions[fun].body = body;
        for span in changed {
            let text = "this `loop` runs for each row by itself, if there are many rows and each fits into the cache: \
                a row needs nothing of the others";
            program.functions[fun].remark(Remark::done(Topic::Parallel, span, text));
        }
    }
}

/// A loop that computes each row from that row alone.
struct Rows {
    params: Vec<(Var, Atom)>,
    turn: (Var, Atom),
    /// The number of the row, and how many there are.
    row: (Var, Atom),
    /// The extents of the first array's rows.
    row_extents: Vec<Atom>,
    /// What a turn does with a row: the results are the next rows, in the order of the parameters.
    body: Block,
}

impl Rows {
    fn of(program: &mut Program, stm: &Stm) -> Option<Rows> {
        let Exp::Loop { params, form: LoopForm::For(turn, turns), body, .. } = &stm.exp else { return None };
        let (form, before) = body.stms.split_last()?;
        let Exp::Bulk(bulk @ Bulk { outputs, steps, scheduled: false }) = &form.exp else { return None };
        let [Step::For { var: row, count: rows, .. }] = &steps[..] else { return None };
        let fits = outputs.len() == params.len()
            && outputs.iter().all(|output| is_rows(program, output, *rows))
            && params.iter().all(|(param, _)| is_matrix(program, *param, *rows))
            && before.iter().all(|stm| stm.exp.is_simple())
            && !stm.can_fail()
            && !is_tiled(program, form)
            && cost::statements(stm) <= LARGEST;
        fits.then_some(())?;
        let mut body = Block { stms: before.to_vec(), result: Vec::new() };
        let next = one_row(program, bulk, form, &mut body.stms)?;
        for result in &stm_results(stm) {
            let output = form.vars.iter().position(|var| Atom::Var(*var) == *result)?;
            body.result.push(next[output]);
        }
        let dims = program.ty(params.first()?.0).dims()[1..].iter();
        let row_extents =
            dims.filter_map(|dim| if let Dim::Size(extent) = dim { Some(*extent) } else { None }).collect();
        let found = Rows { params: params.clone(), turn: (*turn, *turns), row: (*row, *rows), row_extents, body };
        found.reads_only_its_row(program).then_some(found)
    }

    /// Whether all that is read of the arrays is the row itself, and sizes do not depend on a turn.
    fn reads_only_its_row(&self, program: &Program) -> bool {
        let is_param = |var: &Var| self.params.iter().any(|(param, _)| param == var);
        let mut mentions = Mentions::new(program);
        self.body.stms.iter().for_each(|stm| mentions.stm(stm));
        let results = self.body.result.iter().filter_map(|atom| atom.var());
        let mentioned = mentions.found.iter().copied().chain(results).filter(is_param).count();
        let mut own = 0;
        self.body.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Index(array, at), .. }) = part
                && is_param(array)
                && at.first() == Some(&Atom::Var(self.row.0))
            {
                own += 1;
            }
        });
        let bound = self.body.bound();
        let mut outside = true;
        let params = self.params.iter();
        params.for_each(|(param, _)| program.ty(*param).for_each_var(&mut |size| outside &= !bound.contains(&size)));
        mentioned == own && outside
    }

    /// Two versions: the loop for each row, if that is faster, or the loop as it was.
    fn versions(self, program: &mut Program, mut stm: Stm) -> Vec<Stm> {
        let (mut stms, many) = self.is_faster(program, stm.span);
        let block = |stm: Stm| Block { result: stm.vars.iter().copied().map(Atom::Var).collect(), stms: vec![stm] };
        let new = self.exchanged(program, &stm);
        let new = copy_block(&mut program.vars, &block(new), Substitution::default());
        let own = copies(&mut program.vars, &stm.vars);
        let vars = std::mem::replace(&mut stm.vars, own);
        let (certs, span) = (stm.certs.clone(), stm.span);
        stms.push(Stm { vars, certs, exp: Exp::Choose(many, new, block(stm)), span });
        stms
    }

    /// Statements that find out whether there is work for all threads, and whether rows are long enough, but not too long for
    /// the cache; and the variable that says so.
    fn is_faster(&self, program: &mut Program, span: Span) -> (Vec<Stm>, Atom) {
        let mut stms = Vec::new();
        let mut bind = |name: &str, ty: Prim, op: BinOp, prim: Prim, a: Atom, b: Atom| {
            let var = program.vars.push(VarInfo::new(Name::new(name), Type::Scalar(ty)));
            stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, prim, a, b), span });
            Atom::Var(var)
        };
        let mut length = self.row_extents[0];
        for extent in &self.row_extents[1..] {
            length = bind("length", Prim::I64, BinOp::Mul, Prim::I64, length, *extent);
        }
        let many = bind("many", Prim::Bool, BinOp::Ge, Prim::I64, self.row.1, Atom::size(MANY));
        let long = bind("long", Prim::Bool, BinOp::Ge, Prim::I64, length, Atom::size(SHORTEST));
        let fits = bind("fits", Prim::Bool, BinOp::Le, Prim::I64, length, Atom::size(LONGEST));
        let both = bind("both", Prim::Bool, BinOp::LogAnd, Prim::Bool, long, fits);
        let faster = bind("faster", Prim::Bool, BinOp::LogAnd, Prim::Bool, many, both);
        (stms, faster)
    }

    fn exchanged(&self, program: &mut Program, stm: &Stm) -> Stm {
        let span = stm.span;
        let mut rows = || -> Vec<Var> { self.params.iter().map(|(param, _)| row_of(program, *param)).collect() };
        let (old, firsts, own, lasts, elems) = (rows(), rows(), rows(), rows(), rows());
        let mut body = copy_block(&mut program.vars, &self.body, Substitution::default());
        body.for_each_stm_mut(&mut |stm| {
            if let Exp::Index(array, at) = &mut stm.exp
                && let Some(number) = self.params.iter().position(|(param, _)| param == array)
            {
                at.remove(0);
                stm.exp = match at.is_empty() {
                    true => Exp::Atom(Atom::Var(own[number])),
                    false => Exp::Index(own[number], std::mem::take(at)),
                };
            }
        });
        let bind = |vars: Vec<Var>, exp: Exp| Step::Let(Stm { vars, certs: stm.certs.clone(), exp, span });
        let mut steps: Vec<Step> = Vec::new();
        // A row of its own can be changed in place.
        for ((_, init), (old, first)) in self.params.iter().zip(old.into_iter().zip(&firsts)) {
            let Some(init) = init.var() else { base::bug!("an array is a constant") };
            steps.push(bind(vec![old], Exp::Index(init, vec![self.row.0.into()])));
            steps.push(bind(vec![*first], Exp::Copy(old)));
        }
        let params = own.into_iter().zip(firsts.into_iter().map(Atom::Var)).collect();
        let form = LoopForm::For(self.turn.0, self.turn.1);
        steps.push(bind(lasts.clone(), Exp::repeat(params, form, body)));
        for (output, last) in lasts.into_iter().enumerate() {
            let value = Block { stms: Vec::new(), result: vec![Atom::Var(last)] };
            steps.push(Step::Emit(Emit { output, at: vec![self.row.0.into()], certs: Vec::new(), value, span }));
        }
        let (var, count) = self.row;
        let output = |elem: Var| Output { kind: array(vec![Dim::Size(count)]), sizes: Vec::new(), elems: vec![elem] };
        let outputs = elems.into_iter().map(output).collect();
        let steps = vec![Step::For { var, count, mark: Mark::Open, body: steps }];
        Stm { exp: Exp::Bulk(Bulk { outputs, steps, scheduled: false }), ..stm.clone() }
    }
}

/// Whether tiles will compute what a turn makes.
fn is_tiled(program: &Program, form: &Stm) -> bool {
    Contraction::of(program, form).is_some_and(|contraction| contraction.asked().is_some())
}

fn stm_results(stm: &Stm) -> Vec<Atom> {
    stm.exp.blocks().last().map_or(Vec::new(), |block| block.result.clone())
}

/// Whether an output is a new array, of which each turn of a loop makes a part.
fn is_rows(program: &Program, output: &Output, count: Atom) -> bool {
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return false };
    let [elem] = output.elems[..] else { return false };
    let scalars = shape.len() == 1 && !program.ty(elem).is_array();
    rec.is_empty() && output.sizes.is_empty() && shape.first() == Some(&Dim::Size(count)) && !scalars
}

/// Whether an array has so many rows, which are regular arrays.
fn is_matrix(program: &Program, array: Var, rows: Atom) -> bool {
    let dims = program.ty(array).dims();
    dims.len() > 1 && dims[0] == Dim::Size(rows) && dims.iter().all(|dim| matches!(dim, Dim::Size(_)))
}

/// A new variable for a row of an array.
fn row_of(program: &mut Program, array: Var) -> Var {
    let ty = program.ty(array);
    let Some(prim) = ty.prim() else { base::bug!("an array has no elements") };
    let ty = Type::array(prim, ty.dims()[1..].to_vec());
    program.vars.push(VarInfo::new(Name::new("row"), ty))
}

/// Adds what a form does for one row; gives the row of each output.
fn one_row(program: &mut Program, bulk: &Bulk, form: &Stm, stms: &mut Vec<Stm>) -> Option<Vec<Atom>> {
    let [Step::For { var: row, body: steps, .. }] = &bulk.steps[..] else { return None };
    let mut rows: Vec<Option<Atom>> = vec![None; bulk.outputs.len()];
    for step in steps {
        match step {
            Step::Let(stm) => stms.push(stm.clone()),
            Step::Emit(emit) if emit.at == [Atom::Var(*row)] && rows[emit.output].is_none() => {
                stms.extend(emit.value.stms.iter().cloned());
                rows[emit.output] = emit.value.result.first().copied();
            }
            Step::For { .. } => {
                let (part, outputs) = part_of_row(bulk, *row, step)?;
                let fresh = outputs.iter().all(|output| rows[*output].is_none());
                fresh.then_some(())?;
                let vars: Vec<Var> = outputs.iter().map(|output| row_of(program, form.vars[*output])).collect();
                outputs.iter().zip(&vars).for_each(|(output, var)| rows[*output] = Some(Atom::Var(*var)));
                stms.push(Stm { vars, exp: Exp::Bulk(part), ..form.clone() });
            }
            Step::Emit(_) | Step::Guard(..) | Step::Scan(_) => return None,
        }
    }
    rows.into_iter().collect()
}

/// A loop inside of the loop over rows as a form of its own, and the outputs that it gives values to.
fn part_of_row(bulk: &Bulk, row: Var, step: &Step) -> Option<(Bulk, Vec<usize>)> {
    let mut step = step.clone();
    let (mut numbers, mut own) = (Vec::new(), true);
    Step::for_each_emit_mut(std::slice::from_mut(&mut step), &mut |emit| {
        own &= emit.at.first() == Some(&Atom::Var(row));
        if !numbers.contains(&emit.output) {
            numbers.push(emit.output);
        }
    });
    numbers.sort_unstable();
    own.then_some(())?;
    Step::for_each_emit_mut(std::slice::from_mut(&mut step), &mut |emit| {
        emit.at.remove(0);
        emit.output = numbers.iter().position(|number| *number == emit.output).unwrap_or(0);
    });
    let outputs = numbers.iter().map(|number| {
        let output = &bulk.outputs[*number];
        let Kind::Gen { shape, .. } = &output.kind else { base::bug!("rows are parts of new arrays") };
        Output { kind: array(shape[1..].to_vec()), ..output.clone() }
    });
    let outputs = outputs.collect();
    Some((Bulk { outputs, steps: vec![step], scheduled: false }, numbers))
}
