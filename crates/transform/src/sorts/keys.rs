//! Comparisons that only compare one number of each element.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Dim, Exp, Program, Region, Stm, Var};
use scalar::{BinOp, MathOp, Prim, UnOp};

/// What elements are sorted by.
pub(super) struct Found {
    /// The type of the numbers.
    pub prim: Prim,
    /// The number of the element whose index is the first parameter of the region.
    pub key: Atom,
    /// Whether the greatest comes first.
    pub descending: bool,
    /// Whether NaNs are equal and last; otherwise nothing is known if there are some.
    pub total: bool,
}

/// What a sort compares. Elements of a recursive array are computed when they are compared, so their sort stays as it is.
pub(super) fn recognised(recursive: &Set<Var>, region: &Region) -> Option<Found> {
    let mut reads_recursive = false;
    region.body.walk(&mut |part| {
        if let Part::Use(var) = part {
            reads_recursive |= recursive.contains(var);
        }
    });
    if reads_recursive { None } else { find(region) }
}

/// What a comparison compares: `le(key i, key j)` or `le(key j, key i)`.
fn find(region: &Region) -> Option<Found> {
    let ([i, j], [Atom::Var(result)]) = (&region.params[..], &region.body.result[..]) else { return None };
    let (before, last) = match region.body.stms.split_last() {
        // What is asked only if something else does not hold.
        Some((Stm { vars, exp: Exp::If(holds, then, otherwise), .. }, before))
            if vars[..] == [*result] && then.result == [Atom::bool(true)] =>
        {
            (before, Some((*holds, otherwise)))
        }
        _ => (&region.body.stms[..], None),
    };
    let stms = before.iter().chain(last.iter().flat_map(|(_, otherwise)| &otherwise.stms));
    if !stms.clone().all(|stm| stm.exp.is_simple() && stm.vars.len() == 1) {
        return None;
    }
    let defs: Map<Var, &Exp> = stms.map(|stm| (stm.vars[0], &stm.exp)).collect();
    let comparison = Comparison { defs, i: *i, j: *j };
    let either = last.map(|(holds, otherwise)| Exp::Bin(BinOp::LogOr, Prim::Bool, holds, otherwise.result[0]));
    let holds = either.as_ref().or_else(|| comparison.def((*result).into()))?;
    if let Exp::Bin(BinOp::LogOr, _, at_most, is_last) = holds
        && let Exp::Math(MathOp::Isnan, _, args) = comparison.def(*is_last)?
    {
        let (prim, [a, b], descending) = comparison.compared(comparison.def(*at_most)?)?;
        // `a <= b || isnan b`, and the other way round.
        let later = if descending { a } else { b };
        return (args[..] == [later]).then_some(Found { prim, key: a, descending, total: true });
    }
    let (prim, [a, _], descending) = comparison.compared(&comparison.at_most(holds)?)?;
    Some(Found { prim, key: a, descending, total: !prim.is_float() })
}

/// The body of a region with two elements.
struct Comparison<'a> {
    defs: Map<Var, &'a Exp>,
    i: Var,
    j: Var,
}

