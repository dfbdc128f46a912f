//! How functions are called.

/// How an array comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returned {
    /// In row-major order; scalars and descriptors too.
    Plain,
    /// In row-major order, the first element first in its memory: there is no offset to say where it begins.
    Whole,
    /// With strides.
    Strided,
}

/// How a function is called.
#[derive(Clone, Debug)]
pub(crate) struct Convention {
    /// The Kernel function.
    pub function: kernel::FunId,
    /// How each result comes back.
    pub results: Vec<Returned>,
    /// Whether that is settled: recursive functions are called before they are lowered.
    pub fixed: bool,
}
