//! The options of `proftui capture` for GPUs, and `proftui probe`, the hidden command that loads the driver in a process of its own.
//!
//! Must not know how devices are recorded.

use std::io;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::error::ErrorKind;
use proftui_wire::options::DeviceOption;

use crate::capture::gpu::{GpuOptions, machine, probe};

use super::streams::Failure;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "GPU")]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(super) struct GpuArgs {
    /// Record what GPUs do, where there are any, or not; why there is nothing is always said where this is given
    #[arg(long, value_enum, value_name = "WHEN")]
    gpu: Option<When>,
    /// Start the program only where GPUs can be recorded
    #[arg(long, conflicts_with = "timer_only")]
    require_gpu: bool,
    /// The file of CUPTI; found by itself by default (see proftui doctor)
    #[arg(long, value_name = "PATH", value_parser = file)]
    cupti: Option<PathBuf>,
    /// Do not wait for GPUs when a cycle ends: work that has not ended by then is not recorded
    #[arg(long)]
    no_sync: bool,
    /// Record CUDA graphs node by node, or each as a whole, which costs less
    #[arg(long, visible_alias = "cuda-graph-trace", value_enum, value_name = "LEVEL", default_value_t)]
    cuda_graph: Graph,
    /// Record memory as it is taken and given back: of GPUs, and by operators (so --ops full)
    #[arg(long)]
    profile_memory: bool,
    /// Record waiting for GPUs: streams, events, contexts
    #[arg(long, alias = "sync-events")]
    cuda_sync_events: bool,
    /// Record all calls of the driver, not only those that launch work or wait for it
    #[arg(long)]
    driver_api: bool,
    /// Record ranges of NVTX, or not
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    nvtx: Switch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// Where there are any
    Auto,
    /// Never
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Graph {
    /// Each kernel of a graph
    #[default]
    Node,
    /// Graphs as wholes
    Graph,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// Record them
    #[default]
    On,
    /// Do not
    Off,
}

/// Parses the path of an existing file and makes it absolute, since the program may be in another folder when it opens it.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    let path = std::path::absolute(text).map_err(|why| why.to_string())?;
    if path.is_file() { Ok(path) } else { Err("there is no such file".into()) }
}

impl GpuArgs {
    /// Ends the program as a wrong command line does where the options contradict each other.
    pub(super) fn check(&self) {
        if self.require_gpu && self.gpu == Some(When::Off) {
            clap::Error::raw(ErrorKind::ArgumentConflict, "--require-gpu and --gpu off exclude each other\n")
                .exit();
        }
    }

    /// The options of the capturing parent process for GPUs.
    pub(super) fn parent_options(&self, is_timer_only: bool) -> GpuOptions {
        GpuOptions {
            is_off: is_timer_only || self.gpu == Some(When::Off),
            is_requested: self.gpu == Some(When::Auto),
            is_required: self.require_gpu,
            cupti: self.cupti.clone(),
            is_nvtx_off: self.nvtx == Switch::Off,
        }
    }

    /// True where allocations of memory are to be recorded.
    pub(super) fn has_memory(&self) -> bool {
        self.profile_memory
    }

    /// The options of the recorder for devices.
    pub(super) fn device_options(&self) -> Vec<DeviceOption> {
        let all = [
            (self.no_sync, DeviceOption::NoSync),
            (self.profile_memory, DeviceOption::Memory),
            (self.cuda_sync_events, DeviceOption::Waits),
            (self.cuda_graph == Graph::Graph, DeviceOption::Graphs),
            (self.driver_api, DeviceOption::Driver),
        ];
        all.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect()
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct ProbeArgs {
    /// Have the driver get its devices ready, and count them
    #[arg(long = machine::DEVICES)]
    devices: bool,
    /// Files of CUPTI; the first that can be loaded is reported
    cupti: Vec<PathBuf>,
}

/// Loads the driver and CUPTI, and prints what they report.
pub(super) fn probe(args: &ProbeArgs) -> Result<(), Failure> {
    Ok(probe::report(io::stdout(), args.devices, &args.cupti)?)
}
