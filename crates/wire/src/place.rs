//! The name of a process's folder: `<pid>-<start>`, the start as the system tells it; `<pid>-<start>-<n>`, n from 1, once the
//! process has put another program in its own place, which changes neither.

use std::fmt;
use std::str::FromStr;

/// The file of the log.
pub const LOG: &str = "log";
/// The file of the names.
pub const NAMES: &str = "names";
/// The file of the live page.
pub const LIVE: &str = "live";

/// Which process a folder is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Process.
    pub pid: u32,
    /// When it started, in ticks since the system did.
    pub start: u64,
    /// Programs that were in its place before.
    pub programs: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.start)?;
        if self.programs > 0 { write!(f, "-{}", self.programs) } else { Ok(()) }
    }
}

/// Not the name of such a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign;

impl FromStr for Place {
    type Err = Foreign;

    fn from_str(name: &str) -> Result<Self, Foreign> {
        let mut parts = name.split('-');
        let pid = parts.next().and_then(|part| part.parse().ok()).ok_or(Foreign)?;
        let start = parts.next().and_then(|part| part.parse().ok()).ok_or(Foreign)?;
        let programs = parts.next().map_or(Ok(0), str::parse).map_err(|_| Foreign)?;
        let place = Self { pid, start, programs };
        (place.to_string() == name).then_some(place).ok_or(Foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, programs) in [("7-900", 0), ("7-900-2", 2)] {
            let place = Place { pid: 7, start: 900, programs };
            assert_eq!((place.to_string().as_str(), name.parse()), (name, Ok(place)));
        }
        for name in ["options", "py", "7", "7-", "7-9-0", "7-9-1-1", "07-9", "+7-9"] {
            assert_eq!(name.parse::<Place>(), Err(Foreign), "{name}");
        }
    }
}
