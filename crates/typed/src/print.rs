//! Types as users read them.

use crate::{
    Diet, Dim, ExprKind, FunType, LocalId, Program, Ret, Shape, Size, Type, TypeArg, TypeParam, is_tuple, walk,
};
use std::fmt::Write;

impl Program {
    /// The type as text.
    pub fn show_type(&self, ty: &Type) -> String {
        let mut out = String::new();
        self.write_type(&mut out, ty, &Diet::Observe, false);
        out
    }

    /// `name : [n] 'a . type`, as `ravel types` shows it.
    pub fn show_scheme(&self, type_params: &[TypeParam], ty: &Type) -> String {
        let mut out = String::new();
        for param in type_params {
            match param {
                TypeParam::Size(n) => write!(out, "[{}] ", self.locals[*n].name),
                TypeParam::Type(a) => write!(out, "'{} ", self.type_vars[*a].name),
                TypeParam::Jagged(k) => write!(out, "[~{}] ", self.locals[*k].name),
                TypeParam::Shape(s) => write!(out, "[..{}] ", self.locals[*s].name),
            }
            .ok();
        }
        if !type_params.is_empty() {
            out.push_str(". ");
        }
        self.write_type(&mut out, ty, &Diet::Observe, false);
        out
    }

    /// A size as text.
    pub fn show_size(&self, size: &Size) -> String {
        match size {
            Size::Const(n) => n.to_string(),
            Size::Local(local) => self.locals[*local].name.to_string(),
            Size::Expr(expr) => self.show_size_expr(expr),
            Size::Meta(meta) => format!("{meta:?}"),
            Size::Unknown => String::new(),
        }
    }

    /// An expression that stands as a size.
    pub fn show_size_expr(&self, expr: &crate::Expr) -> String {
        match &*expr.kind {
            ExprKind::Scalar(s) => s.to_i64().to_string(),
            ExprKind::Local(local, _) => self.locals[*local].name.to_string(),
            ExprKind::Global(def, _) => self.defs.get(*def).map_or_else(|| "?".into(), |d| d.name.to_string()),
            ExprKind::Binary { op, lhs, rhs, lifted: _ } => {
                format!("{} {} {}", self.show_size_term(lhs), op.symbol(), self.show_size_term(rhs))
            }
            ExprKind::Array(items) => {
                let items: Vec<String> = items.iter().map(|e| self.show_size_expr(e)).collect();
                format!("[{}]", items.join(", "))
            }
            ExprKind::Apply(fun, args) => {
                let mut out = self.show_size_operand(fun);
                args.iter().for_each(|a| out += &format!(" {}", self.show_size_operand(a)));
                out
            }
            ExprKind::Project(e, field) => format!("{}.{field}", self.show_size_operand(e)),
            ExprKind::Index(array, indices) => {
                let shown = |index: &crate::Index| match index {
                    crate::Index::At(e) | crate::Index::Vector(e) => self.show_size_expr(e),
                    crate::Index::Slice { .. } => "…".into(),
                };
                let indices: Vec<String> = indices.iter().map(shown).collect();
                format!("{}[{}]", self.show_size_operand(array), indices.join(", "))
            }
            ExprKind::Ascribe(e, _) => self.show_size_expr(e),
            _ => "…".into(),
        }
    }

    /// Application binds tighter than every operator.
    fn show_size_term(&self, expr: &crate::Expr) -> String {
        match &*expr.kind {
            ExprKind::Apply(..) => self.show_size_expr(expr),
            _ => self.show_size_operand(expr),
        }
    }

    fn show_size_operand(&self, expr: &crate::Expr) -> String {
        let text = self.show_size_expr(expr);
        let atom = !text.contains(' ') || matches!(&*expr.kind, ExprKind::Array(_));
        if atom { text } else { format!("({text})") }
    }

    fn write_type(&self, out: &mut String, ty: &Type, diet: &Diet, atom: bool) {
        if *diet == Diet::Consume {
            out.push('*');
            return self.write_type(out, ty, &Diet::Observe, true);
        }
        match ty {
            Type::Prim(prim) => out.push_str(prim.name()),
            Type::Var(var) => out.push_str(self.type_vars[*var].name.as_str()),
            Type::Abstract(id, args) if args.is_empty() => out.push_str(self.abstracts[*id].name.as_str()),
            Type::Abstract(id, args) => self.parens(out, atom, |out| {
                out.push_str(self.abstracts[*id].name.as_str());
                for arg in args.iter() {
                    out.push(' ');
                    self.write_arg(out, arg);
                }
            }),
            Type::Record(fields) => self.write_record(out, fields, diet),
            Type::Sum(constrs) => self.parens(out, atom, |out| self.write_sum(out, constrs)),
            Type::Array(dim, elem) => {
                self.write_dim(out, dim);
                self.write_type(out, elem, &Diet::Observe, true);
            }
            Type::Fun(fun) => self.parens(out, atom, |out| self.write_fun(out, fun)),
            Type::Meta(meta) => write!(out, "{meta:?}").unwrap_or(()),
            Type::Error => out.push('?'),
        }
    }

    fn parens(&self, out: &mut String, needed: bool, inner: impl FnOnce(&mut String)) {
        if needed {
            out.push('(');
        }
        inner(out);
        if needed {
            out.push(')');
        }
    }

