//! Why nothing of devices was recorded, or not all: a fact of the process, `gpu.reason=<code>: <detail>`.
//!
//! The one list of reasons: whoever tells a person why there are no rows of a GPU takes it from here.

use std::fmt;

/// The key of the fact that has a reason; the last one told counts.
pub const KEY: &str = "gpu.reason";
/// The key of the fact that says which library was loaded, and its version: `gpu.cupti=<path> (API <version>)`.
pub const LIBRARY: &str = "gpu.cupti";
/// The key of the fact that names the clock that records were made with: `monotonic`, or `realtime` for converted ones.
pub const CLOCK: &str = "gpu.clock";

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// There is no driver, or it has no device. The process cannot tell, since it is the driver that asks for the recorder: proftui does.
    NoDriver,
    /// CUPTI was not found; the detail has the paths that were tried.
    NoCupti,
    /// CUPTI is too old, or newer than the driver.
    Version,
    /// Another tool of the process has CUPTI.
    OtherSubscriber,
    /// The system does not let this user.
    NoPermission,
    /// The program never called CUDA. The process cannot tell: proftui does.
    NoCudaCall,
    /// CUPTI was ready, and no work began in the recorded steps.
    OutsideWindow,
    /// CUPTI dropped records, or there was no room for them.
    Dropped,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NoDriver,
        Self::NoCupti,
        Self::Version,
        Self::OtherSubscriber,
        Self::NoPermission,
        Self::NoCudaCall,
        Self::OutsideWindow,
        Self::Dropped,
    ];

    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoDriver => "no_driver",
            Self::NoCupti => "no_cupti",
            Self::Version => "version",
            Self::OtherSubscriber => "other_subscriber",
            Self::NoPermission => "no_permission",
            Self::NoCudaCall => "no_cuda_call",
            Self::OutsideWindow => "outside_window",
            Self::Dropped => "dropped",
        }
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::NoDriver => "there is no CUDA driver or device",
            Self::NoCupti => "CUPTI was not found",
            Self::Version => "this version of CUPTI does not work with this driver, or is too old",
            Self::OtherSubscriber => "another tool in the process uses CUPTI",
            Self::NoPermission => "CUPTI refused this user",
            Self::NoCudaCall => "the program made no CUDA call",
            Self::OutsideWindow => "no GPU work began in the recorded steps",
            Self::Dropped => "records of the GPU were dropped",
        }
    }

    /// The fact that tells it.
    pub fn fact(self, detail: &str) -> String {
        format!("{KEY}={}: {detail}", self.code())
    }

    /// Reads the value of such a fact: the reason, and the detail.
    pub fn read(value: &str) -> Option<(Self, &str)> {
        let (code, detail) = value.split_once(": ").unwrap_or((value, ""));
        let reason = Self::ALL.into_iter().find(|reason| reason.code() == code.trim_end_matches(':'))?;
        Some((reason, detail))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_back() {
        for reason in Reason::ALL {
            let fact = reason.fact("tried: a, b");
            let (key, value) = fact.split_once('=').expect("a fact");
            assert_eq!((key, Reason::read(value)), (KEY, Some((reason, "tried: a, b"))));
            assert_eq!(Reason::read(reason.code()), Some((reason, "")));
        }
        assert_eq!(Reason::read("other: x"), None);
    }
}
