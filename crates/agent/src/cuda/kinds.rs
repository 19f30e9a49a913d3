//! Which kinds of records CUPTI makes, and when: some always, most in recorded cycles. Calls that are not
//! kept are switched off one by one where CUPTI can do that. Knows neither cycles nor buffers.

#![allow(unsafe_code, reason = "calls CUPTI's functions, all with numbers")]

pub(super) mod unified;

use std::ops::RangeInclusive;

use proftui_wire::device::reason::{KINDS, STAYS_ON};
use proftui_wire::log::NoteKind;
use proftui_wire::options::DeviceOption;

use super::answers::{Answers, check};
use super::functions::{Functions, OK};
use super::records::kind;
use super::{call_filter, errors, names};
use crate::process;

/// Kinds of records that describe or name devices, contexts, streams and threads; they are enabled between
/// cycles, too.
const DESCRIPTIONS: [u32; 4] = [kind::DEVICE, kind::CONTEXT, kind::STREAM, kind::NAME];
/// Kinds of records that are enabled in recorded cycles without an option, unless CUPTI refuses them.
const EVENTS: [u32; 7] = [
    kind::CONCURRENT_KERNEL,
    kind::RUNTIME,
    kind::DRIVER,
    kind::MEMCPY,
    kind::MEMCPY2,
    kind::MEMSET,
    kind::OVERHEAD,
];
/// Kinds of records that are enabled in recorded cycles if an option asks for them, each with the option.
const OPTIONAL: [(DeviceOption, u32); 5] = [
    (DeviceOption::Memory, kind::MEMORY2),
    (DeviceOption::Memory, kind::MEMORY_POOL),
    (DeviceOption::Waits, kind::SYNCHRONIZATION),
    (DeviceOption::Waits, kind::CUDA_EVENT),
    (DeviceOption::Graphs, kind::GRAPH_TRACE),
];
/// First API version of CUPTI that records the functions which graphs execute on the host.
const WITH_HOST_NODES: u32 = 130_100;
/// API versions of CUPTI with which kinds stay enabled between cycles that are due, since enabling them again
/// harms the records of graphs.
const KEPT_ON: RangeInclusive<u32> = 130_000..=130_100;
const CONFIGURE: &str = "cuptiActivityConfigureUnifiedMemoryCounter";
/// CUPTI's numbers of the functions of the runtime and of the driver are below this.
const FUNCTIONS: u32 = 1 << 10;

/// Which kinds of records CUPTI is to make in recorded cycles, and whether they are enabled.
pub(super) struct Kinds {
    /// Kinds to be enabled in recorded cycles; kinds that CUPTI refuses are removed.
    recorded: Vec<u32>,
    /// Kinds that CUPTI has refused.
    refused: Vec<u32>,
    /// Functions whose calls CUPTI is not to record: true for the driver's, false for the runtime's, and
    /// CUPTI's number of the function.
    unwanted: Vec<(bool, u32)>,
    /// Kinds of events of unified memory that CUPTI is still to be configured for.
    unified: Vec<u32>,
    /// CUPTI's answers to enabling `recorded` for the first time, and to setting up events of unified memory.
    answers: Answers,
    /// True while the kinds in `recorded` are enabled.
    pub is_on: bool,
    /// True if the kinds in `recorded` stay enabled between cycles, once they are enabled, until
    /// [`Kinds::end`].
    stays_on: bool,
    /// True once CUPTI's answers to enabling `recorded` for the first time are in the log.
    is_logged: bool,
}

impl Kinds {
    /// Selects the kinds of recorded cycles by CUPTI's API version `version`; those that options ask for are
    /// added when the kinds are enabled. Enables none. `wants_driver`: calls of all functions of the driver
    /// are kept.
    pub(super) fn new(cupti: &Functions, version: u32, wants_driver: bool) -> Self {
        let later = Some(kind::GRAPH_HOST_NODE).filter(|_| version >= WITH_HOST_NODES);
        let recorded = EVENTS.into_iter().chain(later).collect();
        let stays_on = KEPT_ON.contains(&version);
        if stays_on {
            process::note(NoteKind::Fact, &format!("{STAYS_ON}=1"));
        }
        Self {
            recorded,
            refused: Vec::new(),
            unwanted: unwanted(cupti, wants_driver),
            unified: unified::asked(),
            answers: Answers::default(),
            is_on: false,
            stays_on,
            is_logged: false,
        }
    }

    /// True if the kinds of recorded cycles stay enabled between cycles, once they are enabled.
    pub(super) fn stays_on(&self) -> bool {
        self.stays_on
    }

    /// Enables what CUPTI records for the whole session, such as descriptions of devices, and adds its
    /// answers to `answers`.
    pub(super) fn describe(cupti: &Functions, answers: &mut Answers) {
        for kind in DESCRIPTIONS {
            // SAFETY: a number. If it is refused, only the descriptions are missing.
            answers.add(&format!("kind {kind}"), unsafe { cupti.enable(kind) });
        }
        if process::has_option(DeviceOption::Graphs) {
            // SAFETY: a number. CUPTI wants it before the driver is initialized.
            answers.add("cuptiActivityEnableDeviceGraph", unsafe { cupti.enable_device_graphs(1) });
        }
    }

    /// Enables (`is_on`) or disables the kinds of recorded cycles. Disables none if they stay enabled between
    /// cycles.
    pub(super) fn switch(&mut self, cupti: &Functions, is_on: bool) {
        if is_on {
            self.enable(cupti);
        } else if !self.stays_on && std::mem::take(&mut self.is_on) {
            for kind in &self.recorded {
                // SAFETY: a number.
                check("cuptiActivityDisable", unsafe { cupti.disable(*kind) });
            }
        }
    }

