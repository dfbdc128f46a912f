//! Small changes of a program, at the level of tokens. Most of them keep brackets paired; whether the program still makes
//! sense is for the compiler's front end to say.
//!
//! A change consists of pieces that replace ranges of the tokens of the *unchanged* program. Several changes that do not
//! overlap can thus be made at once, and each can be undone alone.

use super::read::definitions;
use super::tokens::{Kind, Token, closing, text};
use crate::random::Random;
use std::ops::Range;

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What it does, in a few words.
    pub what: &'static str,
    /// What stands instead of ranges of tokens; an empty range is a place between two tokens.
    pieces: Vec<(Range<usize>, String)>,
}

impl Change {
    fn new(what: &'static str, pieces: Vec<(Range<usize>, String)>) -> Option<Change> {
        Some(Change { what, pieces })
    }

    /// Whether both can be made.
    pub fn is_apart(&self, other: &Change) -> bool {
        let meet = |a: &Range<usize>, b: &Range<usize>| match (a.is_empty(), b.is_empty()) {
            (true, true) => false,
            (true, false) => b.start < a.start && a.start < b.end,
            (false, true) => a.start < b.start && b.start < a.end,
            (false, false) => a.start < b.end && b.start < a.end,
        };
        !self.pieces.iter().any(|(a, _)| other.pieces.iter().any(|(b, _)| meet(a, b)))
    }
}

/// The text of a program after changes, which must not overlap.
pub fn apply(tokens: &[Token], changes: &[Change]) -> String {
    let mut pieces: Vec<&(Range<usize>, String)> = changes.iter().flat_map(|change| &change.pieces).collect();
    pieces.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::new();
    let mut at = 0;
    for (range, new) in pieces {
        out += &text(&tokens[at..range.start.max(at)]);
        out += new;
        at = range.end.max(at);
    }
    out + &text(&tokens[at..])
}

type Maker = fn(&View, &mut Random) -> Option<Change>;

/// All kinds of changes, with how often each is tried.
const KINDS: &[(usize, Maker)] = &[
    (3, swap_items),
    (2, swap_arguments),
    (2, swap_operands),
    (3, other_name),
    (3, other_number),
    (3, other_operator),
    (1, twice),
    (4, wrap),
    (2, choose),
    (1, swap_lines),
    (1, other_type),
];

/// A random change of a program; none if there is no place for the kind that was chosen.
pub fn change(tokens: &[Token], random: &mut Random) -> Option<Change> {
    let mut left = random.below(KINDS.iter().map(|(weight, _)| weight).sum());
    let (_, make) = KINDS.iter().find(|(weight, _)| {
        let here = left < *weight;
        left = left.saturating_sub(*weight);
        here
    })?;
    make(&View::new(tokens), random)
}

/// A program to be changed.
struct View<'a> {
    tokens: &'a [Token],
    definitions: Vec<Range<usize>>,
    /// The tokens behind the `=` of definitions.
    bodies: Vec<usize>,
}

impl<'a> View<'a> {
    fn new(tokens: &'a [Token]) -> View<'a> {
        let definitions = definitions(tokens);
        let body = |definition: &Range<usize>| {
            let equals = definition.clone().find(|at| tokens[*at].is("=")).unwrap_or(definition.end);
            (equals + 1).min(definition.end)..definition.end
        };
        let bodies = definitions.iter().flat_map(body).collect();
        View { tokens, definitions, bodies }
    }

    /// The places in the bodies of definitions at which something holds.
    fn places(&self, holds: impl Fn(usize) -> bool) -> Vec<usize> {
        self.bodies.iter().copied().filter(|at| holds(*at)).collect()
    }

    /// The places in the whole program at which something holds.
    fn everywhere(&self, holds: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.tokens.len()).filter(|at| holds(*at)).collect()
    }

    fn text(&self, range: Range<usize>) -> String {
        text(&self.tokens[range])
    }

    /// The names in the definition at a place.
    fn names(&self, at: usize) -> Vec<&str> {
        let Some(definition) = self.definitions.iter().find(|range| range.contains(&at)) else { return Vec::new() };
        let own = self.tokens[definition.clone()].iter().skip(3);
        own.filter(|token| token.is_name()).map(|token| token.text.as_str()).collect()
    }

    /// Where an operand that begins at a token ends: `x`, `x[i]`, `1`, `(e)`, `[e]`.
    fn operand(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let mut end = match token.kind {
            Kind::Open => closing(self.tokens, at)?,
            Kind::Number => at + 1,
            Kind::Word if token.is_name() => at + 1,
            _ => return None,
        };
        while self.tokens.get(end).is_some_and(|next| next.is("[")) {
            end = closing(self.tokens, end)?;
        }
        Some(end)
    }

