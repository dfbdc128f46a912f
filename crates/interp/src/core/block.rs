//! Blocks, statements, calls, branches and loops; variables and their types.

use super::levels;
use super::levels::Level;
use super::machine::Machine;
use super::stop::{self, Run};
use super::val::{Array, Val};
use base::{Name, Span};
use ir::{Atom, Block, Dim, Exp, FunId, LoopForm, Region, Stm, Type, Var};
use scalar::Scalar;
use std::rc::Rc;
use value::{Element, PrimVec};

impl<'p> Machine<'p> {
    /// Runs a block and forgets its variables.
    pub(super) fn block(&mut self, block: &'p Block) -> Run<Vec<Val>> {
        if self.limit.reached() {
            return self.too_deep(self.function, self.called);
        }
        for stm in &block.stms {
            self.stm(stm)?;
        }
        let results = self.atoms(&block.result)?;
        block.stms.iter().for_each(|stm| self.forget(&stm.vars));
        Ok(results)
    }

    pub(super) fn stm(&mut self, stm: &'p Stm) -> Run<()> {
        let before = self.span;
        if stm.span != Span::OF_CALLER {
            self.span = stm.span;
        }
        self.certs(&stm.certs)?;
        match (&stm.exp, &stm.vars[..]) {
            (Exp::Bulk(bulk), vars) => self.bulk(vars, bulk)?,
            (Exp::SortKeys(sort), vars) => {
                let results = self.sort_keys(*sort)?;
                self.bind_all(vars, results)?;
            }
            (Exp::Call(function, args), vars) => {
                let results = self.call(*function, args)?;
                self.bind_all(vars, results)?;
            }
            (Exp::If(cond, then, otherwise), vars) => {
                let chosen = if self.truth(*cond)? { then } else { otherwise };
                let results = self.block(chosen)?;
                self.bind_all(vars, results)?;
            }
            (Exp::Choose(cond, one, other), vars) => {
                let results = self.choose(*cond, one, other)?;
                self.bind_all(vars, results)?;
            }
            (Exp::Ensure { cond, otherwise }, vars) => {
                if !self.truth(*cond)? {
                    self.block(otherwise)?;
                    return self.internal("a check in place of many fails, and none of these does");
                }
                self.bind_all(vars, vec![Val::Cert])?;
            }
            (Exp::Open(x, cases), vars) => {
                let results = self.open(*x, cases)?;
                self.bind_all(vars, results)?;
            }
            (Exp::Loop { params, form, body, .. }, vars) => {
                let results = self.repetition(params, form, body)?;
                self.bind_all(vars, results)?;
            }
            (Exp::Trace(layout, args), []) => self.trace(layout, args)?,
            (exp, [var]) => {
                let val = self.single(exp, *var)?;
                self.bind(*var, val)?;
            }
            (_, _) => return self.internal("an expression with one result is bound to several variables, or none"),
        }
        self.span = before;
        Ok(())
    }

    pub(super) fn certs(&self, certs: &[Var]) -> Run<()> {
        certs.iter().try_for_each(|cert| match self.get(*cert)? {
            Val::Cert => Ok(()),
            _ => self.internal("a statement relies on something that is no certificate"),
        })
    }

    fn call(&mut self, function: FunId, args: &'p [Atom]) -> Run<Vec<Val>> {
        let Some(callee) = self.program.functions.get(function) else {
            return self.internal("there is no such function");
        };
        let deep = self.deep;
        self.deep = callee.too_deep.or(deep);
        if self.limit.reached() {
            return self.too_deep(callee.name, self.span);
        }
        let vals = self.handed(args)?;
        // A consumed argument has no other reference from here on, so the callee can change it in place.
        for (arg, _) in args.iter().zip(&callee.consumed).filter(|(_, consumed)| **consumed) {
            self.forget(arg.var().as_slice());
        }
        let (frame, span) = (self.enter(function), self.span);
        let called = std::mem::replace(&mut self.called, span);
        let caller = std::mem::replace(&mut self.function, callee.name);
        let results = self.bind_all(&callee.params, vals).and_then(|()| self.block(&callee.body));
        self.frame = frame;
        (self.span, self.function, self.called, self.deep) = (span, caller, called, deep);
        results
    }

    fn too_deep<T>(&self, function: Name, call: Span) -> Run<T> {
        match self.deep {
            Some(site) => self.fail(site, &[]),
            None => Err(stop::too_deep(function, call).into()),
        }
    }

    /// Applies the region of the case that a box holds.
    fn open(&mut self, x: Var, cases: &'p [Region]) -> Run<Vec<Val>> {
        let Val::Box(found) = self.get(x)? else {
            return self.internal(format!("`{}` is no box", self.name(x)));
        };
        let (case, parts) = (found.case, found.parts.clone());
        match cases.get(case) {
            Some(region) => self.apply(region, parts),
            None => self.internal("a box holds a case that there is not"),
        }
    }

    /// Begins a call: the variables of the caller.
    pub(super) fn enter(&mut self, function: FunId) -> Vec<Val> {
        std::mem::replace(&mut self.frame, vec![Val::Unbound; self.sizes[function]])
    }

