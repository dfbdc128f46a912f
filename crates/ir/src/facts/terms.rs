//! Integers as polynomials of symbols.
//!
//! Whatever `+`, `-` and `*` compute is unfolded: after `let t = i * m` and `let k = t + j`, the integer `k` is the
//! polynomial `i*m + j`. A symbol stands for an integer that something else computes. Equal computations share one
//! symbol, so two row lengths `length d[i]` are equal whatever they are called.
//!
//! Polynomials that are equal have equal values, since `i64` arithmetic is a ring. Definitions come in the order of
//! their statements: each is unfolded once, when it is bound.

use super::turns::value_of_each;
use crate::{Atom, Dim, Exp, LoopForm, Range, Type, Var};
use affine::Linear;
use base::{IdVec, Map, define_id};
use scalar::{BinOp, MathOp, Prim, Scalar, eval_bin, eval_math};

define_id!(
    /// An integer that is no sum or product of others.
    Sym, "s"
);

/// A sum of products of symbols; a product is a sorted list.
pub type Poly = Linear<Vec<Sym>>;

/// Longer polynomials are not unfolded.
const MOST_TERMS: usize = 12;

/// Shapes with more dimensions are like those of unknown rank.
pub(crate) const HIGHEST_RANK: i64 = 4;

/// What a symbol stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A variable of which nothing is known, or a constant that is no `i64`.
    Atom(Atom),
    /// The length of a row.
    Length(Var, Vec<Poly>),
    /// How many elements lie in the rows before one.
    Offset(Var, Vec<Poly>),
    /// The row of an element.
    Row(Var, Poly),
    /// The number of elements in dimensions, not all of them regular.
    Total(Vec<Extent>),
    /// The number of dimensions and the extents of a shape.
    Element(Var, Vec<Poly>),
    /// A sum that is a factor of a product. Products are not multiplied out, since `(n - 1) * (m - 1) >= 0` is plain
    /// only as long as it has two factors.
    Sum(Poly),
    /// A `u64` as an `i64`, or the other way round: the same bits.
    Converted(Prim, Poly),
    /// A quotient or remainder.
    Division(BinOp, Poly, Poly),
    /// The smaller or larger one of two.
    Extreme(MathOp, Poly, Poly),
    /// One or the other.
    Select(Atom, Poly, Poly),
}

/// A dimension.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// An extent.
    Size(Poly),
    /// By a descriptor.
    Jagged(Var),
    /// By a shape vector.
    Shape(Var),
}

/// All symbols of a function, and what its variables are in terms of them.
#[derive(Default)]
pub struct Terms<'p> {
    /// How variables are computed.
    pub(crate) defs: Map<Var, &'p Exp>,
    /// What is bound together: the results of an expression, by its address.
    results: Map<*const Exp, Vec<Var>>,
    /// What symbols stand for.
    pub terms: IdVec<Sym, Term>,
    symbols: Map<Term, Sym>,
    /// By what symbols are divided somewhere.
    divisors: Map<Sym, Vec<(BinOp, Poly)>>,
    polys: Map<Var, Poly>,
    /// The first name of an array or descriptor that has several.
    roots: Map<Var, Var>,
    /// The first descriptor or row that is this part of another.
    parts: Map<(Var, Vec<Poly>), Var>,
    /// The first slice of an array by these ranges: starts, counts and strides.
    slices: Map<(Var, Vec<[Poly; 3]>), Var>,
    /// The element of an array at the index of the loop that makes it.
    emitted: Map<(Var, Poly), Poly>,
    /// How long vectors are, of which the types say so.
    lengths: Map<Var, i64>,
}

impl<'p> Terms<'p> {
    /// All results of an expression.
    pub(crate) fn results(&self, exp: &Exp) -> &[Var] {
        self.results.get(&std::ptr::from_ref(exp)).map_or(&[], |vars| vars)
    }

    /// A variable and the expression of which it is result number `number`.
    pub(crate) fn define(&mut self, var: Var, ty: &Type, exp: &'p Exp, number: usize) {
        self.defs.insert(var, exp);
        let results = self.results.entry(exp).or_default();
        if !results.contains(&var) {
            results.push(var);
        }
        match ty {
            Type::Scalar(Prim::I64) => {
                if let Some(poly) = self.unfold(exp, number).filter(|poly| poly.terms().len() <= MOST_TERMS) {
                    self.polys.insert(var, poly);
                }
            }
            Type::Array(..) | Type::Desc(_) => {
                self.name(var, exp);
                self.note_value(var, exp, number);
            }
            Type::Scalar(Prim::U64) => {
                if let Exp::Convert(Prim::I64, _, a) = exp {
                    let source = self.poly(*a);
                    let poly = self.symbol(Term::Converted(Prim::I64, source));
                    self.polys.insert(var, poly);
                }
            }
            Type::Scalar(_) | Type::Cert | Type::Box(_) => {}
        }
    }

