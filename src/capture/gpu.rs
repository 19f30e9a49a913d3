//! GPUs, from outside of the program: what is asked for, how the recorder gets into CUDA, what this machine has, how busy its devices are.
//!
//! What devices do is recorded inside the program. Must not know traces.
//!
//! - [`injection`]: the environment by which the driver and NVTX load the recorder
//! - [`probe`] loads the driver and CUPTI in a process of its own, [`machine`] asks it
//! - [`cupti`]: where CUPTI may be, and whether it fits the driver
//! - [`sampler`]: how busy devices are, and how full, as the driver tells
//! - [`findings`]: all that for a person

pub mod cupti;
pub mod findings;
pub mod injection;
pub mod machine;
pub mod probe;
pub mod sampler;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use proftui_wire::device::Reason;

use super::reason::{Here, Why};
use machine::{Depth, Machine};
use sampler::Sampler;

/// What is asked for of GPUs.
#[allow(clippy::struct_excessive_bools, reason = "as the person says it")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Nothing.
    pub is_off: bool,
    /// The person asked for it, and is told whenever there is nothing.
    pub is_asked: bool,
    /// Without it the program is not started.
    pub is_required: bool,
    /// The file of CUPTI, by a whole path.
    pub cupti: Option<PathBuf>,
    /// No ranges of NVTX.
    pub is_nvtx_off: bool,
}

/// A run's GPUs.
#[derive(Debug)]
pub struct Gpu {
    wish: Wish,
    /// What else the variable names by which the driver would load the recorder.
    taken: Option<OsString>,
    machine: OnceCell<Machine>,
    told: BTreeSet<Reason>,
    sampler: Option<Sampler>,
}

impl Gpu {
    /// Of a run that is about to begin; none where nothing is wanted, by the person's environment either. `taken` is what else has the
    /// recorder's place.
    pub fn new(wish: &Wish, taken: Option<OsString>) -> Option<Self> {
        if wish.is_off || taken.as_deref().is_some_and(|taken| taken == injection::NONE) {
            return None;
        }
        // Of another tool in the recorder's place the person was warned before the program began.
        let told = taken.iter().map(|_| Reason::OtherSubscriber).collect();
        let machine = OnceCell::new();
        Some(Self { wish: wish.clone(), taken, machine, told, sampler: Sampler::start() })
    }

    /// What is known of this machine. Asked for once, when it matters: most runs never do.
    pub fn here(&self) -> Here<'_> {
        let machine = self.machine.get_or_init(Machine::look);
        Here { machine, taken: self.taken.as_deref(), is_asked: self.wish.is_asked || self.wish.is_required }
    }

    /// What is to be told of why there is nothing: each reason once in a run.
    pub fn news(&mut self, why: &Why) -> Option<String> {
        self.told.insert(why.reason).then(|| format!("GPU: {why}"))
    }

    /// How busy devices are; none where nobody can tell.
    pub fn sampler(&self) -> Option<&Sampler> {
        self.sampler.as_ref()
    }
}

/// Why nothing could be recorded of GPUs here, as far as that can be told before the program runs with `python`.
pub fn obstacle(wish: &Wish, python: &str) -> Option<Why> {
    let value = std::env::var_os(injection::CUDA);
    if let Some(taken) = injection::taken(value.as_deref()) {
        return Some(Why::new(Reason::OtherSubscriber, injection::words(injection::CUDA, taken)));
    }
    let candidates = cupti::candidates(wish.cupti.as_deref(), python);
    let machine = machine::ask(Depth::Devices, &candidates);
    machine.obstacle().or_else(|| cupti::obstacle(&machine, &candidates))
}
