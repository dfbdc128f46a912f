//! Qualifiers: generators, `let` and `if`, and comprehensions over them. Ranges too.

use crate::builder::Builder;
use crate::code::*;
use crate::column::affordable;
use crate::data::{Array, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use base::Span;
use scalar::Scalar;
use std::rc::Rc;
use typed::RangeKind;
use value::PrimVec;

/// So many elements always find memory, and asking takes time.
const LITTLE: usize = 1 << 16;

/// What is done for each instance.
pub(crate) type Each<'a, 'p> = dyn FnMut(&mut Machine<'p>) -> Eval<()> + 'a;

/// A generator whose bounds are numbers.
enum Source {
    Array(Rc<Array>),
    Range {
        lo: i64,
        step: i64,
        count: usize,
    },
    /// A box of index vectors, in row-major order.
    Box {
        lo: Vec<i64>,
        step: Vec<i64>,
        counts: Vec<usize>,
    },
}

impl Source {
    /// How many turns it takes.
    fn count(&self) -> usize {
        match self {
            Source::Array(array) => array.len,
            Source::Range { count, .. } => *count,
            Source::Box { counts, .. } if counts.contains(&0) => 0,
            Source::Box { counts, .. } => countable(counts.iter().fold(1i128, |n, c| n.saturating_mul(*c as i128))),
        }
    }

    fn describe(&self) -> String {
        match self {
            Source::Array(array) => format!("[{}]", array.len),
            Source::Range { count, .. } => format!("[{count}]"),
            Source::Box { counts, .. } => counts.iter().map(|n| format!("[{n}]")).collect(),
        }
    }
}

impl<'p> Machine<'p> {
    pub fn comprehension(&mut self, code: &ComprehensionCode) -> Eval<Value> {
        let mut builder = Builder::new(0);
        self.qualified(&code.quals, &mut |machine: &mut Machine<'p>| {
            let value = machine.eval(&code.body)?;
            builder.push(value);
            Ok(())
        })?;
        self.finish(builder, &code.ty, code.span)
    }

    /// Runs `each` for every instance of the qualifiers, in order.
    pub fn qualified(&mut self, quals: &[QualCode], each: &mut Each<'_, 'p>) -> Eval<()> {
        let Some((first, rest)) = quals.split_first() else {
            return each(self);
        };
        match first {
            QualCode::Let(pat, value) => {
                let value = self.eval(value)?;
                self.bind(pat, value)?;
                self.qualified(rest, each)
            }
            QualCode::If(cond) => match self.condition(cond)? {
                true => self.qualified(rest, each),
                false => Ok(()),
            },
            QualCode::For { generators, span, fills } => {
                let sources = generators.iter().map(|g| self.source(g, *span)).collect::<Eval<Vec<Source>>>()?;
                let count = self.common_count(&sources, *span)?;
                if let Some(array) = fills
                    && count > LITTLE
                    && !affordable(count, size_of::<i64>())
                {
                    return Err(faults::memory(count, *array));
                }
                for turn in 0..count {
                    for (generator, source) in generators.iter().zip(&sources) {
                        self.bind_turn(generator, source, turn)?;
                    }
                    self.qualified(rest, each)?;
                }
                Ok(())
            }
        }
    }

    fn common_count(&self, sources: &[Source], span: Span) -> Eval<usize> {
        let Some(first) = sources.first() else {
            return Ok(1);
        };
        for other in &sources[1..] {
            if other.count() != first.count() {
                let what = "advancing together";
                return Err(faults::lockstep(&first.describe(), &other.describe(), what, span));
            }
        }
        Ok(first.count())
    }

    fn source(&mut self, generator: &GenCode, span: Span) -> Eval<Source> {
        match generator {
            GenCode::In(_, array) => match self.eval(array)? {
                Value::Array(array) => Ok(Source::Array(array)),
                _ => Err(faults::internal("a generator over no array", span)),
            },
            GenCode::Range { lo, hi, step, vector, span, var: _ } => {
                let lo = lo.as_ref().map(|n| self.eval(n)).transpose()?;
                let hi = self.eval(hi)?;
                let step = step.as_ref().map(|n| self.eval(n)).transpose()?;
                match vector {
                    false => scalar_source(lo.as_ref(), &hi, step.as_ref(), *span),
                    true => box_source(lo.as_ref(), &hi, step.as_ref(), *span),
                }
            }
        }
    }

    fn bind_turn(&mut self, generator: &GenCode, source: &Source, turn: usize) -> Eval<()> {
        match (generator, source) {
            (GenCode::In(pat, _), Source::Array(array)) => self.bind(pat, array.get(turn))?,
            (GenCode::Range { var, .. }, Source::Range { lo, step, .. }) => {
                self.set(*var, Value::i64(lo.wrapping_add(step.wrapping_mul(turn as i64))));
            }
            (GenCode::Range { var, .. }, Source::Box { lo, step, counts }) => {
                let mut at = turn;
                let mut vector = vec![0; counts.len()];
                for d in (0..counts.len()).rev() {
                    vector[d] = lo[d].wrapping_add(step[d].wrapping_mul((at % counts[d]) as i64));
                    at /= counts[d];
                }
                self.set(*var, Value::array(PrimVec::from(vector)));
            }
            (GenCode::In(..) | GenCode::Range { .. }, _) => {}
        }
        Ok(())
    }

    pub fn range(&mut self, code: &RangeCode) -> Eval<Value> {
        let first = self.eval(&code.first)?;
        let second = code.second.as_ref().map(|n| self.eval(n)).transpose()?;
        let end = self.eval(&code.end)?;
        let int = |v: &Value| v.as_scalar().and_then(Scalar::as_int);
        let (Some(start), Some(stop), Some(prim)) = (int(&first), int(&end), first.as_scalar().map(Scalar::prim))
        else {
            return Err(faults::internal("a range of no integers", code.span));
        };
        let next = second.as_ref().and_then(int);
        let step = next.map_or(if code.kind == RangeKind::DownTo { -1 } else { 1 }, |n| n - start);
        let (last, possible) = match code.kind {
            RangeKind::Inclusive if step > 0 => (stop, start <= stop),
            RangeKind::Inclusive => (stop, start >= stop && step < 0),
            RangeKind::UpTo => (stop - 1, start <= stop && step > 0),
            RangeKind::DownTo => (stop + 1, start >= stop && step < 0),
        };
        let dots = match code.kind {
            RangeKind::Inclusive => "...",
            RangeKind::UpTo => "..<",
            RangeKind::DownTo => "..>",
        };
        let text = || match next {
            Some(next) => format!("{start}..{next}{dots}{stop}"),
            None => format!("{start}{dots}{stop}"),
        };
        if !possible {
            return Err(faults::range(&text(), code.span));
        }
        let distance = (last - start) * step.signum();
        let count = if distance < 0 { 0 } else { distance / step.abs() + 1 };
        let count = countable(count);
        if !affordable(count, prim.bytes()) {
            return Err(faults::memory(count, code.span));
        }
        let mut items = PrimVec::with_capacity(prim, count);
        (0..count as i128).for_each(|i| items.push(Scalar::from_i128(prim, start + i * step)));
        Ok(Value::array(items))
    }
}

/// How many of `lo, lo + step, ...` lie below `hi`.
fn steps(lo: i64, hi: i64, step: i64, open: bool, span: Span) -> Eval<usize> {
    if step < 1 {
        return Err(faults::step(step, span));
    }
    if open && hi < 0 {
        return Err(faults::negative("a generator", hi, span));
    }
    let distance = (hi as i128 - lo as i128).max(0);
    Ok(countable((distance + step as i128 - 1) / step as i128))
}

/// A number of turns or elements; the largest there is in place of larger ones, for which there is no memory.
fn countable(count: i128) -> usize {
    count.clamp(0, i64::MAX.into()) as usize
}

fn scalar_source(lo: Option<&Value>, hi: &Value, step: Option<&Value>, span: Span) -> Eval<Source> {
    let number = |v: &Value| v.as_i64().ok_or_else(|| faults::internal("a bound that is no integer", span));
    let from = lo.map_or(Ok(0), number)?;
    let step = step.map_or(Ok(1), number)?;
    let count = steps(from, number(hi)?, step, lo.is_none(), span)?;
    Ok(Source::Range { lo: from, step, count })
}

fn box_source(lo: Option<&Value>, hi: &Value, step: Option<&Value>, span: Span) -> Eval<Source> {
    let bounds = [lo, Some(hi), step];
    let lengths: Vec<usize> = bounds.iter().flatten().filter_map(|v| v.as_i64s().map(<[i64]>::len)).collect();
    let rank = lengths.first().copied().unwrap_or(0);
    if let Some(other) = lengths.iter().find(|n| **n != rank) {
        let what = "the bounds of one generator";
        return Err(faults::lockstep(&format!("[{rank}]"), &format!("[{other}]"), what, span));
    }
    let spread = |bound: Option<&Value>, default: i64| match bound {
        None => Ok(vec![default; rank]),
        Some(value) => match (value.as_i64(), value.as_i64s()) {
            (Some(n), _) => Ok(vec![n; rank]),
            (None, Some(vector)) => Ok(vector.to_vec()),
            (None, None) => Err(faults::internal("a bound that is no vector of integers", span)),
        },
    };
    let (from, to, step) = (spread(lo, 0)?, spread(Some(hi), 0)?, spread(step, 1)?);
    let counts = (0..rank).map(|d| steps(from[d], to[d], step[d], lo.is_none(), span)).collect::<Eval<Vec<usize>>>()?;
    Ok(Source::Box { lo: from, step, counts })
}
