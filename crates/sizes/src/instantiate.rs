//! Uses of polymorphic definitions: new size variables for their parameters.

use super::cx::Cx;
use super::demand::Rows;
use super::scheme::Scheme;
use super::vars::{Kind, Tie};
use base::{Map, Span};
use syntax::ast::Lifted;
use typed::intrinsic::Alignment;
use typed::{
    Body, DefId, Dim, ExprKind, LocalId, Param, Shape, Size, Type, TypeArg, TypeParam, TypeVarId, subst, walk,
};

/// What the parameters of a definition are instantiated to at one use.
struct Instance {
    sizes: Map<LocalId, Size>,
    shapes: Map<LocalId, Vec<Dim>>,
    types: Map<TypeVarId, TypeInstance>,
    /// The type parameters that are element types of arrays.
    elements: Vec<TypeVarId>,
    /// The sizes and shapes of rows.
    nested: Vec<LocalId>,
    /// The type parameters that functions among the arguments take.
    demanded: Vec<TypeVarId>,
    /// Whether all occurrences of a type parameter share their sizes.
    shared: bool,
    span: Span,
}

struct TypeInstance {
    canonical: Type,
    used: bool,
}

impl Cx<'_> {
    /// The type of a use of `scheme`; fills in what `args` leaves open.
    pub(super) fn instantiate(&mut self, scheme: &Scheme, args: &mut [TypeArg], span: Span, shared: bool) -> Type {
        if scheme.params.is_empty() {
            return scheme.ty.clone();
        }
        let hidden = hidden_sizes(scheme);
        let mut instance = Instance {
            sizes: Map::default(),
            shapes: Map::default(),
            types: Map::default(),
            elements: element_vars(&scheme.ty),
            nested: nested_sizes(&scheme.ty),
            demanded: demanded_vars(&scheme.ty),
            shared: shared && self.ravel,
            span,
        };
        for (param, arg) in scheme.params.iter().zip(args.iter_mut()) {
            self.instantiate_param(*param, arg, &mut instance);
        }
        let ambiguous = hidden.iter().filter_map(|n| match instance.sizes.get(n) {
            Some(Size::Local(v)) => Some(*v),
            _ => None,
        });
        self.only_functions_show.extend(ambiguous);
        self.instance_type(&scheme.ty, &mut instance)
    }

    fn instantiate_param(&mut self, param: TypeParam, arg: &mut TypeArg, instance: &mut Instance) {
        let span = instance.span;
        match (param, &*arg) {
            (TypeParam::Size(n), _) => *arg = TypeArg::Size(self.instantiate_size(n, instance)),
            (TypeParam::Jagged(k), _) => {
                let v = self.free("k", span, "the row lengths of an argument");
                *arg = TypeArg::Jagged(Dim::Size(Size::Local(v)));
                instance.sizes.insert(k, Size::Local(v));
            }
            (TypeParam::Shape(s), TypeArg::Shape(dims)) => {
                let dims = self.instantiate_shape(s, &dims.clone(), instance);
                *arg = TypeArg::Shape(dims.clone());
                instance.shapes.insert(s, dims);
            }
            (TypeParam::Type(var), TypeArg::Type(ty)) => {
                if let Some(canonical) = self.instantiate_type(var, &ty.clone(), instance) {
                    *arg = TypeArg::Type(canonical.clone());
                    instance.types.insert(var, TypeInstance { canonical, used: false });
                }
            }
            (TypeParam::Shape(_) | TypeParam::Type(_), _) => {}
        }
    }

    fn instantiate_size(&mut self, n: LocalId, instance: &mut Instance) -> Size {
        let name = self.program.locals[n].name;
        let kind = Kind::Inst { lifted: Lifted::Functions, element: false };
        let v = self.fresh(kind, name.as_str(), instance.span, "a size parameter of what is used here");
        if let Some(var) = self.vars.get_mut(&v) {
            var.demand.known = true;
            var.demand.rows = if instance.nested.contains(&n) { Rows::Rectangle } else { Rows::MayDiffer };
        }
        instance.sizes.insert(n, Size::Local(v));
        Size::Local(v)
    }

    fn instantiate_shape(&mut self, s: LocalId, dims: &[Dim], instance: &Instance) -> Vec<Dim> {
        let what = "a dimension of an argument";
        let dims: Vec<Dim> = dims.iter().map(|d| self.template_dim(d, &Kind::Free, instance.span, what)).collect();
        // Rows of an array that is passed are rows of the shape; the array may be a row of something itself.
        let outside = usize::from(!instance.nested.contains(&s));
        for dim in dims.iter().skip(outside) {
            if let Dim::Size(Size::Local(v)) = dim {
                self.require_rows(*v, Rows::Rectangle);
            }
        }
        dims
    }

    /// The instance of a type parameter, with new sizes; `None` if it may not be instantiated to that.
    fn instantiate_type(&mut self, var: TypeVarId, ty: &Type, instance: &Instance) -> Option<Type> {
        let lifted = self.kinds.vars.get(&var).copied().unwrap_or(Lifted::No);
        if !self.ravel && lifted == Lifted::No && self.may_vary(ty) {
            self.lifted_element(ty, instance.span);
            return None;
        }
        let kind = Kind::Inst { lifted, element: instance.elements.contains(&var) };
        let mut binders = Vec::new();
        walk::binders(ty, &mut binders);
        self.template_binders.extend(binders);
        let canonical = self.template(ty, &kind, instance.span, "a size of what a type parameter stands for");
        if instance.demanded.contains(&var) {
            walk::free_locals(&canonical).iter().for_each(|l| {
                if let Some(var) = self.vars.get_mut(l) {
                    var.tie = var.tie.max(Tie::Demanded);
                }
            });
        }
        Some(canonical)
    }

    fn instance_type(&mut self, ty: &Type, instance: &mut Instance) -> Type {
        match ty {
            ty if ty.is_plain() => ty.clone(),
            Type::Var(var) => self.instance_var(*var, instance).unwrap_or_else(|| ty.clone()),
            Type::Abstract(id, args) => {
                Type::Abstract(*id, args.iter().map(|a| self.instance_arg(a, instance)).collect())
            }
            Type::Array(dim, elem) => walk::wrap(instance_dim(dim, instance), self.instance_type(elem, instance)),
            _ => ty.map_children(&mut |t| self.instance_type(t, instance)),
        }
    }

    fn instance_arg(&mut self, arg: &TypeArg, instance: &mut Instance) -> TypeArg {
        match arg {
            TypeArg::Type(ty) => TypeArg::Type(self.instance_type(ty, instance)),
            _ => arg.expand_dims(&mut |dim| instance_dim(dim, instance)),
        }
    }

    /// An occurrence of a type parameter: the first one has its sizes, a further one copies of them.
    fn instance_var(&mut self, var: TypeVarId, instance: &mut Instance) -> Option<Type> {
        let TypeInstance { canonical, used } = instance.types.get_mut(&var)?;
        let canonical = canonical.clone();
        let first = !std::mem::replace(used, true);
        if first || instance.shared {
            return Some(canonical);
        }
        self.occurrences += 1;
        let occurrence = self.occurrences;
        let span = instance.span;
        Some(walk::map_dims(&canonical, false, &mut |dim, _| match dim {
            Dim::Size(Size::Local(c)) => {
                let name = self.program.locals[*c].name;
                let what = "a size of what a type parameter stands for";
                Dim::Size(Size::Local(self.fresh(Kind::Copy(*c, occurrence), name.as_str(), span, what)))
            }
            Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => dim.clone(),
        }))
    }

    /// Whether element i of the definition's result stands at the place of element i of its arguments.
    pub(super) fn is_aligned(&self, def: DefId) -> bool {
        let Some(def) = self.program.defs.get(def) else { return false };
        match &def.body {
            Body::Intrinsic(op) => op.alignment() == Alignment::Aligned,
            Body::Specified => false,
            Body::Expr(body) => match &*body.kind {
                ExprKind::Apply(f, args) => match &*f.kind {
                    ExprKind::Global(inner, _) => {
                        args.len() == def.params.len()
                            && args.iter().zip(&def.params).all(|(a, p)| is_param(a, p))
                            && self.program.defs.get(*inner).is_some_and(|d| matches!(d.body, Body::Intrinsic(_)))
                            && self.is_aligned(*inner)
                    }
                    _ => false,
                },
                _ => false,
            },
        }
    }
}

