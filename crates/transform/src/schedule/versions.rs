//! Forms with long loops inside: which loops should run on threads is known only at run time.
//!
//! ```text
//! let s = bulk { .. for i < n {               let few = n < 64
//!   let r = bulk { .. for j < m { .. } }      let long = m >= 8192
//!   emit [i] => r                       ==>   let inner = few && long
//! } }                                         let s = choose inner { .. i in order, j on threads .. }
//!                                                            else  { .. i on threads, j in order .. }
//! ```

use analysis::{cost, ways};
use base::{Name, Set, Span};
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Type, Var, VarInfo, nest};
use scalar::{BinOp, Prim};

/// A form with fewer turns than this leaves threads without work.
const FEW: i64 = 64;
/// A loop with at least this many turns is work for all threads.
const LONG: i64 = 8192;
/// The largest form, in statements, of which there are two versions.
const LARGEST: usize = 100;

/// What decides between the versions of a form.
pub(super) struct Versions {
    /// The counts of the loops that run as one.
    outer: Vec<Atom>,
    /// That of a loop inside.
    inner: Atom,
}

impl Versions {
    /// Those of a statement, if it should have two.
    pub fn of(program: &Program, stm: &Stm) -> Option<Versions> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let step = bulk.steps.last().filter(|_| bulk.outputs.iter().all(|output| is_plain(program, output)))?;
        let mut levels = nest::levels(step);
        levels.truncate(ways::loops(bulk, step, true));
        let body = levels.last()?.body;
        let outer: Vec<Atom> = levels.iter().map(|level| level.count).collect();
        let many = |count: &Atom| count.as_size().is_some_and(|count| count >= FEW);
        if outer.iter().any(many) || cost::statements(stm) > LARGEST {
            return None;
        }
        let bound: Set<Var> = Block { stms: vec![stm.clone()], result: Vec::new() }.bound().into_iter().collect();
        if outer.iter().any(|count| count.var().is_some_and(|var| bound.contains(&var))) {
            return None;
        }
        // Nothing is both few and many.
        let inner = long_loop(program, body, &bound).filter(|inner| !outer.contains(inner))?;
        Some(Versions { outer, inner })
    }

    /// Statements that find out whether loops inside should run on threads, and the variable that says so.
    pub fn condition(&self, program: &mut Program, span: Span) -> (Vec<Stm>, Atom) {
        let mut stms = Vec::new();
        let mut bind = |name: &str, ty: Type, exp: Exp| {
            let var = program.vars.push(VarInfo::new(Name::new(name), ty));
            stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
            Atom::Var(var)
        };
        let bin = |op, prim, a, b| Exp::Bin(op, prim, a, b);
        let mut points = self.outer[0];
        for count in &self.outer[1..] {
            points = bind("points", Type::I64, bin(BinOp::Mul, Prim::I64, points, *count));
        }
        let few = bind("few", Type::Scalar(Prim::Bool), bin(BinOp::Lt, Prim::I64, points, Atom::size(FEW)));
        let long = bind("long", Type::Scalar(Prim::Bool), bin(BinOp::Ge, Prim::I64, self.inner, Atom::size(LONG)));
        let inner = bind("inner", Type::Scalar(Prim::Bool), bin(BinOp::LogAnd, Prim::Bool, few, long));
        (stms, inner)
    }
}

/// Whether an output is a number or an array of a shape that is known before.
fn is_plain(program: &Program, output: &Output) -> bool {
    let regular = |elem: &Var| program.ty(*elem).dims().iter().all(|dim| matches!(dim, Dim::Size(_)));
    match &output.kind {
        Kind::Gen { coverage, rec, .. } => *coverage == Coverage::Exact && rec.is_empty() && output.sizes.is_empty(),
        Kind::Reduce { .. } => output.elems.iter().all(regular),
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => false,
    }
}

/// The count, known outside, of a loop that could run on threads.
fn long_loop(program: &Program, steps: &[Step], bound: &Set<Var>) -> Option<Atom> {
    steps.iter().find_map(|step| match step {
        Step::Let(stm) => long_form(program, stm, bound),
        Step::Emit(emit) => emit.value.stms.iter().find_map(|stm| long_form(program, stm, bound)),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) => None,
    })
}

fn long_form(program: &Program, stm: &Stm, bound: &Set<Var>) -> Option<Atom> {
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let Step::For { count, .. } = bulk.steps.last()? else { return None };
    let known = match count {
        Atom::Var(var) => !bound.contains(var),
        Atom::Const(_) => count.as_size().is_some_and(|count| count >= LONG),
    };
    (known && is_parallel(program, bulk)).then_some(*count)
}

fn is_parallel(program: &Program, bulk: &Bulk) -> bool {
    ways::way(program, bulk, true).is_parallel()
}
