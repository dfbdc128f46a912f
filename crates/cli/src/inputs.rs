//! Values from the command line, from files and from standard input.

use crate::disk;
use flate2::read::GzDecoder;
use std::fs;
use std::io::Read;
use std::path::Path;
use value::{Value, ValueType, Values, npy, npz, text};

/// The values of the arguments, one for each parameter.
pub fn from_arguments(args: &[String], types: &[ValueType]) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let expected = types.get(index);
        match arg.strip_prefix('@') {
            Some(path) => values.push(one_from_file(Path::new(path), expected)?),
            None => values.push(
                text::parse_one(arg, expected).map_err(|e| format!("argument {} `{arg}`: {}", index + 1, e.message))?,
            ),
        }
    }
    Ok(values)
}

/// One value from a file: `.npy` and `.npz` by their extension, otherwise text or binary.
fn one_from_file(path: &Path, expected: Option<&ValueType>) -> Result<Value, String> {
    let expected: Vec<ValueType> = expected.cloned().into_iter().collect();
    let mut values = from_file(path, &expected)?;
    match values.len() {
        1 => Ok(values.remove(0)),
        n => Err(format!("{}: there are {n} values, but one is expected", path.display())),
    }
}

/// All values of a file, of the expected types as far as those go. `.gz` files are unpacked first.
pub fn from_file(path: &Path, types: &[ValueType]) -> Result<Vec<Value>, String> {
    let bytes = read(path)?;
    let inner = if is(path, "gz") { path.with_extension("") } else { path.into() };
    let named = |message: String| format!("{}: {message}", path.display());
    let of_numpy = if is(&inner, "npy") {
        Some(npy::read(&bytes))
    } else if is(&inner, "npz") {
        Some(npz::read(&bytes))
    } else {
        None
    };
    if let Some(value) = of_numpy {
        let value = value.map_err(|e| named(e.to_string()))?;
        let value = match types.first() {
            Some(expected) => value.fit(expected).map_err(named)?,
            None => value,
        };
        return Ok(vec![value]);
    }
    from_bytes(&bytes, types).map_err(named)
}

/// All values of some bytes, text or binary.
pub fn from_bytes(bytes: &[u8], types: &[ValueType]) -> Result<Vec<Value>, String> {
    let mut reader = Values::new(bytes);
    let mut values = Vec::new();
    while let Some(value) = reader.next_value(types.get(values.len())) {
        values.push(value.map_err(|e| e.to_string())?);
    }
    Ok(values)
}

/// All values of standard input.
pub fn from_standard_input(types: &[ValueType]) -> Result<Vec<Value>, String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|e| format!("standard input cannot be read: {}", disk::reason(&e)))?;
    from_bytes(&bytes, types).map_err(|message| format!("standard input: {message}"))
}

/// The bytes of a file, unpacked if it is a `.gz`.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let named = |e: std::io::Error| format!("{}: {}", path.display(), disk::reason(&e));
    let bytes = fs::read(path).map_err(named)?;
    if !is(path, "gz") {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).map_err(named)?;
    Ok(unpacked)
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
