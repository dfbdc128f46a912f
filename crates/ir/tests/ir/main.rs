//! Tests of Core: its text, its verifier, its facts.

mod generated;
mod memory;
mod text;
mod verify;
