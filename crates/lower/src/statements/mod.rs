//! Statements other than bulk forms.

pub(crate) mod bands;
pub(crate) mod boxes;
pub(crate) mod call;
pub(crate) mod choice;
pub(crate) mod loops;
pub(crate) mod pivots;
pub(crate) mod sort;
pub(crate) mod stm;
