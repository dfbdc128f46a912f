//! Types with sizes, size functions and shapes.

use crate::{AbstractId, Expr, LocalId, Param, TypeVarId};
use base::{Name, define_id};
use scalar::Prim;
use std::sync::Arc;

define_id!(
    /// An unknown of type inference; none is left in a checked program.
    MetaId, "?"
);
define_id!(
    /// An unknown size, size function or shape of inference; none is left in a checked program.
    SizeMetaId, "?n"
);

/// Constructors of a sum type with arguments.
type Constrs = Arc<[(Name, Vec<Type>)]>;

/// So many constructors are not looked through again and again.
const MANY: usize = 64;

thread_local! {
    /// The last sum type with many constructors that was found to be plain.
    static LAST_PLAIN: std::cell::RefCell<Option<Constrs>> = const { std::cell::RefCell::new(None) };
}

fn is_last_plain(constrs: &Constrs) -> bool {
    LAST_PLAIN.with_borrow(|last| last.as_ref().is_some_and(|known| Arc::ptr_eq(known, constrs)))
}

/// A type. Cloning is cheap.
#[derive(Clone, Debug)]
pub enum Type {
    /// `i32`.
    Prim(Prim),
    /// A type parameter.
    Var(TypeVarId),
    /// An abstract type and its arguments.
    Abstract(AbstractId, Arc<[TypeArg]>),
    /// A record, sorted by [`field_order`]; a tuple is the record with fields `0`, `1`, ...
    Record(Arc<[(Name, Type)]>),
    /// A sum type, sorted by constructor name.
    Sum(Constrs),
    /// `[n]t`.
    Array(Dim, Arc<Type>),
    /// `a -> b`.
    Fun(Arc<FunType>),
    /// Unknown, during inference only.
    Meta(MetaId),
    /// The type of what was reported as wrong; agrees with every type, so that one mistake gives one message.
    Error,
}

/// One dimension of an array type.
#[derive(Clone, Debug)]
pub enum Dim {
    /// `[n]`: the same extent in every row.
    Size(Size),
    /// `[~k]`: row i has `k[i]` elements; `None` when no name is bound to the row lengths.
    Jagged(Option<LocalId>),
    /// `[..s]`: any number of dimensions.
    Shape(Shape),
}

/// An extent.
#[derive(Clone, Debug)]
pub enum Size {
    /// A number.
    Const(i64),
    /// A local of type `i64`: size parameter, existential size or ordinary variable.
    Local(LocalId),
    /// An expression of type `i64`, all of whose variables are in scope.
    Expr(Arc<Expr>),
    /// Unknown, during inference only.
    Meta(SizeMetaId),
    /// Not known by any name: look at the value.
    Unknown,
}

/// The shape after `..`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A shape parameter, an existential shape, or a vector in scope.
    Local(LocalId),
    /// Unknown, during inference only.
    Meta(SizeMetaId),
    /// Not known by any name: look at the value.
    Unknown,
}

/// A function type with one parameter.
#[derive(Clone, Debug)]
pub struct FunType {
    /// The parameter's name, which the result's sizes may mention.
    pub name: Option<LocalId>,
    /// The parameter's type.
    pub param: Type,
    /// Which parts of the argument are consumed.
    pub diet: Diet,
    /// The result.
    pub ret: Ret,
}

/// The result of a function.
#[derive(Clone, Debug)]
pub struct Ret {
    /// Existential sizes (`?[k].[k]t`), found by looking at the result.
    pub exts: Vec<LocalId>,
    /// Its type.
    pub ty: Type,
    /// Which parts are unique (`*t`): they share nothing with any argument.
    pub unique: Diet,
}

impl Ret {
    /// A result that shares whatever it likes and brings no sizes into being.
    pub fn plain(ty: Type) -> Ret {
        Ret { exts: Vec::new(), ty, unique: Diet::Observe }
    }
}

/// Which parts of a parameter are consumed, or of a result unique: what the `*`s in a type say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Diet {
    /// Nothing.
    Observe,
    /// All of it.
    Consume,
    /// Field by field, in the order of the record type.
    Fields(Vec<Diet>),
}

impl Diet {
    /// Whether any part is consumed.
    pub fn consumes(&self) -> bool {
        match self {
            Diet::Observe => false,
            Diet::Consume => true,
            Diet::Fields(fields) => fields.iter().any(Diet::consumes),
        }
    }

    /// The diet of field `index`. While a program has errors there may be no such field: it is only observed.
    pub fn part(&self, index: usize) -> &Diet {
        match self {
            Diet::Observe | Diet::Consume => self,
            Diet::Fields(fields) => fields.get(index).unwrap_or(&Diet::Observe),
        }
    }

    /// The diet of the part that a path of fields leads to.
    pub fn at(&self, path: &[u16]) -> &Diet {
        path.iter().fold(self, |diet, index| diet.part(usize::from(*index)))
    }
}

