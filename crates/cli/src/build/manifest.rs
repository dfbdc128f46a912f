//! The manifest of a library: what other tools need to know about it, as JSON.

use driver::{CArray, CFunction, CLeaf, CLibrary};
use serde_json::{Value, json};
use std::path::Path;

/// The manifest as text.
pub fn text(name: &str, file: &Path, library: &CLibrary) -> String {
    let entries = library.functions.iter().map(|function| entry(name, function));
    let manifest = json!({
        "name": name,
        "version": env!("CARGO_PKG_VERSION"),
        "program": file.display().to_string(),
        "source": format!("{name}.c"),
        "header": format!("{name}.h"),
        "library": format!("lib{name}.so"),
        "entries": entries.collect::<Vec<Value>>(),
        "arrays": library.arrays.iter().map(|array| self::array(name, array)).collect::<Vec<Value>>(),
    });
    format!("{manifest:#}\n")
}

fn entry(name: &str, function: &CFunction) -> Value {
    let values = |values: &[Vec<CLeaf>]| -> Vec<Value> {
        values.iter().map(|leaves| leaves.iter().map(|leaf| component(name, leaf)).collect()).collect()
    };
    json!({
        "name": function.entry,
        "type": function.ty,
        "function": function.name,
        "params": values(&function.params),
        "results": values(&function.results),
    })
}

/// A parameter of a C function. Components that share a dimension have the same number for it.
fn component(name: &str, leaf: &CLeaf) -> Value {
    let array = leaf.array();
    json!({
        "name": leaf.name,
        "element": leaf.prim.name(),
        "array": array.map(|array| format!("{name}_{}", array.name)),
        "dimensions": leaf.dims.iter().map(|(_, number)| *number).collect::<Vec<usize>>(),
        "overwritten": leaf.consumed,
        "constructors": (!leaf.constructors.is_empty()).then(|| leaf.constructors.clone()),
    })
}

fn array(name: &str, array: &CArray) -> Value {
    let dimension = |letter| match letter {
        'n' => "regular",
        '~' => "jagged",
        _ => "any",
    };
    json!({
        "name": format!("{name}_{}", array.name),
        "type": array.shown(),
        "element": array.prim.name(),
        "c_element": array.element(),
        "dimensions": array.dims.chars().map(dimension).collect::<Vec<&str>>(),
    })
}
