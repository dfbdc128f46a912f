//! Tests of lowering: Kernel gives what Core gives.

mod basics;
mod common;
mod jagged;
mod memory;
mod recursive;
