//! The messages.

use super::nest::Described;
use affine::clauses::{Construct, Fault, Form, Instance, Link, OPEN};
use base::{Diagnostic, Span};
use std::collections::HashSet;
use typed::{LocalId, Program};

/// Most elements of a cycle that get a label of their own.
const LABELS: usize = 4;
/// Most elements of a cycle that a message lists.
const LISTED: usize = 8;

/// What messages need of an array.
pub(super) struct Reported {
    pub construct: Construct,
    /// If it is recursive.
    pub name: Option<LocalId>,
    pub shape: Vec<i64>,
    pub nests: Vec<Described>,
    /// The whole expression.
    pub span: Span,
}

/// Turns the faults of arrays that are defined together into messages.
pub(super) struct Reporter<'r> {
    program: &'r Program,
    arrays: Vec<Reported>,
}

impl<'r> Reporter<'r> {
    pub fn new(program: &'r Program, arrays: Vec<Reported>) -> Reporter<'r> {
        Reporter { program, arrays }
    }

    /// The messages; several iterations that read outside in one place are one mistake.
    pub fn all(&self, faults: &[(usize, Fault)]) -> Vec<Diagnostic> {
        let mut places = HashSet::new();
        let new = |(array, fault): &&(usize, Fault)| match fault {
            Fault::ReadOutside { instance, read, .. } => places.insert(self.nest(*array, instance).reads[*read]),
            Fault::WriteOutside { .. } | Fault::Collision { .. } | Fault::Gap { .. } | Fault::Cycle { .. } => true,
        };
        faults.iter().filter(new).map(|(array, fault)| self.fault(*array, fault)).collect()
    }

    fn fault(&self, array: usize, fault: &Fault) -> Diagnostic {
        match fault {
            Fault::WriteOutside { instance, dimension, index } => {
                self.write_outside(array, self.describe(array, instance), *dimension, *index)
            }
            Fault::ReadOutside { instance, read, dimension, index } => {
                self.read_outside(self.describe(array, instance), *read, *dimension, *index)
            }
            Fault::Collision { element, first, second } => {
                self.collision(element, self.describe(array, first), self.describe(array, second))
            }
            Fault::Gap { element } => gap(element, self.arrays[array].span),
            Fault::Cycle { chain } => self.cycle(chain),
        }
    }

    fn nest(&self, array: usize, instance: &Instance) -> &Described {
        &self.arrays[array].nests[instance.clause]
    }

    fn describe<'i>(&'i self, array: usize, instance: &'i Instance) -> Iteration<'i> {
        Iteration { program: self.program, nest: self.nest(array, instance), values: &instance.iteration }
    }

    fn name(&self, array: usize) -> String {
        self.arrays[array].name.map_or_else(String::new, |n| self.program.locals[n].name.to_string())
    }

    fn collision(&self, element: &[i64], first: Iteration, second: Iteration) -> Diagnostic {
        let title = format!("element {} is defined twice", index(element));
        let error = if first.nest.nest.source == second.nest.nest.source {
            let (a, b) = (first.names(), second.names());
            Diagnostic::error("E0501", title, second.nest.span, format!("defines it for {a} and again for {b}"))
        } else {
            let again = format!("defined again here{}", second.for_names());
            Diagnostic::error("E0501", title, second.nest.span, again)
                .label(first.nest.span, format!("already defined here{}", first.for_names()))
        };
        error
            .note("in `array` every element has exactly one definition")
            .help("make the bounds or guards exclude one another, or use `accum` to combine several values")
    }

    fn write_outside(&self, array: usize, iteration: Iteration, dimension: usize, at: i64) -> Diagnostic {
        let array = &self.arrays[array];
        let what = if array.construct == Construct::Array { "defines" } else { "writes" };
        Diagnostic::error(
            "E0504",
            format!("the subscript {at} is out of range"),
            iteration.nest.span,
            format!("{what} an element outside of the array{}", iteration.for_names()),
        )
        .note(extent(dimension, array.shape[dimension]))
        .help("change the bounds of the generator or the shape")
    }

    fn read_outside(&self, iteration: Iteration, read: usize, dimension: usize, at: i64) -> Diagnostic {
        let Described { nest, span, reads, .. } = iteration.nest;
        let array = nest.reads[read].array;
        Diagnostic::error(
            "E0505",
            format!("`{}` is read out of range, at index {at}", self.name(array)),
            reads[read],
            format!("out of range{}", iteration.for_names()),
        )
        .label(*span, "in the value of this clause")
        .note(extent(dimension, self.arrays[array].shape[dimension]))
        .help("exclude these elements from the generator, and define them by a separate clause")
    }

    fn cycle(&self, chain: &[Link]) -> Diagnostic {
        let elements: Vec<String> =
            chain.iter().map(|link| format!("`{}{}`", self.name(link.array), index(&link.element))).collect();
        let label = |at: usize| {
            let (link, next) = (&chain[at], &elements[(at + 1) % chain.len()]);
            let iteration = self.describe(link.array, &link.instance);
            (iteration.nest.reads[link.read], format!("{}{} needs {next}", elements[at], iteration.for_names()))
        };
        let (place, text) = label(0);
        let title = format!("the element {} depends on itself", elements[0]);
        let mut error = Diagnostic::error("E0503", title, place, text);
        for at in 1..chain.len().min(LABELS) {
            let (place, text) = label(at);
            error = error.label(place, text);
        }
        if chain.len() > 1 {
            let around: Vec<&str> = elements.iter().chain(elements.first()).map(String::as_str).take(LISTED).collect();
            let dots = if chain.len() >= LISTED { ", ..." } else { "" };
            error = error.note(format!("the way around: {}{dots}", around.join(", ")));
        }
        error
            .note("every element of a recursive array is computed before it is read, so none may need itself")
            .help("let it read only elements that can be computed before it, or define it by a separate clause")
    }
}

/// One iteration of a clause.
struct Iteration<'i> {
    program: &'i Program,
    nest: &'i Described,
    values: &'i [i64],
}