    /// Whether an operand could begin here: not in the middle of `x[i]`.
    fn is_begin(&self, at: usize) -> bool {
        let follows = |before: &Token| matches!(before.kind, Kind::Word | Kind::Close | Kind::Number);
        at == 0 || !self.tokens[at].is("[") || !follows(&self.tokens[at - 1])
    }

    /// The next operand behind blanks on the same line.
    fn neighbour(&self, end: usize) -> Option<Range<usize>> {
        let space = self.tokens.get(end).filter(|token| token.kind == Kind::Space)?;
        let begin = (!space.text.contains('\n')).then_some(end + 1)?;
        Some(begin..self.operand(begin)?)
    }

    /// Whether an operand is an argument: another one stands before it.
    fn is_argument(&self, at: usize) -> bool {
        at >= 2 && self.tokens[at - 1].kind == Kind::Space && {
            let before = &self.tokens[at - 2];
            before.kind == Kind::Close || before.is_name()
        }
    }

    /// Expressions that can be wrapped: bracketed ones, and arguments.
    fn expressions(&self) -> Vec<Range<usize>> {
        let candidates = self.places(|at| self.is_begin(at) && (self.tokens[at].is("(") || self.is_argument(at)));
        candidates.into_iter().filter_map(|at| Some(at..self.operand(at)?)).collect()
    }
}

fn swapped(view: &View, what: &'static str, first: Range<usize>, second: Range<usize>) -> Option<Change> {
    let (a, b) = (view.text(first.clone()), view.text(second.clone()));
    if a.trim() == b.trim() {
        return None;
    }
    Change::new(what, vec![(first, b), (second, a)])
}

/// `a[i, j]` becomes `a[j, i]`; the same for tuples and array literals.
fn swap_items(view: &View, random: &mut Random) -> Option<Change> {
    let mut pairs = Vec::new();
    for open in view.places(|at| view.tokens[at].kind == Kind::Open) {
        pairs.extend(items(view, open).windows(2).map(|two| (two[0].clone(), two[1].clone())));
    }
    let (first, second) = picked(&pairs, random)?;
    swapped(view, "items swapped", first, second)
}

/// What commas separate in a pair of brackets.
fn items(view: &View, open: usize) -> Vec<Range<usize>> {
    let end = closing(view.tokens, open).unwrap_or(open + 1);
    let mut items = Vec::new();
    let (mut begin, mut at) = (open + 1, open + 1);
    while at < end - 1 {
        if view.tokens[at].is(",") {
            items.push(trimmed(view, &(begin..at)));
            begin = at + 1;
        }
        let is_open = view.tokens[at].kind == Kind::Open;
        at = closing(view.tokens, at).filter(|_| is_open).unwrap_or(at + 1);
    }
    items.push(trimmed(view, &(begin..at)));
    items
}

/// A range without the blanks at its ends.
fn trimmed(view: &View, range: &Range<usize>) -> Range<usize> {
    let mut range = range.clone();
    let is_space = |at: usize| view.tokens[at].kind == Kind::Space;
    while !range.is_empty() && is_space(range.start) {
        range.start += 1;
    }
    while !range.is_empty() && is_space(range.end - 1) {
        range.end -= 1;
    }
    range
}

/// `f x y` becomes `f y x`.
fn swap_arguments(view: &View, random: &mut Random) -> Option<Change> {
    let firsts = view.places(|at| view.is_begin(at) && view.is_argument(at));
    let pair = |at: usize| {
        let end = view.operand(at)?;
        Some((at..end, view.neighbour(end)?))
    };
    let pairs: Vec<_> = firsts.into_iter().filter_map(pair).collect();
    let (first, second) = picked(&pairs, random)?;
    swapped(view, "arguments swapped", first, second)
}

/// `x - y` becomes `y - x`.
fn swap_operands(view: &View, random: &mut Random) -> Option<Change> {
    let pair = |at: usize| {
        let end = view.operand(at).filter(|_| view.is_begin(at))?;
        let operator = end + usize::from(view.tokens.get(end)?.kind == Kind::Space);
        class_of(view.tokens.get(operator)?)?;
        let begin = operator + 1 + usize::from(view.tokens.get(operator + 1)?.kind == Kind::Space);
        Some((at..end, begin..view.operand(begin)?))
    };
    let pairs: Vec<_> = view.bodies.iter().copied().filter_map(pair).collect();
    let (first, second) = picked(&pairs, random)?;
    swapped(view, "operands swapped", first, second)
}

/// A name becomes another one of the same definition.
fn other_name(view: &View, random: &mut Random) -> Option<Change> {
    // Names in heads: of sizes and parameters.
    let is_own_name = |at: usize| at >= 2 && ["entry", "def"].iter().any(|word| view.tokens[at - 2].is(word));
    let is_name = |at: usize| view.tokens[at].is_name() && !is_own_name(at);
    let places = if random.percent(10) { view.everywhere(is_name) } else { view.places(is_name) };
    let at = picked(&places, random)?;
    let new = picked(&view.names(at), random)?;
    if view.tokens[at].is(new) {
        return None;
    }
    Change::new("another name", vec![(at..at + 1, new.into())])
}

