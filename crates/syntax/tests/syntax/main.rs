//! The parser seen from outside: the trees of correct programs, what is said about wrong ones, and that nothing
//! breaks it.

mod errors;
mod habits;
mod robust;
mod show;
mod trees;
