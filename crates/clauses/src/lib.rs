//! Pass `clauses`: what certainly goes wrong in arrays defined by clauses with constant bounds.
//!
//! ```text
//! let rec a = array [6] { [i] => a[5 - i] for i < 6 } in a      error: the element `a[0]` depends on itself
//! ```
//!
//! The pass walks every expression and remembers the locals whose value is known (`eval`, `value`). It describes each
//! `array`, `update` and `accum` as loop nests with affine guards and subscripts (`nest`, `source`) and reads of the
//! recursive arrays (`reads`). [`affine::clauses`] finds the faults of these nests. Only what fails on every run is
//! reported (`report`); the rest is checked at run time.

mod eval;
mod nest;
mod reads;
mod report;
mod source;
mod steps;
mod value;

use affine::clauses::{ArrayClauses, Construct, OPEN, certain_faults, is_small};
use base::Diagnostic;
use eval::Eval;
use nest::{Described, describe, describe_value};
use reads::Target;
use report::{Reported, Reporter};
use typed::{Body, Clause, DefId, Dim, Expr, ExprKind, LocalId, Program, Size, Type};

/// Steps of evaluation for one value outside of clauses.
const BUDGET: u32 = 1000;

/// Reports certain collisions, gaps, cycles and out-of-range subscripts of a group of definitions.
pub fn run(program: &Program, defs: &[DefId], diagnostics: &mut Vec<Diagnostic>) {
    for def in defs {
        if let Body::Expr(body) = &program.defs[*def].body {
            let mut pass = Pass { eval: Eval::new(program), diagnostics };
            pass.expr(body);
        }
    }
}

struct Pass<'a, 'd> {
    eval: Eval<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Pass<'a, '_> {
    fn expr(&mut self, expr: &'a Expr) {
        self.eval.budget = BUDGET;
        match &*expr.kind {
            ExprKind::Let { sizes: _, pat, value, body } => {
                self.expr(value);
                self.eval.budget = BUDGET;
                let value = self.eval.expr(value);
                self.eval.bind(pat, value.as_ref());
                return self.expr(body);
            }
            ExprKind::If { cond, then, otherwise } => {
                let known = self.eval.bool(cond);
                self.expr(cond);
                // A branch that is never taken may do what it likes.
                if known != Some(false) {
                    self.expr(then);
                }
                if known != Some(true) {
                    self.expr(otherwise);
                }
                return;
            }
            ExprKind::LetRec { arrays, body } => {
                arrays.iter().for_each(|a| self.diagnostics.extend(steps::check(&mut self.eval, &a.value)));
                self.arrays(arrays.iter().map(|a| (&a.value, Some(a.name))).collect());
                arrays.iter().for_each(|a| self.children(&a.value));
                return self.expr(body);
            }
            ExprKind::ArrayBy { .. } | ExprKind::Update { .. } | ExprKind::Accum { .. } => {
                self.diagnostics.extend(steps::check(&mut self.eval, expr));
                self.arrays(vec![(expr, None)]);
            }
            ExprKind::Comprehension { .. } => self.diagnostics.extend(steps::check(&mut self.eval, expr)),
            _ => {}
        }
        self.children(expr);
    }

    fn children(&mut self, expr: &'a Expr) {
        expr.for_each_child(&mut |child| self.expr(child));
    }

    /// Arrays that are defined together, with their names if they are recursive.
    fn arrays(&mut self, arrays: Vec<(&'a Expr, Option<LocalId>)>) {
        let outside = self.eval.env.clone();
        let subjects: Vec<Subject> = arrays.into_iter().filter_map(|(e, name)| self.subject(e, name)).collect();
        let targets: Vec<Target> =
            subjects.iter().filter_map(|s| Some(Target { name: s.name?, shape: s.shape.clone() })).collect();
        let nests: Vec<Vec<Described>> = subjects.iter().map(|s| self.nests(s, &targets)).collect();
        // The names of the clauses are not in scope outside.
        self.eval.env = outside;
        let described = subjects.iter().zip(&nests).map(|(subject, nests)| subject.described(nests));
        let faults = certain_faults(&described.collect::<Vec<_>>());
        let reported = |(subject, nests)| {
            let Subject { expr, name, construct, shape, .. } = subject;
            Reported { construct, name, shape, nests, span: expr.span }
        };
        let arrays = subjects.into_iter().zip(nests).map(reported).collect();
        self.diagnostics.extend(Reporter::new(self.eval.program, arrays).all(&faults));
    }

    /// What is known of one array before its clauses are looked at; `None` if its rank is not known.
    fn subject(&mut self, expr: &'a Expr, name: Option<LocalId>) -> Option<Subject<'a>> {
        let (construct, clauses, otherwise, shape) = match &*expr.kind {
            ExprKind::ArrayBy { shape, clauses, otherwise } => {
                (Construct::Array, clauses, otherwise.as_ref(), self.shape(shape)?)
            }
            ExprKind::Accum { shape, clauses, .. } => (Construct::Accum, clauses, None, self.shape(shape)?),
            ExprKind::Update { array, clauses } => {
                let mut shape = type_extents(&array.ty)?;
                // Fewer subscripts replace subarrays.
                shape.truncate(self.subscripts(clauses)?);
                (Construct::Update, clauses, None, shape)
            }
            _ => return None,
        };
        Some(Subject { expr, name, construct, clauses, otherwise, shape })
    }

    fn shape(&mut self, shape: &'a Expr) -> Option<Vec<i64>> {
        let extents = self.eval.expr(shape)?.forms()?;
        Some(extents.into_iter().map(|form| form.and_then(|f| f.as_constant()).unwrap_or(OPEN)).collect())
    }

    /// The number of subscripts, if all clauses have as many.
    fn subscripts(&mut self, clauses: &'a [Clause]) -> Option<usize> {
        let nests = describe(&mut self.eval, clauses, &[], false);
        let mut counts = nests.iter().map(|d| d.nest.subscript.len());
        let count = counts.next()?;
        counts.all(|c| c == count).then_some(count)
    }

    /// The nests of the clauses, then one for `else`.
    fn nests(&mut self, subject: &Subject<'a>, targets: &[Target]) -> Vec<Described> {
        let mut nests = describe(&mut self.eval, subject.clauses, targets, is_small(&subject.shape));
        let source = nests.len();
        nests.extend(subject.otherwise.map(|value| describe_value(&mut self.eval, value, source, targets)));
        nests
    }
}

/// One array.
struct Subject<'a> {
    expr: &'a Expr,
    name: Option<LocalId>,
    construct: Construct,
    clauses: &'a [Clause],
    otherwise: Option<&'a Expr>,
    shape: Vec<i64>,
}

impl Subject<'_> {
    fn described(&self, nests: &[Described]) -> ArrayClauses {
        let mut clauses: Vec<_> = nests.iter().map(|d| d.nest.clone()).collect();
        let otherwise = self.otherwise.and_then(|_| clauses.pop());
        ArrayClauses { construct: self.construct, shape: self.shape.clone(), clauses, otherwise }
    }
}

/// The constant extents of an array type; `None` if its rank is open.
fn type_extents(ty: &Type) -> Option<Vec<i64>> {
    let mut out = Vec::new();
    let mut ty = ty;
    while let Type::Array(dim, elem) = ty {
        out.push(match dim {
            Dim::Size(Size::Const(n)) => *n,
            Dim::Size(Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) | Dim::Jagged(_) => OPEN,
            Dim::Shape(_) => return None,
        });
        ty = elem;
    }
    Some(out)
}
