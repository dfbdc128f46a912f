//! Which sizes are checked where a value meets a type. Both the interpreter and the compiler match values by these rules.
//!
//! ```text
//! def f [n] (xs: [n]i64) (ys: [n + 1]i64): [n]i64 = ...
//! ```
//!
//! In a call of `f`, [`Mode::Check`] of `xs` binds `n`. When all parameters are bound, [`Mode::Late`] checks that `ys` has
//! `n + 1` elements. [`Mode::Result`] checks the result against `n`.

/// What matching does with sizes that are known already. Those that are not are bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Nothing.
    Bind,
    /// Checks names and numbers; expressions wait for [`Mode::Late`].
    Check,
    /// Checks expressions only.
    Late,
    /// Checks everything.
    Full,
    /// Checks everything, in the result of a function.
    Result,
    /// Checks everything, unnamed regular dimensions included, for a `:>`.
    Coerce,
}

impl Mode {
    /// Whether sizes that are names or numbers are checked, and so are row lengths and shapes.
    pub fn checks_names(self) -> bool {
        !matches!(self, Mode::Bind | Mode::Late)
    }

    /// Whether sizes that are expressions are checked.
    pub fn checks_expressions(self) -> bool {
        !matches!(self, Mode::Bind | Mode::Check)
    }

    /// What messages say about the place of the value.
    pub fn context(self) -> &'static str {
        match self {
            Mode::Result => "the result of this function",
            Mode::Full => "in the type written here",
            Mode::Bind | Mode::Check | Mode::Late | Mode::Coerce => "in this call",
        }
    }
}
