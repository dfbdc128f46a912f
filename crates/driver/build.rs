//! Lists the files of `std/` so that the compiler carries them inside: a new library file needs no change here.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let folder =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")).join("../../std");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("an entry of std/").path())
        .filter(|path| path.extension().is_some_and(|e| e == "rv"))
        .collect();
    files.sort();
    let mut table = String::from("&[\n");
    for path in files {
        let stem = path.file_stem().expect("a file has a name").to_string_lossy();
        writeln!(table, "    ({stem:?}, include_str!({:?})),", path.display().to_string())
            .expect("writing to a string");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("std_files.rs");
    fs::write(out, table).expect("writing the list of library files");
}