    /// A variable is this integer.
    pub(super) fn set(&mut self, var: Var, value: Poly) {
        self.polys.insert(var, value);
    }

    /// Forgets what was set.
    pub(super) fn unset(&mut self, var: Var) {
        self.polys.remove(&var);
    }

    /// Finds the first name of an array or descriptor.
    fn name(&mut self, var: Var, exp: &Exp) {
        match exp {
            Exp::Retype(x) | Exp::Copy(x) | Exp::Atom(Atom::Var(x)) => {
                let root = self.root(*x);
                self.roots.insert(var, root);
            }
            Exp::DescIndex(x, at) | Exp::Index(x, at) => {
                let key = (self.root(*x), self.all(at));
                match self.parts.get(&key) {
                    Some(first) => {
                        self.roots.insert(var, *first);
                    }
                    None => {
                        self.parts.insert(key, var);
                    }
                }
            }
            Exp::Slice(x, ranges) => {
                let root = self.root(*x);
                let range = |range: &Range| [range.start, range.count, range.stride].map(|atom| self.poly(atom));
                let key = (root, ranges.iter().map(range).collect());
                let first = *self.slices.entry(key).or_insert(var);
                if first != var {
                    self.roots.insert(var, first);
                }
            }
            _ => {}
        }
    }

    /// A vector with a value for each turn of a loop has that value at the index of the loop.
    fn note_value(&mut self, var: Var, exp: &Exp, number: usize) {
        let Exp::Bulk(bulk) = exp else { return };
        if let Some((index, _, value)) = value_of_each(bulk, number) {
            let key = (var, self.poly(index.into()));
            let value = self.poly(value);
            self.emitted.insert(key, value);
        }
    }

    /// Remembers how long a vector is.
    pub(crate) fn note_length(&mut self, var: Var, ty: &Type) {
        if let Type::Array(Prim::I64, dims) = ty
            && let [Dim::Size(n)] = dims[..]
            && let Some(n) = n.as_size()
        {
            self.lengths.insert(var, n);
        }
    }

    /// The first name of an array or descriptor.
    pub(crate) fn root(&self, var: Var) -> Var {
        self.roots.get(&var).copied().unwrap_or(var)
    }

