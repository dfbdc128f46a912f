//! Tests of the subscript analysis against brute force.

mod boxes;
mod clauses;
mod depend;
mod hard;
mod linear;
