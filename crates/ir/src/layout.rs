//! The types of a value's components.

use crate::{Atom, Component, Dim, DimKind, Layout, Type};
use scalar::Prim;

/// The types of the components of a value, given the components. None if there are too few or many of them, or if a
/// number stands where a descriptor or shape must be.
pub fn component_types(layout: &Layout, components: &[Atom]) -> Option<Vec<Type>> {
    let kinds = layout.components();
    if kinds.len() != components.len() {
        return None;
    }
    kinds.iter().enumerate().map(|(i, component)| component_type(component, i, components)).collect()
}

fn component_type(component: &Component, place: usize, components: &[Atom]) -> Option<Type> {
    match component {
        Component::Size | Component::Rank => Some(Type::I64),
        Component::Shape => Some(Type::Array(Prim::I64, vec![Dim::Size(*components.get(place.checked_sub(1)?)?)])),
        Component::Desc(dims) => Some(Type::Desc(dims_of(dims, components)?)),
        Component::Data(prim, dims) => Some(Type::array(*prim, dims_of(dims, components)?)),
    }
}

fn dims_of(dims: &[(DimKind, usize)], components: &[Atom]) -> Option<Vec<Dim>> {
    let dim = |(kind, number): &(DimKind, usize)| {
        let atom = *components.get(*number)?;
        match kind {
            DimKind::Size => Some(Dim::Size(atom)),
            DimKind::Jagged => atom.var().map(Dim::Jagged),
            DimKind::Shape => atom.var().map(Dim::Shape),
        }
    };
    dims.iter().map(dim).collect()
}
