//! Comprehensions, and arrays by clauses: `array`, `update`, `accum` and `let rec`.

use super::deferred::{Deferred, IndexType};
use super::generators::GeneratorSource;
use super::otherwise::Marks;
use crate::Checker;
use crate::metas::{array_of, operator_type};
use crate::scope::ClauseName;
use base::Span;
use syntax::ast;
use typed::walk::wrap;
use typed::{Clause, Dim, Expr, ExprKind, Index, LocalId, Qual, RecArray, Type};

/// A recursive array being defined, or something computed from one.
#[derive(Clone, Debug)]
pub(crate) struct Recursive {
    pub local: LocalId,
    /// Where it is defined.
    pub span: Span,
    /// Whether it is the array itself, which may only be indexed, sliced or asked for its shape.
    pub array: bool,
}

impl Checker<'_> {
    /// An expression that is indexed, sliced or asked for its shape: a recursive array may stand here.
    pub(crate) fn array_operand(&mut self, exp: &ast::Expr) -> Expr {
        match &*exp.kind {
            ast::ExprKind::Parens(inner) => self.array_operand(inner),
            ast::ExprKind::Var(name) if name.quals.is_empty() => {
                let outer = std::mem::replace(&mut self.operand, true);
                let expr = self.expr(exp);
                self.operand = outer;
                expr
            }
            _ => self.expr(exp),
        }
    }

    /// Called for every mention of a local: recursive arrays may only be mentioned in some places.
    pub(crate) fn mention_of_recursive(&mut self, local: LocalId, span: Span) {
        let Some(index) = self.recursive.iter().position(|r| r.local == local) else { return };
        self.mentioned_recursive = true;
        let recursive = self.recursive[index].clone();
        if self.structure_of.is_some_and(|first| index >= first) {
            self.structure_depends_on_recursive(&recursive, span);
        } else if recursive.array && !self.operand {
            self.recursive_array_whole(&recursive, span);
        }
    }

    /// What stands left of `=>`, guards, bounds and SHAPE: they must not depend on the arrays being defined.
    pub(super) fn structure<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.structure_of, self.clauses_of);
        let result = f(self);
        self.structure_of = outer;
        result
    }

    /// A value, which may depend on them.
    pub(super) fn value_of_clause<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.structure_of.take(), self.clauses_of.take());
        let result = f(self);
        (self.structure_of, self.clauses_of) = outer;
        result
    }

    /// Clauses; the recursive arrays from `first` on are those they define.
    fn in_clauses<T>(&mut self, first: usize, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.clauses_of.replace(first);
        let result = f(self);
        self.clauses_of = outer;
        result
    }

    pub(crate) fn comprehension(&mut self, body: &ast::Expr, quals: &[ast::Qual], span: Span) -> Expr {
        self.scoped(|checker| {
            let quals = checker.quals(quals);
            let body = checker.expr(body);
            checker.no_functions(&body.ty.clone(), body.span, "arrays cannot contain functions");
            let ty = array_of(body.ty.clone());
            Expr::new(ExprKind::Comprehension { body, quals }, ty, span)
        })
    }

    fn quals(&mut self, quals: &[ast::Qual]) -> Vec<Qual> {
        quals.iter().map(|q| self.qual(q)).collect()
    }

    fn qual(&mut self, qual: &ast::Qual) -> Qual {
        match qual {
            ast::Qual::If(cond) => {
                Qual::If(self.structure(|c| c.expr_of_type(cond, &Type::BOOL, "a condition is a `bool`")))
            }
            ast::Qual::Let(pat, value) => {
                let before = std::mem::replace(&mut self.mentioned_recursive, false);
                let value = self.expr(value);
                let tainted = self.mentioned_recursive;
                self.mentioned_recursive |= before;
                let length = self.length_of(&value);
                let pat = self.pattern(pat, &value.ty);
                if let Some(local) = pat.name() {
                    self.note_length(local, length, &value.ty);
                }
                if tainted {
                    pat.for_each(&mut |p| {
                        if let typed::PatKind::Bind(local) = p.kind {
                            self.recursive.push(Recursive { local, span: p.span, array: false });
                        }
                    });
                }
                Qual::Let(pat, value)
            }
            ast::Qual::For(generators, span) => {
                // All arrays and bounds are outside the scope of the names.
                let sources: Vec<GeneratorSource> = generators.iter().map(|g| self.generator_source(g)).collect();
                let mut bound = super::pattern::Bound::default();
                let generators = sources.into_iter().map(|s| self.generator(s, &mut bound)).collect();
                Qual::For(generators, *span)
            }
        }
    }

    fn shape_exp(&mut self, shape: &ast::Expr) -> Expr {
        if let Some(extents) = shape_as_in_types(shape) {
            self.written_as_in_types(shape.span);
            let count = extents.len() as i64;
            let extents = extents.into_iter().map(|extent| self.expr(extent)).collect();
            let ty = Type::array(Dim::Size(typed::Size::Const(count)), Type::I64);
            return Expr::new(ExprKind::Array(extents), ty, shape.span);
        }
        let shape = self.structure(|c| c.expr(shape));
        let (span, number) = (shape.span, self.metas.is_scalar(&shape.ty));
        if number {
            // A literal: it would be an `i64`.
            self.unify(&Type::I64, &shape.ty).ok();
        }
        self.expect(&array_of(Type::I64), &shape.ty, span, crate::errors::SHAPE_IS_VECTOR);
        match number {
            // What was meant is clear, so that nothing else is reported.
            true => {
                Expr::new(ExprKind::Array(vec![shape]), Type::array(Dim::Size(typed::Size::Const(1)), Type::I64), span)
            }
            false => shape,
        }
    }

    pub(crate) fn array_by(&mut self, shape: &ast::Expr, clauses: &ast::Clauses, span: Span) -> Expr {
        let (shape, ty) = self.array_by_type(shape, span);
        let (mut array, marks) = self.array_by_clauses(shape, ty, clauses, self.recursive.len(), span);
        match marks {
            Some(marks) => {
                let bindings = self.marks_of(marks, &mut array);
                self.bind_before(bindings, array)
            }
            None => array,
        }
    }

    /// SHAPE and the type of the array, of which the element is still open.
    fn array_by_type(&mut self, shape: &ast::Expr, span: Span) -> (Expr, Type) {
        let shape = self.shape_exp(shape);
        let dims = self.dims_of_shape(&shape);
        let elem = self.metas.fresh_with(span, |w| w.first_order = Some("arrays cannot contain functions"));
        (shape, wrap(dims, elem))
    }

    /// The array. If its `else` has subscripts, that is the last clause, and asks for the marks.
    fn array_by_clauses(
        &mut self,
        shape: Expr,
        ty: Type,
        clauses: &ast::Clauses,
        first: usize,
        span: Span,
    ) -> (Expr, Option<Marks>) {
        let rank = self.known_length(&self.length_of(&shape)).and_then(Result::ok);
        let elem = self.below_shape(&ty, rank);
        let mut typed = self.in_clauses(first, |c| c.clauses(&clauses.clauses, &ty, rank.map(|r| (r, r))));
        let (mut otherwise, mut marks) = (None, None);
        if let Some(last) = &clauses.otherwise {
            match &last.subscripts {
                Some(names) if self.else_fits(names, rank, last.span) => {
                    let (clause, found) = self.in_clauses(first, |c| c.else_clause(last, names, &shape, (&ty, &elem)));
                    typed.push(clause);
                    marks = Some(found);
                }
                Some(_) => {}
                None => {
                    let why = "all values of an array have one type";
                    let outer = self.clause_names.len();
                    self.clause_names.extend(names_of(&clauses.clauses, true));
                    otherwise = Some(self.value_of_clause(|c| c.expr_of_type(&last.value, &elem, why)));
                    self.clause_names.truncate(outer);
                }
            }
        }
        (Expr::new(ExprKind::ArrayBy { shape, clauses: typed, otherwise }, ty, span), marks)
    }

    /// Whether `else` has a name for each dimension, or one for all of them.
    fn else_fits(&mut self, names: &[ast::Ident], rank: Option<usize>, span: Span) -> bool {
        let fits = names.len() == 1 || rank.is_none_or(|rank| rank == names.len());
        if let (false, Some(rank)) = (fits, rank) {
            self.wrong_else_subscripts(names.len(), rank, span);
        }
        fits
    }

    /// The type of one value of an array with this many dimensions given by SHAPE.
    fn below_shape(&self, ty: &Type, rank: Option<usize>) -> Type {
        let mut ty = self.metas.shallow(ty);
        let mut left = rank.unwrap_or(usize::MAX);
        while left > 0 {
            let Type::Array(dim, elem) = &ty else { break };
            let last = matches!(dim, Dim::Shape(_));
            ty = self.metas.shallow(elem);
            left = if last { 0 } else { left - 1 };
        }
        ty
    }

    pub(crate) fn update(&mut self, array: &ast::Expr, clauses: &ast::Clauses, span: Span) -> Expr {
        let array = self.expr(array);
        self.update_clauses(array, clauses, self.recursive.len(), span)
    }

    fn update_clauses(&mut self, array: Expr, clauses: &ast::Clauses, first: usize, span: Span) -> Expr {
        let ty = array.ty.clone();
        let (dims, _) = self.metas.spine(&ty);
        let regular = !dims.is_empty() && dims.iter().all(|d| !matches!(d, Dim::Shape(_)));
        let typed = self.in_clauses(first, |c| c.clauses(&clauses.clauses, &ty, regular.then_some((1, dims.len()))));
        Expr::new(ExprKind::Update { array, clauses: typed }, ty, span)
    }

    pub(crate) fn accum(
        &mut self,
        op: &ast::Expr,
        neutral: &ast::Expr,
        shape: &ast::Expr,
        clauses: &ast::Clauses,
        span: Span,
    ) -> Expr {
        let op = self.expr(op);
        let neutral = self.expr(neutral);
        let elem = neutral.ty.clone();
        let combine = operator_type(&elem);
        self.expect(&combine, &op.ty, op.span, "`accum` combines two values into one");
        self.no_functions(&elem, neutral.span, "arrays cannot contain functions");
        let shape = self.shape_exp(shape);
        let ty = wrap(self.dims_of_shape(&shape), elem);
        let rank = self.known_length(&self.length_of(&shape)).and_then(Result::ok);
        let first = self.recursive.len();
        let clauses = self.in_clauses(first, |c| c.clauses(&clauses.clauses, &ty, rank.map(|r| (r, r))));
        Expr::new(ExprKind::Accum { op, neutral: Box::new(neutral), shape, clauses }, ty, span)
    }

    /// Clauses that define elements (or subarrays) of an array of type `array`; `ranks` bounds the number of subscripts.
    fn clauses(&mut self, clauses: &[ast::Clause], array: &Type, ranks: Option<(usize, usize)>) -> Vec<Clause> {
        let outer = self.clause_names.len();
        self.clause_names.extend(names_of(clauses, false));
        let typed = clauses.iter().map(|c| self.clause(c, array, ranks)).collect();
        self.clause_names.truncate(outer);
        typed
    }

    fn clause(&mut self, clause: &ast::Clause, array: &Type, ranks: Option<(usize, usize)>) -> Clause {
        let recursive = self.recursive.len();
        let typed = self.scoped(|checker| match &clause.kind {
            ast::ClauseKind::Group { quals, clauses } => {
                let quals = checker.quals(quals);
                Clause::Group { quals, clauses: checker.clauses(clauses, array, ranks), span: clause.span }
            }
            ast::ClauseKind::Element { subscripts, value, quals } => {
                let quals = checker.quals(quals);
                let (subscripts, types) = checker.subscripts(subscripts);
                let fits = checker.check_subscript_count(&types, ranks, clause.span);
                let value = checker.value_of_clause(|c| c.expr(value));
                if fits {
                    checker.ask(Deferred::Index {
                        array: array.clone(),
                        indices: types,
                        result: value.ty.clone(),
                        put: true,
                        span: value.span,
                    });
                }
                Clause::Element { subscripts, value, quals, span: clause.span }
            }
        });
        // Names computed from recursive arrays go out of scope with the clause.
        self.recursive.truncate(recursive);
        typed
    }

    fn subscripts(&mut self, subscripts: &[ast::Expr]) -> (Vec<Index>, Vec<IndexType>) {
        let indices: Vec<ast::Index> = subscripts.iter().map(|e| ast::Index::At(e.clone())).collect();
        self.structure(|c| c.indices(&indices))
    }

    fn check_subscript_count(&mut self, subscripts: &[IndexType], ranks: Option<(usize, usize)>, span: Span) -> bool {
        let Some((least, most)) = ranks else { return true };
        let scalars = subscripts.iter().all(|s| match s {
            IndexType::At(ty, _, _) => self.metas.is_scalar(ty),
            IndexType::Slice => false,
        });
        let fits = !scalars || (least..=most).contains(&subscripts.len());
        if !fits {
            self.wrong_subscript_count(subscripts.len(), least, most, span);
        }
        fits
    }

    pub(crate) fn let_rec(&mut self, arrays: &[ast::RecArray], body: &ast::Expr, span: Span) -> Expr {
        let recursive = self.recursive.len();
        self.scoped(|checker| {
            let names = arrays.iter().map(|a| a.name).collect();
            let outer = std::mem::replace(&mut checker.headers_of, names);
            let headers: Vec<Option<(Expr, Type)>> = arrays.iter().map(|a| checker.rec_header(a)).collect();
            checker.headers_of = outer;
            let mut locals = Vec::new();
            for (array, header) in arrays.iter().zip(&headers) {
                let ty = header.as_ref().map_or(Type::Error, |h| h.1.clone());
                if let Some(earlier) = arrays.iter().take(locals.len()).find(|a| a.name.name == array.name.name) {
                    checker.bound_twice(array.name, earlier.name.span);
                }
                let local = checker.bind_local(array.name, ty);
                checker.recursive.push(Recursive { local, span: array.name.span, array: true });
                locals.push(local);
            }
            let names = locals.iter().copied().collect();
            let mut typed = Vec::new();
            let mut all_marks = Vec::new();
            for ((array, header), local) in arrays.iter().zip(headers).zip(locals) {
                let Some((first, ty)) = header else { continue };
                let mut value = match &*strip(&array.value).kind {
                    ast::ExprKind::ArrayBy { clauses, .. } => {
                        let (value, marks) =
                            checker.array_by_clauses(first, ty.clone(), clauses, recursive, array.value.span);
                        all_marks.extend(marks.map(|marks| (typed.len(), marks)));
                        value
                    }
                    ast::ExprKind::Update { clauses, .. } => {
                        checker.update_clauses(first, clauses, recursive, array.value.span)
                    }
                    _ => continue,
                };
                if let ExprKind::ArrayBy { clauses, .. } | ExprKind::Update { clauses, .. } = &mut *value.kind {
                    *clauses = super::recursive_lets::into_values(std::mem::take(clauses), &names);
                }
                typed.push(RecArray { name: local, ty, value });
            }
            checker.recursive.truncate(recursive);
            let body = checker.expr(body);
            let ty = body.ty.clone();
            let mut bindings = Vec::new();
            for (at, marks) in all_marks {
                bindings.extend(checker.marks_of(marks, &mut typed[at].value));
            }
            let whole = Expr::new(ExprKind::LetRec { arrays: typed, body }, ty, span);
            checker.bind_before(bindings, whole)
        })
    }

    /// SHAPE or the updated array, and the type of a recursive array.
    fn rec_header(&mut self, array: &ast::RecArray) -> Option<(Expr, Type)> {
        let (first, ty) = match &*strip(&array.value).kind {
            ast::ExprKind::ArrayBy { shape, .. } => self.array_by_type(shape, array.value.span),
            ast::ExprKind::Update { array, .. } => {
                let array = self.expr(array);
                let ty = array.ty.clone();
                (array, ty)
            }
            ast::ExprKind::Accum { .. } => {
                self.recursive_accum(array.value.span);
                return None;
            }
            _ => {
                self.not_a_recursive_array(array.value.span);
                return None;
            }
        };
        if let Some(written) = &array.ty {
            let (written, _) = self.type_exp(written);
            self.expect(&written, &ty, array.name.span, "the type is written here");
        }
        Some((first, ty))
    }
}

