//! Core to Core. One file or folder a pass; each says what it does before and after, and none imports another. The driver's table
//! (`driver::passes`) gives them names and an order.

mod copies;
mod fold;
mod simplify;
mod sweep;

pub use copies::copies;
pub use fold::fold;
pub use simplify::simplify;
pub use sweep::sweep;
