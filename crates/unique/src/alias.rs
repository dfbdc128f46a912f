//! What a value may share memory with: alias sets, one for each part of the value.

use std::collections::BTreeSet;
use std::rc::Rc;
use typed::{DefId, Diet, LocalId, Type};

/// Where memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Source {
    /// A local. Out of scope it still names the memory it had.
    Local(LocalId),
    /// A constant definition.
    Global(DefId),
    /// The result of a call or loop, by number.
    Made(u32),
    /// In the summary of a function: its parameter, by position.
    Param(u32),
    /// In the summary of a function: memory of the call's own, by number.
    Inner(u32),
}

/// A part of what a source names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Alias {
    pub source: Source,
    /// Positions of record fields, outermost first.
    pub path: Vec<u16>,
}

impl Alias {
    pub fn whole(source: Source) -> Alias {
        Alias { source, path: Vec::new() }
    }

    /// Whether the two may be the same memory.
    pub fn meets(&self, other: &Alias) -> bool {
        self.source == other.source && overlapping(&self.path, &other.path)
    }
}

/// Whether one path leads through the end of the other.
pub(super) fn overlapping(a: &[u16], b: &[u16]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

/// A set of parts.
pub(super) type Aliases = BTreeSet<Alias>;

/// A member of `a` that meets one of `b`.
pub(super) fn meeting<'s>(a: &'s Aliases, b: &Aliases) -> Option<&'s Alias> {
    a.iter().find(|x| b.iter().any(|y| x.meets(y)))
}

/// What a value may share memory with, part by part.
#[derive(Clone, Debug)]
pub(super) enum Shares {
    /// Scalars share nothing.
    Nothing,
    /// An array, or a value of unknown structure.
    Whole(Aliases),
    /// A tuple or record, fields in the order of its type.
    Record(Vec<Shares>),
    /// A sum: the payloads of each constructor, in the order of its type.
    Sum(Vec<Vec<Shares>>),
    /// A function.
    Fun(Box<FunShares>),
}

/// What is known of a function value.
#[derive(Clone, Debug)]
pub(super) struct FunShares {
    /// Its type, a function type; says which arguments it consumes.
    pub ty: Type,
    /// What it holds on to: free variables and arguments given already.
    pub closure: Aliases,
    /// More than the type says.
    pub known: Option<Rc<Known>>,
    /// The arguments given already.
    pub given: Vec<Shares>,
}

/// What is known of a function from looking at its body.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// How many parameters it has.
    pub arity: usize,
    /// Which parts of the result are unique though the type does not say so (it was not written).
    pub unique: Option<Diet>,
    /// What the result shares, in terms of parameters, constants, free variables and memory of its own.
    pub result: Shares,
}

impl Shares {
    /// A value of this type all of whose parts may share with `aliases`.
    pub fn spread(ty: &Type, aliases: &Aliases) -> Shares {
        match ty {
            ty if ty.is_plain() => Shares::Nothing,
            Type::Prim(_) | Type::Error | Type::Meta(_) => Shares::Nothing,
            Type::Var(_) | Type::Abstract(..) | Type::Array(..) => Shares::Whole(aliases.clone()),
            Type::Record(fields) => Shares::Record(fields.iter().map(|(_, t)| Shares::spread(t, aliases)).collect()),
            Type::Sum(constrs) => {
                let payload = |types: &Vec<Type>| types.iter().map(|t| Shares::spread(t, aliases)).collect();
                Shares::Sum(constrs.iter().map(|(_, types)| payload(types)).collect())
            }
            Type::Fun(_) => Shares::Fun(Box::new(FunShares::of_type(ty, aliases.clone()))),
        }
    }

    /// A value of this type that shares nothing.
    pub fn fresh(ty: &Type) -> Shares {
        Shares::spread(ty, &Aliases::new())
    }

    /// Adds to every part that it is that part of `source`.
    pub fn add_self(&mut self, source: Source) {
        self.add_self_at(source, &mut Vec::new());
    }

    fn add_self_at(&mut self, source: Source, path: &mut Vec<u16>) {
        match self {
            Shares::Nothing => {}
            Shares::Whole(aliases) => {
                aliases.insert(Alias { source, path: path.clone() });
            }
            Shares::Fun(fun) => {
                fun.closure.insert(Alias { source, path: path.clone() });
            }
            Shares::Record(fields) => {
                for (i, field) in fields.iter_mut().enumerate() {
                    path.push(i as u16);
                    field.add_self_at(source, path);
                    path.pop();
                }
            }
            Shares::Sum(constrs) => {
                constrs.iter_mut().flatten().for_each(|part| part.add_self_at(source, path));
            }
        }
    }

