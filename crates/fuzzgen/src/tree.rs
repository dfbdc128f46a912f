//! Programs as trees of text, which the generator makes and the reducer shrinks.
//!
//! An expression is a text with holes for smaller expressions. The meaning of the text does not matter: the reducer
//! tries to put a smaller expression of the same type in the place of a larger one, and asks the compiler whether that
//! makes sense.

use scalar::Prim;
use std::fmt::Write;

/// Stands for an expression in the text of another one.
pub const HOLE: char = '@';

/// The extent of a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    /// A number.
    Const(i64),
    /// A name in scope; `big` ones may be thousands, and are not used inside of loops.
    Named {
        /// The name.
        name: String,
        /// Whether it may be thousands.
        big: bool,
    },
}

impl Size {
    /// As it is written.
    pub fn text(&self) -> String {
        match self {
            Size::Const(n) => n.to_string(),
            Size::Named { name, .. } => name.clone(),
        }
    }

    /// Whether it may be thousands.
    pub fn is_big(&self) -> bool {
        matches!(self, Size::Named { big: true, .. })
    }

    /// Whether it is surely not 0.
    pub fn is_positive(&self) -> bool {
        matches!(self, Size::Const(n) if *n > 0)
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A primitive type.
    Prim(Prim),
    /// A tuple of at least two.
    Tuple(Vec<Ty>),
    /// A record.
    Record(Vec<(String, Ty)>),
    /// A sum type: its name, its constructors.
    Sum(String, Vec<(String, Option<Ty>)>),
    /// `[n]t`
    Array(Size, Box<Ty>),
    /// `[n][~]t`
    Jagged(Size, Box<Ty>),
    /// `[n][~][~]t`
    Deep(Size, Box<Ty>),
}

impl Ty {
    /// The type `i64`.
    pub const I64: Ty = Ty::Prim(Prim::I64);

    /// `[n]t`
    pub fn array(n: &Size, elem: &Ty) -> Ty {
        Ty::Array(n.clone(), Box::new(elem.clone()))
    }

    /// `[n][~]t`
    pub fn jagged(n: &Size, elem: &Ty) -> Ty {
        Ty::Jagged(n.clone(), Box::new(elem.clone()))
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let join = |items: Vec<String>| items.join(", ");
        match self {
            Ty::Prim(prim) => prim.name().into(),
            Ty::Tuple(items) => format!("({})", join(items.iter().map(Ty::text).collect())),
            Ty::Record(fields) => {
                format!("{{{}}}", join(fields.iter().map(|(name, ty)| format!("{name}: {}", ty.text())).collect()))
            }
            Ty::Sum(name, _) => name.clone(),
            Ty::Array(n, elem) => format!("[{}]{}", n.text(), elem.text()),
            Ty::Jagged(n, elem) => format!("[{}][~]{}", n.text(), elem.text()),
            Ty::Deep(n, elem) => format!("[{}][~][~]{}", n.text(), elem.text()),
        }
    }

    /// Whether there are floats in it.
    pub fn has_float(&self) -> bool {
        match self {
            Ty::Prim(prim) => prim.is_float(),
            Ty::Tuple(items) => items.iter().any(Ty::has_float),
            Ty::Record(fields) => fields.iter().any(|(_, ty)| ty.has_float()),
            Ty::Sum(_, cases) => cases.iter().flat_map(|(_, ty)| ty).any(Ty::has_float),
            Ty::Array(_, elem) | Ty::Jagged(_, elem) | Ty::Deep(_, elem) => elem.has_float(),
        }
    }

    /// Whether it has no arrays in it.
    pub fn is_flat(&self) -> bool {
        match self {
            Ty::Prim(_) => true,
            Ty::Tuple(items) => items.iter().all(Ty::is_flat),
            Ty::Record(fields) => fields.iter().all(|(_, ty)| ty.is_flat()),
            Ty::Sum(_, cases) => cases.iter().flat_map(|(_, ty)| ty).all(Ty::is_flat),
            Ty::Array(..) | Ty::Jagged(..) | Ty::Deep(..) => false,
        }
    }

