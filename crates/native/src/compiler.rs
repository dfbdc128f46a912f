//! The C compiler: which one, how it is called.

use crate::{NativeError, processor};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names that are tried one after the other.
const NAMES: [&str; 3] = ["cc", "gcc", "clang"];

/// Flags for every compilation. Floating-point results must not depend on the compiler's mood, hence no contraction;
/// neither `errno` nor floating-point exceptions are ever looked at. A recursive function that became a loop would never notice that it is too deep.
/// What is not declared is a mistake, also behind headers that the user includes first.
const FLAGS: [&str; 8] = [
    "-std=c11",
    "-D_GNU_SOURCE",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-optimize-sibling-calls",
    "-Werror=implicit-function-declaration",
    "-pthread",
];

/// Loops become vectors where that pays. What else `-O3` does (loops are unrolled, peeled and split) takes the C compiler
/// half as much time again and does not make our loops faster: those that gain from it say so. Clang weighs the cost of vectors
/// without being told, and need not warn about that.
pub(crate) const VECTORS: [&str; 3] = ["-ftree-vectorize", "-fvect-cost-model", "-Wno-ignored-optimization-argument"];

/// A C compiler.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program.
    pub path: PathBuf,
    /// Arguments that come first, as in `ccache gcc`.
    prefix: Vec<String>,
}

impl Compiler {
    /// The compiler that was asked for, or the one of `RAVEL_CC`, or the first that is installed.
    pub fn find(asked: Option<&str>) -> Result<Compiler, NativeError> {
        let asked = asked.map(str::to_owned).or_else(|| std::env::var("RAVEL_CC").ok());
        match asked.as_deref().map(str::trim).filter(|asked| !asked.is_empty()) {
            Some(command) => {
                let mut words = command.split_whitespace().map(str::to_owned);
                let name = words.next().unwrap_or_default();
                let path = search(&name).ok_or(NativeError::NoCompiler(vec![name]))?;
                Ok(Compiler { path, prefix: words.collect() })
            }
            None => NAMES
                .into_iter()
                .find_map(search)
                .map(|path| Compiler { path, prefix: Vec::new() })
                .ok_or_else(|| NativeError::NoCompiler(NAMES.map(str::to_owned).to_vec())),
        }
    }

    /// What tells this compiler, with the flags it always gets, from another one, without running it.
    pub(crate) fn identity(&self) -> String {
        let real = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let file = std::fs::metadata(&real);
        let size = file.as_ref().map_or(0, |file| file.len());
        let modified = file.and_then(|file| file.modified());
        let age = modified.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let age = age.map_or(0, |age| age.as_nanos());
        let aligned = processor::has_slow_jumps();
        format!("{} {:?} {FLAGS:?} {aligned} {size} {age}", real.display(), self.prefix)
    }

    /// Compiles a file and links it with others; the error is what the compiler said.
    pub(crate) fn run(&self, flags: &[String], from: &Path, others: &[PathBuf], to: &Path) -> Result<(), NativeError> {
        let files: Vec<&Path> = [from].into_iter().chain(others.iter().map(PathBuf::as_path)).collect();
        self.compile(|| self.command(flags, &files, to), &["-lm".into()], to)
    }

    /// Compiles a file into an object that can be linked, without much optimisation.
    pub(crate) fn object(&self, flags: &[String], from: &Path, to: &Path) -> Result<(), NativeError> {
        self.compile(|| self.command(&lightly(flags), &[from], to), &["-c".into()], to)
    }

    /// The same by several compilers at once, each of which takes its part of the text (see `RV_UNITS` in
    /// `runtime/c/base.h`): so many for the loops, and one that optimises less for what leads from one to the next.
    pub(crate) fn run_units(
        &self,
        units: usize,
        flags: &[String],
        from: &Path,
        others: &[PathBuf],
        to: &Path,
    ) -> Result<(), NativeError> {
        let object = |unit: usize| to.with_extension(format!("{unit}.o"));
        let objects = Objects((0..=units).map(object).collect());
        // What the whole is to be is for the linker to know.
        let compiling: Vec<String> = flags.iter().filter(|flag| *flag != "-shared").cloned().collect();
        let leading = lightly(&compiling);
        let (compiling, leading) = (&compiling, &leading);
        let one = |unit: usize| {
            let flags = if unit == units { leading } else { compiling };
            let number = if unit == units { "-1".into() } else { unit.to_string() };
            let own = ["-c".into(), format!("-DRV_UNITS={units}"), format!("-DRV_UNIT={number}")];
            self.compile(|| self.command(flags, &[from], &objects.0[unit]), &own, &objects.0[unit])
        };
        std::thread::scope(|scope| {
            let rest: Vec<_> = (1..=units).map(|unit| scope.spawn(move || one(unit))).collect();
            let first = one(0);
            let trouble = |_| Err(NativeError::CompilerFailed { command: String::new(), output: String::new() });
            rest.into_iter().map(|other| other.join().unwrap_or_else(trouble)).fold(first, Result::and)
        })?;
        let files: Vec<&Path> = objects.0.iter().chain(others).map(PathBuf::as_path).collect();
        self.finish(self.command(flags, &files, to).arg("-lm"), to)
    }

    fn command(&self, flags: &[String], from: &[&Path], to: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.prefix).args(FLAGS).args(flags).arg("-o").arg(to).args(from);
        // The compiler's own files go where ours are: no other user can enter.
        if let Some(folder) = to.parent() {
            command.env("TMPDIR", folder);
        }
        command
    }

    /// Compiles with these flags at the end, and those that this processor asks for, if the compiler understands them.
    fn compile(&self, command: impl Fn() -> Command, last: &[String], to: &Path) -> Result<(), NativeError> {
        loop {
            let aligned = processor::aligned_jumps();
            match self.finish(command().args(aligned).args(last), to) {
                Err(NativeError::CompilerFailed { output, .. }) if processor::refuses(aligned, &output) => {}
                done => return done,
            }
        }
    }

    fn finish(&self, command: &mut Command, to: &Path) -> Result<(), NativeError> {
        let shown = format!("{command:?}").replace('"', "");
        let output = command.output().map_err(|error| NativeError::CannotRun { compiler: self.path.clone(), error })?;
        if output.status.success() && to.is_file() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = if said.trim().is_empty() { format!("it ended with {}", output.status) } else { said };
        Err(NativeError::CompilerFailed { command: shown, output: said })
    }
}

/// The same flags for code that need not be as fast as it can be.
fn lightly(flags: &[String]) -> Vec<String> {
    let kept = flags.iter().filter(|flag| !VECTORS.contains(&flag.as_str()));
    kept.map(|flag| if ["-O2", "-O3"].contains(&flag.as_str()) { "-O1".into() } else { flag.clone() }).collect()
}

/// Files between compiling and linking, which nothing needs afterwards.
struct Objects(Vec<PathBuf>);

impl Drop for Objects {
    fn drop(&mut self) {
        self.0.iter().for_each(|path| drop(std::fs::remove_file(path)));
    }
}

/// A program by name in `PATH`, or by its path.
fn search(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
