//! Loaded code and its functions.

use crate::NativeError;
use std::ffi::c_void;
use std::fs::File;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::Path;

/// A component of an argument or result, as `rv_value` in `runtime/c/base.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawValue {
    pub data: *mut u8,
    pub block: *mut c_void,
    pub bits: u64,
}

/// A value for a message, as `rv_arg` there.
#[repr(C)]
pub(crate) struct RawArg {
    pub numbers: *const i64,
    pub count: i64,
    pub bits: u64,
    pub prim: i64,
}

/// The number of [`RawArg::prim`] that means a vector.
pub(crate) const NUMBERS: i64 = 12;

/// What is called for each traced value.
pub(crate) type RawTrace = extern "C" fn(*mut c_void, i32, *const RawValue);

/// The functions of `runtime/c/interface.h`.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    pub context_new: unsafe extern "C" fn(i64, i64) -> *mut c_void,
    pub context_free: unsafe extern "C" fn(*mut c_void),
    pub context_trace: unsafe extern "C" fn(*mut c_void, RawTrace, *mut c_void),
    pub call: unsafe extern "C" fn(*mut c_void, i32, *const RawValue, *mut RawValue) -> i32,
    pub drop: unsafe extern "C" fn(*mut c_void, *mut c_void),
    pub left: unsafe extern "C" fn(*const c_void) -> i64,
    pub failure_kind: unsafe extern "C" fn(*const c_void) -> i32,
    pub failure_site: unsafe extern "C" fn(*const c_void) -> i32,
    pub failure_count: unsafe extern "C" fn(*const c_void) -> i64,
    pub failure_args: unsafe extern "C" fn(*const c_void) -> *const RawArg,
    /// Only in code that counts what it does.
    pub stats: Option<unsafe extern "C" fn(*const c_void, *mut i64, *mut i64, *mut i64)>,
}

/// Loaded code. It stays in memory until the process ends: a process loads few programs.
pub struct Library {
    pub(crate) functions: Functions,
    _handle: ManuallyDrop<libloading::Library>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Library")
    }
}

impl Library {
    /// Loads code from a file.
    pub(crate) fn load(path: &Path) -> Result<Library, NativeError> {
        if is_cut_short(path) {
            return Err(NativeError::Load(format!("{} is not whole", path.display())));
        }
        let wrong = |error: libloading::Error| NativeError::Load(error.to_string());
        // SAFETY: the file was written by our own code generator and holds no initialisers of its own.
        let handle = unsafe { libloading::Library::new(path) }.map_err(wrong)?;
        // SAFETY: the types are those of `runtime/c/interface.h`, and the handle is never closed.
        let functions = unsafe {
            Functions {
                context_new: *handle.get(b"rv_context_new").map_err(wrong)?,
                context_free: *handle.get(b"rv_context_free").map_err(wrong)?,
                context_trace: *handle.get(b"rv_context_trace").map_err(wrong)?,
                call: *handle.get(b"rv_call").map_err(wrong)?,
                drop: *handle.get(b"rv_drop").map_err(wrong)?,
                left: *handle.get(b"rv_left").map_err(wrong)?,
                failure_kind: *handle.get(b"rv_failure_kind").map_err(wrong)?,
                failure_site: *handle.get(b"rv_failure_site").map_err(wrong)?,
                failure_count: *handle.get(b"rv_failure_count").map_err(wrong)?,
                failure_args: *handle.get(b"rv_failure_args").map_err(wrong)?,
                stats: handle.get(b"rv_stats").ok().map(|function| *function),
            }
        };
        Ok(Library { functions, _handle: ManuallyDrop::new(handle) })
    }
}

/// Whether a file of code ends before the place where its header says that its last table ends: the system was stopped
/// while it wrote the file. Reading memory after the end would end the process without a message. Only ELF files are
/// looked at.
fn is_cut_short(path: &Path) -> bool {
    let mut header = [0; 64];
    let Ok(mut file) = File::open(path) else { return false };
    let Ok(length) = file.metadata().map(|m| m.len()) else { return false };
    if file.read_exact(&mut header).is_err() || header[..5] != *b"\x7fELF\x02" {
        return false;
    }
    let number = |at: usize, size: usize| header[at..at + size].iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let (tables, size, count) = (number(40, 8), number(58, 2), number(60, 2));
    tables.saturating_add(size * count) > length
}
