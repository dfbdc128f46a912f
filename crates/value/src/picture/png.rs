//! PNG files, by the crate `png`.

use super::samples::{Picture, Samples};
use crate::FormatError;
use png::{BitDepth, ColorType, Decoder, DecodingError, Encoder, Limits, Transformations};
use std::io::Cursor;

const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The largest expansion factor of deflate; a header that promises more is damaged.
const MOST_FROM_A_BYTE: usize = 1100;
/// The memory that reading any file may use.
const LEAST: usize = 1 << 20;

/// Whether bytes start like a PNG file.
pub(super) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads the picture, with samples of 16 bits if `deep`.
pub(super) fn read(bytes: &[u8], deep: bool) -> Result<Picture, FormatError> {
    let wrong = |message: &str| FormatError::byte(0, format!("this .png file cannot be read: {message}"));
    let damaged = |error: DecodingError| wrong(&error.to_string());
    let most = bytes.len().saturating_mul(MOST_FROM_A_BYTE).max(LEAST);
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: most });
    let depth = if deep { Transformations::EXPAND } else { Transformations::STRIP_16 };
    decoder.set_transformations(Transformations::EXPAND | depth);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let size = reader.output_buffer_size().filter(|size| *size <= most);
    let mut buffer = vec![0; size.ok_or_else(|| wrong("its header promises more than it holds"))?];
    let frame = reader.next_frame(&mut buffer).map_err(damaged)?;
    buffer.truncate(frame.buffer_size());
    let (present, channels) = match frame.color_type {
        ColorType::Grayscale => (1, 1),
        ColorType::GrayscaleAlpha => (2, 1),
        ColorType::Rgb => (3, 3),
        ColorType::Rgba => (4, 3),
        ColorType::Indexed => return Err(wrong("its colours are not expanded")),
    };
    let bytes_each = if frame.bit_depth == BitDepth::Sixteen { 2 } else { 1 };
    let points = buffer.chunks_exact(present * bytes_each).flat_map(|point| &point[..channels * bytes_each]);
    let opaque: Vec<u8> = points.copied().collect();
    let samples = match (deep, bytes_each) {
        (true, 2) => {
            Samples::Sixteen(opaque.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect())
        }
        // 257 * 255 is the greatest number of 16 bits.
        (true, _) => Samples::Sixteen(opaque.into_iter().map(|sample| u16::from(sample) * 257).collect()),
        (false, _) => Samples::Eight(opaque),
    };
    Ok(Picture { width: frame.width as usize, height: frame.height as usize, channels, samples })
}

/// The file of a picture.
pub(super) fn write(picture: &Picture) -> Result<Vec<u8>, String> {
    let size = |extent: usize| u32::try_from(extent).map_err(|_| "this picture is too large for .png".to_string());
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, size(picture.width)?, size(picture.height)?);
    encoder.set_color(match picture.channels {
        1 => ColorType::Grayscale,
        4 => ColorType::Rgba,
        _ => ColorType::Rgb,
    });
    let (depth, bytes) = match &picture.samples {
        Samples::Eight(samples) => (BitDepth::Eight, samples.clone()),
        Samples::Sixteen(samples) => {
            (BitDepth::Sixteen, samples.iter().flat_map(|sample| sample.to_be_bytes()).collect())
        }
    };
    encoder.set_depth(depth);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
    written.map_err(|error| error.to_string())?;
    Ok(out)
}
