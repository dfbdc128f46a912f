//! Building Core: statements go into the innermost open block.
//!
//! The builder folds constants and gives equal scalar computations one name, so that equal sizes are equal atoms from
//! the start: fewer equalities are left to checks.

use crate::known::Computation;
use crate::{Atom, Dim, Exp, Program, SiteId, Stm, Type, Var, VarInfo};
use base::{Map, Name, Span};
use fault::Site;
use scalar::{BinOp, Prim};

/// Builds a program.
#[derive(Debug, Default)]
pub struct Builder {
    /// What has been built.
    pub program: Program,
    blocks: Blocks,
    /// The sizes that a check shows, and those that are never negative by their definition, each under the variable whose
    /// statement says so. A statement may be drafted in one block and go into another: its sizes go along.
    sizes_by: Map<Var, Vec<Var>>,
    /// The variables that are the length or the descriptor of a row, with the descriptor and the indices of the row.
    rows: Map<Var, (Var, Vec<Atom>)>,
    /// Where all statements are said to stand, if not where they do.
    shown: Option<Span>,
    /// The place in the program of what is being translated: new statements stand there.
    pub span: Span,
}

/// The open blocks, and what is known in the innermost. Blocks nest as deep as chains of `else if` are long: nothing
/// looks through them one by one.
#[derive(Debug, Default)]
pub struct Blocks {
    open: Vec<Open>,
    known: Map<Computation, Atom>,
    /// Sizes and shape vectors, with the checks that none of them is negative: none where that is certain.
    sizes: Map<Var, Vec<Var>>,
    /// The checks on which new statements rely, unless they cannot go wrong.
    certs: Vec<Var>,
}

/// A block under construction.
#[derive(Debug, Default)]
struct Open {
    stms: Vec<Stm>,
    /// What it added to the computations that are known.
    known: Vec<Computation>,
    /// What it changed about sizes, and what held before.
    sizes: Vec<(Var, Option<Vec<Var>>)>,
}

impl Blocks {
    /// Closes the innermost block and forgets what was known only there.
    fn close(&mut self) -> Vec<Stm> {
        let Some(Open { stms, known, sizes }) = self.open.pop() else { return Vec::new() };
        for key in &known {
            self.known.remove(key);
        }
        for (size, before) in sizes.into_iter().rev() {
            match before {
                Some(certs) => self.sizes.insert(size, certs),
                None => self.sizes.remove(&size),
            };
        }
        stms
    }

    /// From here on this computation, unknown so far, has a name.
    fn learn(&mut self, key: Computation, atom: Atom) {
        if let Some(open) = self.open.last_mut() {
            open.known.push(key.clone());
            self.known.insert(key, atom);
        }
    }
}

