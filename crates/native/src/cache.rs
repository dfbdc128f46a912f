//! The folder in which compiled code is kept.
//!
//! A file is written under another name and then renamed, so that no process ever sees half of one, and two runs at
//! once do each other no harm. When the folder grows too large the files that were not used for longest are removed.
//!
//! What lies there is run, so the folder belongs to the user alone ([`open`]), and files that others can have written
//! are not used (see `trust`).

use crate::trust;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The folder may hold so many bytes.
const LIMIT: u64 = 256 << 20;
/// The extension of notes about programs.
const NOTE: &str = "note";
/// What is left of a run that was killed is removed after this time.
const STALE: Duration = Duration::from_secs(3600);

/// What lies in the cache.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The folder.
    pub folder: PathBuf,
    /// How many programs are kept.
    pub programs: usize,
    /// How many bytes they take.
    pub bytes: u64,
}

/// The folder: `$RAVEL_CACHE`, or `ravel` in the user's folder for such things; none if neither is known.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A relative one would be another folder in every folder; the XDG specification has us ignore it.
    let set_absolute = |name: &str| set(name).filter(|path| path.is_absolute());
    set("RAVEL_CACHE")
        .or_else(|| set_absolute("XDG_CACHE_HOME").map(|folder| folder.join("ravel")))
        .or_else(|| set_absolute("HOME").map(|home| home.join(".cache").join("ravel")))
}

/// Makes the folder if there is none. Says why it must not be used, if others can put code there.
pub fn open(folder: &Path) -> Result<(), String> {
    trust::make_private(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    trust::folder(folder)
}

/// What is kept at the moment.
pub fn summary(folder: &Path) -> Summary {
    let files = files(folder);
    let bytes = files.iter().map(|file| file.bytes).sum();
    Summary { folder: folder.to_owned(), programs: files.iter().filter(|file| file.is_library()).count(), bytes }
}

/// Removes everything that was kept; other files in the folder stay.
pub fn clear(folder: &Path) -> std::io::Result<Summary> {
    let before = summary(folder);
    for file in files(folder) {
        match file.remove() {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(before)
}

/// A name for the result of these texts: a cryptographic hash, so other texts never get the same name.
pub fn key(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Says that a file is in use, so that it is kept longer.
pub(crate) fn touch(path: &Path) {
    // A user who may not write here may still read.
    if let Ok(file) = std::fs::File::options().append(true).open(path) {
        file.set_modified(SystemTime::now()).ok();
    }
}

/// What was noted about something that these texts tell from everything else. The folder must be [`open`].
pub fn recall(folder: &Path, about: &[&str]) -> Option<String> {
    let path = folder.join(format!("{}.{NOTE}", key(about)));
    trust::file(&path).ok()?;
    let text = std::fs::read_to_string(&path).ok()?;
    touch(&path);
    Some(text)
}

/// Notes something for [`recall`]. Failing to write is no error.
pub fn note(folder: &Path, about: &[&str], text: &str) {
    let key = key(about);
    let write = || {
        let mut file = unfinished(&key).tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(folder.join(format!("{key}.{NOTE}"))).map_err(std::io::Error::from)
    };
    // A note only saves time.
    let _ = write();
}

/// Names of files and folders that are being made; what a killed run left of them is found by the name.
pub(crate) fn unfinished(key: &str) -> tempfile::Builder<'_, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(key).suffix(".tmp");
    builder
}

/// Removes the oldest files if there are too many, and files that killed runs left.
pub(crate) fn tidy(folder: &Path) {
    tidy_to(folder, LIMIT);
}

fn tidy_to(folder: &Path, limit: u64) {
    let mut files = files(folder);
    let now = SystemTime::now();
    let stale = |file: &File| !file.is_kept() && now.duration_since(file.used).is_ok_and(|age| age > STALE);
    let mut total: u64 = files.iter().map(|file| file.bytes).sum();
    files.sort_by_key(|file| file.used);
    for file in &files {
        let surplus = total > limit && file.is_kept();
        if (surplus || stale(file)) && file.remove().is_ok() {
            total -= file.bytes;
        }
    }
}

/// A file of ours, or a folder in which one was being made.
struct File {
    path: PathBuf,
    is_folder: bool,
    bytes: u64,
    used: SystemTime,
}

impl File {
    fn remove(&self) -> std::io::Result<()> {
        if self.is_folder { std::fs::remove_dir_all(&self.path) } else { std::fs::remove_file(&self.path) }
    }

    fn is_library(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "so")
    }

    fn is_kept(&self) -> bool {
        self.is_library() || self.path.extension().is_some_and(|extension| extension == NOTE)
    }
}

/// Our files: their names begin with a key.
fn files(folder: &Path) -> Vec<File> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let ours = |name: &str| name.len() > 32 && name.bytes().take(32).all(|byte| byte.is_ascii_hexdigit());
    let file = |entry: std::fs::DirEntry| {
        let data = entry.metadata().ok().filter(|data| data.is_file() || data.is_dir())?;
        let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        entry.file_name().to_str().filter(|name| ours(name)).map(|_| ())?;
        Some(File { path: entry.path(), is_folder: data.is_dir(), bytes: data.len(), used })
    };
    entries.flatten().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_files_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("notes.txt"), "not ours").unwrap();
        for (age, name) in [(30, "old"), (20, "middle"), (10, "new")] {
            let path = folder.join(format!("{}.so", key(&[name])));
            std::fs::write(&path, vec![0; 1000]).unwrap();
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        touch(&folder.join(format!("{}.so", key(&["old"]))));
        tidy_to(folder, 2500);
        assert!(!folder.join(format!("{}.so", key(&["middle"]))).exists());
        assert_eq!(summary(folder).programs, 2);
        assert_eq!(clear(folder).unwrap().bytes, 2000);
        assert_eq!(summary(folder).programs, 0);
        assert!(folder.join("notes.txt").exists());
    }

    #[test]
    fn notes_come_back_unless_others_may_have_written_them() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        note(folder.path(), &["a"], "text");
        assert_eq!(recall(folder.path(), &["a"]).as_deref(), Some("text"));
        let path = folder.path().join(format!("{}.{NOTE}", key(&["a"])));
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o622)).unwrap();
        assert_eq!(recall(folder.path(), &["a"]), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_killed_runs_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let left = unfinished(&key(&["a"])).tempdir_in(folder.path()).unwrap().keep();
        std::fs::write(left.join("program.c"), "").unwrap();
        tidy_to(folder.path(), 0);
        assert!(left.exists(), "another run may be at work");
        let old = SystemTime::now() - STALE - Duration::from_secs(1);
        std::fs::File::open(&left).unwrap().set_modified(old).unwrap();
        tidy_to(folder.path(), 0);
        assert!(!left.exists());
    }

    #[test]
    fn keys_tell_texts_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab"]).len(), 64);
    }
}
