//! Arrays of Core.
//!
//! - `parts`: the element or part of an array is the same part of each of its leaves.
//! - `dims`: dimensions written in another way, put together, measured.
//! - `ranks`: dimensions known only as a shape vector, and rows whose shape is known only behind them.
//! - `join`: the form of several values, and new variables in a form. `convert`: a value brought into a form, and some
//!   value of a form.
//! - `bulk`: values put into arrays, and the descriptors that they share.
//! - `operators`: element-wise operators, comparison of whole values.

pub(crate) mod bulk;
mod convert;
pub(crate) mod dims;
mod join;
mod operators;
pub(crate) mod parts;
mod ranks;
