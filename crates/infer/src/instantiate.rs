//! Uses of polymorphic definitions: fresh unknowns for type parameters, fresh shapes for `[..]`, and types without sizes.

use crate::Checker;
use base::{Map, Span};
use syntax::ast::Lifted;
use typed::subst::Subst;
use typed::{AbstractId, Dim, LocalId, Program, Ret, Shape, Size, Type, TypeArg, TypeParam, subst, walk};

impl Checker<'_> {
    /// Fresh unknowns for type parameters: the arguments of a use, to be found by inference.
    pub(crate) fn fresh_args(&mut self, params: &[TypeParam], span: Span) -> Vec<TypeArg> {
        let fresh = |checker: &mut Self, param: &TypeParam| match param {
            TypeParam::Size(_) => TypeArg::Size(Size::Unknown),
            TypeParam::Jagged(_) => TypeArg::Jagged(Dim::Jagged(None)),
            TypeParam::Shape(_) => TypeArg::Shape(vec![Dim::Shape(checker.metas.fresh_shape())]),
            TypeParam::Type(v) => {
                let functions = checker.lifted(*v) == Lifted::Functions;
                TypeArg::Type(checker.metas.fresh_with(span, |w| {
                    if !functions {
                        w.first_order = Some("a type parameter `'a` cannot be a function type (`'^a` can)");
                    }
                }))
            }
        };
        params.iter().map(|p| fresh(self, p)).collect()
    }

    /// The type of a use of something polymorphic, and what its parameters are instantiated to.
    pub(crate) fn instantiate(&mut self, params: &[TypeParam], ty: &Type, span: Span) -> (Type, Vec<TypeArg>) {
        let args = self.fresh_args(params, span);
        let ty = Subst::of(params, &args).apply(&erase_sizes(ty));
        (self.open_result_shapes(&ty, span), args)
    }

    /// Every use of a function that returns `[..]t` gets a shape of its own.
    fn open_result_shapes(&mut self, ty: &Type, span: Span) -> Type {
        let Type::Fun(fun) = ty else { return self.open_shapes(ty, span) };
        let mut fun = (**fun).clone();
        fun.ret.ty = self.open_result_shapes(&fun.ret.ty, span);
        Type::Fun(fun.into())
    }

    fn open_shapes(&mut self, ty: &Type, span: Span) -> Type {
        match ty {
            Type::Array(Dim::Shape(Shape::Unknown), elem) => {
                Type::array(Dim::Shape(self.fresh_rank(span)), self.open_shapes(elem, span))
            }
            Type::Abstract(..) | Type::Sum(_) | Type::Fun(_) => ty.clone(),
            _ if ty.is_plain() => ty.clone(),
            _ => ty.map_children(&mut |t| self.open_shapes(t, span)),
        }
    }

    /// The type that a name has whose written type has anonymous shapes: they get names, so that `shape a` is known to be
    /// the shape of `a`, and still go with any shape.
    pub(crate) fn name_shapes(&mut self, ty: &Type, span: Span) -> Type {
        let first = self.program.locals.len();
        let named = self.open_shapes(ty, span);
        self.anonymous_shapes.extend((first..self.program.locals.len()).map(|l| LocalId(l as u32)));
        named
    }

    /// The representation of an abstract type.
    pub(crate) fn expand_abstract(&self, id: AbstractId, args: &[TypeArg]) -> Type {
        let def = &self.program.abstracts[id];
        Subst::of(&def.params, args).apply(&def.repr)
    }
}

/// The type with all extents forgotten; ranks and shape parameters stay.
pub(crate) fn erase_sizes(ty: &Type) -> Type {
    match ty {
        ty if ty.is_plain() => ty.clone(),
        Type::Abstract(id, args) => Type::Abstract(*id, args.iter().map(erase_arg).collect()),
        Type::Array(dim, elem) => Type::array(erase_dim(dim), erase_sizes(elem)),
        Type::Fun(fun) => {
            let unknown = |s: &LocalId| (*s, vec![Dim::Shape(Shape::Unknown)]);
            let hidden = Subst { shapes: fun.ret.exts.iter().map(unknown).collect(), ..Subst::default() };
            let ty = erase_sizes(&fun.ret.ty);
            let ty = if fun.ret.exts.is_empty() { ty } else { hidden.apply(&ty) };
            fun.with(erase_sizes(&fun.param), Ret { exts: Vec::new(), ty, unique: fun.ret.unique.clone() })
        }
        _ => ty.map_children(&mut erase_sizes),
    }
}

/// The dimension with its extent forgotten; small constants stay, since the length of a vector may decide a rank.
pub(crate) fn erase_dim(dim: &Dim) -> Dim {
    match dim {
        Dim::Size(Size::Const(n)) => Dim::Size(Size::Const(*n)),
        Dim::Size(_) | Dim::Jagged(_) => Dim::Size(Size::Unknown),
        Dim::Shape(shape) => Dim::Shape(*shape),
    }
}

fn erase_arg(arg: &TypeArg) -> TypeArg {
    match arg {
        TypeArg::Size(_) => TypeArg::Size(Size::Unknown),
        TypeArg::Type(t) => TypeArg::Type(erase_sizes(t)),
        TypeArg::Jagged(_) => TypeArg::Jagged(Dim::Jagged(None)),
        TypeArg::Shape(dims) => TypeArg::Shape(dims.iter().map(erase_dim).collect()),
    }
}

/// The type with new names in place of those that nothing binds.
pub(crate) fn rename_unbound(program: &mut Program, ty: &Type, bound: &dyn Fn(LocalId) -> bool) -> Type {
    let mut renamed: Map<LocalId, LocalId> = Map::default();
    for local in walk::free_locals(ty) {
        if !bound(local) {
            let copy = program.locals[local].clone();
            renamed.insert(local, program.locals.push(copy));
        }
    }
    if renamed.is_empty() {
        return ty.clone();
    }
    subst::in_type(ty, &mut |l| renamed.get(&l).map(|l| Size::Local(*l)))
}
