//! Matching values against types with sizes: binds sizes that are not known yet and checks those that are.

use crate::code::{CoerceCode, DimCode, Matcher, ParamCode, Slot};
use crate::data::{Column, Value};
use crate::error::{Eval, Stop};
use crate::faults;
use crate::machine::Machine;
use base::{Name, Span};
use fault::message;
use typed::LocalId;
use typed::matching::Mode;

/// Where a value stands that is matched.
#[derive(Clone, Copy, Default)]
struct Around {
    /// How many dimensions are around it.
    dims: usize,
    /// Whether it is one of the sums of an array, which are matched one by one.
    many: bool,
}

impl Around {
    fn inside(self, dims: usize) -> Around {
        Around { dims: self.dims + dims, ..self }
    }
}

impl Machine<'_> {
    /// Matches a value.
    #[inline]
    pub fn match_sizes(&mut self, matcher: &Matcher, value: &Value, mode: Mode, span: Span) -> Eval<()> {
        if let Matcher::Nothing = matcher {
            return Ok(());
        }
        match self.match_value(matcher, value, Around::default(), mode) {
            Ok(()) => Ok(()),
            Err(clash) => Err(clash_fault(&clash, None, value, mode, span)),
        }
    }

    /// Matches an argument.
    pub fn match_argument(&mut self, param: &ParamCode, value: &Value, mode: Mode, span: Span) -> Eval<()> {
        match self.match_value(&param.sizes, value, Around::default(), mode) {
            Ok(()) => Ok(()),
            Err(clash) => Err(clash_fault(&clash, param.name, value, mode, span)),
        }
    }

    /// Matches a value against the type of a `:>`.
    pub fn match_coercion(&mut self, code: &CoerceCode, value: &Value) -> Eval<()> {
        self.match_value(&code.sizes, value, Around::default(), Mode::Coerce).map_err(|clash| {
            let Clash { what, expected, found, of: _ } = &clash;
            let reason = match what.as_str() {
                ROW_LENGTHS => message::coerced_rows(),
                _ => message::coerced_size(what),
            };
            faults::coercion(&value.describe(), &code.text, reason, [expected, found], code.span)
        })
    }

    fn match_value(&mut self, matcher: &Matcher, value: &Value, around: Around, mode: Mode) -> Result<(), Clash> {
        match (matcher, value) {
            (Matcher::Nothing, _) => Ok(()),
            (Matcher::Record(fields), Value::Record(values)) => {
                fields.iter().try_for_each(|(i, m)| self.match_value(m, &values[*i], around, mode))
            }
            (Matcher::Sum(cases), Value::Constr(constr)) => match cases.iter().find(|c| c.0 == constr.name) {
                Some((_, args)) => args.iter().zip(&constr.args).try_for_each(|(m, v)| {
                    self.match_value(m, v, around, mode)
                        .map_err(|clash| Clash { of: clash.of.or_else(|| Some(v.describe())), ..clash })
                }),
                None => Ok(()),
            },
            (Matcher::Array(DimCode::Shape(shape), inner), Value::Array(array)) => {
                let extents = array.rows.extents(array.len);
                let (mut column, mut rows) = (&array.rows, array.len);
                for m in &extents[1..] {
                    (column, rows) = (column.inner(), rows * *m as usize);
                }
                let around = around.inside(extents.len());
                self.match_shape(shape, extents, mode)?;
                self.match_column(inner, column, rows, around, mode)
            }
            (Matcher::Array(DimCode::Shape(shape), inner), Value::Scalar(_) | Value::Record(_) | Value::Constr(_)) => {
                self.match_shape(shape, Vec::new(), mode)?;
                self.match_value(inner, value, around, mode)
            }
            (Matcher::Array(dim, inner), Value::Array(array)) => {
                self.match_extent(dim, array.len as i64, mode)?;
                self.match_column(inner, &array.rows, array.len, around.inside(1), mode)
            }
            (Matcher::Array(..), Value::Rec(array)) => self.match_extents(matcher, &array.shape(), mode),
            (Matcher::Array(..) | Matcher::Record(_) | Matcher::Sum(_), _) => Ok(()),
        }
    }

    /// Matches the shape of an array whose elements are not there yet.
    fn match_extents(&mut self, matcher: &Matcher, extents: &[i64], mode: Mode) -> Result<(), Clash> {
        match (matcher, extents) {
            (Matcher::Array(DimCode::Shape(shape), _), _) => self.match_shape(shape, extents.to_vec(), mode),
            (Matcher::Array(dim, inner), [first, rest @ ..]) => {
                self.match_extent(dim, *first, mode)?;
                self.match_extents(inner, rest, mode)
            }
            (Matcher::Array(..), []) | (Matcher::Nothing | Matcher::Record(_) | Matcher::Sum(_), _) => Ok(()),
        }
    }

    fn match_column(
        &mut self,
        matcher: &Matcher,
        column: &Column,
        rows: usize,
        around: Around,
        mode: Mode,
    ) -> Result<(), Clash> {
        match (matcher, column) {
            (Matcher::Nothing, _) => Ok(()),
            (Matcher::Record(fields), Column::Record(columns)) => {
                fields.iter().try_for_each(|(i, m)| self.match_column(m, &columns[*i], rows, around, mode))
            }
            (Matcher::Sum(_), Column::Boxed(values)) => {
                let around = Around { many: true, ..around };
                values.iter().try_for_each(|v| self.match_value(matcher, v, around, mode))
            }
            (Matcher::Array(DimCode::Shape(shape), inner), column) => {
                let extents = column.extents(rows).split_off(1);
                let (mut below, mut count) = (column, rows);
                for m in &extents {
                    (below, count) = (below.inner(), count * *m as usize);
                }
                let around = around.inside(extents.len());
                self.match_shape(shape, extents, mode)?;
                self.match_column(inner, below, count, around, mode)
            }
            (Matcher::Array(dim, inner), Column::Regular(m, below)) => {
                match dim {
                    DimCode::Jagged(None) => {}
                    DimCode::Jagged(Some(k)) => self.match_lengths(*k, vec![*m as i64; rows], around, mode)?,
                    // An array without rows does not show how long they would be.
                    _ if rows == 0 => self.match_extent(dim, *m as i64, Mode::Bind)?,
                    _ => self.match_extent(dim, *m as i64, mode)?,
                }
                self.match_column(inner, below, rows * m, around.inside(1), mode)
            }
            (Matcher::Array(dim, inner), Column::Jagged(offsets, below)) => {
                match dim {
                    DimCode::Jagged(None) => {}
                    DimCode::Jagged(Some(k)) => self.match_lengths(*k, column.lengths(rows), around, mode)?,
                    DimCode::Unknown if mode != Mode::Coerce => {}
                    _ => self.match_rows(dim, &column.lengths(rows), mode)?,
                }
                self.match_column(inner, below, offsets[rows], around.inside(1), mode)
            }
            (Matcher::Array(..) | Matcher::Record(_) | Matcher::Sum(_), _) => Ok(()),
        }
    }

    /// Rows that must all have one length. Only `:>` compares the first one before it looks at the others.
    fn match_rows(&mut self, dim: &DimCode, lengths: &[i64], mode: Mode) -> Result<(), Clash> {
        let Some(first) = lengths.first() else {
            return Ok(());
        };
        let uneven = mode != Mode::Bind && lengths.iter().any(|n| n != first);
        if !uneven || mode == Mode::Coerce {
            self.match_extent(dim, *first, mode)?;
        }
        match uneven {
            true => Err(Clash { what: ROW_LENGTHS.into(), expected: short(lengths), found: String::new(), of: None }),
            false => Ok(()),
        }
    }

    fn match_extent(&mut self, dim: &DimCode, found: i64, mode: Mode) -> Result<(), Clash> {
        let clash = |what: String, expected: i64| {
            Err(Clash { what, expected: expected.to_string(), found: found.to_string(), of: None })
        };
        match dim {
            DimCode::Unknown | DimCode::Jagged(_) | DimCode::Shape(_) => Ok(()),
            DimCode::Const(n) if *n == found || !mode.checks_names() => Ok(()),
            DimCode::Const(n) => clash("the declared size".into(), *n),
            DimCode::Local(slot, local) => match self.slot(*slot).as_i64() {
                None => {
                    self.set(*slot, Value::i64(found));
                    Ok(())
                }
                Some(n) if n == found || !mode.checks_names() => Ok(()),
                Some(n) => clash(format!("`{}`", self.program.locals[*local].name), n),
            },
            DimCode::Expr(..) if !mode.checks_expressions() => Ok(()),
            DimCode::Expr(node, text) => {
                let mark = self.mark();
                match self.eval(node) {
                    Ok(value) => match value.as_i64() {
                        Some(n) if n != found => clash(format!("`{text}`"), n),
                        Some(_) | None => Ok(()),
                    },
                    // An expression over sizes that are not known says nothing.
                    Err(Stop::Error(_) | Stop::Need(_)) => {
                        self.rewind(mark);
                        Ok(())
                    }
                }
            }
        }
    }

    /// Below several dimensions a function may say the same of each element of the outer ones. Each of many sums has
    /// row lengths of its own.
    fn match_lengths(
        &mut self,
        (slot, local): (Slot, LocalId),
        found: Vec<i64>,
        around: Around,
        mode: Mode,
    ) -> Result<(), Clash> {
        match self.slot(slot).as_i64s() {
            None if around.many => return Ok(()),
            Some(known)
                if around.dims > 1
                    && !known.is_empty()
                    && found.len().is_multiple_of(known.len())
                    && found.chunks(known.len()).all(|part| part == known) =>
            {
                return Ok(());
            }
            _ => {}
        }
        self.match_vector(slot, local, found, "row lengths", mode)
    }

    fn match_shape(&mut self, shape: &Option<(Slot, LocalId)>, found: Vec<i64>, mode: Mode) -> Result<(), Clash> {
        match shape {
            Some((slot, local)) => self.match_vector(*slot, *local, found, "shape", mode),
            None => Ok(()),
        }
    }

    fn match_vector(
        &mut self,
        slot: Slot,
        local: LocalId,
        found: Vec<i64>,
        kind: &str,
        mode: Mode,
    ) -> Result<(), Clash> {
        match self.slot(slot).as_i64s() {
            None => {
                self.set(slot, Value::i64s(found));
                Ok(())
            }
            Some(known) if known == found || !mode.checks_names() => Ok(()),
            Some(known) => {
                let what = format!("{kind} `{}`", self.program.locals[local].name);
                Err(Clash { what, expected: short(known), found: short(&found), of: None })
            }
        }
    }
}

/// What is said of rows that a `:>` wants to be equal.
const ROW_LENGTHS: &str = "the row lengths are";

/// A size that is not what it should be.
struct Clash {
    what: String,
    expected: String,
    found: String,
    /// The shape of the arguments of a constructor, if it was found there.
    of: Option<String>,
}

#[cold]
fn clash_fault(clash: &Clash, argument: Option<Name>, value: &Value, mode: Mode, span: Span) -> Stop {
    if clash.what == ROW_LENGTHS {
        return faults::not_regular(&clash.expected, span);
    }
    let shape = clash.of.clone().unwrap_or_else(|| value.describe());
    let subject = match argument {
        Some(name) => format!("argument `{name}` of shape {shape}"),
        None => format!("a value of shape {shape}"),
    };
    faults::sizes(&clash.what, &clash.expected, &clash.found, &subject, mode.context(), span)
}

/// A vector of numbers, cut if it is long.
fn short(numbers: &[i64]) -> String {
    match numbers.len() {
        0..=12 => format!("{numbers:?}"),
        n => {
            let shown: Vec<String> = numbers[..10].iter().map(i64::to_string).collect();
            format!("[{}, … {n} in all]", shown.join(", "))
        }
    }
}
