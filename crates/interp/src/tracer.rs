//! Where `trace` writes.

use base::Span;

/// Takes what `trace` shows: the places of the calls that are running, the innermost last, and values as text, in the
/// order of evaluation.
pub type Tracer<'a> = dyn Fn(&[Span], &str) + Sync + 'a;