    fn repetition(&mut self, params: &'p [(Var, Atom)], form: &'p LoopForm, body: &'p Block) -> Run<Vec<Val>> {
        let (vars, inits): (Vec<Var>, Vec<Atom>) = params.iter().copied().unzip();
        let mut vals = self.atoms(&inits)?;
        match form {
            LoopForm::For(var, bound) => {
                for i in 0..self.int(*bound)? {
                    self.bind_all(&vars, vals)?;
                    self.bind(*var, Val::Scalar(Scalar::I64(i)))?;
                    vals = self.block(body)?;
                }
            }
            LoopForm::While(cond) => loop {
                self.bind_all(&vars, vals.clone())?;
                if !self.condition(cond)? {
                    break;
                }
                drop(vals);
                vals = self.block(body)?;
            },
        }
        self.forget(&vars);
        Ok(vals)
    }

    /// Runs a block whose result is one truth value.
    pub(super) fn condition(&mut self, block: &'p Block) -> Run<bool> {
        match self.block(block)?[..] {
            [Val::Scalar(Scalar::Bool(holds))] => Ok(holds),
            _ => self.internal("a condition is no truth value"),
        }
    }

    /// Applies a region.
    pub(super) fn apply(&mut self, region: &'p Region, args: Vec<Val>) -> Run<Vec<Val>> {
        self.bind_all(&region.params, args)?;
        let results = self.block(&region.body)?;
        self.forget(&region.params);
        Ok(results)
    }

    /// Both versions of a computation; they must agree.
    fn choose(&mut self, cond: Atom, one: &'p Block, other: &'p Block) -> Run<Vec<Val>> {
        let holds = self.truth(cond)?;
        if self.comparing || !holds {
            return self.block(if holds { one } else { other });
        }
        self.comparing = true;
        let before = self.frame.clone();
        let results = self.block(one)?;
        let after = std::mem::replace(&mut self.frame, before);
        let again = self.block(other)?;
        self.frame = after;
        self.comparing = false;
        let agree = results.len() == again.len() && results.iter().zip(&again).all(|(a, b)| a.is_same(b));
        if agree { Ok(results) } else { self.internal("two versions of a computation differ") }
    }

    pub(super) fn get(&self, var: Var) -> Run<&Val> {
        match self.slots.get(var).and_then(|slot| self.frame.get(*slot as usize)) {
            Some(Val::Unbound) | None => self.internal(format!("`{}` has no value here", self.name(var))),
            Some(val) => Ok(val),
        }
    }

