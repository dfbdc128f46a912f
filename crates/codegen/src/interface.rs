//! How values of entry points look in C: scalars, and arrays of scalars.
//!
//! A record is its fields, a sum the number of its constructor and the parts of all constructors, and an array of
//! records several arrays that share their dimensions.

use crate::forms;
use crate::types::c_type;
use kernel::Entry;
use scalar::{DimKind, Layout, Prim};
use std::collections::BTreeSet;

/// A function of the library that calls an entry point.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in C.
    pub name: String,
    /// The entry point.
    pub entry: String,
    /// Its type, as the language writes it.
    pub ty: String,
    /// Its parameters, by argument of the entry point.
    pub params: Vec<Vec<Leaf>>,
    /// Pointers for results, after the arguments, by result of the entry point.
    pub results: Vec<Vec<Leaf>>,
    /// Components of all arguments, and of all results.
    pub(crate) components: (usize, usize),
}

/// A scalar or an array of scalars.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The name of the parameter.
    pub name: String,
    /// The type of its elements.
    pub prim: Prim,
    /// Its dimensions, each with the number of its component.
    pub dims: Vec<(DimKind, usize)>,
    /// The number of its own component.
    pub component: usize,
    /// Whether the entry point overwrites it.
    pub consumed: bool,
    /// If its elements are numbers of constructors: their names, in the order of the numbers.
    pub constructors: Vec<String>,
}

/// A type of array objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Array {
    /// Its name after the library's: `f64_2d`, `i64_nj`.
    pub name: String,
    /// The type of its elements.
    pub prim: Prim,
    /// Its dimensions: `n` an extent, `~` jagged, `.` any number of extents.
    pub dims: String,
}

impl Leaf {
    /// The type of the object, unless this is a scalar.
    pub fn array(&self) -> Option<Array> {
        let dims = forms::letters(self.dims.iter().map(|(kind, _)| *kind));
        let ending = match dims.chars().all(|letter| letter == 'n') {
            true => format!("{}d", dims.len()),
            false => dims.replace('~', "j").replace('.', "r"),
        };
        let array = Array { name: format!("{}_{ending}", self.prim), prim: self.prim, dims };
        (!self.dims.is_empty()).then_some(array)
    }
}

impl Array {
    /// As the language writes the type: `[n0][~]f64`.
    pub fn shown(&self) -> String {
        let dim = |(i, letter): (usize, char)| match letter {
            'n' => format!("[n{i}]"),
            '~' => "[~]".to_owned(),
            _ => "[..]".to_owned(),
        };
        format!("{}{}", self.dims.chars().enumerate().map(dim).collect::<String>(), self.prim)
    }

    /// The C type of its elements.
    pub fn element(&self) -> &'static str {
        element(self.prim)
    }
}

/// The C type of a scalar, as users of a library see it.
pub(crate) fn element(prim: Prim) -> &'static str {
    if prim == Prim::F16 { "uint16_t" } else { c_type(prim) }
}

/// The functions of entry points with these types; or an entry point and what about it cannot be said in C.
pub(crate) fn functions(library: &str, entries: &[Entry], types: &[String]) -> Result<Vec<Function>, (String, String)> {
    let named = function_names(library, entries);
    let function = |(number, (entry, name)): (usize, (&Entry, String))| {
        let ty = types.get(number).cloned().unwrap_or_default();
        function(library, name, ty, entry).map_err(|why| (entry.name.to_string(), why))
    };
    entries.iter().zip(named).enumerate().map(function).collect()
}

/// The names of functions. Who has a name that C takes keeps it; those with primes and the like get what is left.
fn function_names(library: &str, entries: &[Entry]) -> Vec<String> {
    let mut names = Names::default();
    let plain = |entry: &Entry| letters_and_digits(entry.name.as_str());
    let mut found = vec![String::new(); entries.len()];
    for taken in [true, false] {
        for (entry, name) in entries.iter().zip(&mut found) {
            if (plain(entry) == entry.name.as_str()) == taken {
                *name = names.unique(&format!("{library}_entry_{}", plain(entry)));
            }
        }
    }
    found
}

fn function(library: &str, name: String, ty: String, entry: &Entry) -> Result<Function, String> {
    let names = Names { used: RESERVED.iter().map(|name| (*name).to_owned()).collect() };
    let mut walk = Walk { next: 0, names, out: vec![] };
    let mut params = Vec::new();
    for (number, (name, layout)) in entry.params.iter().enumerate() {
        let name = identifier(library, name.as_str(), &format!("arg{number}"));
        params.push(walk.value(layout, &name)?);
    }
    for leaf in params.iter_mut().flatten() {
        leaf.consumed = entry.consumed.get(leaf.component).copied().unwrap_or(false);
    }
    let inputs = std::mem::take(&mut walk.next);
    let mut results = Vec::new();
    for (number, layout) in entry.results.iter().enumerate() {
        let name = if entry.results.len() == 1 { "result".to_owned() } else { format!("result{number}") };
        results.push(walk.value(layout, &name)?);
    }
    Ok(Function { name, entry: entry.name.to_string(), ty, params, results, components: (inputs, walk.next) })
}