/// The names that the qualifiers of some clauses bind.
fn names_of(clauses: &[ast::Clause], in_else: bool) -> Vec<ClauseName> {
    let mut names = Vec::new();
    for clause in clauses {
        let (ast::ClauseKind::Element { quals, .. } | ast::ClauseKind::Group { quals, .. }) = &clause.kind;
        for qual in quals {
            let ast::Qual::For(generators, qualifier) = qual else { continue };
            let mut add = |name| names.push(ClauseName { name, qualifier: *qualifier, in_else, reported: false });
            for generator in generators {
                match &generator.kind {
                    ast::GeneratorKind::Range { var, .. } => add(var.name),
                    ast::GeneratorKind::In(pat, _) => {
                        if let ast::PatKind::Name(name) = pat.kind {
                            add(name);
                        }
                    }
                }
            }
        }
    }
    names
}

fn strip(exp: &ast::Expr) -> &ast::Expr {
    match &*exp.kind {
        ast::ExprKind::Parens(inner) => strip(inner),
        _ => exp,
    }
}

/// The extents of `[n][m][k]`, as types write shapes of three or more dimensions.
fn shape_as_in_types(shape: &ast::Expr) -> Option<Vec<&ast::Expr>> {
    let mut behind = Vec::new();
    let mut at = shape;
    while let ast::ExprKind::Index(base, indices) = &*at.kind {
        let [ast::Index::At(extent)] = &indices[..] else { return None };
        behind.push(extent);
        at = base;
    }
    match &*at.kind {
        ast::ExprKind::Array(first) if first.len() == 1 && behind.len() > 1 => {
            Some(first.iter().chain(behind.into_iter().rev()).collect())
        }
        _ => None,
    }
}
