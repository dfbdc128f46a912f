//! A running combination of rows becomes one of the elements in each column (thesis, section 8.3: interchange a scan with
//! inner maps).
//!
//! ```text
//! let xs: [n][m]f64 = bulk {                         let ts: [m][n]f64 = bulk {
//!   out gen [n] of (x: [m]f64)                         out gen [m] of (t: [n]f64)
//!   for i < n {                                        for j < m {
//!     scan (s: [m]f64) from (zeros) by (a, b) {          let zero: f64 = zeros[j]
//!       .. map2 (+) a b                         =>       emit [j] {
//!     } of { => as[i] }                                    let t: [n]f64 = bulk { for i < n {
//!     emit [i] => s                                          scan (s: f64) from (zero) by (+) of { => as[i, j] }
//!   }                                                        emit [i] => s
//! }                                                        } }
//!                                                          => t
//!                                                    } } }
//! let x: f64 = xs[k, l]                              let x: f64 = ts[l, k]
//! ```
//!
//! Rows of any number of dimensions become as many loops (figure 36). The loops over columns run in parallel, and what reads
//! the columns can be fused with them. So this is done only where all that is read are columns (`columns.rs`): a scan of rows
//! by itself reads and writes memory in order, which is faster, and the maps of its rows can take its memory.

use super::columns;
use super::element_wise::{element_wise, is_regular, scalar};
use base::{Map, Name, Set, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Program, Region, Scan, Step, Stm, Type};
use ir::{Var, VarInfo};

/// Interchanges the running combinations of a function; says whether there were some.
pub(super) fn interchange(program: &mut Program, body: &mut Block) -> bool {
    if !has_scans_of_rows(program, body) {
        return false;
    }
    let read = columns::only_columns(program, body);
    let mut columns: Map<Var, Var> = Map::default();
    body.replace_stms(&mut |stm| match Running::of(program, &stm, &read) {
        Some(running) => {
            let whole = running.by_columns(program, &stm);
            columns.extend(stm.vars.iter().copied().zip(whole.vars.iter().copied()));
            vec![whole]
        }
        None => vec![stm],
    });
    body.for_each_stm_mut(&mut |stm| {
        if let Exp::Index(array, at) = &mut stm.exp
            && let Some(whole) = columns.get(array)
        {
            *array = *whole;
            at.rotate_left(1);
        }
    });
    !columns.is_empty()
}

fn has_scans_of_rows(program: &Program, body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) = part {
            let scans = analysis::emits::scans(&bulk.steps);
            found |= scans.iter().any(|scan| scan.vars.iter().all(|var| program.ty(*var).is_array()));
        }
    });
    found
}

/// A form that only stores the running combination of rows.
struct Running {
    index: Var,
    count: Atom,
    /// What each turn binds before.
    lets: Vec<Step>,
    scan: Scan,
    /// The loops over one row, and the operator on its elements.
    loops: Vec<(Var, Atom)>,
    op: Region,
    /// The element of each component of a turn's value.
    value: Block,
}

impl Running {
    fn of(program: &mut Program, stm: &Stm, read: &Set<Var>) -> Option<Running> {
        let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
        let ([output], [Step::For { var, count, body, .. }]) = (&outputs[..], &steps[..]) else { return None };
        let (Step::Emit(emit), before) = body.split_last()? else { return None };
        let (Step::Scan(scan), lets) = before.split_last()? else { return None };
        let all: Vec<Atom> = scan.vars.iter().map(|var| Atom::Var(*var)).collect();
        let stored = emit.value.stms.is_empty() && emit.value.result == all && emit.at == [Atom::Var(*var)];
        let plain = lets.iter().all(|step| matches!(step, Step::Let(stm) if stm.exp.is_simple()));
        let fits = stored && plain && is_array(output, *count) && stm.vars.iter().all(|var| read.contains(var));
        fits.then_some(())?;
        let (loops, op) = element_wise(program, &scan.op)?;
        let indices: Vec<Atom> = loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
        let value = elements(program, scan, &indices)?;
        Some(Running { index: *var, count: *count, lets: lets.to_vec(), scan: scan.clone(), loops, op, value })
    }

