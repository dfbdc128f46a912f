//! How much memory a running program may take, and how much this process has taken.
//!
//! The command line sets the limit and installs an allocator that counts. Interpreters ask before they make an array, so
//! that a program that needs too much ends with R024 instead of exhausting the machine. Compiled code gets the same limit and
//! counts its own arrays.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// The limit in bytes; `u64::MAX` if there is none.
pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Sets the limit, in bytes.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Counts memory that an allocator allocated.
pub fn count_taken(bytes: usize) {
    IN_USE.fetch_add(bytes, Ordering::Relaxed);
}

/// Counts memory that an allocator freed.
pub fn count_freed(bytes: usize) {
    IN_USE.fetch_sub(bytes, Ordering::Relaxed);
}

/// Whether the limit allows this many more bytes.
pub fn allows(more: usize) -> bool {
    let in_use = IN_USE.load(Ordering::Relaxed);
    in_use.checked_add(more).is_some_and(|all| all as u64 <= limit())
}

/// The note of R024 about a limit in bytes; none if there is no limit. `runtime/c/message.h` writes the same.
pub fn note(limit: u64) -> Option<String> {
    (limit < u64::MAX).then(|| format!("the program may take {} MiB of memory", limit >> 20))
}

/// The help of R024: how to change the limit.
pub const HELP: &str = "`--memory MIB` sets another limit";
