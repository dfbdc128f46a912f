//! A picture in memory.

/// The rows of a picture, with 1 to 4 samples for each point.
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    pub(super) samples: Samples,
}

/// Samples from dark to light.
pub(super) enum Samples {
    Eight(Vec<u8>),
    Sixteen(Vec<u16>),
}
