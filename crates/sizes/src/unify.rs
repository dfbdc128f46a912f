//! Making the sizes of two types equal.

use super::cx::Cx;
use super::demand::{Decided, Rows};
use super::vars::{Kind, Origin};
use base::Span;
use std::sync::Arc;
use syntax::ast::Lifted;
use typed::{Abstract, AbstractId, Dim, FunType, LocalId, Shape, Size, Type, TypeArg, subst, walk};

/// What to do about sizes that are not known to be equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// An error.
    Strict,
    /// A check at run time, unless they certainly differ.
    Checked,
    /// Nothing: the caller looks at what remains different.
    Common,
}

/// Why two types could not be made equal.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    /// The size expected.
    pub expected: Dim,
    /// The size found.
    pub found: Dim,
    /// Why not.
    pub cause: Cause,
}

/// Why two sizes are not equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Nothing says they are.
    Differ,
    /// A type parameter would be instantiated to values of different sizes.
    Irregular,
    /// This name is not in scope where the size is decided.
    Scope(LocalId),
    /// The size would contain itself.
    Circular,
    /// A rectangle is needed, and rows may differ.
    Jagged,
}

/// The outcome.
pub(super) type Unified = Result<(), Mismatch>;

/// One unification.
pub(super) struct Unifier<'c, 'p> {
    pub cx: &'c mut Cx<'p>,
    pub span: Span,
    pub mode: Mode,
    /// Whether the types are those of two branches: these say nothing about sizes that are decided elsewhere.
    pub joining: bool,
    /// Names bound by the function types around.
    pub bound: Vec<LocalId>,
    /// The dimensions being unified, before known sizes were substituted.
    pub raw: Option<(Dim, Dim)>,
}

impl Cx<'_> {
    /// Makes the sizes of `found` those of `expected`.
    pub(super) fn unify(&mut self, expected: &Type, found: &Type, span: Span, mode: Mode) -> Unified {
        if !walk::has_dims(expected) && !walk::has_dims(found) {
            return Ok(());
        }
        Unifier { cx: self, span, mode, joining: mode == Mode::Common, bound: Vec::new(), raw: None }
            .types(expected, found, false, false)
    }
}

