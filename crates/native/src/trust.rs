//! Whose code may run: only code that no one but the user and the administrator can have written.
//!
//! Loading a library runs its code, so on a shared machine a folder that others may write is a way in. [`folder`]
//! accepts a path only if no one else can change what it leads to. Every part of it, and of every symbolic link on the
//! way, must belong to the user or the administrator, and no folder may be writable by others:
//!
//! ```text
//! /home/ann/.cache/ravel      drwx------ ann    accepted
//! /home/ann/shared/cache      drwxrwxr-x ann    rejected: the group may put files there
//! /tmp/cache                  drwx------ ann    accepted: /tmp is writable by all, but sticky, and the folder is ann's
//! /tmp/cache                  drwxr-xr-x bob    rejected: bob made it first
//! /data/team/ann/cache        drwx------ ann    rejected if team is writable by its group: they can move ann away
//! ```
//!
//! No other user can replace anything between the check and the use of such a path, so there is no race to lose.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

/// Write permission for the group and for everybody.
const OTHERS_MAY_WRITE: u32 = 0o022;
/// In a folder with this bit only the owner of a file may remove or rename it.
const STICKY: u32 = 0o1000;
/// More symbolic links than this are a circle.
const MOST_LINKS: usize = 40;

/// Makes a folder that only the user can read or write, with the folders above it, unless it exists.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Accepts a folder whose contents no other user can change or replace; otherwise says why not, and what to do.
pub fn folder(path: &Path) -> Result<(), String> {
    let absolute = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let last = walk(&absolute, MOST_LINKS)?;
    match last.is_dir() {
        // The sticky bit protects files from others, but lets them add their own.
        true if last.mode() & OTHERS_MAY_WRITE != 0 => Err(writable(&absolute)),
        true => Ok(()),
        false => Err(format!("{}: it is not a folder", absolute.display())),
    }
}

/// Accepts a file in an accepted folder if only the user and the administrator can have written it. A missing one is
/// accepted.
pub fn file(path: &Path) -> Result<(), String> {
    let data = match std::fs::symlink_metadata(path) {
        Ok(data) => data,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    if !data.is_file() {
        return Err(format!("{}: it is not a plain file; remove it", path.display()));
    }
    owned(path, &data)?;
    if data.mode() & OTHERS_MAY_WRITE == 0 { Ok(()) } else { Err(writable(path)) }
}

/// Looks at every part of an absolute path, from the root on; gives what the whole path leads to.
fn walk(path: &Path, links: usize) -> Result<Metadata, String> {
    let missing = |at: &Path, error: io::Error| format!("{}: {error}", at.display());
    let mut at = PathBuf::new();
    let mut found = std::fs::symlink_metadata("/").map_err(|error| missing(Path::new("/"), error))?;
    for part in path.components() {
        at.push(part);
        if part == Component::RootDir {
            continue;
        }
        let above = found;
        found = std::fs::symlink_metadata(&at).map_err(|error| missing(&at, error))?;
        owned(&at, &found)?;
        if above.mode() & OTHERS_MAY_WRITE != 0 && above.mode() & STICKY == 0 {
            return Err(writable(at.parent().unwrap_or(&at)));
        }
        if found.is_symlink() {
            let target = std::fs::read_link(&at).map_err(|error| missing(&at, error))?;
            let links = links.checked_sub(1).ok_or_else(|| format!("{}: too many symbolic links", at.display()))?;
            found = walk(&at.parent().unwrap_or(Path::new("/")).join(target), links)?;
        }
    }
    Ok(found)
}

/// Accepts what belongs to the user, to the administrator, or to the owner of `/`: inside of a container the
/// administrator may go by another number.
fn owned(path: &Path, data: &Metadata) -> Result<(), String> {
    let root = || std::fs::metadata("/").is_ok_and(|root| root.uid() == data.uid());
    if data.uid() == rustix::process::geteuid().as_raw() || data.uid() == 0 || root() {
        return Ok(());
    }
    Err(format!("{}: it belongs to another user (number {}); {CHOOSE}", path.display(), data.uid()))
}

fn writable(path: &Path) -> String {
    let path = path.display();
    format!("{path}: other users may write there; run `chmod go-w {path}` if its contents are yours, or {CHOOSE}")
}

/// What users can do about a folder that is not theirs.
const CHOOSE: &str = "set RAVEL_CACHE (and TMPDIR) to folders that only you can write to";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn folders_that_others_may_write() {
        let top = tempfile::tempdir().unwrap();
        let (middle, inner) = (top.path().join("a"), top.path().join("a/b"));
        make_private(&inner).unwrap();
        assert_eq!(fs::metadata(&inner).unwrap().mode() & 0o777, 0o700);
        assert_eq!(folder(&inner), Ok(()));
        for bits in [0o720, 0o702, 0o1777] {
            mode(&inner, bits);
            assert!(folder(&inner).unwrap_err().contains("other users may write there; run `chmod go-w "), "{bits:o}");
        }
        mode(&inner, 0o755);
        assert_eq!(folder(&inner), Ok(()));
        // A user who may write the folder above can replace this one, unless that one is sticky.
        mode(&middle, 0o770);
        assert!(folder(&inner).unwrap_err().starts_with(&format!("{}: other users", middle.display())));
        mode(&middle, 0o1777);
        assert_eq!(folder(&inner), Ok(()));
    }

    #[test]
    fn links_lead_where_their_targets_are_safe() {
        let top = tempfile::tempdir().unwrap();
        let (open, safe) = (top.path().join("open"), top.path().join("safe"));
        make_private(&open.join("cache")).unwrap();
        make_private(&safe).unwrap();
        mode(&open, 0o777);
        symlink("open/cache", top.path().join("bad")).unwrap();
        symlink(&safe, top.path().join("good")).unwrap();
        symlink("circle", top.path().join("circle")).unwrap();
        assert_eq!(folder(&top.path().join("good")), Ok(()));
        assert!(folder(&top.path().join("bad")).unwrap_err().contains("open: other users"));
        assert!(folder(&top.path().join("circle")).unwrap_err().contains("too many symbolic links"));
        assert!(folder(&top.path().join("nothing")).is_err());
    }

    #[test]
    fn files_that_others_may_write() {
        let top = tempfile::tempdir().unwrap();
        let (plain, link) = (top.path().join("plain"), top.path().join("link"));
        fs::write(&plain, "").unwrap();
        mode(&plain, 0o644);
        symlink(&plain, &link).unwrap();
        assert_eq!(file(&plain), Ok(()));
        assert_eq!(file(&top.path().join("missing")), Ok(()));
        assert!(file(&link).unwrap_err().contains("not a plain file"));
        mode(&plain, 0o664);
        assert!(file(&plain).unwrap_err().contains("other users may write"));
        assert!(folder(&plain).unwrap_err().contains("not a folder"));
    }

    /// Only the administrator can give files away; elsewhere nothing is left to test.
    #[test]
    fn what_belongs_to_somebody_else() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("theirs");
        make_private(&path).unwrap();
        if std::os::unix::fs::chown(&path, Some(12345), None).is_ok() {
            assert!(folder(&path).unwrap_err().contains("belongs to another user (number 12345)"));
            make_private(&path.join("mine")).unwrap();
            assert!(folder(&path.join("mine")).is_err());
        }
    }
}