    fn by_columns(self, program: &mut Program, stm: &Stm) -> Stm {
        let span = stm.span;
        let prims: Vec<Type> = self.scan.vars.iter().map(|var| scalar(program, *var)).collect();
        let outer: Vec<Dim> = self.loops.iter().map(|(_, count)| Dim::Size(*count)).collect();
        let column = |ty: &Type, outer: &[Dim]| {
            let dims = outer.iter().copied().chain([Dim::Size(self.count)]).collect();
            ty.prim().map_or_else(|| base::bug!("a row has no elements"), |prim| Type::array(prim, dims))
        };
        let mut new = |name: &str, ty: Type| program.vars.push(VarInfo::new(Name::new(name), ty));
        let wholes: Vec<Var> = prims.iter().map(|ty| new("xs", column(ty, &outer))).collect();
        let elems: Vec<Var> = prims.iter().map(|ty| new("x", column(ty, &[]))).collect();
        let mut stms = self.neutral(program, &prims, span);
        let neutral = stms.iter().flat_map(|stm| &stm.vars).map(|var| Atom::Var(*var)).collect();
        let inner = self.column(program, &prims, neutral, stm);
        let result = inner.vars.iter().map(|var| Atom::Var(*var)).collect();
        stms.push(inner);
        let value = Block { stms, result };
        let at = self.loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
        let emit = Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span });
        let nest = self.loops.iter().rev().fold(vec![emit], |body, (var, count)| {
            vec![Step::For { var: *var, count: *count, mark: Mark::Open, body }]
        });
        let outputs = vec![Output { kind: array(outer), sizes: Vec::new(), elems }];
        let exp = Exp::Bulk(Bulk { outputs, steps: nest, scheduled: false });
        Stm { vars: wholes, certs: stm.certs.clone(), exp, span }
    }

    /// Reads the neutral elements of a column.
    fn neutral(&self, program: &mut Program, prims: &[Type], span: Span) -> Vec<Stm> {
        let at: Vec<Atom> = self.loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
        let rows = self.scan.neutral.iter().filter_map(|atom| atom.var());
        let read = |(row, ty): (Var, &Type)| {
            let var = program.vars.push(VarInfo::new(Name::new("neutral"), ty.clone()));
            Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Index(row, at.clone()), span }
        };
        rows.zip(prims).map(read).collect()
    }

    /// The statement that makes a column.
    fn column(&self, program: &mut Program, prims: &[Type], neutral: Vec<Atom>, stm: &Stm) -> Stm {
        let (span, certs) = (stm.span, stm.certs.clone());
        let mut new = |name: &str, ty: Type| program.vars.push(VarInfo::new(Name::new(name), ty));
        let vars: Vec<Var> = prims.iter().map(|ty| new("s", ty.clone())).collect();
        let elems: Vec<Var> = prims.iter().map(|ty| new("x", ty.clone())).collect();
        let dims = vec![Dim::Size(self.count)];
        let columns: Vec<Var> = prims
            .iter()
            .filter_map(|ty| ty.prim())
            .map(|prim| new("column", Type::array(prim, dims.clone())))
            .collect();
        let result = vars.iter().map(|var| Atom::Var(*var)).collect();
        let scan = Scan { vars, neutral, op: self.op.clone(), value: self.value.clone(), ..self.scan.clone() };
        let value = Block { stms: Vec::new(), result };
        let emit = Emit { output: 0, at: vec![self.index.into()], certs: Vec::new(), value, span };
        let body = self.lets.iter().cloned().chain([Step::Scan(scan), Step::Emit(emit)]).collect();
        let steps = vec![Step::For { var: self.index, count: self.count, mark: Mark::Open, body }];
        let outputs = vec![Output { kind: array(dims), sizes: Vec::new(), elems }];
        Stm { vars: columns, certs, exp: Exp::Bulk(Bulk { outputs, steps, scheduled: false }), span }
    }
}

fn array(shape: Vec<Dim>) -> Kind {
    Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() }
}

/// Whether an output is a new array with a value for each turn of a loop.
fn is_array(output: &Output, count: Atom) -> bool {
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return false };
    rec.is_empty() && output.sizes.is_empty() && shape[..] == [Dim::Size(count)]
}

/// The element of a turn's value at these indices of the row.
fn elements(program: &mut Program, scan: &Scan, indices: &[Atom]) -> Option<Block> {
    let neutral = scan.neutral.iter().filter_map(|atom| atom.var()).filter(|row| is_regular(program, *row)).count();
    (neutral == scan.neutral.len()).then_some(())?;
    let (mut stms, mut result) = (Vec::new(), Vec::new());
    for stm in &scan.value.stms {
        let is_row = stm.vars.iter().any(|var| scan.value.result.contains(&Atom::Var(*var)));
        match &stm.exp {
            _ if is_row => {}
            exp if exp.is_simple() => stms.push(stm.clone()),
            _ => return None,
        }
    }
    for (row, component) in scan.value.result.iter().zip(&scan.vars) {
        let row = row.var()?;
        let mut read = match scan.value.stms.iter().find(|stm| stm.vars.contains(&row)) {
            Some(stm) => stm.clone(),
            None => Stm { vars: vec![row], certs: Vec::new(), exp: Exp::Index(row, Vec::new()), span: scan.span },
        };
        let Exp::Index(array, at) = &mut read.exp else { return None };
        is_regular(program, *array).then_some(())?;
        at.extend(indices);
        let ty = scalar(program, *component);
        read.vars = vec![program.vars.push(VarInfo::new(Name::new("x"), ty))];
        result.extend(read.vars.iter().map(|var| Atom::Var(*var)));
        stms.push(read);
    }
    Some(Block { stms, result })
}
