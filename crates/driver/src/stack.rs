//! A stack deep enough for programs that nest deeply.

use std::{panic, thread};

/// Enough for a million frames; only what is used is ever taken from the machine.
const STACK_BYTES: usize = 1 << 30;

/// Runs `work` on a thread with a large stack and gives its result. A panic passes through.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let worker = thread::Builder::new().name("ravel".into()).stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match worker.map(|handle| handle.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(reason)) => panic::resume_unwind(reason),
            Err(error) => panic!("the system gives no thread with a stack of {STACK_BYTES} bytes: {error}"),
        }
    })
}
