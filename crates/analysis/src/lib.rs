//! Facts about Core. An analysis borrows a program and never changes it; passes and `lower` use what it says.
//!
//! | Module | What it knows |
//! |---|---|
//! | [`anyway`] | which values that a guard leaves out can be computed anyway |
//! | [`contractions`] | which arrays combine many values for each element, as a matrix product does |
//! | [`cost`] | which parts of a program may take long |
//! | [`emits`] | which steps give values to an output, and where |
//! | [`loops`] | which loops there are, how they run and what they check |
//! | [`masked`] | which loops can run as vectors whose last one is not full |
//! | [`mentions`] | which variables a part of a program mentions |
//! | [`messages`] | which parameters of functions only messages use |
//! | [`middle`] | in which turns of a loop conditions on its counter come out the same way |
//! | [`needs_memory`] | which vectors must lie in memory |
//! | [`places`] | whether the values of an update can be written as soon as they are computed |
//! | [`rising`] | whether running counts give the values of an update places of their own |
//! | [`same`] | whether two statements compute the same |
//! | [`same_memory`] | which arrays are one after the other in the same memory |
//! | [`strips`] | which reductions gain if several values are computed before they are combined |
//! | [`unmoved`] | which work is the same in each turn of a loop but stays in it, and why |
//! | [`uses`] | how variables are used |
//! | [`ways`] | how a bulk form can run: on several threads or in order, and why |

pub mod anyway;
pub mod contractions;
pub mod cost;
pub mod counted;
pub mod emits;
pub mod loops;
pub mod masked;
pub mod mentions;
pub mod messages;
pub mod middle;
pub mod needs_memory;
pub mod places;
pub mod rising;
pub mod same;
pub mod same_memory;
pub mod strips;
pub mod unmoved;
pub mod uses;
pub mod ways;
