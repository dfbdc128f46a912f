//! Pictures as arrays: `[h][w]u8` in shades of grey, `[h][w][3]u8` in colour (red, green, blue).
//!
//! Row 0 is at the top; 0 is black and 255 is white. Samples of 16 bits are read if `u16` is expected, and written from
//! `u16`. A file with another maximum is scaled, so that white stays white; transparency is ignored. `[h][w]bool` is written as
//! black and white.

mod png;
mod pnm;
mod samples;

use crate::{Array, Format, FormatError, PrimVec, Value, ValueType};
use samples::{Picture, Samples};
use scalar::Prim;

/// The format of a picture, if bytes begin like one.
pub(crate) fn detect(bytes: &[u8]) -> Option<Format> {
    if png::is_png(bytes) { Some(Format::Png) } else { pnm::detect(bytes) }
}

/// Reads a picture in any of the formats.
pub fn read(bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let deep = expected.is_some_and(|ty| elements(ty) == Some(Prim::U16));
    let picture = match detect(bytes) {
        Some(Format::Png) => png::read(bytes, deep)?,
        Some(_) => pnm::read(bytes, deep)?,
        None => return Err(FormatError::byte(0, "this is not a picture: it begins like neither PNG nor PGM nor PPM")),
    };
    picture.into_value(expected).map_err(|message| FormatError::byte(0, message))
}

/// A `.pgm` file.
pub fn write_pgm(value: &Value) -> Result<Vec<u8>, String> {
    let picture = Picture::of(value)?;
    match picture.channels {
        1 => Ok(pnm::write(&picture)),
        _ => Err("a .pgm file holds [h][w]u8; write this picture in colour as .ppm or .png".into()),
    }
}

/// A `.ppm` file.
pub fn write_ppm(value: &Value) -> Result<Vec<u8>, String> {
    let picture = Picture::of(value)?;
    match picture.channels {
        3 => Ok(pnm::write(&picture)),
        1 => Err("a .ppm file holds [h][w][3]u8; write this grey picture as .pgm or .png".into()),
        _ => Err("a .ppm file holds [h][w][3]u8; write this picture as .png".into()),
    }
}

/// A `.png` file.
pub fn write_png(value: &Value) -> Result<Vec<u8>, String> {
    png::write(&Picture::of(value)?)
}

fn elements(ty: &ValueType) -> Option<Prim> {
    match ty {
        ValueType::Array(_, prim) | ValueType::AnyRank(prim) => Some(*prim),
        ValueType::Scalar(_) | ValueType::List(_) => None,
        ValueType::Tuple(_) | ValueType::Record(_) | ValueType::Sum(_) => None,
    }
}

impl Picture {
    /// The array, of the expected type. A grey picture is a colour picture too.
    fn into_value(self, expected: Option<&ValueType>) -> Result<Value, String> {
        let wants_colour = matches!(expected, Some(ValueType::Array(dims, _)) if dims.len() == 3);
        let wants_grey = matches!(expected, Some(ValueType::Array(dims, _)) if dims.len() == 2);
        let Picture { width, height, channels, samples } = if wants_colour { self.coloured() } else { self };
        if wants_grey && channels != 1 {
            return Err("this picture is in colour: the entry point must take [h][w][3]u8, not [h][w]u8".into());
        }
        let mut shape = vec![height as i64, width as i64];
        if channels != 1 {
            shape.push(channels as i64);
        }
        let data: PrimVec = match samples {
            Samples::Eight(samples) => samples.into(),
            Samples::Sixteen(samples) => samples.into(),
        };
        let value = Value::Array(Array::regular(&shape, data).map_err(|error| error.0)?);
        match expected {
            Some(expected) => {
                value.fit(expected).map_err(|message| format!("{message} (a picture is [h][w]u8 or [h][w][3]u8)"))
            }
            None => Ok(value),
        }
    }

    /// The same with three samples for each point.
    fn coloured(self) -> Picture {
        if self.channels != 1 {
            return self;
        }
        let samples = match self.samples {
            Samples::Eight(grey) => Samples::Eight(grey.into_iter().flat_map(|sample| [sample; 3]).collect()),
            Samples::Sixteen(grey) => Samples::Sixteen(grey.into_iter().flat_map(|sample| [sample; 3]).collect()),
        };
        Picture { channels: 3, samples, ..self }
    }

    /// The picture that an array shows.
    fn of(value: &Value) -> Result<Picture, String> {
        let wrong = || {
            let ty = value.type_of();
            format!(
                "a picture is [h][w]u8 (grey) or [h][w][3]u8 (colour), not {ty}: convert it, as in `map (map u8.i64) counts`"
            )
        };
        let Value::Array(array) = value else { return Err(wrong()) };
        let shape = array.shape().ok_or_else(wrong)?;
        let (height, width, channels) = match shape[..] {
            [height, width] => (height, width, 1),
            [height, width, channels @ (1 | 3 | 4)] => (height, width, channels),
            [_, _, other] => return Err(format!("a picture has 3 samples for each point, not {other}")),
            _ => return Err(wrong()),
        };
        if height == 0 || width == 0 {
            return Err(format!("a picture of {height} rows and {width} columns cannot be written: it is empty"));
        }
        let samples = match array.data() {
            PrimVec::U8(samples) => Samples::Eight(samples.clone()),
            PrimVec::U16(samples) => Samples::Sixteen(samples.clone()),
            PrimVec::Bool(lit) => Samples::Eight(lit.iter().map(|lit| if *lit { u8::MAX } else { 0 }).collect()),
            _ => return Err(wrong()),
        };
        Ok(Picture { width: width as usize, height: height as usize, channels: channels as usize, samples })
    }
}
