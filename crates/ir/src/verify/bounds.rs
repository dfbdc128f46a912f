//! Indices, ranges, extents and divisors: each must be shown to be fine.

use super::rule::Rule;
use super::scope::Verifier;
use crate::facts::Fact;
use crate::facts::terms::Poly;
use crate::{Atom, Dim, Exp, Range, Type, Var};
use scalar::BinOp;

impl Verifier<'_> {
    /// Each index is inside its dimension.
    pub(super) fn in_bounds(&mut self, dims: &[Dim], at: &[Atom]) {
        let indices = self.facts.terms.all(at);
        for (k, (dim, index)) in dims.iter().zip(&indices).enumerate() {
            let extent = match dim {
                Dim::Size(n) => self.facts.terms.poly(*n),
                Dim::Jagged(d) => self.facts.terms.length(*d, indices[..k].to_vec()),
                Dim::Shape(_) => return,
            };
            let about = [index.clone(), extent.clone()];
            let fine = self.holds(&about, &|this| {
                let by_rank = this.count(std::slice::from_ref(dim));
                this.inside(index, &extent)
                    || matches!(dim, Dim::Size(_)) && by_rank != extent && this.inside(index, &by_rank)
            });
            if !fine && !self.facts.vouched_for_index(index) {
                self.fail(Rule::Bounds, format!("nothing says that index {k} is in bounds"));
            }
        }
    }

    /// Whether something about these integers holds: by what the statement names, or by the checks of sizes before it. What
    /// those say is also said by the types of the arrays behind them, so a statement that relies on it names none of them;
    /// it still holds when the last of these arrays is gone.
    fn holds(&mut self, about: &[Poly], proved: &dyn Fn(&mut Self) -> bool) -> bool {
        if proved(self) {
            return true;
        }
        let mut certs = self.facts.certs_near(about);
        certs.retain(|cert| self.in_scope(*cert) && self.is_of_sizes(*cert));
        if certs.is_empty() {
            return false;
        }
        let mark = self.facts.mark();
        self.facts.rely_on(&certs);
        let fine = proved(self);
        self.facts.forget(mark);
        fine
    }

    fn is_of_sizes(&self, cert: Var) -> bool {
        match self.facts.terms.def(cert) {
            Some(Exp::Assert { site, .. }) => self.program.sites[*site].message.fault.is_of_sizes(),
            _ => false,
        }
    }

    fn inside(&mut self, index: &Poly, extent: &Poly) -> bool {
        let room = extent.sub(index).and_then(|room| room.add_constant(-1));
        self.facts.at_least_zero(index)
            && match room {
                Some(room) => self.facts.at_least_zero(&room),
                // The distance is no number of 64 bits: then a check before has failed.
                None => self.facts.impossible(),
            }
    }

    /// Each range is inside its dimension.
    pub(super) fn ranges_in_bounds(&mut self, dims: &[Dim], ranges: &[Range]) {
        let certs = self.named();
        for (dim, range) in dims.iter().zip(ranges) {
            let Dim::Size(extent) = dim else { return };
            if !self.range_inside(*range, *extent) && !self.range_vouched(*range, certs) {
                self.fail(Rule::Bounds, "nothing says that a range is in bounds".into());
            }
        }
    }

    /// Whether a range whose start or stride is computed has a certificate that says something about its length or stride:
    /// chains of `min`, `max` and `select` lead beyond what the search finds.
    fn range_vouched(&mut self, range: Range, certs: &[Var]) -> bool {
        let [start, count, stride] = [range.start, range.count, range.stride].map(|atom| self.facts.terms.poly(atom));
        let about = |poly| self.facts.certs_about(poly).iter().any(|cert| certs.contains(cert));
        let computed = range.start.var().is_some() || range.stride.var().is_some();
        computed && (about(&stride) || about(&count)) || self.facts.vouched_for_index(&start)
    }

    /// There is nothing in the range, or the first and the last of it are inside.
    fn range_inside(&mut self, range: Range, extent: Atom) -> bool {
        let Range { start, count, stride } = range;
        let [start, count, stride, extent] = [start, count, stride, extent].map(|atom| self.facts.terms.poly(atom));
        let Some(last) = count.add_constant(-1) else { return false };
        if !self.facts.at_least_zero(&count) {
            return false;
        }
        let mark = self.facts.mark();
        self.facts.learn(Fact::AtLeastZero(last.clone()));
        let way = self.facts.terms.product(&last, &stride);
        let end = way.and_then(|way| start.add(&way));
        let fine = self.inside(&start, &extent) && end.is_some_and(|end| self.inside(&end, &extent));
        self.facts.forget(mark);
        fine
    }

    /// A vector of indices is inside of dimensions: its elements are, or it is a multi-index of the same shape, or a
    /// certificate says so.
    pub(super) fn vector_in_bounds(&mut self, dims: &[Dim], at: Var) {
        if matches!(dims, [Dim::Shape(shape), ..] if self.checked_inside(at, *shape)) {
            return;
        }
        let fine = match (self.facts.terms.def(at), dims) {
            (Some(Exp::Literal(_, atoms)), _) if dims.iter().all(|dim| !matches!(dim, Dim::Shape(_))) => {
                return self.in_bounds(dims, atoms);
            }
            (Some(Exp::Literal(_, atoms)), [Dim::Shape(v), ..]) => match self.facts.terms.def(*v) {
                Some(Exp::Literal(_, extents)) if extents.len() == atoms.len() => {
                    let dims: Vec<Dim> = extents.iter().map(|n| Dim::Size(*n)).collect();
                    return self.in_bounds(&dims, atoms);
                }
                _ => atoms.is_empty() && self.is_empty(*v),
            },
            (Some(Exp::Unrank { shape, .. }), [Dim::Shape(v), ..]) => self.same_vector(*shape, *v),
            (Some(Exp::Unrank { shape, .. }), _) => self.has_extents(*shape, dims),
            _ => false,
        };
        // A loop that compares the vector with the shape and yet proves nothing checks too little.
        let too_little = matches!(dims, [Dim::Shape(shape), ..] if self.facts.compares(at, *shape));
        let vouched = !too_little && self.facts.vouched_for_value(&[at]);
        if !fine && !vouched && !self.facts.impossible() {
            self.fail(Rule::Bounds, format!("nothing says that `{}` is in bounds", self.name(at)));
        }
    }

    /// Whether a loop has checked that a vector of indices is inside of a shape.
    fn checked_inside(&mut self, at: Var, shape: Var) -> bool {
        let count = self.facts.terms.total(self.ty(at).dims());
        self.facts.indices_inside(at, shape, &count)
    }

    /// Whether a shape has no dimensions.
    fn is_empty(&mut self, shape: Var) -> bool {
        let rank = self.facts.terms.total(self.ty(shape).dims());
        self.facts.some_zero(&[rank])
    }

    /// Whether a shape vector lists the first extents of dimensions.
    fn has_extents(&mut self, shape: Var, dims: &[Dim]) -> bool {
        let Some(Exp::Literal(_, atoms)) = self.facts.terms.def(shape) else { return false };
        atoms.iter().zip(dims).all(|(n, dim)| match dim {
            Dim::Size(m) => self.facts.terms.poly(*n) == self.facts.terms.poly(*m),
            Dim::Jagged(_) | Dim::Shape(_) => false,
        })
    }

    /// The number of an element of a shape.
    pub(super) fn number_in_bounds(&mut self, index: Atom, shape: Var) {
        if !self.is_number_in(index, &[Dim::Shape(shape)]) {
            self.fail(Rule::Bounds, "nothing says that the shape has an element of this number".into());
        }
    }

    /// The number of an element of jagged dimensions.
    pub(super) fn element_in_bounds(&mut self, index: Atom, dims: &[Dim]) {
        if !self.is_number_in(index, dims) {
            self.fail(Rule::Bounds, "nothing says that a row has an element of this number".into());
        }
    }

    fn is_number_in(&mut self, index: Atom, dims: &[Dim]) -> bool {
        let (index, total) = (self.facts.terms.poly(index), self.facts.terms.total(dims));
        self.inside(&index, &total)
    }

    /// The extents of what a statement makes.
    pub(super) fn sizes_of_new(&mut self, vars: &[Var], exp: &Exp) {
        let makes = match exp {
            Exp::Bulk(_) | Exp::Reshape(_) | Exp::Sort(..) | Exp::SortKeys(_) => true,
            Exp::DescUniform(n) => {
                self.extent(*n);
                true
            }
            _ => false,
        };
        for var in vars.iter().filter(|_| makes) {
            for dim in self.ty(*var).dims() {
                match dim {
                    Dim::Size(n) if n.var().is_none_or(|n| !vars.contains(&n)) => self.extent(*n),
                    _ => {}
                }
            }
        }
    }

    /// No element of an array is negative: it holds row lengths or extents, or a certificate says so.
    pub(super) fn natural_elements(&mut self, x: Var) {
        let vouched = self.facts.natural_elements(x) || self.facts.vouched_for(&[x]) || self.facts.impossible();
        self.check(vouched, Rule::Size, || "nothing says that no row length is negative".into());
    }

    /// Values for parameters or results that are declared as sizes are sizes. The check that says so may be in another
    /// function, which made an array that is gone, so only numbers are looked at.
    pub(super) fn declared_sizes(&mut self, atoms: &[Atom], vars: &[Var]) {
        for (atom, var) in atoms.iter().zip(vars) {
            let declared = self.program.vars.get(*var).is_some_and(|info| info.size && info.ty == Type::I64);
            if declared && atom.as_size().is_some() {
                self.extent(*atom);
            }
        }
    }

    /// A size is not negative. If it needs more than the verifier knows, it is enough that a certificate which the statement
    /// names says something about the size. What a box holds was checked where it was packed.
    fn extent(&mut self, n: Atom) {
        if n.var().is_some_and(|n| self.boxed.contains(&n)) {
            return;
        }
        let size = self.facts.terms.poly(n);
        let certs = self.facts.certs_about(&size);
        let vouched = certs.iter().any(|cert| self.named().contains(cert));
        if !vouched && !self.holds(std::slice::from_ref(&size), &|this| this.facts.at_least_zero(&size)) {
            self.fail(Rule::Size, format!("nothing says that the size {} is not negative", self.atom_name(n)));
        }
    }

    /// The right operand of a division or power.
    pub(super) fn divisor(&mut self, op: BinOp, b: Atom) {
        // Constants of `u64` may be larger than the integers that are computed with here.
        let constant = matches!(b, Atom::Const(x) if x.bits() != 0);
        let b = self.facts.terms.poly(b);
        let fine = match op {
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => {
                constant || self.holds(std::slice::from_ref(&b), &|this| this.facts.not_zero(&b))
            }
            BinOp::Pow => self.holds(std::slice::from_ref(&b), &|this| this.facts.at_least_zero(&b)),
            _ => true,
        };
        self.check(fine, Rule::Divisor, || format!("nothing says that `{op}` has a result"));
    }
}
