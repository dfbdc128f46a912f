//! A construction that only selects elements or rows of another array is a view of it.
//!
//! ```text
//! let t: [m][k]f64 = bulk {
//!   out gen [m][k] of (x: f64)
//!   for j < m {                                     let s: [m][n]f64 = rearrange a (1, 0)
//!     for i < k {                             =>    let t: [m][k]f64 = slice s[0; m; 1, 2; k; 1]
//!       let at: i64 = i + 2
//!       emit [j, i] => a[at, j]
//!     }
//!   }
//! }
//! ```
//!
//! [`selection`](super::selection) recognises such constructions, [`readers`](super::readers) decides whether a view is as
//! good as an array. What the verifier cannot follow is taken back: a view is made even where a loop has no turns, so what
//! holds inside of the loops does not show that its ranges are in bounds.
//!
//! Limits: vectors are left to `fuse`, which computes their elements where they are read. Checks must be outside of the
//! loops, and strides constants. An array that only the construction reads stays, too: `fuse` makes one loop of both.

use super::readers::Readers;
use super::selection::{Definitions, Form, Selection, selections};
use super::without::without;
use base::{Map, Name, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Dim, Exp, FunId, Program, Range, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// How often a function is looked at again, without what the verifier could not follow.
const ATTEMPTS: usize = 4;

/// Makes views of the constructions of a function that only select. `recursive` are the names of its recursive arrays, which
/// may be read in part only.
pub(super) fn select(program: &mut Program, fun: FunId, recursive: &Set<Var>) {
    let mut found = found(program, fun, recursive);
    if found.is_empty() {
        return;
    }
    let original = program.functions[fun].body.clone();
    for _ in 0..ATTEMPTS {
        let mut body = original.clone();
        // What is bound for which array.
        let mut made: Map<Var, Var> = Map::default();
        body.replace_stms(&mut |stm| match stm.vars.first().and_then(|first| found.get(first)) {
            Some(selections) => selected(program, stm, selections, &mut made),
            None => vec![stm],
        });
        program.functions[fun].body = body;
        let Some(broken) = ir::verify::broken(program, fun) else { return };
        program.functions[fun].body = original.clone();
        let broken: Set<Var> = broken.iter().filter_map(|var| made.get(var)).copied().collect();
        found.values_mut().for_each(|all| all.retain(|selection| !broken.contains(&selection.name)));
        found.retain(|_, all| !all.is_empty());
        if broken.is_empty() || found.is_empty() {
            return;
        }
    }
}

/// What the constructions of a function select, by the first variable that each binds.
fn found(program: &Program, fun: FunId, recursive: &Set<Var>) -> Map<Var, Vec<Selection>> {
    let body = &program.functions[fun].body;
    if !has_matrices(program, body) {
        return Map::default();
    }
    let defs = Definitions::of(body);
    let mut found: Map<Var, Vec<Selection>> = Map::default();
    body.walk(&mut |part| {
        let Part::Stm(stm) = part else { return };
        let selections =
            if makes_matrix(program, stm) { selections(program, &defs, recursive, stm) } else { Vec::new() };
        if !selections.is_empty() {
            found.insert(stm.vars[0], selections);
        }
    });
    if !found.is_empty() {
        let readers = Readers::of(program, fun);
        let is_fused = |array: Var, times: usize| {
            readers.uses(array) == times && defs.get(array).is_some_and(|stm| matches!(stm.exp, Exp::Bulk(_)))
        };
        for all in found.values_mut() {
            let own: Vec<Var> = all.iter().map(|selection| selection.array).collect();
            let times = |array: Var| own.iter().filter(|other| **other == array).count();
            all.retain(|one| readers.may_view(program, one) && !is_fused(one.array, times(one.array)));
        }
    }
    found.retain(|_, all| !all.is_empty());
    found
}

fn has_matrices(program: &Program, body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |part| found |= matches!(part, Part::Stm(stm) if makes_matrix(program, stm)));
    found
}

