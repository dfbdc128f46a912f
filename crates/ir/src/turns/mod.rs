//! In which order the turns of a `loop` do their work.
//!
//! ```text
//! loop (a: [n][n]f32 = d) for k < n blocks 32 tiles 8 16 from 128 { .. }      32 turns at a time on parts of the matrix
//! loop (a: [n][m]f32 = b) for t < k rounds 10 from 4194304 rows 512 share 16 { .. }    up to 10 turns at a time, row after row
//! ```
//!
//! A pass chooses, and what is lowered obeys. Every element goes through the same operations in the same order as in turns one
//! after the other, so the bits are the same. The verifier asks whether the loop allows it: [`pivots`] and [`bands`] say what
//! such loops are made of.

pub mod bands;
pub mod pivots;

use crate::{Atom, Block, LoopForm, Program, Var};

/// How the turns of a `loop` run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// One after the other.
    InOrder,
    /// Some at a time on parts of a matrix ([`pivots`]).
    Blocks(Tiles),
    /// Some at a time on rows of an array ([`bands`]).
    Rounds(Rounds),
}

/// Turns at a time on parts of a matrix. All numbers but the last are powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tiles {
    /// So many turns are done at a time, first on their own rows and columns. A multiple of `rows` and `columns`.
    pub turns: u32,
    /// All other elements are done in tiles of so many rows
    pub rows: u32,
    /// and columns.
    pub columns: u32,
    /// Loops of fewer turns run in order.
    pub least: u32,
}

impl Tiles {
    /// The most turns of a block: the rows and columns that belong to them lie on the stack.
    const MOST: u32 = 256;

    fn is_sound(self) -> bool {
        let Tiles { turns, rows, columns, least: _ } = self;
        let powers = [turns, rows, columns].iter().all(|number| number.is_power_of_two());
        powers && turns <= Self::MOST && rows <= turns && (2..=turns).contains(&columns)
    }
}

/// Turns at a time on rows of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// At most so many turns are done at a time.
    pub turns: u32,
    /// Where the array has fewer bytes than this, turns run in order,
    pub bytes: u32,
    /// or where its rows have fewer.
    pub row_bytes: u32,
    /// Threads have bands of rows, each at least so many times as many as are computed twice at its ends.
    pub share: u32,
}

impl Turns {
    /// Why the turns of a loop cannot run like this, if they cannot.
    pub fn problem(
        self,
        program: &Program,
        params: &[(Var, Atom)],
        form: &LoopForm,
        body: &Block,
    ) -> Option<&'static str> {
        match self {
            Turns::InOrder => None,
            Turns::Blocks(tiles) if !tiles.is_sound() => Some("tiles do not divide a block of turns"),
            Turns::Blocks(_) => pivots::of(program, params, form, body)
                .is_none()
                .then_some("turns in blocks change more of a matrix than what their own row and column say"),
            Turns::Rounds(Rounds { turns, share, .. }) if turns < 2 || share < 1 => {
                Some("a round has two turns at least")
            }
            Turns::Rounds(_) => bands::of(program, params, form, body)
                .is_none()
                .then_some("turns in rounds read more of an array than rows that are near"),
        }
    }
}