/// A whole number becomes a neighbour, or a small one.
fn other_number(view: &View, random: &mut Random) -> Option<Change> {
    let is_whole = |at: usize| digits(&view.tokens[at]).is_some();
    let at = picked(&view.places(is_whole), random)?;
    let (old, suffix) = digits(&view.tokens[at])?;
    let new = random.pick(&[old + 1, old - 1, 0, 1, -1, 2]);
    let shown = if new < 0 { format!("({new}{suffix})") } else { format!("{new}{suffix}") };
    if new == old {
        return None;
    }
    Change::new("another number", vec![(at..at + 1, shown)])
}

/// A decimal number and its suffix.
fn digits(token: &Token) -> Option<(i64, &str)> {
    if token.kind != Kind::Number {
        return None;
    }
    let end = token.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.text.len());
    let (digits, suffix) = token.text.split_at(end);
    let is_whole = suffix.is_empty() || suffix.starts_with(['i', 'u']);
    Some((digits.parse().ok().filter(|n| *n < i64::MAX && is_whole)?, suffix))
}

/// Operators of one class have the same types, more or less.
const CLASSES: &[&[&str]] = &[
    &["+", "-", "*"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["&&", "||"],
    &["/", "%", "//", "%%"],
    &["i64.min", "i64.max", "i64.sum", "i64.product"],
    &["f64.min", "f64.max"],
    &["i64.minimum", "i64.maximum"],
    &["f64.sum", "f64.maximum", "f64.minimum"],
    &["map2", "zip"],
    &["scan", "reduce"],
    &["sum", "maximum", "minimum"],
];

fn class_of(token: &Token) -> Option<&'static [&'static str]> {
    CLASSES.iter().copied().find(|class| class.contains(&token.text.as_str()))
}

/// An operator becomes another one of its class.
fn other_operator(view: &View, random: &mut Random) -> Option<Change> {
    let at = picked(&view.places(|at| class_of(&view.tokens[at]).is_some()), random)?;
    let old = &view.tokens[at];
    let new = picked(class_of(old)?, random)?;
    // `(-)` is likely to combine the elements of an array, where the order is free for operators like `(+)`.
    let is_alone = at > 0 && view.tokens[at - 1].is("(") && view.tokens.get(at + 1).is_some_and(|next| next.is(")"));
    if old.is(new) || is_alone && *new == *"-" {
        return None;
    }
    Change::new("another operator", vec![(at..at + 1, new.into())])
}

/// `(f a x)` becomes `(f a (f a x))`.
fn twice(view: &View, random: &mut Random) -> Option<Change> {
    let call = |open: usize| {
        let end = closing(view.tokens, open)?;
        let mut last = open + 1..view.operand(open + 1)?;
        let mut count = 0;
        while let Some(next) = view.neighbour(last.end) {
            last = next;
            count += 1;
        }
        (count > 0 && last.end + 1 == end).then_some((open, last))
    };
    let calls: Vec<_> = view.places(|at| view.tokens[at].is("(")).into_iter().filter_map(call).collect();
    let (open, last) = picked(&calls, random)?;
    let head = view.text(open..last.start);
    Change::new("a call of the same call", vec![(last.start..last.start, head), (last.end..last.end, ")".into())])
}

/// What an array, or anything, can be given to.
const WRAPPERS: &[&str] = &[
    "reverse",
    "take 2",
    "drop 1",
    "rotate 1",
    "rotate (-1)",
    "transpose",
    "copy",
    "trace",
    "opaque",
    "map (+ 1)",
    "map (* 2)",
    "map reverse",
    "map (\\q -> q - 1)",
    "filter (> 1)",
    "scan (+) 0",
    "(+ 1)",
    "(* 2)",
    "(\\q -> q)",
    "(\\q -> q + q)",
    "(\\q -> map (\\i -> q[i]) (iota (length q)))",
    "(\\q -> map (\\i -> q[length q - 1 - i]) (iota (length q)))",
    "tail",
    "sort",
];

/// `f x` becomes `f (reverse x)`.
fn wrap(view: &View, random: &mut Random) -> Option<Change> {
    let inner = picked(&view.expressions(), random)?;
    let head = format!("({} ", picked(WRAPPERS, random)?);
    Change::new("wrapped", vec![(inner.start..inner.start, head), (inner.end..inner.end, ")".into())])
}

