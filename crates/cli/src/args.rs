//! The command line as data.

use crate::backend::{self, Backend, Backends};
use clap::{Args, Parser, Subcommand};
use scalar::Math;
use std::ffi::OsString;
use std::path::PathBuf;

/// Ravel: parallel arrays in a pure functional language.
#[derive(Parser, Debug)]
#[command(name = "ravel", version, propagate_version = true, arg_required_else_help = true, after_help = EXIT)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT: &str = "Exit status: 0 success, 1 an error in the program or its input, 2 wrong usage, 101 a bug in Ravel.

Examples:
  ravel run examples/matmul.rv '[[1.0, 2.0]]' '[[3.0], [4.0]]'
  ravel check program.rv
  ravel types program.rv
  ravel test tests/";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run an entry point of a program
    Run(RunArgs),
    /// Make an executable or a C library from a program
    Build(BuildArgs),
    /// Check programs without running them
    Check(CheckArgs),
    /// Show the types of a program's definitions, with sizes and shapes
    Types(TypesArgs),
    /// Run the `-- ==` tests inside programs
    Test(TestArgs),
    /// Measure how long the `-- ==` cases of a program take
    Bench(BenchArgs),
    /// Explain what the compiler made of each line of a program
    Explain(ExplainArgs),
    /// Show the intermediate forms of a program: Core, Kernel or C
    Ir(IrArgs),
    /// Show or clear the cache of compiled code
    Cache(CacheArgs),
    /// Explain an error code
    Error(ErrorArgs),
    /// Tools for work on the compiler
    #[command(subcommand)]
    Dev(DevCommand),
    /// Run the tests of one file, supervised by `ravel test`
    #[command(hide = true)]
    TestWorker(WorkerArgs),
}

/// Arguments of `ravel run`.
#[derive(Args, Debug)]
#[command(
    after_help = "Values are written as in programs: 3, -2.5, true, [1, 2, 3], [[1], [2, 3]], (1, 2.0), \"text\".
A number without a type suffix gets the type of the parameter. @FILE reads a value from a file: .npy,
.npz (@f.npz:name for one member), .csv, .tsv, .json, .png, .pgm, .ppm, or else text or binary; .gz
files are unpacked. @- is standard input. @csv:FILE or @npy:- reads this format, whatever the ending;
@bytes:FILE reads any file as []u8. Without arguments, values are read from standard input as text,
binary or .npy.

Examples:
  ravel run primes.rv 100
  ravel run program.rv --entry norm '[3.0, 4.0]'
  ravel run matmul.rv @a.npy @b.npy -o product.npy
  ravel run mandelbrot.rv -e picture 640 480 -o mandelbrot.png
  echo '[1, 2, 3]' | ravel run sum.rv"
)]
pub struct RunArgs {
    /// The program
    pub file: PathBuf,
    /// One value for each parameter: text, or @FILE
    #[arg(value_name = "ARG")]
    pub args: Vec<String>,
    /// The entry point [default: main, or the only one]
    #[arg(short, long, value_name = "NAME")]
    pub entry: Option<String>,
    /// How to run it: multicore, c or interp [default: multicore if there is a C compiler, else interp]
    #[arg(long, value_name = "NAME", value_parser = backend::parse_one)]
    pub backend: Option<Backend>,
    /// Write the results to a file: .txt, .bin, .npy, .npz, .csv, .tsv, .json, .pgm, .ppm, .png (and .gz after
    /// them); `-` is standard output; csv:FILE or csv:- writes this format, whatever the ending
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Print []u8 as text
    #[arg(long)]
    pub text: bool,
    /// Limit the memory of the program, in MiB [default: three quarters of what is available]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Run on N threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub threads: Option<std::num::NonZero<usize>>,
    /// Show on standard error what the run took: memory, allocations, parallel loops, time in the loops of each line
    #[arg(long)]
    pub stats: bool,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
    /// Verify the output of each pass of the compiler
    #[arg(long)]
    pub verify: bool,
}

/// Arguments of `ravel build`.
#[derive(Args, Debug)]
#[command(
    after_help = "An executable takes arguments as `ravel run` does, but reads and writes only text, binary, .npy and
.npz; its --help says more. A library is a folder with NAME.c, NAME.h, libNAME.so and manifest.json,
where NAME is that of the program.

