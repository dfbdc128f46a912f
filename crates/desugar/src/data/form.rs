//! Forms: what several values have in common where they come together (branches, turns of a loop, calls, rows).
//!
//! A form fixes the tree and, for each dimension, whether it is one known thing or differs from value to value. What
//! differs is passed along: a form has *components*, the sizes, descriptors and shapes that differ and the data, in the
//! order of [`scalar::Layout::components`].

use crate::data::tree::{Kind, Never, Sum, Tree};
use crate::data::types::{Cases, Mono, MonoDim};
use base::Name;
use ir::{BoxId, Dim, DimKind, Layout, Var};
use scalar::Prim;
use std::rc::Rc;

/// What forms are made of.
#[derive(Clone, Debug)]
pub(crate) struct Forms;

impl Kind for Forms {
    type Atom = ();
    /// How long it is: that many scalars. Arrays hold none.
    type Vector = usize;
    type Lengths = Never;
    type Dim = FormDim;
    /// Functions are in boxes.
    type Fun = BoxId;
}

/// A form.
pub(crate) type Form = Tree<Forms>;

impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        let same_node = match (self, other) {
            (Form::Scalar(a, ()), Form::Scalar(b, ())) => a == b,
            (Form::Vector(a, n), Form::Vector(b, m)) => (a, n) == (b, m),
            (Form::Fun(a), Form::Fun(b)) => a == b,
            (Form::Array(a), Form::Array(b)) => a.dims == b.dims,
            (Form::Record(a), Form::Record(b)) => a.len() == b.len(),
            // The types of constructors do not matter.
            (Form::Sum(a), Form::Sum(b)) => a.cases.iter().map(|c| c.0).eq(b.cases.iter().map(|c| c.0)),
            (_, _) => false,
        };
        same_node && self.children() == other.children()
    }
}

impl Form {
    pub fn scalar(prim: Prim) -> Form {
        Form::Scalar(prim, ())
    }

