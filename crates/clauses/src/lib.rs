//! Pass `clauses`: what certainly goes wrong in arrays defined by clauses with constant bounds.
//!
//! Walks every expression, remembers locals whose value is a constant (`value`), and describes each `array`, `update`
//! and `accum` as loop nests with linear subscripts (`nest`) and reads of the recursive arrays (`reads`), which
//! [`affine::clauses`] judges. Where that says nothing and the array is small, its instances are listed one by one
//! (`small`). Only what fails on every run is reported (`report`); the rest is checked at run time.

mod nest;
mod reads;
mod report;
mod small;
mod steps;
mod value;

use affine::Linear;
use affine::clauses::{ArrayClauses, Clause as Nest, Fault, Read, certain_faults};
use base::Diagnostic;
use nest::{Translated, translate};
use report::{Construct, Reporter};
use scalar::Scalar;
use small::Subject;
use typed::{Body, DefId, Dim, Expr, ExprKind, LocalId, Program, RecArray, Size, Type};
use value::{Known, Values};

/// An extent that is not known: larger than any subscript looked at.
const OPEN: i64 = 1 << 61;

/// Reports certain collisions, gaps, cycles and out-of-range subscripts of a group of definitions.
pub fn run(program: &Program, defs: &[DefId], diagnostics: &mut Vec<Diagnostic>) {
    for def in defs {
        if let Body::Expr(body) = &program.defs[*def].body {
            let mut pass = Pass { values: Values::new(program), diagnostics };
            pass.expr(body);
        }
    }
}

struct Pass<'a, 'd> {
    values: Values<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Pass<'a, '_> {
    fn expr(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Let { sizes: _, pat, value, body } => {
                self.expr(value);
                let known = self.values.of(value);
                value::bind(&mut self.values.locals, pat, known);
                return self.expr(body);
            }
            ExprKind::If { cond, then, otherwise } => {
                self.expr(cond);
                // A branch that is never taken may do what it likes.
                match self.values.of(cond) {
                    Some(Known::Scalar(Scalar::Bool(true))) => self.expr(then),
                    Some(Known::Scalar(Scalar::Bool(false))) => self.expr(otherwise),
                    Some(_) | None => {
                        self.expr(then);
                        self.expr(otherwise);
                    }
                }
                return;
            }
            ExprKind::LetRec { arrays, body } => {
                arrays.iter().for_each(|a| self.diagnostics.extend(steps::check(&mut self.values, &a.value)));
                self.group(arrays);
                arrays.iter().for_each(|a| self.children(&a.value));
                return self.expr(body);
            }
            ExprKind::ArrayBy { .. } | ExprKind::Update { .. } | ExprKind::Accum { .. } => {
                self.diagnostics.extend(steps::check(&mut self.values, expr));
                self.single(expr);
            }
            ExprKind::Comprehension { .. } => self.diagnostics.extend(steps::check(&mut self.values, expr)),
            _ => {}
        }
        self.children(expr);
    }

    fn children(&mut self, expr: &'a Expr) {
        let mut parts = Vec::new();
        expr.for_each_child(&mut |child| parts.push(child));
        parts.into_iter().for_each(|part| self.expr(part));
    }

    /// Recursive arrays: each by itself, then cycles through several of them.
    fn group(&mut self, arrays: &'a [RecArray]) {
        let names: Vec<LocalId> = arrays.iter().map(|a| a.name).collect();
        let mut parts = Vec::new();
        let before = self.diagnostics.len();
        for (i, array) in arrays.iter().enumerate() {
            parts.extend(self.array(&array.value, &names, Some(i)));
        }
        let all_known = parts.len() == arrays.len() && arrays.len() > 1;
        if all_known && self.diagnostics.len() == before {
            self.cycle_through(&parts, &names);
        }
        if self.diagnostics.len() == before {
            let subjects: Vec<Subject> = arrays.iter().map(|a| self.subject(&a.value, Some(a.name))).collect();
            self.diagnostics.extend(small::faults(&self.values, &subjects));
        }
    }

    /// An array that is not recursive.
    fn single(&mut self, expr: &'a Expr) {
        let before = self.diagnostics.len();
        let part = self.array(expr, &[], None);
        let exact = part.is_some_and(|p| p.clauses.iter().all(|c| !c.nest.guarded && is_affine(&c.nest)));
        if !exact && self.diagnostics.len() == before {
            let subject = self.subject(expr, None);
            self.diagnostics.extend(small::faults(&self.values, &[subject]));
        }
    }

