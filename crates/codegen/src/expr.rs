//! Expressions.

use crate::Emitter;
use crate::types::constant;
use kernel::Expr;

/// The text of an expression, and whether it can stand as an operand without parentheses.
pub(crate) struct Text {
    text: String,
    primary: bool,
}

impl Text {
    /// A name, constant or call.
    pub fn atom(text: impl Into<String>) -> Text {
        Text { text: text.into(), primary: true }
    }

    /// Anything else.
    pub fn compound(text: String) -> Text {
        Text { text, primary: false }
    }

    /// A binary operator.
    pub fn infix(left: Text, symbol: &str, right: Text) -> Text {
        Text::compound(format!("{} {symbol} {}", left.primary(), right.primary()))
    }

    /// A conversion.
    pub fn cast(ty: &str, inner: Text) -> Text {
        Text::compound(format!("({ty}){}", inner.primary()))
    }

    /// A call.
    pub fn call(function: &str, args: &[Text]) -> Text {
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Text::atom(format!("{function}({})", args.join(", ")))
    }

    /// As an operand.
    pub fn primary(self) -> String {
        if self.primary { self.text } else { format!("({})", self.text) }
    }

    /// Where anything may stand.
    pub fn plain(self) -> String {
        self.text
    }
}

impl Emitter<'_> {
    /// The expression; its value is of its type or, where C widens, of a wider type that holds it.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Text {
        match expr {
            Expr::Const(value) => Text::atom(constant(*value)),
            Expr::Var(var) => Text::atom(self.var(*var)),
            Expr::Bin(op, prim, left, right) => self.bin(*op, *prim, left, right),
            Expr::Un(op, prim, inner) => self.un(*op, *prim, inner),
            Expr::Math(op, prim, args) => self.math(*op, *prim, args),
            Expr::Convert(from, to, inner) => self.convert(*from, *to, inner),
            Expr::Select(cond, yes, no) => {
                let parts = [cond, yes, no].map(|part| self.expr(part).primary());
                Text::compound(format!("{} ? {} : {}", parts[0], parts[1], parts[2]))
            }
            Expr::Load(buffer, at) => {
                let at = self.plain(at);
                Text::atom(format!("{}[{at}]", self.var(*buffer)))
            }
        }
    }

    /// The expression where anything may stand.
    pub(crate) fn plain(&mut self, expr: &Expr) -> String {
        self.expr(expr).plain()
    }
}
