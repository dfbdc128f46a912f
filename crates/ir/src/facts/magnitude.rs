//! Whether polynomials are the same in `i64` as in mathematics.
//!
//! `i64` arithmetic wraps around. After `if k >= 0 && i + k < n` the index `i + k` may be negative all the same: `k` may be
//! so large that the sum wraps. So a proof that lets a check go uses only polynomials whose symbols are known to be small:
//! extents of arrays in memory, counters below such an extent, integers of narrow types, and whatever was compared with
//! something small on both sides. From `0 <= i + k` and `i + k < n` follows that `k` is small, because both compare the
//! same value. A product of indices is small if each is below a dimension of an array in memory, as in `i * m + j`.

use super::terms::{Poly, Sym, Term};
use super::{Fact, Facts, Question, room, symbols};
use crate::{Atom, Dim, Type};
use scalar::{BinOp, MathOp, Prim};
use std::rc::Rc;

/// An array in memory has fewer than 2 to this many elements.
const SIZE: u32 = 47;
/// A polynomial below 2 to this does not wrap around.
const MOST: u32 = 62;
/// With coefficients up to this, a sum of sizes does not wrap around.
const COEFFICIENT: u64 = 1 << 10;
/// How many questions inside of each other still suppose what a choice is made by.
const CHOICES: usize = 4;
/// Products of more factors are not looked at for quotients.
const FACTORS: usize = 3;
/// How many comparisons of a symbol are looked at.
const COMPARISONS: usize = 12;

