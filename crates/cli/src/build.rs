//! `ravel build`: executables and C libraries.

mod manifest;

use crate::args::BuildArgs;
use crate::{backend, bug, check, out};
use base::{Diagnostic, spell};
use driver::Compiled;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use typed::{DefId, Program};

/// Compiles a program into files.
pub fn run(options: &BuildArgs) -> ExitCode {
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    compiled.math = options.math;
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::status::FAULT) };
    match build(options, &compiled, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Words(message)) => {
            out::error(message);
            ExitCode::from(crate::status::FAULT)
        }
        Err(Trouble::Program(error)) => bug::tell(&compiled, &error),
    }
}

/// Why building failed.
enum Trouble {
    /// An error in files, tools or options.
    Words(String),
    /// The program cannot be compiled.
    Program(Box<Diagnostic>),
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Words(message)
    }
}

impl From<Diagnostic> for Trouble {
    fn from(error: Diagnostic) -> Trouble {
        Trouble::Program(Box::new(error))
    }
}

fn build(options: &BuildArgs, compiled: &Compiled, program: &Program) -> Result<(), Trouble> {
    let entries = chosen(options, program)?;
    let core = driver::core(compiled, program, &entries)?;
    let kernel = driver::kernel(&core, compiled.math, compiled.verify)?;
    let types: Vec<String> = entries.iter().map(|def| signature(program, *def)).collect();
    if options.lib {
        library(options, compiled, &kernel, &types)
    } else {
        executable(options, compiled, &kernel, &types)
    }
}

/// The entry points to build: those asked for, or all.
fn chosen(options: &BuildArgs, program: &Program) -> Result<Vec<DefId>, String> {
    let names = || program.entries.iter().map(|id| program.defs[*id].name.as_str());
    let find = |name: &String| {
        driver::signature::find_entry(program, name).ok_or_else(|| match spell::closest(name, names()) {
            Some(known) => format!("there is no entry point `{name}`; did you mean `{known}`?"),
            None => format!("there is no entry point `{name}`"),
        })
    };
    let entries: Vec<DefId> = match options.entry.as_slice() {
        [] => program.entries.clone(),
        asked => asked.iter().map(find).collect::<Result<_, _>>()?,
    };
    // As for `ravel run`, `main` counts even without `entry`.
    let entries = match entries.is_empty() {
        true => driver::signature::find_entry(program, "main").into_iter().collect(),
        false => entries,
    };
    if entries.is_empty() {
        return Err("the program has no entry points: write `entry` in place of `def` in front of one".into());
    }
    Ok(entries)
}

fn signature(program: &Program, def: DefId) -> String {
    let def = &program.defs[def];
    program.show_scheme(&def.type_params, &def.ty())
}

/// The name of the file without its ending.
fn stem(file: &Path) -> String {
    file.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned())
}

fn native_options(options: &BuildArgs) -> native::Options {
    native::Options { parallel: options.backend != backend::Backend::C, ..Default::default() }
}

fn executable(
    options: &BuildArgs,
    compiled: &Compiled,
    kernel: &kernel::Program,
    types: &[String],
) -> Result<(), Trouble> {
    let name = stem(&options.file);
    let target = options.output.clone().unwrap_or_else(|| PathBuf::from(&name));
    if target.is_dir() {
        return Err(format!("{}: this is a folder; choose a name with -o", target.display()).into());
    }
    let native_options = native_options(options);
    let file = options.file.display().to_string();
    let c = driver::executable(compiled, kernel, &name, &file, types);
    let native_options = native::Options { units: c.units, linked: c.linked, ..native_options };
    native::build(&c.text, &target, native::Product::Executable, &native_options)
        .map_err(|error| error.to_string().into())
}

fn library(
    options: &BuildArgs,
    compiled: &Compiled,
    kernel: &kernel::Program,
    types: &[String],
) -> Result<(), Trouble> {
    let name = c_name(&stem(&options.file))?;
    let folder = options.output.clone().unwrap_or_else(|| PathBuf::from(&name));
    let mut native_options = native_options(options);
    let library = driver::library(compiled, kernel, &name, types)
        .map_err(|(entry, why)| format!("the entry point {entry} cannot be called from C: {why}"))?;
    let write = |ending: &str, text: &str| {
        let path = folder.join(ending);
        std::fs::write(&path, text).map_err(|error| format!("{}: {}", path.display(), crate::disk::reason(&error)))
    };
    let made = std::fs::create_dir_all(&folder);
    made.map_err(|error| format!("{}: {}", folder.display(), crate::disk::reason(&error)))?;
    write(&format!("{name}.h"), &library.header)?;
    // A user who compiles this C file gets the back end that was chosen here.
    let source = if native_options.parallel {
        library.source.clone()
    } else {
        format!("#define RV_THREADS 0\n{}", library.source)
    };
    write(&format!("{name}.c"), &source)?;
    write("manifest.json", &manifest::text(&name, &options.file, &library))?;
    native_options.flags.push(format!("-I{}", folder.display()));
    (native_options.units, native_options.linked) = (library.units, library.linked);
    let object = folder.join(format!("lib{name}.so"));
    native::build(&source, &object, native::Product::Library, &native_options).map_err(|error| error.to_string().into())
}

/// Headers that programs in C and C++ include by these names.
const SYSTEM_HEADERS: &str = "alloca assert complex ctype dirent dlfcn errno fcntl fenv features float inttypes iso646 limits \
    locale malloc math memory mpi omp poll pthread sched semaphore setjmp signal stdalign stdarg stdatomic stdbool stddef \
    stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar wctype";

/// The name of a file as an identifier of C.
fn c_name(stem: &str) -> Result<String, String> {
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if SYSTEM_HEADERS.split(' ').any(|header| header == name) {
        return Err(format!("{stem}: the library's header would hide the system's {name}.h: rename the file"));
    }
    match name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.starts_with("rv_") {
        true => Ok(name),
        false => {
            Err(format!("{stem}: a library needs a name that begins with a letter and not with `rv_`: rename the file"))
        }
    }
}
