//! The table of operations that the implementation provides, and `std/intrinsics.rv`, which gives their types.

use driver::InMemory;
use typed::{Body, Intrinsic};

/// The checker stops at a `val` that is not in the table; this is the other direction.
#[test]
fn the_table_agrees_with_the_library() {
    let compiled = driver::compile(&InMemory::new([("empty.rv", "")]), "empty.rv");
    let program = compiled.program.expect("an empty program is right");
    for op in Intrinsic::all() {
        let def = program.defs.iter().find(|(_, def)| matches!(def.body, Body::Intrinsic(found) if found == op));
        let (_, def) = def.unwrap_or_else(|| panic!("std/intrinsics.rv lacks `{}`", op.name()));
        assert_eq!(def.params.len(), op.arity(), "the number of arguments of `{}`", op.name());
    }
}
