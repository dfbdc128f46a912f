//! Types that are equal by definitions or by checks.

use super::rule::Rule;
use super::scope::Verifier;
use crate::facts::symbols;
use crate::facts::terms::{Extent, HIGHEST_RANK, Poly, Sym, Term, replaced};
use crate::{Dim, Type, Var};

impl Verifier<'_> {
    /// `retype` keeps every dimension. Where an array has no rows, nothing says how long they would be.
    pub(super) fn equal_dims(&mut self, old: &[Dim], new: &[Dim]) {
        if old.len() != new.len() {
            // Behind a check that always fails, any type is right.
            let never = self.facts.impossible();
            return self.check(never, Rule::Equal, || "`retype` to another rank".into());
        }
        for (k, (a, b)) in old.iter().zip(new).enumerate() {
            let rows = [self.facts.terms.total(&old[..k]), self.facts.terms.total(&new[..k])];
            if !self.equal_dim(*a, *b, rows) {
                self.fail(Rule::Equal, format!("nothing says that dimension {k} is the same"));
            }
        }
    }

    fn equal_dim(&mut self, a: Dim, b: Dim, [rows, same]: [Poly; 2]) -> bool {
        match (a, b) {
            (Dim::Size(a), Dim::Size(b)) => {
                let difference = self.facts.terms.poly(a).sub(&self.facts.terms.poly(b));
                difference.is_some_and(|difference| self.facts.some_zero(&[difference, rows, same]))
            }
            (Dim::Jagged(a), Dim::Jagged(b)) => self.facts.same_rows(a, b) || self.facts.some_zero(&[rows, same]),
            (Dim::Shape(a), Dim::Shape(b)) => self.same_vector(a, b) || self.facts.some_zero(&[rows, same]),
            _ => false,
        }
    }

    /// Whether two shape vectors are equal: a loop has compared them, or there is nothing in them.
    pub(super) fn same_vector(&mut self, a: Var, b: Var) -> bool {
        let (a, b) = (self.facts.terms.root(a), self.facts.terms.root(b));
        let [length, other] = [a, b].map(|vector| self.facts.terms.total(self.ty(vector).dims()));
        let as_long = length.sub(&other).is_some_and(|difference| self.facts.some_zero(&[difference]));
        a == b
            || as_long
                && (self.facts.some_zero(std::slice::from_ref(&length)) || self.facts.same_elements(a, b, &length))
    }

    /// `reshape` keeps the number of elements, and so does `retype` of a descriptor.
    pub(super) fn same_count(&mut self, old: &Type, new: &Type) {
        let [a, b] = [old, new].map(|ty| self.count(ty.dims()));
        let mark = self.facts.mark();
        // An array in memory has fewer elements than the largest number, which stands for a count that cannot be counted.
        self.facts.learn_countable(&a);
        let same = a.sub(&b).is_some_and(|difference| self.facts.some_zero(&[difference]));
        self.facts.forget(mark);
        if !same && !self.same_by_shape(old, new) {
            self.fail(Rule::Equal, "nothing says that there are as many elements".into());
        }
    }

    /// The number of elements. A jagged dimension whose rows have one length is regular, and so is a shape of which a check
    /// says how many dimensions it has.
    pub(super) fn count(&mut self, dims: &[Dim]) -> Poly {
        let dims: Vec<Dim> = dims.iter().map(|dim| self.regular(*dim)).collect();
        let count = self.facts.terms.total(&dims);
        let shape = |sym: Sym| match &self.facts.terms.terms[sym] {
            Term::Total(extents) => match extents[..] {
                [Extent::Shape(shape)] => Some((sym, shape)),
                _ => None,
            },
            _ => None,
        };
        let shapes: Vec<(Sym, Var)> = symbols(&count).into_iter().filter_map(shape).collect();
        shapes.into_iter().fold(count, |count, (sym, shape)| {
            let product = self.product_of_extents(shape).and_then(|product| replaced(&count, sym, &product));
            product.unwrap_or(count)
        })
    }

    fn product_of_extents(&mut self, shape: Var) -> Option<Poly> {
        let mut product = Poly::constant(1);
        for axis in 0..self.rank(shape)? {
            let extent = self.facts.terms.element(shape, vec![Poly::constant(axis)]);
            product = self.facts.terms.product(&product, &extent)?;
        }
        Some(product)
    }

    fn regular(&self, dim: Dim) -> Dim {
        match dim {
            Dim::Jagged(d) => self.facts.row_length(d).map_or(dim, Dim::Size),
            Dim::Size(_) | Dim::Shape(_) => dim,
        }
    }

    /// How many dimensions a shape has, by its type or by checks.
    fn rank(&mut self, shape: Var) -> Option<i64> {
        let length = self.facts.terms.total(self.ty(shape).dims());
        let is = |rank: &i64| length.add_constant(-rank).is_some_and(|difference| self.facts.some_zero(&[difference]));
        (0..=HIGHEST_RANK).find(is)
    }

    /// The extents in a shape vector are data: it is enough that a named certificate, or the computation of one shape, has
    /// to do with all sizes of the other.
    fn same_by_shape(&mut self, old: &Type, new: &Type) -> bool {
        let vars = |ty: &Type| {
            let mut vars = Vec::new();
            ty.for_each_var(&mut |var| vars.push(var));
            vars
        };
        let (a, b) = (vars(old), vars(new));
        let shapes: Vec<Var> = old.dims().iter().chain(new.dims()).filter_map(shape_of).collect();
        !shapes.is_empty()
            && (self.facts.computed_from(&a, &b) || self.facts.computed_from(&b, &a) || self.facts.vouched_for(&shapes))
    }
}

fn shape_of(dim: &Dim) -> Option<Var> {
    match dim {
        Dim::Shape(v) => Some(*v),
        Dim::Size(_) | Dim::Jagged(_) => None,
    }
}