    pub fn sum(cases: Cases, parts: Vec<Vec<Form>>) -> Form {
        Form::Sum(Rc::new(Sum { tag: (), cases, parts: parts.into_iter().map(Some).collect() }))
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum FormDim {
    /// The same in all values.
    Fixed(Dim),
    Size,
    Jagged,
    Shape,
}

impl FormDim {
    /// A dimension of the same kind that may differ from value to value.
    pub fn open(self) -> FormDim {
        match self {
            FormDim::Fixed(Dim::Size(_)) | FormDim::Size => FormDim::Size,
            FormDim::Fixed(Dim::Jagged(_)) | FormDim::Jagged => FormDim::Jagged,
            FormDim::Fixed(Dim::Shape(_)) | FormDim::Shape => FormDim::Shape,
        }
    }
}

/// Variables for the components of a form.
#[derive(Default)]
pub(crate) struct Fresh {
    /// All of them in order, and whether they are sizes (or descriptors, shapes) rather than data.
    pub vars: Vec<(Var, bool)>,
}

impl Fresh {
    pub fn all(&self) -> Vec<Var> {
        self.vars.iter().map(|v| v.0).collect()
    }

    pub fn sizes(&self) -> Vec<Var> {
        self.vars.iter().filter(|v| v.1).map(|v| v.0).collect()
    }

    pub fn data(&self) -> Vec<Var> {
        self.vars.iter().filter(|v| !v.1).map(|v| v.0).collect()
    }
}

/// The form of rows as a form of the whole: what differs from row to row is jagged there.
pub(crate) fn whole(form: &Form) -> Form {
    form.map_dims(&mut |dim| if *dim == FormDim::Size { FormDim::Jagged } else { *dim })
}

/// Whether values of a form have shapes of their own.
pub(crate) fn has_open_shape(form: &Form) -> bool {
    form.any_dim(|dim| matches!(dim, FormDim::Shape))
}

/// The form of rows whose type says that they have one shape, although their values do not show it.
pub(crate) fn of_one_shape(form: Form, ty: Option<&Mono>) -> Form {
    let fixed = |dims: &[FormDim]| dims.iter().all(|dim| matches!(dim, FormDim::Fixed(_)));
    match (&form, ty) {
        (Form::Array(array), Some(Mono::Array(MonoDim::Shape(_), _))) if !fixed(&array.dims) => {
            Form::array(vec![FormDim::Shape], array.rows.clone())
        }
        (Form::Record(forms), Some(Mono::Record(types))) => {
            let pairs = forms.iter().zip(types.iter());
            Form::Record(pairs.map(|(form, ty)| of_one_shape(form.clone(), Some(&ty.1))).collect())
        }
        (_, _) => form,
    }
}

/// The form with pairs in the place of arrays of unknown rank.
pub(crate) fn boxed(form: &Form) -> Form {
    match form {
        Form::Array(array) if is_open(&array.dims) => {
            let row = |elem: Form| Form::array(vec![FormDim::Size], elem);
            Form::Record([row(boxed(&array.rows)), row(Form::scalar(Prim::I64))].into())
        }
        _ => form.map(boxed),
    }
}

pub(crate) fn is_open(dims: &[FormDim]) -> bool {
    dims.iter().any(|dim| matches!(dim, FormDim::Shape))
}

/// How the values of a type are given to the outside, and the form of all of them; none if they hold functions.
pub(crate) fn loose(ty: &Mono) -> Option<(Layout, Form)> {
    loose_in(ty, false, false)
}

/// The same of a part: in an array, and in a constructor of elements of an array, where those of other constructors have
/// no rows.
fn loose_in(ty: &Mono, in_array: bool, in_element: bool) -> Option<(Layout, Form)> {
    Some(match ty {
        Mono::Scalar(prim) => (Layout::Scalar(*prim), Form::scalar(*prim)),
        Mono::Array(dim, elem) => {
            let (kind, dim) = match dim {
                MonoDim::Size(_) | MonoDim::Unknown if !in_element => (DimKind::Size, FormDim::Size),
                // A row by itself has one length.
                MonoDim::Jagged if !in_array => (DimKind::Size, FormDim::Size),
                MonoDim::Size(_) | MonoDim::Unknown | MonoDim::Jagged => (DimKind::Jagged, FormDim::Jagged),
                MonoDim::Shape(_) => (DimKind::Shape, FormDim::Shape),
            };
            match loose_in(elem, true, in_element)? {
                // Dimensions behind unknown ones belong to the same shape.
                (Layout::Array(_, elem), form) if kind == DimKind::Shape => {
                    (Layout::Array(vec![kind], elem), Form::array(vec![dim], form.split().1.clone()))
                }
                (Layout::Array(mut kinds, elem), form) => {
                    kinds.insert(0, kind);
                    (Layout::Array(kinds, elem), Form::array(vec![dim], form))
                }
                (elem, form) => (Layout::Array(vec![kind], Box::new(elem)), Form::array(vec![dim], form)),
            }
        }
        Mono::Record(fields) => {
            let parts = fields.iter().map(|(_, ty)| loose_in(ty, in_array, in_element));
            let (layouts, forms): (Vec<_>, Vec<_>) = parts.collect::<Option<Vec<_>>>()?.into_iter().unzip();
            let names = fields.iter().map(|field| field.0);
            (Layout::Record(names.zip(layouts).collect()), Form::Record(forms.into()))
        }
        Mono::Sum(cases) => {
            let part = |ty: &Mono| loose_in(ty, in_array, in_element || in_array);
            let case = |(name, types): &(Name, Vec<Mono>)| {
                let parts = types.iter().map(part).collect::<Option<Vec<_>>>()?;
                let (layouts, forms): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
                Some(((*name, layouts), forms))
            };
            let (layouts, forms) = cases.iter().map(case).collect::<Option<Vec<_>>>()?.into_iter().unzip();
            (Layout::Sum(layouts), Form::sum(cases.clone(), forms))
        }
        Mono::Fun(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> Form {
        let rows =
            Form::Record([Form::scalar(Prim::I64), Form::array(vec![FormDim::Jagged], Form::scalar(Prim::F64))].into());
        Form::array(vec![FormDim::Size], rows)
    }

    #[test]
    fn arrays_of_arrays_are_one_array() {
        let nested = Form::array(vec![FormDim::Size], Form::array(vec![FormDim::Shape], Form::scalar(Prim::I64)));
        assert_eq!(nested, Form::array(vec![FormDim::Size, FormDim::Shape], Form::scalar(Prim::I64)));
        assert_eq!(Form::array(Vec::new(), pair()), pair());
    }

    #[test]
    fn dimensions_change_at_any_depth() {
        assert_eq!(whole(&pair()), pair().map_dims(&mut |_| FormDim::Jagged));
        assert!(pair().any_dim(|dim| *dim == FormDim::Jagged));
        assert!(!has_open_shape(&pair()));
    }

    #[test]
    fn an_array_of_unknown_rank_goes_into_others_as_a_pair() {
        let open = Form::array(vec![FormDim::Shape], Form::scalar(Prim::F64));
        let row = |prim| Form::array(vec![FormDim::Size], Form::scalar(prim));
        assert_eq!(boxed(&open), Form::Record([row(Prim::F64), row(Prim::I64)].into()));
    }
}
