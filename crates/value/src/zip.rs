//! The little of zip archives that `.npz` files need: members that are stored as they are or deflated.

use crate::FormatError;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::Read;

const LOCAL: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// Bytes of the end record without its comment.
const END_SIZE: usize = 22;
const ENTRY_SIZE: usize = 46;
const LOCAL_SIZE: usize = 30;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The version of the format that unpacking needs.
const VERSION: u16 = 20;
/// 1 January 1980, the first day there is: archives of equal values are equal.
const DATE: u16 = 0x21;
/// Stands in fields that are too small for their number.
const ELSEWHERE: u32 = u32::MAX;

/// A file in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where it starts in the archive.
    pub(crate) start: usize,
    pub(crate) bytes: Vec<u8>,
}

type Parsed<T> = Result<T, FormatError>;

/// Whether bytes start like an archive.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL) || bytes.starts_with(END)
}

/// All members, unpacked.
pub(crate) fn read(bytes: &[u8]) -> Parsed<Vec<Member>> {
    if !is_zip(bytes) {
        return Err(FormatError::byte(0, "this is not a zip archive: it does not start with PK"));
    }
    let end = end_record(bytes)?;
    let count = u16_at(bytes, end + 10)?;
    let mut at = u32_at(bytes, end + 16)? as usize;
    let mut members = Vec::new();
    for _ in 0..count {
        let (member, next) = member(bytes, at)?;
        members.push(member);
        at = next;
    }
    Ok(members)
}

/// The last end record: a comment of up to 64 KiB may follow it.
fn end_record(bytes: &[u8]) -> Parsed<usize> {
    let last = bytes.len().saturating_sub(END_SIZE);
    let first = last.saturating_sub(u16::MAX as usize);
    let found = (first..=last).rev().find(|at| bytes[*at..].starts_with(END));
    found.ok_or_else(|| FormatError::byte(bytes.len(), "the archive is cut off: its list of members is missing"))
}

/// The member whose entry in the list stands at a byte, and where the next entry stands.
fn member(bytes: &[u8], at: usize) -> Parsed<(Member, usize)> {
    if slice(bytes, at, 4)? != ENTRY {
        return Err(FormatError::byte(at, "the list of members is damaged"));
    }
    let (flags, method) = (u16_at(bytes, at + 8)?, u16_at(bytes, at + 10)?);
    let (sum, packed, size) = (u32_at(bytes, at + 16)?, u32_at(bytes, at + 20)?, u32_at(bytes, at + 24)?);
    let lengths = [28, 30, 32].map(|field| u16_at(bytes, at + field));
    let [name_length, extra, comment] = lengths;
    let (name_length, extra, comment) = (name_length? as usize, extra? as usize, comment? as usize);
    let local = u32_at(bytes, at + 42)?;
    let name = String::from_utf8_lossy(slice(bytes, at + ENTRY_SIZE, name_length)?).into_owned();
    let wrong = |message: &str| FormatError::byte(at, format!("member `{name}` {message}"));
    if flags & 1 != 0 {
        return Err(wrong("is encrypted"));
    }
    if [packed, size, local].contains(&ELSEWHERE) {
        return Err(wrong("is too large: members beyond 4 GiB are not supported"));
    }
    let start = data_start(bytes, local as usize).map_err(|e| wrong(&format!("is not where the list says: {e}")))?;
    let data = slice(bytes, start, packed as usize).map_err(|_| wrong("is cut off"))?;
    let unpacked = unpack(method, data, size as usize).map_err(|message| wrong(&message))?;
    let mut crc = Crc::new();
    crc.update(&unpacked);
    if crc.sum() != sum {
        return Err(wrong("is damaged: its checksum does not agree"));
    }
    let next = at + ENTRY_SIZE + name_length + extra + comment;
    Ok((Member { name, start, bytes: unpacked }, next))
}

/// Where the data of a member starts, behind its own header.
fn data_start(bytes: &[u8], local: usize) -> Parsed<usize> {
    if slice(bytes, local, 4)? != LOCAL {
        return Err(FormatError::byte(local, "no member starts here"));
    }
    let (name, extra) = (u16_at(bytes, local + 26)?, u16_at(bytes, local + 28)?);
    Ok(local + LOCAL_SIZE + name as usize + extra as usize)
}

