//! Maranget's usefulness test on a matrix of patterns: a row of wildcards is useful exactly if something is uncovered,
//! and then the test yields an example.
//!
//! Rows are lists in an arena that share their tails, so that taking a column off costs little however many are left.

use base::{Map, Name};
use scalar::{Prim, Scalar};
use typed::{Pat, PatKind, Type};

/// How much of an example is worth showing.
const EXAMPLE_CHARS: usize = 200;

/// An example, as text, of a value that none of the patterns matches.
pub(super) fn uncovered(pats: &[&Pat], ty: &Type) -> Option<String> {
    let shapes: Vec<Shape> = pats.iter().map(|p| shape(p)).collect();
    let mut matrix = Matrix { parts: Vec::new() };
    let rows: Vec<Row> = shapes.iter().map(|s| matrix.push(s, END)).collect();
    let example = matrix.useful(&rows, &mut vec![ty])?.pop()?;
    Some(match example.char_indices().nth(EXAMPLE_CHARS) {
        Some((end, _)) => format!("{}...", &example[..end]),
        None => example,
    })
}

/// A pattern without names.
#[derive(Debug)]
enum Shape {
    Any,
    Record(Vec<(Name, Shape)>),
    Constr(Name, Vec<Shape>),
    Literal(Scalar),
}

fn shape(pat: &Pat) -> Shape {
    match &pat.kind {
        PatKind::Wildcard | PatKind::Bind(_) => Shape::Any,
        PatKind::Record(fields) => Shape::Record(fields.iter().map(|(n, p)| (*n, shape(p))).collect()),
        PatKind::Literal(value) => Shape::Literal(*value),
        PatKind::Constr(name, pats) => Shape::Constr(*name, pats.iter().map(shape).collect()),
        PatKind::Ascribe(inner, _) => shape(inner),
    }
}

/// The patterns for all columns, first column first: a place in the arena.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row(usize);

/// No columns.
const END: Row = Row(usize::MAX);

/// A pattern and those of the columns after it.
struct Part<'p> {
    shape: &'p Shape,
    rest: Row,
    /// Whether the row matches everything from here on.
    any: bool,
}

struct Matrix<'p> {
    parts: Vec<Part<'p>>,
}

/// An example of what is uncovered, first column last.
type Example = Vec<String>;

impl<'p> Matrix<'p> {
    fn push(&mut self, shape: &'p Shape, rest: Row) -> Row {
        let any = matches!(shape, Shape::Any) && self.is_any(rest);
        self.parts.push(Part { shape, rest, any });
        Row(self.parts.len() - 1)
    }

    fn push_all(&mut self, shapes: impl DoubleEndedIterator<Item = &'p Shape>, rest: Row) -> Row {
        shapes.rev().fold(rest, |rest, shape| self.push(shape, rest))
    }

    fn is_any(&self, row: Row) -> bool {
        row == END || self.parts[row.0].any
    }

    /// The first pattern of a row and the rest of it.
    fn split(&self, row: Row) -> (&'p Shape, Row) {
        match self.parts.get(row.0) {
            Some(part) => (part.shape, part.rest),
            None => (&Shape::Any, END),
        }
    }

    /// An example for each column that no row matches, if there is one. `types` are those of the columns, the first one
    /// last; they are taken off and put back.
    fn useful(&mut self, rows: &[Row], types: &mut Vec<&'p Type>) -> Option<Example> {
        if rows.is_empty() {
            return Some(vec!["_".into(); types.len()]);
        }
        if rows.iter().any(|r| self.is_any(*r)) {
            return None;
        }
        let ty = types.pop()?;
        let example = if rows.iter().all(|r| matches!(self.split(*r).0, Shape::Any)) {
            let tails: Vec<Row> = rows.iter().map(|r| self.split(*r).1).collect();
            self.useful(&tails, types).map(|example| with(example, "_".into()))
        } else {
            match ty {
                Type::Record(fields) => self.useful_record(rows, fields, types),
                Type::Sum(constrs) => self.useful_sum(rows, constrs, types),
                Type::Prim(Prim::Bool) => [true, false].into_iter().find_map(|b| {
                    let kept = self.matching(rows, Some(Scalar::Bool(b)));
                    self.useful(&kept, types).map(|example| with(example, b.to_string()))
                }),
                // Numbers never run out, so something else than the literals is always possible.
                Type::Prim(_) => {
                    let kept = self.matching(rows, None);
                    self.useful(&kept, types).map(|example| with(example, "_".into()))
                }
                Type::Var(_) | Type::Abstract(..) | Type::Array(..) | Type::Fun(_) | Type::Meta(_) | Type::Error => {
                    None
                }
            }
        };
        types.push(ty);
        example
    }

