//! Statements: what is a scalar, and who lowers the rest.

use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::Rep;
use ir::{Atom, Exp, Stm, Type, Var};
use kernel::{Expr, FailArg, Stm as KStm};
use scalar::Prim;

impl Lower<'_> {
    /// Lowers a statement into the innermost block.
    pub fn stm(&mut self, stm: &Stm) -> Low<()> {
        self.code.span = stm.span;
        let vars = &stm.vars;
        match &stm.exp {
            Exp::Bin(op, prim, a, b) => {
                let (a, b) = (self.homes.scalar(*a), self.homes.scalar(*b));
                self.bind_scalar(vars, Expr::Bin(*op, *prim, Box::new(a), Box::new(b)))
            }
            Exp::Un(op, prim, a) => {
                let a = self.homes.scalar(*a);
                self.bind_scalar(vars, Expr::Un(*op, *prim, Box::new(a)))
            }
            Exp::Math(op, prim, args) => {
                let args = self.homes.scalars(args);
                self.bind_scalar(vars, Expr::Math(*op, *prim, args))
            }
            Exp::Convert(from, to, a) => {
                let a = self.homes.scalar(*a);
                self.bind_scalar(vars, Expr::Convert(*from, *to, Box::new(a)))
            }
            Exp::Select(c, a, b) => self.select(vars, *c, *a, *b),
            Exp::Atom(Atom::Var(v)) if self.recs.contains_key(v) => match one(vars) {
                Some(var) => self.rec_reshape(var, *v),
                None => Ok(()),
            },
            Exp::Atom(a) => {
                let rep = self.homes.atom(*a);
                self.bind_same(vars, a.var(), rep)
            }
            Exp::Literal(prim, elements) => {
                let elements = self.homes.scalars(elements);
                vars.iter().for_each(|v| self.bind_vector(*v, *prim, elements.clone()));
                Ok(())
            }
            Exp::Index(array, at) => self.index(one(vars), *array, at),
            Exp::IndexVector(array, at) => self.index_vector(one(vars), *array, *at),
            Exp::Slice(array, ranges) => self.slice(one(vars), *array, ranges),
            Exp::Rearrange(array, order) => self.rearrange(one(vars), *array, order),
            Exp::Reshape(array) => self.reshape(one(vars), *array),
            Exp::Copy(array) => self.copy_stm(one(vars), *array),
            Exp::Retype(x) => self.retype(one(vars), *x),
            Exp::Total(dims) => {
                // A product that overflows also exceeds memory: the allocation fails.
                let count = self.capacity(dims)?;
                self.bind_scalar(vars, count)
            }
            Exp::Unrank { index, shape } => self.unrank(one(vars), *index, *shape),
            Exp::DescUniform(length) => self.desc_uniform(one(vars), *length),
            Exp::DescOf(lengths) => self.desc_of(one(vars), *lengths),
            Exp::DescLengths(desc) => self.desc_lengths(one(vars), *desc),
            Exp::DescLength(desc, at) => self.desc_length(vars, *desc, at),
            Exp::DescIndex(desc, at) => self.desc_index(one(vars), *desc, at),
            Exp::DescSlice(desc, ranges) => self.desc_slice(one(vars), *desc, ranges),
            Exp::DescEqual(a, b) => self.desc_equal(vars, *a, *b),
            Exp::Assert { cond, site, args } => self.assert(vars, *cond, *site, args),
            Exp::Pack(kind, case, parts) => self.pack(one(vars), *kind, *case, parts),
            Exp::Open(x, cases) => self.open_box(vars, *x, cases),
            Exp::Call(function, args) => self.call(vars, *function, args),
            Exp::If(cond, then, otherwise) => self.choice(vars, *cond, then, otherwise),
            Exp::Loop { params, form, body } => self.repeat(vars, params, form, body),
            Exp::Bulk(bulk) => self.bulk(vars, bulk),
            Exp::Sort(count, region) => self.sort(one(vars), *count, region),
            Exp::Trace(layout, args) => self.trace(layout, args),
        }
    }

    /// Binds a scalar.
    pub fn bind_scalar(&mut self, vars: &[Var], value: Expr) -> Low<()> {
        for var in vars {
            let Type::Scalar(prim) = self.src.ty(*var) else {
                base::bug!("an array in the place of a scalar");
            };
            let name = self.src.vars[*var].name.as_str();
            let value = self.code.name(name, *prim, value.clone());
            self.homes.bind(*var, Rep::Scalar(value));
        }
        Ok(())
    }

    fn bind_same(&mut self, vars: &[Var], from: Option<Var>, rep: Rep) -> Low<()> {
        for var in vars {
            if let Some(known) = from.and_then(|f| self.homes.known.get(&f)).cloned() {
                self.homes.known.insert(*var, known);
            }
            self.homes.bind(*var, rep.clone());
        }
        Ok(())
    }

    /// One scalar or the other. Arrays are chosen as by a choice.
    fn select(&mut self, vars: &[Var], c: Atom, a: Atom, b: Atom) -> Low<()> {
        if let (Rep::Scalar(x), Rep::Scalar(y)) = (self.homes.atom(a), self.homes.atom(b)) {
            let c = self.homes.scalar(c);
            return self.bind_scalar(vars, expr::select(c, x, y));
        }
        let block = |atom| ir::Block { stms: Vec::new(), result: vec![atom] };
        self.choice(vars, c, &block(a), &block(b))
    }

    fn assert(&mut self, vars: &[Var], cond: Atom, site: ir::SiteId, args: &[Atom]) -> Low<()> {
        let cond = self.homes.scalar(cond);
        self.code.open();
        let args = args.iter().map(|a| self.fail_arg(*a)).collect::<Low<Vec<FailArg>>>()?;
        self.code.emit(KStm::Fail { site: kernel::SiteId(site.0), args });
        // Nothing is released on the way out of a failure.
        let fail = self.code.pop().stms;
        self.code.emit(KStm::If(expr::not(cond), fail, Vec::new()));
        vars.iter().for_each(|v| self.homes.bind(*v, Rep::Cert));
        Ok(())
    }

    /// The same message at a part of its place.
    pub fn site_at(&mut self, site: kernel::SiteId, span: base::Span) -> kernel::SiteId {
        let Some(whole) = self.code.program.sites.get(site) else {
            return site;
        };
        let narrowed = whole.narrowed(span);
        if narrowed.span == whole.span { site } else { self.code.program.sites.push(narrowed) }
    }

    /// A value for a message.
    pub fn fail_arg(&mut self, atom: Atom) -> Low<FailArg> {
        match self.homes.atom(atom) {
            Rep::Scalar(value) => {
                let prim = match atom {
                    Atom::Const(x) => x.prim(),
                    Atom::Var(v) => self.src.ty(v).prim().unwrap_or(Prim::I64),
                };
                Ok(FailArg::Scalar(prim, value))
            }
            rep @ (Rep::Vector(..) | Rep::Array(_)) => {
                let dims = self.dims_of(atom);
                let array = self.in_memory(rep);
                let array = self.contiguous(&array, &dims)?;
                let at = self.begin(&array, &dims)?;
                let count = self.count(&dims)?;
                Ok(FailArg::Numbers { buffer: array.buffer, at, count })
            }
            Rep::Desc(_) => {
                let Atom::Var(desc) = atom else {
                    base::bug!("a constant as a descriptor");
                };
                let array = self.lengths_array(desc)?;
                let count = self.count(self.src.ty(desc).dims())?;
                Ok(FailArg::Numbers { buffer: array.buffer, at: expr::int(0), count })
            }
            Rep::Cert | Rep::Box(_) => base::bug!("a certificate or a box in a message"),
        }
    }
}

/// The one variable of a statement; statements that bind none have their result nowhere.
pub(crate) fn one(vars: &[Var]) -> Option<Var> {
    vars.first().copied()
}
