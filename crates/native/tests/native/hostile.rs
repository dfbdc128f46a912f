//! When the compiler or the disk does not play along: a clear message each, and nothing left corrupted.

use crate::common::samples::doubling;
use crate::common::*;
use native::{NativeError, Options, Settings, cache};
use std::path::Path;
use tempfile::TempDir;

/// A folder of its own for each test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A C compiler that is a script. The shell reads it: a file that was just written cannot be run itself while another
    /// test starts a process, which has it open for a moment.
    fn script(&self, text: &str) -> String {
        let path = self.path().join("fake-cc");
        std::fs::write(&path, format!("{text}\n")).unwrap();
        format!("/bin/sh {}", path.display())
    }
}

fn source() -> String {
    codegen::c_program(&doubling(), None).text
}

fn options(cache: Option<&Path>) -> Options {
    Options { level: 0, cache: cache.map(Path::to_owned), ..Options::default() }
}

fn works(compiled: &native::Compiled) {
    let mut context = compiled.library.context(Settings::default()).unwrap();
    let results = context.call(0, &mut numbers(&[1, 2]), &[vector()]).unwrap();
    assert_eq!(show(&results), "2i64 [2i64,4i64]");
}

#[test]
fn no_compiler() {
    let options = Options { compiler: Some("no-such-compiler".into()), ..options(None) };
    let error = native::compile(&source(), &options).unwrap_err();
    assert!(error.to_string().starts_with("no C compiler found (tried no-such-compiler)"), "{error}");
}

#[test]
fn a_compiler_that_fails_and_one_that_dies() {
    let folder = Folder::new();
    for (script, said) in [("echo 'boom' >&2; exit 1", "boom"), ("kill -9 $$", "signal"), ("exit 0", "exit status: 0")]
    {
        let options = Options { compiler: Some(folder.script(script)), ..options(Some(&folder.path().join("cache"))) };
        let error = native::compile(&source(), &options).unwrap_err();
        assert!(matches!(error, NativeError::CompilerFailed { .. }) && error.to_string().contains(said), "{error}");
        assert_eq!(cache::summary(&folder.path().join("cache")).bytes, 0, "something was left behind");
    }
}

#[test]
fn kept_and_found_and_damaged() {
    let folder = Folder::new();
    for cached in [false, true] {
        let compiled = native::compile(&source(), &options(Some(folder.path()))).unwrap();
        assert_eq!(compiled.cached, cached);
        works(&compiled);
    }
    assert_eq!(cache::summary(folder.path()).programs, 1);
    // Other flags are another program.
    let other = Options { flags: vec!["-g".into()], ..options(Some(folder.path())) };
    assert!(!native::compile(&source(), &other).unwrap().cached);
    cache::clear(folder.path()).unwrap();
    assert!(!native::compile(&source(), &options(Some(folder.path()))).unwrap().cached);
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
    let whole = std::fs::read(file.path()).unwrap();
    for bytes in [&b"not a library"[..], &whole[..whole.len() / 2], &[]] {
        // Another folder, because a file that is in use under its name is not read again.
        let damaged = Folder::new();
        std::fs::write(damaged.path().join(file.file_name()), bytes).unwrap();
        for cached in [false, true] {
            let compiled = native::compile(&source(), &options(Some(damaged.path()))).unwrap();
            assert_eq!(compiled.cached, cached);
            works(&compiled);
        }
    }
}

#[test]
fn a_folder_that_cannot_be_used() {
    let folder = Folder::new();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let compiled = native::compile(&source(), &options(Some(&file.join("cache")))).unwrap();
    assert!(compiled.notes[0].starts_with("compiled code is not cached: "), "{:?}", compiled.notes);
    works(&compiled);
}

#[test]
fn a_full_disk() {
    let folder = Folder::new();
    let cache = folder.path().join("cache");
    let script = format!(
        "case \"$*\" in *{}*) echo 'No space left on device' >&2; exit 1;; *) exec cc \"$@\";; esac",
        cache.display()
    );
    let options = Options { compiler: Some(folder.script(&script)), ..options(Some(&cache)) };
    let compiled = native::compile(&source(), &options).unwrap();
    assert_eq!(compiled.notes, ["compiled code is not cached: the disk is full"]);
    works(&compiled);
    assert_eq!(cache::summary(&cache).bytes, 0);
}

#[test]
fn several_at_once() {
    let folder = Folder::new();
    let source = source();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| works(&native::compile(&source, &options(Some(folder.path()))).unwrap()));
        }
    });
    assert_eq!(cache::summary(folder.path()).programs, 1);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1);
}

/// What was there stays until something whole takes its place.
#[test]
fn a_target_that_cannot_be_written() {
    let folder = Folder::new();
    let error =
        native::build("int main(void) { return 0; }\n", folder.path(), native::Product::Program, &options(None))
            .unwrap_err();
    assert!(error.to_string().contains("it exists and is not a file"), "{error}");
    let missing = folder.path().join("none/program");
    assert!(
        native::build("int main(void) { return 0; }\n", &missing, native::Product::Program, &options(None)).is_err()
    );
    let target = folder.path().join("program");
    for status in [3, 4] {
        let text = format!("int main(void) {{ return {status}; }}\n");
        native::build(&text, &target, native::Product::Program, &options(None)).unwrap();
        assert_eq!(std::process::Command::new(&target).status().unwrap().code(), Some(status));
    }
    assert!(native::build("no C", &target, native::Product::Program, &options(None)).is_err());
    assert_eq!(std::process::Command::new(&target).status().unwrap().code(), Some(4));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["program"]);
}
