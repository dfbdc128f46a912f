//! Expressions: what they take and what they give.

use super::rule::Rule;
use super::scope::Verifier;
use crate::{Atom, Dim, Exp, Range, SiteId, Type, Var, component_types};
use scalar::{MathOp, Prim};

impl<'p> Verifier<'p> {
    pub(super) fn exp(&mut self, vars: &[Var], exp: &'p Exp) {
        match exp {
            Exp::Atom(a) => {
                self.use_atom(*a);
                self.gives(vars, &self.atom_ty(*a));
            }
            Exp::Bin(op, prim, a, b) => {
                self.expect_all(&[*a, *b], *prim);
                match op.result(*prim) {
                    Some(result) => self.gives(vars, &Type::Scalar(result)),
                    None => self.fail(Rule::Operand, format!("`{op}` does not work at {prim}")),
                }
            }
            Exp::Un(op, prim, a) => {
                self.expect_all(&[*a], *prim);
                self.check(op.accepts(*prim), Rule::Operand, || format!("`{op}` does not work at {prim}"));
                self.gives(vars, &Type::Scalar(*prim));
            }
            Exp::Math(op, prim, args) => self.math(vars, *op, *prim, args),
            Exp::Convert(from, to, a) => {
                self.expect_all(&[*a], *from);
                self.gives(vars, &Type::Scalar(*to));
            }
            Exp::Select(c, a, b) => {
                self.expect(*c, &Type::Scalar(Prim::Bool));
                self.use_atom(*a);
                self.expect(*b, &self.atom_ty(*a));
                self.gives(vars, &self.atom_ty(*a));
            }
            Exp::Literal(prim, atoms) => {
                self.expect_all(atoms, *prim);
                self.gives(vars, &Type::Array(*prim, vec![Dim::Size(Atom::size(atoms.len() as i64))]));
            }
            Exp::Index(x, at) => {
                self.use_rec(*x);
                self.expect_all(at, Prim::I64);
                if let Some((prim, dims)) = self.array(*x) {
                    self.gives_row(vars, &dims, at.len(), &|dims| Type::array(prim, dims));
                }
            }
            Exp::IndexVector(x, at) => self.index_vector(vars, *x, *at),
            Exp::Slice(x, ranges) => {
                self.use_rec(*x);
                self.ranges(ranges);
                if let Some((prim, dims)) = self.array(*x) {
                    self.gives_slice(vars, &dims, ranges, &|dims| Type::array(prim, dims));
                }
            }
            Exp::Rearrange(x, order) => self.rearrange(vars, *x, order),
            Exp::Reshape(x) => {
                self.use_var(*x);
                if let (Some((prim, _)), Some(ty)) = (self.array(*x), self.single(vars)) {
                    let fits = matches!(&ty, Type::Array(other, _) if *other == prim);
                    self.check(fits, Rule::Result, || format!("elements of {prim} become something else"));
                }
            }
            Exp::Copy(x) => {
                self.use_var(*x);
                if self.array(*x).is_some() {
                    self.gives(vars, &self.ty(*x));
                }
            }
            Exp::Retype(x) => self.retype(vars, *x),
            Exp::Total(dims) => {
                if let Some(problem) = self.dims_problem(dims) {
                    self.fail(Rule::Type, format!("`total` of {problem}"));
                }
                self.gives(vars, &Type::I64);
            }
            Exp::Unrank { index, shape } => {
                self.expect(*index, &Type::I64);
                self.vector(*shape);
                self.gives(vars, &self.ty(*shape));
            }
            Exp::DescUniform(n) => {
                self.expect(*n, &Type::I64);
                let desc = matches!(self.single(vars), None | Some(Type::Desc(_)));
                self.check(desc, Rule::Result, || "a descriptor has another type".into());
            }
            Exp::DescOf(x) => {
                self.use_var(*x);
                if let Some((prim, dims)) = self.array(*x) {
                    self.check(prim == Prim::I64, Rule::Operand, || "row lengths are no i64".into());
                    self.gives(vars, &Type::Desc(dims));
                }
            }
            Exp::DescLengths(d) => {
                if let Some(dims) = self.desc(*d) {
                    self.gives(vars, &Type::Array(Prim::I64, dims));
                }
            }
            Exp::DescLength(d, at) => {
                self.expect_all(at, Prim::I64);
                if let Some(dims) = self.desc_for_part(*d) {
                    let all = dims.len() == at.len();
                    self.check(all, Rule::Count, || format!("{} indices of {} dimensions", at.len(), dims.len()));
                }
                self.gives(vars, &Type::I64);
            }
            Exp::DescIndex(d, at) => {
                self.expect_all(at, Prim::I64);
                if let Some(dims) = self.desc_for_part(*d) {
                    self.gives_row(vars, &dims, at.len(), &Type::Desc);
                }
            }
            Exp::DescSlice(d, ranges) => {
                self.ranges(ranges);
                if let Some(dims) = self.desc(*d) {
                    self.gives_slice(vars, &dims, ranges, &Type::Desc);
                }
            }
            Exp::DescEqual(d, e) => {
                if let (Some(x), Some(y)) = (self.desc(*d), self.desc(*e)) {
                    let alike = same_rank(&x, &y);
                    self.check(alike, Rule::Operand, || "descriptors inside of more and of fewer dimensions".into());
                }
                self.gives(vars, &Type::Scalar(Prim::Bool));
            }
            Exp::Assert { cond, site, args } => {
                self.expect(*cond, &Type::Scalar(Prim::Bool));
                self.site(*site, args);
                self.gives(vars, &Type::Cert);
            }
            Exp::Pack(id, case, parts) => self.pack(vars, *id, *case, parts),
            Exp::Open(x, cases) => self.open(vars, *x, cases),
            Exp::Call(function, args) => self.call(vars, *function, args),
            Exp::If(cond, then, otherwise) => {
                self.expect(*cond, &Type::Scalar(Prim::Bool));
                self.block_fits(then, vars);
                self.block_fits(otherwise, vars);
            }
            Exp::Loop { params, form, body } => self.repetition(vars, params, form, body),
            Exp::Bulk(bulk) => self.bulk(vars, bulk),
            Exp::Sort(count, order) => {
                self.expect(*count, &Type::I64);
                self.comparison(order);
                self.gives(vars, &Type::Array(Prim::I64, vec![Dim::Size(*count)]));
            }
            Exp::Trace(layout, args) => {
                self.check(vars.is_empty(), Rule::Count, || "`trace` binds nothing".into());
                match component_types(layout, args) {
                    Some(types) => args.iter().zip(types).for_each(|(arg, ty)| self.expect(*arg, &ty)),
                    None => self.fail(Rule::Operand, "these are not the components of the layout".into()),
                }
            }
        }
    }

