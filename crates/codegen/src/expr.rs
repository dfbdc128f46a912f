//! Expressions.

use crate::emitter::Emitter;
use crate::types::constant;
use kernel::{Expr, Op, Type};
use scalar::Prim;

/// How tightly the outermost part of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// A binary operator or a choice.
    Loose,
    /// A prefix operator or conversion.
    Prefix,
    /// A name, constant, call or element.
    Tight,
}

/// The text of an expression.
#[derive(Clone)]
pub(crate) struct Text {
    text: String,
    binding: Binding,
}

impl Text {
    /// A name, constant or call.
    pub fn atom(text: impl Into<String>) -> Text {
        Text { text: text.into(), binding: Binding::Tight }
    }

    /// A prefix operator.
    pub fn prefix(symbol: &str, inner: Text) -> Text {
        // Two minus signs would be another operator.
        let inner = if inner.text.starts_with(symbol) { inner.tight() } else { inner.operand() };
        Text { text: format!("{symbol}{inner}"), binding: Binding::Prefix }
    }

    /// A binary operator.
    pub fn infix(left: Text, symbol: &str, right: Text) -> Text {
        Text { text: format!("{} {symbol} {}", left.operand(), right.operand()), binding: Binding::Loose }
    }

    /// A choice.
    pub fn choice(cond: Text, yes: Text, no: Text) -> Text {
        let text = format!("{} ? {} : {}", cond.operand(), yes.operand(), no.operand());
        Text { text, binding: Binding::Loose }
    }

    /// A conversion.
    pub fn cast(ty: &str, inner: Text) -> Text {
        Text { text: format!("({ty}){}", inner.operand()), binding: Binding::Prefix }
    }

    /// A call.
    pub fn call(function: &str, args: &[Text]) -> Text {
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Text::atom(format!("{function}({})", args.join(", ")))
    }

    /// As an operand.
    pub fn operand(self) -> String {
        if self.binding >= Binding::Prefix { self.text } else { format!("({})", self.text) }
    }

    /// Before brackets, or after a prefix operator.
    fn tight(self) -> String {
        if self.binding == Binding::Tight { self.text } else { format!("({})", self.text) }
    }

    /// Where anything may stand.
    pub fn plain(self) -> String {
        self.text
    }
}

impl Emitter<'_> {
    /// The expression; its value is of its type or, where C widens, of a wider type that holds it.
    pub(crate) fn expr(&mut self, expr: Expr) -> Text {
        match expr {
            Expr::Const(value) => Text::atom(constant(value)),
            Expr::Var(var) => Text::atom(self.var(var)),
            Expr::Op(id) => self.op(&self.program.exprs[id]),
        }
    }

    fn op(&mut self, op: &Op) -> Text {
        match op {
            Op::Bin(op, prim, left, right) => self.bin(*op, *prim, *left, *right),
            Op::Un(op, prim, inner) => self.un(*op, *prim, *inner),
            Op::Math(op, prim, args) => self.math(*op, *prim, args),
            Op::Convert(from, to, inner) => self.convert(*from, *to, *inner),
            Op::Select(cond, yes, no) => {
                let [cond, yes, no] = [cond, yes, no].map(|part| self.expr(*part));
                Text::choice(cond, yes, no)
            }
            Op::Threads => Text::atom("rv_thread_count(t)"),
            Op::Attempts => Text::atom("rv_attempts(t)"),
            Op::Sole(buffer) => Text::atom(format!("rv_is_sole({})", self.block(*buffer))),
            Op::Load(buffer, at) => {
                let (at, name) = (self.plain(*at), self.var(*buffer));
                if self.in_lanes && self.program.vars[*buffer].ty == Type::Buffer(Prim::Bool) {
                    // GCC combines comparisons with one another as masks of lanes, but not with a `bool` from memory.
                    let byte = Text::atom(format!("((const uint8_t *){name})[{at}]"));
                    return Text::infix(byte, "!=", Text::atom("0"));
                }
                Text::atom(format!("{name}[{at}]"))
            }
        }
    }

    /// The expression where anything may stand.
    pub(crate) fn plain(&mut self, expr: Expr) -> String {
        self.expr(expr).plain()
    }
}
