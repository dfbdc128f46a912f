//! What types say before anything runs.

use crate::code::{DimCode, Matcher};
use crate::rtype::{RtDim, RtType};
use base::Name;
use std::rc::Rc;
use typed::{Dim, Program, Size, Type};

/// Whether a size in it is an expression.
pub(super) fn has_expression(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Nothing => false,
        Matcher::Array(dim, inner) => matches!(dim, DimCode::Expr(..)) || has_expression(inner),
        Matcher::Record(fields) => fields.iter().any(|f| has_expression(&f.1)),
        Matcher::Sum(cases) => cases.iter().any(|c| c.1.iter().any(has_expression)),
    }
}

/// The places of named fields in values of a record type.
pub(crate) fn field_places(program: &Program, ty: &Type, names: impl Iterator<Item = Name>) -> Vec<usize> {
    let ty = program.concrete(ty);
    let place = |name: Name| match &ty {
        Type::Record(fields) => match typed::field_position(fields, name) {
            Some(place) => place,
            None => base::bug!("a record has no field `{name}`"),
        },
        // A size such as `s.1`: what it is made of counts as an `i64` there.
        _ => name.as_str().parse().unwrap_or(0),
    };
    names.map(place).collect()
}

/// The type as far as it is known without running anything.
pub(crate) fn static_type(program: &Program, ty: &Type) -> RtType {
    match program.concrete(ty) {
        Type::Prim(prim) => RtType::Prim(prim),
        Type::Record(fields) => RtType::Record(fields.iter().map(|f| Rc::new(static_type(program, &f.1))).collect()),
        Type::Array(Dim::Size(Size::Const(n)), elem) => {
            RtType::Array(RtDim::Known(n), Rc::new(static_type(program, &elem)))
        }
        Type::Array(Dim::Jagged(_), elem) => RtType::Array(RtDim::Jagged, Rc::new(static_type(program, &elem))),
        Type::Array(Dim::Size(_), elem) => RtType::Array(RtDim::Unknown, Rc::new(static_type(program, &elem))),
        Type::Array(Dim::Shape(_), elem) => static_type(program, &elem),
        Type::Var(_) | Type::Abstract(..) | Type::Sum(_) | Type::Fun(_) | Type::Meta(_) | Type::Error => RtType::Boxed,
    }
}
