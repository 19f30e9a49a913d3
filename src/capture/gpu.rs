//! GPUs as seen from outside the captured program: the options, how CUDA loads the recorder, the machine's
//! driver and devices, their utilization. Device work is recorded inside the program. Must not know traces.
//!
//! - [`injection`]: the environment variables by which the driver, NVTX and ITT load the recorder
//! - [`probe`] loads the driver and CUPTI, and reports on them, in a process of its own (a hidden
//!   subcommand), because the libraries may hang or crash there. [`machine`] runs that process and reads its
//!   report of the driver: for `--require-gpu`, for `proftui doctor`, and when a cycle has no GPU records and
//!   its processes reported no reason. Most runs never start it. [`trial`] runs it to try copies of CUPTI
//! - [`cupti`]: where each kind of program finds CUPTI
//! - [`sampler`]: utilization and memory use of devices, by NVML, on a thread that no other thread waits for
//! - [`findings`]: the checks of `proftui doctor` about GPUs, each with a [`finding`]
//! - [`reason`]: why GPU records are missing in a cycle, as an [`explanation`]
//! - `options`: the options of GPU recording

pub mod cupti;
pub mod explanation;
pub mod finding;
pub mod findings;
pub mod injection;
pub mod machine;
mod options;
pub mod probe;
pub mod reason;
pub mod sampler;
pub mod trial;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsString;

use proftui_wire::device::Reason;

use crate::capture::gpu::explanation::Explanation;
use crate::capture::gpu::reason::Surroundings;
use crate::capture::system::python::{self, Program};
use cupti::Kind;
use machine::{Depth, Machine};
use sampler::Sampler;

pub use options::GpuOptions;

/// What the proftui process of a run knows of GPUs: options, driver, devices, utilization, and reasons for
/// missing records.
#[derive(Debug)]
pub struct Gpu {
    options: GpuOptions,
    /// Value of `CUDA_INJECTION64_PATH` if it names another tool's library; else `None`.
    other_tool: Option<OsString>,
    /// The machine's driver and devices, once they were probed for an explanation.
    machine: OnceCell<Machine>,
    /// Reasons for missing GPU records of which the user was informed.
    reported: BTreeSet<Reason>,
    /// Sampler of the devices' utilization; `None` if its thread could not be started.
    sampler: Option<Sampler>,
}

impl Gpu {
    /// Makes the state for a run and starts the sampler; `None` if GPUs are not to be recorded. `other_tool`
    /// is the value of `CUDA_INJECTION64_PATH` if that names no recorder of proftui.
    pub fn new(options: &GpuOptions, other_tool: Option<OsString>) -> Option<Self> {
        if options.is_off || other_tool.as_deref().is_some_and(|other| other == injection::NONE) {
            return None;
        }
        // The user was warned of another tool before the program began.
        let reported = other_tool.iter().map(|_| Reason::OtherSubscriber).collect();
        let machine = OnceCell::new();
        Some(Self { options: options.clone(), other_tool, machine, reported, sampler: Sampler::start() })
    }

    /// What is known of the machine and the options, by which missing GPU records are explained. The first
    /// call probes the machine.
    pub fn surroundings(&self) -> Surroundings<'_> {
        let machine = self.machine.get_or_init(Machine::look);
        Surroundings {
            machine,
            other_tool: self.other_tool.as_deref(),
            is_requested: self.options.is_requested || self.options.is_required,
        }
    }

    /// The message that explains to the user why GPU records are missing; `None` if the reason was reported
    /// before.
    pub fn report_once(&mut self, why: &Explanation) -> Option<String> {
        self.reported.insert(why.reason).then(|| format!("GPU: {why}"))
    }

    /// The sampler of the devices' utilization; `None` if its thread could not be started.
    pub fn sampler(&self) -> Option<&Sampler> {
        self.sampler.as_ref()
    }
}

/// Checks, before `command` is started, whether its GPU work can be recorded. Returns why not; `None` if no
/// obstacle was found.
pub fn obstacle(options: &GpuOptions, command: &[OsString]) -> Option<Explanation> {
    let value = std::env::var_os(injection::CUDA);
    if let Some(other) = injection::other_tool(value.as_deref()) {
        return Some(Explanation::new(Reason::OtherSubscriber, injection::describe(injection::CUDA, other)));
    }
    let machine = machine::probe(Depth::Devices);
    if let Some(why) = machine.obstacle() {
        return Some(why);
    }
    let program = python::program(command);
    let kinds = match &program {
        Program::Python(python) => vec![Kind::Python(python)],
        Program::Other => vec![Kind::Other],
        // A shell or a starter: what it starts is not known.
        Program::Unknown(python) => vec![Kind::Python(python), Kind::Other],
    };
    let mut first = None;
    for kind in kinds {
        let candidates = cupti::candidates(options.cupti.as_deref(), kind);
        let why = trial::run(&candidates, machine.version()).obstacle(&candidates)?;
        first.get_or_insert(why);
    }
    first
}
