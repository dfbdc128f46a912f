//! Values from the command line, from files and from standard input.

use crate::disk;
use flate2::read::MultiGzDecoder;
use std::fs;
use std::io::Read;
use std::path::Path;
use value::{Value, ValueType, Values, npy, npz, text};

/// How `.gz` files begin.
const GZ: &[u8] = b"\x1f\x8b";

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
    let bytes = read(path)?;
    if let Some(value) = of_numpy(path, &bytes, &expected) {
        return value;
    }
    let mut reader = Values::new(&bytes);
    let value = reader.next_value(expected.first());
    let value = value.transpose().map_err(|e| format!("{}: {e}", path.display()))?;
    let wrong = |words: &str, line: usize| Err(format!("{}: line {line}: {words}", path.display()));
    match value {
        None => wrong("there is no value", reader.line()),
        Some(_) if !reader.is_at_end() => wrong("there is more than one value", reader.line()),
        Some(value) => Ok(value),
    }
}

/// All values of a file, of the expected types as far as those go. `.gz` files are unpacked first.
pub fn from_file(path: &Path, types: &[ValueType]) -> Result<Vec<Value>, String> {
    let bytes = read(path)?;
    match of_numpy(path, &bytes, types) {
        Some(value) => value.map(|value| vec![value]),
        None => from_bytes(&bytes, types).map_err(|message| format!("{}: {message}", path.display())),
    }
}

/// The value of one of NumPy's files, if the name says that it is one.
fn of_numpy(path: &Path, bytes: &[u8], types: &[ValueType]) -> Option<Result<Value, String>> {
    let inner = if is(path, "gz") { path.with_extension("") } else { path.into() };
    let named = |message: String| format!("{}: {message}", path.display());
    let value = if is(&inner, "npy") {
        npy::read(bytes)
    } else if is(&inner, "npz") {
        npz::read(bytes)
    } else {
        return None;
    };
    let value = value.map_err(|e| named(e.to_string()));
    Some(value.and_then(|value| match types.first() {
        Some(expected) => value.fit(expected).map_err(named),
        None => Ok(value),
    }))
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

/// The values of standard input, one for each type; fewer if there are no more. Says too whether something follows them.
pub fn from_standard_input(types: &[ValueType]) -> Result<(Vec<Value>, bool), String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|e| format!("standard input cannot be read: {}", disk::reason(&e)))?;
    let mut reader = Values::new(&bytes);
    let values = types.iter().map_while(|expected| reader.next_value(Some(expected)));
    let values = values.collect::<Result<_, _>>().map_err(|e| format!("standard input: {e}"))?;
    Ok((values, !reader.is_at_end()))
}

/// The bytes of a file, unpacked if it is a `.gz`.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let named = |e: std::io::Error| format!("{}: {}", path.display(), disk::reason(&e));
    let bytes = fs::read(path).map_err(named)?;
    if !is(path, "gz") {
        return Ok(bytes);
    }
    let wrong = |message: String| Err(format!("{}: {message}", path.display()));
    if bytes.len() >= GZ.len() && !bytes.starts_with(GZ) {
        return wrong(r"byte 0: this is not a .gz file: it does not start with \x1f\x8b".into());
    }
    let mut unpacked = Vec::new();
    match MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked) {
        Ok(_) => Ok(unpacked),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            wrong(format!("byte {}: the file is cut off", bytes.len()))
        }
        Err(_) => wrong("the file is damaged: it cannot be unpacked".into()),
    }
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