impl<'a> Comparison<'a> {
    fn def(&self, atom: Atom) -> Option<&'a Exp> {
        self.defs.get(&atom.var()?).copied()
    }

    /// The same as one comparison by `<=` or `>=`, as far as no number is NaN.
    fn at_most(&self, holds: &Exp) -> Option<Exp> {
        let (strict, opposite) = match holds {
            Exp::Un(UnOp::Not, _, inner) => (self.def(*inner)?, true),
            Exp::Bin(BinOp::LogOr, _, less, same) => {
                let Exp::Bin(BinOp::Eq, _, x, y) = self.def(*same)? else { return None };
                let less = self.def(*less)?;
                let Exp::Bin(_, _, a, b) = less else { return None };
                ([a, b] == [x, y] || [b, a] == [x, y]).then_some((less, false))?
            }
            exp => return Some(exp.clone()),
        };
        let Exp::Bin(op @ (BinOp::Lt | BinOp::Gt), prim, a, b) = strict else { return None };
        let rises = (*op == BinOp::Lt) != opposite;
        Some(Exp::Bin(if rises { BinOp::Le } else { BinOp::Ge }, *prim, *a, *b))
    }

    /// The numbers of the first and of the second element, and whether the first may come first if it is greater.
    fn compared(&self, exp: &Exp) -> Option<(Prim, [Atom; 2], bool)> {
        let (Exp::Bin(op @ (BinOp::Le | BinOp::Ge), prim, a, b), falls) = (exp, BinOp::Ge) else { return None };
        if self.is_same(*a, *b) && self.uses_first(*a) {
            Some((*prim, [*a, *b], *op == falls))
        } else if self.is_same(*b, *a) && self.uses_first(*b) {
            Some((*prim, [*b, *a], *op != falls))
        } else {
            None
        }
    }

    /// Whether two values are computed in the same way, one of the first element and one of the second.
    fn is_same(&self, a: Atom, b: Atom) -> bool {
        let all =
            |xs: &[Atom], ys: &[Atom]| xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.is_same(*x, *y));
        if a == Atom::Var(self.i) || b == Atom::Var(self.j) || b == Atom::Var(self.i) || a == Atom::Var(self.j) {
            return a == Atom::Var(self.i) && b == Atom::Var(self.j);
        }
        match (self.def(a), self.def(b)) {
            (None, None) => a == b,
            (Some(Exp::Atom(x)), Some(Exp::Atom(y))) => self.is_same(*x, *y),
            (Some(Exp::Bin(op, prim, x, y)), Some(Exp::Bin(other, q, u, v))) => {
                (op, prim) == (other, q) && all(&[*x, *y], &[*u, *v])
            }
            (Some(Exp::Un(op, prim, x)), Some(Exp::Un(other, q, u))) => {
                (op, prim) == (other, q) && self.is_same(*x, *u)
            }
            (Some(Exp::Math(op, prim, xs)), Some(Exp::Math(other, q, us))) => (op, prim) == (other, q) && all(xs, us),
            (Some(Exp::Convert(from, to, x)), Some(Exp::Convert(p, q, u))) => {
                (from, to) == (p, q) && self.is_same(*x, *u)
            }
            (Some(Exp::Select(c, x, y)), Some(Exp::Select(d, u, v))) => all(&[*c, *x, *y], &[*d, *u, *v]),
            (Some(Exp::Index(x, at)), Some(Exp::Index(y, other))) => x == y && all(at, other),
            _ => false,
        }
    }

    /// Whether a value depends on the first element.
    fn uses_first(&self, atom: Atom) -> bool {
        let Some(exp) = self.def(atom) else { return atom == Atom::Var(self.i) };
        let mut found = false;
        exp.for_each_part(&mut |part| {
            if let Part::Atom(atom) = part {
                found |= self.uses_first(*atom);
            }
        });
        found
    }
}

/// A vector of numbers: a part of an array.
pub(super) struct Vector {
    pub array: Var,
    /// Its first indices.
    pub at: Vec<Atom>,
    /// The checks of these indices.
    pub certs: Vec<Var>,
}

impl Vector {
    /// Whether a part of an array is this vector.
    pub fn is(&self, array: Var, at: &[Atom]) -> bool {
        self.array == array && self.at == at
    }
}

/// The vector whose elements the numbers are, if there is one: nothing has to be computed.
pub(super) fn vector(program: &Program, count: Atom, region: &Region, key: Atom) -> Option<Vector> {
    let inside: Vec<Var> = region.body.stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
    let def = region.body.stms.iter().find(|stm| stm.vars.first().copied() == key.var())?;
    let Stm { exp: Exp::Index(array, at), certs, .. } = def else { return None };
    let (last, before) = at.split_last()?;
    let from_outside = before.iter().all(|atom| atom.var().is_none_or(|var| !inside.contains(&var)));
    let dims = program.ty(*array).dims();
    let is_plain = dims.len() == at.len() && dims.iter().all(|dim| matches!(dim, Dim::Size(_)));
    let is_whole = *last == Atom::Var(region.params[0]) && dims.last() == Some(&Dim::Size(count));
    let fits = from_outside && is_plain && is_whole && !inside.contains(array);
    fits.then(|| Vector { array: *array, at: before.to_vec(), certs: certs.clone() })
}
