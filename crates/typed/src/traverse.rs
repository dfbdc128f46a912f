//! Walking trees: one place that knows every child of every node, for those who look and for those who rewrite.

use crate::{Clause, Expr, ExprKind, Generator, Index, LoopForm, Pat, PatKind, Qual, Step};

/// The walks over expressions, by shared or by mutable references.
macro_rules! children {
    ($child:ident, $iter:ident $(, $m:tt)?) => {
        impl Expr {
            /// Calls `f` on each direct child expression, in the order of evaluation.
            pub fn $child<'a>(&'a $($m)? self, f: &mut dyn FnMut(&'a $($m)? Expr)) {
                match &$($m)? *self.kind {
                    ExprKind::Scalar(_) | ExprKind::Bytes(_) | ExprKind::Hole | ExprKind::Error => {}
                    ExprKind::Local(..) | ExprKind::Global(..) | ExprKind::Operator(_) | ExprKind::Blank(_) => {}
                    ExprKind::Record(fields) => fields.$iter().for_each(|(_, e)| f(e)),
                    ExprKind::Array(items) | ExprKind::Constr(_, items) => items.$iter().for_each(f),
                    ExprKind::Range { first, second, kind: _, end } => {
                        [first].into_iter().chain(second).chain([end]).for_each(f);
                    }
                    ExprKind::Project(e, _) | ExprKind::Ascribe(e, _) | ExprKind::Coerce(e, _) => f(e),
                    ExprKind::Index(e, indices) => {
                        f(e);
                        indices.$iter().for_each(|i| i.$child(f));
                    }
                    ExprKind::Apply(fun, args) => [fun].into_iter().chain(args).for_each(f),
                    ExprKind::Binary { op: _, lhs, rhs, lifted: _ } => [lhs, rhs].into_iter().for_each(f),
                    ExprKind::Unary { op: _, arg, lifted: _ } => f(arg),
                    ExprKind::Lambda(lambda) => f(&$($m)? lambda.body),
                    ExprKind::If { cond, then, otherwise } => [cond, then, otherwise].into_iter().for_each(f),
                    ExprKind::Let { sizes: _, pat: _, value, body } => [value, body].into_iter().for_each(f),
                    ExprKind::LetFun { name: _, type_params: _, fun, body } => {
                        [&$($m)? fun.body, body].into_iter().for_each(f);
                    }
                    ExprKind::LetRec { arrays, body } => {
                        arrays.$iter().for_each(|a| f(&$($m)? a.value));
                        f(body);
                    }
                    ExprKind::Loop { sizes: _, pat: _, init, form, body } => {
                        f(init);
                        form.$child(f);
                        f(body);
                    }
                    ExprKind::Match { value, cases } => {
                        [value].into_iter().chain(cases.$iter().map(|(_, e)| e)).for_each(f);
                    }
                    ExprKind::With { source, path, value } => {
                        f(source);
                        path.$iter().for_each(|s| s.$child(f));
                        f(value);
                    }
                    ExprKind::Assert { cond, text: _, body } => [cond, body].into_iter().for_each(f),
                    ExprKind::Comprehension { body, quals } => {
                        quals.$iter().for_each(|q| q.$child(f));
                        f(body);
                    }
                    ExprKind::ArrayBy { shape, clauses, otherwise } => {
                        f(shape);
                        clauses.$iter().for_each(|c| c.$child(f));
                        otherwise.$iter().for_each(f);
                    }
                    ExprKind::Update { array, clauses } => {
                        f(array);
                        clauses.$iter().for_each(|c| c.$child(f));
                    }
                    ExprKind::Accum { op, neutral, shape, clauses } => {
                        [op, neutral, shape].into_iter().for_each(&mut *f);
                        clauses.$iter().for_each(|c| c.$child(f));
                    }
                }
            }
        }

        impl Index {
            /// Calls `f` on each direct child expression.
            pub fn $child<'a>(&'a $($m)? self, f: &mut dyn FnMut(&'a $($m)? Expr)) {
                match self {
                    Index::At(e) | Index::Vector(e) => f(e),
                    Index::Slice { start, end, stride, span: _ } => [start, end, stride].into_iter().flatten().for_each(f),
                }
            }
        }

        impl LoopForm {
            /// Calls `f` on the bound, the array or the condition.
            pub fn $child<'a>(&'a $($m)? self, f: &mut dyn FnMut(&'a $($m)? Expr)) {
                match self {
                    LoopForm::For(_, e) | LoopForm::ForIn(_, e) | LoopForm::While(e) => f(e),
                }
            }
        }

        impl Step {
            /// Calls `f` on each direct child expression.
            pub fn $child<'a>(&'a $($m)? self, f: &mut dyn FnMut(&'a $($m)? Expr)) {
                match self {
                    Step::Field(_) => {}
                    Step::Index(indices) => indices.$iter().for_each(|i| i.$child(f)),
                }
            }
        }

        impl Qual {
            /// Calls `f` on each direct child expression.
            pub fn $child<'a>(&'a $($m)? self, f: &mut dyn FnMut(&'a $($m)? Expr)) {
                match self {
                    Qual::For(generators, _) => {
                        for generator in generators {
                            match generator {
                                Generator::In(_, e) => f(e),
                                Generator::Range { lo, var: _, hi, step, vector: _, span: _ } => {
                                    lo.$iter().for_each(&mut *f);
                                    f(hi);
                                    step.$iter().for_each(&mut *f);
                                }
                            }
                        }
                    }
                    Qual::Let(_, e) | Qual::If(e) => f(e),
                }
            }
        }

        impl Clause {
            /// Calls `f` on each direct child expression: qualifiers first, then subscripts, then the value.
            pub fn $child<'a>(&'a $($m)? self, f: &mut dyn FnMut(&'a $($m)? Expr)) {
                match self {
                    Clause::Element { subscripts, value, quals, span: _ } => {
                        quals.$iter().for_each(|q| q.$child(f));
                        subscripts.$iter().for_each(|i| i.$child(f));
                        f(value);
                    }
                    Clause::Group { quals, clauses, span: _ } => {
                        quals.$iter().for_each(|q| q.$child(f));
                        clauses.$iter().for_each(|c| c.$child(f));
                    }
                }
            }
        }
    };
}

children!(for_each_child, iter);
children!(for_each_child_mut, iter_mut, mut);

impl Pat {
    /// Calls `f` on this pattern and every pattern in it.
    pub fn for_each<'a>(&'a self, f: &mut dyn FnMut(&'a Pat)) {
        f(self);
        match &self.kind {
            PatKind::Wildcard | PatKind::Bind(_) | PatKind::Literal(_) => {}
            PatKind::Record(fields) => fields.iter().for_each(|(_, p)| p.for_each(f)),
            PatKind::Constr(_, pats) => pats.iter().for_each(|p| p.for_each(f)),
            PatKind::Ascribe(pat, _) => pat.for_each(f),
        }
    }

    /// Calls `f` on this pattern and every pattern in it.
    pub fn for_each_mut(&mut self, f: &mut dyn FnMut(&mut Pat)) {
        f(self);
        match &mut self.kind {
            PatKind::Wildcard | PatKind::Bind(_) | PatKind::Literal(_) => {}
            PatKind::Record(fields) => fields.iter_mut().for_each(|(_, p)| p.for_each_mut(f)),
            PatKind::Constr(_, pats) => pats.iter_mut().for_each(|p| p.for_each_mut(f)),
            PatKind::Ascribe(pat, _) => pat.for_each_mut(f),
        }
    }
}
