//! The table of run-time faults: code, subject and properties of each.

use base::Name;

/// A kind of run-time fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// An index out of bounds.
    Index,
    /// A slice out of bounds.
    Slice,
    /// Sizes that must agree differ.
    Sizes,
    /// A coercion `:>` to a type of another size.
    Coercion,
    /// A wrong number of dimensions.
    Rank,
    /// A negative size.
    NegativeSize,
    /// A division by zero.
    Division,
    /// A negative exponent of an integer.
    Exponent,
    /// An assertion that does not hold.
    Assertion,
    /// The hole `???`.
    Hole,
    /// A part replaced by one of another shape.
    Replacement,
    /// An element of `array` defined twice.
    Collision,
    /// An element of `array` that no clause defines.
    Gap,
    /// An element of a recursive array that depends on itself.
    Cycle,
    /// A subscript of a clause out of range.
    Subscript,
    /// Recursion that fills the stack.
    TooDeep,
    /// A range that never reaches its end.
    Range,
    /// A shape with another number of elements.
    Elements,
    /// A step of a generator below one.
    Step,
    /// An argument that does not fit its entry point.
    Argument,
    /// Row lengths that do not fit the elements.
    RowLengths,
    /// Not enough memory.
    Memory,
    /// A bug in Ravel.
    Internal,
}

/// A row of the table.
struct Entry {
    fault: Fault,
    code: &'static str,
    about: &'static str,
    /// See [`Fault::must_stay`].
    must_stay: bool,
}

/// In the order of the enum.
const TABLE: [Entry; 23] = [
    removable(Fault::Index, "R001", "index out of bounds"),
    lasting(Fault::Slice, "R002", "slice out of bounds"),
    removable(Fault::Sizes, "R003", "sizes that must agree differ"),
    lasting(Fault::Coercion, "R004", "a size coercion `:>` failed"),
    removable(Fault::Rank, "R005", "wrong number of dimensions"),
    lasting(Fault::NegativeSize, "R006", "negative size"),
    removable(Fault::Division, "R007", "division by zero"),
    removable(Fault::Exponent, "R008", "negative exponent of an integer"),
    removable(Fault::Assertion, "R009", "an assertion failed"),
    removable(Fault::Hole, "R011", "a hole was evaluated"),
    removable(Fault::Replacement, "R013", "a replacement of another shape"),
    removable(Fault::Collision, "R014", "an element defined twice"),
    removable(Fault::Gap, "R015", "an element that no clause defines"),
    removable(Fault::Cycle, "R016", "an element that depends on itself"),
    removable(Fault::Subscript, "R017", "a subscript out of range"),
    removable(Fault::TooDeep, "R018", "recursion too deep"),
    lasting(Fault::Range, "R019", "an impossible range"),
    lasting(Fault::Elements, "R020", "a shape with another number of elements"),
    removable(Fault::Step, "R021", "a step below one"),
    removable(Fault::Argument, "R022", "an argument that does not fit its entry point"),
    lasting(Fault::RowLengths, "R023", "row lengths that do not fit"),
    lasting(Fault::Memory, "R024", "not enough memory"),
    removable(Fault::Internal, "R099", "an internal error"),
];

const fn removable(fault: Fault, code: &'static str, about: &'static str) -> Entry {
    Entry { fault, code, about, must_stay: false }
}

const fn lasting(fault: Fault, code: &'static str, about: &'static str) -> Entry {
    Entry { fault, code, about, must_stay: true }
}

impl Fault {
    /// All faults, by code.
    pub fn all() -> impl Iterator<Item = Fault> {
        TABLE.iter().map(|entry| entry.fault)
    }

    /// The stable code, such as `R001`.
    pub fn code(self) -> &'static str {
        self.entry().code
    }

    /// The fault with this code.
    pub fn from_code(code: &str) -> Option<Fault> {
        TABLE.iter().find(|entry| entry.code == code).map(|entry| entry.fault)
    }

    /// What it is about, in a few words.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// Whether a check for it says something about many integers, or about numbers of elements that need not fit into a
    /// number. A proof about single integers takes no account of that.
    pub fn is_of_many(self) -> bool {
        matches!(self, Fault::Elements | Fault::RowLengths | Fault::Memory)
    }

    /// Whether a check for it compares indices of elements with extents of an array in memory.
    pub fn is_of_element(self) -> bool {
        matches!(self, Fault::Index | Fault::Subscript)
    }

    /// Whether a check for it compares sizes, which types then mention: those of slices and ranges, too.
    pub fn is_of_sizes(self) -> bool {
        matches!(self, Fault::Sizes | Fault::Coercion | Fault::NegativeSize | Fault::Slice | Fault::Range)
    }

    /// Whether its checks stay, unless they say otherwise, even if nothing uses the values that rely on them. The checks of sizes stay:
    /// `length (iota n)` needs no array, but a negative `n` is a fault all the same, and so is `length xs[a:b]` with bad
    /// bounds. Any other check may be removed together with the last use of its certificate.
    pub fn must_stay(self) -> bool {
        self.entry().must_stay
    }

    /// The end of the label, if the message is shown at a call of the library function in which the fault happened. For
    /// lack of memory, compiled code knows only the place, not the function.
    pub fn in_function(self, name: Name) -> String {
        if self == Fault::Memory { String::new() } else { format!(", in `{name}`") }
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (i, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.fault as usize, i, "{:?}", entry.fault);
            assert_eq!(Fault::from_code(entry.code), Some(entry.fault));
        }
        assert!(TABLE.is_sorted_by_key(|entry| entry.code));
    }
}