    /// How an array or descriptor is computed, whatever its name.
    pub fn def(&self, var: Var) -> Option<&'p Exp> {
        self.defs.get(&self.root(var)).copied()
    }

    /// The symbol of a term.
    fn symbol(&mut self, term: Term) -> Poly {
        let sym = match self.symbols.get(&term) {
            Some(sym) => *sym,
            None => {
                let sym = self.terms.push(term.clone());
                self.note_divisor(&term);
                self.symbols.insert(term, sym);
                sym
            }
        };
        Poly::symbol(vec![sym])
    }

    /// Remembers what a symbol is divided by.
    fn note_divisor(&mut self, term: &Term) {
        let Term::Division(op, whole, by) = term else { return };
        let Some([sym]) = whole.as_symbol().map(|product| &product[..]) else { return };
        let op = if matches!(op, BinOp::Div | BinOp::Mod) { BinOp::Div } else { BinOp::Quot };
        let divisors = self.divisors.entry(*sym).or_default();
        if !divisors.contains(&(op, by.clone())) {
            divisors.push((op, by.clone()));
        }
    }

    /// What a symbol is divided by somewhere, and how.
    pub(super) fn divisors_of(&self, sym: Sym) -> &[(BinOp, Poly)] {
        self.divisors.get(&sym).map_or(&[], |divisors| divisors)
    }

    /// A symbol as the quotient times the divisor and the remainder.
    pub(super) fn in_parts(&mut self, sym: Sym, op: BinOp, by: &Poly) -> Option<Poly> {
        let rest = if op == BinOp::Div { BinOp::Mod } else { BinOp::Rem };
        let [quotient, rest] = [op, rest].map(|op| self.operation(op, Poly::symbol(vec![sym]), by.clone()));
        self.product(by, &quotient?)?.add(&rest?)
    }

    /// Symbols that come later are this one or come after it.
    pub(crate) fn next_symbol(&self) -> Sym {
        Sym(self.terms.len() as u32)
    }

    /// An integer.
    pub fn poly(&mut self, atom: Atom) -> Poly {
        match atom {
            Atom::Const(x) => integer(x).map_or_else(|| self.symbol(Term::Atom(atom)), Poly::constant),
            Atom::Var(var) => match self.polys.get(&var) {
                Some(poly) => poly.clone(),
                None => self.symbol(Term::Atom(atom)),
            },
        }
    }

    pub(crate) fn all(&mut self, atoms: &[Atom]) -> Vec<Poly> {
        atoms.iter().map(|atom| self.poly(*atom)).collect()
    }

    fn unfold(&mut self, exp: &Exp, number: usize) -> Option<Poly> {
        match exp {
            Exp::Atom(a) => Some(self.poly(*a)),
            Exp::Bin(op, Prim::I64, a, b) => {
                let (a, b) = (self.poly(*a), self.poly(*b));
                self.operation(*op, a, b)
            }
            Exp::Math(op @ (MathOp::Min | MathOp::Max), Prim::I64, args) => match args[..] {
                [a, b] => {
                    let (a, b) = (self.poly(a), self.poly(b));
                    Some(self.extreme(*op, a, b))
                }
                _ => None,
            },
            Exp::Math(MathOp::Abs, Prim::I64, args) => {
                let a = self.poly(*args.first()?);
                let b = a.neg()?;
                let known = of_constants(&a, &b, |a, b| eval_math(MathOp::Max, &[a, b]).ok());
                Some(known.unwrap_or_else(|| self.symbol(Term::Extreme(MathOp::Max, a, b))))
            }
            Exp::Convert(from, Prim::I64, a) if from.is_int() => {
                let source = self.poly(*a);
                // Narrower integers keep their value.
                Some(if *from == Prim::U64 { self.symbol(Term::Converted(*from, source)) } else { source })
            }
            Exp::Select(c, a, b) => Some(self.select(*c, *a, *b)),
            Exp::If(c, then, otherwise) => {
                Some(self.select(*c, *then.result.get(number)?, *otherwise.result.get(number)?))
            }
            Exp::DescLength(d, at) => {
                let at = self.all(at);
                Some(self.length(*d, at))
            }
            Exp::DescOffset(d, at) => {
                let at = self.all(at);
                Some(self.offset(*d, at))
            }
            Exp::DescRow(d, element) => {
                let (d, element) = (self.root(*d), self.poly(*element));
                Some(self.symbol(Term::Row(d, element)))
            }
            Exp::Total(dims) => Some(self.total(dims)),
            Exp::Index(x, at) => {
                let at = self.all(at);
                Some(self.element(*x, at))
            }
            Exp::Loop { params, form: LoopForm::For(turn, _), body, .. } => match (&params[..], &body.result[..]) {
                ([(at, init)], [next]) if init.as_size() == Some(0) => self.ranked(*at, *turn, *next),
                _ => None,
            },
            _ => None,
        }
    }

    /// The smaller or larger one of two integers.
    pub(super) fn extreme(&mut self, op: MathOp, a: Poly, b: Poly) -> Poly {
        let known = of_constants(&a, &b, |a, b| eval_math(op, &[a, b]).ok());
        known.unwrap_or_else(|| if a == b { a } else { self.symbol(Term::Extreme(op, a, b)) })
    }

    /// The number of an element whose indices `unrank` gave is the number that it got:
    /// `loop (at = 0) for k < r { => at * s[k] + iv[k] }` is `i` if `iv = unrank i in s`.
    fn ranked(&mut self, at: Var, turn: Var, next: Atom) -> Option<Poly> {
        let (at, turn, next) = (self.poly(at.into()), self.poly(turn.into()), self.poly(next));
        let iv = next.terms().iter().find_map(|(product, _)| match product[..] {
            [sym] => self.vector_of(sym, &turn),
            _ => None,
        })?;
        let Some(Exp::Unrank { index, shape }) = self.def(iv) else { return None };
        let [extent, subscript] = [*shape, iv].map(|vector| self.element(vector, vec![turn.clone()]));
        let expected = self.product(&at, &extent)?.add(&subscript)?;
        (next == expected).then(|| self.poly(*index))
    }

    /// The vector whose element at an index this is.
    fn vector_of(&self, sym: Sym, at: &Poly) -> Option<Var> {
        match &self.terms[sym] {
            Term::Element(x, index) if index[..] == [at.clone()] => Some(*x),
            _ => None,
        }
    }

    fn select(&mut self, c: Atom, a: Atom, b: Atom) -> Poly {
        let (a, b) = (self.poly(a), self.poly(b));
        if a == b { a } else { self.symbol(Term::Select(c, a, b)) }
    }

    fn operation(&mut self, op: BinOp, a: Poly, b: Poly) -> Option<Poly> {
        match op {
            BinOp::Add => Some(self.without_remainders(a.add(&b)?)),
            BinOp::Sub => Some(self.without_remainders(a.sub(&b)?)),
            BinOp::Mul => self.product(&a, &b),
            // Shifts and masks by constants are arithmetic with powers of two.
            BinOp::Shl => self.product(&a, &Poly::constant(power(&b)?)),
            BinOp::Shr => Some(self.quotient(&a, power(&b)?)),
            BinOp::And => {
                let (a, mask) = if b.as_constant().is_some() { (a, b) } else { (b, a) };
                let modulus =
                    mask.as_constant()?.checked_add(1).filter(|modulus| modulus.count_ones() == 1 && *modulus > 0)?;
                self.operation(BinOp::Mod, a, Poly::constant(modulus))
            }
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => {
                let known = of_constants(&a, &b, |a, b| eval_bin(op, a, b).ok());
                Some(known.unwrap_or_else(|| self.symbol(Term::Division(op, a, b))))
            }
            _ => None,
        }
    }

    /// A quotient or remainder that was computed before.
    pub(super) fn divided(&self, op: BinOp, a: &Poly, b: &Poly) -> Option<Poly> {
        let sym = self.symbols.get(&Term::Division(op, a.clone(), b.clone()))?;
        Some(Poly::symbol(vec![*sym]))
    }

    /// The quotient of two numbers, rounded down.
    pub(super) fn quotient_of(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        self.operation(BinOp::Div, a.clone(), b.clone())
    }

    /// A number by a constant other than 0, rounded down.
    pub(super) fn quotient(&mut self, a: &Poly, b: i64) -> Poly {
        let b = Poly::constant(b);
        self.operation(BinOp::Div, a.clone(), b.clone())
            .unwrap_or_else(|| self.symbol(Term::Division(BinOp::Div, a.clone(), b)))
    }

    /// The sum with `a` in place of `a / b * b + a % b`.
    fn without_remainders(&mut self, mut sum: Poly) -> Poly {
        for (product, k) in sum.terms().to_vec() {
            let [sym] = product[..] else { continue };
            let (op, a, b) = match self.terms[sym].clone() {
                Term::Division(BinOp::Mod, a, b) => (BinOp::Div, a, b),
                Term::Division(BinOp::Rem, a, b) => (BinOp::Quot, a, b),
                _ => continue,
            };
            let Some(quotient) = self.symbols.get(&Term::Division(op, a.clone(), b.clone())).copied() else { continue };
            let whole = self.product(&Poly::symbol(vec![quotient]), &b).and_then(|whole| whole.scale(k));
            let Some(whole) = whole.filter(|whole| has_terms(&sum, whole)) else { continue };
            let next =
                sum.sub(&whole).and_then(|sum| sum.sub(&Poly::from_terms([(product, k)], 0)?)?.add(&a.scale(k)?));
            sum = next.unwrap_or(sum);
        }
        sum
    }

    /// The product of two polynomials.
    pub(crate) fn product(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        match (a.as_constant(), b.as_constant()) {
            (Some(k), _) => b.scale(k),
            (_, Some(k)) => a.scale(k),
            (None, None) => {
                let ((p, k), (q, l)) = (self.factor(a), self.factor(b));
                Poly::symbol(times(&p, &q)).scale(k.checked_mul(l)?)
            }
        }
    }

    /// A polynomial as one product with a coefficient.
    fn factor(&mut self, poly: &Poly) -> (Vec<Sym>, i64) {
        match poly.terms() {
            [(product, k)] if poly.constant_part() == 0 => (product.clone(), *k),
            _ => {
                let sum = self.symbol(Term::Sum(poly.clone()));
                (sum.terms()[0].0.clone(), 1)
            }
        }
    }

    /// The symbol of a sum that was a factor somewhere.
    pub(crate) fn as_factor(&self, poly: &Poly) -> Option<Poly> {
        self.symbols.get(&Term::Sum(poly.clone())).map(|sym| Poly::symbol(vec![*sym]))
    }

    /// The polynomial with all sums multiplied out, unless it gets too long.
    pub(crate) fn multiplied_out(&self, poly: &Poly) -> Option<Poly> {
        let mut sum = Poly::constant(poly.constant_part());
        for (factors, k) in poly.terms() {
            let mut term = Poly::constant(*k);
            for factor in factors {
                let factor = match &self.terms[*factor] {
                    Term::Sum(inner) => self.multiplied_out(inner)?,
                    _ => Poly::symbol(vec![*factor]),
                };
                term = distributed(&term, &factor)?;
            }
            sum = sum.add(&term)?;
        }
        Some(sum)
    }

    /// The length of the row at these indices.
    pub(crate) fn length(&mut self, d: Var, mut at: Vec<Poly>) -> Poly {
        let d = self.root(d);
        match self.defs.get(&d) {
            Some(Exp::DescUniform(n)) => self.poly(*n),
            Some(Exp::DescIndex(whole, outer)) => {
                let mut all = self.all(outer);
                all.append(&mut at);
                self.length(*whole, all)
            }
            _ => self.symbol(Term::Length(d, at)),
        }
    }

    /// How many elements lie in the rows before the one at these indices.
    pub(crate) fn offset(&mut self, d: Var, at: Vec<Poly>) -> Poly {
        let d = self.root(d);
        let rows_before = match (self.defs.get(&d), &at[..]) {
            (Some(Exp::DescUniform(n)), [i]) => {
                let n = self.poly(*n);
                self.product(i, &n)
            }
            _ => None,
        };
        rows_before.unwrap_or_else(|| self.symbol(Term::Offset(d, at)))
    }

    /// The element whose row this is.
    pub(crate) fn element_of_row(&self, d: Var, row: &Poly) -> Option<Poly> {
        let [(product, 1)] = row.terms() else { return None };
        match (&product[..], row.constant_part()) {
            ([sym], 0) => match &self.terms[*sym] {
                Term::Row(of, element) if *of == self.root(d) => Some(element.clone()),
                _ => None,
            },
            (_, _) => None,
        }
    }

    /// The first descriptor that is this part of another.
    pub(crate) fn part(&mut self, d: Var, at: Vec<Poly>) -> Option<Var> {
        self.parts.get(&(self.root(d), at)).copied()
    }

    /// An element of an array of integers.
    pub(crate) fn element(&mut self, x: Var, at: Vec<Poly>) -> Poly {
        let x = self.root(x);
        if let [i] = &at[..]
            && let Some(value) = self.emitted.get(&(x, i.clone()))
        {
            return value.clone();
        }
        match self.defs.get(&x) {
            Some(Exp::Literal(_, atoms)) => {
                let number = at.first().and_then(|i| usize::try_from(i.as_constant()?).ok());
                match number.and_then(|i| atoms.get(i)) {
                    Some(atom) => self.poly(*atom),
                    None => self.symbol(Term::Element(x, at)),
                }
            }
            Some(Exp::DescLengths(d)) => self.length(*d, at),
            Some(Exp::Index(y, outer)) => {
                let whole = [self.all(outer), at].concat();
                self.element(*y, whole)
            }
            Some(Exp::Slice(y, ranges)) => match self.before_slice(ranges, &at) {
                Some(at) => self.element(*y, at),
                None => self.symbol(Term::Element(x, at)),
            },
            _ => self.symbol(Term::Element(x, at)),
        }
    }

    /// Where an element of a slice is in the whole array.
    fn before_slice(&mut self, ranges: &[Range], at: &[Poly]) -> Option<Vec<Poly>> {
        let mut whole = at.to_vec();
        for (index, range) in whole.iter_mut().zip(ranges) {
            let (start, stride) = (self.poly(range.start), self.poly(range.stride));
            *index = self.product(index, &stride)?.add(&start)?;
        }
        Some(whole)
    }

    /// How many elements there are in dimensions.
    pub(crate) fn total(&mut self, dims: &[Dim]) -> Poly {
        let mut total = Poly::constant(1);
        for (i, dim) in dims.iter().enumerate() {
            let factor = match dim {
                Dim::Size(n) => Some(self.poly(*n)),
                Dim::Jagged(d) => match self.def(*d) {
                    Some(Exp::DescUniform(n)) => Some(self.poly(*n)),
                    _ => {
                        // The sum of all row lengths, however the rows are arranged.
                        let extents = self.extents(&dims[i..=i]);
                        total = self.symbol(Term::Total(extents));
                        continue;
                    }
                },
                Dim::Shape(v) => match self.def(*v) {
                    Some(Exp::Literal(_, atoms)) => {
                        let dims: Vec<Dim> = atoms.iter().map(|n| Dim::Size(*n)).collect();
                        Some(self.total(&dims))
                    }
                    _ => Some(self.product_of_extents(*v)),
                },
            };
            total = match factor.and_then(|factor| self.product(&total, &factor)) {
                Some(total) => total,
                None => {
                    let extents = self.extents(&dims[..=i]);
                    self.symbol(Term::Total(extents))
                }
            };
        }
        total
    }

    /// The number of elements of a shape, by its extents if the type says how many there are.
    fn product_of_extents(&mut self, shape: Var) -> Poly {
        let whole = |terms: &mut Self| {
            let extents = terms.extents(&[Dim::Shape(shape)]);
            terms.symbol(Term::Total(extents))
        };
        let Some(rank) = self.lengths.get(&shape).copied().filter(|rank| *rank <= HIGHEST_RANK) else {
            return whole(self);
        };
        let mut total = Poly::constant(1);
        for axis in 0..rank {
            let extent = self.element(shape, vec![Poly::constant(axis)]);
            match self.product(&total, &extent) {
                Some(product) => total = product,
                None => return whole(self),
            }
        }
        total
    }

    /// Dimensions by their values.
    pub(crate) fn extents(&mut self, dims: &[Dim]) -> Vec<Extent> {
        let extent = |dim: &Dim| match dim {
            Dim::Size(n) => Extent::Size(self.poly(*n)),
            Dim::Jagged(d) => Extent::Jagged(self.root(*d)),
            Dim::Shape(v) => Extent::Shape(self.root(*v)),
        };
        dims.iter().map(extent).collect()
    }
}

