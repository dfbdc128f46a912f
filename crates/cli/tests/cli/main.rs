//! The command line, tested as users meet it: through the binary.

mod bench;
mod build;
mod chains;
mod check;
mod common;
mod dev;
mod docs;
mod error_pages;
mod explain;
mod explain_more;
mod formats;
mod libraries;
mod library;
mod memory;
mod programs;
mod rounds;
mod run;
mod sorting;
mod stats;
mod test;
mod values;
mod vectors;
