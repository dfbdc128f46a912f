//! Portable grey and colour maps: `P5` and `P6` with samples as bytes, `P2` and `P3` with samples as text.
//!
//! ```text
//! P5
//! # a comment
//! 3 2          width and height
//! 255          the value of white
//! abcdef       the samples, row after row
//! ```

use super::samples::{Picture, Samples};
use crate::{Format, FormatError};

/// Whether bytes begin like one of the formats.
pub(super) fn detect(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [b'P', b'2' | b'5', blank, ..] if blank.is_ascii_whitespace() => Some(Format::Pgm),
        [b'P', b'3' | b'6', blank, ..] if blank.is_ascii_whitespace() => Some(Format::Ppm),
        _ => None,
    }
}

/// Reads the picture, with samples of 16 bits if `deep`.
pub(super) fn read(bytes: &[u8], deep: bool) -> Result<Picture, FormatError> {
    let kind = bytes.get(1).copied().unwrap_or_default();
    let channels = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    let mut header = Scanner { bytes, at: 2 };
    let width = header.number("the width")?;
    let height = header.number("the height")?;
    let white_at = header.at;
    let white = header.number("the number for white")?;
    if !(1..=0xffff).contains(&white) {
        return Err(FormatError::byte(white_at, format!("the number for white must be from 1 to 65535, not {white}")));
    }
    let count = width.checked_mul(height).and_then(|points| points.checked_mul(channels));
    let count = count.ok_or_else(|| FormatError::byte(2, format!("{width} times {height} points are too many")))?;
    let samples = match kind {
        b'2' | b'3' => written_samples(&mut header, count, white)?,
        _ => packed_samples(&header, count, white)?,
    };
    Ok(Picture { width, height, channels, samples: scaled(&samples, white, deep) })
}

/// Scales samples so that white is the largest value.
fn scaled(samples: &[u16], white: usize, deep: bool) -> Samples {
    let to = |most: usize| samples.iter().map(move |sample| (usize::from(*sample) * most + white / 2) / white);
    match deep {
        true => Samples::Sixteen(to(0xffff).map(|sample| sample as u16).collect()),
        false => Samples::Eight(to(0xff).map(|sample| sample as u8).collect()),
    }
}

fn written_samples(scanner: &mut Scanner, count: usize, white: usize) -> Result<Vec<u16>, FormatError> {
    // Each sample takes at least two bytes, so a wrong count cannot make us allocate too much.
    let mut samples = Vec::with_capacity(count.min(scanner.bytes.len() / 2 + 1));
    for _ in 0..count {
        scanner.skip_blanks();
        let at = scanner.at;
        let sample = scanner.number("a sample")?;
        if sample > white {
            return Err(too_light(at, sample, white));
        }
        samples.push(sample as u16);
    }
    Ok(samples)
}

fn packed_samples(header: &Scanner, count: usize, white: usize) -> Result<Vec<u16>, FormatError> {
    // One blank separates the header from the samples.
    let start = header.at + 1;
    let size = if white > 0xff { 2 } else { 1 };
    let data = header.bytes.get(start..).unwrap_or_default();
    let wanted = count.saturating_mul(size);
    if data.len() < wanted {
        let message = format!("the samples take {wanted} bytes, but only {} are left", data.len());
        return Err(FormatError::byte(header.bytes.len(), message));
    }
    let samples = data[..wanted].chunks_exact(size);
    let samples: Vec<u16> = samples.map(|sample| sample.iter().fold(0, |n, byte| n << 8 | u16::from(*byte))).collect();
    match samples.iter().position(|sample| usize::from(*sample) > white) {
        Some(i) => Err(too_light(start + i * size, usize::from(samples[i]), white)),
        None => Ok(samples),
    }
}

fn too_light(at: usize, sample: usize, white: usize) -> FormatError {
    FormatError::byte(at, format!("this sample is {sample}, but white is {white}"))
}

/// Reads numbers with blanks and comments between.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => self.at += self.bytes[self.at..].iter().take_while(|byte| **byte != b'\n').count(),
                blank if blank.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn number(&mut self, what: &str) -> Result<usize, FormatError> {
        self.skip_blanks();
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + digits]).unwrap_or_default();
        let number = text.parse().map_err(|_| FormatError::byte(self.at, format!("{what} is expected here")))?;
        self.at += digits;
        Ok(number)
    }
}

/// The file of a picture with 1 or 3 samples for each point.
pub(super) fn write(picture: &Picture) -> Vec<u8> {
    let kind = if picture.channels == 1 { "P5" } else { "P6" };
    let (white, bytes) = match &picture.samples {
        Samples::Eight(samples) => (0xff, samples.clone()),
        Samples::Sixteen(samples) => (0xffff, samples.iter().flat_map(|sample| sample.to_be_bytes()).collect()),
    };
    let mut out = format!("{kind}\n{} {}\n{white}\n", picture.width, picture.height).into_bytes();
    out.extend_from_slice(&bytes);
    out
}