    /// Everything that some part may share with.
    pub fn all(&self) -> Aliases {
        let mut out = Aliases::new();
        self.collect(&mut out);
        out
    }

    /// Adds everything that some part may share with.
    pub fn collect(&self, out: &mut Aliases) {
        match self {
            Shares::Nothing => {}
            Shares::Whole(aliases) => out.extend(aliases.iter().cloned()),
            Shares::Fun(fun) => out.extend(fun.closure.iter().cloned()),
            Shares::Record(fields) => fields.iter().for_each(|f| f.collect(out)),
            Shares::Sum(constrs) => constrs.iter().flatten().for_each(|p| p.collect(out)),
        }
    }

    /// The part a path leads to, or the smallest tracked part around it.
    pub fn at(&self, path: &[u16]) -> &Shares {
        match (self, path) {
            (Shares::Record(fields), [first, rest @ ..]) => match fields.get(usize::from(*first)) {
                Some(field) => field.at(rest),
                None => self,
            },
            _ => self,
        }
    }

    /// The part a path leads to, to be changed.
    pub fn at_mut(&mut self, path: &[u16]) -> Option<&mut Shares> {
        match (self, path) {
            (found, []) => Some(found),
            (Shares::Record(fields), [first, rest @ ..]) => fields.get_mut(usize::from(*first))?.at_mut(rest),
            _ => None,
        }
    }

    /// Adds what `other`, a value of the same type, shares.
    pub fn merge(&mut self, other: &Shares) {
        match (&mut *self, other) {
            (Shares::Nothing, _) => {}
            (Shares::Whole(aliases), _) => other.collect(aliases),
            (Shares::Fun(fun), _) => {
                // Two functions: only what their common type says is left.
                fun.known = None;
                other.collect(&mut fun.closure);
            }
            (Shares::Record(fields), Shares::Record(others)) => {
                fields.iter_mut().zip(others).for_each(|(a, b)| a.merge(b));
            }
            (Shares::Sum(constrs), Shares::Sum(others)) => {
                constrs.iter_mut().flatten().zip(others.iter().flatten()).for_each(|(a, b)| a.merge(b));
            }
            (Shares::Record(_) | Shares::Sum(_), _) => {
                let all = other.all();
                self.for_each_set(&mut |set| set.extend(all.iter().cloned()));
            }
        }
    }

    /// Calls `f` on the set of every part.
    pub fn for_each_set(&mut self, f: &mut dyn FnMut(&mut Aliases)) {
        match self {
            Shares::Nothing => {}
            Shares::Whole(aliases) => f(aliases),
            Shares::Fun(fun) => f(&mut fun.closure),
            Shares::Record(fields) => fields.iter_mut().for_each(|p| p.for_each_set(f)),
            Shares::Sum(constrs) => constrs.iter_mut().flatten().for_each(|p| p.for_each_set(f)),
        }
    }

    /// Makes every part share nothing.
    pub fn clear(&mut self) {
        self.for_each_set(&mut |set| set.clear());
    }

    /// The parts that records are made of, each with what `diet` says of it.
    pub fn leaves<'s>(&'s self, diet: &Diet) -> Vec<Leaf<'s>> {
        let mut out = Vec::new();
        self.leaves_into(diet, &mut out);
        out
    }

    fn leaves_into<'s>(&'s self, diet: &Diet, out: &mut Vec<Leaf<'s>>) {
        match self {
            Shares::Record(fields) => {
                fields.iter().enumerate().for_each(|(i, field)| field.leaves_into(diet.part(i), out));
            }
            Shares::Nothing => {}
            Shares::Whole(_) | Shares::Sum(_) | Shares::Fun(_) => {
                out.push(Leaf { consumed: diet.consumes(), part: self });
            }
        }
    }
}

impl FunShares {
    /// A function of which only the type is known.
    pub fn of_type(ty: &Type, closure: Aliases) -> FunShares {
        FunShares { ty: ty.clone(), closure, known: None, given: Vec::new() }
    }
}

/// A part of a value that is no record.
pub(super) struct Leaf<'s> {
    pub consumed: bool,
    pub part: &'s Shares,
}
