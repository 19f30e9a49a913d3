//! Explains why GPU records are missing in a cycle, from the reports of its processes, the cycle's counts,
//! and the machine's driver and devices.
//!
//! The explanation is the same in the trace, on stderr, and in the explorer's quality notes. No explanation
//! is given on a machine without a GPU driver if the user did not ask for GPU recording: no program can have
//! asked the driver for a GPU there.

use std::ffi::OsStr;

use proftui_wire::device::{Reason, reason};
use proftui_wire::log::{DeviceCounts, NoteKind};

use super::explanation::Explanation;
use crate::capture::gpu::injection;
use crate::capture::gpu::machine::Machine;
use crate::capture::process::Process;

/// Key of the fact in a trace that states the code of the reason for missing GPU records.
pub const CODE: &str = "proftui.gpu.reason";
/// Key of the fact in a trace that states the whole explanation of missing GPU records.
pub const TEXT: &str = "proftui.gpu.why";

/// What is known of GPUs from outside the captured program, to explain missing GPU records.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The machine's driver and devices.
    pub machine: &'a Machine,
    /// Value of `CUDA_INJECTION64_PATH` if it names another tool's library, which the driver then loads
    /// instead of the recorder.
    pub other_tool: Option<&'a OsStr>,
    /// True if the user asked for GPU recording or requires it.
    pub is_requested: bool,
}

/// What is known of the GPU records of one cycle, to explain missing ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// A reason for missing GPU records that a process reported, with details; reasons that follow from
    /// `counts` are left out.
    pub reason: Option<(Reason, String)>,
    /// True if the script's profiler asked for no GPU in the cycle.
    pub is_off: bool,
    /// True if some process records, or recorded, the work of GPUs, as far as known.
    pub is_ready: bool,
    /// Counts of the cycle's device records, summed over all processes; `cycle` and `unknown` are not set.
    pub counts: DeviceCounts,
    /// Number of pieces of device work in the cycle's recording.
    pub events: u64,
    /// The cycle's steps as text for messages, such as `steps 2..5` or `the whole recording`.
    pub steps: String,
    /// Process id of the cycle's leader; where no cycle was recorded, of the program.
    pub pid: u32,
}

impl Evidence {
    /// Gathers what `processes` reported about the device records of cycle number `cycle`; the other
    /// arguments are stored as they are.
    pub fn of(pid: u32, processes: &[&Process], cycle: u64, events: u64, steps: String) -> Self {
        let mut evidence = Self { events, steps, pid, ..Self::default() };
        for process in processes {
            // These two reasons concern one cycle, and follow from its counts.
            let is_lasting = |reason| !matches!(reason, Reason::Dropped | Reason::OutsideWindow);
            // These state their cycle, or their first one.
            let is_of_cycle = |reason, detail: &str| match reason {
                Reason::NothingDelivered => detail.starts_with(&format!("cycle {cycle}: ")),
                _ => Reason::first_cycle(detail) <= cycle,
            };
            let facts = process.notes_of(NoteKind::Fact).filter_map(|fact| {
                let (reason, detail) = Reason::read(fact.strip_prefix(reason::KEY)?.strip_prefix('=')?)?;
                (is_lasting(reason) && is_of_cycle(reason, detail)).then(|| (reason, detail.to_owned()))
            });
            evidence.reason = evidence.reason.or(facts.last());
            evidence.is_off |= process.leaves_out_gpu(cycle);
            evidence.is_ready |= process.has_devices();
            if let Some(counts) = process.device(cycle) {
                let all = &mut evidence.counts;
                // In a damaged file the counts may be any numbers.
                all.kept = all.kept.saturating_add(counts.kept);
                all.lost = all.lost.saturating_add(counts.lost);
                all.dropped = all.dropped.saturating_add(counts.dropped);
                all.outside = all.outside.saturating_add(counts.outside);
                all.refused = all.refused.saturating_add(counts.refused);
            }
        }
        evidence
    }
}

