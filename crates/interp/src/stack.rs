//! Room for deep recursion: a thread with a large stack, and a check that stops before it is full.

use std::cell::Cell;

/// Sizes to try, largest first: the memory is reserved, not used, but a system may refuse to reserve much.
const SIZES: [usize; 4] = [1 << 30, 256 << 20, 64 << 20, 16 << 20];

/// What must remain for the work between two checks.
const RESERVE: usize = 512 << 10;

/// What may be used on a stack of unknown size.
const UNKNOWN: usize = 512 << 10;

thread_local! {
    /// The lowest address that calls may reach on this thread, if known.
    static LOWEST: Cell<Option<usize>> = const { Cell::new(None) };
}

/// An address near the top of the stack as it is now.
#[inline(always)]
fn here() -> usize {
    let marker = 0u8;
    std::ptr::addr_of!(marker) as usize
}

/// How deep calls may go.
#[derive(Clone, Copy)]
pub(crate) struct Limit(usize);

impl Limit {
    /// The limit of this thread.
    pub fn current() -> Limit {
        Limit(LOWEST.get().unwrap_or_else(|| here().saturating_sub(UNKNOWN)))
    }

    /// Whether the stack is too full for another call.
    #[inline(always)]
    pub fn reached(self) -> bool {
        here() < self.0
    }
}

/// Runs `work` with as much stack as the system gives, so that recursion 100,000 deep works and deeper recursion ends
/// in an error. Panics of `work` go on in the caller.
pub fn with_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let mut work = Some(work);
    for size in SIZES {
        let slot = &mut work;
        let attempt = std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("ravel".into()).stack_size(size);
            let body = move || {
                LOWEST.set(Some(here().saturating_sub(size - RESERVE)));
                slot.take().map(|work| work())
            };
            builder.spawn_scoped(scope, body).ok().map(|handle| handle.join())
        });
        match attempt {
            Some(Ok(Some(result))) => return result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            Some(Ok(None)) | None => {}
        }
    }
    match work {
        Some(work) => work(),
        None => unreachable!("the work was done, so its result was returned"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_runs_once_and_its_result_comes_back() {
        assert_eq!(with_stack(|| 6 * 7), 42);
        assert!(!with_stack(|| Limit::current().reached()));
    }
}
