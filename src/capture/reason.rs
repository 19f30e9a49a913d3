//! Why a cycle has nothing of GPUs, or not all: from what its processes told and what is known of the machine, one answer.
//!
//! The answer is the same wherever it is told: in the trace, on stderr, beside the explorer's badge.

use std::ffi::OsStr;
use std::fmt;

use proftui_wire::device::{Reason, reason};
use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, NoteKind};

use super::gpu::injection;
use super::gpu::machine::Machine;
use super::process::Process;

/// The key that has the reason's code, in a trace.
pub const CODE: &str = "proftui.gpu.reason";
/// The key that has the answer in words.
pub const WORDS: &str = "proftui.gpu.why";

/// The fact that a process tells of a framework that was built for CUDA: the version.
const BUILT: &str = "cuda";

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The reason.
    pub reason: Reason,
    /// What, and where; may be empty.
    pub detail: String,
}

impl Why {
    /// An answer.
    pub fn new(reason: Reason, detail: String) -> Self {
        Self { reason, detail }
    }
}

impl fmt::Display for Why {
    /// What, what to do, and last, since it may be long, where.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason, advice(self.reason))?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " [{}]", self.detail) }
    }
}

/// What to do about it.
fn advice(reason: Reason) -> &'static str {
    match reason {
        Reason::NoDriver => "install it, or start the container with --gpus all",
        Reason::NoCupti => "--cupti PATH names it, CUDA's toolkit and the package nvidia-cuda-cupti have it",
        Reason::Version => "--cupti PATH names another one, not newer than the driver: see proftui doctor",
        Reason::OtherSubscriber => "run without that tool: CUPTI serves one at a time",
        Reason::NoPermission => "run as root, or have NVreg_RestrictProfilingToAdminUsers=0 set",
        Reason::NoCudaCall => "does it compute on a GPU, and hand on its environment to those who do?",
        Reason::OutsideWindow => "record those that have some, by --steps, --skip-first or --window",
        Reason::Dropped => "record fewer steps a cycle, take --cuda-graph graph, or give --max-mb more",
    }
}

/// What is known from outside of the program.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// What else the driver loads instead of the recorder.
    pub taken: Option<&'a OsStr>,
    /// The person asked for GPUs.
    pub is_asked: bool,
}

/// What a cycle's processes told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Why the recorder could not begin, or not record everything.
    pub reason: Option<(Reason, String)>,
    /// It did begin.
    pub is_ready: bool,
    /// A framework that was built for CUDA is in use.
    pub is_built: bool,
    /// What became of the cycle's records, all processes together.
    pub counts: DeviceCounts,
    /// Events of devices that the recording has.
    pub events: u64,
    /// The steps, in words.
    pub steps: String,
    /// The process that leads.
    pub pid: u32,
}

impl Told {
    /// By these processes, of a cycle.
    pub fn by(pid: u32, processes: &[&Process], cycle: u64, events: u64, steps: String) -> Self {
        let mut told = Self { events, steps, pid, ..Self::default() };
        for process in processes {
            // Of what becomes of a cycle the counts tell, cycle by cycle.
            let is_lasting = |reason| !matches!(reason, Reason::Dropped | Reason::OutsideWindow);
            let facts = process.notes_of(NoteKind::Fact).filter_map(|fact| {
                let (reason, detail) = Reason::read(fact.strip_prefix(reason::KEY)?.strip_prefix('=')?)?;
                is_lasting(reason).then(|| (reason, detail.to_owned()))
            });
            told.reason = told.reason.or(facts.last());
            told.is_ready |= process.live().get(Word::Device) != 0 || process.fact(reason::LIBRARY).is_some();
            told.is_built |= process.fact(BUILT).is_some();
            if let Some(counts) = process.device(cycle) {
                let all = &mut told.counts;
                // Counts of files, which damage may have made any numbers.
                all.kept = all.kept.saturating_add(counts.kept);
                all.lost = all.lost.saturating_add(counts.lost);
                all.dropped = all.dropped.saturating_add(counts.dropped);
                all.outside = all.outside.saturating_add(counts.outside);
                all.refused = all.refused.saturating_add(counts.refused);
            }
        }
        told
    }
}

