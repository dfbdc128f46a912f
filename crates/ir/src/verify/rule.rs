//! The checklist.

use std::fmt;

/// What must hold of Core.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Every variable is bound once in the whole program.
    Bound,
    /// A variable is used only where it is in scope: after its binding, in the same block or inside.
    Scope,
    /// Types are well formed. They mention only what is in scope; a size is an `i64`; `~d`
    /// is not the first dimension and lies inside the dimensions that the type of `d` lists; `..v` is the first
    /// dimension, `v` a vector of `i64`, and only sizes follow.
    Type,
    /// There are as many variables, arguments and results as there must be.
    Count,
    /// Operands have the types that the operation takes.
    Operand,
    /// A variable has the type of what it is bound to. Sizes in types are the same atoms, after the arguments, branch
    /// results, next loop values or emitted sizes replace parameters; a row of a jagged array has a length
    /// and descriptors of its own.
    Result,
    /// What a statement relies on are certificates.
    Cert,
    /// A statement that reads or writes at an index names the certificate that says the index is inside, unless the loops,
    /// guards and definitions around it say so. The same holds of ranges and of the subscripts of values.
    Bounds,
    /// What is made has no negative extent: by its definition, or by a certificate that the statement names.
    Size,
    /// `retype` changes only what is equal, by definitions or by the certificates that it names; `reshape` keeps the
    /// number of elements.
    Equal,
    /// An integer is not divided by zero, nor raised to a negative power: by definition or by a certificate that the
    /// statement names.
    Divisor,
    /// A check has a site, and the values that its message shows.
    Site,
    /// What runs where one check in place of many fails has no results, makes at least one check, changes nothing and shows
    /// nothing.
    Replay,
    /// A call names a function.
    Call,
    /// A box holds a case of its kind, and is opened with a region for each.
    Box,
    /// An output fits its kind: extents or one vector of them, sizes only where values are copied one after the other,
    /// as many subscripts as the kind takes. An array whose elements are said to be defined once each gets as many values
    /// as it has elements.
    Output,
    /// A combination tree leaves only orders open that give the same bits, and exchanges operands only of operators that
    /// commute.
    Tree,
    /// Turns of a loop run at once only if nothing depends on their order.
    Mark,
    /// The name of a recursive array is used only to index or slice it, and only in values. The form makes only arrays.
    Recursive,
    /// An entry's parameters and results are the components of its layouts.
    Entry,
    /// Nothing is read whose memory was consumed: neither by its name nor through a view, a branch or a loop.
    Read,
    /// Nothing is consumed that belongs to the surrounding code: no parameter unless it is marked, no free variable of
    /// a region, of a bulk form's steps or of a loop.
    Foreign,
    /// Nothing is consumed together with something that shares its memory.
    Shared,
    /// A result that is said to be fresh shares memory neither with a parameter that is not consumed nor with another
    /// result.
    Fresh,
}

impl Rule {
    /// Whether it is about integers and needs a proof. Tests that write Core by hand for arguments that they choose
    /// themselves may do without.
    pub fn is_proved(self) -> bool {
        matches!(self, Rule::Bounds | Rule::Size | Rule::Equal | Rule::Divisor)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Bound => "a variable is bound once",
            Rule::Scope => "a variable is used where it is in scope",
            Rule::Type => "types are well formed",
            Rule::Count => "there are as many as there must be",
            Rule::Operand => "operands have the types that the operation takes",
            Rule::Result => "a variable has the type of what it is bound to",
            Rule::Cert => "statements rely on certificates",
            Rule::Bounds => "an index is in bounds by construction or by a certificate that the statement names",
            Rule::Size => "an extent is not negative by construction or by a certificate that the statement names",
            Rule::Equal => "types change only by equalities that definitions or named certificates show",
            Rule::Divisor => "a divisor is not zero by definition or by a certificate that the statement names",
            Rule::Site => "a check has a site and the values for it",
            Rule::Replay => "a check in place of many replays them and does nothing else",
            Rule::Call => "a call names a function",
            Rule::Box => "a box holds a case of its kind and is opened for all of them",
            Rule::Output => "an output fits its kind",
            Rule::Tree => "values are combined in an order that gives the same bits",
            Rule::Mark => "turns that run at once do not depend on one another",
            Rule::Recursive => "a recursive array is indexed or sliced in values only",
            Rule::Entry => "an entry's parameters and results are the components of its layouts",
            Rule::Read => "nothing is read after it was consumed",
            Rule::Foreign => "nothing is consumed that belongs to the surrounding code",
            Rule::Shared => "nothing is consumed together with something that shares its memory",
            Rule::Fresh => "a fresh result shares memory with nothing",
        })
    }
}
