//! Tools for testing Ravel itself: programs and value files with random damage.
//!
//! `cargo run --release -p testkit --bin fuzz -- --tries 100000` feeds them to the compiler and the readers of values;
//! the test suite does the same with a few hundred.

pub mod fuzz;
pub mod mutate;
pub mod random;
