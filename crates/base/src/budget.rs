//! How much memory the process may take: what is free in the machine, in the control groups around the
//! process, and within its own limits of address space and data.
//!
//! Must not know what the memory is for.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Half of the memory that the process may still take, in bytes; `None` where that cannot be found out.
pub fn default_limit() -> Option<u64> {
    free(Path::new("/proc"), Path::new("/sys/fs/cgroup")).map(|free| free / 2)
}

/// True if the process's address space or data is limited (`ulimit -v`, `ulimit -d`).
pub fn is_confined() -> bool {
    getrlimit(Resource::As).current.is_some() || getrlimit(Resource::Data).current.is_some()
}

/// Limits the process's own writable memory (`RLIMIT_DATA`) to `more` bytes above what is mapped now, where
/// the system allows that. Never raises a limit.
pub fn confine(more: u64) {
    let Some(Mapped { data, .. }) = mapped(Path::new("/proc")) else { return };
    let known = getrlimit(Resource::Data);
    let limit = data.saturating_add(more);
    let current = known.current.map_or(limit, |known| known.min(limit));
    let _ = setrlimit(Resource::Data, Rlimit { current: Some(current), maximum: known.maximum });
}

/// How many bytes of memory the process may still take; `None` if that is unknown. `proc` and `groups` stand
/// for `/proc` and `/sys/fs/cgroup`.
fn free(proc: &Path, groups: &Path) -> Option<u64> {
    let machine = bytes_of(&fs::read_to_string(proc.join("meminfo")).unwrap_or_default(), "MemAvailable:");
    let own = fs::read_to_string(proc.join("self/cgroup")).unwrap_or_default();
    let in_groups = directories(&own, groups).iter().filter_map(|directory| left(directory)).min();
    let mapped = mapped(proc).unwrap_or_default();
    let unmapped = |resource, mapped: u64| Some(getrlimit(resource).current?.saturating_sub(mapped));
    let address_space = unmapped(Resource::As, mapped.all);
    let data = unmapped(Resource::Data, mapped.data);
    machine.into_iter().chain(in_groups).chain(address_space).chain(data).min()
}

/// Bytes that the process has mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mapped {
    /// All mapped bytes, which count towards the limit of the address space.
    all: u64,
    /// Mapped bytes that are writable and the process's own, which count towards the limit of data.
    data: u64,
}

/// How much the process has mapped, by the file `self/status` in `proc`; `None` if that is unknown.
fn mapped(proc: &Path) -> Option<Mapped> {
    let text = fs::read_to_string(proc.join("self/status")).ok()?;
    Some(Mapped { all: bytes_of(&text, "VmSize:")?, data: bytes_of(&text, "VmData:")? })
}

/// The number on the line of `text` that begins with `key`, converted from KiB to bytes; `None` if there is
/// none.
fn bytes_of(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The directories in `groups` of the memory control groups that `own` lists (the text of
/// `/proc/self/cgroup`), and of their ancestors. Some may not exist.
fn directories(own: &str, groups: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let root = match controllers {
            "" => groups.to_path_buf(),
            _ if controllers.split(',').any(|controller| controller == "memory") => groups.join("memory"),
            _ => continue,
        };
        // In a container the path may be the host's; then only the root of the control groups is visible.
        found.push(root.clone());
        let mut directory = root;
        for part in path.split('/').filter(|part| !part.is_empty() && *part != "..") {
            directory.push(part);
            found.push(directory.clone());
        }
    }
    found
}

/// How many bytes the memory control group in `directory` may still take, with inactive page cache counted as
/// free; `None` if no limit is known.
fn left(directory: &Path) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(directory.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes")).unwrap_or_default();
    // The page cache of files can be reclaimed.
    let stat = fs::read_to_string(directory.join("memory.stat")).unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse::<u64>().ok());
    Some(limit.saturating_sub(used.saturating_sub(files.unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_all_limits_counts() {
        let root = std::env::temp_dir().join(format!("proftui-budget-{}", std::process::id()));
        let (proc, groups) = (root.join("proc"), root.join("cgroup"));
        let inner = groups.join("user/job");
        fs::create_dir_all(&inner).expect("a folder");
        fs::create_dir_all(proc.join("self")).expect("a folder");
        let write = |path: PathBuf, text: &str| fs::write(path, text).expect("written");
        write(proc.join("meminfo"), "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n");
        assert_eq!(free(&proc, &groups), Some(4000 * 1024));
        write(proc.join("self/cgroup"), "0::/user/job\n");
        write(inner.join("memory.max"), "3000000\n");
        write(inner.join("memory.current"), "1000000\n");
        assert_eq!(free(&proc, &groups), Some(2_000_000));
        write(inner.join("memory.stat"), "anon 5\ninactive_file 400000\n");
        assert_eq!(free(&proc, &groups), Some(2_400_000));
        write(groups.join("user/memory.max"), "500000\n");
        assert_eq!(free(&proc, &groups), Some(500_000), "the group around it is smaller");
        write(inner.join("memory.max"), "max\n");
        assert_eq!(free(&proc, &groups), Some(500_000));
        write(proc.join("self/status"), "VmSize:\t    7000 kB\nVmData:\t    500 kB\n");
        assert_eq!(mapped(&proc), Some(Mapped { all: 7000 << 10, data: 500 << 10 }));
        fs::remove_dir_all(root).expect("removed");
    }
}