Examples:
  ravel build matmul.rv -o matmul
  ravel build --lib stats.rv -o stats
  ravel build program.rv --entry norm --backend c"
)]
pub struct BuildArgs {
    /// The program
    pub file: PathBuf,
    /// Make a C library
    #[arg(long)]
    pub lib: bool,
    /// Where to put it: a file, or with --lib a folder [default: the program's name]
    #[arg(short, long, value_name = "NAME")]
    pub output: Option<PathBuf>,
    /// Only these entry points [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// How it runs: c on one thread, multicore on all cores
    #[arg(long, value_name = "NAME", default_value = "multicore", value_parser = backend::parse_native)]
    pub backend: Backend,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
    /// Verify the output of each pass of the compiler
    #[arg(long)]
    pub verify: bool,
}

/// Arguments of `ravel cache`.
#[derive(Args, Debug)]
pub struct CacheArgs {
    /// What to do [default: show]
    #[command(subcommand)]
    pub action: Option<CacheAction>,
}

/// What to do with the cached code.
#[derive(Subcommand, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheAction {
    /// Show the folder and how much is in it
    Show,
    /// Empty it
    Clear,
}

/// Arguments of `ravel check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The programs
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print one JSON object for each message, on standard output
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ravel types`.
#[derive(Args, Debug)]
pub struct TypesArgs {
    /// The program
    pub file: PathBuf,
    /// Which definitions [default: all of the file]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

/// Arguments of `ravel explain`.
#[derive(Args, Debug)]
#[command(
    after_help = "Below each line of the program: what was fused, hoisted, checked, run in parallel, copied or allocated,
and what was not and why.

Examples:
  ravel explain program.rv
  ravel explain program.rv --json"
)]
pub struct ExplainArgs {
    /// The program
    pub file: PathBuf,
    /// Print one JSON object with all loops and remarks
    #[arg(long)]
    pub json: bool,
    /// Show how long each pass of the compiler took, on standard error
    #[arg(long)]
    pub timings: bool,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
    /// Verify the output of each pass of the compiler
    #[arg(long)]
    pub verify: bool,
}

/// Arguments of `ravel ir`.
#[derive(Args, Debug)]
pub struct IrArgs {
    /// The program
    pub file: PathBuf,
    /// How far to translate it
    #[arg(long, value_name = "STAGE", value_enum, default_value_t = Stage::Core)]
    pub stage: Stage,
    /// Only this entry point [default: all]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Show how long each pass of the compiler took, on standard error
    #[arg(long)]
    pub timings: bool,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
    /// Verify the output of each pass of the compiler
    #[arg(long)]
    pub verify: bool,
}

/// Tools for work on the compiler.
#[derive(Subcommand, Debug)]
pub enum DevCommand {
    /// Run a list of passes and show the result
    Passes(PassesArgs),
}

/// Arguments of `ravel dev passes`.
#[derive(Args, Debug)]
#[command(after_help = passes_help())]
pub struct PassesArgs {
    /// The passes, separated by commas
    pub passes: String,
    /// A program, or the text of Core (.core) or Kernel (.kernel)
    pub file: PathBuf,
    /// For `run`: one value for each parameter
    #[arg(value_name = "ARG")]
    pub args: Vec<String>,
    /// For `run`: the entry point [default: main, or the first]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
}

/// A stage of translation.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Core: what is computed
    Core,
    /// Kernel: loops and memory
    Kernel,
    /// C, as given to the C compiler
    C,
}

/// Arguments of `ravel test`.
#[derive(Args, Debug)]
#[command(after_help = "Folders are searched for .rv and .fut files. A file without a test block is only checked.
Integers and booleans must be equal. Floats may differ by 1e-6 (f64), 1e-4 (f32; 2e-3 in .fut files,
as in Futhark) or 1e-2 (f16), relative to the largest expected number in the same array, or to 1.
The last line is `N passed, N failed, N skipped (BACKEND)`; the status is 1 if anything failed.

Examples:
  ravel test tests/ examples/
  ravel test program.rv --json
  ravel test slow.rv --timeout 600")]
pub struct TestArgs {
    /// Programs and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How to run them, or `all` [default: that of `ravel run`]
    #[arg(long, value_name = "NAME", value_parser = backend::parse_some)]
    pub backend: Option<Backends>,
    /// Print one JSON object for each case
    #[arg(long)]
    pub json: bool,
    /// Report the cases that passed, too
    #[arg(short, long)]
    pub verbose: bool,
    /// Stop a case after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive)]
    pub timeout: f64,
    /// Stop a case that needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub memory: u64,
    /// How many files to test at once [default: one for each core]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<std::num::NonZero<usize>>,
    /// Run the cases of a file in an executable, as `ravel build` makes it
    #[arg(long)]
    pub built: bool,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
    /// Verify the output of each pass of the compiler
    #[arg(long)]
    pub verify: bool,
}

/// Arguments of `ravel bench`.
#[derive(Args, Debug)]
#[command(
    after_help = "Each case of a test block runs until the median of its times is known to 2%, or the time limit is reached.
Only the entry point is timed: neither compilation nor the input. Cases tagged `nobench` or `notest`
and cases that expect an error are left out.

Examples:
  ravel bench program.rv
  ravel bench program.rv --backend c,multicore --json new.json
  ravel bench --compare old.json new.json"
)]
pub struct BenchArgs {
    /// The program
    #[arg(required_unless_present = "compare", conflicts_with = "compare")]
    pub file: Option<PathBuf>,
    /// Only cases of this entry point [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub entry: Option<String>,
    /// How to run it; several names, separated by commas, are shown side by side [default: that of `ravel run`]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = backend::parse_one)]
    pub backend: Vec<Backend>,
    /// Write the results, with all times, to a JSON file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Compare two such files
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"])]
    pub compare: Option<Vec<PathBuf>>,
    /// Stop repeating a case after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = positive)]
    pub limit: f64,
    /// Run `multicore` on N threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub threads: Option<std::num::NonZero<usize>>,
    /// Limit the memory of the program, in MiB [default: three quarters of what is available]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
}

/// Arguments of the hidden `ravel test-worker`.
#[derive(Args, Debug)]
pub struct WorkerArgs {
    /// The program
    pub file: PathBuf,
    /// How to run it
    #[arg(long, value_parser = backend::parse_one)]
    pub backend: Backend,
    /// The first case to run
    #[arg(long)]
    pub from: usize,
    /// Memory limit in MiB
    #[arg(long)]
    pub memory: u64,
    /// Time limit in seconds for executables
    #[arg(long)]
    pub timeout: f64,
    /// A folder for executables, if cases run by them
    #[arg(long)]
    pub built: Option<PathBuf>,
    /// How it computes floats: fast (functions with at most 4 ulp, vectors in loops, fused multiply-add) or strict (functions of the C library, every operation rounded)
    #[arg(long, value_name = "MODE", default_value = "fast", value_parser = math)]
    pub math: Math,
    /// Verify the output of each pass of the compiler
    #[arg(long)]
    pub verify: bool,
}

/// Arguments of `ravel error`.
#[derive(Args, Debug)]
pub struct ErrorArgs {
    /// The code, such as E0030 [default: list all]
    pub code: Option<String>,
}

fn math(text: &str) -> Result<Math, String> {
    Math::from_name(text).ok_or_else(|| "`fast` or `strict` is expected".into())
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("a number of seconds above 0 is expected".into()),
    }
}

/// Replaces the minus sign of a negative value while the command line is parsed.
const MINUS: char = '\u{1}';

/// Marks arguments of `run` and `dev` that are negative values (`-3i64`, `-f32.inf`), which would be parsed as options.
pub fn protect_negative_values(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    if args.get(1).is_some_and(|command| command == "run" || command == "dev") {
        for arg in args.iter_mut().skip(2) {
            if let Some(rest) = arg.to_str().and_then(|a| a.strip_prefix('-')).filter(|rest| reads_as_number(rest)) {
                *arg = format!("{MINUS}{rest}").into();
            }
        }
    }
    args
}

fn reads_as_number(text: &str) -> bool {
    let special = ["f16.", "f32.", "f64.", "inf", "nan"];
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.') || special.iter().any(|s| text.starts_with(s))
}

/// The argument as the user wrote it.
pub fn unprotect(arg: &str) -> String {
    match arg.strip_prefix(MINUS) {
        Some(rest) => format!("-{rest}"),
        None => arg.into(),
    }
}

/// The text below the help of `dev passes`.
fn passes_help() -> String {
    format!(
        "Passes:
{}  run        run an entry point: Core on its interpreter, Kernel as native code
  print      show the text in between

The text of the last stage is shown at the end, unless the last of the list is `verify` or `run`.

Examples:
  ravel dev passes core program.rv
  ravel dev passes desugar,sweep,verify program.rv
  ravel dev passes copies,verify,run file.core '[1, 2, 3]'
  ravel dev passes lower,verify,c file.core",
        driver::stages::listed()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn negative_values_are_no_options() {
        let args = ["ravel", "run", "f.rv", "-3i64", "-o", "x.npy", "-f32.inf", "-2.5"].map(OsString::from);
        let cli = Cli::parse_from(protect_negative_values(args.into_iter()));
        let Command::Run(run) = cli.command else { panic!("not a run") };
        let values: Vec<String> = run.args.iter().map(|a| unprotect(a)).collect();
        assert_eq!(values, ["-3i64", "-f32.inf", "-2.5"]);
        assert_eq!(run.output.as_deref(), Some("x.npy"));
    }
}
