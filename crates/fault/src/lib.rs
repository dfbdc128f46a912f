//! Run-time faults: the table of faults, their messages, and how a check carries its message.
//!
//! | Module | Content |
//! |---|---|
//! | [`table`] | [`Fault`]: one variant for each fault, with its code `R0xx` and its properties |
//! | [`message`] | the message of every fault, as texts with gaps for values |
//! | [`text`] | texts with gaps, and how the gaps are filled |
//! | [`site`] | a message at a place in the source, with the calls that led there |
//! | [`calls`] | which of the active calls a message shows |
//! | [`notation`] | sites in the text forms of Core and Kernel |
//!
//! Both interpreters and the compiler use [`message`], so all back ends print the same text:
//!
//! ```
//! use fault::{Argument, message};
//! let message = message::step();
//! assert_eq!(message.fault.code(), "R021");
//! assert_eq!(message.title.fill(&[Argument::Number(-2)]), "step -2 of a generator is below one");
//! ```
//!
//! The interpreters fill the gaps at once. Compiled code carries the number of a [`Site`] and the values for the gaps;
//! the program that shows the message fills them.

pub mod calls;
pub mod message;
pub mod notation;
pub mod site;
pub mod table;
pub mod text;

pub use message::Message;
pub use site::{Call, Caller, Site};
pub use table::Fault;
pub use text::{Argument, Piece, Text};
