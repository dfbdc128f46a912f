//! Questions that wait for more of the definition: in Ravel an operand, an index or a generator's bound may be an array,
//! which is decided once the whole definition is unified; what is then open is a scalar.

use super::vectors::Length;
use crate::Checker;
use base::Span;
use scalar::{BinOp, UnOp};
use typed::Type;

/// A question that waits.
#[derive(Clone, Debug)]
pub(crate) enum Deferred {
    /// `lhs op rhs : result`.
    Binary { op: BinOp, lhs: Type, rhs: Type, result: Type, span: Span },
    /// `op arg : result`.
    Unary { op: UnOp, arg: Type, result: Type, span: Span },
    /// `array[indices] : result`; with `put`, a value of the type `result` goes there.
    Index { array: Type, indices: Vec<IndexType>, result: Type, put: bool, span: Span },
    /// A generator `lo <= var < hi step s`.
    Bounds { var: Type, bounds: Vec<(Type, Span)> },
}

/// What is known of one index.
#[derive(Clone, Debug)]
pub(crate) enum IndexType {
    /// `i`: its type, and its length should it be a vector.
    At(Type, Length, Span),
    /// `i:j:s`.
    Slice,
}

impl Checker<'_> {
    /// Asks a question: answered at once if possible, otherwise later.
    pub(crate) fn ask(&mut self, question: Deferred) {
        if !self.answer(&question, !self.is_ravel()) {
            self.deferred.push(question);
        }
    }

    /// Answers the questions that have an answer by now.
    pub(crate) fn answer_some(&mut self) {
        loop {
            let questions = std::mem::take(&mut self.deferred);
            let before = questions.len();
            for question in questions {
                if !self.answer(&question, false) {
                    self.deferred.push(question);
                }
            }
            if self.deferred.len() == before || self.deferred.is_empty() {
                return;
            }
        }
    }

    /// Answers all questions; those that stay open are about scalars.
    pub(crate) fn answer_all(&mut self) {
        loop {
            self.answer_some();
            if self.deferred.is_empty() {
                return;
            }
            let question = self.deferred.remove(0);
            self.answer(&question, true);
        }
    }

    /// Whether the question could be answered; `now` insists.
    fn answer(&mut self, question: &Deferred, now: bool) -> bool {
        match question {
            Deferred::Binary { op, lhs, rhs, result, span } => self.answer_binary(*op, lhs, rhs, result, *span, now),
            Deferred::Unary { op, arg, result, span } => self.answer_unary(*op, arg, result, *span, now),
            Deferred::Index { array, indices, result, put, span } => {
                self.answer_index(array, indices, (result, *put), *span, now)
            }
            Deferred::Bounds { var, bounds } => self.answer_bounds(var, bounds, now),
        }
    }

    fn answer_bounds(&mut self, var: &Type, bounds: &[(Type, Span)], now: bool) -> bool {
        let is_array = |c: &Self, t: &Type| matches!(c.metas.shallow(t), Type::Array(..));
        let vector = bounds.iter().any(|(t, _)| is_array(self, t)) || is_array(self, var);
        if !vector && !now && bounds.iter().any(|(t, _)| !self.metas.is_scalar(t)) {
            return false;
        }
        let vector_type = crate::metas::array_of(Type::I64);
        for (ty, span) in bounds {
            let wanted = if vector && is_array(self, ty) { &vector_type } else { &Type::I64 };
            self.expect(wanted, ty, *span, "bounds of a generator are `i64` or vectors of `i64`");
        }
        let wanted = if vector { vector_type } else { Type::I64 };
        let span = bounds.first().map(|b| b.1);
        if let Some(span) = span {
            self.expect(&wanted, var, span, "the generator's variable runs between its bounds");
        }
        true
    }
}