fn is_param(expr: &typed::Expr, param: &Param) -> bool {
    matches!(&*expr.kind, ExprKind::Local(l, _) if Some(*l) == param.name())
}

fn instance_size(size: &Size, instance: &Instance) -> Size {
    subst::in_size(size, &mut |l| instance.sizes.get(&l).cloned())
}

fn instance_dim(dim: &Dim, instance: &Instance) -> Vec<Dim> {
    match dim {
        Dim::Size(size) => vec![Dim::Size(instance_size(size, instance))],
        Dim::Jagged(Some(k)) => vec![instance.sizes.get(k).map_or(dim.clone(), |s| Dim::Size(s.clone()))],
        Dim::Shape(Shape::Local(s)) => instance.shapes.get(s).cloned().unwrap_or_else(|| vec![dim.clone()]),
        Dim::Jagged(None) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => vec![dim.clone()],
    }
}

/// The type parameters that occur as (part of) element types of arrays.
fn element_vars(ty: &Type) -> Vec<TypeVarId> {
    fn go(ty: &Type, under: bool, out: &mut Vec<TypeVarId>) {
        let inside = match ty {
            Type::Var(v) => return out.extend(under.then_some(*v)),
            Type::Array(..) => true,
            Type::Fun(_) => false,
            _ => under,
        };
        ty.for_each_child(&mut |t| go(t, inside, out));
    }
    let mut found = Vec::new();
    go(ty, false, &mut found);
    found
}

