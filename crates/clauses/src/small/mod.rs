//! Small arrays, instance by instance.
//!
//! Where bounds are constant and the array is small, every instance of every clause is listed (`instances`), with
//! subscripts, bounds and guards computed (`eval`) rather than described: so triangles, guards and subscripts such as
//! `i / 2` are no riddle. What a value reads of the recursive arrays is computed likewise (`demand`). Only what is certain
//! is reported: an unknown condition makes its instance a "maybe", an unknown bound makes the whole clause one.

mod demand;
mod eval;
mod instances;

use super::report::{Construct, Described, Reporter};
use super::value::Values;
use affine::clauses::{Fault, Instance as At, Link};
use base::{Diagnostic, Set};
use demand::Target;
use eval::Eval;
use instances::{Instance, Instances};
use typed::{Clause, Expr, ExprKind, LocalId};

/// Most elements of an array that is looked at in this way.
const MAX_ELEMENTS: i64 = 100_000;
/// Steps of evaluation for one array or group.
const BUDGET: u32 = 3_000_000;

/// An array, or one of a recursive group, with its extents where those are known.
pub(super) struct Subject<'a> {
    pub expr: &'a Expr,
    pub name: Option<LocalId>,
    pub shape: Option<Vec<i64>>,
}

/// One array, looked at.
struct Listed {
    form: Construct,
    has_else: bool,
    /// The instance that stands for `else`, if some element is certainly its own.
    otherwise: Option<Instance>,
    shape: Vec<i64>,
    found: Instances,
    /// The instance that certainly defines each element.
    owner: Vec<Option<usize>>,
    /// Whether certainly no clause defines an element.
    rest: Vec<bool>,
    /// Whether two certain instances define one element.
    overlapping: bool,
}

/// What certainly goes wrong with these arrays, which (if named) see one another.
pub(super) fn faults<'a>(values: &Values<'a>, subjects: &[Subject<'a>]) -> Vec<Diagnostic> {
    let mut eval = Eval::new(values, BUDGET);
    let small = |shape: &Vec<i64>| {
        shape.iter().all(|n| *n >= 0)
            && shape.iter().try_fold(1i64, |total, n| total.checked_mul(*n)).is_some_and(|n| n <= MAX_ELEMENTS)
    };
    let targets: Vec<Target> =
        subjects.iter().filter_map(|s| Some(Target { name: s.name?, shape: s.shape.clone().filter(small) })).collect();
    let listed: Vec<Option<Listed>> =
        subjects.iter().map(|s| Listed::of(&mut eval, s.expr, s.shape.clone().filter(small)?, &targets)).collect();
    let mut out = Vec::new();
    for (subject, listed) in subjects.iter().zip(&listed) {
        if let Some(listed) = listed {
            out.extend(listed.report(values, subject, &targets));
        }
    }
    if out.is_empty() && !targets.is_empty() {
        out.extend(cycle(values, &listed, &targets));
    }
    out
}

