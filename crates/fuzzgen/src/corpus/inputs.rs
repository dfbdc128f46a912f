//! Inputs of changed programs: those of the corpus with other numbers, and new ones for simple parameters.

use super::tokens::{Kind, Token, closing, text, tokens};
use crate::random::Random;
use std::collections::BTreeMap;

/// The parameters of an entry point, if all have types like `[n][m]f64`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters(Vec<Parameter>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Parameter {
    /// Names of sizes, or numbers.
    dims: Vec<String>,
    /// The element type.
    elem: String,
}

/// Sizes of new arrays: small ones, and some around the widths of vectors and tiles.
const SIZES: &[usize] = &[0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 16, 17, 20, 33];

/// So many numbers are the most in an input.
const MOST: usize = 400;

impl Parameters {
    /// The parameters in the head of a definition: `(name: type)` up to `=`.
    pub fn read(definition: &[Token]) -> Option<Parameters> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(token) = definition.get(at) {
            match token.text.as_str() {
                "=" | ":" => return Some(Parameters(out)),
                "(" => {
                    let end = closing(definition, at)?;
                    out.push(parameter(&definition[at + 1..end - 1], out.len())?);
                    at = end;
                }
                "[" | "{" => at = closing(definition, at)?,
                _ => at += 1,
            }
        }
        None
    }

    /// An input. Sizes with the same name are equal.
    pub fn make(&self, random: &mut Random) -> String {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        let largest = self.0.iter().map(|parameter| parameter.dims.len()).max().unwrap_or(0);
        let limit = (MOST as f64).powf(1.0 / largest.max(1) as f64) as usize;
        for dim in self.0.iter().flat_map(|parameter| &parameter.dims) {
            let size = dim.parse().unwrap_or_else(|_| random.pick(SIZES).min(limit));
            sizes.entry(dim).or_insert(size);
        }
        let style = Style::choose(random);
        let arguments = self.0.iter().map(|parameter| {
            let dims: Vec<usize> = parameter.dims.iter().map(|dim| sizes[dim.as_str()]).collect();
            array(&dims, &parameter.elem, &style, random)
        });
        arguments.collect::<Vec<_>>().join(" ")
    }
}

/// `name: *[n][m]f64`. A size without a name gets one from the number of the parameter.
fn parameter(tokens: &[Token], number: usize) -> Option<Parameter> {
    let words: Vec<&str> = tokens.iter().filter(|t| t.kind != Kind::Space).map(|t| t.text.as_str()).collect();
    let [_, ":" | ":*", rest @ ..] = &words[..] else { return None };
    let mut rest = rest.strip_prefix(&["*"]).unwrap_or(rest);
    let mut dims = Vec::new();
    loop {
        match rest {
            ["[", "]", behind @ ..] => {
                dims.push(format!("{number}.{}", dims.len()));
                rest = behind;
            }
            ["[", dim, "]", behind @ ..] => {
                dims.push((*dim).to_owned());
                rest = behind;
            }
            _ => break,
        }
    }
    let [elem] = rest else { return None };
    let is_known = elem == &"bool" || scalar::Prim::ALL.iter().any(|prim| prim.name() == *elem);
    (is_known && dims.iter().all(|dim| dim.starts_with(char::is_alphanumeric)))
        .then(|| Parameter { dims, elem: (*elem).into() })
}

/// Which numbers an input has.
#[derive(Clone, Copy)]
enum Style {
    /// From 0 on.
    Small,
    /// Of both signs.
    Signed,
    /// Almost all the same.
    Equal,
    /// Up to the limits of small types.
    Large,
}

impl Style {
    fn choose(random: &mut Random) -> Style {
        random.pick(&[Style::Small, Style::Small, Style::Signed, Style::Equal, Style::Large])
    }

