//! Operators: on scalars, element by element on arrays, comparison of whole values.

use crate::ranks::is_shape;
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made, unsupported};
use base::Name;
use base::Span;
use ir::{Atom, Bulk, Dim, Emit, Exp, Kind, Output, Region, Step, Stm, Type};
use scalar::{BinOp, Prim, UnOp};
use std::rc::Rc;
use typed::Expr;

impl<'t> Desugar<'t> {
    pub(crate) fn binary(
        &mut self,
        op: BinOp,
        lhs: &'t Expr,
        rhs: &'t Expr,
        lifted: bool,
        span: Span,
    ) -> Made<Val<'t>> {
        let left = self.expr(lhs)?;
        if matches!(op, BinOp::LogAnd | BinOp::LogOr) && !lifted {
            let Some(cond) = left.atom() else {
                return unsupported("this condition", span);
            };
            // The right side is evaluated only if it is needed.
            let fixed = |b: bool| Ok(Val::Scalar(Prim::Bool, Atom::bool(b)));
            return match op {
                BinOp::LogAnd => self.choose(cond, span, |d| d.expr(rhs), |_| fixed(false)),
                _ => self.choose(cond, span, |_| fixed(true), |d| d.expr(rhs)),
            };
        }
        let right = self.expr(rhs)?;
        match lifted {
            true => self.lifted(op, &left, &right, span),
            false => self.operator(op, &left, &right, span),
        }
    }

    /// A binary operator on values: `==` and `!=` compare them whole.
    pub(crate) fn operator(&mut self, op: BinOp, left: &Val<'t>, right: &Val<'t>, span: Span) -> Made<Val<'t>> {
        match (left, right) {
            (Val::Scalar(prim, a), Val::Scalar(_, b)) => {
                let result = op.result(*prim).unwrap_or(*prim);
                Ok(Val::Scalar(result, self.scalar_op(op, *prim, *a, *b, span)))
            }
            _ if op == BinOp::Eq => Ok(Val::Scalar(Prim::Bool, self.equal(left, right, span)?)),
            _ if op == BinOp::Ne => {
                let equal = self.equal(left, right, span)?;
                let not = self.b.scalar("t", Prim::Bool, Exp::Un(UnOp::Not, Prim::Bool, equal), &[], span);
                Ok(Val::Scalar(Prim::Bool, not))
            }
            _ => self.lifted(op, left, right, span),
        }
    }

    /// An operator on scalars, with its checks.
    pub(crate) fn scalar_op(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom, span: Span) -> Atom {
        let result = op.result(prim).unwrap_or(prim);
        let zero = Atom::Const(prim.zero());
        let cert = match op {
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if prim.is_int() => {
                let fine = self.b.bin(BinOp::Ne, prim, b, zero, span);
                let site = self.division_site(prim, span);
                self.b.assert(fine, site, vec![a], span)
            }
            BinOp::Pow if prim.is_signed() => {
                let fine = self.b.bin(BinOp::Ge, prim, b, zero, span);
                let site = self.exponent_site(prim, span);
                self.b.assert(fine, site, vec![b], span)
            }
            _ => None,
        };
        self.b.scalar("t", result, Exp::Bin(op, prim, a, b), cert.as_slice(), span)
    }

    pub(crate) fn unary(&mut self, op: UnOp, val: &Val<'t>, span: Span) -> Made<Val<'t>> {
        match val {
            Val::Scalar(prim, a) => {
                Ok(Val::Scalar(*prim, self.b.scalar("t", *prim, Exp::Un(op, *prim, *a), &[], span)))
            }
            Val::Vector(prim, atoms) => {
                let each = |a: &Atom| self.b.scalar("t", *prim, Exp::Un(op, *prim, *a), &[], span);
                Ok(Val::Vector(*prim, atoms.iter().map(each).collect()))
            }
            _ => {
                let array = self.as_array(val, span)?;
                self.each_element(&array, span, &mut |d, elem| d.unary(op, &elem, span))
            }
        }
    }

    /// The array of `f` of each element, whatever the dimensions.
    pub(crate) fn each_element(
        &mut self,
        array: &Rc<ArrayVal>,
        span: Span,
        f: &mut dyn FnMut(&mut Self, Val<'t>) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let flat = self.flat(array, span)?;
        let Dim::Size(total) = flat.dims[0] else {
            return unsupported("this array", span);
        };
        let result = self.build(total, None, span, |d, i| {
            let elem = d.element(&flat, &[i], &[], span);
            f(d, elem)
        })?;
        self.with_shape_of(&result, array, span)
    }

    /// All elements one after the other.
    pub(crate) fn flat(&mut self, array: &ArrayVal, span: Span) -> Made<Rc<ArrayVal>> {
        if let [Dim::Size(_)] = array.dims.as_slice() {
            return Ok(Rc::new(array.clone()));
        }
        let total = self.b.scalar("n", Prim::I64, Exp::Total(array.dims.clone()), &[], span);
        let dims = vec![Dim::Size(total)];
        let rows = self.map_leaves(&array.rows, &dims, &[], span, &Exp::Reshape);
        Ok(Rc::new(ArrayVal { dims, rows }))
    }

    /// Elements one after the other as an array with the dimensions of another.
    fn with_shape_of(&mut self, flat: &Val<'t>, like: &ArrayVal, span: Span) -> Made<Val<'t>> {
        let flat = self.as_array(flat, span)?;
        if flat.dims == like.dims {
            return Ok(Val::Array(flat));
        }
        let rows = self.map_leaves(&flat.rows, &like.dims, &[], span, &Exp::Reshape);
        Ok(Val::array(like.dims.clone(), rows))
    }

    /// An operator element by element; a scalar goes with every element of the other operand.
    pub(crate) fn lifted(&mut self, op: BinOp, left: &Val<'t>, right: &Val<'t>, span: Span) -> Made<Val<'t>> {
        match (left, right) {
            (Val::Scalar(..), Val::Scalar(..)) => self.operator(op, left, right, span),
            (Val::Vector(prim, a), Val::Vector(_, b)) if a.len() == b.len() => {
                let (prim, result) = (*prim, op.result(*prim).unwrap_or(*prim));
                let each = |(a, b): (&Atom, &Atom)| self.scalar_op(op, prim, *a, *b, span);
                Ok(Val::Vector(result, a.iter().zip(b.iter()).map(each).collect()))
            }
            (Val::Vector(prim, a), Val::Scalar(_, b)) => {
                let (prim, result) = (*prim, op.result(*prim).unwrap_or(*prim));
                Ok(Val::Vector(result, a.iter().map(|a| self.scalar_op(op, prim, *a, *b, span)).collect()))
            }
            (Val::Scalar(_, a), Val::Vector(prim, b)) => {
                let (prim, result) = (*prim, op.result(*prim).unwrap_or(*prim));
                Ok(Val::Vector(result, b.iter().map(|b| self.scalar_op(op, prim, *a, *b, span)).collect()))
            }
            (_, Val::Scalar(..)) => {
                let array = self.as_array(left, span)?;
                self.each_element(&array, span, &mut |d, x| d.operator(op, &x, right, span))
            }
            (Val::Scalar(..), _) => {
                let array = self.as_array(right, span)?;
                self.each_element(&array, span, &mut |d, y| d.operator(op, left, &y, span))
            }
            (_, _) => self.lockstep(op, left, right, span),
        }
    }

    fn lockstep(&mut self, op: BinOp, left: &Val<'t>, right: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let (a, b) = (self.as_array(left, span)?, self.as_array(right, span)?);
        let (a, b) = self.same_shape(&a, &b, &format!("`{op}` element by element"), span)?;
        let (x, y) = (self.flat(&a, span)?, self.flat(&b, span)?);
        let Dim::Size(total) = x.dims[0] else {
            return unsupported("this array", span);
        };
        let result = self.build(total, None, span, |d, i| {
            let (x, y) = (d.element(&x, &[i], &[], span), d.element(&y, &[i], &[], span));
            d.operator(op, &x, &y, span)
        })?;
        self.with_shape_of(&result, &a, span)
    }

    /// Two arrays with the same names for their dimensions, which are checked to be equal.
    pub(crate) fn same_shape(
        &mut self,
        a: &Rc<ArrayVal>,
        b: &Rc<ArrayVal>,
        what: &str,
        span: Span,
    ) -> Made<(Rc<ArrayVal>, Rc<ArrayVal>)> {
        let (mut a, mut b) = ((**a).clone(), (**b).clone());
        if a.dims == b.dims {
            return Ok((Rc::new(a), Rc::new(b)));
        }
        let (left, right) = (Val::Array(Rc::new(a.clone())), Val::Array(Rc::new(b.clone())));
        if !alike(&a, &b) {
            (a, b) = (self.with_shape(&a, span)?.0, self.with_shape(&b, span)?.0);
        }
        for at in 0..a.dims.len().min(b.dims.len()) {
            match (a.dims[at], b.dims[at]) {
                (Dim::Jagged(_), Dim::Size(_)) => b = self.made_jagged(&b, at, span),
                (Dim::Size(_), Dim::Jagged(_)) => a = self.made_jagged(&a, at, span),
                (_, _) => {}
            }
        }
        let equal = self.equal_dims(&a.dims, &b.dims, span)?;
        let x = self.describe(&left, 0);
        let y = self.describe(&right, x.args.len());
        let site = self.lockstep_site(x.text, y.text, what, span);
        let args = x.args.into_iter().chain(y.args).collect();
        let cert = self.b.assert(equal, site, args, span);
        let b = self.retyped(&b, a.dims.clone(), cert.as_slice(), span);
        Ok((Rc::new(a), Rc::new(b)))
    }

    /// Whether dimensions are equal one by one.
    pub(crate) fn equal_dims(&mut self, a: &[Dim], b: &[Dim], span: Span) -> Made<Atom> {
        if a.len() != b.len() {
            return Ok(Atom::bool(false));
        }
        let mut all = Atom::bool(true);
        for (x, y) in a.iter().zip(b) {
            let one = match (x, y) {
                (Dim::Size(x), Dim::Size(y)) => self.b.bin(BinOp::Eq, Prim::I64, *x, *y, span),
                (Dim::Jagged(x), Dim::Jagged(y)) if x == y => Atom::bool(true),
                (Dim::Jagged(x), Dim::Jagged(y)) => self.b.scalar("eq", Prim::Bool, Exp::DescEqual(*x, *y), &[], span),
                (Dim::Shape(x), Dim::Shape(y)) if x == y => Atom::bool(true),
                (Dim::Shape(x), Dim::Shape(y)) => {
                    let vector = |d: &Self, v: ir::Var| Val::array(d.b.ty(v).dims().to_vec(), Rows::Data(Prim::I64, v));
                    let (x, y) = (vector(self, *x), vector(self, *y));
                    self.equal(&x, &y, span)?
                }
                (_, _) => return unsupported("a comparison of arrays of different forms", span),
            };
            all = self.b.and(all, one, span);
        }
        Ok(all)
    }

    /// Whether two whole values are equal; arrays of different shapes differ.
    pub(crate) fn equal(&mut self, left: &Val<'t>, right: &Val<'t>, span: Span) -> Made<Atom> {
        match (left, right) {
            (Val::Scalar(prim, a), Val::Scalar(_, b)) => Ok(self.b.bin(BinOp::Eq, *prim, *a, *b, span)),
            (Val::Vector(prim, a), Val::Vector(_, b)) => {
                if a.len() != b.len() {
                    return Ok(Atom::bool(false));
                }
                let mut all = Atom::bool(true);
                for (a, b) in a.iter().zip(b.iter()) {
                    let one = self.b.bin(BinOp::Eq, *prim, *a, *b, span);
                    all = self.b.and(all, one, span);
                }
                Ok(all)
            }
            (Val::Record(a), Val::Record(b)) => {
                let mut all = Atom::bool(true);
                for (a, b) in a.iter().zip(b.iter()) {
                    let one = self.equal(a, b, span)?;
                    all = self.b.and(all, one, span);
                }
                Ok(all)
            }
            (Val::Sum(a), Val::Sum(b)) => {
                let prim = ir::Layout::tag_prim(a.cases.len());
                let mut all = self.b.bin(BinOp::Eq, prim, a.tag, b.tag, span);
                for (x, y) in a.parts.iter().zip(&b.parts) {
                    // Where one has no parts the tags differ, or both have another constructor.
                    if let (Some(x), Some(y)) = (x, y) {
                        for (x, y) in x.iter().zip(y) {
                            let one = self.equal(x, y, span)?;
                            all = self.b.and(all, one, span);
                        }
                    }
                }
                Ok(all)
            }
            (Val::Fun(_), _) | (_, Val::Fun(_)) => unsupported("a comparison of functions", span),
            (_, _) => {
                let (a, b) = (self.as_array(left, span)?, self.as_array(right, span)?);
                self.equal_arrays(&a, &b, span)
            }
        }
    }

    fn equal_arrays(&mut self, a: &Rc<ArrayVal>, b: &Rc<ArrayVal>, span: Span) -> Made<Atom> {
        let (mut a, mut b) = ((**a).clone(), (**b).clone());
        if !alike(&a, &b) {
            (a, b) = (self.with_shape(&a, span)?.0, self.with_shape(&b, span)?.0);
        }
        for at in 0..a.dims.len().min(b.dims.len()) {
            match (a.dims[at], b.dims[at]) {
                (Dim::Jagged(_), Dim::Size(_)) => b = self.made_jagged(&b, at, span),
                (Dim::Size(_), Dim::Jagged(_)) => a = self.made_jagged(&a, at, span),
                (_, _) => {}
            }
        }
        let same = self.equal_dims(&a.dims, &b.dims, span)?;
        let val = self.choose(
            same,
            span,
            |d| {
                let (x, y) = (d.flat(&a, span)?, d.flat(&b, span)?);
                let Dim::Size(total) = x.dims[0] else {
                    return unsupported("this array", span);
                };
                let equal = d.all(total, span, |d, i| {
                    let (x, y) = (d.element(&x, &[i], &[], span), d.element(&y, &[i], &[], span));
                    d.equal(&x, &y, span)
                })?;
                Ok(Val::Scalar(Prim::Bool, equal))
            },
            |_| Ok(Val::Scalar(Prim::Bool, Atom::bool(false))),
        )?;
        Ok(val.atom().unwrap_or(Atom::bool(false)))
    }

    /// Whether something holds for all numbers below `n`.
    pub(crate) fn all(&mut self, n: Atom, span: Span, holds: impl FnOnce(&mut Self, Atom) -> Made<Atom>) -> Made<Atom> {
        self.combined(n, (Prim::Bool, Atom::bool(true)), span, holds, |d, a, b| d.b.and(a, b, span))
    }

    /// The least of some numbers, one of each number below `n`, none of which is above `n`.
    pub(crate) fn least(
        &mut self,
        n: Atom,
        span: Span,
        number: impl FnOnce(&mut Self, Atom) -> Made<Atom>,
    ) -> Made<Atom> {
        self.combined(n, (Prim::I64, n), span, number, |d, a, b| {
            let less = d.b.bin(BinOp::Lt, Prim::I64, a, b, span);
            d.b.scalar("least", Prim::I64, Exp::Select(less, a, b), &[], span)
        })
    }

    /// The scalars that belong to the numbers below `n`, combined by an operation that commutes.
    fn combined(
        &mut self,
        n: Atom,
        (prim, neutral): (Prim, Atom),
        span: Span,
        each: impl FnOnce(&mut Self, Atom) -> Made<Atom>,
        both: impl FnOnce(&mut Self, Atom, Atom) -> Atom,
    ) -> Made<Atom> {
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let one = each(self, var.into());
        let stms = self.b.close();
        let value = ir::Block { stms, result: vec![one?] };
        let emit = Step::Emit(Emit { output: 0, at: Vec::new(), certs: Vec::new(), value, span });
        let scalar = |d: &mut Self, name: &str| d.b.var(Name::new(name), Type::Scalar(prim));
        let (a, b) = (scalar(self, "a"), scalar(self, "b"));
        self.b.open();
        let both = both(self, a.into(), b.into());
        let op = Region { params: vec![a, b], body: ir::Block { stms: self.b.close(), result: vec![both] } };
        let elem = scalar(self, "x");
        let kind = Kind::Reduce { op, neutral: vec![neutral], commutes: true };
        let output = Output { kind, sizes: Vec::new(), elems: vec![elem] };
        let steps = vec![Step::For { var, count: n, body: vec![emit] }];
        let result = scalar(self, "all");
        let bulk = Bulk { outputs: vec![output], steps };
        self.b.push(Stm { vars: vec![result], certs: Vec::new(), exp: Exp::Bulk(bulk), span });
        Ok(result.into())
    }
}

/// Whether shapes stand in the same places of two arrays, or in none.
fn alike(a: &ArrayVal, b: &ArrayVal) -> bool {
    a.dims.iter().map(is_shape).eq(b.dims.iter().map(is_shape)) || !a.dims.iter().chain(&b.dims).any(is_shape)
}
