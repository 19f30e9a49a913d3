//! The reasons why no device records, or not all of them, were made. A process reports its reason as a fact,
//! `gpu.reason=<code>: <detail>`. This is the only list of reasons; every message about missing GPU records
//! uses it.

use std::fmt;

/// Key of the fact by which a process states a reason for missing GPU records; a process may state several.
pub const KEY: &str = "gpu.reason";
/// Key of the fact that states the path and the API version of the copy of CUPTI that the recorder uses:
/// `gpu.cupti=<path> (API <version>)`.
pub const LIBRARY: &str = "gpu.cupti";
/// Key of the fact that lists the copies of CUPTI that were refused, each with the cause.
pub const REFUSED: &str = "gpu.cupti_refused";
/// Key of the fact that names a file with GPU work that the script's own profiler wrote:
/// `gpu.file=torch.profiler: <path>`.
pub const FILE: &str = "gpu.file";
/// Key of the facts about a run of the script's own profiler, such as `gpu.run=3 began torch.profiler`,
/// `gpu.run=3 ended` and `gpu.run=3 written`.
pub const RUN: &str = "gpu.run";
/// Key of the facts that name the cycles in which the script's profiler asks for no GPU: `gpu.off=cycle 2`.
pub const OFF: &str = "gpu.off";
/// Key of the fact that names the clock of CUPTI's records: `monotonic` or `realtime`.
pub const CLOCK: &str = "gpu.clock";
/// Key of the facts about waits for GPU work or for CUPTI's records that took too long or were left out:
/// `gpu_wait=cycle 1: GPU work had not ended after 4.0 s; …`.
pub const WAIT: &str = "gpu_wait";
/// Key of the fact that lists CUPTI's result codes from its set-up: `gpu.cupti_answers=cuptiSubscribe: 0, …`.
pub const ANSWERS: &str = "gpu.cupti_answers";
/// Key of the fact that lists CUPTI's result codes from enabling kinds of records:
/// `gpu.cupti_kinds=kind 10: 0, …`.
pub const KINDS: &str = "gpu.cupti_kinds";
/// Key of the fact that lists failures of some of CUPTI's functions, each with its error code:
/// `gpu.cupti_failed=cuptiActivityFlushAll: 15, …`.
pub const FAILED: &str = "gpu.cupti_failed";
/// Key of the fact `gpu.cupti_stays_on=1`: once enabled, CUPTI goes on recording until the last cycle that is
/// due.
pub const STAYS_ON: &str = "gpu.cupti_stays_on";
/// Key of the fact that states how many nodes of CUDA graphs the recorder could not add to the process's list
/// of graph nodes.
pub const UNNAMED_NODES: &str = "gpu.graph_nodes_unnamed";
/// Beginning of a detail that states from which cycle on a reason holds.
const SINCE: &str = "from cycle ";

/// Why a trace has no device records, or not all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// There is no CUDA driver that works, or the driver finds no device.
    NoDriver,
    /// No copy of CUPTI was found and loaded; the detail lists what was tried.
    NoCupti,
    /// CUPTI is too old, or does not work with the driver.
    Version,
    /// Another tool in the process uses CUPTI, or is loaded instead of the recorder.
    OtherSubscriber,
    /// The script has a GPU profiler of its own, to which the recorder leaves CUPTI.
    ScriptProfiler,
    /// The user may not profile GPUs on this machine.
    NoPermission,
    /// CUPTI does not support the device, or the mode in which it runs, such as MIG.
    NotSupported,
    /// CUPTI failed for a cause that no other reason covers.
    CuptiError,
    /// No CUDA call was seen in the cycle's processes.
    NoCudaCall,
    /// CUPTI delivered no record in a cycle: its buffers did not come back, or the flush failed or took too
    /// long.
    NothingDelivered,
    /// CUPTI was ready, and delivered no device work that began in the recorded cycle.
    OutsideWindow,
    /// Some records were lost, such as records that CUPTI dropped.
    Dropped,
}

impl Reason {
    /// All reasons, in the order of their declaration.
    pub const ALL: [Self; 12] = [
        Self::NoDriver,
        Self::NoCupti,
        Self::Version,
        Self::OtherSubscriber,
        Self::ScriptProfiler,
        Self::NoPermission,
        Self::NotSupported,
        Self::CuptiError,
        Self::NoCudaCall,
        Self::NothingDelivered,
        Self::OutsideWindow,
        Self::Dropped,
    ];

    /// The reason's code in facts and traces, such as `no_driver`.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoDriver => "no_driver",
            Self::NoCupti => "no_cupti",
            Self::Version => "version",
            Self::OtherSubscriber => "other_subscriber",
            Self::ScriptProfiler => "script_profiler",
            Self::NoPermission => "no_permission",
            Self::NotSupported => "not_supported",
            Self::CuptiError => "cupti_error",
            Self::NoCudaCall => "no_cuda_call",
            Self::NothingDelivered => "nothing_delivered",
            Self::OutsideWindow => "outside_window",
            Self::Dropped => "dropped",
        }
    }

    /// The reason as a text for users.
    pub fn text(self) -> &'static str {
        match self {
            Self::NoDriver => "no working CUDA driver with a device was found",
            Self::NoCupti => "CUPTI was not found",
            Self::Version => "CUPTI is too old or does not work with this driver",
            Self::OtherSubscriber => {
                "another tool in the process uses CUPTI, or the driver does not load the recorder"
            }
            Self::ScriptProfiler => "CUPTI is left to the script's own profiler",
            Self::NoPermission => "the driver does not allow this user to profile GPUs",
            Self::NotSupported => "CUPTI does not support this GPU, or the way it is used",
            Self::CuptiError => "CUPTI failed",
            Self::NoCudaCall => "no CUDA call was seen",
            Self::NothingDelivered => "CUPTI delivered nothing",
            Self::OutsideWindow => "CUPTI delivered no GPU work begun in the recorded time",
            Self::Dropped => "some GPU records were lost",
        }
    }

    /// True for a reason that may hold for one copy of CUPTI only: another copy may work.
    pub fn is_of_this_copy(self) -> bool {
        matches!(self, Self::Version | Self::CuptiError)
    }

    /// The text of the fact that states the reason: `gpu.reason=<code>: <detail>`.
    pub fn fact(self, detail: &str) -> String {
        format!("{KEY}={}: {detail}", self.code())
    }

    /// The detail of a reason that holds from a cycle on: `from cycle <cycle> on: <detail>`.
    pub fn since(cycle: u64, detail: &str) -> String {
        format!("{SINCE}{cycle} on: {detail}")
    }

    /// The first cycle that a reason concerns, from a detail that [`Reason::since`] made; 0 for any other
    /// detail.
    pub fn first_cycle(detail: &str) -> u64 {
        let stated = detail.strip_prefix(SINCE).and_then(|rest| rest.split_once(" on: "));
        stated.and_then(|(cycle, _)| cycle.parse().ok()).unwrap_or_default()
    }

    /// Parses the value of a fact with the key [`KEY`] into the reason and its detail, which may be empty.
    /// `None` for an unknown code.
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
        assert_eq!(Reason::since(7, "x"), "from cycle 7 on: x");
        let first = ["from cycle 7 on: x", "from cycle x on: y", "cycle 7: x", ""].map(Reason::first_cycle);
        assert_eq!(first, [7, 0, 0, 0]);
    }
}