    /// A number. Those of floats are small integers, so that sums do not depend on their order.
    fn number(self, random: &mut Random) -> i64 {
        match self {
            Style::Small => random.between(0, 6),
            Style::Signed => random.between(-9, 9),
            Style::Equal => i64::from(!random.percent(90)) + 2,
            Style::Large => random.between(-100, 120),
        }
    }
}

fn array(dims: &[usize], elem: &str, style: &Style, random: &mut Random) -> String {
    let Some((size, inner)) = dims.split_first() else { return scalar_text(elem, *style, random) };
    let items: Vec<String> = (0..*size).map(|_| array(inner, elem, style, random)).collect();
    format!("[{}]", items.join(", "))
}

fn scalar_text(elem: &str, style: Style, random: &mut Random) -> String {
    let number = style.number(random);
    match elem.as_bytes() {
        b"bool" => (number % 2 == 0).to_string(),
        [b'u', ..] => number.abs().to_string(),
        [b'f', ..] => format!("{number}.0"),
        _ => number.to_string(),
    }
}

/// An input with other numbers, or with an array made empty. Without suffixes: types say what numbers are.
pub fn changed(input: &str, random: &mut Random) -> String {
    let mut tokens: Vec<Token> = tokens(input).into_iter().map(plain).collect();
    match random.below(10) {
        0..4 => {}
        4 => empty(&mut tokens, random),
        _ => {
            let share = random.pick(&[10, 30, 100]);
            let style = Style::choose(random);
            let is_negative = |tokens: &[Token], at: usize| at > 0 && tokens[at - 1].text.ends_with('-');
            for at in 0..tokens.len() {
                if tokens[at].kind == Kind::Number && random.percent(share) {
                    let value = style.number(random);
                    let value = if is_negative(&tokens, at) || !input.contains('-') { value.abs() } else { value };
                    let fraction = if tokens[at].text.contains('.') { ".0" } else { "" };
                    tokens[at].text = format!("{value}{fraction}");
                }
            }
        }
    }
    text(&tokens)
}

/// A number without its suffix.
fn plain(token: Token) -> Token {
    let is_hex = token.text.starts_with("0x");
    match token.text.find(['i', 'u', 'f']) {
        Some(end) if token.kind == Kind::Number && !is_hex => Token { text: token.text[..end].into(), ..token },
        _ => token,
    }
}

/// Removes what one pair of brackets holds.
fn empty(tokens: &mut Vec<Token>, random: &mut Random) {
    let opens: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at].is("[")).collect();
    if opens.is_empty() {
        return;
    }
    let open = random.pick(&opens);
    if let Some(end) = closing(tokens, open) {
        tokens.drain(open + 1..end - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_made_for_simple_parameters() {
        let head = tokens("entry f [n][m] (a: *[n][m]f64) (k: i32) (b: [3]bool): [n]f64 = a");
        let parameters = Parameters::read(&head).expect("simple parameters");
        let made = parameters.make(&mut Random::new(1));
        assert_eq!(made, parameters.make(&mut Random::new(1)));
        assert!(made.starts_with('[') && made.contains("true") | made.contains("false"), "{made}");
        assert_eq!(Parameters::read(&tokens("entry f (a: [][~]i64) = a")), None);
        assert_eq!(Parameters::read(&tokens("entry f (p: (i64, i64)) = p")), None);
        assert_eq!(Parameters::read(&tokens("entry f = 1")), Some(Parameters(Vec::new())));
    }

    #[test]
    fn numbers_of_inputs_change() {
        let inputs: Vec<String> = (0..30).map(|seed| changed("[1i64, 2] 2.5f32", &mut Random::new(seed))).collect();
        assert!(inputs.contains(&"[1, 2] 2.5".to_owned()), "{inputs:?}");
        assert!(inputs.contains(&"[] 2.5".to_owned()), "{inputs:?}");
        assert!(inputs.iter().any(|input| !input.starts_with("[1") && !input.starts_with("[]")), "{inputs:?}");
    }
}
