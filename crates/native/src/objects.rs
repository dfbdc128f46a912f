//! Code of the run-time system that is the same for many programs, so that it was compiled together with Ravel itself.

use crate::{Compiler, NativeError};
use std::path::{Path, PathBuf};

/// The front of executables (`runtime/c/front.c`) in C.
const FRONT_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/front.c"));

/// What the C compiler made of it when Ravel itself was compiled; nothing if there was no C compiler.
const FRONT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/front.o"));

/// The same of the functions that most programs can be linked with (`runtime/c/linked.c`), for one thread and for several.
const LINKED: [&[u8]; 2] =
    [include_bytes!(concat!(env!("OUT_DIR"), "/linked0.o")), include_bytes!(concat!(env!("OUT_DIR"), "/linked1.o"))];

/// The same for processors with vectors as long as a line of the cache.
const LINKED_LONG: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/linked_long0.o")),
    include_bytes!(concat!(env!("OUT_DIR"), "/linked_long1.o")),
];

/// The front as a file in a folder; compiled again unless compiler and flags are the usual ones.
pub(crate) fn front(compiler: &Compiler, flags: &[String], usual: bool, folder: &Path) -> Result<PathBuf, NativeError> {
    let object = folder.join("front.o");
    if usual && !FRONT.is_empty() {
        write(&object, FRONT)?;
        return Ok(object);
    }
    let text = folder.join("front.c");
    write(&text, FRONT_TEXT.as_bytes())?;
    compiler.object(flags, &text, &object)?;
    Ok(object)
}

/// The functions to link programs with; nothing if there was no C compiler.
fn functions(parallel: bool) -> &'static [u8] {
    let all = if has_long_vectors() { LINKED_LONG } else { LINKED };
    all[usize::from(parallel)]
}

/// Whether the processor has all that `-march=x86-64-v4` asks for.
#[cfg(target_arch = "x86_64")]
fn has_long_vectors() -> bool {
    use std::arch::is_x86_feature_detected as has;
    let vectors = has!("avx512f") && has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
    vectors
        && has!("avx2")
        && has!("fma")
        && has!("f16c")
        && has!("bmi1")
        && has!("bmi2")
        && has!("lzcnt")
        && has!("movbe")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_long_vectors() -> bool {
    false
}

/// Whether there are functions to link programs with.
pub(crate) fn can_link(parallel: bool) -> bool {
    !functions(parallel).is_empty()
}

/// These functions as a file in a folder.
pub(crate) fn linked(parallel: bool, folder: &Path) -> Result<PathBuf, NativeError> {
    let object = folder.join("linked.o");
    write(&object, functions(parallel))?;
    Ok(object)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), NativeError> {
    std::fs::write(path, bytes).map_err(|error| NativeError::File { what: "write", path: path.to_owned(), error })
}
