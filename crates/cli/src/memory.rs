//! The memory limit of programs: by default three quarters of the available memory, so that the machine stays usable.
//! Available is what the system can provide without swapping, or what is left of the container's limit.

use std::alloc::{GlobalAlloc, Layout};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Allocations below this many bytes are not counted: counting each would cost too much time, and arrays that exhaust a
/// machine are larger.
const COUNTED: usize = 512;

/// An allocator that counts, for `base::memory`.
pub struct Counting<A>(pub A);

// SAFETY: passes all requests to the inner allocator and only counts sizes.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let found = unsafe { self.0.alloc(layout) };
        taken(found, layout.size());
        found
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let found = unsafe { self.0.alloc_zeroed(layout) };
        taken(found, layout.size());
        found
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { self.0.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let found = unsafe { self.0.realloc(at, layout, size) };
        if !found.is_null() {
            freed(layout.size());
            taken(found, size);
        }
        found
    }
}

fn taken(found: *mut u8, size: usize) {
    if size >= COUNTED && !found.is_null() {
        base::memory::count_taken(size);
    }
}

fn freed(size: usize) {
    if size >= COUNTED {
        base::memory::count_freed(size);
    }
}

/// Sets the limit for programs that this process runs, in MiB, or the default.
pub fn set_limit(mebibytes: Option<u64>) {
    match mebibytes {
        Some(mebibytes) => base::memory::set_limit(mebibytes.saturating_mul(1 << 20)),
        None => available().into_iter().for_each(|bytes| base::memory::set_limit(bytes / 4 * 3)),
    }
}

/// How many more bytes this process could take, if the system says so.
fn available() -> Option<u64> {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemAvailable:"));
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let in_groups = groups.lines().filter_map(group).flat_map(|(kind, folder)| kind.left_in(&folder));
    machine.map(|kibibytes| kibibytes << 10).into_iter().chain(in_groups).min()
}

/// The number after a word at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The files of a version of control groups.
struct Groups {
    root: &'static str,
    limit: &'static str,
    used: &'static str,
    /// The field of `memory.stat` with file contents that the system drops when it needs memory.
    droppable: &'static str,
}

const FIRST: Groups = Groups {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    droppable: "total_inactive_file ",
};
const SECOND: Groups =
    Groups { root: "/sys/fs/cgroup", limit: "memory.max", used: "memory.current", droppable: "inactive_file " };

/// The memory group in a line of `/proc/self/cgroup`: the version, and the folder of the group.
fn group(line: &str) -> Option<(Groups, PathBuf)> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let kind = match controllers {
        "" if number == "0" => SECOND,
        _ if controllers.split(',').any(|name| name == "memory") => FIRST,
        _ => return None,
    };
    let folder = Path::new(kind.root).join(path.trim_start_matches('/'));
    Some((kind, folder))
}

impl Groups {
    /// The bytes that a group and its parents leave to the process. A container may not see the outer part of its path.
    fn left_in(&self, folder: &Path) -> Vec<u64> {
        folder.ancestors().take_while(|at| at.starts_with(self.root)).filter_map(|at| self.left_at(at)).collect()
    }

    fn left_at(&self, folder: &Path) -> Option<u64> {
        let number = |file| read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        let (limit, used) = (number(self.limit)?, number(self.used)?);
        let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let droppable = field(&stat, self.droppable).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(droppable)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_control_groups() {
        let folder = |line| group(line).map(|(_, folder)| folder);
        assert_eq!(folder("0::/user.slice/a"), Some("/sys/fs/cgroup/user.slice/a".into()));
        assert_eq!(folder("4:memory:/box"), Some("/sys/fs/cgroup/memory/box".into()));
        assert_eq!(folder("5:cpu,memory:/"), Some("/sys/fs/cgroup/memory/".into()));
        assert_eq!(folder("9:name=systemd:/"), None);
        assert_eq!(folder("no group"), None);
    }

    #[test]
    fn the_tightest_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let write = |folder: &Path, limit: &str, used: &str| {
            std::fs::write(folder.join("memory.max"), limit).unwrap();
            std::fs::write(folder.join("memory.current"), used).unwrap();
        };
        write(root.path(), "1000\n", "300\n");
        write(&inner, "max\n", "200\n");
        std::fs::write(root.path().join("memory.stat"), "file 5\ninactive_file 100\n").unwrap();
        assert_eq!(SECOND.left_at(&inner), None);
        assert_eq!(SECOND.left_at(root.path()), Some(800));
    }
}