    /// The simplest value of the type, as text.
    pub fn simplest(&self) -> String {
        let join = |items: Vec<String>| items.join(", ");
        match self {
            Ty::Prim(Prim::Bool) => "false".into(),
            Ty::Prim(prim) => format!("0{}", prim.name()),
            Ty::Tuple(items) => format!("({})", join(items.iter().map(Ty::simplest).collect())),
            Ty::Record(fields) => {
                format!("{{{}}}", join(fields.iter().map(|(name, ty)| format!("{name} = {}", ty.simplest())).collect()))
            }
            Ty::Sum(name, cases) => match cases.first() {
                Some((case, Some(ty))) => format!("(#{case} {} : {name})", ty.simplest()),
                Some((case, None)) => format!("(#{case} : {name})"),
                None => "()".into(),
            },
            Ty::Array(n, elem) => format!("(replicate {} {})", n.text(), elem.simplest()),
            Ty::Jagged(n, elem) => {
                format!("(map (\\_ -> replicate 1 {}) (iota {}))", elem.simplest(), n.text())
            }
            Ty::Deep(n, elem) => {
                let row = format!("map (\\_ -> replicate 1 {}) (iota 2)", elem.simplest());
                format!("(map (\\_ -> {row}) (iota {}))", n.text())
            }
        }
    }
}

/// An expression, or any other piece of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Exp {
    /// Its type, if it is an expression that another one may replace.
    pub ty: Option<Ty>,
    /// The text, with a [`HOLE`] for each part.
    pub text: String,
    /// What stands in the holes.
    pub parts: Vec<Exp>,
}

impl Exp {
    /// An expression of a type.
    pub fn new(ty: &Ty, text: impl Into<String>, parts: Vec<Exp>) -> Exp {
        let text = text.into();
        debug_assert_eq!(text.matches(HOLE).count(), parts.len(), "{text}");
        Exp { ty: Some(ty.clone()), text, parts }
    }

    /// A piece that is not an expression.
    pub fn piece(text: impl Into<String>, parts: Vec<Exp>) -> Exp {
        let text = text.into();
        debug_assert_eq!(text.matches(HOLE).count(), parts.len(), "{text}");
        Exp { ty: None, text, parts }
    }

    /// The whole text.
    pub fn print(&self, out: &mut String) {
        let mut parts = self.parts.iter();
        for (index, words) in self.text.split(HOLE).enumerate() {
            if index > 0
                && let Some(part) = parts.next()
            {
                part.print(out);
            }
            out.push_str(words);
        }
    }

    /// How many pieces there are.
    pub fn count(&self) -> usize {
        1 + self.parts.iter().map(Exp::count).sum::<usize>()
    }

    /// Piece number `index`, in the order of the text; 0 is the whole.
    pub fn get(&self, index: usize) -> Option<&Exp> {
        if index == 0 {
            return Some(self);
        }
        let mut left = index - 1;
        for part in &self.parts {
            let count = part.count();
            if left < count {
                return part.get(left);
            }
            left -= count;
        }
        None
    }

    /// The same with another piece at a place.
    pub fn replaced(&self, index: usize, by: Exp) -> Exp {
        let mut out = self.clone();
        if let Some(place) = out.get_mut(index) {
            *place = by;
        }
        out
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut Exp> {
        if index == 0 {
            return Some(self);
        }
        let mut left = index - 1;
        for part in &mut self.parts {
            let count = part.count();
            if left < count {
                return part.get_mut(left);
            }
            left -= count;
        }
        None
    }
}

/// An entry point with its inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub tree: Exp,
    /// What it is run on: the text of all arguments, once for each run.
    pub inputs: Vec<String>,
    /// What must hold of the results.
    pub rule: Rule,
}

/// What must hold of the results of an entry point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// All back ends give the same numbers, floats to the last bit.
    Exact,
    /// Floats may differ within a tolerance: the program calls functions that libraries round differently.
    Near,
    /// Exactly one check can fail, and nothing may remove it: errors agree in code and title.
    OneCheck,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 3] = [Rule::Exact, Rule::Near, Rule::OneCheck];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Exact => "exact",
            Rule::Near => "near",
            Rule::OneCheck => "check",
        }
    }
}

/// A program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Types, constants and functions.
    pub defs: Vec<Exp>,
    /// What is run.
    pub entries: Vec<Entry>,
}

impl Program {
    /// The text, with the inputs in comments that [`crate::judge`] reads.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for def in &self.defs {
            def.print(&mut out);
            out.push('\n');
        }
        for entry in &self.entries {
            let _ = write!(out, "\n-- entry: {} {}\n", entry.name, entry.rule.name());
            for input in &entry.inputs {
                let _ = writeln!(out, "-- input {{ {input} }}");
            }
            entry.tree.print(&mut out);
            out.push('\n');
        }
        out
    }
}