    fn useful_record(
        &mut self,
        rows: &[Row],
        fields: &'p [(Name, Type)],
        types: &mut Vec<&'p Type>,
    ) -> Option<Example> {
        let mut narrowed = Vec::with_capacity(rows.len());
        for row in rows {
            let (shape, rest) = self.split(*row);
            narrowed.push(match shape {
                Shape::Record(given) => self.push_all(in_order(given, fields).into_iter(), rest),
                Shape::Any | Shape::Constr(..) | Shape::Literal(_) => self.push_all(anys(fields.len()), rest),
            });
        }
        types.extend(fields.iter().rev().map(|f| &f.1));
        let example = self.useful(&narrowed, types);
        types.truncate(types.len() - fields.len());
        let mut example = example?;
        let inner: Vec<String> = example.split_off(example.len() - fields.len()).into_iter().rev().collect();
        let text = if typed::is_tuple(fields.iter().map(|f| f.0)) {
            format!("({})", inner.join(", "))
        } else {
            let named: Vec<String> = fields.iter().zip(inner).map(|((n, _), e)| format!("{n} = {e}")).collect();
            format!("{{{}}}", named.join(", "))
        };
        Some(with(example, text))
    }

    fn useful_sum(
        &mut self,
        rows: &[Row],
        constrs: &'p [(Name, Vec<Type>)],
        types: &mut Vec<&'p Type>,
    ) -> Option<Example> {
        let mut anything = Vec::new();
        let mut by_name: Map<Name, Vec<(&'p [Shape], Row)>> = Map::default();
        for row in rows {
            match self.split(*row) {
                (Shape::Any, rest) => anything.push(rest),
                (Shape::Constr(name, inner), rest) => by_name.entry(*name).or_default().push((inner, rest)),
                (Shape::Record(_) | Shape::Literal(_), _) => {}
            }
        }
        constrs.iter().find_map(|(name, payload)| {
            let named = by_name.get(name).map_or(&[][..], Vec::as_slice);
            let named = named.iter().filter(|(inner, _)| inner.len() == payload.len());
            let mut narrowed: Vec<Row> = named.map(|(inner, rest)| self.push_all(inner.iter(), *rest)).collect();
            narrowed.extend(anything.iter().map(|rest| self.push_all(anys(payload.len()), *rest)));
            types.extend(payload.iter().rev());
            let example = self.useful(&narrowed, types);
            types.truncate(types.len() - payload.len());
            let mut example = example?;
            let inner = example.split_off(example.len() - payload.len()).into_iter().rev().map(atom);
            let text = std::iter::once(format!("#{name}")).chain(inner).collect::<Vec<_>>().join(" ");
            Some(with(example, text))
        })
    }

    /// What is left of the rows that match this literal, or with `None` one that none of them names.
    fn matching(&self, rows: &[Row], wanted: Option<Scalar>) -> Vec<Row> {
        let rest = |row: &Row| match self.split(*row) {
            (Shape::Any, rest) => Some(rest),
            (Shape::Literal(value), rest) => wanted.is_some_and(|w| w.same(*value)).then_some(rest),
            (Shape::Record(_) | Shape::Constr(..), _) => None,
        };
        rows.iter().filter_map(rest).collect()
    }
}

fn with(mut example: Example, first: String) -> Example {
    example.push(first);
    example
}

fn anys<'p>(count: usize) -> impl DoubleEndedIterator<Item = &'p Shape> {
    (0..count).map(|_| &Shape::Any)
}

/// The patterns of a record's fields in the order of its type.
fn in_order<'p>(given: &'p [(Name, Shape)], fields: &[(Name, Type)]) -> Vec<&'p Shape> {
    if given.len() == fields.len() && given.iter().zip(fields).all(|(g, f)| g.0 == f.0) {
        return given.iter().map(|g| &g.1).collect();
    }
    let given: Map<Name, &Shape> = given.iter().map(|g| (g.0, &g.1)).collect();
    fields.iter().map(|(name, _)| given.get(name).copied().unwrap_or(&Shape::Any)).collect()
}

fn atom(text: String) -> String {
    if text.contains(' ') && !text.starts_with(['(', '{']) { format!("({text})") } else { text }
}
