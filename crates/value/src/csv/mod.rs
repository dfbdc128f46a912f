//! Tables as text: a line for each row, commas between the cells, and perhaps names of columns in the first line.
//!
//! ```text
//! name,age            for  [n]{name: []u8, age: i64}   each row is a record; columns are found by their names
//! "Lovelace, A.",36   for  ([n]f64, [n]f64)            each column is an array
//! Gauss,77            for  [n][m]f64, [n]f64           all cells are numbers
//! ```
//!
//! The expected type determines how a table is read (`read`); `cells` only splits the text.

mod cells;
mod read;
mod write;

pub use read::read;
pub use write::write;
