//! Which of the calls under way a message shows.
//!
//! A check in a function that several places call gets the innermost calls as numbers, packed into one word, as its last
//! argument. [`crate::Site::callers`] says which number is which call.

use crate::Call;
use base::Span;

/// How many of the calls under way are shown.
const SHOWN_CALLS: usize = 3;
/// How many calls a check knows of. One of them may be left out, since it is the place itself.
pub const KEPT_CALLS: usize = 4;
/// Functions that are called from several places get the calls under way as one number: so many bits for each call, the
/// innermost lowest; 0 where there is none.
pub const CALL_BITS: u32 = 16;

/// Calls in the order in which they are shown, innermost first. One that repeats the one before it says nothing new:
/// it is not counted. Of the first few, those at the place of the failure itself are left out.
pub fn shown_calls(calls: impl IntoIterator<Item = Call>, place: Span) -> Vec<Call> {
    let mut shown: Vec<Call> = Vec::new();
    for call in kept_calls(calls) {
        if call.1 != place && !shown.contains(&call) {
            shown.push(call);
        }
    }
    shown.truncate(SHOWN_CALLS);
    shown
}

/// The innermost calls of which a check knows.
pub fn kept_calls<C: PartialEq>(calls: impl IntoIterator<Item = C>) -> Vec<C> {
    let mut kept: Vec<C> = Vec::new();
    for call in calls {
        if kept.last() != Some(&call) {
            if kept.len() == KEPT_CALLS {
                break;
            }
            kept.push(call);
        }
    }
    kept
}

/// The numbers of calls as one, innermost first.
pub fn packed_calls(numbers: &[u16]) -> i64 {
    let pack = |word: u64, number: &u16| word << CALL_BITS | u64::from(*number);
    numbers.iter().take(KEPT_CALLS).rev().fold(0, pack) as i64
}
