//! Tests of the analyses.

mod masked;
mod ways;
