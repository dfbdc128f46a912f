//! Applications.

use super::cx::Cx;
use super::unify::Mode;
use super::vars::Kind;
use base::Span;
use std::ops::Range;
use typed::subst::Subst;
use typed::walk::Place;
use typed::{Dim, Expr, ExprKind, FunType, LocalId, Shape, Size, Type, subst, walk};

impl Cx<'_> {
    /// `f x y`.
    pub(super) fn apply(
        &mut self,
        fun: &mut Expr,
        args: &mut [Expr],
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(fun);
        let inside = self.arguments(&fun.ty.clone(), args);
        let mark = self.program.locals.len();
        let rows = self.named_rows.len();
        let name = self.callee(fun);
        let mut ty = fun.ty.clone();
        let mut exts = Vec::new();
        for arg in args.iter() {
            let Type::Fun(function) = &ty else { return (Type::Error, exts) };
            let function = function.clone();
            let result = self.apply_one(&function, arg, &name, span, &mut exts);
            ty = result;
        }
        self.rows_by_argument(fun, args, rows);
        let ty = self.known_ranks(&ty, template, span, &mut exts);
        let ty = if self.ravel { self.settle_result(&ty, args, inside..mark, &mut exts, span) } else { ty };
        let here = walk::free_locals_at(&self.norm(&ty), &|p| p == Place::Here);
        if self.ravel {
            exts.retain(|l| here.contains(l));
        }
        (ty, exts)
    }

    /// The arguments of a call. In `.rv`, functions written there come last: by then the others show of what sizes their
    /// parameters are. Gives the number of locals before the first of those functions.
    fn arguments(&mut self, fun: &Type, args: &mut [Expr]) -> usize {
        let late = |cx: &Cx, arg: &Expr| cx.ravel && matches!(&*arg.kind, ExprKind::Lambda(_));
        let any_late = args.iter().any(|a| late(self, a));
        let mut params = Vec::new();
        let mut ty = fun.clone();
        while let (true, Type::Fun(function)) = (any_late, &ty) {
            params.push(function.param.clone());
            // A parameter whose sizes mention an argument is not known before the call.
            if function.name.is_some_and(|n| walk::free_locals(&self.norm(&function.ret.ty)).contains(&n)) {
                break;
            }
            ty = function.ret.ty.clone();
        }
        for (i, arg) in args.iter_mut().enumerate().filter(|(_, a)| !late(self, a)).collect::<Vec<_>>() {
            self.expr(arg);
            if let Some(param) = params.get(i) {
                let found = self.norm(&arg.ty);
                self.unify(param, &found, arg.span, Mode::Strict).ok();
            }
        }
        let inside = self.program.locals.len();
        for (i, arg) in args.iter_mut().enumerate() {
            if let (true, ExprKind::Lambda(lambda)) = (late(self, arg), &mut *arg.kind) {
                arg.ty = self.lambda(lambda, params.get(i), arg.span);
                arg.exts = Vec::new();
            }
        }
        inside
    }

    /// `map iota ns`: what the function's parameter is for row after row, is the array that it runs through.
    fn rows_by_argument(&mut self, fun: &Expr, args: &[Expr], mark: usize) {
        let named = self.named_rows.split_off(mark);
        let Some((mapped, arrays)) = args.split_first() else { return };
        if !matches!(&*fun.kind, ExprKind::Global(def, _) if self.is_aligned(*def)) {
            return;
        }
        let mut ty = self.norm(&mapped.ty);
        for array in arrays {
            let Type::Fun(function) = &ty else { return };
            let source = match &*array.kind {
                ExprKind::Local(local, _) => Some(*local),
                _ => self.lengths_call(array),
            };
            for (k, param) in &named {
                if let (true, Some(source)) = (function.name == Some(*param), source) {
                    self.set(*k, Kind::Solved(Dim::Jagged(Some(source))));
                }
            }
            ty = function.ret.ty.clone();
        }
    }

    /// How a message names what is applied.
    fn callee(&self, fun: &Expr) -> String {
        match &*fun.kind {
            ExprKind::Global(def, _) => format!("`{}`", self.program.defs[*def].name),
            ExprKind::Local(local, _) => format!("`{}`", self.program.locals[*local].name),
            _ => "the function".into(),
        }
    }

    fn apply_one(&mut self, fun: &FunType, arg: &Expr, name: &str, span: Span, exts: &mut Vec<LocalId>) -> Type {
        let found = self.norm(&arg.ty);
        if let Err(mismatch) = self.unify(&fun.param, &found, arg.span, Mode::Strict) {
            self.mismatch(arg.span, &format!("the parameter of {name}"), &fun.param, &found, mismatch);
        }
        let mut new = Vec::new();
        let ret = self.open_exts(fun, span, &mut new);
        let ret = self.release_absorbed(&ret, span, &mut new);
        self.check_impossible(&ret, &new, &found, span);
        let ret = match fun.name {
            Some(param) if walk::free_locals(&ret).contains(&param) => self.substitute_arg(&ret, param, arg, &mut new),
            _ => ret,
        };
        exts.extend(new);
        ret
    }

    /// New unknown sizes for the existential sizes of a result.
    fn open_exts(&mut self, fun: &FunType, span: Span, new: &mut Vec<LocalId>) -> Type {
        if fun.ret.exts.is_empty() {
            return match &fun.ret.ty {
                Type::Fun(_) if self.ravel => self.keep_parameters(fun),
                ty => self.norm(ty),
            };
        }
        let ret = self.norm(&fun.ret.ty);
        let mut renamed = Vec::new();
        for ext in &fun.ret.exts {
            let name = self.program.locals[*ext].name;
            let fresh = if self.stands_for_rows(&ret, *ext) {
                self.unknown_function(span, "row lengths of the result, known only at run time")
            } else {
                self.unknown(name.as_str(), span, "a size of the result, known only at run time")
            };
            renamed.push((*ext, fresh));
            new.push(fresh);
        }
        subst::in_type(&ret, &mut |l| renamed.iter().find(|r| r.0 == l).map(|r| Size::Local(r.1)))
    }

    /// The rest of a function's type as it was declared: what its parameters ask for is not yet mixed with what earlier
    /// arguments have shown, except where that mentions the argument itself.
    fn keep_parameters(&self, fun: &FunType) -> Type {
        walk::map_dims(&fun.ret.ty, false, &mut |dim, under| {
            let known = self.norm_dim(dim, under);
            let mut locals = Vec::new();
            walk::dim_locals(&known, &mut locals);
            if fun.name.is_some_and(|n| locals.contains(&n)) { known } else { dim.clone() }
        })
    }

    /// Whether a local is a size function in a type.
    pub(super) fn stands_for_rows(&self, ty: &Type, local: LocalId) -> bool {
        let mut found = false;
        walk::for_each_dim(ty, &mut |dim, _, _| found |= matches!(dim, Dim::Jagged(Some(k)) if *k == local));
        found
    }

    /// Instantiated sizes that were found to be existential: new unknown sizes, bound as deep as possible.
    fn release_absorbed(&mut self, ret: &Type, span: Span, new: &mut Vec<LocalId>) -> Type {
        let pending = |cx: &Cx, l: LocalId| match cx.kind(l) {
            Some(Kind::Absorbed { .. }) => true,
            Some(Kind::Copy(canonical, _)) => matches!(cx.kind(*canonical), Some(Kind::Absorbed { .. })),
            _ => false,
        };
        if !walk::free_locals(ret).iter().any(|l| pending(self, *l)) {
            return ret.clone();
        }
        let ret = self.merge_occurrences(ret);
        let (ret, more) = self.release(&ret, span, "a size of the result, known only at run time", &pending);
        new.extend(more);
        ret
    }

    /// Copies of one occurrence that were unified with the same size are one size.
    fn merge_occurrences(&self, ty: &Type) -> Type {
        let key = |l: LocalId| match self.kind(l) {
            Some(Kind::Copy(canonical, occurrence)) => match self.kind(*canonical) {
                Some(Kind::Absorbed { key: Some(key), .. }) => Some((*key, *occurrence)),
                _ => None,
            },
            _ => None,
        };
        let mut first: Vec<((LocalId, u32), LocalId)> = Vec::new();
        for local in walk::free_locals(ty) {
            if let Some(key) = key(local)
                && !first.iter().any(|f| f.0 == key)
            {
                first.push((key, local));
            }
        }
        subst::in_type(ty, &mut |l| {
            let key = key(l)?;
            first.iter().find(|f| f.0 == key).map(|f| Size::Local(f.1))
        })
    }

    /// A function must not expect an argument of a size that is known only when its own result is.
    fn check_impossible(&mut self, ret: &Type, new: &[LocalId], arg: &Type, span: Span) {
        if self.ravel {
            return;
        }
        let mut problematic = new.to_vec();
        walk::binders(arg, &mut problematic);
        if problematic.is_empty() {
            return;
        }
        let here = walk::free_locals_at(ret, &|p| p == Place::Here);
        let params = walk::free_locals_at(ret, &|p| p == Place::Param);
        if let Some(bad) = params.into_iter().find(|l| problematic.contains(l) && !here.contains(l)) {
            self.existential_in_parameter(bad, ret, span);
        }
    }

    /// Puts the argument in the place of the parameter's name in the result type.
    fn substitute_arg(&mut self, ret: &Type, param: LocalId, arg: &Expr, new: &mut Vec<LocalId>) -> Type {
        if let Some(dims) = self.shape_dims_of(arg, new) {
            let shapes = std::iter::once((param, dims)).collect();
            let ret = Subst { shapes, ..Subst::default() }.apply(ret);
            if !walk::free_locals(&ret).contains(&param) {
                return ret;
            }
        }
        if let Some(s) = self.shape_arg(ret, param, arg) {
            return subst::in_type(ret, &mut |l| (l == param).then_some(Size::Local(s)));
        }
        let size = match self.size_of(arg) {
            Some(size) => size,
            None => {
                let what = "the value of this argument";
                let n = match arg.ty {
                    Type::Array(..) => self.unknown_function(arg.span, what),
                    _ => self.unknown("n", arg.span, what),
                };
                new.push(n);
                Size::Local(n)
            }
        };
        subst::in_type(ret, &mut |l| (l == param).then(|| size.clone()))
    }

    /// The dimensions that an argument holds if it is a shape: `[n, 2]`, or `shape a`.
    fn shape_dims_of(&mut self, arg: &Expr, new: &mut Vec<LocalId>) -> Option<Vec<Dim>> {
        let ExprKind::Array(items) = &*arg.kind else { return self.shape_of(arg) };
        let mut dims = Vec::new();
        for item in items {
            let size = self.size_of(item).unwrap_or_else(|| {
                let n = self.unknown("n", item.span, "a size given by the shape");
                new.push(n);
                Size::Local(n)
            });
            dims.push(Dim::Size(size));
        }
        Some(dims)
    }

    /// A result of any rank, where the rank is known although nothing names its sizes: `reshape v a` with `v: [2]i64`.
    fn known_ranks(&mut self, ty: &Type, template: &Type, span: Span, exts: &mut Vec<LocalId>) -> Type {
        match (ty, template) {
            (Type::Record(fields), Type::Record(known)) => {
                let fields = fields.iter().zip(known.iter());
                Type::Record(fields.map(|(f, k)| (f.0, self.known_ranks(&f.1, &k.1, span, exts))).collect())
            }
            (Type::Array(..), Type::Array(..)) => {
                let ((dims, elem), (known, _)) = (walk::spine(&self.norm(ty)), walk::spine(template));
                let any = |dims: &[Dim]| dims.iter().any(|d| matches!(d, Dim::Shape(_)));
                if !any(&dims) || any(&known) {
                    return ty.clone();
                }
                let sizes = known.iter().map(|_| {
                    let n = self.unknown("n", span, "a size of the result, known only at run time");
                    exts.push(n);
                    Dim::Size(Size::Local(n))
                });
                let sizes: Vec<Dim> = sizes.collect();
                walk::wrap(sizes, elem)
            }
            _ => ty.clone(),
        }
    }

    /// An array argument that the result names as its shape or row lengths: a name for it.
    fn shape_arg(&mut self, ret: &Type, param: LocalId, arg: &Expr) -> Option<LocalId> {
        let mut shape = false;
        let mut rows = false;
        walk::for_each_dim(ret, &mut |dim, _, _| match dim {
            Dim::Shape(Shape::Local(s)) => shape |= *s == param,
            Dim::Jagged(Some(k)) => rows |= *k == param,
            Dim::Size(_) | Dim::Jagged(None) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => {}
        });
        if !shape && !rows {
            return None;
        }
        if let ExprKind::Local(local, _) = &*arg.kind {
            return Some(*local);
        }
        if let (true, Some(k)) = (rows, self.lengths_call(arg)) {
            return Some(k);
        }
        Some(match rows {
            true => self.unknown_function(arg.span, "the row lengths given here"),
            false => self.unknown("s", arg.span, "the shape given here"),
        })
    }

    /// In `.rv`: what the result has of sizes that differ from row to row. Locals `inside` are those of functions that are
    /// arguments.
    fn settle_result(
        &mut self,
        ty: &Type,
        args: &[Expr],
        inside: Range<usize>,
        exts: &mut Vec<LocalId>,
        span: Span,
    ) -> Type {
        let mut parted = Vec::new();
        let normed = self.norm(ty);
        walk::each_dim(&normed, &mut |dim, under| {
            if let Dim::Size(Size::Local(l)) = dim
                && let Some(Kind::Copy(canonical, _)) = self.kind(*l)
                && let Some(var) = self.vars.get(canonical)
                && matches!(var.kind, Kind::Solved(_))
                && self.same_if_regular(*l).is_none()
            {
                parted.push((*l, under));
            }
        });
        for (copy, under) in parted {
            if !matches!(self.kind(copy), Some(Kind::Copy(..))) {
                continue;
            }
            let new = if under {
                Dim::Jagged(Some(self.unknown_function(span, "row lengths of the result, known only at run time")))
            } else {
                Dim::Size(Size::Local(self.unknown("n", span, "a size of the result, known only at run time")))
            };
            self.set(copy, Kind::Solved(new));
        }
        let ty = self.norm(&normed);
        let mark = inside.end;
        let ty = self.sums_of_rows(&ty, args, inside, span);
        for local in walk::free_locals_at(&ty, &|p| p == Place::Here) {
            let made_here = (local.0 as usize) >= mark;
            if made_here && self.is_unknown(local) && !exts.contains(&local) {
                exts.push(local);
            }
        }
        ty
    }

    /// A compound size of rows, inside an array: a size function that has no name yet.
    fn sums_of_rows(&mut self, ty: &Type, args: &[Expr], inside: Range<usize>, span: Span) -> Type {
        let mut deep: Vec<LocalId> = inside.map(|local| LocalId(local as u32)).collect();
        args.iter().for_each(|a| walk::deep_locals(&self.norm(&a.ty), 0, &mut deep));
        walk::map_dims(ty, false, &mut |dim, under| {
            let Dim::Size(size @ Size::Expr(_)) = dim else { return dim.clone() };
            if !under || !(self.has_row(size) || self.adds_up(size, &deep)) {
                return dim.clone();
            }
            Dim::Jagged(Some(self.unknown_function(span, "row lengths of the result, known only at run time")))
        })
    }
}
