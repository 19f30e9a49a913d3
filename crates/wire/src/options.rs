//! What a captured process is asked to do: a file of lines `key=value` in the run's folder.
//!
//! Lines that are not known are passed over, so that either side may be the older one.

use std::fmt;

use crate::schedule::Schedule;

/// The variable that names the run's folder; a process without it is left alone.
pub const RUN: &str = "PROFTUI_RUN";
/// The variable that names the folder of the process whose cycles a child follows.
pub const LEADER: &str = "PROFTUI_LEADER";
/// The variable that names CUPTI's file, where the person did.
pub const CUPTI: &str = "PROFTUI_CUPTI";
/// The variable that names the file which clients of Intel's ITT load, PyTorch among them.
pub const ITT: &str = "INTEL_LIBITTNOTIFY64";
/// The variable that keeps recording off where it is set, to anything but 0.
pub const DISABLE: &str = "PROFTUI_DISABLE";
/// The file with the options, in the run's folder.
pub const FILE: &str = "options";
/// The page of the run, in its folder: where windows are opened by time, [`crate::live::Word::Cycle`] on it is every process's.
pub const WINDOW: &str = "window";
/// The file that proftui keeps locked as long as it is there, in the run's folder.
pub const PARENT: &str = "parent";

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which steps to record.
    pub schedule: Schedule,
    /// What ends a step, in the names of the command line.
    pub step_on: String,
    /// Only the timer: no ranges.
    pub is_timer_only: bool,
    /// The parent opens and closes windows by time; steps do not.
    pub by_time: bool,
    /// Samples of a step, where the person said; else they are guessed.
    pub batch_size: u64,
    /// Most bytes of chunks that a process may take for a cycle.
    pub max_bytes: u64,
    /// What is asked for of devices, each once.
    pub device: Vec<DeviceOption>,
    /// How operators are recorded.
    pub ops: Ops,
    /// What is asked for of operators, each once.
    pub ops_options: Vec<OpsOption>,
}

/// How the operators of frameworks are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ops {
    /// Not.
    #[default]
    Off,
    /// As cheaply as they can be had.
    Light,
    /// With what a framework's own profiler knows of them.
    Full,
}

impl Ops {
    const ALL: [Self; 3] = [Self::Off, Self::Light, Self::Full];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Light => "light",
            Self::Full => "full",
        }
    }
}

/// Something that may be asked for of operators, beyond their names and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpsOption {
    /// Shapes and types of what they are given.
    Shapes,
    /// The functions of Python that they are called in.
    Stack,
    /// Memory that they take and give back.
    Memory,
    /// How many floating point operations they do.
    Flops,
}

impl OpsOption {
    const ALL: [Self; 4] = [Self::Shapes, Self::Stack, Self::Memory, Self::Flops];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shapes => "shapes",
            Self::Stack => "stack",
            Self::Memory => "memory",
            Self::Flops => "flops",
        }
    }
}

/// Something that may be asked for of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceOption {
    /// Not to wait for a device at a cycle's end: work that has not ended by then is not recorded.
    NoSync,
    /// Memory as it is taken and given back.
    Memory,
    /// Waiting for a device.
    Waits,
    /// Graphs whole, not by their nodes: cheaper.
    Graphs,
    /// All calls of the driver, not only those that launch work or wait for it.
    Driver,
}

impl DeviceOption {
    const ALL: [Self; 5] = [Self::NoSync, Self::Memory, Self::Waits, Self::Graphs, Self::Driver];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSync => "no_sync",
            Self::Memory => "memory",
            Self::Waits => "waits",
            Self::Graphs => "graphs",
            Self::Driver => "driver",
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
            max_bytes: 1 << 30,
            device: Vec::new(),
            ops: Ops::Off,
            ops_options: Vec::new(),
        }
    }
}

impl Options {
    /// Reads them; what is missing or wrong is as by default.
    pub fn read(text: &str) -> Self {
        let mut options = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "schedule" => options.schedule = value.parse().unwrap_or_default(),
                "step_on" => value.clone_into(&mut options.step_on),
                "timer_only" => options.is_timer_only = value == "1",
                "by_time" => options.by_time = value == "1",
                "batch_size" => options.batch_size = value.parse().unwrap_or_default(),
                "most" => options.max_bytes = value.parse().unwrap_or(options.max_bytes),
                "device" => {
                    let is_asked = |option: &DeviceOption| value.split(',').any(|name| name == option.name());
                    options.device = DeviceOption::ALL.into_iter().filter(is_asked).collect();
                }
                "ops" => {
                    let ops = Ops::ALL.into_iter().find(|ops| ops.name() == value);
                    options.ops = ops.unwrap_or_default();
                }
                "ops_asks" => {
                    let is_asked = |option: &OpsOption| value.split(',').any(|name| name == option.name());
                    options.ops_options = OpsOption::ALL.into_iter().filter(is_asked).collect();
                }
                _ => {}
            }
        }
        options
    }

    /// True where it is asked for.
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
        writeln!(f, "most={}", self.max_bytes)?;
        let names: Vec<&str> = self.device.iter().map(|option| option.name()).collect();
        writeln!(f, "device={}", names.join(","))?;
        writeln!(f, "ops={}", self.ops.name())?;
        let names: Vec<&str> = self.ops_options.iter().map(|option| option.name()).collect();
        writeln!(f, "ops_asks={}", names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let options = Options {
            schedule: Schedule::steps(3, 9).expect("valid"),
            step_on: "train:step".into(),
            is_timer_only: true,
            by_time: true,
            batch_size: 32,
            max_bytes: 1 << 20,
            device: vec![DeviceOption::NoSync, DeviceOption::Graphs],
            ops: Ops::Full,
            ops_options: vec![OpsOption::Shapes, OpsOption::Flops],
        };
        assert_eq!(Options::read(&options.to_string()), options);
        assert_eq!(Options::read("new=1\nmost=none\nops=more\n"), Options::default());
    }
}
