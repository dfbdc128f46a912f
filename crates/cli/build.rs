//! Lists the pages of `docs/errors` so that `ravel error CODE` works without the source tree.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let folder =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", folder.display());
    // Without the folder there are no pages; the command then says so.
    let entries = fs::read_dir(&folder).into_iter().flatten();
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of docs/errors").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    let mut table = String::from("&[\n");
    for path in pages {
        let code = path.file_stem().expect("a file has a name").to_string_lossy();
        writeln!(table, "    ({code:?}, include_str!({:?})),", path.display().to_string())
            .expect("writing to a string");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("error_pages.rs");
    fs::write(out, table).expect("writing the list of pages");
}
