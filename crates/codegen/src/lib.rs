//! Kernel to C: one writer, split by construct.
//!
//! A program becomes one C file: the parts of the run-time system (`runtime/c`) that it needs, the functions on scalars
//! that it uses, and its own functions. A scalar variable is a C variable; a buffer is two, the pointer to its elements
//! and the pointer to the block that counts them, so that loops see plain typed pointers. The bodies of parallel loops
//! and attempts are functions of their own, which take what they use from a structure.

mod clock;
mod copies;
mod cost;
mod counted;
mod emitter;
mod entry;
mod excerpt;
mod executable;
mod expr;
mod forms;
mod function;
mod interface;
mod library;
mod math;
mod memory;
mod message;
mod names;
mod needs;
mod operator;
mod outline;
mod rare;
mod runtime;
mod stm;
mod translate;
mod types;
mod units;
mod writer;

pub use excerpt::{Excerpt, Locate};
pub use executable::{Executable, executable};
pub use interface::{Array, Function, Leaf};
pub use library::{CLibrary, library};
pub use translate::{CProgram, c_program, measured_c_program};