/// The answer; none where nothing is missing that anybody could expect. `here` is asked only where the processes
/// did not tell; it has no answer for a capture that was killed.
pub fn why<'a>(told: &Told, here: impl FnOnce() -> Option<Here<'a>>) -> Option<Why> {
    let DeviceCounts { lost, dropped, outside, refused, .. } = told.counts;
    if let Some((reason, detail)) = &told.reason {
        return Some(Why::new(*reason, detail.clone()));
    }
    if lost > 0 || dropped > 0 || refused > 0 {
        let detail = format!("{dropped} by CUPTI, {lost} for want of room, memory refused {refused} times");
        return Some(Why::new(Reason::Dropped, detail));
    }
    if told.events > 0 {
        return None;
    }
    if told.is_ready {
        let Told { steps, pid, .. } = told;
        let detail = match outside {
            0 => format!("CUDA was ready in {steps} of process {pid}"),
            _ => format!("{outside} pieces of work came, none of which began in {steps} of process {pid}"),
        };
        return Some(Why::new(Reason::OutsideWindow, detail));
    }
    // The recorder never was in it.
    let Here { machine, taken, is_asked } = here()?;
    if let Some(other) = taken {
        return Some(Why::new(Reason::OtherSubscriber, injection::words(injection::CUDA, other)));
    }
    let is_expected = is_asked || told.is_built || machine.has_driver();
    let none = || Why::new(Reason::NoCudaCall, format!("process {}", told.pid));
    is_expected.then(|| machine.obstacle().unwrap_or_else(none))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> Told {
        Told { steps: "steps 2..5".into(), pid: 42, ..Told::default() }
    }

    fn counts(counts: DeviceCounts) -> Told {
        Told { counts, is_ready: true, ..told() }
    }

    /// By what was told, with which machine, asked or not: the answer.
    fn of(told: &Told, machine: &Machine, is_asked: bool) -> Option<(Reason, String)> {
        let here = Here { machine, taken: None, is_asked };
        why(told, || Some(here)).map(|why| (why.reason, why.detail))
    }

    #[test]
    fn each_reason_has_its_evidence() {
        let driver = Machine { driver: Some(Ok(12_040)), ..Machine::default() };
        let empty = Machine { devices: Some(Ok(0)), ..driver.clone() };
        let none = Machine { driver: Some(Err("libcuda.so.1: gone".into())), ..Machine::default() };
        let failed = |reason, detail: &str| Told { reason: Some((reason, detail.to_owned())), ..told() };
        let table = [
            (told(), &none, true, Some((Reason::NoDriver, "libcuda.so.1: gone"))),
            (Told { is_built: true, ..told() }, &none, false, Some((Reason::NoDriver, "libcuda.so.1: gone"))),
            (told(), &none, false, None),
            (told(), &empty, false, Some((Reason::NoDriver, "it has no device"))),
            (told(), &driver, false, Some((Reason::NoCudaCall, "process 42"))),
            (failed(Reason::NoCupti, "tried a, b"), &driver, false, Some((Reason::NoCupti, "tried a, b"))),
            (failed(Reason::Version, "x: error 15"), &driver, false, Some((Reason::Version, "x: error 15"))),
            (
                failed(Reason::OtherSubscriber, "x: y"),
                &driver,
                false,
                Some((Reason::OtherSubscriber, "x: y")),
            ),
            (failed(Reason::NoPermission, "x: 35"), &driver, false, Some((Reason::NoPermission, "x: 35"))),
            (
                Told { is_ready: true, ..told() },
                &driver,
                false,
                Some((Reason::OutsideWindow, "CUDA was ready in steps 2..5 of process 42")),
            ),
            (
                counts(DeviceCounts { outside: 9, kept: 3, ..DeviceCounts::default() }),
                &driver,
                false,
                Some((Reason::OutsideWindow, "9 pieces")),
            ),
            (
                counts(DeviceCounts { dropped: 2, lost: 1, kept: 7, ..DeviceCounts::default() }),
                &driver,
                false,
                Some((Reason::Dropped, "2 by CUPTI, 1 for")),
            ),
            (
                counts(DeviceCounts { refused: 1, ..DeviceCounts::default() }),
                &none,
                false,
                Some((Reason::Dropped, "refused 1 times")),
            ),
            (
                Told { events: 5, ..counts(DeviceCounts { outside: 9, kept: 5, ..DeviceCounts::default() }) },
                &driver,
                true,
                None,
            ),
            (
                Told { events: 5, ..failed(Reason::Version, "kernels") },
                &driver,
                true,
                Some((Reason::Version, "kernels")),
            ),
        ];
        for (told, machine, is_asked, expected) in table {
            match (of(&told, machine, is_asked), expected) {
                (None, None) => {}
                (Some((reason, detail)), Some((code, words))) => {
                    assert_eq!(reason, code, "{told:?}");
                    assert!(detail.contains(words), "{detail}");
                }
                found => panic!("{told:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_tool_in_the_recorders_place_is_named() {
        let machine = Machine { driver: Some(Ok(12_040)), ..Machine::default() };
        let here =
            Here { machine: &machine, taken: Some(OsStr::new("/opt/nsight-systems/x.so")), is_asked: false };
        let why = why(&told(), || Some(here)).expect("a reason");
        assert_eq!(why.reason, Reason::OtherSubscriber);
        assert!(why.to_string().contains("Nsight Systems"), "{why}");
    }

    #[test]
    fn of_a_capture_that_was_killed_only_its_processes_tell() {
        assert_eq!(why(&told(), || None), None);
        assert!(why(&counts(DeviceCounts { dropped: 1, ..DeviceCounts::default() }), || None).is_some());
    }

    #[test]
    fn every_answer_says_what_to_do_in_one_line() {
        for reason in Reason::ALL {
            let text = Why::new(reason, "where".into()).to_string();
            assert!(text.starts_with(reason.text()) && text.ends_with(" [where]"), "{text}");
            // What is longer is cut where it is shown beside others.
            assert!(text.len() <= 160 && !text.contains('\n'), "{} {text}", text.len());
        }
    }
}