    /// Checks an operand.
    pub(super) fn expect(&mut self, atom: Atom, ty: &Type) {
        self.use_atom(atom);
        self.same(atom, &self.atom_ty(atom), ty, Rule::Operand);
    }

    pub(super) fn expect_all(&mut self, atoms: &[Atom], prim: Prim) {
        atoms.iter().for_each(|atom| self.expect(*atom, &Type::Scalar(prim)));
    }

    /// The type of the one variable that is bound.
    fn single(&mut self, vars: &[Var]) -> Option<Type> {
        match vars {
            [var] => Some(self.ty(*var)),
            _ => {
                self.fail(Rule::Count, format!("{} variables for one result", vars.len()));
                None
            }
        }
    }

    pub(super) fn gives(&mut self, vars: &[Var], ty: &Type) {
        if let (Some(is), [var]) = (self.single(vars), vars) {
            self.same((*var).into(), &is, ty, Rule::Result);
        }
    }

    /// Element type and dimensions of an array.
    pub(super) fn array(&mut self, x: Var) -> Option<(Prim, Vec<Dim>)> {
        match self.ty(x) {
            Type::Array(prim, dims) => Some((prim, dims)),
            Type::Scalar(_) | Type::Desc(_) | Type::Cert | Type::Box(_) => {
                self.fail(Rule::Operand, format!("`{}` is no array", self.name(x)));
                None
            }
        }
    }

    /// The dimensions that a descriptor lies inside.
    fn desc(&mut self, d: Var) -> Option<Vec<Dim>> {
        self.use_var(d);
        self.desc_dims(d)
    }

    /// The same of a descriptor of which a part is taken: it may be that of a recursive array.
    fn desc_for_part(&mut self, d: Var) -> Option<Vec<Dim>> {
        self.use_rec(d);
        self.desc_dims(d)
    }

    fn desc_dims(&mut self, d: Var) -> Option<Vec<Dim>> {
        match self.ty(d) {
            Type::Desc(dims) => Some(dims),
            Type::Scalar(_) | Type::Array(..) | Type::Cert | Type::Box(_) => {
                self.fail(Rule::Operand, format!("`{}` is no descriptor", self.name(d)));
                None
            }
        }
    }

    /// A vector of `i64`.
    pub(super) fn vector(&mut self, x: Var) {
        self.use_var(x);
        let fits = matches!(&self.ty(x), Type::Array(Prim::I64, dims) if matches!(dims[..], [Dim::Size(_)]));
        if !fits {
            self.fail(Rule::Operand, format!("`{}` is no vector of i64", self.name(x)));
        }
    }

    fn math(&mut self, vars: &[Var], op: MathOp, prim: Prim, args: &[Atom]) {
        let Some(ty) = op.type_at(prim) else {
            return self.fail(Rule::Operand, format!("there is no {prim}.{op}"));
        };
        if ty.params().len() != args.len() {
            return self.fail(Rule::Count, format!("{prim}.{op} does not take {} operands", args.len()));
        }
        args.iter().zip(ty.params()).for_each(|(arg, prim)| self.expect(*arg, &Type::Scalar(*prim)));
        self.gives(vars, &Type::Scalar(ty.result));
    }

