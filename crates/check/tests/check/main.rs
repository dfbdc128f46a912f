//! Tests of the checker.

mod clauses;
mod clauses_exact;
mod common;
mod large;
mod messages;
mod several;
mod sizes;
mod unique;
