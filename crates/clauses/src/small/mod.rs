//! Small arrays, instance by instance.
//!
//! Where bounds are constant and the array is small, every instance of every clause is listed (`instances`), with
//! subscripts, bounds and guards computed (`eval`) rather than described: so triangles, guards and subscripts such as
//! `i / 2` are no riddle. What a value reads of the recursive arrays is computed likewise (`demand`). The same table of
//! elements that serves linear subscripts then finds what is wrong ([`affine::clauses::Table`]). Only what is certain is
//! reported: an unknown condition makes its instance a "maybe", an unknown bound makes the whole clause one.

mod demand;
mod eval;
mod instances;

use super::report::{Construct, Described, Reporter};
use super::value::Values;
use affine::clauses::{Fault, Instance, Link, Listed, Step, Table, cycle, is_small};
use base::{Diagnostic, Span};
use demand::{Demands, Outside, Target};
use eval::Eval;
use instances::Instances;
use typed::{Clause, Expr, ExprKind, LocalId};

/// Steps of evaluation for one array or group.
const BUDGET: u32 = 3_000_000;

/// An array, or one of a recursive group, with its extents where those are known.
pub(super) struct Subject<'a> {
    pub expr: &'a Expr,
    pub name: Option<LocalId>,
    pub shape: Option<Vec<i64>>,
}

/// What certainly goes wrong with these arrays, which (if named) see one another.
pub(super) fn faults<'a>(values: &Values<'a>, subjects: &[Subject<'a>]) -> Vec<Diagnostic> {
    let mut eval = Eval::new(values, BUDGET);
    let small = |s: &Subject| s.shape.clone().filter(|shape| is_small(shape));
    let targets: Vec<Target> =
        subjects.iter().filter_map(|s| Some(Target { name: s.name?, shape: small(s) })).collect();
    let arrays: Vec<Option<Array>> =
        subjects.iter().map(|s| Array::of(&mut eval, s.expr, small(s)?, &targets)).collect();
    let mut out = Vec::new();
    for (subject, array) in subjects.iter().zip(&arrays) {
        out.extend(array.iter().flat_map(|array| array.report(values, subject, &targets)));
    }
    if out.is_empty() && !targets.is_empty() {
        out.extend(cycle_of_group(values, &arrays, &targets));
    }
    out
}

/// One array, looked at.
struct Array {
    construct: Construct,
    has_else: bool,
    table: Table,
    clauses: Vec<Described>,
    /// The instance that stands for `else`, if some element is certainly its own.
    otherwise: Option<Listed>,
    /// The first read that certainly leaves the array it reads.
    outside: Option<(Instance, Outside)>,
}

