//! How long a vector is, where the text shows it: the length of an index vector decides the rank of what it selects.

use crate::Checker;
use typed::{Dim, Expr, ExprKind, LocalId, Shape, Size, Type};

/// The length of a vector of `i64`.
#[derive(Clone, Debug)]
pub(crate) enum Length {
    /// A number.
    Known(usize),
    /// The rank of a shape parameter (or of whatever the local vector is the shape of).
    RankOf(LocalId),
    /// The rank of a value of this type, once that is known.
    RankOfType(Type),
    /// Whatever this type's first dimension says.
    ByType(Type),
}

impl Checker<'_> {
    /// What the text shows of a vector's length.
    pub(crate) fn length_of(&self, expr: &Expr) -> Length {
        match &*expr.kind {
            ExprKind::Array(items) => Length::Known(items.len()),
            ExprKind::Local(local, _) => {
                self.lengths.get(local).cloned().unwrap_or_else(|| match self.metas.shallow(&expr.ty) {
                    Type::Array(Dim::Size(Size::Const(n)), _) => Length::Known(n.max(0) as usize),
                    _ => Length::RankOf(*local),
                })
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                if self.metas.is_scalar(&lhs.ty) {
                    self.length_of(rhs)
                } else {
                    self.length_of(lhs)
                }
            }
            ExprKind::Unary { arg, .. } => self.length_of(arg),
            ExprKind::With { source, .. } => self.length_of(source),
            ExprKind::Update { array, .. } => self.length_of(array),
            ExprKind::Ascribe(inner, ty) | ExprKind::Coerce(inner, ty) => match ty {
                Type::Array(Dim::Size(Size::Const(n)), _) => Length::Known((*n).max(0) as usize),
                Type::Array(Dim::Size(Size::Local(n)), _) => Length::RankOf(*n),
                _ => self.length_of(inner),
            },
            ExprKind::Let { body, .. } | ExprKind::LetRec { body, .. } | ExprKind::LetFun { body, .. } => {
                self.length_of(body)
            }
            ExprKind::Assert { body, .. } => self.length_of(body),
            ExprKind::If { then, .. } => self.length_of(then),
            ExprKind::Apply(fun, args) => self.length_of_call(fun, args, &expr.ty),
            _ => Length::ByType(expr.ty.clone()),
        }
    }

    /// A call's result is as long as the argument whose type says so: `map : ... -> [n]a -> [n]b`.
    fn length_of_call(&self, fun: &Expr, args: &[Expr], ty: &Type) -> Length {
        let ExprKind::Global(def, _) = &*fun.kind else { return Length::ByType(ty.clone()) };
        let def = &self.program.defs[*def];
        if let ("shape", [array]) = (def.name.as_str(), args) {
            return Length::RankOfType(array.ty.clone());
        }
        let mut params = Vec::new();
        let mut result = def.ty();
        for _ in args {
            let Type::Fun(fun) = result else { return Length::ByType(ty.clone()) };
            params.push((fun.name, fun.param.clone()));
            result = fun.ret.ty.clone();
        }
        let Type::Array(Dim::Size(Size::Local(n)), _) = result else { return Length::ByType(ty.clone()) };
        for ((name, param), arg) in params.iter().zip(args) {
            match (param, &*arg.kind) {
                (Type::Array(Dim::Size(Size::Local(m)), _), _) if *m == n => return self.length_of(arg),
                (_, ExprKind::Scalar(_)) if *name == Some(n) => {
                    if let Some(crate::metas::Number::Int { magnitude, negative: false }) =
                        self.metas.literals.get(&arg.span)
                    {
                        return Length::Known(*magnitude as usize);
                    }
                }
                _ => {}
            }
        }
        Length::ByType(ty.clone())
    }

    /// The length as a number or as the rank of a shape; `None` if it is not known (yet).
    pub(crate) fn known_length(&self, length: &Length) -> Option<Result<usize, LocalId>> {
        match length {
            Length::Known(n) => Some(Ok(*n)),
            Length::RankOf(shape) => Some(Err(*shape)),
            Length::RankOfType(ty) => {
                let (dims, _) = self.metas.spine(ty);
                if dims.iter().all(|d| !matches!(d, Dim::Shape(_))) {
                    return Some(Ok(dims.len()));
                }
                match dims[..] {
                    [Dim::Shape(Shape::Local(s))] => Some(Err(s)),
                    _ => None,
                }
            }
            Length::ByType(ty) => match self.metas.shallow(ty) {
                Type::Array(Dim::Size(Size::Const(n)), _) => Some(Ok(n.max(0) as usize)),
                _ => None,
            },
        }
    }

    /// The dimensions of an array whose shape vector this is.
    pub(crate) fn dims_of_shape(&mut self, shape: &Expr) -> Vec<Dim> {
        let length = self.length_of(shape);
        if let Length::RankOfType(ty) = &length {
            let (dims, _) = self.metas.spine(ty);
            if !dims.is_empty() {
                return dims.iter().map(crate::instantiate::erase_dim).collect();
            }
        }
        match (self.known_length(&length), &*shape.kind) {
            (Some(Ok(n)), _) => vec![Dim::Size(Size::Unknown); n],
            (_, ExprKind::Local(local, _)) => vec![Dim::Shape(Shape::Local(*local))],
            (known, _) => {
                let rank = self.fresh_rank(shape.span);
                if let (Some(_), Shape::Local(local)) = (known, rank) {
                    self.lengths.insert(local, length);
                }
                vec![Dim::Shape(rank)]
            }
        }
    }

    /// A shape that only the value shows.
    pub(crate) fn fresh_rank(&mut self, span: base::Span) -> Shape {
        Shape::Local(self.new_local(base::Name::new("s"), span))
    }

    /// A shape that its use may decide; if none does, only the value shows it.
    pub(crate) fn open_rank(&mut self, span: base::Span) -> Shape {
        let shape = self.metas.fresh_shape();
        self.open_ranks.push((shape, span));
        shape
    }

    /// Gives the shapes that no use has decided to the values.
    pub(crate) fn close_ranks(&mut self) {
        for (shape, span) in std::mem::take(&mut self.open_ranks) {
            let Shape::Meta(id) = shape else { continue };
            if self.metas.shape(id).is_none() {
                let rank = self.fresh_rank(span);
                self.metas.set_shape(id, vec![Dim::Shape(rank)]);
            }
        }
    }

    /// The rank of arrays of this shape: a number, or the shape whose rank it is.
    pub(crate) fn rank_of_shape(&self, shape: LocalId) -> Result<usize, LocalId> {
        self.lengths.get(&shape).and_then(|l| self.known_length(l)).unwrap_or(Err(shape))
    }
}
