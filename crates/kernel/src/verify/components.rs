//! How the components of a value are passed.

use crate::Type;
use scalar::{Component, Layout, Prim};

/// The types of the variables that hold the components of a value.
pub fn component_types(layout: &Layout) -> Vec<Type> {
    let of = |component: &Component| match component {
        Component::Size | Component::Rank => Type::Scalar(Prim::I64),
        Component::Shape | Component::Desc(_) => Type::Buffer(Prim::I64),
        Component::Data(prim, dims) if dims.is_empty() => Type::Scalar(*prim),
        Component::Data(prim, _) => Type::Buffer(*prim),
    };
    layout.components().iter().map(of).collect()
}