impl Builder {
    /// A new variable.
    pub fn var(&mut self, name: Name, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(name, ty))
    }

    /// What a check says.
    pub fn site(&mut self, site: Site) -> SiteId {
        self.program.sites.push(site)
    }

    /// The type of a variable.
    pub fn ty(&self, var: Var) -> &Type {
        self.program.ty(var)
    }

    /// Opens a block; statements go into it until it is closed.
    pub fn open(&mut self) {
        self.blocks.open.push(Open::default());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) -> Vec<Stm> {
        self.blocks.close()
    }

    /// Puts all open blocks aside, to build a function in the middle of another; [`Builder::restore`] brings them back.
    pub fn isolate(&mut self) -> Blocks {
        std::mem::take(&mut self.blocks)
    }

    /// The blocks that were put aside are open again.
    pub fn restore(&mut self, blocks: Blocks) {
        self.blocks = blocks;
    }

    /// How many blocks are open.
    pub fn depth(&self) -> usize {
        self.blocks.open.len()
    }

    /// The checks made so far in the innermost block.
    pub fn certs(&self) -> Vec<Var> {
        let vars = self.blocks.open.last().into_iter().flat_map(|open| &open.stms).flat_map(|stm| &stm.vars);
        vars.copied().filter(|var| *self.ty(*var) == Type::Cert).collect()
    }

    /// From here on the variable is a size, or a shape vector, by these checks; if there are none, by its definition.
    pub fn trust(&mut self, size: Var, certs: &[Var]) {
        let says_so = certs.last().copied().unwrap_or(size);
        self.sizes_by.entry(says_so).or_default().push(size);
        self.trust_here(size, certs);
    }

    /// The same, as long as the innermost block is open.
    fn trust_here(&mut self, size: Var, certs: &[Var]) {
        if let Some(open) = self.blocks.open.last_mut() {
            let before = self.blocks.sizes.insert(size, certs.to_vec());
            open.sizes.push((size, before));
        }
    }

    /// The dimensions of parameters are sizes, and so are parameters that are declared as such.
    pub fn trust_params(&mut self, params: impl IntoIterator<Item = Var>) {
        for param in params {
            if self.program.vars[param].size {
                self.trust_here(param, &[]);
            }
            for dim in self.program.ty(param).dims().to_vec() {
                if let Dim::Size(Atom::Var(size)) | Dim::Shape(size) = dim {
                    self.trust_here(size, &[]);
                }
            }
        }
    }

    /// Whether the variable is a size, or a shape vector; then the checks that say so.
    pub fn trusted(&self, size: Var) -> Option<&[Var]> {
        self.blocks.sizes.get(&size).map(Vec::as_slice)
    }

    /// The checks without which the memory that a statement makes would have no size.
    fn size_certs(&self, stm: &Stm) -> Vec<Var> {
        if !matches!(stm.exp, Exp::Bulk(_) | Exp::Reshape(_) | Exp::DescUniform(_) | Exp::Unrank { .. }) {
            return Vec::new();
        }
        let mut certs = Vec::new();
        for var in &stm.vars {
            self.ty(*var).for_each_var(&mut |size| certs.extend(self.trusted(size).unwrap_or_default()));
        }
        certs
    }

    /// From here on new statements get this place, so that faults of the library are shown where it was called. `None`
    /// means their own places. Returns the previous setting.
    pub fn show_at(&mut self, place: Option<Span>) -> Option<Span> {
        std::mem::replace(&mut self.shown, place)
    }

    /// Where new statements are said to stand.
    pub fn place(&self) -> Span {
        self.shown.unwrap_or(self.span)
    }

    /// Adds a statement, which keeps its place. It relies on the checks of the sizes of what it makes, too; after it
    /// they are known as sizes.
    pub fn push(&mut self, mut stm: Stm) {
        for var in stm.vars.clone() {
            for dim in self.ty(var).dims().to_vec() {
                if let Dim::Size(Atom::Var(size)) | Dim::Shape(size) = dim
                    && self.trusted(size).is_none()
                {
                    self.trust_here(size, &stm.certs);
                }
            }
            for size in self.sizes_by.get(&var).cloned().unwrap_or_default() {
                self.trust_here(size, if size == var { &[] } else { std::slice::from_ref(&var) });
            }
        }
        if let Exp::DescLength(desc, at) | Exp::DescIndex(desc, at) = &stm.exp {
            self.rows.insert(stm.vars[0], (*desc, at.clone()));
        }
        for cert in self.size_certs(&stm) {
            if !stm.certs.contains(&cert) {
                stm.certs.push(cert);
            }
        }
        if let Some(open) = self.blocks.open.last_mut() {
            open.stms.push(stm);
        }
    }

    /// From here on new statements rely on these checks. Returns the previous ones.
    pub fn rely_on(&mut self, certs: Vec<Var>) -> Vec<Var> {
        std::mem::replace(&mut self.blocks.certs, certs)
    }

    /// Runs `f`, whose statements rely on these checks.
    pub fn under<T>(&mut self, certs: &[Var], f: impl FnOnce(&mut Builder) -> T) -> T {
        let outer = self.rely_on(certs.to_vec());
        let made = f(self);
        self.rely_on(outer);
        made
    }

    /// Binds new variables to the parts of a value. The statement relies on the current checks.
    pub fn bind_all(&mut self, vars: Vec<Var>, exp: Exp) {
        let (certs, span) = (self.blocks.certs.clone(), self.place());
        self.push(Stm { vars, certs, exp, span });
    }

    /// Binds one new variable.
    pub fn bind(&mut self, name: &str, ty: Type, exp: Exp) -> Var {
        let var = self.var(Name::new(name), ty);
        self.bind_all(vec![var], exp);
        var
    }

    /// Binds a scalar, unless it is a constant or known already.
    pub fn scalar(&mut self, name: &str, prim: Prim, exp: Exp) -> Atom {
        if let Some(atom) = exp.known() {
            return atom;
        }
        let key = exp.computation();
        if let Some(key) = &key
            && let Some(atom) = self.blocks.known.get(key)
        {
            return *atom;
        }
        let var = self.var(Name::new(name), Type::Scalar(prim));
        let certs = if exp.is_partial() { self.blocks.certs.clone() } else { Vec::new() };
        self.push(Stm { vars: vec![var], certs, exp, span: self.place() });
        let atom = Atom::Var(var);
        if let Some(key) = key {
            self.blocks.learn(key, atom);
        }
        atom
    }

    /// The value of a computation that was made before.
    pub fn value(&self, computation: &Computation) -> Option<Atom> {
        self.blocks.known.get(computation).copied()
    }

    /// From here on this computation, unknown so far, has a name.
    pub fn learn(&mut self, computation: Computation, value: Atom) {
        self.blocks.learn(computation, value);
    }

    /// The descriptor, and the indices of the row in it, whose length or descriptor a variable is.
    pub fn row_of(&self, var: Var) -> Option<&(Var, Vec<Atom>)> {
        self.rows.get(&var)
    }

    /// An element of a shape vector.
    pub fn extent(&mut self, shape: Var, k: i64) -> Atom {
        let key = Computation::Extent(shape, k);
        if let Some(atom) = self.blocks.known.get(&key) {
            return *atom;
        }
        let exp = Exp::Index(shape, vec![Atom::size(k)]);
        let atom = Atom::Var(self.bind("n", Type::I64, exp));
        self.blocks.learn(key, atom);
        atom
    }

    /// A binary operator that cannot fail.
    pub fn bin(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom) -> Atom {
        let result = op.result(prim).unwrap_or(prim);
        self.scalar("t", result, Exp::Bin(op, prim, a, b))
    }

    /// A number of another type.
    pub fn convert(&mut self, name: &str, from: Prim, to: Prim, a: Atom) -> Atom {
        self.scalar(name, to, Exp::Convert(from, to, a))
    }

    /// An element of a vector of sizes.
    pub fn number(&mut self, name: &str, vector: Var, k: Atom) -> Atom {
        self.scalar(name, Prim::I64, Exp::Index(vector, vec![k]))
    }

    /// How many elements there are inside of dimensions: a size if those are.
    pub fn total(&mut self, dims: Vec<Dim>) -> Atom {
        let extents = dims.iter().filter_map(|dim| match dim {
            Dim::Size(Atom::Var(size)) | Dim::Shape(size) => Some(self.trusted(*size)),
            Dim::Size(Atom::Const(_)) | Dim::Jagged(_) => None,
        });
        let certs = extents.collect::<Option<Vec<_>>>().map(|certs| certs.concat());
        let total = self.scalar("n", Prim::I64, Exp::Total(dims));
        if let (Atom::Var(total), Some(certs)) = (total, certs)
            && self.trusted(total).is_none()
        {
            self.trust_here(total, &certs);
        }
        total
    }

    /// The length of a row.
    pub fn length(&mut self, desc: Var, at: Vec<Atom>) -> Atom {
        self.scalar("len", Prim::I64, Exp::DescLength(desc, at))
    }

    /// Whether rows have the same lengths.
    pub fn equal_lengths(&mut self, a: Var, b: Var) -> Atom {
        self.scalar("eq", Prim::Bool, Exp::DescEqual(a, b))
    }

    /// Checks a condition. None if it holds for sure.
    pub fn assert(&mut self, cond: Atom, site: Site, args: Vec<Atom>) -> Option<Var> {
        if cond == Atom::bool(true) {
            return None;
        }
        let site = self.site(site);
        let cert = self.var(Name::new("c"), Type::Cert);
        let span = self.place();
        self.push(Stm { vars: vec![cert], certs: Vec::new(), exp: Exp::Assert { cond, site, args }, span });
        Some(cert)
    }
}
