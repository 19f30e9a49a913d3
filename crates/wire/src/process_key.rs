//! The identity of a captured process, and the name of its folder in the run: `<pid>-<start>`, where the
//! start is the process's start time in clock ticks; `<pid>-<start>-<n>` after n calls of `exec` (n from 1),
//! which changes neither pid nor start.

use std::fmt;
use std::str::FromStr;

/// Name of the log's file in the folder of a process.
pub const LOG: &str = "log";
/// Name of the file that lists the names that records refer to by number, in the folder of a process.
pub const NAMES: &str = "names";
/// Name of the live page's file, in the folder of a process.
pub const LIVE: &str = "live";
/// Name of the socket, in the run's folder, by which proftui learns how processes end.
pub const ENDS: &str = "ends";

/// Identifies a process of a run by its number, its start and its count of `exec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessKey {
    /// The process id.
    pub pid: u32,
    /// When the process started, in clock ticks since the machine booted (field 22 of `/proc/<pid>/stat`).
    pub start: u64,
    /// How many recorded programs the process ran before the present one; each replaced itself by `exec`.
    pub programs: u32,
}

impl fmt::Display for ProcessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.start)?;
        if self.programs > 0 { write!(f, "-{}", self.programs) } else { Ok(()) }
    }
}

/// Error of parsing a [`ProcessKey`]: the text is not the name of a process's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign;

impl FromStr for ProcessKey {
    type Err = Foreign;

    fn from_str(name: &str) -> Result<Self, Foreign> {
        let mut parts = name.split('-');
        let pid = parts.next().and_then(|part| part.parse().ok()).ok_or(Foreign)?;
        let start = parts.next().and_then(|part| part.parse().ok()).ok_or(Foreign)?;
        let programs = parts.next().map_or(Ok(0), str::parse).map_err(|_| Foreign)?;
        let key = Self { pid, start, programs };
        (key.to_string() == name).then_some(key).ok_or(Foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, programs) in [("7-900", 0), ("7-900-2", 2)] {
            let key = ProcessKey { pid: 7, start: 900, programs };
            assert_eq!((key.to_string().as_str(), name.parse()), (name, Ok(key)));
        }
        for name in ["options", "py", "7", "7-", "7-9-0", "7-9-1-1", "07-9", "+7-9"] {
            assert_eq!(name.parse::<ProcessKey>(), Err(Foreign), "{name}");
        }
    }
}
