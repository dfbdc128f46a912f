//! Tests of programs as executables, libraries and under sanitizers.

mod common;
mod executables;
mod hostile;
mod programs;
mod sanitizers;
mod scalars;
mod strangers;