fn unpack(method: u16, data: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let unpacked = match method {
        STORED => Some(data.to_vec()),
        DEFLATED => {
            let mut out = Vec::new();
            // One more than there should be, so that a longer one is noticed and none fills the memory.
            let mut decoder = DeflateDecoder::new(data).take(size as u64 + 1);
            decoder.read_to_end(&mut out).ok().map(|_| out)
        }
        other => return Err(format!("is packed by method {other}; stored and deflated members can be read")),
    };
    let whole = unpacked.filter(|bytes| bytes.len() == size);
    whole.ok_or_else(|| format!("is damaged: it does not unpack to {size} bytes"))
}

fn slice(bytes: &[u8], at: usize, count: usize) -> Parsed<&[u8]> {
    let end = at.checked_add(count);
    let part = end.and_then(|end| bytes.get(at..end));
    part.ok_or_else(|| FormatError::byte(bytes.len(), "the archive ends too early"))
}

fn u16_at(bytes: &[u8], at: usize) -> Parsed<u16> {
    Ok(u16::from_le_bytes(slice(bytes, at, 2)?.try_into().unwrap_or_default()))
}

fn u32_at(bytes: &[u8], at: usize) -> Parsed<u32> {
    Ok(u32::from_le_bytes(slice(bytes, at, 4)?.try_into().unwrap_or_default()))
}

/// An archive of these members, stored as they are.
pub(crate) fn write(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut list = Vec::new();
    for (name, bytes) in members {
        let start = small(out.len())?;
        let common = common_fields(name, bytes)?;
        out.extend_from_slice(LOCAL);
        out.extend_from_slice(&common);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(bytes);
        list.extend_from_slice(ENTRY);
        list.extend_from_slice(&VERSION.to_le_bytes());
        list.extend_from_slice(&common);
        // No comment, first disk, no attributes.
        list.extend_from_slice(&[0; 10]);
        list.extend_from_slice(&start.to_le_bytes());
        list.extend_from_slice(name.as_bytes());
    }
    let (start, size, count) = (small(out.len())?, small(list.len())?, members.len() as u16);
    out.extend_from_slice(&list);
    out.extend_from_slice(END);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&size.to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    Ok(out)
}

/// What a member's header and its entry in the list have in common.
fn common_fields(name: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut crc = Crc::new();
    crc.update(bytes);
    let size = small(bytes.len())?.to_le_bytes();
    let mut out = Vec::new();
    // Version, flags, method, time, date.
    [VERSION, 0, STORED, 0, DATE].iter().for_each(|field| out.extend_from_slice(&field.to_le_bytes()));
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&size);
    out.extend_from_slice(&size);
    out.extend_from_slice(&(name.len() as u16).to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    Ok(out)
}

fn small(n: usize) -> Result<u32, String> {
    let fits = u32::try_from(n).ok().filter(|n| *n != ELSEWHERE);
    fits.ok_or_else(|| "an .npz file holds at most 4 GiB; write it as binary".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back() {
        let members = vec![("a.npy".to_string(), b"one".to_vec()), ("b".to_string(), Vec::new())];
        let archive = write(&members).unwrap();
        let back: Vec<_> = read(&archive).unwrap().into_iter().map(|m| (m.name, m.bytes)).collect();
        assert_eq!(back, members);
        assert_eq!(read(&write(&[]).unwrap()), Ok(vec![]));
    }

    #[test]
    fn damage_is_found() {
        let archive = write(&[("a.npy".to_string(), b"one two three".to_vec())]).unwrap();
        for cut in 0..archive.len() {
            assert!(read(&archive[..cut]).is_err(), "{cut}");
        }
        let mut bad = archive.clone();
        bad[LOCAL_SIZE + 6] ^= 1;
        assert!(read(&bad).unwrap_err().message.contains("member `a.npy` is damaged"));
    }
}
