//! C names of variables and functions: what people called them, made unique by their number.

use crate::emitter::Emitter;
use kernel::{FunId, Var};

impl Emitter<'_> {
    /// The variable of a scalar, or the pointer to a buffer's elements.
    pub(crate) fn var(&self, var: Var) -> String {
        format!("{}_{}", identifier(self.program.vars[var].name.as_str(), "k"), var.0)
    }

    /// The pointer to a buffer's block.
    pub(crate) fn block(&self, var: Var) -> String {
        format!("{}_b", self.var(var))
    }

    /// A function.
    pub(crate) fn function_name(&self, function: FunId) -> String {
        format!("{}_f{}", identifier(self.program.functions[function].name.as_str(), "f"), function.0)
    }
}

/// The letters, digits and underscores of a name, few of them; letters come first.
fn identifier(name: &str, otherwise: &str) -> String {
    let kept: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(24).collect();
    let kept = kept.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    // `rv_` belongs to the run-time system.
    if kept.is_empty() || kept.starts_with("rv_") { otherwise.to_owned() } else { kept.to_owned() }
}
