//! Chores of the project: `cargo xtask tidy` checks the house rules, `cargo xtask bless` accepts changed expectations,
//! `cargo xtask bench` measures, and so does `cargo xtask ulp`.

mod bench;
mod circles;
mod functions;
mod layers;
mod tidy;
mod ulp;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask COMMAND

  tidy    check the rules of the house: who imports whom, module docs, sizes of files and functions,
          error pages
  bless   run the tests and accept what text expectations say now; review the result as a diff
  bench   run the benchmark suite and write docs/performance.md; for some kernels
          (bench matmul --scale 0.01 --threads 1,2), the page goes to target/bench
  ulp     measure the errors of the mathematical functions: a million numbers for each, or COUNT, or
          `all` (all f32 numbers, 10^8 others); names choose functions (ulp all exp_f32 log_f64)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => tidy::run(&root()),
        ["bless", rest @ ..] => bless(rest),
        ["bench", rest @ ..] => bench::run(&root(), rest),
        ["ulp", rest @ ..] => ulp::run(&root(), rest),
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).into()
}

/// Runs the tests with expectations in writing mode; further arguments go to `cargo test`.
fn bless(arguments: &[&str]) -> ExitCode {
    let scope: &[&str] = if arguments.is_empty() { &["--workspace"] } else { arguments };
    let status = Command::new("cargo").arg("test").args(scope).env("UPDATE_EXPECT", "1").current_dir(root()).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo cannot be run: {error}");
            ExitCode::FAILURE
        }
    }
}
