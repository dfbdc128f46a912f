//! The messages.

use super::value::Form;
use affine::clauses::{Fault, Instance, Link};
use base::{Diagnostic, Span};
use typed::{LocalId, Program};

/// What the clauses belong to: decides which faults are faults.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Construct {
    Array,
    Update,
    Accum,
}

/// Most elements of a cycle that a message shows.
const SHOWN: usize = 4;

/// What messages need of a clause.
#[derive(Clone)]
pub(super) struct Described {
    pub span: Span,
    /// The names that vary, in the order of the source.
    pub vars: Vec<(LocalId, Vec<Form>)>,
    /// Where the reads of recursive arrays stand.
    pub reads: Vec<Span>,
}

/// Turns faults into messages.
pub(super) struct Reporter<'r> {
    pub program: &'r Program,
    pub clauses: Vec<&'r Described>,
    /// The recursive arrays, if there are any.
    pub names: &'r [LocalId],
}

impl Reporter<'_> {
    pub fn fault(&self, fault: &Fault, shape: &[Option<i64>], whole: Span, is_array: bool) -> Option<Diagnostic> {
        Some(match fault {
            Fault::WriteOutside { instance, dimension, index } => {
                self.write_outside(instance, *dimension, *index, shape, is_array)
            }
            Fault::ReadOutside { instance, read, dimension, index } => {
                self.read_outside(instance, *read, *dimension, *index, shape)
            }
            Fault::Collision { element, first, second } => self.collision(element, first, second),
            Fault::Gap { element } => gap(element, whole),
            Fault::Cycle { chain } => {
                let element = |link: &Link| format!("{}{}", self.name(0), index(&link.element));
                return self.cycle(chain, &element);
            }
        })
    }

    fn name(&self, which: usize) -> String {
        self.names.get(which).map_or_else(String::new, |n| self.program.locals[*n].name.to_string())
    }

    /// `i = 2, j = 0`.
    fn values(&self, instance: &Instance) -> String {
        let clause = self.clauses[instance.clause];
        let value = |form: &Form| {
            form.eval(|v| instance.iteration.get(v.0).copied()).map_or_else(|| "?".into(), |n| n.to_string())
        };
        let shown: Vec<String> = clause
            .vars
            .iter()
            .map(|(local, forms)| {
                let name = self.program.locals[*local].name;
                let values: Vec<String> = forms.iter().map(value).collect();
                match values.as_slice() {
                    [one] => format!("{name} = {one}"),
                    many => format!("{name} = [{}]", many.join(", ")),
                }
            })
            .collect();
        shown.join(", ")
    }

    /// ` for i = 2`, or nothing if the clause has no generators.
    fn for_values(&self, instance: &Instance) -> String {
        let values = self.values(instance);
        if values.is_empty() { String::new() } else { format!(" for {values}") }
    }

    fn span(&self, instance: &Instance) -> Span {
        self.clauses[instance.clause].span
    }

    fn collision(&self, element: &[i64], first: &Instance, second: &Instance) -> Diagnostic {
        let title = format!("element {} is defined twice", index(element));
        let error = if first.clause == second.clause {
            let (a, b) = (self.values(first), self.values(second));
            Diagnostic::error("E0501", title, self.span(second), format!("defines it for {a} and again for {b}"))
        } else {
            let again = format!("defined again here{}", self.for_values(second));
            Diagnostic::error("E0501", title, self.span(second), again)
                .label(self.span(first), format!("already defined here{}", self.for_values(first)))
        };
        error
            .note("in `array` every element has exactly one definition")
            .help("make the bounds or guards exclude one another, or use `accum` to combine several values")
    }

    fn write_outside(
        &self,
        instance: &Instance,
        dimension: usize,
        at: i64,
        shape: &[Option<i64>],
        is_array: bool,
    ) -> Diagnostic {
        let what = if is_array { "defines" } else { "writes" };
        Diagnostic::error(
            "E0504",
            format!("the subscript {at} is out of range"),
            self.span(instance),
            format!("{what} an element outside of the array{}", self.for_values(instance)),
        )
        .note(extent(dimension, shape))
        .help("change the bounds of the generator or the shape")
    }

    fn read_outside(
        &self,
        instance: &Instance,
        read: usize,
        dimension: usize,
        at: i64,
        shape: &[Option<i64>],
    ) -> Diagnostic {
        let span = self.clauses[instance.clause].reads.get(read).copied().unwrap_or(self.span(instance));
        Diagnostic::error(
            "E0505",
            format!("`{}` is read out of range, at index {at}", self.name(0)),
            span,
            format!("out of range{}", self.for_values(instance)),
        )
        .label(self.span(instance), "in the value of this clause")
        .note(extent(dimension, shape))
        .help("let the generator leave out these elements, and define them by a clause of their own")
    }

    fn cycle(&self, chain: &[Link], element: &dyn Fn(&Link) -> String) -> Option<Diagnostic> {
        let first = chain.first()?;
        let next = |i: usize| element(&chain[(i + 1) % chain.len()]);
        let label = |i: usize, link: &Link| {
            format!("`{}`{} needs `{}`", element(link), self.for_values(&link.instance), next(i))
        };
        let place = |link: &Link| {
            let reads = &self.clauses[link.instance.clause].reads;
            reads.get(link.read).copied().unwrap_or(self.span(&link.instance))
        };
        let title = format!("the element `{}` depends on itself", element(first));
        let mut error = Diagnostic::error("E0503", title, place(first), label(0, first));
        for (i, link) in chain.iter().enumerate().skip(1).take(SHOWN - 1) {
            error = error.label(place(link), label(i, link));
        }
        if chain.len() > 1 {
            let way: Vec<String> = chain.iter().chain([first]).take(8).map(|l| format!("`{}`", element(l))).collect();
            let dots = if chain.len() >= 8 { ", ..." } else { "" };
            error = error.note(format!("the way around: {}{dots}", way.join(", ")));
        }
        error = error
            .note("every element of a recursive array is computed before it is read, so none may need itself")
            .help("read only elements that come earlier in some order, or define this one by a clause of its own");
        Some(error)
    }

    /// A cycle through several arrays, whose elements carry the array's number in front.
    pub fn cycle_of_group(&self, chain: &[Link]) -> Option<Diagnostic> {
        let element = |link: &Link| match link.element.split_first() {
            Some((which, rest)) => {
                let which = usize::try_from(*which).unwrap_or(0);
                format!("{}{}", self.name(which), index(rest))
            }
            None => String::new(),
        };
        self.cycle(chain, &element)
    }
}

fn gap(element: &[i64], whole: Span) -> Diagnostic {
    let at = index(element);
    Diagnostic::error("E0502", format!("element {at} is not defined"), whole, format!("no clause defines element {at}"))
        .note("in `array` every element has exactly one definition, or `else` defines it")
        .help(format!("add a clause for it, such as `{at} => ...`, or `else => ...` for all that is left"))
}

fn extent(dimension: usize, shape: &[Option<i64>]) -> String {
    match shape.get(dimension).copied().flatten() {
        Some(0) => format!("dimension {dimension} has the extent 0: it has no elements"),
        Some(n) => format!("dimension {dimension} has the extent {n}: its indices are 0 to {}", n - 1),
        None => format!("the indices of dimension {dimension} start at 0"),
    }
}

/// `[1, 2]`.
fn index(element: &[i64]) -> String {
    let items: Vec<String> = element.iter().map(i64::to_string).collect();
    format!("[{}]", items.join(", "))
}