/// A parameter of a definition or abstract type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParam {
    /// `[n]`.
    Size(LocalId),
    /// `'a`.
    Type(TypeVarId),
    /// `[~k]`.
    Jagged(LocalId),
    /// `[..s]`.
    Shape(LocalId),
}

impl TypeParam {
    /// The local that a size, row lengths or a shape are bound to; none for a type.
    pub fn local(&self) -> Option<LocalId> {
        match self {
            TypeParam::Size(local) | TypeParam::Jagged(local) | TypeParam::Shape(local) => Some(*local),
            TypeParam::Type(_) => None,
        }
    }
}

/// What a type parameter is instantiated to at a use.
#[derive(Clone, Debug)]
pub enum TypeArg {
    /// For `[n]`.
    Size(Size),
    /// For `'a`; its arrays may be jagged, so that `a` means rows that differ.
    Type(Type),
    /// For `[~k]`: a jagged dimension, or a size when all rows agree.
    Jagged(Dim),
    /// For `[..s]`: the dimensions of the shape, or one [`Dim::Shape`].
    Shape(Vec<Dim>),
}

/// The order of record fields: numbers before names, numbers by value, names by text.
pub fn field_order(a: Name, b: Name) -> std::cmp::Ordering {
    let number = |n: Name| n.as_str().parse::<u64>().ok();
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(&b),
    }
}

impl Type {
    /// `i64`, the type of sizes.
    pub const I64: Type = Type::Prim(Prim::I64);
    /// `bool`.
    pub const BOOL: Type = Type::Prim(Prim::Bool);

    /// The record with these fields.
    pub fn record(mut fields: Vec<(Name, Type)>) -> Type {
        fields.sort_by(|a, b| field_order(a.0, b.0));
        Type::Record(fields.into())
    }

    /// The tuple of these types; of none, `()`.
    pub fn tuple(types: impl IntoIterator<Item = Type>) -> Type {
        Type::Record(types.into_iter().enumerate().map(|(i, t)| (tuple_field(i), t)).collect())
    }

    /// Whether the type is a record or sum type of scalars, or of such: nothing can be put in for anything in it, so
    /// that all its uses can share it. Types with thousands of parts are used thousands of times.
    pub fn is_plain(&self) -> bool {
        let settled = |ty: &Type| matches!(ty, Type::Prim(_)) || ty.is_plain();
        match self {
            Type::Record(fields) => fields.iter().all(|f| settled(&f.1)),
            // Every case of a `match` on it asks again.
            Type::Sum(constrs) if constrs.len() >= MANY && is_last_plain(constrs) => true,
            Type::Sum(constrs) => {
                let plain = constrs.iter().all(|c| c.1.iter().all(settled));
                if plain && constrs.len() >= MANY {
                    LAST_PLAIN.set(Some(constrs.clone()));
                }
                plain
            }
            Type::Prim(_) | Type::Var(_) | Type::Abstract(..) | Type::Array(..) | Type::Fun(_) => false,
            Type::Meta(_) | Type::Error => false,
        }
    }

    /// The fields' types if this is a tuple of zero, two or more.
    pub fn as_tuple(&self) -> Option<Vec<&Type>> {
        match self {
            Type::Record(fields) if is_tuple(fields.iter().map(|f| f.0)) => Some(fields.iter().map(|f| &f.1).collect()),
            _ => None,
        }
    }

    /// `[dim]elem`.
    pub fn array(dim: Dim, elem: Type) -> Type {
        Type::Array(dim, Arc::new(elem))
    }

    /// The function type of these parameters and this result.
    pub fn function(params: &[Param], ret: Ret) -> Type {
        let mut ret = ret;
        for param in params.iter().rev() {
            let fun = FunType { name: param.name(), param: param.pat.ty.clone(), diet: param.diet.clone(), ret };
            ret = Ret::plain(Type::Fun(Arc::new(fun)));
        }
        ret.ty
    }
}

/// The name of a tuple's field `index`.
pub fn tuple_field(index: usize) -> Name {
    Name::new(&index.to_string())
}

/// The position of a field in a record type, whose fields are sorted by [`field_order`].
pub fn field_position<T>(fields: &[(Name, T)], name: Name) -> Option<usize> {
    match fields.binary_search_by(|f| field_order(f.0, name)) {
        Ok(index) if fields[index].0 == name => Some(index),
        // `1` and `01` are two fields of one order.
        Ok(_) => fields.iter().position(|f| f.0 == name),
        Err(_) => None,
    }
}

/// Whether these names, in order, are those of a tuple of zero, two or more fields.
pub fn is_tuple(names: impl ExactSizeIterator<Item = Name>) -> bool {
    names.len() != 1 && names.enumerate().all(|(i, n)| n.as_str() == i.to_string())
}
