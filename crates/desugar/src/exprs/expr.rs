//! Expressions. A blank, `#[blank] e`, is some value of a type: numbers are 0, sums have their first constructor, and what no
//! name tells is empty.

use crate::arrays::bulk::Gen;
use crate::arrays::dims::sizes;
use crate::arrays::parts::{dim_behind, map_leaves};
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::types::{Mono, Sig, case_of};
use crate::data::value::{FunCode, SumVal, Val, tag_of};
use crate::sizes::matching::{About, Mode};
use base::{Name, bug};
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Layout, Limitation, Type as CoreType};
use scalar::{Prim, Scalar};
use std::rc::Rc;
use typed::{DefId, Expr, ExprKind, Lambda, LocalId, Shape, Type, TypeArg, TypeParam};

/// Array literals of at most so many scalars are kept element by element.
const SHORT: usize = 16;

impl<'t> Desugar<'t> {
    /// The value of an expression; what it takes to compute it is written into the open block. Bodies of `let` are
    /// reached by looping, not by recursion.
    pub(crate) fn expr(&mut self, expr: &'t Expr) -> Made<Val<'t>> {
        let outer = self.b.span;
        let val = self.expr_in_place(expr);
        self.b.span = outer;
        val
    }

    fn expr_in_place(&mut self, mut expr: &'t Expr) -> Made<Val<'t>> {
        let mut pending: Vec<&'t Expr> = Vec::new();
        let mut val = loop {
            self.b.span = expr.span;
            if !expr.exts.is_empty() {
                expr.exts.iter().for_each(|local| self.unset(*local));
                pending.push(expr);
            }
            expr = match &*expr.kind {
                ExprKind::Let { sizes, pat, value, body } => {
                    let value = self.expr(value)?;
                    sizes.iter().for_each(|local| self.unset(*local));
                    let value = match sizes.is_empty() {
                        true => value,
                        false => self.at(pat.span, |d| d.matched(&pat.ty, value, About::new(Mode::Full)))?,
                    };
                    self.bind(pat, value)?;
                    body
                }
                ExprKind::LetFun { name, type_params, fun, body } => {
                    let sig = if type_params.is_empty() { self.lambda_sig(fun) } else { None };
                    let val = self.lambda(self.typed.locals[*name].name, fun, type_params, sig);
                    self.set(*name, val);
                    body
                }
                ExprKind::LetRec { arrays, body } => {
                    self.let_rec(arrays)?;
                    body
                }
                ExprKind::Assert { cond, text, body } => {
                    let cond = self.scalar_of(cond)?;
                    let cert = self.check(cond, message::assertion(text), Vec::new());
                    let val = self.expr(body)?;
                    break self.relying(&val, cert.as_slice())?;
                }
                _ => break self.expr_here(expr)?,
            };
        };
        for expr in pending.into_iter().rev() {
            self.b.span = expr.span;
            val = self.matched(&expr.ty, val, About::new(Mode::Bind))?;
        }
        Ok(val)
    }

    /// The value, which is only there if checks succeed: so they are not forgotten while it is needed.
    pub(crate) fn relying(&mut self, val: &Val<'t>, certs: &[ir::Var]) -> Made<Val<'t>> {
        if certs.is_empty() {
            return Ok(val.clone());
        }
        self.under(certs, |d| d.again(val))
    }

    /// The value under new names.
    fn again(&mut self, val: &Val<'t>) -> Made<Val<'t>> {
        let mut atom = |prim: Prim, atom: Atom| self.b.bind("x", CoreType::Scalar(prim), Exp::Atom(atom)).into();
        Ok(match val {
            Val::Scalar(prim, a) => Val::Scalar(*prim, atom(*prim, *a)),
            Val::Vector(prim, atoms) => Val::Vector(*prim, atoms.iter().map(|a| atom(*prim, *a)).collect()),
            Val::Sum(sum) => {
                let tag = atom(Layout::tag_prim(sum.cases.len()), sum.tag);
                Val::Sum(Rc::new(SumVal { tag, ..(**sum).clone() }))
            }
            Val::Record(_) => val.try_map(|field| self.again(field))?,
            Val::Array(array) => {
                let rows = map_leaves(&mut self.b, &array.rows, &array.dims, &Exp::Retype);
                Val::array(array.dims.clone(), rows)
            }
            Val::Lengths(_) => {
                let array = self.as_array(val)?;
                self.again(&Val::Array(array))?
            }
            // Whatever a function gives is checked where it is computed.
            Val::Fun(_) => val.clone(),
        })
    }

    /// The value of an expression of a primitive type.
    pub(crate) fn scalar_of(&mut self, expr: &'t Expr) -> Made<Atom> {
        Ok(self.expr(expr)?.scalar("the value of an expression of a primitive type"))
    }

    /// The value of an expression that is no `let` or `assert`, which [`Desugar::expr`] follows in a loop.
    fn expr_here(&mut self, expr: &'t Expr) -> Made<Val<'t>> {
        match &*expr.kind {
            ExprKind::Scalar(x) => Ok(Val::Scalar(x.prim(), Atom::Const(*x))),
            ExprKind::Bytes(bytes) => {
                self.literal(Prim::U8, bytes.iter().map(|b| Atom::Const(Scalar::U8(*b))).collect())
            }
            ExprKind::Hole => {
                self.check(Atom::bool(false), message::hole(), Vec::new());
                let ty = self.mono(&expr.ty);
                Ok(self.dummy(&ty))
            }
            ExprKind::Blank(ty) => self.blank(ty),
            ExprKind::Local(local, args) => self.local(*local, args, expr),
            ExprKind::Global(def, args) => self.global(*def, args, expr),
            ExprKind::Operator(op) => {
                let sig = self.sig_of_type(&expr.ty);
                Ok(Val::function(FunCode::Operator(*op), sig))
            }
            ExprKind::Record(fields) => self.record(fields, &expr.ty),
            ExprKind::Array(items) => self.array_literal(items, expr),
            ExprKind::Range { first, second, kind, end } => self.range(first, second.as_ref(), *kind, end),
            ExprKind::Project(inner, name) => self.project(inner, *name),
            ExprKind::Index(array, indices) => {
                let val = self.expr(array)?;
                let whole = !matches!(self.mono(&expr.ty), Mono::Array(..));
                self.index(&val, indices, whole)
            }
            ExprKind::Apply(fun, args) => self.apply_expr(fun, args),
            ExprKind::Constr(name, args) => self.constructor(*name, args, expr),
            ExprKind::Binary { op, lhs, rhs, lifted } => self.binary(*op, lhs, rhs, *lifted),
            ExprKind::Unary { op, arg, lifted: _ } => {
                let val = self.expr(arg)?;
                self.unary(*op, &val)
            }
            ExprKind::Lambda(lambda) => {
                let sig = self.sig_of_type(&expr.ty);
                Ok(self.lambda(Name::new("lambda"), lambda, &[], sig))
            }
            ExprKind::If { cond, then, otherwise } => {
                let cond = self.scalar_of(cond)?;
                self.choose(cond, |d| d.expr(then), |d| d.expr(otherwise))
            }
            ExprKind::Loop { sizes, pat, init, form, body } => self.loop_expr(sizes, pat, init, form, body),
            ExprKind::Match { value, cases } => {
                let val = self.expr(value)?;
                self.cases(&val, cases)
            }
            ExprKind::With { source, path, value } => self.with_expr(source, path, value),
            ExprKind::Ascribe(inner, _) => self.expr(inner),
            ExprKind::Coerce(inner, ty) => self.coerce(inner, ty),
            ExprKind::Comprehension { body, quals } => self.comprehension(body, quals, expr),
            ExprKind::ArrayBy { shape, clauses, otherwise } => self.array_by(shape, clauses, otherwise.as_ref(), expr),
            ExprKind::Update { array, clauses } => self.update(array, clauses),
            ExprKind::Accum { op, neutral, shape, clauses } => self.accum(op, neutral, shape, clauses),
            ExprKind::Let { .. } | ExprKind::LetFun { .. } | ExprKind::LetRec { .. } | ExprKind::Assert { .. } => {
                self.expr(expr)
            }
            ExprKind::Error => bug!("a program with errors is translated"),
        }
    }

    /// A field of a record.
    fn project(&mut self, inner: &'t Expr, name: Name) -> Made<Val<'t>> {
        let val = self.expr(inner)?;
        let place = self.field_places(&inner.ty, [name].into_iter())[0];
        match &val {
            Val::Record(fields) => Ok(fields[place].clone()),
            _ => bug!("the checker let a field be taken of what is no record"),
        }
    }

    /// A function that sees what is in scope here.
    fn lambda(&self, name: Name, lambda: &'t Lambda, type_params: &'t [TypeParam], sig: Option<Rc<Sig>>) -> Val<'t> {
        let env = self.env.clone();
        Val::function(FunCode::Lambda { name, lambda, env, type_params, type_args: &[], at: None }, sig)
    }

    fn local(&mut self, local: LocalId, args: &'t [TypeArg], expr: &'t Expr) -> Made<Val<'t>> {
        let Some(val) = self.env.vals.get(&local).cloned() else {
            return match self.env.hidden.get(&local).cloned() {
                Some(sources) => self.found(&sources),
                None => self.unsupported(Limitation::UnknownSize),
            };
        };
        match &val {
            Val::Fun(fun) if !args.is_empty() => {
                let mut fun = (**fun).clone();
                if let FunCode::Lambda { type_args, at, .. } = &mut fun.code {
                    *type_args = args;
                    *at = Some(self.env.clone());
                }
                fun.sig = self.sig_of_type(&expr.ty);
                Ok(Val::Fun(Rc::new(fun)))
            }
            Val::Lengths(_) => Ok(Val::Array(self.as_array(&val)?)),
            _ => Ok(val),
        }
    }

    fn global(&mut self, def: DefId, args: &'t [TypeArg], expr: &'t Expr) -> Made<Val<'t>> {
        let definition = &self.typed.defs[def];
        if !definition.params.is_empty() {
            let code = FunCode::Def { def, type_args: args, env: self.env.clone() };
            let sig = self.sig_of_type(&expr.ty);
            return Ok(Val::function(code, sig));
        }
        self.constant(def, args)
    }

    fn record(&mut self, fields: &'t [(Name, Expr)], ty: &'t Type) -> Made<Val<'t>> {
        let places = self.field_places(ty, fields.iter().map(|f| f.0));
        let mut vals: Vec<Option<Val>> = vec![None; fields.len()];
        for ((_, expr), place) in fields.iter().zip(places) {
            vals[place] = Some(self.expr(expr)?);
        }
        Ok(Val::Record(vals.into_iter().flatten().collect()))
    }

    /// A vector of scalars.
    pub(crate) fn literal(&mut self, prim: Prim, atoms: Vec<Atom>) -> Made<Val<'t>> {
        let short = atoms.len() <= SHORT;
        let val = Val::Vector(prim, atoms.into());
        if short { Ok(val) } else { Ok(Val::Array(self.as_array(&val)?)) }
    }

    fn array_literal(&mut self, items: &'t [Expr], expr: &'t Expr) -> Made<Val<'t>> {
        let vals = items.iter().map(|item| self.expr(item)).collect::<Made<Vec<_>>>()?;
        let ty = self.mono(&expr.ty);
        if let Some(Val::Scalar(prim, _)) = vals.first() {
            let atoms = vals.iter().filter_map(Val::atom).collect();
            return self.literal(*prim, atoms);
        }
        let count = Atom::size(items.len() as i64);
        if items.is_empty() {
            return Ok(self.dummy(&ty));
        }
        let emit = |(i, val): (usize, Val<'t>)| {
            let at = Atom::size(i as i64);
            self.draft_emit(vec![at], at, |_| Ok(val))
        };
        let steps = vals.into_iter().enumerate().map(emit).collect::<Made<_>>()?;
        // Everything that was computed for the rows is there before the array is made.
        let mark = self.mark();
        self.generate(Gen::exact(count, steps, mark), ty.elem())
    }

