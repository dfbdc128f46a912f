//! Interned names: one pointer-sized, comparable value per distinct string.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;
use std::sync::{LazyLock, RwLock};

/// An interned string. Equal strings are equal names; ordering is by the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

#[derive(Default)]
struct Interner {
    ids: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static INTERNER: LazyLock<RwLock<Interner>> = LazyLock::new(RwLock::default);

thread_local! {
    /// The names that this thread has looked up already, so that the common case takes no lock.
    static SEEN: RefCell<FxHashMap<&'static str, u32>> = RefCell::default();
}

impl Name {
    /// The name of this text.
    pub fn new(text: &str) -> Name {
        if let Some(id) = SEEN.with_borrow(|seen| seen.get(text).copied()) {
            return Name(id);
        }
        let (text, id) = Name::intern(text);
        SEEN.with_borrow_mut(|seen| seen.insert(text, id));
        Name(id)
    }

    fn intern(text: &str) -> (&'static str, u32) {
        let mut all = INTERNER.write().unwrap_or_else(|e| e.into_inner());
        if let Some((text, id)) = all.ids.get_key_value(text) {
            return (text, *id);
        }
        // Names live as long as the process: a compiler run interns a few thousand of them.
        let text: &'static str = Box::leak(text.into());
        let id = all.texts.len() as u32;
        all.texts.push(text);
        all.ids.insert(text, id);
        (text, id)
    }

    /// The text.
    pub fn as_str(self) -> &'static str {
        INTERNER.read().unwrap_or_else(|e| e.into_inner()).texts[self.0 as usize]
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_equal_name() {
        assert_eq!(Name::new("map"), Name::new("map"));
        assert_ne!(Name::new("map"), Name::new("map2"));
        assert!(Name::new("a") < Name::new("b"));
        assert_eq!(Name::new("x'").as_str(), "x'");
    }
}
