//! Expressions: what they take and what they give.

use super::rule::Rule;
use super::scope::Verifier;
use crate::traverse::Part;
use crate::{Atom, Block, Dim, Exp, Layout, SiteId, Type, Var, component_types};
use scalar::Prim;

impl<'p> Verifier<'p> {
    /// Checks an expression, whose results are bound to `vars`.
    pub(super) fn exp(&mut self, vars: &[Var], exp: &'p Exp) {
        match exp {
            Exp::Atom(a) => {
                self.use_atom(*a);
                self.gives(vars, &self.atom_ty(*a));
            }
            Exp::Bin(op, prim, a, b) => self.bin(vars, *op, *prim, *a, *b),
            Exp::Un(op, prim, a) => self.un(vars, *op, *prim, *a),
            Exp::Math(op, prim, args) => self.math(vars, *op, *prim, args),
            Exp::Convert(from, to, a) => self.convert(vars, *from, *to, *a),
            Exp::Select(c, a, b) => self.select(vars, *c, *a, *b),
            Exp::Literal(prim, atoms) => self.literal(vars, *prim, atoms),
            Exp::Uninit => self.uninit(vars),
            Exp::Index(x, at) => self.index(vars, *x, at),
            Exp::IndexVector(x, at) => self.index_vector(vars, *x, *at),
            Exp::Slice(x, ranges) => self.slice(vars, *x, ranges),
            Exp::Rearrange(x, order) => self.rearrange(vars, *x, order),
            Exp::Reshape(x) => self.reshape(vars, *x),
            Exp::Copy(x) => self.copy(vars, *x),
            Exp::Retype(x) => self.retype(vars, *x),
            Exp::Total(dims) => self.total(vars, dims),
            Exp::Unrank { index, shape } => self.unrank(vars, *index, *shape),
            Exp::DescUniform(n) => self.desc_uniform(vars, *n),
            Exp::DescOf(x) => self.desc_of(vars, *x),
            Exp::DescLengths(d) => self.desc_lengths(vars, *d),
            Exp::DescLength(d, at) => self.desc_length(vars, *d, at),
            Exp::DescOffset(d, at) => self.desc_length(vars, *d, at),
            Exp::DescRow(d, element) => self.desc_row(vars, *d, *element),
            Exp::DescIndex(d, at) => self.desc_index(vars, *d, at),
            Exp::DescSlice(d, ranges) => self.desc_slice(vars, *d, ranges),
            Exp::DescEqual(d, e) => self.desc_equal(vars, *d, *e),
            Exp::Assert { cond, site, args } => self.assertion(vars, *cond, *site, args),
            Exp::Ensure { cond, otherwise } => self.ensured(vars, *cond, otherwise),
            Exp::Pack(id, case, parts) => self.pack(vars, *id, *case, parts),
            Exp::Open(x, cases) => self.open(vars, *x, cases),
            Exp::Call(function, args) => self.call(vars, *function, args),
            Exp::If(cond, then, otherwise) => self.choice(vars, *cond, then, otherwise),
            Exp::Choose(cond, one, other) => self.versions(vars, *cond, one, other),
            Exp::Loop { params, form, turns, body } => {
                self.repetition(vars, params, form, body);
                let problem = turns.problem(self.program, params, form, body);
                problem.into_iter().for_each(|why| self.fail(Rule::Mark, why.into()));
            }
            Exp::Bulk(bulk) => self.bulk(vars, bulk),
            Exp::Sort(count, order) => self.sort(vars, *count, order),
            Exp::SortKeys(sort) => self.sort_keys(vars, *sort),
            Exp::Trace(layout, args) => self.trace(vars, layout, args),
        }
    }

    /// A check gives a certificate.
    fn assertion(&mut self, vars: &[Var], cond: Atom, site: SiteId, args: &[Atom]) {
        self.expect(cond, &Type::Scalar(Prim::Bool));
        self.site(site, args);
        self.gives(vars, &Type::Cert);
    }

    /// A check that replays others where it fails gives a certificate. What it replays only computes and checks.
    fn ensured(&mut self, vars: &[Var], cond: Atom, otherwise: &'p Block) {
        self.expect(cond, &Type::Scalar(Prim::Bool));
        let (mut checks, mut effects) = (false, false);
        otherwise.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                checks |= matches!(stm.exp, Exp::Assert { .. });
                effects |= matches!(stm.exp, Exp::Trace(..)) || !stm.exp.consumes(&self.program.functions).is_empty();
            }
        });
        self.check(checks && !effects, Rule::Replay, || "nothing is checked, or something is changed or shown".into());
        let mark = self.enter();
        self.facts.suppose(cond, false);
        self.block_fits(otherwise, &[]);
        self.leave(mark);
        self.gives(vars, &Type::Cert);
    }

    /// The components of the value that is shown; nothing is bound.
    fn trace(&mut self, vars: &[Var], layout: &Layout, args: &[Atom]) {
        self.check(vars.is_empty(), Rule::Count, || "`trace` binds nothing".into());
        match component_types(layout, args) {
            Some(types) => args.iter().zip(types).for_each(|(arg, ty)| self.expect(*arg, &ty)),
            None => self.fail(Rule::Operand, "these are not the components of the layout".into()),
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
    pub(super) fn single(&mut self, vars: &[Var]) -> Option<Type> {
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

    /// A vector of `i64`.
    pub(super) fn vector(&mut self, x: Var) {
        self.use_var(x);
        let fits = matches!(&self.ty(x), Type::Array(Prim::I64, dims) if matches!(dims[..], [Dim::Size(_)]));
        if !fits {
            self.fail(Rule::Operand, format!("`{}` is no vector of i64", self.name(x)));
        }
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