    fn constructor(&mut self, name: Name, args: &'t [Expr], expr: &'t Expr) -> Made<Val<'t>> {
        let vals = args.iter().map(|arg| self.expr(arg)).collect::<Made<Vec<_>>>()?;
        let Mono::Sum(cases) = self.mono(&expr.ty) else {
            bug!("a constructor is of a type that is no sum");
        };
        let case = case_of(&cases, name);
        let tag = tag_of(cases.len(), case);
        let mut parts: Vec<Option<Vec<Val>>> = vec![None; cases.len()];
        parts[case] = Some(vals);
        Ok(Val::Sum(Rc::new(SumVal { tag, cases, parts })))
    }

    fn coerce(&mut self, inner: &'t Expr, ty: &'t Type) -> Made<Val<'t>> {
        let val = self.expr(inner)?;
        let written = self.typed.show_type(ty);
        self.matched(ty, val, About { mode: Mode::Coerce, argument: None, written: &written })
    }

    /// A value of a type whose contents do not matter.
    pub(crate) fn blank(&mut self, ty: &'t Type) -> Made<Val<'t>> {
        let form = self.blank_form(ty, &[])?;
        let val = self.dummy_of(&form);
        self.wholly_unknown(val)
    }

    /// The form of a blank part that stands inside of some dimensions.
    fn blank_form(&mut self, ty: &'t Type, outer: &[Dim]) -> Made<Form> {
        match self.concrete(ty) {
            Type::Record(fields) => {
                Ok(Form::Record(fields.iter().map(|(_, ty)| self.blank_form(ty, outer)).collect::<Made<_>>()?))
            }
            Type::Array(dim, elem) => {
                let own = self.blank_dims(dim, outer)?;
                let rows = self.blank_form(elem, &[outer, &own].concat())?;
                Ok(Form::array(own.into_iter().map(FormDim::Fixed).collect(), rows))
            }
            ty => {
                let mono = self.mono(ty);
                Ok(self.form_of(&mono, false))
            }
        }
    }

    /// The dimensions of a blank array. A size that nothing tells is 0; a shape that nothing tells has no dimensions.
    fn blank_dims(&mut self, dim: &'t typed::Dim, outer: &[Dim]) -> Made<Vec<Dim>> {
        match dim {
            typed::Dim::Size(size) => {
                let n = self.known_size(size).unwrap_or(Atom::size(0));
                Ok(vec![Dim::Size(self.extent(n, "an array"))])
            }
            typed::Dim::Shape(Shape::Local(shape)) => match self.env.vals.get(shape).cloned() {
                Some(Val::Vector(_, extents)) => Ok(sizes(&extents)),
                Some(shape) => Ok(vec![Dim::Shape(self.as_vector(&shape)?.0)]),
                None => Ok(Vec::new()),
            },
            typed::Dim::Shape(Shape::Meta(_) | Shape::Unknown) => Ok(Vec::new()),
            typed::Dim::Jagged(lengths) => Ok(vec![self.blank_lengths(*lengths, outer)?]),
        }
    }

    /// The lengths that a size function says; without one, rows are empty.
    fn blank_lengths(&mut self, lengths: Option<LocalId>, outer: &[Dim]) -> Made<Dim> {
        let total = self.b.total(outer.to_vec());
        let known = lengths.and_then(|lengths| self.env.vals.get(&lengths).cloned());
        let ty = CoreType::Desc(vec![Dim::Size(total)]);
        if let Some(Val::Lengths(desc)) = known
            && *self.b.ty(desc) == ty
        {
            return Ok(dim_behind(&mut self.b, Dim::Jagged(desc), outer));
        }
        let known = known.map(|lengths| self.as_vector(&lengths)).transpose()?;
        let all = self.build(total, None, |d, i| {
            let Some((lengths, count)) = known else { return Ok(Val::size(Atom::size(0))) };
            // Below further dimensions a size function says the same of each of their elements.
            let row = if count == total { i } else { d.b.num(i.rem(count)) };
            Ok(Val::size(d.b.number("len", lengths, row)))
        })?;
        let (all, _) = self.as_vector(&all)?;
        let desc = self.b.bind("d", ty, Exp::DescOf(all));
        Ok(dim_behind(&mut self.b, Dim::Jagged(desc), outer))
    }
}
