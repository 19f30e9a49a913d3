//! How much memory loading may take: what is free in the machine, in the control groups around this process, and within its
//! own limit.
//!
//! Must not know what the memory is for.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

/// Bytes that loading takes for a file of any size: buffers, tables, the program.
pub(super) const BASE: u64 = 40 << 20;

/// Half of the free memory, bytes; `None` where that cannot be found out.
pub(super) fn default_limit() -> Option<u64> {
    free(Path::new("/proc"), Path::new("/sys/fs/cgroup")).map(|free| free / 2)
}

/// Free bytes: the least of the machine's, those left to each control group around the process, and its limit of address
/// space.
fn free(proc: &Path, groups: &Path) -> Option<u64> {
    let machine = available(&fs::read_to_string(proc.join("meminfo")).unwrap_or_default());
    let own = fs::read_to_string(proc.join("self/cgroup")).unwrap_or_default();
    let in_groups = directories(&own, groups).iter().filter_map(|directory| left(directory)).min();
    let address_space = getrlimit(Resource::As).current;
    machine.into_iter().chain(in_groups).chain(address_space).min()
}

/// `MemAvailable` of `/proc/meminfo`, bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The directories under `groups` of the control groups in `own`, the text of `/proc/self/cgroup`, each with its ancestors.
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

/// Free bytes of the memory control group in `directory`: its limit less its use, not counting page cache that can be
/// reclaimed. Reads the files of version 2 or else 1; `None` without a limit.
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
        fs::remove_dir_all(root).expect("removed");
    }
}
