//! What is asked of an open size: a lattice.
//!
//! Each demand only grows while a definition is walked. When two open sizes turn out to be one, that one is asked for
//! whatever either was asked for: the join of the two ([`Demand::join`]).
//!
//! ```text
//! rows      MayDiffer < One < Rectangle          how regular the extent must be
//! decided   Here < Outside < Parameter(f)        who says what it is
//! known     false < true                         whether it is an error if nothing says it
//! one_in    none, or the level of an iteration   inside that iteration it is one size; the outermost counts
//! ```
//!
//! Example: in `\\xss ys -> map (\\xs -> map2 (+) xs ys) xss` the rows `xs` may differ in length at first. `map2` makes their
//! length one with the length of `ys`, which is the same for all rows (`One`): so `xss` is a rectangle.

/// How sure it is that rows do not differ in an extent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Rows {
    /// They may differ.
    #[default]
    MayDiffer,
    /// The size belongs to one array outside of all rows.
    One,
    /// A rectangle is required by a written type.
    Rectangle,
}

/// Who decides an open size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Decided {
    /// Whatever it meets, branches included.
    #[default]
    Here,
    /// The provider of the value, for example a loop. The branches that produce the value do not decide it.
    Outside,
    /// Callers of the function with this number, of whose parameter it is a size.
    Parameter(u32),
}

impl Decided {
    /// The function of whose parameter it is a size.
    pub(super) fn owner(self) -> Option<u32> {
        match self {
            Decided::Parameter(function) => Some(function),
            Decided::Here | Decided::Outside => None,
        }
    }
}

/// What is asked of an open size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Demand {
    /// How regular it must be.
    pub rows: Rows,
    /// Who decides it.
    pub decided: Decided,
    /// Whether it is an error if nothing determines it.
    pub known: bool,
    /// Of an extent of what an iteration runs through: the level around it. Inside, the extent is one size.
    pub one_in: Option<u32>,
}

impl Demand {
    /// What is asked of a size that this is asked of and that turns out to be another open one as well. A size does not
    /// become one of another function's parameter.
    pub(super) fn join(self, other: Demand) -> Demand {
        let outside = if other.decided == Decided::Here { Decided::Here } else { Decided::Outside };
        Demand {
            rows: self.rows.max(other.rows),
            decided: self.decided.max(outside),
            known: self.known || other.known,
            one_in: self.one_in.into_iter().chain(other.one_in).min(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_demands() -> Vec<Demand> {
        let mut all = Vec::new();
        for rows in [Rows::MayDiffer, Rows::One, Rows::Rectangle] {
            for decided in [Decided::Here, Decided::Outside, Decided::Parameter(3)] {
                for one_in in [None, Some(1), Some(2)] {
                    all.extend([false, true].map(|known| Demand { rows, decided, known, one_in }));
                }
            }
        }
        all
    }

    #[test]
    fn joining_is_idempotent_and_only_adds() {
        for a in some_demands() {
            assert_eq!(a.join(a), a);
            assert_eq!(a.join(Demand::default()), a);
            for b in some_demands() {
                let both = a.join(b);
                assert!(both.rows >= a.rows && both.decided >= a.decided && both.known >= a.known);
                assert_eq!(both.join(b), both);
            }
        }
    }
}
