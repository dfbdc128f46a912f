//! Which of the active calls a message shows.
//!
//! If a function is called from several places, its checks get one more argument, the last: the innermost active calls as
//! numbers, packed into one word. [`crate::Site::callers`] says which number is which call.

use crate::Call;
use base::Span;

/// How many of the active calls are shown.
const SHOWN_CALLS: usize = 3;
/// How many calls the word has room for. It is one more than is shown, because a call at the place of the check is left out.
pub const KEPT_CALLS: usize = 4;
/// The number of bits for each call in the word. The innermost call is in the lowest bits; 0 means no call.
pub const CALL_BITS: u32 = 16;

/// The calls to show, innermost first. A call equal to the one before it is not counted, and calls at the place of the
/// failure itself are left out.
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

/// The innermost calls that fit into the word, without repetitions.
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
