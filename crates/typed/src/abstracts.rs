//! The representations of abstract types.

use crate::subst::Subst;
use crate::{AbstractId, Program, Type, TypeArg};

impl Program {
    /// The type with an abstract type at its head replaced by its representation.
    pub fn concrete(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Abstract(id, args) = &ty {
            ty = self.expand(*id, args);
        }
        ty
    }

    /// The representation of an abstract type. A size that is an expression over the parameters is unknown there: the arguments
    /// may be unknown, and the value shows it.
    pub fn expand(&self, id: AbstractId, args: &[TypeArg]) -> Type {
        let definition = &self.abstracts[id];
        let subst = Subst::of(&definition.params, args);
        let has_dims = !(subst.sizes.is_empty() && subst.jagged.is_empty() && subst.shapes.is_empty());
        Subst { forget_expressions: has_dims, ..subst }.apply(&definition.repr)
    }
}