/// `f x` becomes `f (if n > 2 then x else y)`.
fn choose(view: &View, random: &mut Random) -> Option<Change> {
    let inner = picked(&view.expressions(), random)?;
    let names = view.names(inner.start);
    let operator = picked(CLASSES[1], random)?;
    let bound = if random.percent(50) { picked(&names, random)?.to_owned() } else { random.between(0, 4).to_string() };
    let own = view.text(inner.clone());
    let other = match random.below(3) {
        0 => picked(&names, random)?.to_owned(),
        1 => format!("{} {own}", picked(WRAPPERS, random)?),
        _ => own,
    };
    let head = format!("(if {} {operator} {bound} then ", picked(&names, random)?);
    Change::new("a choice", vec![(inner.start..inner.start, head), (inner.end..inner.end, format!(" else {other})"))])
}

/// Two neighbouring lines that begin with `let` are swapped.
fn swap_lines(view: &View, random: &mut Random) -> Option<Change> {
    let is_line_end = |at: usize| view.tokens[at].text.contains('\n');
    let lets = view.places(|at| view.tokens[at].is("let") && at > 0 && is_line_end(at - 1));
    let line_end = |at: usize| (at..view.tokens.len()).find(|end| is_line_end(*end));
    let pair = |two: &[usize]| {
        let (first, second) = (line_end(two[0])?, line_end(two[1])?);
        (first + 1 == two[1]).then_some((two[0]..first, two[1]..second))
    };
    let pairs: Vec<_> = lets.windows(2).filter_map(pair).collect();
    let (first, second) = picked(&pairs, random)?;
    swapped(view, "lines swapped", first, second)
}

/// All uses of a type become another type.
fn other_type(view: &View, random: &mut Random) -> Option<Change> {
    let (old, new) = picked(
        &[("i64", "i32"), ("i64", "u8"), ("f64", "f32"), ("i32", "i64"), ("f64", "i64"), ("f32", "f64")],
        random,
    )?;
    let pieces: Vec<_> = view
        .everywhere(|at| {
            view.tokens[at].text.contains(old) && matches!(view.tokens[at].kind, Kind::Word | Kind::Number)
        })
        .into_iter()
        .map(|at| (at..at + 1, view.tokens[at].text.replace(old, new)))
        .collect();
    if pieces.is_empty() { None } else { Change::new("another type", pieces) }
}

/// One of these, if there is one.
fn picked<T: Clone>(items: &[T], random: &mut Random) -> Option<T> {
    (!items.is_empty()).then(|| random.pick(items))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    /// What a kind of change makes of a program with any of some seeds.
    fn made(make: Maker, program: &str) -> Vec<String> {
        let tokens = tokens(program);
        let view = View::new(&tokens);
        let changes = (0..900).filter_map(|seed| make(&view, &mut Random::new(seed)));
        changes.map(|change| apply(&tokens, &[change])).collect()
    }

    fn makes(make: Maker, program: &str, changed: &str) {
        let all = made(make, program);
        assert!(all.iter().any(|text| text == changed), "{all:?}");
    }

    #[test]
    fn each_change_can_be_made() {
        makes(swap_items, "entry f a i j = a[i, j + 1]\n", "entry f a i j = a[j + 1, i]\n");
        makes(swap_arguments, "entry f = g (h 1) x[0]\n", "entry f = g x[0] (h 1)\n");
        makes(swap_operands, "entry f x = x[1] - (2)\n", "entry f x = (2) - x[1]\n");
        makes(other_name, "entry f x y = x + y\n", "entry f x y = y + y\n");
        makes(other_number, "entry f x = x + 7i32\n", "entry f x = x + (-1i32)\n");
        makes(other_operator, "entry f x = x < 7\n", "entry f x = x >= 7\n");
        makes(twice, "entry f x = (g 1 x)\n", "entry f x = (g 1 (g 1 x))\n");
        makes(wrap, "entry f xs = g xs\n", "entry f xs = g (reverse xs)\n");
        makes(choose, "entry f xs = (xs)\n", "entry f xs = (if xs > 2 then (xs) else xs)\n");
        makes(
            swap_lines,
            "entry f =\n  let a = 1\n  let b = 2\n  in a\n",
            "entry f =\n  let b = 2\n  let a = 1\n  in a\n",
        );
        makes(other_type, "entry f (x: i64) = i64.sum x\n", "entry f (x: i32) = i32.sum x\n");
    }

    #[test]
    fn changes_that_are_apart_are_made_together() {
        let program = tokens("entry f x = (g x) + 1\n");
        let view = View::new(&program);
        let find = |make: Maker| (0..60).filter_map(|seed| make(&view, &mut Random::new(seed))).collect::<Vec<_>>();
        let outer = find(twice)[0].clone();
        let number = find(other_number)[0].clone();
        assert!(outer.is_apart(&number) && !number.is_apart(&number));
        let both = apply(&program, &[number, outer]);
        assert!(both.starts_with("entry f x = (g (g x)) + ") && !both.ends_with("+ 1\n"), "{both}");
    }
}
