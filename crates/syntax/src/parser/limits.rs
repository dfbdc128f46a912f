//! Limits that keep recursion safe: how deep productions nest, and how tall the tree may become. A chain such as
//! `a + b + c` needs no recursion to parse, but its tree is as tall as the chain is long, and later passes walk and
//! drop the tree recursively.
//!
//! Productions that are not part of plain nesting are `#[inline(never)]`: otherwise their locals would enlarge every
//! stack frame of the nesting.

use super::Parser;
use crate::codes;
use base::Diagnostic;

/// How deep brackets, branches and the like may be nested.
pub(super) const MAX_DEPTH: u32 = 300;

/// How tall a tree may be; chains of operators, bindings and indices count one for each link.
pub(super) const MAX_HEIGHT: u32 = 5_000;

impl Parser<'_> {
    /// Parses one level deeper; `broken` is the result when that is too deep.
    pub(super) fn deeper<R>(&mut self, broken: impl FnOnce(&Self) -> R, parse: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= MAX_DEPTH {
            self.too_deep();
            return broken(self);
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = parse(self);
        self.link();
        self.height = self.height.max(outer);
        self.depth -= 1;
        result
    }

    /// Parses, and returns the height of this result alone, without that of its neighbours.
    pub(super) fn measured<R>(&mut self, parse: impl FnOnce(&mut Self) -> R) -> (R, u32) {
        let outer = std::mem::take(&mut self.height);
        let result = parse(self);
        (result, std::mem::replace(&mut self.height, outer))
    }

    /// Counts a node on top of the tree that this production has made so far.
    pub(super) fn link(&mut self) {
        self.links(1);
    }

    /// Counts several nodes, each on top of the one before.
    pub(super) fn links(&mut self, count: usize) {
        self.raise(self.height.saturating_add(count.min(MAX_HEIGHT as usize) as u32));
    }

    /// Checks the number of parameters of a function: its type is as tall as it has parameters.
    pub(super) fn side_by_side(&mut self, count: usize) {
        if count > MAX_HEIGHT as usize {
            self.too_long();
        }
    }

    /// Records that the production has made a tree of this height.
    pub(super) fn raise(&mut self, height: u32) {
        self.height = self.height.max(height);
        if self.height + self.waiting > MAX_HEIGHT {
            self.too_long();
        }
    }

    /// Records a link of a chain whose node will be on top of what follows: `let x = e in`, `a ->`.
    pub(super) fn await_rest(&mut self) {
        self.waiting += 1;
        self.raise(0);
    }

    /// Records that the nodes of this many links are now in place.
    pub(super) fn awaited(&mut self, count: usize) {
        self.waiting -= (count as u32).min(self.waiting);
        self.links(count);
    }

    #[cold]
    fn too_deep(&mut self) {
        let title = format!("this is nested more than {MAX_DEPTH} levels deep");
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, title, self.span(), "too deep from here on")
            .help("give names to inner parts with `let` or `def`");
        self.give_up(diagnostic);
    }

    #[cold]
    fn too_long(&mut self) {
        self.height = 0;
        let title = format!("this chain of operators, bindings or the like has more than {MAX_HEIGHT} links");
        let diagnostic = Diagnostic::error(codes::TOO_LONG, title, self.prev_span(), "too long from here on")
            .help("split it with `def`, or put the values in an array and reduce it");
        self.give_up(diagnostic);
    }

    /// Reports and ends the parse: what follows would only repeat the problem.
    fn give_up(&mut self, diagnostic: Diagnostic) {
        self.error(diagnostic);
        self.pos = self.lexed.tokens.len() - 1;
    }
}
