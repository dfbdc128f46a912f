//! On a shared machine: what others can have written is never loaded, and the message says what to do.

use crate::common::samples::doubling;
use crate::common::*;
use native::{Compiled, Options, Settings, cache};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn compile(folder: &Path) -> Compiled {
    let source = codegen::c_program(&doubling(), None).text;
    let options = Options { level: 0, cache: Some(folder.to_owned()), ..Options::default() };
    let compiled = native::compile(&source, &options).unwrap();
    let results = compiled.library.context(Settings::default()).unwrap().call(0, &mut numbers(&[1, 2]), &[vector()]);
    assert_eq!(show(&results.unwrap()), "2i64 [2i64,4i64]");
    compiled
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn only_file(folder: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn the_folder_is_made_for_the_user_alone() {
    let top = tempfile::tempdir().unwrap();
    let cache = top.path().join("a/b");
    compile(&cache);
    for folder in [&cache, &top.path().join("a")] {
        assert_eq!(fs::metadata(folder).unwrap().mode() & 0o777, 0o700);
    }
    assert_eq!(fs::metadata(only_file(&cache)).unwrap().mode() & 0o077, 0);
}

/// Somebody made the folder before the user did, and left it open, or one above it.
#[test]
fn a_folder_that_others_may_write_is_not_used() {
    let top = tempfile::tempdir().unwrap();
    let (above, cache) = (top.path().join("above"), top.path().join("above/cache"));
    compile(&cache);
    for (path, open, closed) in [(&cache, 0o777, 0o700), (&cache, 0o1777, 0o700), (&above, 0o775, 0o755)] {
        set_mode(path, open);
        let compiled = compile(&cache);
        assert!(!compiled.cached && compiled.kept.is_none());
        let note = &compiled.notes[0];
        let place = path.display();
        assert!(
            note.starts_with(&format!("compiled code is not cached: {place}: other users may write there")),
            "{note}"
        );
        assert!(note.contains(&format!("`chmod go-w {place}`")) && note.contains("RAVEL_CACHE"), "{note}");
        set_mode(path, closed);
        assert!(compile(&cache).cached);
    }
}

/// Somebody put code under the name that the user's program will have.
#[test]
fn a_library_that_others_may_write_is_replaced() {
    let top = tempfile::tempdir().unwrap();
    let cache = top.path();
    compile(cache);
    let library = only_file(cache);
    set_mode(&library, 0o722);
    assert!(native::load_kept(library.file_name().unwrap().to_str().unwrap(), cache).is_none());
    let compiled = compile(cache);
    assert!(!compiled.cached);
    assert!(
        compiled.notes[0].starts_with("cached code is not used, the program is compiled again: "),
        "{:?}",
        compiled.notes
    );
    assert!(compile(cache).cached);
}

#[test]
fn a_library_that_is_a_link_is_replaced() {
    let (top, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    compile(top.path());
    let library = only_file(top.path());
    let target = elsewhere.path().join("code.so");
    fs::rename(&library, &target).unwrap();
    let before = fs::read(&target).unwrap();
    symlink(&target, &library).unwrap();
    let compiled = compile(top.path());
    assert!(!compiled.cached && compiled.notes[0].contains("it is not a plain file"), "{:?}", compiled.notes);
    assert_eq!(fs::read(&target).unwrap(), before, "the link was followed");
    assert!(fs::symlink_metadata(&library).unwrap().is_file());
}

/// A file beside the target of `build` with a name that could be guessed would be followed as a link.
#[test]
fn building_follows_no_links() {
    let (top, victim) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let precious = victim.path().join("precious");
    fs::write(&precious, "text").unwrap();
    let target = top.path().join("program");
    symlink(&precious, &target).unwrap();
    let options = Options { level: 0, cache: None, ..Options::default() };
    native::build("int main(void) { return 0; }\n", &target, native::Product::Program, &options).unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "text");
    assert!(fs::symlink_metadata(&target).unwrap().is_file());
    assert_eq!(only_file(top.path()), target);
}

/// Only the administrator can give folders away, so elsewhere there is nothing to see.
#[test]
fn a_folder_that_belongs_to_somebody_else_is_not_used() {
    let top = tempfile::tempdir().unwrap();
    let cache = top.path().join("cache");
    fs::create_dir(&cache).unwrap();
    if std::os::unix::fs::chown(&cache, Some(12345), None).is_err() {
        return;
    }
    assert!(cache::open(&cache).unwrap_err().contains("it belongs to another user (number 12345)"));
    let compiled = compile(&cache);
    assert!(compiled.kept.is_none() && compiled.notes[0].contains("belongs to another user"), "{:?}", compiled.notes);
}
