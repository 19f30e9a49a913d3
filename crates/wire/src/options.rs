//! The options of a run, which captured processes follow: a file of lines `key=value` in the run's folder.
//!
//! Unknown keys are ignored: either side may be of an older version.

use std::fmt;

use crate::schedule::Schedule;

/// Environment variable with the path of the run's folder.
pub const RUN: &str = "PROFTUI_RUN";
/// Environment variable by which child processes find the folder of the leader that they follow.
pub const LEADER: &str = "PROFTUI_LEADER";
/// Environment variable with the path of the CUPTI library that the user chose.
pub const CUPTI: &str = "PROFTUI_CUPTI";
/// Environment variable with the path of the library that receives Intel ITT's calls; PyTorch and other
/// clients of ITT load it.
pub const ITT: &str = "INTEL_LIBITTNOTIFY64";
/// Environment variable that disables recording in a process if its value is neither empty nor 0.
pub const DISABLE: &str = "PROFTUI_DISABLE";
/// Name of the file with the options, in the run's folder.
pub const FILE: &str = "options";
/// Name of the run's own live page, in the run's folder; for recording by time, it holds the number of the
/// cycle to record ([`crate::live::Word::Cycle`]).
pub const WINDOW: &str = "window";
/// Name of the file, in the run's folder, that proftui keeps locked while it runs.
pub const PARENT: &str = "parent";

/// The options of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which steps are recorded; not used with `is_timer_only` or `by_time`.
    pub schedule: Schedule,
    /// The event that ends a step, as the value of the option `--step-on`.
    pub step_on: String,
    /// True if only the times of steps are measured, and nothing is recorded.
    pub is_timer_only: bool,
    /// True if cycles are recording windows, opened and closed by time instead of by steps.
    pub by_time: bool,
    /// Samples per step; 0 to use the number that is reported with each step.
    pub batch_size: u64,
    /// The Python functions whose calls are recorded: values of the option `--functions`, without blanks.
    pub functions: Vec<String>,
    /// Limit of the bytes that the chunks of a process take in a cycle.
    pub max_bytes: u64,
    /// True if the files of a process are to be a ring, whose oldest files are removed as recording goes on;
    /// of effect only with [`Schedule::All`].
    pub is_ring: bool,
    /// How many of the last steps a ring keeps if they fit into `max_bytes`; 0 for as many as fit.
    pub ring_steps: u64,
    /// How many thousandths of the median of recent steps a step must exceed to be logged as slow; 0 for
    /// never.
    pub slow_step: u64,
    /// The options of the device recorder that are set.
    pub device: Vec<DeviceOption>,
    /// Limit of the time for which a cycle usually makes the program wait for its GPU work and the records of
    /// it, ms.
    pub gpu_wait: u64,
    /// About how many bytes of device memory CUPTI may take for its records in each context; with 0 it takes
    /// the host's memory instead.
    pub gpu_memory: u64,
    /// How operators are recorded.
    pub ops: Ops,
    /// The properties of operators that [`Ops::Full`] records beyond their names and times.
    pub ops_options: Vec<OpsOption>,
}

/// How the operators of frameworks are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ops {
    /// Operators are not recorded.
    #[default]
    Off,
    /// Names and times of operators are recorded, at low cost.
    Light,
    /// Operators are recorded by the framework's own profiler, with the properties that the [`OpsOption`]s
    /// select.
    Full,
}

impl Ops {
    const ALL: [Self; 3] = [Self::Off, Self::Light, Self::Full];

    /// The mode's name in the file of options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Light => "light",
            Self::Full => "full",
        }
    }
}

/// A property of operators that may be recorded beyond their names and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpsOption {
    /// Shapes and data types of the operators' inputs.
    Shapes,
    /// The stack of Python functions in which an operator is called.
    Stack,
    /// Memory that operators allocate and free.
    Memory,
    /// The number of floating point operations of operators, as the framework computes it.
    Flops,
}

impl OpsOption {
    const ALL: [Self; 4] = [Self::Shapes, Self::Stack, Self::Memory, Self::Flops];

    /// The property's name in the file of options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shapes => "shapes",
            Self::Stack => "stack",
            Self::Memory => "memory",
            Self::Flops => "flops",
        }
    }
}

/// An option of the device recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceOption {
    /// Leave out the cycles that begin.
    Off,
    /// Do not wait for device work at the end of a cycle; unfinished work may then be missing.
    NoSync,
    /// Record allocations and releases of memory by CUDA, and operations on memory pools.
    Memory,
    /// Record synchronizations (waits of threads and streams for device work), and the recording of CUDA
    /// events.
    Waits,
    /// Record each execution of a CUDA graph as one record instead of one per node, which is cheaper.
    Graphs,
    /// Record all calls of the CUDA driver instead of a selection.
    Driver,
    /// Record migrations of unified memory, thrashing, throttling and remote mappings.
    Migrations,
    /// Record page faults of unified memory.
    PageFaults,
}