    fn subject(&mut self, expr: &'a Expr, name: Option<LocalId>) -> Subject<'a> {
        let translated = match &*expr.kind {
            ExprKind::Update { array: _, clauses } => translate(&mut self.values, clauses, &[]),
            _ => Vec::new(),
        };
        let shape = self.shape(expr, &translated).and_then(|extents| extents.into_iter().collect());
        Subject { expr, name, shape }
    }

    /// One array; `own` is its place in its recursive group. What is known of it goes on to the search for cycles.
    fn array(&mut self, expr: &'a Expr, group: &[LocalId], own: Option<usize>) -> Option<Part> {
        let (form, clauses, has_else) = match &*expr.kind {
            ExprKind::ArrayBy { shape: _, clauses, otherwise } => (Construct::Array, clauses, otherwise.is_some()),
            ExprKind::Update { array: _, clauses } => (Construct::Update, clauses, true),
            ExprKind::Accum { clauses, .. } => (Construct::Accum, clauses, true),
            _ => return None,
        };
        let translated = translate(&mut self.values, clauses, group);
        let shape = self.shape(expr, &translated)?;
        let known: Vec<i64> = shape.iter().map(|extent| extent.unwrap_or(OPEN)).collect();
        let open = shape.iter().any(Option::is_none);
        // Which clause stands for an element of `update` is certain only if no other one can.
        let certain = form != Construct::Update || translated.iter().all(|c| !c.nest.guarded && is_affine(&c.nest));
        let own_reads = |c: &Translated| -> Nest {
            let mut nest = c.nest.clone();
            let reads = nest.reads.into_iter().zip(&c.reads);
            nest.reads = reads.map(|(r, at)| if Some(at.array) == own { r } else { unknown_read() }).collect();
            nest
        };
        let description = ArrayClauses {
            shape: known.clone(),
            clauses: translated.iter().map(own_reads).collect(),
            has_else: has_else || open,
            recursive: own.is_some(),
        };
        let faults = certain_faults(&description);
        let overlapping = faults.iter().any(|f| matches!(f, Fault::Collision { .. }));
        let relevant = |fault: &Fault| match fault {
            Fault::WriteOutside { dimension, index, .. } | Fault::ReadOutside { dimension, index, .. } => {
                *index < 0 || shape[*dimension].is_some()
            }
            Fault::Collision { .. } => form == Construct::Array,
            Fault::Gap { .. } => form == Construct::Array,
            Fault::Cycle { .. } => certain && !(form == Construct::Update && overlapping),
        };
        let names: Vec<LocalId> = own.map(|i| group[i]).into_iter().collect();
        let described = translated.iter().map(|c| &c.described).collect();
        let reporter = Reporter { program: self.values.program, clauses: described, names: &names };
        let found = faults.iter().filter(|f| relevant(f));
        self.diagnostics.extend(found.filter_map(|f| reporter.fault(f, &shape, expr.span, form == Construct::Array)));
        let certain = certain && !(form == Construct::Update && overlapping);
        certain.then_some(Part { shape: known, clauses: translated })
    }

    /// The extents, `None` where unknown; nothing at all if not even their number is known.
    fn shape(&mut self, expr: &'a Expr, clauses: &[Translated]) -> Option<Vec<Option<i64>>> {
        match &*expr.kind {
            ExprKind::ArrayBy { shape, .. } | ExprKind::Accum { shape, .. } => match self.values.of(shape)? {
                Known::Vector(items) => {
                    let extents = items.iter().map(|i| i.as_ref().and_then(Linear::as_constant));
                    Some(extents.collect())
                }
                Known::Int(_) | Known::Scalar(_) => None,
            },
            ExprKind::Update { array, .. } => {
                let mut extents = type_extents(&array.ty)?;
                // Fewer subscripts replace subarrays.
                let mut counts = clauses.iter().map(|c| c.nest.subscript.len());
                let count = counts.next()?;
                extents.truncate(count);
                counts.all(|c| c == count).then_some(extents)
            }
            _ => None,
        }
    }

    /// Several arrays as one with a leading dimension, in which a cycle through several of them is a plain one.
    fn cycle_through(&mut self, parts: &[Part], names: &[LocalId]) {
        let rank = parts.iter().map(|p| p.shape.len()).max().unwrap_or(0);
        let extent = |d: usize| parts.iter().map(|p| p.shape.get(d).copied().unwrap_or(1)).max().unwrap_or(1);
        let shape: Vec<i64> = [parts.len() as i64].into_iter().chain((0..rank).map(extent)).collect();
        let padded = |which: usize, subscript: &affine::clauses::Subscript, own: usize| {
            let mut out = vec![Some(Linear::constant(which as i64))];
            out.extend(subscript.iter().cloned());
            let missing = rank - own.min(rank);
            out.extend(std::iter::repeat_n(Some(Linear::constant(0)), missing));
            out
        };
        let mut nests = Vec::new();
        let mut clauses = Vec::new();
        for (which, part) in parts.iter().enumerate() {
            for clause in &part.clauses {
                let mut nest = clause.nest.clone();
                nest.subscript = padded(which, &nest.subscript, part.shape.len());
                let reads = nest.reads.iter().zip(&clause.reads);
                nest.reads = reads
                    .map(|(read, at)| {
                        let own = parts[at.array].shape.len();
                        let whole = read.subscript.get(..own).map(<[_]>::to_vec);
                        whole.map_or_else(unknown_read, |s| Read { subscript: padded(at.array, &s, own) })
                    })
                    .collect();
                nests.push(nest);
                clauses.push(&clause.described);
            }
        }
        let description = ArrayClauses { shape, clauses: nests, has_else: true, recursive: true };
        let reporter = Reporter { program: self.values.program, clauses, names };
        for fault in certain_faults(&description) {
            if let Fault::Cycle { chain } = &fault {
                self.diagnostics.extend(reporter.cycle_of_group(chain));
            }
        }
    }
}

/// What is known of one array of a recursive group.
struct Part {
    shape: Vec<i64>,
    clauses: Vec<Translated>,
}

/// A read about which nothing is known.
fn unknown_read() -> Read {
    Read { subscript: Vec::new() }
}

fn is_affine(nest: &Nest) -> bool {
    nest.subscript.iter().all(Option::is_some)
}

/// The constant extents of an array type; `None` if its rank is open.
fn type_extents(ty: &Type) -> Option<Vec<Option<i64>>> {
    let mut out = Vec::new();
    let mut ty = ty;
    while let Type::Array(dim, elem) = ty {
        match dim {
            Dim::Size(Size::Const(n)) => out.push(Some(*n)),
            Dim::Size(Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) | Dim::Jagged(_) => {
                out.push(None);
            }
            Dim::Shape(_) => return None,
        }
        ty = elem;
    }
    Some(out)
}
