//! Types without type variables, whose sizes are atoms.

use base::{Name, bug};
use ir::{Atom, Var};
use scalar::Prim;
use std::rc::Rc;
use typed::Diet;

/// The constructors of a sum type, in order, with the types of their parts.
pub(crate) type Cases = Rc<[(Name, Vec<Mono>)]>;

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Mono {
    Scalar(Prim),
    Array(MonoDim, Rc<Mono>),
    Record(Rc<[(Name, Mono)]>),
    Sum(Cases),
    Fun(Rc<Sig>),
}

/// The type of a function with one parameter, without sizes.
#[derive(Clone, Debug)]
pub(crate) struct Sig {
    pub param: Mono,
    /// Which parts of the argument are consumed.
    pub diet: Diet,
    pub ret: Mono,
    /// Which parts of the result are unique.
    pub unique: Diet,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MonoDim {
    Size(Atom),
    /// Regular, or at least not known to be otherwise.
    Unknown,
    Jagged,
    Shape(Option<Var>),
}

impl Mono {
    /// The type of an array's elements.
    pub fn elem(&self) -> Option<&Mono> {
        match self {
            Mono::Array(_, elem) => Some(elem),
            Mono::Scalar(_) | Mono::Record(_) | Mono::Sum(_) | Mono::Fun(_) => None,
        }
    }

    pub fn prim(&self) -> Option<Prim> {
        match self {
            Mono::Scalar(prim) => Some(*prim),
            Mono::Array(..) | Mono::Record(_) | Mono::Sum(_) | Mono::Fun(_) => None,
        }
    }

    /// The place and the type of a record's field.
    pub fn field(&self, name: Name) -> (usize, &Mono) {
        let fields: &[(Name, Mono)] = if let Mono::Record(fields) = self { fields } else { &[] };
        let place = fields.iter().position(|field| field.0 == name);
        let place = place.unwrap_or_else(|| bug!("the type has no field `{name}`"));
        (place, &fields[place].1)
    }

    /// The type of a function.
    pub fn as_fun(&self) -> Option<&Rc<Sig>> {
        match self {
            Mono::Fun(sig) => Some(sig),
            Mono::Scalar(_) | Mono::Array(..) | Mono::Record(_) | Mono::Sum(_) => None,
        }
    }

    /// The types of elements, of fields, or of the parts of constructors.
    pub fn parts(&self) -> Vec<&Mono> {
        match self {
            Mono::Array(_, elem) => vec![&**elem],
            Mono::Record(fields) => fields.iter().map(|field| &field.1).collect(),
            Mono::Sum(cases) => cases.iter().flat_map(|case| &case.1).collect(),
            Mono::Scalar(_) | Mono::Fun(_) => Vec::new(),
        }
    }

    /// The type with `f` of each of its parts in its place.
    fn map(&self, f: &mut dyn FnMut(&Mono) -> Mono) -> Mono {
        match self {
            Mono::Array(dim, elem) => Mono::Array(*dim, Rc::new(f(elem))),
            Mono::Record(fields) => Mono::Record(fields.iter().map(|(n, t)| (*n, f(t))).collect()),
            Mono::Sum(cases) => Mono::Sum(cases.iter().map(|(n, ts)| (*n, ts.iter().map(&mut *f).collect())).collect()),
            Mono::Scalar(_) | Mono::Fun(_) => self.clone(),
        }
    }

    /// The type with `f` of each of its parts and the counterpart in a type of the same structure.
    fn zip(&self, other: &Mono, f: impl Fn(&Mono, &Mono) -> Mono) -> Mono {
        let mut others = other.parts().into_iter();
        self.map(&mut |part| others.next().map_or(part.clone(), |other| f(part, other)))
    }

    /// The type with other dimensions.
    pub fn map_dims(&self, f: &mut dyn FnMut(MonoDim) -> MonoDim) -> Mono {
        match self {
            Mono::Array(dim, elem) => Mono::Array(f(*dim), Rc::new(elem.map_dims(f))),
            _ => self.map(&mut |part| part.map_dims(f)),
        }
    }

    /// The type with the sizes that another one of the same structure says, too.
    pub fn agreeing(&self, other: &Mono) -> Mono {
        let dim = |a: MonoDim, b: MonoDim| match (a, b) {
            (MonoDim::Size(n), MonoDim::Size(m)) if n == m => a,
            (MonoDim::Size(_) | MonoDim::Unknown, MonoDim::Jagged) => MonoDim::Jagged,
            (MonoDim::Size(_), _) => MonoDim::Unknown,
            (_, _) => a,
        };
        match (self, other) {
            (Mono::Array(a, x), Mono::Array(b, y)) => Mono::Array(dim(*a, *b), Rc::new(x.agreeing(y))),
            (_, _) => self.zip(other, Mono::agreeing),
        }
    }

    /// Calls `f` on all known sizes in it.
    pub fn for_each_size(&self, f: &mut dyn FnMut(Atom)) {
        if let Mono::Array(MonoDim::Size(n), _) = self {
            f(*n);
        }
        self.parts().into_iter().for_each(|part| part.for_each_size(f));
    }
}

/// Constructors with the sizes that others of the same names say, too.
pub(crate) fn agreeing_cases(xs: &[(Name, Vec<Mono>)], ys: &[(Name, Vec<Mono>)]) -> Rc<[(Name, Vec<Mono>)]> {
    let agreeing = |xs: &[Mono], ys: &[Mono]| xs.iter().zip(ys).map(|(x, y)| x.agreeing(y)).collect();
    xs.iter().zip(ys).map(|((name, xs), (_, ys))| (*name, agreeing(xs, ys))).collect()
}

/// Constructors with other dimensions in the types of their parts.
pub(crate) fn map_case_dims(cases: &Cases, f: &mut dyn FnMut(MonoDim) -> MonoDim) -> Cases {
    cases.iter().map(|(name, types)| (*name, types.iter().map(|ty| ty.map_dims(f)).collect())).collect()
}

/// The type with no size known.
pub(crate) fn without_sizes(mono: &Mono) -> Mono {
    mono.map_dims(&mut |dim| match dim {
        MonoDim::Size(_) | MonoDim::Unknown => MonoDim::Unknown,
        MonoDim::Jagged => MonoDim::Jagged,
        MonoDim::Shape(_) => MonoDim::Shape(None),
    })
}

/// What a type parameter stands for. Nothing in `t = [?]i64` says whether the rows of `[n]t` differ in length, so they may.
pub(crate) fn jagged_if_unknown(mono: &Mono) -> Mono {
    mono.map_dims(&mut |dim| if let MonoDim::Unknown = dim { MonoDim::Jagged } else { dim })
}

/// The number of a constructor.
pub(crate) fn case_of(cases: &Cases, name: Name) -> usize {
    let case = cases.iter().position(|case| case.0 == name);
    case.unwrap_or_else(|| bug!("the type has no constructor `{name}`"))
}
