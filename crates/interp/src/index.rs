//! Evaluating indices; [`crate::select`] applies them.

use crate::code::*;
use crate::data::Value;
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use crate::select::{Idx, element, select_value};
use base::Span;
use fault::message::Place;
use scalar::Scalar;

/// Most indices of the fast path.
const FEW: usize = 4;

impl Machine<'_> {
    #[inline(never)]
    pub fn eval_index(&mut self, code: &IndexCode) -> Eval<Value> {
        let plain = code.indices.len() <= FEW && code.indices.iter().all(|i| matches!(i, IndexArg::At(_)));
        let whole = if code.base.is_place() { None } else { Some(self.eval(&code.base)?) };
        if plain {
            let mut numbers = [0; FEW];
            for (number, index) in numbers.iter_mut().zip(&code.indices) {
                if let IndexArg::At(node) = index {
                    *number = self.position(node, Place::Index, code.span)?;
                }
            }
            let numbers = &numbers[..code.indices.len()];
            let base = whole.as_ref().or_else(|| self.place(&code.base));
            let at = |n: &i64| Idx::At(*n);
            let value = match base {
                Some(Value::Array(array)) => element(array, numbers, code.span)?,
                Some(base @ Value::Rec(array)) => match array.ready(numbers) {
                    Some(value) => value,
                    None => select_value(base, &numbers.iter().map(at).collect::<Vec<_>>(), code.span)?,
                },
                Some(base) => select_value(base, &numbers.iter().map(at).collect::<Vec<_>>(), code.span)?,
                None => return Err(faults::internal("a variable without a value", code.span)),
            };
            self.release(&code.base);
            return Ok(value);
        }
        let indices = self.indices(&code.indices, code.span)?;
        let base = whole.as_ref().or_else(|| self.place(&code.base));
        let Some(base) = base else {
            return Err(faults::internal("a variable without a value", code.span));
        };
        let value = select_value(base, &indices, code.span)?;
        match code.rank {
            Some(0) if value.rank() > 0 => {
                return Err(faults::count_of_indices(indices.len(), &base.describe(), code.span));
            }
            Some(rank) if value.rank() != rank => return Err(faults::rank(rank, &value.extents(), code.span)),
            _ => {}
        }
        self.release(&code.base);
        Ok(value)
    }

    /// An integer of any type that says where something is. What lies beyond `i64` is nowhere, whatever the shape.
    fn position(&mut self, node: &Node, place: Place, span: Span) -> Eval<i64> {
        let value = self.eval(node)?;
        match value {
            Value::Scalar(Scalar::U64(n)) => i64::try_from(n).map_err(|_| faults::beyond(place, n, span)),
            value => value.as_i64().ok_or_else(|| faults::internal("an index that is no integer", span)),
        }
    }

    /// An integer of a slice.
    fn number(&mut self, node: &Node, span: Span) -> Eval<i64> {
        let value = self.eval(node)?;
        value.as_i64().ok_or_else(|| faults::internal("an index that is no integer", span))
    }

    fn numbers(&mut self, node: &Node, span: Span) -> Eval<Vec<i64>> {
        let value = self.eval(node)?;
        value.as_i64s().map(<[i64]>::to_vec).ok_or_else(|| faults::internal("an index vector of no integers", span))
    }

    fn maybe_number(&mut self, node: &Option<Node>, span: Span) -> Eval<Option<i64>> {
        node.as_ref().map(|n| self.number(n, span)).transpose()
    }

    /// Indices as numbers; vectors become as many indices as they are long.
    pub fn indices(&mut self, args: &[IndexArg], span: Span) -> Eval<Vec<Idx>> {
        let mut out = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                IndexArg::At(node) => out.push(Idx::At(self.position(node, Place::Index, span)?)),
                IndexArg::Vector(node) => out.extend(self.numbers(node, span)?.into_iter().map(Idx::At)),
                IndexArg::Slice { start, end, stride, span } => {
                    let start = self.maybe_number(start, *span)?;
                    let end = self.maybe_number(end, *span)?;
                    let stride = self.maybe_number(stride, *span)?.unwrap_or(1);
                    out.push(Idx::Slice { start, end, stride, span: *span });
                }
            }
        }
        Ok(out)
    }

    /// Subscripts of a clause as numbers, into a buffer.
    pub fn subscripts(&mut self, args: &[IndexArg], out: &mut Vec<i64>, span: Span) -> Eval<()> {
        out.clear();
        for arg in args {
            match arg {
                IndexArg::At(node) => out.push(self.position(node, Place::Subscript, span)?),
                IndexArg::Vector(node) => out.extend(self.numbers(node, span)?),
                IndexArg::Slice { span, .. } => return Err(faults::internal("a slice as a subscript", *span)),
            }
        }
        Ok(())
    }
}
