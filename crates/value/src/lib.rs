//! Argument and result values of programs: in memory, as text, in files of several formats ([`Format`]), and compared with
//! a tolerance.
//!
//! Nothing here depends on programs or their types. The caller gives the expected type of an argument as a [`ValueType`];
//! [`Values`] then reads one value after another.

mod array;
pub mod binary;
pub mod bytes;
mod columns;
mod compare;
mod complex;
pub mod components;
pub mod csv;
mod error;
mod format;
pub mod json;
pub mod npy;
mod npy_header;
pub mod npz;
pub mod picture;
mod prim_vec;
mod print;
mod stream;
pub mod text;
mod types;
mod value;
mod zip;

pub use array::{Array, DimDesc, ShapeError};
pub use compare::{Tolerance, compare};
pub use error::{FormatError, Place};
pub use format::Format;
pub use prim_vec::{Element, PrimVec};
pub use stream::Values;
pub use types::{Dim, ValueType};
pub use value::Value;
