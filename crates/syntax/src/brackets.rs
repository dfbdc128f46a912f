//! Pairs the brackets before parsing. With this, error recovery skips whole groups, and the parser can distinguish an
//! unclosed bracket from one whose contents are wrong.

use crate::token::{T, Token};

/// For every token the index of its partner, if it is a bracket and has one.
pub(crate) struct Partners {
    partner: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Partners {
    /// Pairs the brackets of a token list in one pass.
    pub fn new(tokens: &[Token]) -> Partners {
        let mut pairing = Pairing { partner: vec![NONE; tokens.len()], open: Vec::new(), counts: [0; 3], tokens };
        for (index, token) in tokens.iter().enumerate() {
            pairing.step(index, token.kind);
        }
        Partners { partner: pairing.partner }
    }

    /// The partner of the bracket at this index.
    pub fn of(&self, index: usize) -> Option<usize> {
        self.partner.get(index).filter(|p| **p != NONE).map(|p| *p as usize)
    }
}

struct Pairing<'a> {
    partner: Vec<u32>,
    open: Vec<usize>,
    /// How many `(`, `[` and `{` are open, so that a search never runs in vain.
    counts: [usize; 3],
    tokens: &'a [Token],
}

impl Pairing<'_> {
    fn step(&mut self, index: usize, kind: T) {
        if kind.closer().is_some() {
            self.open.push(index);
            self.counts[class(kind)] += 1;
        } else if kind.is_closer() {
            self.close(index, kind);
        } else if kind.only_declares() && !self.names_field(index) {
            // No declaration can be inside parentheses, so the brackets that are open here were never closed.
            while self.open.last().is_some_and(|o| class(self.tokens[*o].kind) != 2) {
                self.pop();
            }
        }
    }

    /// `r.type`: a field with a forbidden name, not a declaration.
    fn names_field(&self, index: usize) -> bool {
        index > 0 && self.tokens[index - 1].kind == T::Dot
    }

    fn close(&mut self, index: usize, kind: T) {
        if self.counts[class(kind)] == 0 {
            return;
        }
        while let Some(opener) = self.pop() {
            if class(self.tokens[opener].kind) == class(kind) {
                self.partner[opener] = index as u32;
                self.partner[index] = opener as u32;
                return;
            }
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let opener = self.open.pop()?;
        self.counts[class(self.tokens[opener].kind)] -= 1;
        Some(opener)
    }
}

/// 0 for parentheses, 1 for brackets, 2 for braces.
fn class(kind: T) -> usize {
    match kind {
        T::LParen | T::RParen => 0,
        T::LBrace | T::RBrace => 2,
        _ => 1,
    }
}
