//! Code that reads, makes and copies arrays, for a [`crate::builder::Builder`]. Nothing here lowers statements.
//!
//! From the bottom up: elements of recursive arrays are demanded ([`demand`]), short vectors get memory ([`vector`]),
//! sizes ([`dims`]) and places ([`place`]) are computed, arrays copied ([`copying`]) and viewed ([`views`],
//! [`slices`]).

pub(crate) mod components;
pub(crate) mod copying;
pub(crate) mod demand;
pub(crate) mod desc;
pub(crate) mod dims;
pub(crate) mod faults;
pub(crate) mod index;
pub(crate) mod offsets;
pub(crate) mod place;
pub(crate) mod plain;
pub(crate) mod rec_read;
pub(crate) mod reshape;
pub(crate) mod slices;
pub(crate) mod slot;
pub(crate) mod vector;
pub(crate) mod views;