impl Array {
    fn of<'a>(eval: &mut Eval<'a>, expr: &'a Expr, shape: Vec<i64>, targets: &[Target]) -> Option<Array> {
        let (construct, clauses, otherwise): (Construct, &'a [Clause], Option<&'a Expr>) = match &*expr.kind {
            ExprKind::ArrayBy { shape: _, clauses, otherwise } => (Construct::Array, clauses, otherwise.as_ref()),
            ExprKind::Update { array: _, clauses } => (Construct::Update, clauses, None),
            ExprKind::Accum { clauses, .. } => (Construct::Accum, clauses, None),
            _ => return None,
        };
        let mut reads = |eval: &mut Eval<'a>, value: &'a Expr, places: &mut Vec<Span>| {
            demand::demands(eval, value, targets, places)
        };
        let Instances { clauses, list, outside, vague } = instances::list(eval, clauses, shape.len(), &mut reads)?;
        let size = shape.iter().product::<i64>() as usize;
        let table = Table::new(shape, list, vague)?;
        let mut array = Array { construct, has_else: otherwise.is_some(), table, clauses, otherwise: None, outside };
        if let Some(value) = otherwise.filter(|_| (0..size).any(|at| array.table.is_undefined(at))) {
            array.add_else(eval, value, targets);
        }
        Some(array)
    }

    fn add_else<'a>(&mut self, eval: &mut Eval<'a>, value: &'a Expr, targets: &[Target]) {
        let mut places = Vec::new();
        let Demands { elements, outside } = demand::demands(eval, value, targets, &mut places);
        self.clauses.push(Described { span: value.span, vars: Vec::new(), reads: places });
        let instance = Instance { clause: self.clauses.len() - 1, iteration: Vec::new() };
        self.outside = self.outside.take().or_else(|| Some((instance.clone(), outside?)));
        self.otherwise = Some(Listed { instance, element: Vec::new(), certain: true, reads: elements });
    }

    fn report(&self, values: &Values, subject: &Subject, targets: &[Target]) -> Vec<Diagnostic> {
        let shape: Vec<Option<i64>> = self.table.shape().iter().copied().map(Some).collect();
        let names: Vec<LocalId> = subject.name.into_iter().collect();
        let reporter = self.reporter(values, &names);
        let is_array = self.construct == Construct::Array;
        let mut faults = self.table.writes_outside();
        if is_array {
            faults.extend(self.table.collisions());
            faults.extend(self.table.gap().filter(|_| !self.has_else));
        }
        let show = |fault: &Fault| reporter.fault(fault, &shape, subject.expr.span, is_array);
        let mut out: Vec<Diagnostic> = faults.iter().filter_map(show).collect();
        if out.is_empty() && !(self.construct == Construct::Update && self.table.is_overlapping()) {
            out.extend(self.read_outside(values, targets));
        }
        out
    }

    fn reporter<'r>(&'r self, values: &Values<'r>, names: &'r [LocalId]) -> Reporter<'r> {
        Reporter { program: values.program, clauses: self.clauses.iter().collect(), names }
    }

    fn read_outside(&self, values: &Values, targets: &[Target]) -> Option<Diagnostic> {
        let (instance, Outside { read, array, dimension, index }) = self.outside.clone()?;
        let target = targets.get(array)?;
        let shape: Vec<Option<i64>> = target.shape.as_ref()?.iter().copied().map(Some).collect();
        let span = self.clauses[instance.clause].span;
        let fault = Fault::ReadOutside { instance, read, dimension, index };
        self.reporter(values, &[target.name]).fault(&fault, &shape, span, true)
    }

    /// What certainly defines the element at a position.
    fn defines(&self, position: usize) -> Option<&Listed> {
        // Which value stands for an element of `update` is certain only if there is no other one.
        let certain = match self.construct {
            Construct::Array => true,
            Construct::Update => !self.table.is_overlapping() && self.table.is_exact(),
            Construct::Accum => false,
        };
        match self.table.owner(position) {
            Some(owner) => certain.then_some(owner),
            None => self.otherwise.as_ref().filter(|_| self.table.is_undefined(position)),
        }
    }
}

/// An element that certainly needs itself, through any arrays of the group.
fn cycle_of_group(values: &Values, arrays: &[Option<Array>], targets: &[Target]) -> Option<Diagnostic> {
    let tables: Vec<Option<&Table>> = arrays.iter().map(|array| array.as_ref().map(|a| &a.table)).collect();
    let steps = cycle(&tables, &|array, position| arrays[array].as_ref()?.defines(position))?;
    // The clauses of all arrays, one after the other.
    let mut clauses: Vec<&Described> = Vec::new();
    let mut first = Vec::new();
    for array in arrays {
        first.push(clauses.len());
        clauses.extend(array.iter().flat_map(|a| &a.clauses));
    }
    let link = |Step { array, element, by, read }: Step| {
        let instance = Instance { clause: first[array] + by.instance.clause, ..by.instance.clone() };
        Link { element: [array as i64].into_iter().chain(element).collect(), instance, read }
    };
    let chain: Vec<Link> = steps.into_iter().map(link).collect();
    let names: Vec<LocalId> = targets.iter().map(|t| t.name).collect();
    Reporter { program: values.program, clauses, names: &names }.cycle_of_group(&chain)
}