impl Iteration<'_> {
    /// `i = 2, j = 0`.
    fn names(&self) -> String {
        let value =
            |form: &Form| form.eval(|v| self.values.get(v.0).copied()).map_or_else(|| "?".into(), |n| n.to_string());
        let shown = |(local, forms): &(LocalId, Vec<Form>)| {
            let name = self.program.locals[*local].name;
            let values: Vec<String> = forms.iter().map(value).collect();
            match values.as_slice() {
                [one] => format!("{name} = {one}"),
                many => format!("{name} = [{}]", many.join(", ")),
            }
        };
        self.nest.names.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    /// ` for i = 2`, or nothing if the clause has no generators.
    fn for_names(&self) -> String {
        let names = self.names();
        if names.is_empty() { names } else { format!(" for {names}") }
    }
}

fn gap(element: &[i64], whole: Span) -> Diagnostic {
    let at = index(element);
    Diagnostic::error("E0502", format!("element {at} is not defined"), whole, format!("no clause defines element {at}"))
        .note("in `array` every element has exactly one definition, or `else` defines it")
        .help(format!("add a clause for it, such as `{at} => ...`, or `else => ...` for all other elements"))
}

fn extent(dimension: usize, extent: i64) -> String {
    match extent {
        0 => format!("dimension {dimension} has the extent 0: it has no elements"),
        OPEN => format!("the indices of dimension {dimension} start at 0"),
        n => format!("dimension {dimension} has the extent {n}: its indices are 0 to {}", n - 1),
    }
}

/// `[1, 2]`.
fn index(element: &[i64]) -> String {
    let items: Vec<String> = element.iter().map(i64::to_string).collect();
    format!("[{}]", items.join(", "))
}