    /// Disables the kinds of recorded cycles, even if they would stay enabled between cycles: no later cycle
    /// is due.
    pub(super) fn end(&mut self, cupti: &Functions) {
        self.stays_on = false;
        self.switch(cupti, false);
    }

    /// Disables all kinds for good, and undoes CUPTI's settings for unified memory and for graphs that the
    /// device launches.
    pub(super) fn leave(&mut self, cupti: &Functions) {
        self.is_on = false;
        for kind in DESCRIPTIONS.iter().chain(&self.recorded) {
            // SAFETY: a number.
            unsafe { cupti.disable(*kind) };
        }
        if self.recorded.contains(&kind::UNIFIED_MEMORY_COUNTER) {
            unified::configure(cupti, &unified::asked(), false);
        }
        if process::has_option(DeviceOption::Graphs) {
            // SAFETY: a number.
            unsafe { cupti.enable_device_graphs(0) };
        }
    }

    /// Tries to have CUPTI record the events of unified memory that it is still to be configured for. Does
    /// nothing while the kinds of recorded cycles are disabled.
    pub(super) fn add_unified_memory(&mut self, cupti: &Functions) {
        if !self.is_on || self.unified.is_empty() {
            return;
        }
        let mut answer = unified::configure(cupti, &self.unified, true);
        let is_first = !self.answers.has(CONFIGURE);
        self.answers.add(CONFIGURE, answer);
        if answer != unified::TOO_EARLY || !is_first {
            self.unified.clear();
            if errors::is_done(answer) {
                let kind = kind::UNIFIED_MEMORY_COUNTER;
                // SAFETY: a number.
                answer = self.answers.add(&format!("kind {kind}"), unsafe { cupti.enable(kind) });
            }
            if errors::is_done(answer) {
                self.recorded.push(kind::UNIFIED_MEMORY_COUNTER);
            } else {
                errors::report_refused_kinds(&[(kind::UNIFIED_MEMORY_COUNTER, answer)]);
            }
        }
        self.answers.log(KINDS);
    }

    /// Unless the kinds of recorded cycles are enabled, enables them, removes those that CUPTI refuses, and
    /// usually switches off the records of calls that are not kept.
    fn enable(&mut self, cupti: &Functions) {
        self.follow_options(cupti);
        if std::mem::replace(&mut self.is_on, true) {
            return;
        }
        let mut answers = Answers::default();
        let mut enable = |kind: &u32| {
            // SAFETY: a number.
            let answer = answers.add(&format!("kind {kind}"), unsafe { cupti.enable(*kind) });
            Some((*kind, answer)).filter(|_| !errors::is_done(answer))
        };
        let refused: Vec<(u32, u32)> = self.recorded.iter().filter_map(&mut enable).collect();
        self.refuse(&refused);
        if !std::mem::replace(&mut self.is_logged, true) {
            answers.log(KINDS);
            self.answers = answers;
        }
        self.add_unified_memory(cupti);
        self.unwanted.retain(|&(is_driver, function)| switch_off(cupti, is_driver, function));
    }
}

impl Kinds {
    /// Adds the kinds that options ask for by now, and removes those that they no longer ask for; enables or
    /// disables these where the others are enabled.
    fn follow_options(&mut self, cupti: &Functions) {
        for (option, kind) in OPTIONAL {
            let (is_asked, at) =
                (process::has_option(option), self.recorded.iter().position(|&at| at == kind));
            match at {
                None if is_asked && !self.refused.contains(&kind) => {
                    self.recorded.push(kind);
                    // SAFETY: a number.
                    let answer = if self.is_on { unsafe { cupti.enable(kind) } } else { OK };
                    if !errors::is_done(answer) {
                        self.refuse(&[(kind, answer)]);
                    }
                }
                Some(at) if !is_asked => {
                    self.recorded.remove(at);
                    if self.is_on {
                        // SAFETY: a number.
                        check("cuptiActivityDisable", unsafe { cupti.disable(kind) });
                    }
                }
                _ => {}
            }
        }
    }

    /// Removes kinds that CUPTI has refused, each with its answer, and reports them.
    fn refuse(&mut self, refused: &[(u32, u32)]) {
        self.recorded.retain(|kind| refused.iter().all(|(refused, _)| refused != kind));
        self.refused.extend(refused.iter().map(|(kind, _)| kind));
        errors::report_refused_kinds(refused);
    }
}

/// Switches off the records of calls of one function, of the driver if `is_driver`, else of the runtime;
/// false if CUPTI refuses that.
fn switch_off(cupti: &Functions, is_driver: bool, function: u32) -> bool {
    // SAFETY: numbers.
    let answer = unsafe {
        if is_driver {
            check("cuptiActivityEnableDriverApi", cupti.enable_driver_call(function, 0))
        } else {
            check("cuptiActivityEnableRuntimeApi", cupti.enable_runtime_call(function, 0))
        }
    };
    answer == OK
}

/// The functions whose calls are not kept, as in [`Kinds`]; empty if CUPTI cannot switch off single
/// functions. `wants_driver`: calls of all functions of the driver are kept.
fn unwanted(cupti: &Functions, wants_driver: bool) -> Vec<(bool, u32)> {
    if !cupti.can_switch_calls() {
        return Vec::new();
    }
    let all = [false, true].into_iter().flat_map(|is_driver| (1..FUNCTIONS).map(move |at| (is_driver, at)));
    let is_unwanted = |&(is_driver, function): &(bool, u32)| {
        let name = names::of_function(cupti, is_driver, function);
        name.is_some_and(|name| !call_filter::is_kept(is_driver, &name, wants_driver))
    };
    all.filter(is_unwanted).collect()
}
