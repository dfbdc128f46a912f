//! Tests of values, and of the files they are read from and written to.

mod comparing;
mod files;
mod pictures;
mod properties;
mod tables;
mod text;
