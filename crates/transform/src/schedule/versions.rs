//! Forms with long loops inside: which loops should run on threads is known only at run time.
//!
//! ```text
//! let s = bulk { .. for i < n {               let few = n < 64
//!   let r = bulk { .. for j < m { .. } }      let long = m >= 8192
//!   emit [i] => r                       ==>   let inner = few && long
//! } }                                         let s = choose inner { .. i in order, j on threads .. }
//!                                                            else  { .. i on threads, j in order .. }
//! ```
//!
//! Rows of different lengths are long if they have so many elements on average. Where the loop inside belongs to the form itself, because
//! it stores an element in each turn, its turns run on threads and those around it in order.

use analysis::cost;
use analysis::ways::{self, Way};
use base::{Map, Name, Set, Span};
use ir::nest::{self, Level};
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Type, Var, VarInfo};
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
    inner: Length,
    /// Whether this loop is directly inside of the others, and stores elements.
    is_own: bool,
}

/// How many turns a loop has.
#[derive(Clone)]
enum Length {
    /// So many.
    Count(Atom),
    /// As many as a row of such an array has elements.
    Row(Vec<Dim>),
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
        let is_other = |length: &Length| !matches!(length, Length::Count(count) if outer.contains(count));
        let lengths = Lengths { bound: &bound, rows: rows(program, &levels, &bound) };
        let own = lengths.own_loop(program, bulk, body);
        let is_own = own.is_some();
        let inner = own.or_else(|| lengths.long_loop(program, body)).filter(is_other)?;
        Some(Versions { outer, inner, is_own })
    }

    /// How many loops are around the one that should run on threads, if that is one of the form itself.
    pub fn loops_around(&self) -> Option<usize> {
        self.is_own.then_some(self.outer.len())
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
        let (length, least) = match &self.inner {
            Length::Count(count) => (*count, Atom::size(LONG)),
            Length::Row(dims) => {
                let elements = bind("elements", Type::I64, Exp::Total(dims.clone()));
                (elements, bind("least", Type::I64, bin(BinOp::Mul, Prim::I64, points, Atom::size(LONG))))
            }
        };
        let long = bind("long", Type::Scalar(Prim::Bool), bin(BinOp::Ge, Prim::I64, length, least));
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

/// The rows whose lengths names stand for: those that the loops of a nest go through.
fn rows(program: &Program, levels: &[Level<'_>], bound: &Set<Var>) -> Map<Var, Vec<Dim>> {
    let outer: Vec<Dim> = levels.iter().map(|level| Dim::Size(level.count)).collect();
    let here: Vec<Atom> = levels.iter().map(|level| Atom::Var(level.var)).collect();
    let mut found = Map::default();
    let mut note = |stm: &Stm| {
        if let Exp::DescLength(d, at) = &stm.exp
            && *at == here
            && !bound.contains(d)
            && matches!(program.ty(*d), Type::Desc(dims) if *dims == outer)
        {
            found.insert(stm.vars[0], outer.iter().copied().chain([Dim::Jagged(*d)]).collect());
        }
    };
    for step in levels.last().map_or(&[][..], |level| level.body) {
        match step {
            Step::Let(stm) => note(stm),
            Step::Emit(emit) => emit.value.stms.iter().for_each(&mut note),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) => {}
        }
    }
    found
}

/// What is known of the numbers of turns of loops inside.
struct Lengths<'a> {
    /// What the form binds.
    bound: &'a Set<Var>,
    /// Lengths of rows.
    rows: Map<Var, Vec<Dim>>,
}

impl Lengths<'_> {
    /// The length of a row, if the loop over it is directly inside of the loops of a form, and each of its turns stores an element.
    fn own_loop(&self, program: &Program, bulk: &Bulk, steps: &[Step]) -> Option<Length> {
        let (Step::For { count: Atom::Var(count), .. }, before) = steps.split_last()? else { return None };
        let stores = |output: &Output| matches!(output.kind, Kind::Gen { .. });
        let fits = before.iter().all(|step| matches!(step, Step::Let(_)))
            && bulk.outputs.iter().all(stores)
            && ways::way(program, bulk, true) == Way::Places;
        self.rows.get(count).filter(|_| fits).cloned().map(Length::Row)
    }

    /// That of a loop inside that could run on threads, as far as it is known outside.
    fn long_loop(&self, program: &Program, steps: &[Step]) -> Option<Length> {
        steps.iter().find_map(|step| match step {
            Step::Let(stm) => self.long_form(program, stm),
            Step::Emit(emit) => emit.value.stms.iter().find_map(|stm| self.long_form(program, stm)),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) => None,
        })
    }

    fn long_form(&self, program: &Program, stm: &Stm) -> Option<Length> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let Step::For { count, .. } = bulk.steps.last()? else { return None };
        let length = match count {
            // Two versions make checks twice as much text, and sparse matrices have many short rows.
            Atom::Var(var) if self.bound.contains(var) => {
                self.rows.get(var).filter(|_| !stm.can_fail()).cloned().map(Length::Row)
            }
            Atom::Var(_) => Some(Length::Count(*count)),
            Atom::Const(_) => count.as_size().filter(|count| *count >= LONG).map(|_| Length::Count(*count)),
        };
        length.filter(|_| ways::way(program, bulk, true).is_parallel())
    }
}