    fn ranges(&mut self, ranges: &[Range]) {
        for Range { start, count, stride } in ranges {
            self.expect_all(&[*start, *count, *stride], Prim::I64);
        }
    }

    /// The dimensions after `count` indices. A jagged dimension that lies inside of what was indexed is the row's own:
    /// the variable's type says what it is called there.
    fn gives_row(&mut self, vars: &[Var], dims: &[Dim], count: usize, make: &dyn Fn(Vec<Dim>) -> Type) {
        if count > dims.len() || dims[..count].iter().any(|dim| matches!(dim, Dim::Shape(_))) {
            return self.fail(Rule::Count, format!("{count} indices do not fit the dimensions"));
        }
        let Some(is) = self.single(vars) else { return };
        let mut rest = dims[count..].to_vec();
        if count > 0 {
            own_names(&mut rest, is.dims());
        }
        self.gives(vars, &make(rest));
    }

    fn gives_slice(&mut self, vars: &[Var], dims: &[Dim], ranges: &[Range], make: &dyn Fn(Vec<Dim>) -> Type) {
        let count = ranges.len();
        if count > dims.len() || dims[..count].iter().any(|dim| !matches!(dim, Dim::Size(_))) {
            return self.fail(Rule::Count, format!("{count} ranges do not fit the dimensions"));
        }
        let Some(is) = self.single(vars) else { return };
        let mut rest = dims.to_vec();
        rest.iter_mut().zip(ranges).for_each(|(dim, range)| *dim = Dim::Size(range.count));
        if count > 0 {
            own_names(&mut rest, is.dims());
        }
        self.gives(vars, &make(rest));
    }

    /// How many dimensions a vector takes away is known only if it is as long as the unknown shape: otherwise any type
    /// with the same elements may be right.
    fn index_vector(&mut self, vars: &[Var], x: Var, at: Var) {
        self.use_rec(x);
        self.vector(at);
        if let (Some((prim, _)), Some(ty)) = (self.array(x), self.single(vars)) {
            self.check(ty.prim() == Some(prim), Rule::Result, || format!("an element is no {prim}"));
        }
    }

    fn rearrange(&mut self, vars: &[Var], x: Var, order: &[usize]) {
        self.use_var(x);
        let Some((prim, dims)) = self.array(x) else { return };
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let permutes = sorted.into_iter().eq(0..dims.len());
        if !permutes || dims.iter().any(|dim| !matches!(dim, Dim::Size(_))) {
            return self.fail(Rule::Operand, "the order does not fit the dimensions".into());
        }
        self.gives(vars, &Type::Array(prim, order.iter().map(|i| dims[*i]).collect()));
    }

    fn retype(&mut self, vars: &[Var], x: Var) {
        self.use_var(x);
        let Some(is) = self.single(vars) else { return };
        let fits = match (&is, &self.ty(x)) {
            // Of another rank, too: where a check has failed nothing comes of it.
            (Type::Scalar(p), Type::Scalar(q)) | (Type::Array(p, _), Type::Array(q, _)) => p == q,
            (Type::Desc(_), Type::Desc(_)) => true,
            (Type::Scalar(_) | Type::Array(..) | Type::Desc(_) | Type::Cert | Type::Box(_), _) => false,
        };
        self.check(fits, Rule::Result, || "`retype` changes more than dimensions".into());
    }

    /// A check's site and its values: scalars and vectors of `i64`.
    fn site(&mut self, site: SiteId, args: &[Atom]) {
        for arg in args {
            self.use_atom(*arg);
            let fits = match self.atom_ty(*arg) {
                Type::Scalar(_) => true,
                Type::Array(prim, dims) => prim == Prim::I64 && dims.len() == 1,
                Type::Desc(_) => true,
                Type::Cert | Type::Box(_) => false,
            };
            self.check(fits, Rule::Site, || "a message shows scalars, vectors of i64 and row lengths".into());
        }
        let Some(site) = self.program.sites.get(site) else {
            return self.fail(Rule::Site, format!("there is no {site:?}"));
        };
        let needed = site.arity();
        self.check(needed <= args.len(), Rule::Site, || format!("{needed} values are shown, not {}", args.len()));
    }
}

/// Whether there are as many dimensions here as there, as far as that is known.
fn same_rank(x: &[Dim], y: &[Dim]) -> bool {
    x.len() == y.len() || x.iter().chain(y).any(|dim| matches!(dim, Dim::Shape(_)))
}

/// Puts the names that a row has for what is its own: the first jagged dimension is a size if it comes first, and
/// otherwise a descriptor.
fn own_names(rest: &mut [Dim], names: &[Dim]) {
    for (i, (dim, name)) in rest.iter_mut().zip(names).enumerate() {
        let own = match name {
            Dim::Size(_) => i == 0,
            Dim::Jagged(_) => i > 0,
            Dim::Shape(_) => false,
        };
        if own && matches!(dim, Dim::Jagged(_)) {
            *dim = *name;
        }
    }
}
