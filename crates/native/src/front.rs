//! The front of executables (`runtime/c/front.c`), which is the same for all of them.

use crate::{Compiler, NativeError};
use std::path::{Path, PathBuf};

/// Its text.
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/front.c"));

/// What the C compiler made of it when Ravel itself was compiled; nothing if there was no C compiler.
const CODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/front.o"));

/// Its code as a file in a folder; compiled again unless compiler and flags are the usual ones.
pub(crate) fn object(
    compiler: &Compiler,
    flags: &[String],
    usual: bool,
    folder: &Path,
) -> Result<PathBuf, NativeError> {
    let object = folder.join("front.o");
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|error| NativeError::File { what: "write", path: path.to_owned(), error })
    };
    if usual && !CODE.is_empty() {
        write(&object, CODE)?;
        return Ok(object);
    }
    let text = folder.join("front.c");
    write(&text, TEXT.as_bytes())?;
    compiler.object(flags, &text, &object)?;
    Ok(object)
}
