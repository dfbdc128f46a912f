//! Types that are equal by definitions or by checks.

use super::rule::Rule;
use super::scope::Verifier;
use crate::facts::terms::Poly;
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

    pub(super) fn same_vector(&mut self, a: Var, b: Var) -> bool {
        let (a, b) = (self.facts.terms.root(a), self.facts.terms.root(b));
        a == b || self.facts.vouched_for(&[a, b])
    }

    /// `reshape` keeps the number of elements, and so does `retype` of a descriptor.
    pub(super) fn same_count(&mut self, old: &Type, new: &Type) {
        let [a, b] = [old, new].map(|ty| {
            let dims: Vec<Dim> = ty.dims().iter().map(|dim| self.regular(*dim)).collect();
            self.facts.terms.total(&dims)
        });
        let mark = self.facts.mark();
        if let [Dim::Size(n)] = old.dims() {
            // A vector of the largest size has no memory: such a count stands for one that cannot be counted.
            self.facts.learn_uncountable(*n);
        }
        let same = a.sub(&b).is_some_and(|difference| self.facts.some_zero(&[difference]));
        self.facts.forget(mark);
        if !same && !self.same_by_shape(old, new) {
            self.fail(Rule::Equal, "nothing says that there are as many elements".into());
        }
    }

    /// A jagged dimension whose rows have one length is regular.
    fn regular(&self, dim: Dim) -> Dim {
        match dim {
            Dim::Jagged(d) => self.facts.row_length(d).map_or(dim, Dim::Size),
            Dim::Size(_) | Dim::Shape(_) => dim,
        }
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