/// Two to the power of a constant, if it is an `i64` above zero.
fn power(exponent: &Poly) -> Option<i64> {
    let exponent = u32::try_from(exponent.as_constant()?).ok()?;
    (exponent < i64::BITS - 1).then(|| 1 << exponent)
}

/// What is computed of two constants, if both are.
fn of_constants(a: &Poly, b: &Poly, compute: impl Fn(Scalar, Scalar) -> Option<Scalar>) -> Option<Poly> {
    let value = compute(Scalar::I64(a.as_constant()?), Scalar::I64(b.as_constant()?))?;
    Some(Poly::constant(integer(value)?))
}

/// The number that a constant is, if it fits.
fn integer(x: Scalar) -> Option<i64> {
    match scalar::convert(x, Prim::I64) {
        Scalar::I64(n) if x.prim().is_int() && x.prim() != Prim::U64 => Some(n),
        Scalar::I64(n) if x.prim() == Prim::U64 && n >= 0 => Some(n),
        _ => None,
    }
}

/// Whether all terms of a part are in a sum as they are.
fn has_terms(sum: &Poly, part: &Poly) -> bool {
    part.constant_part() == 0 && part.terms().iter().all(|(product, k)| sum.coefficient(product) == *k)
}

/// The product of two products.
pub(crate) fn times(p: &[Sym], q: &[Sym]) -> Vec<Sym> {
    let mut all = [p, q].concat();
    all.sort_unstable();
    all
}

