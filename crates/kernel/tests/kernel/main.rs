//! Tests of Kernel: its text and its verifier.

mod text;
mod verify;