/// Explains why GPU records of a cycle are missing; `None` if there is nothing to explain, or no explanation.
/// Calls `surroundings` only if `evidence` does not suffice.
pub fn explain<'a>(
    evidence: &Evidence,
    surroundings: impl FnOnce() -> Option<Surroundings<'a>>,
) -> Option<Explanation> {
    let DeviceCounts { lost, dropped, outside, refused, .. } = evidence.counts;
    if evidence.is_off {
        return None;
    }
    if let Some((reason, detail)) = &evidence.reason {
        return Some(Explanation::new(*reason, detail.clone()));
    }
    if lost > 0 || dropped > 0 || refused > 0 {
        let detail = format!(
            "{dropped} GPU records dropped by CUPTI, {lost} not written or not delivered, {refused} buffer \
             requests refused"
        );
        return Some(Explanation::new(Reason::Dropped, detail));
    }
    if evidence.events > 0 {
        return None;
    }
    if evidence.is_ready {
        let Evidence { steps, pid, .. } = evidence;
        let detail = match outside {
            0 => format!("CUPTI delivered no GPU work of {steps} of process {pid}"),
            _ => format!(
                "{outside} GPU records arrived, but none of this work began during {steps} of process {pid}"
            ),
        };
        return Some(Explanation::new(Reason::OutsideWindow, detail));
    }
    // The driver never loaded the recorder.
    let Surroundings { machine, other_tool, is_requested } = surroundings()?;
    if let Some(other) = other_tool {
        return Some(Explanation::new(Reason::OtherSubscriber, injection::describe(injection::CUDA, other)));
    }
    let is_expected = is_requested || machine.has_driver();
    let none = || Explanation::new(Reason::NoCudaCall, format!("process {}", evidence.pid));
    is_expected.then(|| machine.obstacle().unwrap_or_else(none))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::gpu::machine::Unusable;

    fn evidence() -> Evidence {
        Evidence { steps: "steps 2..5".into(), pid: 42, ..Evidence::default() }
    }

    fn counts(counts: DeviceCounts) -> Evidence {
        Evidence { counts, is_ready: true, ..evidence() }
    }

    /// Returns reason and details for this evidence, on this machine, with GPU recording requested or not.
    fn of(evidence: &Evidence, machine: &Machine, is_requested: bool) -> Option<(Reason, String)> {
        let surroundings = Surroundings { machine, other_tool: None, is_requested };
        explain(evidence, || Some(surroundings)).map(|why| (why.reason, why.detail))
    }

    #[test]
    fn each_reason_has_its_evidence() {
        let driver = Machine { driver: Some(Ok(12_040)), ..Machine::default() };
        let empty = Machine { devices: Some(Ok(0)), ..driver.clone() };
        let gone = Unusable::Reported("libcuda.so.1: gone".into());
        let none = Machine { driver: Some(Err(gone)), ..Machine::default() };
        let failed =
            |reason, detail: &str| Evidence { reason: Some((reason, detail.to_owned())), ..evidence() };
        let table = [
            (evidence(), &none, true, Some((Reason::NoDriver, "libcuda.so.1: gone"))),
            (evidence(), &none, false, None),
            (evidence(), &empty, false, Some((Reason::NoDriver, "the driver finds no device"))),
            (evidence(), &driver, false, Some((Reason::NoCudaCall, "process 42"))),
            (failed(Reason::NoCupti, "tried a, b"), &driver, false, Some((Reason::NoCupti, "tried a, b"))),
            (failed(Reason::Version, "x: error 15"), &driver, false, Some((Reason::Version, "x: error 15"))),
            (
                failed(Reason::OtherSubscriber, "x: y"),
                &driver,
                false,
                Some((Reason::OtherSubscriber, "x: y")),
            ),
            (failed(Reason::NoPermission, "x: 35"), &driver, false, Some((Reason::NoPermission, "x: 35"))),
            (Evidence { is_off: true, ..failed(Reason::NoPermission, "x: 35") }, &driver, false, None),
            (
                Evidence { is_ready: true, ..evidence() },
                &driver,
                false,
                Some((Reason::OutsideWindow, "CUPTI delivered no GPU work of steps 2..5 of process 42")),
            ),
            (
                counts(DeviceCounts { outside: 9, kept: 3, ..DeviceCounts::default() }),
                &driver,
                false,
                Some((Reason::OutsideWindow, "9 GPU records")),
            ),
            (
                counts(DeviceCounts { dropped: 2, lost: 1, kept: 7, ..DeviceCounts::default() }),
                &driver,
                false,
                Some((Reason::Dropped, "2 GPU records dropped by CUPTI, 1 not written")),
            ),
            (
                counts(DeviceCounts { refused: 1, ..DeviceCounts::default() }),
                &none,
                false,
                Some((Reason::Dropped, "1 buffer requests refused")),
            ),
            (
                Evidence {
                    events: 5,
                    ..counts(DeviceCounts { outside: 9, kept: 5, ..DeviceCounts::default() })
                },
                &driver,
                true,
                None,
            ),
            (
                Evidence { events: 5, ..failed(Reason::Version, "kernels") },
                &driver,
                true,
                Some((Reason::Version, "kernels")),
            ),
        ];
        for (evidence, machine, is_requested, expected) in table {
            match (of(&evidence, machine, is_requested), expected) {
                (None, None) => {}
                (Some((reason, detail)), Some((code, words))) => {
                    assert_eq!(reason, code, "{evidence:?}");
                    assert!(detail.contains(words), "{detail}");
                }
                found => panic!("{evidence:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn another_tool_is_named() {
        let machine = Machine { driver: Some(Ok(12_040)), ..Machine::default() };
        let surroundings = Surroundings {
            machine: &machine,
            other_tool: Some(OsStr::new("/opt/nsight-systems/x.so")),
            is_requested: false,
        };
        let why = explain(&evidence(), || Some(surroundings)).expect("a reason");
        assert_eq!(why.reason, Reason::OtherSubscriber);
        assert!(why.to_string().contains("Nsight Systems"), "{why}");
    }

    #[test]
    fn a_killed_capture_is_explained_by_its_processes_alone() {
        assert_eq!(explain(&evidence(), || None), None);
        assert!(explain(&counts(DeviceCounts { dropped: 1, ..DeviceCounts::default() }), || None).is_some());
    }
}