impl DeviceOption {
    const ALL: [Self; 8] = [
        Self::Off,
        Self::NoSync,
        Self::Memory,
        Self::Waits,
        Self::Graphs,
        Self::Driver,
        Self::Migrations,
        Self::PageFaults,
    ];

    /// The option's name in the file of options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::NoSync => "no_sync",
            Self::Memory => "memory",
            Self::Waits => "waits",
            Self::Graphs => "graphs",
            Self::Driver => "driver",
            Self::Migrations => "migrations",
            Self::PageFaults => "page_faults",
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            schedule: Schedule::All,
            step_on: "auto".into(),
            is_timer_only: false,
            by_time: false,
            batch_size: 0,
            functions: Vec::new(),
            max_bytes: 1 << 30,
            is_ring: false,
            ring_steps: 0,
            slow_step: 0,
            device: Vec::new(),
            gpu_wait: 5000,
            gpu_memory: 128 << 20,
            ops: Ops::Off,
            ops_options: Vec::new(),
        }
    }
}

impl Options {
    /// Parses the text of the file of options, with defaults for missing or invalid values.
    pub fn read(text: &str) -> Self {
        let mut options = Self::default();
        options.change(text);
        options
    }

    /// Changes those options that `text`, in the form of the file of options, has.
    pub fn change(&mut self, text: &str) {
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "schedule" => self.schedule = value.parse().unwrap_or_default(),
                "step_on" => value.clone_into(&mut self.step_on),
                "timer_only" => self.is_timer_only = value == "1",
                "by_time" => self.by_time = value == "1",
                "batch_size" => self.batch_size = value.parse().unwrap_or_default(),
                "functions" => self.functions = value.split_whitespace().map(str::to_owned).collect(),
                "most" => self.max_bytes = value.parse().unwrap_or(self.max_bytes),
                "ring" => self.is_ring = value == "1",
                "ring_steps" => self.ring_steps = value.parse().unwrap_or_default(),
                "slow_step" => self.slow_step = value.parse().unwrap_or_default(),
                "device" => {
                    let is_asked = |option: &DeviceOption| value.split(',').any(|name| name == option.name());
                    self.device = DeviceOption::ALL.into_iter().filter(is_asked).collect();
                }
                "gpu_wait" => self.gpu_wait = value.parse().unwrap_or(self.gpu_wait),
                "gpu_memory" => self.gpu_memory = value.parse().unwrap_or(self.gpu_memory),
                "ops" => {
                    let ops = Ops::ALL.into_iter().find(|ops| ops.name() == value);
                    self.ops = ops.unwrap_or_default();
                }
                "ops_asks" => {
                    let is_asked = |option: &OpsOption| value.split(',').any(|name| name == option.name());
                    self.ops_options = OpsOption::ALL.into_iter().filter(is_asked).collect();
                }
                _ => {}
            }
        }
    }

    /// True if this option of the device recorder is set.
    pub fn has(&self, option: DeviceOption) -> bool {
        self.device.contains(&option)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "schedule={}", self.schedule)?;
        writeln!(f, "step_on={}", self.step_on)?;
        writeln!(f, "timer_only={}", u8::from(self.is_timer_only))?;
        writeln!(f, "by_time={}", u8::from(self.by_time))?;
        writeln!(f, "batch_size={}", self.batch_size)?;
        writeln!(f, "functions={}", self.functions.join(" "))?;
        writeln!(f, "most={}", self.max_bytes)?;
        writeln!(f, "ring={}", u8::from(self.is_ring))?;
        writeln!(f, "ring_steps={}", self.ring_steps)?;
        writeln!(f, "slow_step={}", self.slow_step)?;
        let names: Vec<&str> = self.device.iter().map(|option| option.name()).collect();
        writeln!(f, "device={}", names.join(","))?;
        writeln!(f, "gpu_wait={}", self.gpu_wait)?;
        writeln!(f, "gpu_memory={}", self.gpu_memory)?;
        writeln!(f, "ops={}", self.ops.name())?;
        let names: Vec<&str> = self.ops_options.iter().map(|option| option.name()).collect();
        writeln!(f, "ops_asks={}", names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_back() {
        let options = Options {
            schedule: Schedule::steps(3, 9).expect("valid"),
            step_on: "train:step".into(),
            is_timer_only: true,
            by_time: true,
            batch_size: 32,
            functions: vec!["__main__:*".into(), "model.*:Net.forward".into()],
            max_bytes: 1 << 20,
            is_ring: true,
            ring_steps: 50,
            slow_step: 1500,
            device: vec![DeviceOption::NoSync, DeviceOption::Graphs],
            gpu_wait: 250,
            gpu_memory: 0,
            ops: Ops::Full,
            ops_options: vec![OpsOption::Shapes, OpsOption::Flops],
        };
        assert_eq!(Options::read(&options.to_string()), options);
        assert_eq!(Options::read("new=1\nmost=none\nops=more\n"), Options::default());
        let mut changed = options.clone();
        changed.change("device=memory\n");
        assert_eq!(changed, Options { device: vec![DeviceOption::Memory], ..options });
    }
}