    pub(super) fn name(&self, var: Var) -> &'static str {
        self.program.vars.get(var).map_or("?", |info| info.name.as_str())
    }

    pub(super) fn ty(&self, var: Var) -> &'p Type {
        self.program.vars.get(var).map_or(&Type::Cert, |info| &info.ty)
    }

    /// Binds a variable without a look at its type.
    pub(super) fn set(&mut self, var: Var, val: Val) {
        if let Some(slot) = self.slots.get(var).and_then(|slot| self.frame.get_mut(*slot as usize)) {
            *slot = val;
        }
    }

    pub(super) fn forget(&mut self, vars: &[Var]) {
        vars.iter().for_each(|var| self.set(*var, Val::Unbound));
    }

    /// Binds a variable to a value of its type.
    pub(super) fn bind(&mut self, var: Var, val: Val) -> Run<()> {
        let fits = match (self.ty(var), &val) {
            (_, Val::Rec(_)) => self.program.vars[var].pending.is_some(),
            (Type::Scalar(prim), Val::Scalar(x)) => x.prim() == *prim,
            (Type::Array(prim, dims), Val::Array(array)) => {
                array.data.prim() == *prim && self.fits(dims, &array.levels)?
            }
            (Type::Desc(dims), Val::Desc(desc)) => self.fits(dims, &desc.levels)?,
            (Type::Cert, Val::Cert) => true,
            (Type::Box(id), Val::Box(found)) => found.kind == *id,
            (Type::Scalar(_) | Type::Array(..) | Type::Desc(_) | Type::Cert | Type::Box(_), _) => false,
        };
        if !fits {
            return self.internal(format!("the value of `{}` is not of its type", self.name(var)));
        }
        self.set(var, val);
        Ok(())
    }

    /// Binds variables in order: the types of later ones may mention earlier ones.
    pub(super) fn bind_all(&mut self, vars: &[Var], vals: Vec<Val>) -> Run<()> {
        if vars.len() != vals.len() {
            return self.internal(format!("{} values for {} variables", vals.len(), vars.len()));
        }
        vars.iter().zip(vals).try_for_each(|(var, val)| self.bind(*var, val))
    }

    /// Whether dimensions are what a type says.
    fn fits(&self, dims: &[Dim], found: &[Level]) -> Run<bool> {
        let mut rest = found.iter();
        for dim in dims {
            let same = match dim {
                Dim::Size(n) => {
                    let n = self.int(*n)?;
                    matches!(rest.next(), Some(Level::Regular(m)) if *m as i64 == n)
                }
                Dim::Jagged(d) => match (self.get(*d)?, rest.next()) {
                    (Val::Desc(desc), Some(Level::Jagged(offsets))) => {
                        Rc::ptr_eq(&desc.offsets, offsets) || desc.offsets == *offsets
                    }
                    (_, _) => false,
                },
                Dim::Shape(v) => {
                    let shape = self.numbers(*v)?;
                    shape.iter().all(|n| matches!(rest.next(), Some(Level::Regular(m)) if *m as i64 == *n))
                }
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(rest.next().is_none())
    }

    /// The dimensions that a type says.
    pub(super) fn levels_of(&self, dims: &[Dim]) -> Run<Vec<Level>> {
        let mut out = Vec::with_capacity(dims.len());
        for dim in dims {
            match dim {
                Dim::Size(n) => out.push(self.regular(self.int(*n)?)?),
                Dim::Jagged(d) => {
                    let Val::Desc(desc) = self.get(*d)? else { return self.internal("a dimension is no descriptor") };
                    if desc.offsets.len() != levels::total(&out).saturating_add(1) {
                        return self.internal("a descriptor lies inside of other dimensions");
                    }
                    out.push(Level::Jagged(desc.offsets.clone()));
                }
                Dim::Shape(v) => {
                    for n in self.numbers(*v)? {
                        out.push(self.regular(*n)?);
                    }
                }
            }
        }
        Ok(out)
    }

    fn regular(&self, n: i64) -> Run<Level> {
        match usize::try_from(n) {
            Ok(n) => Ok(Level::Regular(n)),
            Err(_) => self.internal(format!("a dimension has the size {n}")),
        }
    }

    pub(super) fn atom(&self, atom: Atom) -> Run<Val> {
        match atom {
            Atom::Const(x) => Ok(Val::Scalar(x)),
            Atom::Var(var) => match self.get(var)? {
                Val::Rec(_) => self.internal(format!("the recursive array `{}` is used as a whole", self.name(var))),
                val => Ok(val.clone()),
            },
        }
    }

    pub(super) fn atoms(&self, atoms: &[Atom]) -> Run<Vec<Val>> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    /// Values for parameters or for a box, recursive arrays among them.
    pub(super) fn handed(&self, atoms: &[Atom]) -> Run<Vec<Val>> {
        let handed = |atom: &Atom| match atom {
            Atom::Const(x) => Ok(Val::Scalar(*x)),
            Atom::Var(var) => self.get(*var).cloned(),
        };
        atoms.iter().map(handed).collect()
    }

    pub(super) fn scalar(&self, atom: Atom) -> Run<Scalar> {
        match atom {
            Atom::Const(x) => Ok(x),
            Atom::Var(var) => match self.get(var)? {
                Val::Scalar(x) => Ok(*x),
                _ => self.internal(format!("`{}` is no scalar", self.name(var))),
            },
        }
    }

    pub(super) fn int(&self, atom: Atom) -> Run<i64> {
        match self.scalar(atom)? {
            Scalar::I64(n) => Ok(n),
            _ => self.internal("a size or index is no i64"),
        }
    }

    pub(super) fn ints(&self, atoms: &[Atom]) -> Run<Vec<i64>> {
        atoms.iter().map(|atom| self.int(*atom)).collect()
    }

    pub(super) fn truth(&self, atom: Atom) -> Run<bool> {
        match self.scalar(atom)? {
            Scalar::Bool(holds) => Ok(holds),
            _ => self.internal("a condition is no truth value"),
        }
    }

    pub(super) fn array(&self, var: Var) -> Run<&Array> {
        match self.get(var)? {
            Val::Array(array) => Ok(array),
            _ => self.internal(format!("`{}` is no array", self.name(var))),
        }
    }

    /// The elements of a vector of `i64`.
    pub(super) fn numbers(&self, var: Var) -> Run<&[i64]> {
        match i64::items(&self.array(var)?.data) {
            Some(items) => Ok(items),
            None => self.internal(format!("`{}` is no vector of i64", self.name(var))),
        }
    }

    /// Ends the run if there is no memory for so many elements of so many bytes.
    pub(super) fn afford(&self, count: usize, bytes: usize) -> Run<()> {
        /// More than this is absurd, even if the system would promise it.
        const MOST: usize = 1 << 32;
        /// The system is not asked for so little, because asking takes time.
        const LITTLE: usize = 1 << 16;
        let fits = count.saturating_mul(bytes) <= LITTLE && base::memory::allows(0)
            || count.checked_mul(bytes).is_some_and(|all| all <= MOST) && crate::column::affordable(count, bytes);
        if fits { Ok(()) } else { Err(stop::memory(count, self.span).into()) }
    }

    /// An array inside dimensions.
    pub(super) fn make(&self, levels: Vec<Level>, data: impl Into<PrimVec>) -> Run<Array> {
        let array = Array::new(levels, data);
        let (has, needs) = (array.data.len(), levels::total(&array.levels));
        if has == needs { Ok(array) } else { self.internal(format!("{has} elements for dimensions of {needs}")) }
    }
}
