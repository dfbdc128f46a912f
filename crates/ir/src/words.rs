//! The words of Core's text form, which printer and parser share.

/// Words that begin an expression, a statement or a type, or mark a binder: no variable is written like them. (A
/// variable called `total` is written `total.1`.)
pub(crate) const RESERVED: &[&str] = &[
    "accum",
    "assert",
    "box",
    "boxes",
    "bulk",
    "case",
    "choose",
    "cert",
    "copy",
    "desc",
    "desc_equal",
    "desc_index",
    "desc_length",
    "desc_lengths",
    "desc_of",
    "desc_offset",
    "desc_row",
    "desc_slice",
    "desc_uniform",
    "emit",
    "ensure",
    "entry",
    "false",
    "fn",
    "for",
    "fresh",
    "if",
    "let",
    "loop",
    "neg",
    "not",
    "numbered",
    "open",
    "out",
    "pack",
    "pending",
    "rearrange",
    "reshape",
    "retype",
    "scan",
    "select",
    "site",
    "slice",
    "sort",
    "sort_keys",
    "total",
    "trace",
    "true",
    "uninit",
    "unrank",
];

/// Whether a word is reserved.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word) || scalar::Prim::from_name(word).is_some()
}

/// Whether a name begins with this.
pub(crate) fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether a name can continue with this.
pub(crate) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// Whether a text can stand as it is; others are written in backquotes.
pub(crate) fn is_plain(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(continues_name)
}
