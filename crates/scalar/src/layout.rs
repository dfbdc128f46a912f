//! How a value of the source language is made of components.

use crate::Prim;
use base::Name;

/// The form of a value, sizes aside.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// A number or truth value.
    Scalar(Prim),
    /// An array: its dimensions, at least one, and its elements, which are not arrays.
    Array(Vec<DimKind>, Box<Layout>),
    /// A tuple or record; fields in order.
    Record(Vec<(Name, Layout)>),
    /// A sum; constructors in order.
    Sum(Vec<(Name, Vec<Layout>)>),
}

/// The form of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DimKind {
    /// One extent.
    Size,
    /// An extent for each row.
    Jagged,
    /// Any number of extents.
    Shape,
}

/// A component of a value: the content of one variable. Numbers in it are positions of earlier components, which its type
/// mentions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Component {
    /// An extent, `i64`.
    Size,
    /// The rank of an array of unknown rank, `i64`. The component after it is its shape.
    Rank,
    /// A shape vector; the rank is the component before it.
    Shape,
    /// A descriptor inside the dimensions with these numbers.
    Desc(Vec<(DimKind, usize)>),
    /// Data inside the dimensions with these numbers; a scalar if there are none.
    Data(Prim, Vec<(DimKind, usize)>),
}

impl Layout {
    /// The type of the number that says which constructor a value of a sum has.
    pub fn tag_prim(constructors: usize) -> Prim {
        if constructors <= 256 { Prim::U8 } else { Prim::U32 }
    }

    /// The components, depth first: of an array its dimensions and then its elements', of a sum the number of the
    /// constructor and then the components of every constructor. If the sum is an element of an array, the
    /// dimensions of arrays inside it are jagged: each element has its own.
    pub fn components(&self) -> Vec<Component> {
        let mut out = Vec::new();
        self.add_components(&mut Vec::new(), &mut out);
        out
    }

    fn add_components(&self, dims: &mut Vec<(DimKind, usize)>, out: &mut Vec<Component>) {
        match self {
            Layout::Scalar(prim) => out.push(Component::Data(*prim, dims.clone())),
            Layout::Array(kinds, elem) => {
                let outer = dims.len();
                for kind in kinds {
                    match kind {
                        DimKind::Size => out.push(Component::Size),
                        DimKind::Jagged => out.push(Component::Desc(dims.clone())),
                        DimKind::Shape => out.extend([Component::Rank, Component::Shape]),
                    }
                    dims.push((*kind, out.len() - 1));
                }
                elem.add_components(dims, out);
                dims.truncate(outer);
            }
            Layout::Record(fields) => fields.iter().for_each(|(_, field)| field.add_components(dims, out)),
            Layout::Sum(constructors) => {
                out.push(Component::Data(Layout::tag_prim(constructors.len()), dims.clone()));
                constructors.iter().flat_map(|(_, parts)| parts).for_each(|part| part.add_components(dims, out));
            }
        }
    }
}