/// The product of two polynomials, term by term, unless it gets too long.
pub(crate) fn distributed(a: &Poly, b: &Poly) -> Option<Poly> {
    if a.terms().len() * b.terms().len() > MOST_TERMS {
        return None;
    }
    let mut sum = b.scale(a.constant_part())?;
    for (p, k) in a.terms() {
        let by_constant = b.constant_part().checked_mul(*k)?;
        let terms = b.terms().iter().map(|(q, l)| Some((times(p, q), k.checked_mul(*l)?)));
        let terms = terms.chain([Some((p.clone(), by_constant))]).collect::<Option<Vec<_>>>()?;
        sum = sum.add(&Poly::from_terms(terms, 0)?)?;
    }
    Some(sum)
}

/// The polynomial with a symbol replaced, in products too.
pub(crate) fn replaced(poly: &Poly, sym: Sym, value: &Poly) -> Option<Poly> {
    let mut sum = Poly::constant(poly.constant_part());
    for (factors, k) in poly.terms() {
        let mut term = Poly::constant(*k);
        for factor in factors {
            let factor = if *factor == sym { value.clone() } else { Poly::symbol(vec![*factor]) };
            term = distributed(&term, &factor)?;
        }
        sum = sum.add(&term)?;
    }
    Some(sum)
}