impl Facts<'_> {
    /// Arrays with these dimensions are in memory.
    pub(super) fn in_memory(&mut self, dims: &[Dim]) {
        let syms: Option<Vec<Sym>> = dims.iter().map(|dim| self.extent(dim)).collect();
        if let Some(mut syms) = syms.filter(|syms| syms.len() > 1 && self.is_exact) {
            syms.sort_unstable();
            self.learn(Fact::InMemory(syms.into()));
        }
        for dim in dims {
            if let Dim::Size(n @ Atom::Var(_)) = dim
                && self.is_exact
            {
                let n = self.terms.poly(*n);
                self.learn(Fact::Order(Poly::constant(0), n.clone(), false));
                self.learn(Fact::Order(n, Poly::constant(1 << SIZE), false));
            }
        }
    }

    /// A dimension that is a number of its own.
    fn extent(&mut self, dim: &Dim) -> Option<Sym> {
        let Dim::Size(n) = dim else { return None };
        let extent = self.terms.poly(*n);
        match extent.as_symbol() {
            Some(product) if product.len() == 1 && extent.constant_part() == 0 => Some(product[0]),
            _ => None,
        }
    }

    /// Whether this is `b - a` where `0 <= a <= b`: that cannot wrap around, however large both are.
    pub(super) fn is_distance(&mut self, high: &Poly, strict: bool) -> bool {
        let syms = symbols(high);
        let Some(about) = syms.first().and_then(|sym| self.orders.get(sym)) else { return false };
        let lower = about.iter().rev().take(COMPARISONS).filter_map(|place| match &self.stack[*place] {
            Fact::Order(a, b, below) if (*below || !strict) && b.sub(a).is_some_and(|room| room == *high) => {
                Some(a.clone())
            }
            _ => None,
        });
        let lower: Vec<Poly> = lower.collect();
        lower.iter().any(|a| self.natural_number(a))
    }

    /// The inequality that a comparison says, if that is the same in mathematics as soon as all symbols in it are small:
    /// `n + k <= m + k` says nothing about `n` and `m`, for either sum may wrap around.
    pub(super) fn inequality_of(&mut self, fact: &Fact) -> Option<Poly> {
        let Fact::Order(low, high, strict) = fact else { return None };
        let room = room(low, high, *strict)?;
        let count = |poly: &Poly| poly.terms().len();
        let is_plain = |poly: &Poly| poly.terms().iter().all(|(_, k)| k.unsigned_abs() <= COEFFICIENT);
        let nothing_lost = count(&room) == count(low) + count(high) && is_plain(low) && is_plain(high);
        (nothing_lost || self.fits_word(low) && self.fits_word(high)).then_some(room)
    }

    /// Whether a polynomial has the same value in `i64` as in mathematics.
    pub(super) fn fits_word(&mut self, poly: &Poly) -> bool {
        !self.is_exact || self.bits(poly).is_some() || self.fits_multiplied_out(poly)
    }

    /// The same of a polynomial with sums as factors: `(i / m + 1) * m` is `i / m * m + m`.
    fn fits_multiplied_out(&mut self, poly: &Poly) -> bool {
        let sums: Vec<Poly> = symbols(poly)
            .into_iter()
            .filter_map(|sym| match &self.terms.terms[sym] {
                Term::Sum(sum) => Some(sum.clone()),
                _ => None,
            })
            .collect();
        let plain = if sums.is_empty() { None } else { self.terms.multiplied_out(poly) };
        plain.is_some_and(|plain| self.bits(&plain).is_some()) && sums.iter().all(|sum| self.bits(sum).is_some())
    }

    /// Whether a polynomial is known to be far from the limits of `i64`.
    pub(super) fn is_small(&mut self, poly: &Poly) -> bool {
        self.bits(poly).is_some()
    }

    /// A polynomial is between -2^b and 2^b, for the `b` that is returned.
    pub(super) fn bits(&mut self, poly: &Poly) -> Option<u32> {
        let mut sum: u128 = u128::from(poly.constant_part().unsigned_abs());
        for (product, k) in poly.terms() {
            let bits = self.product_bits(product)?;
            let term = 1_u128.checked_shl(bits.min(MOST + 1))? * u128::from(k.unsigned_abs());
            sum = sum.checked_add(term)?;
        }
        let bits = u128::BITS - sum.leading_zeros();
        (bits <= MOST).then_some(bits)
    }

    /// The same of a product.
    fn product_bits(&mut self, product: &[Sym]) -> Option<u32> {
        let mut bits = Some(0);
        for sym in product {
            let one = self.side(*sym, false).zip(self.side(*sym, true));
            bits = bits.zip(one).map(|(bits, (below, above))| bits + below.max(above));
        }
        bits.filter(|bits| *bits <= MOST || product.len() == 1)
            .or_else(|| self.divided(product))
            .or_else(|| self.is_in_array(product).then_some(SIZE))
    }

    /// A quotient times its divisor is no more than what was divided, nor is anything below the quotient.
    fn divided(&mut self, product: &[Sym]) -> Option<u32> {
        if !(2..=FACTORS).contains(&product.len()) {
            return None;
        }
        let found = self.inside((product[0], Question::Dividend), |facts| {
            (0..product.len()).find_map(|place| {
                let mut divisor = product.to_vec();
                let factor = divisor.remove(place);
                let quotients = facts.at_least(factor, &divisor);
                quotients.into_iter().find_map(|quotient| facts.bits_of_dividend(quotient, &divisor))
            })
        });
        found.flatten()
    }

    /// A factor, and the quotients that it is below, if no factor is negative.
    fn at_least(&mut self, factor: Sym, others: &[Sym]) -> Vec<Sym> {
        let this = Poly::symbol(vec![factor]);
        let mut found: Vec<Sym> = Vec::new();
        for (low, high) in self.comparisons(factor) {
            if let Some([quotient]) = high.as_symbol().filter(|_| low == this).map(|high| &high[..])
                && matches!(self.terms.terms[*quotient], Term::Division(..))
            {
                found.push(*quotient);
            }
        }
        if !(found.is_empty() || self.natural(factor) && others.iter().all(|sym| self.natural(*sym))) {
            found.clear();
        }
        found.insert(0, factor);
        found
    }

    /// How large something is of which a symbol is the quotient by this product, or by a multiple of it.
    fn bits_of_dividend(&mut self, quotient: Sym, divisor: &[Sym]) -> Option<u32> {
        let Term::Division(BinOp::Div | BinOp::Quot, whole, by) = self.terms.terms[quotient].clone() else {
            return None;
        };
        let is_divisor = matches!(by.terms(), [(product, k)] if product[..] == *divisor && *k > 0);
        let natural = is_divisor && by.constant_part() == 0 && self.plainly_at_least_zero(&whole);
        if natural { self.bits(&whole) } else { None }
    }

    /// Whether the factors of a product are at most the dimensions of an array in memory.
    fn is_in_array(&mut self, product: &[Sym]) -> bool {
        if product.len() < 2 || self.in_memory.is_empty() {
            return false;
        }
        if let Some(known) = self.answers.products.get(product) {
            return *known;
        }
        let arrays: Vec<Rc<[Sym]>> =
            self.in_memory.iter().filter(|dims| dims.len() == product.len()).cloned().collect();
        let found = self.inside((product[0], Question::Product), |facts| {
            arrays.iter().any(|dims| facts.are_at_most(product, &mut dims.to_vec()))
        });
        // What depends on an open question may be known later.
        if self.open.is_empty() || found == Some(true) {
            self.answers.products.insert(product.to_vec(), found == Some(true));
        }
        found == Some(true)
    }

    /// Whether each factor is at most one of the dimensions, each another one.
    fn are_at_most(&mut self, factors: &[Sym], dims: &mut Vec<Sym>) -> bool {
        let Some((first, others)) = factors.split_first() else { return true };
        (0..dims.len()).any(|place| {
            let dim = dims.remove(place);
            let found = self.is_at_most(*first, dim) && self.are_at_most(others, dims);
            dims.insert(place, dim);
            found
        })
    }

    fn is_at_most(&mut self, factor: Sym, dim: Sym) -> bool {
        let room = Poly::symbol(vec![dim]).sub(&Poly::symbol(vec![factor]));
        factor == dim || self.natural(factor) && room.is_some_and(|room| self.plainly_at_least_zero(&room))
    }

    /// A symbol is at most 2^b (`upper`), or at least -2^b.
    fn side(&mut self, sym: Sym, upper: bool) -> Option<u32> {
        if let Some(known) = self.answers.magnitudes.get(&(sym, upper)) {
            return *known;
        }
        let found = self.inside((sym, Question::Magnitude(upper)), |facts| {
            facts
                .side_by_constant(sym, upper)
                .or_else(|| facts.side_by_definition(sym, upper))
                .or_else(|| facts.side_by_comparison(sym, upper))
                .or_else(|| facts.by_both_sides(sym))
                .or_else(|| facts.by_equation(sym))
                .or_else(|| (!upper && facts.natural(sym)).then_some(0))
        });
        // What depends on an open question may be known later.
        if self.open.is_empty() || found.flatten().is_some() {
            self.answers.magnitudes.insert((sym, upper), found.flatten());
        }
        found.flatten()
    }

    fn side_by_definition(&mut self, sym: Sym, upper: bool) -> Option<u32> {
        match self.terms.terms[sym].clone() {
            Term::Atom(atom) => {
                if let Some((low, high)) = atom.var().and_then(|var| self.range(var)) {
                    let far = if upper { high.max(0) } else { low.min(0) };
                    return Some(u64::BITS - far.unsigned_abs().leading_zeros());
                }
                let ty = atom.var().and_then(|var| self.program.vars.get(var)).map(|info| &info.ty);
                match ty {
                    Some(Type::Scalar(prim)) => width(*prim).or_else(|| self.pattern_bits(atom)),
                    _ => None,
                }
            }
            Term::Length(..) | Term::Offset(..) | Term::Row(..) => Some(SIZE),
            Term::Element(x, _) if self.is_lengths(x) => Some(SIZE),
            Term::Element(x, _) => self.element_side(x, upper),
            Term::Converted(Prim::U64, source) => self.poly_side(&source, upper),
            Term::Total(_) | Term::Converted(..) => None,
            Term::Sum(poly) => self.bits(&poly),
            Term::Division(BinOp::Mod | BinOp::Rem, _, b) => self.bits(&b),
            Term::Division(_, a, b) => {
                let whole = self.bits(&a);
                if whole.is_some_and(|bits| bits <= MOST / 2) {
                    return whole;
                }
                let limits = if upper { self.quotients_below(&a, &b) } else { vec![Poly::constant(0)] };
                let limited = limits.iter().filter_map(|limit| self.bits(limit)).min();
                let limited = limited.filter(|_| self.natural(sym) && self.is_above_zero(&b));
                whole.into_iter().chain(limited).min()
            }
            Term::Extreme(op, a, b) => {
                let sides = [a, b].map(|poly| self.poly_side(&poly, upper));
                // The larger one is above both, and below neither.
                if (op == MathOp::Max) == upper { Some(sides[0]?.max(sides[1]?)) } else { sides[0].or(sides[1]) }
            }
            Term::Select(cond, a, b) => {
                Some(self.side_where((cond, true), &a, upper)?.max(self.side_where((cond, false), &b, upper)?))
            }
        }
    }

    /// One side of a polynomial: of one symbol alone, or of one that does not wrap around.
    fn poly_side(&mut self, poly: &Poly, upper: bool) -> Option<u32> {
        match (poly.as_symbol(), poly.constant_part()) {
            (Some(product), 0) if product.len() == 1 => self.side(product[0], upper),
            _ => self.bits(poly),
        }
    }

    /// One side of a polynomial where a condition holds, or does not: it may be what limits it.
    fn side_where(&mut self, (cond, holds): (Atom, bool), poly: &Poly, upper: bool) -> Option<u32> {
        self.poly_side(poly, upper).or_else(|| {
            // What is chosen in long chains of choices would be looked at over and over again.
            if self.open.len() > CHOICES || !self.step() {
                return None;
            }
            let mark = self.mark();
            self.suppose(cond, holds);
            let found = self.poly_side(poly, upper);
            self.forget(mark);
            found
        })
    }

    /// What elements of an array are between.
    fn element_side(&mut self, x: crate::Var, upper: bool) -> Option<u32> {
        let bounds = self.bounds_of_elements(x)?;
        bounds.iter().filter(|bound| bound.is_upper == upper).find_map(|bound| self.bits(&bound.limit))
    }

    /// The symbol itself was compared with a constant that says more than that it is the size of something in memory.
    fn side_by_constant(&mut self, sym: Sym, upper: bool) -> Option<u32> {
        let this = Poly::symbol(vec![sym]);
        let is_below = |(low, high): &(Poly, Poly)| {
            let (same, limit) = if upper { (low, high) } else { (high, low) };
            let bits = limit.as_constant().map(|limit| u64::BITS - limit.unsigned_abs().leading_zeros());
            bits.filter(|bits| *same == this && *bits < SIZE)
        };
        self.comparisons(sym).iter().find_map(is_below)
    }

    /// The symbol itself was compared with something small.
    fn side_by_comparison(&mut self, sym: Sym, upper: bool) -> Option<u32> {
        let this = Poly::symbol(vec![sym]);
        self.comparisons(sym).into_iter().find_map(|(low, high)| {
            let (same, limit) = if upper { (low, high) } else { (high, low) };
            if same == this { self.poly_side(&limit, upper) } else { None }
        })
    }

    /// A sum with the symbol was compared on both sides: the sum is small, so the symbol is.
    fn by_both_sides(&mut self, sym: Sym) -> Option<u32> {
        let all = self.comparisons(sym);
        for (low, sum) in &all {
            let Some(rest) = sum.isolate(&vec![sym]) else { continue };
            let Some((_, high)) = all.iter().find(|(below, _)| below == sum) else { continue };
            let limits = [low.clone(), high.clone(), rest].map(|poly| self.bits(&poly));
            if let [Some(a), Some(b), Some(c)] = limits {
                return Some(a.max(b).max(c) + 1).filter(|bits| *bits <= MOST);
            }
        }
        None
    }

    /// An equation holds in `i64`, too: if all else in it is small, so is the symbol.
    fn by_equation(&mut self, sym: Sym) -> Option<u32> {
        let numbers: Vec<usize> =
            self.mentions.get(&sym).into_iter().flatten().rev().take(COMPARISONS).copied().collect();
        numbers.into_iter().find_map(|number| {
            let Fact::Zero(poly) = self.stack[number].clone() else { return None };
            let rest = poly.isolate(&vec![sym])?;
            self.bits(&rest)
        })
    }

    fn comparisons(&self, sym: Sym) -> Vec<(Poly, Poly)> {
        let numbers = self.orders.get(&sym).into_iter().flatten().rev().take(COMPARISONS);
        let order = |number: &usize| match &self.stack[*number] {
            Fact::Order(low, high, _) => Some((low.clone(), high.clone())),
            _ => None,
        };
        numbers.filter_map(order).collect()
    }
}

/// How many bits the numbers of a type have, without the sign.
fn width(prim: Prim) -> Option<u32> {
    match prim {
        Prim::I8 => Some(7),
        Prim::U8 => Some(8),
        Prim::I16 => Some(15),
        Prim::U16 => Some(16),
        Prim::I32 => Some(31),
        Prim::U32 => Some(32),
        Prim::I64 | Prim::U64 | Prim::F16 | Prim::F32 | Prim::F64 | Prim::Bool => None,
    }
}
