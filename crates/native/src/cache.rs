//! The folder in which compiled code is kept.
//!
//! A file is written under another name and then renamed, so that nobody ever sees half of one, and two runs at once do
//! each other no harm. When the folder grows too large the files that were not used for longest are removed.

use std::hash::{DefaultHasher, Hash, Hasher};
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
    set("RAVEL_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("ravel")))
        .or_else(|| set("HOME").map(|home| home.join(".cache").join("ravel")))
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
        match std::fs::remove_file(&file.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(before)
}

/// A name for what comes out of these texts.
pub fn key(texts: &[&str]) -> String {
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        texts.hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(1), half(2))
}

/// Says that a file is in use, so that it is kept longer.
pub(crate) fn touch(path: &Path) {
    // Whoever may not write here still may read.
    if let Ok(file) = std::fs::File::options().append(true).open(path) {
        file.set_modified(SystemTime::now()).ok();
    }
}

/// What was noted about something that these texts tell from everything else.
pub fn recall(folder: &Path, about: &[&str]) -> Option<String> {
    let path = folder.join(format!("{}.{NOTE}", key(about)));
    let text = std::fs::read_to_string(&path).ok()?;
    touch(&path);
    Some(text)
}

/// Notes something for [`recall`]. Whoever cannot write here does without.
pub fn note(folder: &Path, about: &[&str], text: &str) {
    let key = key(about);
    let new = folder.join(format!("{key}.{}.{}.tmp", std::process::id(), crate::compile::unique()));
    let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, folder.join(format!("{key}.{NOTE}"))));
    if written.is_err() {
        std::fs::remove_file(&new).ok();
    }
}

/// Removes the oldest files if there are too many, and what killed runs left behind.
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
        if (surplus || stale(file)) && std::fs::remove_file(&file.path).is_ok() {
            total -= file.bytes;
        }
    }
}

/// A file of ours.
struct File {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl File {
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
        let data = entry.metadata().ok().filter(|data| data.is_file())?;
        let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        entry.file_name().to_str().filter(|name| ours(name)).map(|_| ())?;
        Some(File { path: entry.path(), bytes: data.len(), used })
    };
    entries.flatten().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_files_go_first() {
        let folder = std::env::temp_dir().join(format!("ravel-cache-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("notes.txt"), "not ours").unwrap();
        for (age, name) in [(30, "old"), (20, "middle"), (10, "new")] {
            let path = folder.join(format!("{}.so", key(&[name])));
            std::fs::write(&path, vec![0; 1000]).unwrap();
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        touch(&folder.join(format!("{}.so", key(&["old"]))));
        tidy_to(&folder, 2500);
        assert!(!folder.join(format!("{}.so", key(&["middle"]))).exists());
        assert_eq!(summary(&folder).programs, 2);
        assert_eq!(clear(&folder).unwrap().bytes, 2000);
        assert_eq!(summary(&folder).programs, 0);
        assert!(folder.join("notes.txt").exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn keys_tell_texts_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab"]).len(), 32);
    }
}