impl Unifier<'_, '_> {
    /// `swapped`: `expected` and `found` have changed places, inside a parameter of a function.
    pub(super) fn types(&mut self, a: &Type, b: &Type, swapped: bool, under: bool) -> Unified {
        match (a, b) {
            (Type::Abstract(x, xs), Type::Abstract(y, ys)) if x == y => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.args(x, y, swapped, under))
            }
            (Type::Abstract(id, args), _) => match self.expand(*id, args) {
                Some(repr) => self.types(&repr, b, swapped, under),
                None => Ok(()),
            },
            (_, Type::Abstract(id, args)) => match self.expand(*id, args) {
                Some(repr) => self.types(a, &repr, swapped, under),
                None => Ok(()),
            },
            (Type::Array(Dim::Shape(_), _), Type::Array(..)) | (Type::Array(..), Type::Array(Dim::Shape(_), _)) => {
                self.shaped(a, b, swapped, under)
            }
            (Type::Array(d, x), Type::Array(e, y)) => {
                self.dims(d, e, swapped, under)?;
                self.types(x, y, swapped, true)
            }
            (Type::Fun(f), Type::Fun(g)) => self.functions(f, g, swapped),
            // Whatever else differs, pass 1 has judged.
            _ => a.zip_children(b, &mut |x, y| self.types(x, y, swapped, under)),
        }
    }

    /// The representation of an abstract type: visible where a module is checked against its type.
    pub(super) fn expand(&mut self, id: AbstractId, args: &[TypeArg]) -> Option<Type> {
        let Abstract { params, repr, .. } = &self.cx.program.abstracts[id];
        if matches!(repr, Type::Error) {
            return None;
        }
        let repr = self.cx.resolve_names_in(&typed::subst::Subst::of(params, args).apply(repr));
        // Sizes that the type hides go with every size.
        let hidden: Vec<LocalId> = walk::free_locals(&repr)
            .into_iter()
            .filter(|l| !self.cx.vars.contains_key(l) && !self.cx.types.contains_key(l) && !self.bound.contains(l))
            .collect();
        Some(subst::in_type(&repr, &mut |l| hidden.contains(&l).then_some(Size::Unknown)))
    }

    pub(super) fn args(&mut self, a: &TypeArg, b: &TypeArg, swapped: bool, under: bool) -> Unified {
        match (a, b) {
            (TypeArg::Size(x), TypeArg::Size(y)) => {
                self.dims(&Dim::Size(x.clone()), &Dim::Size(y.clone()), swapped, false)
            }
            (TypeArg::Type(x), TypeArg::Type(y)) => self.types(x, y, swapped, under),
            (TypeArg::Jagged(x), TypeArg::Jagged(y)) => self.dims(x, y, swapped, true),
            (TypeArg::Shape(xs), TypeArg::Shape(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.dims(x, y, swapped, under))
            }
            _ => Ok(()),
        }
    }

    /// Arrays one of which has a shape: dimension by dimension from both ends, as far as they go together.
    pub(super) fn shaped(&mut self, a: &Type, b: &Type, swapped: bool, under: bool) -> Unified {
        let ((xs, x), (ys, y)) = (walk::spine(a), walk::spine(b));
        if xs.len() == ys.len() {
            for (i, (d, e)) in xs.iter().zip(&ys).enumerate() {
                self.dims(d, e, swapped, under || i > 0)?;
            }
        } else {
            self.only_at_run_time(xs.iter().chain(&ys));
        }
        self.types(&x, &y, swapped, true)
    }

    /// Unifies sizes with a shape whose dimensions have no names: only the value shows those that are open.
    fn only_at_run_time<'d>(&mut self, dims: impl IntoIterator<Item = &'d Dim>) {
        if self.mode == Mode::Common {
            return;
        }
        for dim in dims {
            let (Dim::Size(Size::Local(l)) | Dim::Shape(Shape::Local(l))) = self.cx.norm_dim(dim, false) else {
                continue;
            };
            let open = self.cx.root(l);
            let Some(var) = self.cx.vars.get(&open) else { continue };
            let free = matches!(var.kind, Kind::Free | Kind::Inst { .. });
            // A caller gives these, so they need no name.
            let given = var.demand.decided != Decided::Here || var.demand.one_in.is_some();
            if !free || given {
                continue;
            }
            let name = self.cx.program.locals[open].name;
            let unknown = self.cx.unknown(name.as_str(), self.span, "a size known only at run time");
            let found = match dim {
                Dim::Shape(_) => Dim::Shape(Shape::Local(unknown)),
                Dim::Size(_) | Dim::Jagged(_) => Dim::Size(Size::Local(unknown)),
            };
            self.cx.set(open, Kind::Solved(found));
        }
    }

    /// Function types: existential sizes of the expected result take what comes, those of the found result are rigid.
    pub(super) fn functions(&mut self, f: &Arc<FunType>, g: &Arc<FunType>, swapped: bool) -> Unified {
        let before: Vec<(LocalId, Option<super::vars::Var>)> =
            f.ret.exts.iter().chain(&g.ret.exts).map(|l| (*l, self.cx.vars.get(l).cloned())).collect();
        let (open, rigid) = if swapped { (&g.ret.exts, &f.ret) } else { (&f.ret.exts, &g.ret) };
        let span = self.span;
        for ext in &rigid.exts {
            let of_rows = self.cx.is_function(*ext) || self.cx.stands_for_rows(&rigid.ty, *ext);
            let kind = if of_rows { Kind::Function(Origin::Computed) } else { Kind::Unknown };
            self.cx.declare(*ext, kind, span, "a size that the function's result has");
        }
        for ext in open {
            self.cx.declare(*ext, Kind::Free, span, "a size that the function's result has");
        }
        let result = self.function_parts(f, g, swapped);
        self.absorb_existentials(f.ret.exts.iter().chain(&g.ret.exts).copied(), &before);
        for (local, var) in before {
            match var {
                Some(var) => drop(self.cx.vars.insert(local, var)),
                None => drop(self.cx.vars.remove(&local)),
            }
        }
        result
    }

    pub(super) fn function_parts(&mut self, f: &FunType, g: &FunType, swapped: bool) -> Unified {
        self.types(&f.param, &g.param, !swapped, false)?;
        let depth = self.bound.len();
        self.bound.extend(f.name);
        self.bound.extend(g.name);
        self.bound.extend(&f.ret.exts);
        self.bound.extend(&g.ret.exts);
        let renamed = match (f.name, g.name) {
            (Some(p), Some(q)) if p != q => subst::in_type(&g.ret.ty, &mut |l| (l == q).then_some(Size::Local(p))),
            _ => g.ret.ty.clone(),
        };
        let result = self.types(&f.ret.ty, &renamed, swapped, false);
        self.bound.truncate(depth);
        result
    }

    /// An open existential that was found to be an instantiated size makes that size existential.
    pub(super) fn absorb_existentials(
        &mut self,
        exts: impl Iterator<Item = LocalId>,
        before: &[(LocalId, Option<super::vars::Var>)],
    ) {
        for ext in exts {
            let Some(Kind::Solved(Dim::Size(size))) = self.cx.kind(ext).cloned() else { continue };
            let Size::Local(target) = self.cx.norm_size(&size) else { continue };
            let canonical = self.canonical(target);
            if let Some(Kind::Inst { lifted, .. }) = self.cx.kind(canonical)
                && *lifted != Lifted::No
            {
                let rigid = before.iter().find(|b| b.0 == ext).and_then(|b| b.1.as_ref());
                let computed = rigid.filter(|v| matches!(v.kind, Kind::Unknown)).map(|v| v.span);
                self.cx.set(canonical, Kind::Absorbed { key: Some(ext), computed });
            }
        }
    }

    pub(super) fn canonical(&self, local: LocalId) -> LocalId {
        match self.cx.kind(local) {
            Some(Kind::Copy(canonical, _)) => *canonical,
            _ => local,
        }
    }

    pub(super) fn dims(&mut self, a: &Dim, b: &Dim, swapped: bool, under: bool) -> Unified {
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        self.raw = Some((a.clone(), b.clone()));
        let raw = self.raw.clone();
        let (a, b) = (self.cx.norm_dim(a, under), self.cx.norm_dim(b, under));
        if self.cx.ravel && !self.joining {
            if under && self.further_rows(&a, &b) {
                return Ok(());
            }
            if (under || self.mode == Mode::Strict) && self.given_rows(&a, &b) {
                return Ok(());
            }
        }
        match (&a, &b) {
            (Dim::Size(x), Dim::Size(y)) => self.sizes(x, y, under),
            (Dim::Jagged(Some(k)), Dim::Jagged(Some(l))) if k == l => Ok(()),
            (Dim::Jagged(Some(_)), Dim::Jagged(Some(_))) => self.not_equal(&a, &b, Cause::Differ, under),
            (Dim::Jagged(Some(k)), Dim::Size(size)) | (Dim::Size(size), Dim::Jagged(Some(k))) => match size {
                // A size chosen by the caller cannot be inferred from how the value is used.
                Size::Local(v) if self.joining && self.cx.is_given(*v) => self.not_equal(&a, &b, Cause::Differ, under),
                Size::Local(v)
                    if self.cx.is_open(*v) && !(self.cx.rows(*v) == Rows::Rectangle && self.in_lockstep()) =>
                {
                    let rows = self.rows_outside(*v, *k);
                    self.set_rows(*v, rows, &a, &b, under)
                }
                Size::Local(_) | Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => {
                    let rectangle = matches!(a, Dim::Size(_)) && raw.is_some_and(|r| self.is_rectangle(&r.0));
                    match rectangle && self.mode == Mode::Strict && self.cx.ravel {
                        true => self.fail(&a, &b, Cause::Jagged),
                        false => self.not_equal(&a, &b, Cause::Differ, under),
                    }
                }
            },
            (Dim::Jagged(None), _) | (_, Dim::Jagged(None)) => Ok(()),
            (Dim::Shape(s), Dim::Shape(t)) => self.shapes(*s, *t),
            (Dim::Shape(_), _) | (_, Dim::Shape(_)) => {
                self.only_at_run_time([&a, &b]);
                Ok(())
            }
        }
    }

    /// Row lengths that a function's parameter gives are, seen from outside, computed call by call.
    fn rows_outside(&mut self, var: LocalId, k: LocalId) -> LocalId {
        if self.cx.ravel && self.bound.contains(&k) && !self.bound.contains(&var) {
            return self.cx.unknown_function(self.span, "the lengths of rows that are computed one by one");
        }
        k
    }

    /// Unifies row lengths that a parameter's type leaves open (`[~]`) with sizes of the same function's parameters: the
    /// caller must give values where they are equal. That finds equal row lengths, and rectangles.
    fn given_rows(&mut self, a: &Dim, b: &Dim) -> bool {
        let Some((raw_a, raw_b)) = self.raw.clone() else { return false };
        [(a, b, raw_b), (b, a, raw_a)].into_iter().any(|(rows, size, raw)| {
            let (Dim::Jagged(Some(k)) | Dim::Size(Size::Local(k))) = rows else { return false };
            let found = match size {
                Dim::Jagged(Some(l)) if l != k => *l,
                Dim::Size(Size::Local(n)) if n != k && !self.is_rectangle(&raw) => *n,
                Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => return false,
            };
            self.decide_rows(*k, found, size)
        })
    }

    fn decide_rows(&mut self, k: LocalId, found: LocalId, size: &Dim) -> bool {
        let (Some(rows), Some(other)) = (self.cx.vars.get(&k), self.cx.vars.get(&found)) else { return false };
        let open = matches!(rows.kind, Kind::Function(Origin::Anonymous));
        let (owner, others) = (rows.demand.decided.owner(), other.demand.decided.owner());
        let known = match other.kind {
            Kind::Param => other.level < rows.level,
            Kind::Free => other.demand.rows != Rows::MayDiffer && others.is_some() && others == owner,
            Kind::Function(origin) if origin.is_declared() => other.level < rows.level || others == owner,
            _ => false,
        };
        if !open || !known {
            return false;
        }
        let level = rows.level;
        if let Some(other) = self.cx.vars.get_mut(&found) {
            other.level = other.level.min(level);
        }
        let size = if self.cx.is_function(found) { Dim::Jagged(Some(found)) } else { size.clone() };
        self.cx.set(k, Kind::Solved(size));
        true
    }

    /// Whether a written type says that all rows have this extent.
    fn is_rectangle(&self, dim: &Dim) -> bool {
        match dim {
            Dim::Size(Size::Const(_) | Size::Expr(_)) => true,
            Dim::Size(Size::Local(n)) => match self.cx.vars.get(n) {
                Some(var) => var.demand.rows == Rows::Rectangle || matches!(var.kind, Kind::Param),
                None => true,
            },
            Dim::Size(Size::Meta(_) | Size::Unknown) | Dim::Jagged(_) | Dim::Shape(_) => false,
        }
    }

    /// Whether a rectangle and rows of different lengths, which are unified, only go along with each
    /// other: then the lengths are compared at run time, and the rectangle stays one.
    pub(super) fn in_lockstep(&self) -> bool {
        let asked = |dim: &Dim| matches!(dim, Dim::Size(_)) && self.is_rectangle(dim);
        self.mode == Mode::Checked || self.raw.as_ref().is_some_and(|(a, b)| !asked(a) && !asked(b))
    }

    /// Whether a name is in scope where an open shape is decided; if not, the two shapes are compared at run time.
    fn known_where_decided(&self, open: LocalId, name: LocalId) -> bool {
        let level = self.cx.vars.get(&open).map_or(0, |v| v.level);
        let bound = self.cx.bound_at.get(&name);
        bound.is_none_or(|bound| *bound < level) || self.cx.is_open(name)
    }

    pub(super) fn shapes(&mut self, s: Shape, t: Shape) -> Unified {
        let (Shape::Local(x), Shape::Local(y)) = (s, t) else { return Ok(()) };
        if x == y {
            return Ok(());
        }
        if self.cx.is_open(x) && self.known_where_decided(x, y) {
            self.cx.set(x, Kind::Solved(Dim::Shape(t)));
            return Ok(());
        }
        if self.cx.is_open(y) && self.known_where_decided(y, x) {
            self.cx.set(y, Kind::Solved(Dim::Shape(s)));
            return Ok(());
        }
        self.not_equal(&Dim::Shape(s), &Dim::Shape(t), Cause::Differ, true)
    }

    /// An open size was found to be the length of row after row.
    pub(super) fn set_rows(&mut self, var: LocalId, k: LocalId, a: &Dim, b: &Dim, under: bool) -> Unified {
        // Inside an iteration an extent is one size: it can only happen to be that of all rows of something else.
        let one_in = self.cx.vars.get(&var).and_then(|v| v.demand.one_in);
        if self.cx.ravel && one_in.is_some_and(|around| self.cx.level > around) {
            return self.not_equal(a, b, Cause::Differ, under);
        }
        if let Some(Kind::Copy(canonical, _)) = self.cx.kind(var).cloned() {
            self.cx.set(var, Kind::Solved(Dim::Jagged(Some(k))));
            let rows = self.cx.rows(canonical);
            return match self.cx.kind(canonical) {
                Some(Kind::Solved(_)) => {
                    if let Some(v) = self.cx.vars.get_mut(&canonical) {
                        v.varies = true;
                    }
                    Ok(())
                }
                _ if rows == Rows::MayDiffer => {
                    self.cx.set(canonical, Kind::Solved(Dim::Jagged(Some(k))));
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        match self.cx.rows(var) {
            Rows::MayDiffer => {
                self.cx.set(var, Kind::Solved(Dim::Jagged(Some(k))));
                Ok(())
            }
            Rows::One => self.not_equal(a, b, Cause::Differ, under),
            Rows::Rectangle => self.fail(a, b, Cause::Jagged),
        }
    }
}