impl Listed {
    fn of<'a>(eval: &mut Eval<'a>, expr: &'a Expr, shape: Vec<i64>, targets: &[Target]) -> Option<Listed> {
        let (form, clauses, otherwise): (Construct, &'a [Clause], Option<&'a Expr>) = match &*expr.kind {
            ExprKind::ArrayBy { shape: _, clauses, otherwise } => (Construct::Array, clauses, otherwise.as_ref()),
            ExprKind::Update { array: _, clauses } => (Construct::Update, clauses, None),
            ExprKind::Accum { clauses, .. } => (Construct::Accum, clauses, None),
            _ => return None,
        };
        let mut reads = |eval: &mut Eval<'a>, value: &'a Expr, places: &mut Vec<base::Span>| {
            demand::demands(eval, value, targets, places)
        };
        let found = instances::list(eval, clauses, shape.len(), &mut reads)?;
        let size = usize::try_from(shape.iter().product::<i64>()).ok()?;
        let mut listed = Listed {
            form,
            has_else: otherwise.is_some(),
            otherwise: None,
            owner: vec![None; size],
            rest: Vec::new(),
            overlapping: false,
            shape,
            found,
        };
        for (number, instance) in listed.found.list.iter().enumerate() {
            if instance.certain
                && let Some(at) = position(&listed.shape, &instance.element)
            {
                listed.overlapping |= listed.owner[at].is_some();
                listed.owner[at].get_or_insert(number);
            }
        }
        listed.rest = listed.undefined();
        listed.otherwise = otherwise.filter(|_| listed.rest.contains(&true)).map(|value| {
            let mut places = Vec::new();
            let reads = demand::demands(eval, value, targets, &mut places);
            listed.found.clauses.push(Described { span: value.span, vars: Vec::new(), reads: places });
            let clause = listed.found.clauses.len() - 1;
            Instance { clause, shown: Vec::new(), element: Vec::new(), certain: true, reads }
        });
        Some(listed)
    }

    /// Which elements certainly no clause defines.
    fn undefined(&self) -> Vec<bool> {
        if self.found.vague {
            return vec![false; self.owner.len()];
        }
        let mut masks: Set<Vec<bool>> = Set::default();
        let mut maybe: Set<&[Option<i64>]> = Set::default();
        for instance in &self.found.list {
            if !instance.certain || instance.element.contains(&None) {
                masks.insert(instance.element.iter().map(Option::is_some).collect());
                maybe.insert(&instance.element);
            }
        }
        let hidden = |mask: &[bool], element: &[i64]| -> Vec<Option<i64>> {
            mask.iter().zip(element).map(|(known, i)| known.then_some(*i)).collect()
        };
        let undefined = |at: usize| {
            let element = element(&self.shape, at);
            self.owner[at].is_none() && !masks.iter().any(|m| maybe.contains(hidden(m, &element).as_slice()))
        };
        (0..self.owner.len()).map(undefined).collect()
    }

    fn at(&self, instance: &Instance) -> At {
        At { clause: instance.clause, iteration: instance.shown.clone() }
    }

    fn report(&self, values: &Values, subject: &Subject, targets: &[Target]) -> Vec<Diagnostic> {
        let shape: Vec<Option<i64>> = self.shape.iter().copied().map(Some).collect();
        let names: Vec<LocalId> = subject.name.into_iter().collect();
        let clauses: Vec<&Described> = self.found.clauses.iter().collect();
        let reporter = Reporter { program: values.program, clauses, names: &names };
        let show = |fault: &Fault| reporter.fault(fault, &shape, subject.expr.span, self.form == Construct::Array);
        let mut faults = self.writes_outside();
        if self.form == Construct::Array {
            faults.extend(self.collisions());
            if !self.has_else
                && let Some(at) = self.rest.iter().position(|open| *open)
            {
                faults.push(Fault::Gap { element: element(&self.shape, at) });
            }
        }
        let mut out: Vec<Diagnostic> = faults.iter().filter_map(show).collect();
        if out.is_empty() && (self.form != Construct::Update || !self.overlapping) {
            out.extend(self.read_outside(values, targets));
        }
        out
    }

    /// For each clause, the first instance that certainly defines an element outside.
    fn writes_outside(&self) -> Vec<Fault> {
        let mut seen = Set::default();
        let outside = |instance: &&Instance| -> Option<(usize, i64)> {
            let known = instance.element.iter().zip(&self.shape).enumerate();
            known
                .filter_map(|(d, (i, extent))| Some((d, (*i)?, extent)))
                .find_map(|(d, i, extent)| (!(0..*extent).contains(&i)).then_some((d, i)))
        };
        let certain = self.found.list.iter().filter(|i| i.certain);
        certain
            .filter_map(|instance| {
                let (dimension, index) = outside(&instance)?;
                let first = seen.insert(instance.clause);
                first.then(|| Fault::WriteOutside { instance: self.at(instance), dimension, index })
            })
            .collect()
    }

    /// For each clause, the first element that it defines a second time.
    fn collisions(&self) -> Vec<Fault> {
        let mut seen = Set::default();
        let second = |(number, instance): (usize, &Instance)| {
            let at = position(&self.shape, &instance.element).filter(|_| instance.certain)?;
            let first = self.owner[at].filter(|first| *first != number)?;
            seen.insert(instance.clause).then(|| Fault::Collision {
                element: element(&self.shape, at),
                first: self.at(&self.found.list[first]),
                second: self.at(instance),
            })
        };
        self.found.list.iter().enumerate().filter_map(second).collect()
    }

    /// The first read that certainly leaves the array it reads.
    fn read_outside(&self, values: &Values, targets: &[Target]) -> Option<Diagnostic> {
        let mut certain = self.found.list.iter().filter(|i| i.certain).chain(&self.otherwise);
        let (instance, read, which, dimension, index) = certain.find_map(|i| {
            let (read, which, dimension, index) = i.reads.outside?;
            Some((i, read, which, dimension, index))
        })?;
        let target = targets.get(which)?;
        let shape: Vec<Option<i64>> = target.shape.as_ref()?.iter().copied().map(Some).collect();
        let names = [target.name];
        let clauses = self.found.clauses.iter().collect();
        let reporter = Reporter { program: values.program, clauses, names: &names };
        let fault = Fault::ReadOutside { instance: self.at(instance), read, dimension, index };
        reporter.fault(&fault, &shape, self.found.clauses[instance.clause].span, true)
    }
}

