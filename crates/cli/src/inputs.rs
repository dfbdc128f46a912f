//! Values from the command line, from files and from standard input.

use crate::disk;
use crate::place::Place;
use flate2::read::MultiGzDecoder;
use std::fs;
use std::io::Read;
use std::path::Path;
use value::{Format, FormatError, Value, ValueType, Values, npz, text};

/// How `.gz` files begin.
const GZ: &[u8] = b"\x1f\x8b";

/// The values of the arguments, one for each parameter.
pub fn from_arguments(args: &[String], types: &[ValueType]) -> Result<Vec<Value>, String> {
    let places: Vec<Option<Place>> = args.iter().map(|arg| arg.strip_prefix('@').map(Place::parse)).collect();
    if places.iter().flatten().filter(|place| place.path.is_none()).count() > 1 {
        return Err("standard input (@-) can be only one of the arguments".into());
    }
    let mut values = Vec::new();
    for (index, (arg, place)) in args.iter().zip(&places).enumerate() {
        let expected = types.get(index);
        let wrong =
            |error: FormatError| format!("argument {} `{arg}`: {}{}", index + 1, error.message, advice(arg, expected));
        values.push(match place {
            Some(place) => one(place, expected)?,
            None => text::parse_one(arg, expected).map_err(wrong)?,
        });
    }
    Ok(values)
}

/// Advice for an argument that looks like text or a file name.
fn advice(arg: &str, expected: Option<&ValueType>) -> String {
    let is_word = arg.starts_with(|c: char| c.is_alphabetic());
    match expected {
        Some(ty) if is_word && *ty == ValueType::regular(1, scalar::Prim::U8) => {
            format!("; text needs quotes: '\"{arg}\"'")
        }
        _ if Path::new(arg).is_file() => format!("; to read the file write @{arg}"),
        _ => String::new(),
    }
}

/// The one value of a file or of standard input.
fn one(place: &Place, expected: Option<&ValueType>) -> Result<Value, String> {
    let bytes = match &place.path {
        Some(path) => read(path)?,
        None => standard_input()?,
    };
    let format = place.format.or_else(|| Format::detect(&bytes)).unwrap_or(Format::Text);
    let value = match &place.member {
        Some(member) => npz::read_member(&bytes, member, expected),
        None => format.read(&bytes, expected),
    };
    value.map_err(|e| format!("{place}: {e}"))
}

/// All values of a file; the first ones must have the expected types. `.gz` files are unpacked first.
pub fn from_file(path: &Path, types: &[ValueType]) -> Result<Vec<Value>, String> {
    let place = Place::of_file(path);
    match place.format {
        None | Some(Format::Text | Format::Binary) => {
            from_bytes(&read(path)?, types).map_err(|message| format!("{place}: {message}"))
        }
        Some(_) => one(&place, types.first()).map(|value| vec![value]),
    }
}

/// All values in some bytes, as text or binary.
pub fn from_bytes(bytes: &[u8], types: &[ValueType]) -> Result<Vec<Value>, String> {
    let mut reader = Values::new(bytes);
    let mut values = Vec::new();
    while let Some(value) = reader.next_value(types.get(values.len())) {
        values.push(value.map_err(|e| e.to_string())?);
    }
    Ok(values)
}

/// The values of standard input, one for each type, or fewer if there are no more; and whether something follows them.
pub fn from_standard_input(types: &[ValueType]) -> Result<(Vec<Value>, bool), String> {
    let bytes = standard_input()?;
    // A file in one of these formats holds only one value.
    if let ([expected], Some(format)) = (types, Format::detect(&bytes).filter(|format| *format != Format::Npy)) {
        let value = format.read(&bytes, Some(expected)).map_err(|e| format!("standard input: {e}"))?;
        return Ok((vec![value], false));
    }
    let mut reader = Values::new(&bytes);
    let values = types.iter().map_while(|expected| reader.next_value(Some(expected)));
    let values = values.collect::<Result<_, _>>().map_err(|e| format!("standard input: {e}"))?;
    Ok((values, !reader.is_at_end()))
}

/// Everything on standard input, unpacked if it begins like a `.gz` file.
fn standard_input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|e| format!("standard input cannot be read: {}", disk::reason(&e)))?;
    if bytes.starts_with(GZ) {
        unpack(&bytes).map_err(|message| format!("standard input: {message}"))
    } else {
        Ok(bytes)
    }
}

/// The bytes of a file, unpacked if it is a `.gz`.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {}", path.display(), disk::reason(&e)))?;
    if !Place::of_file(path).is_packed() {
        return Ok(bytes);
    }
    unpack(&bytes).map_err(|message| format!("{}: {message}", path.display()))
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, String> {
    if bytes.len() >= GZ.len() && !bytes.starts_with(GZ) {
        return Err(r"byte 0: this is not a .gz file: it does not start with \x1f\x8b".into());
    }
    let mut unpacked = Vec::new();
    match MultiGzDecoder::new(bytes).read_to_end(&mut unpacked) {
        Ok(_) => Ok(unpacked),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(format!("byte {}: the file is cut off", bytes.len()))
        }
        Err(_) => Err("the file is damaged: it cannot be unpacked".into()),
    }
}
