//! The version of PyTorch that wrote a trace, by signs in the file.
//!
//! Must not know what a version's rules are.

use std::fmt;
use std::str::FromStr;

use proftui_trace::model::{Category, Trace};

/// A version of PyTorch, 2.0 to 2.15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    minor: u32,
}

impl Version {
    /// The newest version whose rules are known.
    pub const LATEST: Self = Self { minor: 15 };

    pub(super) const fn new(minor: u32) -> Self {
        Self { minor }
    }

    /// The version that wrote the trace's first file; of versions that write the same signs the newest. The
    /// latest for a file that PyTorch did not write.
    ///
    /// The signs, from files that each version wrote: `baseTimeNanoseconds` is there from 2.4 on, and behind
    /// the events (as is `traceName`) up to 2.7; `trace_id` from 2.6 on, before the options from 2.11 on;
    /// `host_name` from 2.12 on; and Python functions state `CallFrom` from 2.14 on, which is not looked at
    /// here.
    pub fn of(trace: &Trace) -> Self {
        let header = &trace.meta.header;
        if trace.meta.producer != "kineto" {
            return Self::LATEST;
        }
        let at = |key: &str| header.iter().position(|(known, _)| known == key);
        let first_option = ["with_flops", "record_shapes", "profile_memory", "with_stack", "with_modules"]
            .iter()
            .chain(&["distributedInfo"])
            .filter_map(|key| at(key))
            .min();
        let minor = match (at("baseTimeNanoseconds"), at("traceName"), at("trace_id")) {
            (None, ..) => 3,
            (Some(base), Some(name), id) if name < base => {
                if id.is_some() {
                    7
                } else {
                    5
                }
            }
            _ if at("host_name").is_some() => Self::LATEST.minor,
            (.., Some(id)) if first_option.is_some_and(|option| option < id) => 10,
            _ => 11,
        };
        Self { minor }
    }

    /// This version, or the newest before 2.14 if Python functions show that the file is older: `has_origins`
    /// is true if one states from where it was called.
    pub(super) fn by_python(self, trace: &Trace, has_origins: bool) -> Self {
        let has_functions = || trace.slices.category.contains(&(Category::PythonFunction as u8));
        let is_older = trace.meta.producer == "kineto" && self >= Self::new(14) && !has_origins;
        if is_older && has_functions() { Self::new(13) } else { self }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "2.{}", self.minor)
    }
}

impl FromStr for Version {
    type Err = String;

    /// Reads a version such as `2.4` or `2.4.1`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('.');
        let minor = (parts.next() == Some("2")).then(|| parts.next()?.parse().ok()).flatten();
        minor
            .map(Self::new)
            .filter(|version| *version <= Self::LATEST)
            .ok_or_else(|| format!("a version from 2.0 to {} is wanted", Self::LATEST))
    }
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    fn of(header: &str) -> String {
        let text = header.replace(
            "EVENTS",
            r#""traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]"#,
        );
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        Version::of(&loaded.trace).to_string()
    }

    #[test]
    fn signs_of_versions() {
        for (header, version) in [
            (r#"{"schemaVersion":1,"record_shapes":1,EVENTS,"traceName":"t"}"#, "2.3"),
            (r#"{"schemaVersion":1,EVENTS,"traceName":"t","baseTimeNanoseconds":9}"#, "2.5"),
            (r#"{"schemaVersion":1,"trace_id":"A",EVENTS,"traceName":"t","baseTimeNanoseconds":9}"#, "2.7"),
            (r#"{"with_stack":1,"trace_id":"A","baseTimeNanoseconds":9,EVENTS,"traceName":"t"}"#, "2.10"),
            (r#"{"trace_id":"A","with_stack":1,"baseTimeNanoseconds":9,EVENTS,"traceName":"t"}"#, "2.11"),
            (r#"{"trace_id":"A","host_name":"h","baseTimeNanoseconds":9,EVENTS,"traceName":"t"}"#, "2.15"),
            (r#"{"proftui":1,EVENTS}"#, "2.3"),
        ] {
            assert_eq!(of(header), version, "{header}");
        }
    }

    #[test]
    fn versions_are_read_as_people_write_them() {
        assert_eq!("2.4.1".parse(), Ok(Version::new(4)));
        assert_eq!("2.15".parse(), Ok(Version::LATEST));
        for wrong in ["", "2", "1.13", "2.16", "2.x", "two"] {
            assert!(wrong.parse::<Version>().is_err(), "{wrong}");
        }
    }
}
