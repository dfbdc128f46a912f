//! Arrays of Core.
//!
//! - `parts`: the element or part of an array is the same part of each of its leaves.
//! - `dims`: dimensions written in another way, put together, measured.
//! - `ranks`: dimensions known only as a shape vector.
//! - `join`: the form of several values, and new variables in a form. `convert`: a value brought into a form.
//!   `dummies`: some value of a form.
//! - `bulk`: values put into arrays. `share`: descriptors that they share. `unranked`: rows whose shape is known only behind them.
//! - `operators`: element-wise operators, comparison of whole values. `counting`: how many numbers a range has.

pub(crate) mod bulk;
mod convert;
pub(crate) mod counting;
pub(crate) mod dims;
mod dummies;
mod join;
mod operators;
pub(crate) mod parts;
mod ranks;
mod share;
mod unranked;
