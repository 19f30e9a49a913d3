//! The options of `proftui capture` for GPUs, and the hidden command that loads the CUDA driver and CUPTI in
//! a process of its own.
//!
//! Must not know how devices are recorded.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::error::ErrorKind;
use proftui_base::saturate::saturate;
use proftui_wire::options::DeviceOption;
use proftui_wire::ownership;

use crate::capture::gpu::{GpuOptions, machine, probe};

use crate::cli::options::values::{ValueError, size, time};
use crate::cli::output::streams::Failure;

/// Least time of `--gpu-wait`: CUPTI needs some time to deliver its records.
const LEAST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Least memory of `--gpu-memory-limit` other than 0, bytes: CUPTI needs two buffers.
const LEAST_MEMORY: u64 = 8 << 20;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "GPU")]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(super) struct GpuArgs {
    /// Whether to record GPUs; auto, if given explicitly, also reports a missing GPU driver (default: auto)
    #[arg(long, value_enum, value_name = "WHEN")]
    gpu: Option<When>,
    /// Exit with an error, without starting the program, if GPUs cannot be recorded
    #[arg(long, conflicts_with = "timer_only")]
    require_gpu: bool,
    /// Path of the CUPTI library, libcupti.so (default: found automatically, see proftui doctor)
    ///
    /// By default, only copies that the program has loaded are tried, if there are any; else, until one
    /// works, those of the program's Python, in `$CUDA_HOME` (in `$CUDA_PATH` if that is not set), in
    /// /usr/local/cuda*, and on the system's library path.
    #[arg(long, value_name = "PATH", value_parser = file)]
    cupti: Option<PathBuf>,
    /// Do not wait for GPU work at the beginning and the end of a cycle; what is still running at the end is
    /// usually not recorded
    #[arg(long)]
    no_sync: bool,
    /// Longest time for which the program waits for its GPU work and the records of it: where a cycle begins,
    /// where it ends, and in all at its exit
    #[arg(long, value_name = "TIME", value_parser = wait, default_value = "5s")]
    gpu_wait: Duration,
    /// Most memory that CUPTI may take on a GPU for its records, for each context; with 0 it takes the host's
    /// memory
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "128M")]
    gpu_memory_limit: u64,
    /// Detail at which CUDA graphs are recorded
    #[arg(long, visible_alias = "cuda-graph-trace", value_enum, value_name = "LEVEL", default_value_t)]
    cuda_graph: Graph,
    /// Record memory allocations and frees, on GPUs and by operators (implies --ops full)
    #[arg(long)]
    profile_memory: bool,
    /// Record CUDA synchronization: waits for streams, events and contexts
    #[arg(long, alias = "sync-events")]
    cuda_sync_events: bool,
    /// Which events of unified (managed) memory to record; recording page faults slows programs down that
    /// have many
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    unified_memory: Unified,
    /// Record all calls of the CUDA driver API, not only most of those that launch GPU work, wait for it, or
    /// may take long
    #[arg(long)]
    driver_api: bool,
    /// Whether to record NVTX ranges and marks
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    nvtx: Switch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// Record GPUs if the machine has any
    Auto,
    /// Do not record GPUs
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Graph {
    /// Record each kernel, copy and memset of a graph as an event
    #[default]
    Node,
    /// Record each launch of a graph as one event, at a lower cost
    Graph,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Unified {
    /// Record none
    #[default]
    Off,
    /// Record migrations, thrashing and what the driver does against it
    Migrations,
    /// Record page faults, too
    Faults,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// Record NVTX ranges and marks
    #[default]
    On,
    /// Do not record NVTX ranges and marks
    Off,
}

/// Why a text is no value of `--cupti`, `--gpu-wait` or `--gpu-memory-limit`.
#[derive(Debug, thiserror::Error)]
pub(super) enum GpuValueError {
    /// The path cannot be made absolute.
    #[error(transparent)]
    Path(#[from] io::Error),
    /// No regular file is found at the path.
    #[error("no such file")]
    NoFile,
    /// The file does not pass [`ownership::check_named`].
    #[error(transparent)]
    Refused(#[from] ownership::Refused),
    /// The value of `--gpu-wait` or `--gpu-memory-limit` cannot be parsed.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The time to wait is shorter than 100 ms or longer than an hour.
    #[error("expected a time from 100ms to 3600s; --no-sync does not wait for GPUs at all")]
    Wait,
    /// The memory is less than 8 MiB, and not 0.
    #[error("expected a size of 8M or more, or 0 to use the host's memory")]
    Memory,
}

/// Parses the path of a library and makes it absolute. The file must exist and pass
/// [`ownership::check_named`].
pub(super) fn file(text: &str) -> Result<PathBuf, GpuValueError> {
    // The captured program may change its working directory before it opens the file.
    let path = std::path::absolute(text)?;
    if !path.is_file() {
        return Err(GpuValueError::NoFile);
    }
    ownership::check_named(&path, rustix::process::geteuid().as_raw())?;
    Ok(path)
}

/// Parses the value of `--gpu-wait`: a time of 100 ms to an hour.
fn wait(text: &str) -> Result<Duration, GpuValueError> {
    let wait = Duration::from_nanos(time(text)?.unsigned_abs());
    if (LEAST_WAIT..=LONGEST_WAIT).contains(&wait) { Ok(wait) } else { Err(GpuValueError::Wait) }
}

/// Parses the value of `--gpu-memory-limit`: 0, or a size of 8 MiB or more. Returns bytes.
fn memory(text: &str) -> Result<u64, GpuValueError> {
    let bytes = size(text)?;
    if bytes == 0 || bytes >= LEAST_MEMORY { Ok(bytes) } else { Err(GpuValueError::Memory) }
}

impl GpuArgs {
    /// Ends this process with exit status 2 and a message if `--require-gpu` and `--gpu off` are both given.
    pub(super) fn check(&self) {
        if self.require_gpu && self.gpu == Some(When::Off) {
            clap::Error::raw(ErrorKind::ArgumentConflict, "--require-gpu cannot be used with --gpu off\n")
                .exit();
        }
    }

    /// The GPU options that the capture itself needs, outside the program's processes.
    pub(super) fn parent_options(&self, is_timer_only: bool) -> GpuOptions {
        GpuOptions {
            is_off: is_timer_only || self.gpu == Some(When::Off),
            is_requested: self.gpu == Some(When::Auto),
            is_required: self.require_gpu,
            cupti: self.cupti.clone(),
            is_nvtx_off: self.nvtx == Switch::Off,
        }
    }

    /// True where allocations and releases of memory are to be recorded (`--profile-memory`).
    pub(super) fn has_memory(&self) -> bool {
        self.profile_memory
    }

    /// The value of `--gpu-wait`, in ms.
    pub(super) fn wait_ms(&self) -> u64 {
        saturate::<u64>(self.gpu_wait.as_millis())
    }

    /// The value of `--gpu-memory-limit`, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.gpu_memory_limit
    }

    /// The options of the device recorder that the command line switches on.
    pub(super) fn device_options(&self) -> Vec<DeviceOption> {
        let all = [
            (self.no_sync, DeviceOption::NoSync),
            (self.profile_memory, DeviceOption::Memory),
            (self.cuda_sync_events, DeviceOption::Waits),
            (self.cuda_graph == Graph::Graph, DeviceOption::Graphs),
            (self.driver_api, DeviceOption::Driver),
            (self.unified_memory != Unified::Off, DeviceOption::Migrations),
            (self.unified_memory == Unified::Faults, DeviceOption::PageFaults),
        ];
        all.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect()
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct ProbeArgs {
    /// Initialize the CUDA driver, and count its devices
    #[arg(long = machine::DEVICES)]
    devices: bool,
    /// Paths of CUPTI libraries; the first that loads is tried
    cupti: Vec<PathBuf>,
}

/// Tries the CUDA driver and, if that loads and paths are given, CUPTI in this process, and prints a report.
/// May end the process instead of returning.
pub(super) fn probe(args: &ProbeArgs) -> Result<(), Failure> {
    Ok(probe::report(io::stdout(), args.devices, &args.cupti)?)
}
