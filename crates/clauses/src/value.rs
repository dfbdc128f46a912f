//! Values known at compile time: constants, and `i64` forms that are linear in loop variables.

use affine::clauses::Subscript;
use affine::{Linear, LoopVar};
use base::Map;
use scalar::{BinOp, Prim, Scalar, UnOp, eval_bin, eval_un};
use typed::{Body, DefId, Expr, ExprKind, Index, LocalId, Pat, PatKind, Program, Type};

/// An `i64` as a form of loop variables.
pub(super) type Form = Linear<LoopVar>;

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// An `i64`.
    Int(Form),
    /// A constant of another type.
    Scalar(Scalar),
    /// A vector of `i64`; `None` for components that are not known.
    Vector(Vec<Option<Form>>),
}

impl Known {
    /// The value, if it is a constant `i64`.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Known::Int(form) => form.as_constant(),
            Known::Scalar(_) | Known::Vector(_) => None,
        }
    }

    /// The form, if it is an `i64`, or an index constant of another integer type.
    pub fn index(&self) -> Option<Form> {
        match self {
            Known::Int(form) => Some(form.clone()),
            Known::Scalar(value) if value.prim().is_int() => exact_i64(*value).map(Form::constant),
            Known::Scalar(_) | Known::Vector(_) => None,
        }
    }

    fn scalar(&self) -> Option<Scalar> {
        match self {
            Known::Int(form) => form.as_constant().map(Scalar::I64),
            Known::Scalar(value) => Some(*value),
            Known::Vector(_) => None,
        }
    }
}

fn exact_i64(value: Scalar) -> Option<i64> {
    match value {
        Scalar::U64(n) => i64::try_from(n).ok(),
        other => Some(other.to_i64()),
    }
}

/// Values of locals and constants.
pub(super) struct Values<'a> {
    pub program: &'a Program,
    /// Locals that are the same at every place where they are in scope.
    pub locals: Map<LocalId, Known>,
    /// Loop variables and `let`s of the clause being looked at.
    pub vars: Map<LocalId, Known>,
    /// Definitions looked at; `None` while under way, or if unknown.
    constants: Map<DefId, Option<Known>>,
}

