//! The header of `.npy` files: a Python dictionary as text.

use scalar::Prim;

/// The contents of the header.
#[derive(Debug, PartialEq)]
pub(crate) struct Header {
    /// The type of the elements; of complex numbers that of their parts.
    pub(crate) prim: Prim,
    pub(crate) is_complex: bool,
    pub(crate) big_endian: bool,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<i64>,
}

impl Header {
    /// How many bytes the elements take.
    pub(crate) fn size(&self) -> Result<usize, String> {
        let count = self.shape.iter().try_fold(1i64, |n, extent| n.checked_mul(*extent));
        let each = self.prim.bytes() * if self.is_complex { 2 } else { 1 };
        let size = count.and_then(|n| usize::try_from(n).ok()?.checked_mul(each));
        size.ok_or_else(|| format!("a shape of {:?} is too large", self.shape))
    }
}

/// Reads the dictionary; an error has a message and the byte of the text.
pub(crate) fn parse(text: &str) -> Result<Header, (usize, String)> {
    let mut p = Parser { text, pos: 0 };
    let (mut dtype, mut order, mut shape) = (None, None, None);
    p.expect('{')?;
    while !p.eat('}') {
        let start = p.pos;
        let key = p.string()?;
        p.expect(':')?;
        match key {
            "descr" => dtype = Some(p.dtype()?),
            "fortran_order" => order = Some(p.bool()?),
            "shape" => shape = Some(p.shape()?),
            _ => return Err((start, format!("the header has an unknown key {key:?}"))),
        }
        if !p.eat(',') {
            p.expect('}')?;
            break;
        }
    }
    let missing = |key: &str| (0, format!("the header has no key '{key}'"));
    let (prim, is_complex, big_endian) = dtype.ok_or_else(|| missing("descr"))?;
    Ok(Header {
        prim,
        is_complex,
        big_endian,
        fortran_order: order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

/// The dictionary of a little-endian array in C order.
pub(crate) fn render(prim: Prim, is_complex: bool, shape: &[i64]) -> String {
    let order = if prim.bytes() == 1 { '|' } else { '<' };
    let dims = match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    };
    format!("{{'descr': '{order}{}', 'fortran_order': False, 'shape': {dims}, }}", code(prim, is_complex))
}

fn code(prim: Prim, is_complex: bool) -> String {
    if is_complex {
        return format!("c{}", 2 * prim.bytes());
    }
    let kind = match prim {
        Prim::Bool => 'b',
        Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 => 'i',
        Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => 'u',
        Prim::F16 | Prim::F32 | Prim::F64 => 'f',
    };
    format!("{kind}{}", prim.bytes())
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
}

type Read<T> = Result<T, (usize, String)>;

impl<'a> Parser<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.pos..].trim_start();
        self.pos = self.text.len() - rest.len();
        rest
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.pos += c.len_utf8();
        }
        found
    }

    fn expect(&mut self, c: char) -> Read<()> {
        if self.eat(c) { Ok(()) } else { Err((self.pos, format!("'{c}' is expected in the header"))) }
    }

    fn string(&mut self) -> Read<&'a str> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let inside = quote.and_then(|q| rest[1..].split_once(q));
        match inside {
            Some((inside, _)) => {
                self.pos += inside.len() + 2;
                Ok(inside)
            }
            None => Err((self.pos, "a string is expected in the header".into())),
        }
    }

    /// The type, whether it is that of the parts of complex numbers, and whether it is big-endian.
    fn dtype(&mut self) -> Read<(Prim, bool, bool)> {
        if self.rest().starts_with('[') {
            return Err((self.pos, "arrays of records are not supported".into()));
        }
        let start = self.pos;
        let text = self.string()?;
        let plain = text.trim_start_matches(['<', '>', '|', '=']);
        let simple = |p: &Prim| code(*p, false) == plain || plain == "?" && *p == Prim::Bool;
        let simple = Prim::ALL.into_iter().find(simple).map(|prim| (prim, false));
        let complex = [Prim::F32, Prim::F64].into_iter().find(|p| code(*p, true) == plain).map(|prim| (prim, true));
        match simple.or(complex) {
            Some((prim, is_complex)) if text.len() - plain.len() <= 1 => Ok((prim, is_complex, text.starts_with('>'))),
            _ => Err((start, format!("elements of type {text:?} are not supported"))),
        }
    }

    fn bool(&mut self) -> Read<bool> {
        let rest = self.rest();
        for (word, value) in [("True", true), ("False", false)] {
            if rest.starts_with(word) {
                self.pos += word.len();
                return Ok(value);
            }
        }
        Err((self.pos, "True or False is expected in the header".into()))
    }

    fn shape(&mut self) -> Read<Vec<i64>> {
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.eat(')') {
            let rest = self.rest();
            let digits = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
            shape.push(
                digits
                    .parse()
                    .map_err(|_| (self.pos, "the shape in the header is not a tuple of extents".to_string()))?,
            );
            self.pos += digits.len();
            if !self.eat(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}