    fn write_record(&self, out: &mut String, fields: &[(base::Name, Type)], diet: &Diet) {
        let tuple = is_tuple(fields.iter().map(|f| f.0));
        out.push(if tuple { '(' } else { '{' });
        for (i, (name, ty)) in fields.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if !tuple {
                write!(out, "{name}: ").ok();
            }
            self.write_type(out, ty, diet.part(i), false);
        }
        out.push(if tuple { ')' } else { '}' });
    }

    fn write_sum(&self, out: &mut String, constrs: &[(base::Name, Vec<Type>)]) {
        for (i, (name, types)) in constrs.iter().enumerate() {
            out.push_str(if i > 0 { " | " } else { "" });
            write!(out, "#{name}").ok();
            for ty in types {
                out.push(' ');
                self.write_type(out, ty, &Diet::Observe, true);
            }
        }
    }

    fn write_fun(&self, out: &mut String, fun: &FunType) {
        let FunType { name, param, diet, ret } = fun;
        match name {
            Some(name) if mentions(&ret.ty, *name) => {
                write!(out, "({}: ", self.locals[*name].name).ok();
                self.write_type(out, param, diet, false);
                out.push(')');
            }
            _ => self.write_type(out, param, diet, matches!(param, Type::Fun(_))),
        }
        out.push_str(" -> ");
        self.write_ret(out, ret);
    }

    fn write_ret(&self, out: &mut String, ret: &Ret) {
        let Ret { exts, ty, unique } = ret;
        let (anonymous, exts): (Vec<LocalId>, Vec<LocalId>) = exts.iter().partition(|ext| is_shape_once(ty, **ext));
        if !exts.is_empty() {
            out.push('?');
            exts.iter().for_each(|ext| write!(out, "[{}{}]", mark(ty, *ext), self.locals[*ext].name).unwrap_or(()));
            out.push('.');
        }
        let hide = |dim: &Dim| match dim {
            Dim::Shape(Shape::Local(s)) if anonymous.contains(s) => Dim::Shape(Shape::Unknown),
            _ => dim.clone(),
        };
        let ty = walk::map_dims(ty, false, &mut |dim, _| hide(dim));
        self.write_type(out, &ty, unique, false);
    }

    fn write_dim(&self, out: &mut String, dim: &Dim) {
        match dim {
            Dim::Size(size) => write!(out, "[{}]", self.show_size(size)),
            Dim::Jagged(None) => write!(out, "[~]"),
            Dim::Jagged(Some(k)) => write!(out, "[~{}]", self.locals[*k].name),
            Dim::Shape(Shape::Local(s)) => write!(out, "[..{}]", self.locals[*s].name),
            Dim::Shape(Shape::Meta(_) | Shape::Unknown) => write!(out, "[..]"),
        }
        .ok();
    }

    fn write_arg(&self, out: &mut String, arg: &TypeArg) {
        match arg {
            TypeArg::Size(size) => write!(out, "[{}]", self.show_size(size)).unwrap_or(()),
            TypeArg::Type(ty) => self.write_type(out, ty, &Diet::Observe, true),
            TypeArg::Jagged(dim) => self.write_dim(out, dim),
            TypeArg::Shape(dims) => dims.iter().for_each(|d| self.write_dim(out, d)),
        }
    }
}

/// Whether a type's sizes mention a local.
pub fn mentions(ty: &Type, local: LocalId) -> bool {
    let here = match ty {
        Type::Array(dim, _) => dim_mentions(dim, local),
        Type::Abstract(_, args) => args.iter().flat_map(TypeArg::dims).any(|dim| dim_mentions(&dim, local)),
        _ => false,
    };
    here || ty.any_child(&mut |t| mentions(t, local))
}

/// What stands before the name of an existential size: `~` of row lengths, `..` of a shape.
fn mark(ty: &Type, local: LocalId) -> &'static str {
    match shape_count(ty, local) {
        0 if is_jagged(ty, local) => "~",
        0 => "",
        _ => "..",
    }
}

/// Whether a local is a shape that a type mentions once: `[..]` says as much.
fn is_shape_once(ty: &Type, local: LocalId) -> bool {
    let mut all = 0;
    walk::for_each_dim(ty, &mut |dim, _, _| all += usize::from(dim_mentions(dim, local)));
    all == 1 && shape_count(ty, local) == 1
}

fn shape_count(ty: &Type, local: LocalId) -> usize {
    let mut count = 0;
    let is_it = |dim: &Dim| matches!(dim, Dim::Shape(Shape::Local(s)) if *s == local);
    walk::for_each_dim(ty, &mut |dim, _, _| count += usize::from(is_it(dim)));
    count
}

/// Whether a local names row lengths in a type.
fn is_jagged(ty: &Type, local: LocalId) -> bool {
    match ty {
        Type::Array(Dim::Jagged(Some(k)), _) if *k == local => true,
        Type::Abstract(..) | Type::Fun(_) => false,
        _ => ty.any_child(&mut |t| is_jagged(t, local)),
    }
}

fn dim_mentions(dim: &Dim, local: LocalId) -> bool {
    match dim {
        Dim::Size(size) => size_mentions(size, local),
        Dim::Jagged(k) => *k == Some(local),
        Dim::Shape(s) => *s == Shape::Local(local),
    }
}

fn size_mentions(size: &Size, local: LocalId) -> bool {
    match size {
        Size::Const(_) | Size::Meta(_) | Size::Unknown => false,
        Size::Local(l) => *l == local,
        Size::Expr(expr) => expr_mentions(expr, local),
    }
}

fn expr_mentions(expr: &crate::Expr, local: LocalId) -> bool {
    if let ExprKind::Local(l, _) = &*expr.kind {
        return *l == local;
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found |= expr_mentions(child, local));
    found
}