/// The type parameters in types of functions among the parameters.
fn demanded_vars(ty: &Type) -> Vec<TypeVarId> {
    fn go(ty: &Type, inside: bool, out: &mut Vec<TypeVarId>) {
        if let Type::Var(v) = ty {
            out.extend(inside.then_some(*v));
        }
        ty.for_each_child(&mut |t| go(t, inside || matches!(ty, Type::Fun(_)), out));
    }
    let mut found = Vec::new();
    let mut ty = ty.clone();
    while let Type::Fun(fun) = &ty {
        go(&fun.param, false, &mut found);
        ty = fun.ret.ty.clone();
    }
    found
}

/// Size parameters that no argument and no result shows, only types of functions among the arguments.
fn hidden_sizes(scheme: &Scheme) -> Vec<LocalId> {
    let mut shown = Vec::new();
    let mut ty = &scheme.ty;
    while let Type::Fun(fun) = ty {
        shown.extend(fun.name);
        shown.extend(walk::free_locals_at(&fun.param, &|p| p == walk::Place::Here));
        ty = &fun.ret.ty;
    }
    shown.extend(walk::free_locals(ty));
    let hidden = scheme.params.iter().filter_map(|p| match p {
        TypeParam::Size(n) => (!shown.contains(n)).then_some(*n),
        TypeParam::Type(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => None,
    });
    hidden.collect()
}

/// The sizes and shapes of dimensions inside other dimensions of parameters: there they are the same in all rows. What a
/// result has, it has once for each call.
fn nested_sizes(ty: &Type) -> Vec<LocalId> {
    let mut found = Vec::new();
    let mut ty = ty;
    while let Type::Fun(fun) = ty {
        walk::each_dim(&fun.param, &mut |dim, under| {
            if let (Dim::Size(Size::Local(n)) | Dim::Shape(Shape::Local(n)), true) = (dim, under) {
                found.push(*n);
            }
        });
        ty = &fun.ret.ty;
    }
    found
}
