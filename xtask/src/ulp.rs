//! `cargo xtask ulp`: the errors of the mathematical functions of the run-time system.
//!
//! Compiles `runtime/c/tests/ulp.c` with the flags that compiled programs get, and runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

/// The flags that results may depend on, as `native` gives them, and the widest vectors.
const FLAGS: [&str; 8] = [
    "-std=gnu11",
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-w",
];

/// Measures; the arguments are a number of arguments for each function (or `all`), and names of functions.
pub fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let made = build(root).and_then(|program| {
        let defaults: &[&str] = &["1000000"];
        Command::new(program).args(if arguments.is_empty() { defaults } else { arguments }).status()
    });
    match made {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the functions cannot be measured: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles the program that measures.
fn build(root: &Path) -> std::io::Result<PathBuf> {
    let folder = root.join("target/ulp");
    std::fs::create_dir_all(&folder)?;
    let program = folder.join("ulp");
    let mut command = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    command.args(FLAGS).arg(root.join("runtime/c/tests/ulp.c")).arg("-o").arg(&program).arg("-lm");
    let Output { status, stderr, .. } = command.output()?;
    match status.success() {
        true => Ok(program),
        false => Err(std::io::Error::other(String::from_utf8_lossy(&stderr).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_small_and_vectors_agree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder");
        let said = Command::new(build(root).expect("a C compiler")).arg("20000").output().expect("a run");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    }
}
