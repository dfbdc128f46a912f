//! Values as programs take and give them at the shell: in memory, as text, in files of several formats ([`Format`]), and
//! compared with a tolerance.
//!
//! Nothing here knows programs or types of programs. Whoever reads input for an entry point says
//! what it expects as a [`ValueType`]; [`Values`] then reads one value after another.

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
