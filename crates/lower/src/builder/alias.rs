//! Which buffers may be the same memory: a union-find over buffers, where the oldest buffer represents its class.
//!
//! Results of calls, branches and loops have a buffer variable of their own, which may be the memory of an argument. An
//! update in place must know.

use base::Map;
use kernel::Var as K;

/// Classes of buffers that may be the same memory.
#[derive(Default)]
pub(crate) struct Aliases {
    /// For a buffer that does not represent its class, an older one of the same class.
    older: Map<K, K>,
    watch: Watch,
}

/// How often classes of buffers older than some variable were merged.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watch {
    /// The first variable that is not older.
    first: u32,
    merges: usize,
}

impl Aliases {
    fn class(&self, buffer: K) -> K {
        let mut at = buffer;
        while let Some(next) = self.older.get(&at) {
            at = *next;
        }
        at
    }

    /// Whether two buffers may be the same memory.
    pub fn may_alias(&self, a: K, b: K) -> bool {
        self.class(a) == self.class(b)
    }

    /// Two buffers may be the same memory from now on.
    pub fn merge(&mut self, a: K, b: K) {
        let (a, b) = (self.class(a), self.class(b));
        if a == b {
            return;
        }
        let (old, new) = if a < b { (a, b) } else { (b, a) };
        if new.0 < self.watch.first {
            self.watch.merges += 1;
        }
        self.older.insert(new, old);
    }

    /// Counts from now on how often classes of buffers before this variable are merged. Gives what was counted until
    /// now, for [`Aliases::unwatch`].
    pub fn watch(&mut self, first: u32) -> Watch {
        std::mem::replace(&mut self.watch, Watch { first, merges: 0 })
    }

    /// Ends counting, and goes on with what was counted before. Says whether any classes were merged.
    pub fn unwatch(&mut self, outer: Watch) -> bool {
        std::mem::replace(&mut self.watch, outer).merges > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_grow_together() {
        let mut aliases = Aliases::default();
        aliases.merge(K(1), K(2));
        aliases.merge(K(4), K(3));
        assert!(aliases.may_alias(K(2), K(1)) && !aliases.may_alias(K(2), K(3)));
        aliases.merge(K(2), K(4));
        assert!(aliases.may_alias(K(1), K(3)));
    }

    #[test]
    fn only_merges_of_older_classes_are_counted() {
        let mut aliases = Aliases::default();
        let outer = aliases.watch(3);
        aliases.merge(K(1), K(5));
        assert!(!aliases.unwatch(outer));
        let outer = aliases.watch(3);
        aliases.merge(K(2), K(5));
        assert!(aliases.unwatch(outer));
    }
}
