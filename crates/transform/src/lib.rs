//! Passes from Core to Core, each in a file or folder whose head shows Core before and after. No pass imports another. The
//! driver's table (`driver::passes`) lists their names and their order.

mod checks;
mod clauses;
mod copies;
mod decide;
mod exchange;
mod fuse;
mod hoist;
mod in_place;
mod inline;
mod lanes;
mod loops;
mod masks;
mod nest;
mod order;
mod schedule;
mod simplify;
mod straight;
mod sweep;
mod tile;
mod trees;
mod vectors;
mod views;
mod write;

pub use checks::{checks, prove};
pub use clauses::clauses;
pub use copies::copies;
pub use decide::decide;
pub use exchange::exchange;
pub use fuse::fuse;
pub use hoist::hoist;
pub use in_place::in_place;
pub use inline::inline;
pub use lanes::lanes;
pub use loops::loops;
pub use masks::masks;
pub use nest::nest;
pub use order::order;
pub use schedule::schedule;
pub use simplify::simplify;
pub use sweep::sweep;
pub use tile::tile;
pub use trees::trees;
pub use vectors::vectors;
pub use views::views;
