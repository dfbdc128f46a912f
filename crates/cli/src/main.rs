//! The command line.
//!
//! Exit status: 0 success, 1 an error in the program or its input, 2 wrong usage, 101 a bug in Ravel.

mod args;
mod backend;
mod bench;
mod bug;
mod build;
mod cache;
mod check;
mod compiled;
mod dev;
mod disk;
mod error;
mod explain;
mod inputs;
mod ir;
mod json;
mod memory;
mod out;
mod outputs;
mod place;
mod recipe;
mod run;
mod stats;
mod status;
mod test;
mod types;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// Checking a large file makes millions of small values on one thread; the system's allocator would spend a third of the
/// time on requests to the kernel for a little more memory.
#[global_allocator]
static ALLOCATOR: memory::Counting<mimalloc::MiMalloc> = memory::Counting(mimalloc::MiMalloc);

fn main() -> ExitCode {
    bug::install_hook();
    let cli = match Cli::try_parse_from(args::protect_negative_values(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` arrive here too; ignore a closed pipe.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { status::USAGE } else { 0 });
        }
    };
    // Passes are recursive, as deep as the program is nested.
    driver::with_stack(|| obey(cli.command))
}

fn obey(command: Command) -> ExitCode {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Build(options) => build::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Types(options) => types::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Ir(options) => ir::run(&options),
        Command::Dev(command) => dev::run(&command),
        Command::TestWorker(options) => test::worker::run(&options),
        Command::Cache(options) => cache::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Error(options) => error::run(&options),
    }
}