/// Whether a statement constructs an array with several dimensions.
fn makes_matrix(program: &Program, stm: &Stm) -> bool {
    let dims = stm.vars.first().map_or(0, |var| program.ty(*var).dims().len());
    dims > 1 && matches!(stm.exp, Exp::Bulk(_))
}

/// The views in place of a construction, and what is left of it. Notes for which array each is made.
fn selected(program: &mut Program, mut stm: Stm, selections: &[Selection], made: &mut Map<Var, Var>) -> Vec<Stm> {
    let mut out = Vec::new();
    for selection in selections {
        let before = out.len();
        View { program, stm: &stm, selection, made: &mut out }.make();
        made.extend(out[before..].iter().flat_map(|view| &view.vars).map(|var| (*var, selection.name)));
    }
    let names: Vec<Var> = selections.iter().map(|selection| selection.name).collect();
    without(&mut stm, &names);
    if !stm.vars.is_empty() {
        out.push(stm);
    }
    out
}

/// Makes one view.
struct View<'a> {
    program: &'a mut Program,
    /// The construction.
    stm: &'a Stm,
    selection: &'a Selection,
    /// The statements that make it.
    made: &'a mut Vec<Stm>,
}

impl View<'_> {
    fn make(&mut self) {
        let Selection { name, array, certs: _, fixed, axes } = self.selection;
        let dims = self.program.ty(*array).dims().to_vec();
        let order = self.selection.order(dims.len());
        let at: Vec<Atom> = fixed.iter().map(|(_, index)| self.number(index)).collect();
        let mut ranges = Vec::new();
        for axis in axes {
            let start = self.number(&axis.start);
            ranges.push(Range { start, count: axis.count, stride: Atom::size(axis.stride) });
        }
        let dims: Vec<Dim> = order.iter().map(|dim| dims[*dim]).collect();
        let mut current = *array;
        if !order.iter().copied().eq(0..order.len()) {
            current = self.part(current, dims.clone(), Exp::Rearrange(current, order));
        }
        let mut dims = dims[fixed.len()..].to_vec();
        if !at.is_empty() {
            current = self.part(current, dims.clone(), Exp::Index(current, at));
        }
        let is_whole = |(range, dim): (&Range, &Dim)| {
            range.start == Atom::size(0) && range.stride == Atom::size(1) && Dim::Size(range.count) == *dim
        };
        if !ranges.iter().zip(&dims).all(is_whole) {
            ranges.iter().zip(&mut dims).for_each(|(range, dim)| *dim = Dim::Size(range.count));
            current = self.part(current, dims, Exp::Slice(current, ranges));
        }
        match self.made.last_mut() {
            Some(last) if last.vars == [current] => last.vars = vec![*name],
            _ => self.push(*name, Exp::Atom(current.into())),
        }
    }

    /// A part of an array.
    fn part(&mut self, of: Var, dims: Vec<Dim>, exp: Exp) -> Var {
        let info = self.program.vars[of].clone();
        let Type::Array(prim, _) = info.ty else { base::bug!("a part of what is no array") };
        let part = self.program.vars.push(VarInfo { ty: Type::Array(prim, dims), ..info });
        self.push(part, exp);
        part
    }

    fn push(&mut self, var: Var, exp: Exp) {
        let stm = Stm { vars: vec![var], certs: self.stm.certs.clone(), exp, span: self.stm.span };
        self.made.push(stm.relying_on(&self.selection.certs));
    }

    /// The value of a sum.
    fn number(&mut self, form: &Form) -> Atom {
        let mut sum = Atom::size(0);
        for (var, factor) in form.terms() {
            let term = self.operation(BinOp::Mul, Atom::Var(*var), Atom::size(*factor));
            sum = self.operation(BinOp::Add, sum, term);
        }
        match form.constant_part() {
            constant if constant < 0 && constant != i64::MIN => self.operation(BinOp::Sub, sum, Atom::size(-constant)),
            constant => self.operation(BinOp::Add, sum, Atom::size(constant)),
        }
    }

    fn operation(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        let exp = Exp::Bin(op, Prim::I64, a, b);
        if let Some(atom) = exp.known() {
            return atom;
        }
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::I64));
        self.made.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.stm.span });
        var.into()
    }
}