/// An element that certainly needs itself, through any arrays of the group.
fn cycle(values: &Values, listed: &[Option<Listed>], targets: &[Target]) -> Option<Diagnostic> {
    let mut clauses: Vec<Described> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut offsets = Vec::new();
    for (which, listed) in listed.iter().enumerate() {
        offsets.push(nodes.len());
        if let Some(listed) = listed {
            listed.nodes(which, &mut clauses, &mut nodes);
        }
    }
    let known = |(read, array, at): &(usize, usize, usize)| {
        let to = offsets.get(*array)? + at;
        nodes.get(to).filter(|n| n.array == *array && n.instance.is_some()).map(|_| (*read, to))
    };
    let reads: Vec<Vec<(usize, usize)>> = nodes.iter().map(|n| n.reads.iter().filter_map(known).collect()).collect();
    let chain = affine::graph::cycle(&reads)?;
    let link = |(at, read): (usize, usize)| {
        let node = &nodes[at];
        let shape = &listed[node.array].as_ref()?.shape;
        let place = [node.array as i64].into_iter().chain(element(shape, at - offsets[node.array]));
        Some(Link { element: place.collect(), instance: node.instance.clone()?, read })
    };
    let chain: Vec<Link> = chain.into_iter().map(link).collect::<Option<_>>()?;
    let names: Vec<LocalId> = targets.iter().map(|t| t.name).collect();
    let reporter = Reporter { program: values.program, clauses: clauses.iter().collect(), names: &names };
    reporter.cycle_of_group(&chain)
}

/// An element in the graph of reads.
struct Node {
    array: usize,
    /// What certainly defines it.
    instance: Option<At>,
    reads: Vec<(usize, usize, usize)>,
}

impl Listed {
    /// Adds a node for each element, and the clauses that define them.
    fn nodes(&self, array: usize, clauses: &mut Vec<Described>, nodes: &mut Vec<Node>) {
        // Which value stands for an element of `update` is certain only if there is no other one.
        let certain = match self.form {
            Construct::Array => true,
            Construct::Update => {
                let known = |i: &Instance| i.certain && !i.element.contains(&None);
                !self.overlapping && !self.found.vague && self.found.list.iter().all(known)
            }
            Construct::Accum => false,
        };
        let first = clauses.len();
        clauses.extend(self.found.clauses.iter().cloned());
        for (owner, open) in self.owner.iter().zip(&self.rest) {
            let found = match owner {
                Some(owner) => Some(&self.found.list[*owner]).filter(|_| certain),
                None => self.otherwise.as_ref().filter(|_| *open),
            };
            let at = |i: &Instance| At { clause: first + i.clause, iteration: i.shown.clone() };
            let reads = found.map_or_else(Vec::new, |i| i.reads.elements.clone());
            nodes.push(Node { array, instance: found.map(at), reads });
        }
    }
}

/// The row-major position of an element; `None` if it is not known or lies outside.
fn position(shape: &[i64], element: &[Option<i64>]) -> Option<usize> {
    let mut position = 0;
    for (index, extent) in element.iter().zip(shape) {
        position = position * extent + (*index)?;
        if !(0..*extent).contains(&(*index)?) {
            return None;
        }
    }
    usize::try_from(position).ok()
}

fn element(shape: &[i64], position: usize) -> Vec<i64> {
    let mut rest = position as i64;
    let mut out = vec![0; shape.len()];
    for (index, extent) in out.iter_mut().zip(shape).rev() {
        *index = rest % extent.max(&1);
        rest /= extent.max(&1);
    }
    out
}
