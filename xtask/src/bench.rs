//! `cargo xtask bench`: runs the benchmark suite and writes `docs/performance.md` with a table and a plot.
//!
//! It builds the compiler, makes a Python environment below `target/` on first use, and leaves measuring to
//! `benchmarks/run.py` and the page to `benchmarks/report.py`. Other arguments are those of `run.py`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What the Python versions of the kernels import.
const PACKAGES: [&str; 4] = ["numpy", "scipy", "numba", "jax"];

/// Runs the suite. If only some kernels are named, or the scale is not 1, the page is written below `target/` instead of
/// `docs/`.
pub fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    match bench(root, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn bench(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let build = target.join("bench");
    std::fs::create_dir_all(&build).map_err(|e| format!("{}: {e}", build.display()))?;
    let python = environment(&target.join("bench-python"))?;
    execute(root, "cargo", ["build", "--release", "-p", "ravel"])?;
    let (results, compiler) = (build.join("results.json"), target.join("release/ravel"));
    let script = root.join("benchmarks/run.py");
    let mut command = vec![script.as_os_str()];
    for (option, path) in [("--ravel", &compiler), ("--build", &build), ("--output", &results)] {
        command.extend([OsStr::new(option), path.as_os_str()]);
    }
    command.extend(arguments.iter().map(OsStr::new));
    let measured = execute(root, &python, command);
    // A version that failed or gave wrong results has no time in the page; the others are worth showing.
    report(root, &python, &results, &if arguments.is_empty() { root.join("docs") } else { build })?;
    measured
}

/// The interpreter of a Python environment with all packages, made on first use.
fn environment(folder: &Path) -> Result<PathBuf, String> {
    let (python, complete) = (folder.join("bin/python"), folder.join("complete"));
    if !complete.exists() {
        execute(Path::new("."), "python3", [OsStr::new("-m"), OsStr::new("venv"), folder.as_os_str()])?;
        execute(Path::new("."), &python, ["-m", "pip", "install", "--quiet"].into_iter().chain(PACKAGES))?;
        std::fs::write(&complete, "").map_err(|e| format!("{}: {e}", complete.display()))?;
    }
    Ok(python)
}

/// Writes the page and the plot into a folder.
fn report(root: &Path, python: &Path, results: &Path, folder: &Path) -> Result<(), String> {
    let (page, plot) = (folder.join("performance.md"), folder.join("performance.svg"));
    let commit = said(root, "git", &["describe", "--always", "--dirty"])?;
    let date = said(root, "date", &["-u", "+%Y-%m-%d"])?;
    let script = root.join("benchmarks/report.py");
    let paths = [&script, &results.to_path_buf(), &page, &plot].map(|path| path.as_os_str().to_owned());
    let facts = ["--commit", &commit, "--date", &date, "--machine", &machine()].map(Into::into);
    execute(root, python, paths.into_iter().chain(facts))?;
    println!("{}", page.display());
    Ok(())
}

/// The processor, its usable cores and the C compiler, in words.
fn machine() -> String {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let compiler = said(Path::new("."), "cc", &["--version"]).unwrap_or_default();
    let compiler = compiler.lines().next().unwrap_or("no C compiler").to_owned();
    format!("{}, {cores} cores; {compiler}", model.unwrap_or("unknown processor"))
}

/// Runs a command whose output is shown.
fn execute<S: AsRef<OsStr>>(
    folder: &Path,
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
) -> Result<(), String> {
    let name = program.as_ref().to_string_lossy().into_owned();
    let status =
        Command::new(&program).args(arguments).current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1").status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed: {status}")),
        Err(error) => Err(format!("{name} cannot be run: {error}")),
    }
}

/// What a command writes to standard output.
fn said(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