impl<'a> Values<'a> {
    pub fn new(program: &'a Program) -> Values<'a> {
        Values { program, locals: Map::default(), vars: Map::default(), constants: Map::default() }
    }

    /// What is known of an expression's value.
    pub fn of(&mut self, expr: &'a Expr) -> Option<Known> {
        match &*expr.kind {
            ExprKind::Scalar(Scalar::I64(n)) => Some(Known::Int(Form::constant(*n))),
            ExprKind::Scalar(value) => Some(Known::Scalar(*value)),
            ExprKind::Local(local, _) => self.vars.get(local).or_else(|| self.locals.get(local)).cloned(),
            ExprKind::Global(def, _) => self.constant(*def),
            ExprKind::Ascribe(inner, _) | ExprKind::Coerce(inner, _) => self.of(inner),
            ExprKind::Array(items) => self.vector(items),
            ExprKind::Index(array, indices) => self.component(array, indices),
            ExprKind::Unary { op, arg, lifted: _ } => {
                let arg = self.of(arg)?;
                unary(*op, &arg)
            }
            ExprKind::Binary { op, lhs, rhs, lifted } => {
                let (lhs, rhs) = (self.of(lhs)?, self.of(rhs)?);
                if *lifted { lifted_binary(*op, &lhs, &rhs) } else { binary(*op, &lhs, &rhs) }
            }
            _ => None,
        }
    }

    /// The value of a constant `i64` expression.
    pub fn constant_int(&mut self, expr: &'a Expr) -> Option<i64> {
        self.of(expr)?.constant()
    }

    fn constant(&mut self, def: DefId) -> Option<Known> {
        if let Some(known) = self.constants.get(&def) {
            return known.clone();
        }
        self.constants.insert(def, None);
        let found = &self.program.defs[def];
        let Body::Expr(body) = &found.body else { return None };
        if !found.params.is_empty() {
            return None;
        }
        let vars = std::mem::take(&mut self.vars);
        let known = self.of(body);
        self.vars = vars;
        self.constants.insert(def, known.clone());
        known
    }

    fn vector(&mut self, items: &'a [Expr]) -> Option<Known> {
        let first = items.first()?;
        if !matches!(first.ty, Type::Prim(Prim::I64)) {
            return None;
        }
        Some(Known::Vector(items.iter().map(|e| self.of(e).and_then(|k| k.index())).collect()))
    }

    fn component(&mut self, array: &'a Expr, indices: &'a [Index]) -> Option<Known> {
        let [Index::At(at)] = indices else { return None };
        let at = usize::try_from(self.constant_int(at)?).ok()?;
        match self.of(array)? {
            Known::Vector(items) => items.get(at)?.clone().map(Known::Int),
            Known::Int(_) | Known::Scalar(_) => None,
        }
    }
}

fn unary(op: UnOp, arg: &Known) -> Option<Known> {
    match (op, arg) {
        (UnOp::Neg, Known::Int(form)) => form.neg().map(Known::Int),
        (UnOp::Neg, Known::Vector(items)) => {
            Some(Known::Vector(items.iter().map(|i| i.as_ref().and_then(Linear::neg)).collect()))
        }
        _ => known(eval_un(op, arg.scalar()?).ok()?),
    }
}

fn binary(op: BinOp, lhs: &Known, rhs: &Known) -> Option<Known> {
    if let (Known::Int(a), Known::Int(b)) = (lhs, rhs)
        && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
    {
        return int_binary(op, a, b).map(Known::Int);
    }
    known(eval_bin(op, lhs.scalar()?, rhs.scalar()?).ok()?)
}

fn int_binary(op: BinOp, a: &Form, b: &Form) -> Option<Form> {
    match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        _ => match known(eval_bin(op, Scalar::I64(a.as_constant()?), Scalar::I64(b.as_constant()?)).ok()?)? {
            Known::Int(form) => Some(form),
            Known::Scalar(_) | Known::Vector(_) => None,
        },
    }
}

fn lifted_binary(op: BinOp, lhs: &Known, rhs: &Known) -> Option<Known> {
    let both = |a: &Option<Form>, b: &Option<Form>| int_binary(op, a.as_ref()?, b.as_ref()?);
    match (lhs, rhs) {
        (Known::Vector(a), Known::Vector(b)) if a.len() == b.len() => {
            Some(Known::Vector(a.iter().zip(b).map(|(a, b)| both(a, b)).collect()))
        }
        (Known::Vector(a), Known::Int(b)) => Some(Known::Vector(a.iter().map(|a| both(a, &Some(b.clone()))).collect())),
        (Known::Int(a), Known::Vector(b)) => Some(Known::Vector(b.iter().map(|b| both(&Some(a.clone()), b)).collect())),
        _ => None,
    }
}

fn known(value: Scalar) -> Option<Known> {
    Some(match value {
        Scalar::I64(n) => Known::Int(Form::constant(n)),
        other => Known::Scalar(other),
    })
}

/// Subscripts as forms, one for each dimension; vectors of unknown length make all of them unknown.
pub(super) fn subscript<'a>(values: &mut Values<'a>, indices: &'a [Index]) -> Subscript {
    let mut out = Vec::new();
    for index in indices {
        match index {
            Index::At(e) => out.push(values.of(e).and_then(|k| k.index())),
            Index::Vector(e) => match values.of(e) {
                Some(Known::Vector(items)) => out.extend(items),
                Some(Known::Int(_) | Known::Scalar(_)) | None => return Vec::new(),
            },
            // A slice and what follows are left open.
            Index::Slice { .. } => return out,
        }
    }
    out
}

/// Names what is known of a value.
pub(super) fn bind(vars: &mut Map<LocalId, Known>, pat: &Pat, known: Option<Known>) {
    match (&pat.kind, known) {
        (PatKind::Bind(local), Some(known)) => {
            vars.insert(*local, known);
        }
        (PatKind::Ascribe(inner, _), known) => bind(vars, inner, known),
        _ => {}
    }
}