/// What the functions use themselves.
const RESERVED: [&str; 7] = ["context", "in", "out", "host", "fine", "changed", "memcpy"];

/// Names that are given out once.
#[derive(Default)]
struct Names {
    used: BTreeSet<String>,
}

impl Names {
    fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 1;
        while !self.used.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        candidate
    }
}

/// The components of layouts, in the order of [`Layout::components`].
struct Walk {
    next: usize,
    names: Names,
    out: Vec<Leaf>,
}

impl Walk {
    fn value(&mut self, layout: &Layout, name: &str) -> Result<Vec<Leaf>, String> {
        let first = self.next;
        self.layout(layout, name, &mut Vec::new());
        let leaves = std::mem::take(&mut self.out);
        // Sizes come from arrays: there is no other way to tell how many elements an array of units has.
        let sized: BTreeSet<usize> = leaves.iter().flat_map(|leaf| leaf.dims.iter().map(|(_, at)| *at)).collect();
        let mut all = leaves;
        for (number, component) in layout.components().iter().enumerate() {
            let component_at = first + number;
            match component {
                scalar::Component::Size if !sized.contains(&component_at) => all.push(Leaf {
                    name: self.names.unique(&format!("{name}_size")),
                    prim: Prim::I64,
                    dims: Vec::new(),
                    component: component_at,
                    consumed: false,
                    constructors: Vec::new(),
                }),
                scalar::Component::Shape | scalar::Component::Desc(_) if !sized.contains(&component_at) => {
                    return Err(format!("{name} is an array without elements to show its shape"));
                }
                _ => {}
            }
        }
        let unknown = |leaf: &&Leaf| leaf.dims.iter().filter(|(kind, _)| *kind == DimKind::Shape).count() > 1;
        match all.iter().find(unknown) {
            Some(leaf) => Err(format!("{} has several unknown ranks", leaf.name)),
            None => Ok(all),
        }
    }

    fn layout(&mut self, layout: &Layout, name: &str, dims: &mut Vec<(DimKind, usize)>) {
        match layout {
            Layout::Scalar(prim) => self.leaf(name, *prim, dims),
            Layout::Array(kinds, elem) => {
                let outer = dims.len();
                for kind in kinds {
                    self.next += if *kind == DimKind::Shape { 2 } else { 1 };
                    dims.push((*kind, self.next - 1));
                }
                self.layout(elem, name, dims);
                dims.truncate(outer);
            }
            Layout::Record(fields) => {
                fields.iter().for_each(|(field, part)| self.layout(part, &joined(name, field.as_str()), dims));
            }
            Layout::Sum(constructors) => {
                self.leaf(&format!("{name}_tag"), Layout::tag_prim(constructors.len()), dims);
                if let Some(tags) = self.out.last_mut() {
                    tags.constructors = constructors.iter().map(|(name, _)| name.to_string()).collect();
                }
                for (constructor, parts) in constructors {
                    let name = joined(name, constructor.as_str());
                    for (number, part) in parts.iter().enumerate() {
                        self.layout(part, &joined(&name, &number.to_string()), dims);
                    }
                }
            }
        }
    }

    fn leaf(&mut self, name: &str, prim: Prim, dims: &[(DimKind, usize)]) {
        let name = self.names.unique(name);
        self.out.push(Leaf {
            name,
            prim,
            dims: dims.to_vec(),
            component: self.next,
            consumed: false,
            constructors: Vec::new(),
        });
        self.next += 1;
    }
}

fn joined(name: &str, part: &str) -> String {
    format!("{name}_{}", letters_and_digits(part))
}

fn letters_and_digits(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Words of C and C++, and macros and types that every program meets.
const TAKEN: &str = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const \
    consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum errno explicit export \
    extern false float for friend goto if inline int int8_t int16_t int32_t int64_t linux long mutable namespace new noexcept \
    not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short \
    signed sizeof static static_assert static_cast stderr stdin stdout struct switch template this thread_local throw true \
    try typedef typeid typename typeof uint8_t uint16_t uint32_t uint64_t union unix unsigned using virtual void volatile \
    wchar_t while xor xor_eq ";

/// The name of a parameter, as C takes it.
fn identifier(library: &str, name: &str, otherwise: &str) -> String {
    let plain = letters_and_digits(name);
    // Names in capitals may be macros, and those with these beginnings are ours.
    let macro_like = plain.len() > 1 && plain.chars().all(|c| !c.is_ascii_lowercase());
    let own = plain.starts_with("rv_") || plain.starts_with(&format!("{library}_"));
    match plain.starts_with(|c: char| c.is_ascii_alphabetic()) && !own {
        true if macro_like || TAKEN.contains(&format!(" {plain} ")) => format!("{plain}_"),
        true => plain,
        false => otherwise.to_owned(),
    }
}
