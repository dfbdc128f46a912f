//! The rules of simplification, as data.
//!
//! A rule looks at one statement and the definitions of its operands, and gives another expression with the same value.
//! [`rules_for`] lists the rules by what they match. The caller applies them until none fits: each leads towards the root
//! of a view, a shorter chain of operators, or a constant, so that ends.
//!
//! Thesis of Henriksen, sections 5.2 (rules), 9.1 (size analysis) and 9.2 (index inlining).

mod index;
mod powers;
mod reshape;
mod rule;
mod scalars;
mod views;

use ir::Exp;
pub(super) use rule::{New, Rewriter, Rule};

/// The rules for an expression, in the order in which they are tried.
pub(super) fn rules_for(exp: &Exp) -> &'static [Rule] {
    match exp {
        Exp::Index(..) | Exp::IndexVector(..) => index::RULES,
        Exp::Slice(..) | Exp::Rearrange(..) | Exp::Retype(_) | Exp::Reshape(_) => views::RULES,
        Exp::DescLength(..) | Exp::DescEqual(..) => views::DESCRIPTORS,
        Exp::Bin(..) | Exp::Un(..) | Exp::Select(..) | Exp::Math(..) => scalars::RULES,
        _ => &[],
    }
}
