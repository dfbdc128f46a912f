//! Types with parameters.

use typed::{Type, TypeParam};

/// A type with its parameters.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    pub params: Vec<TypeParam>,
    pub ty: Type,
}

impl Scheme {
    pub(super) fn plain(ty: Type) -> Scheme {
        Scheme { params: Vec::new(), ty }
    }
}
