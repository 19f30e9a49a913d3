//! The machine's CUDA driver and devices, as reported by a process (`probe`) that loads the driver, since it
//! may hang or crash.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

use proftui_wire::device::Reason;

use super::injection;
use crate::capture::gpu::explanation::Explanation;
use crate::capture::system::child::output;

/// The hidden subcommand that runs the probe.
pub const COMMAND: &str = "probe-gpu";
/// Option of [`COMMAND`] to initialize the driver and count devices, which may take seconds.
pub const DEVICES: &str = "devices";

/// Time limits of the probe: for the driver's version alone, and with its devices.
const PATIENCE: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(1)];

/// How much the probe asks the driver for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Whether there is a driver, and its version; without initializing it.
    Driver,
    /// As `Driver`, and also how many devices there are; this initializes the driver.
    Devices,
}

/// Why the driver, or a device of it, cannot be used.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unusable {
    /// What the probe reports, in its words.
    #[error("{0}")]
    Reported(String),
    /// The probe ended before it reported a driver.
    #[error("the test process that loads the driver ended with {0}")]
    LoadEnded(ExitStatus),
    /// The probe ended after it loaded the driver, before it reported devices.
    #[error("the test process that initialized the driver ended with {0}")]
    InitializationEnded(ExitStatus),
    /// The probe cannot be run, or took too long: the system's error.
    #[error("cannot run the test process that loads the driver: {0}")]
    NotRun(String),
}

/// The machine's driver and devices, as the probe reported them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The latest CUDA version that the driver supports (12040 for 12.4, 0 if unknown), or why there is no
    /// driver; `None` if not reported.
    pub driver: Option<Result<u32, Unusable>>,
    /// Number of devices, or why the driver has none ready; `None` if they were not probed.
    pub devices: Option<Result<u32, Unusable>>,
}

impl Machine {
    /// Probes the machine to explain missing GPU records. Initializes the driver only if `/dev` has no device
    /// files, since then the driver fails at once.
    pub fn look() -> Self {
        let machine = probe(Depth::Driver);
        if machine.has_driver() && !has_nodes() { probe(Depth::Devices) } else { machine }
    }

    /// True if the driver can be loaded.
    pub fn has_driver(&self) -> bool {
        matches!(self.driver, Some(Ok(_)))
    }

    /// The latest CUDA version that the driver supports; 0 if unknown.
    pub fn version(&self) -> u32 {
        self.driver.as_ref().and_then(|driver| driver.as_ref().ok()).copied().unwrap_or_default()
    }

    /// Explains why no program can use a device here: no driver, or no device; `None` if neither is known to
    /// be missing.
    pub fn obstacle(&self) -> Option<Explanation> {
        match (&self.driver, &self.devices) {
            (Some(Err(why)), _) => Some(Explanation::new(Reason::NoDriver, why.to_string())),
            (_, Some(Err(why))) => Some(Explanation::new(
                Reason::NoDriver,
                format!("the driver reports no device: {why}{}", limits()),
            )),
            (_, Some(Ok(0))) => {
                Some(Explanation::new(Reason::NoDriver, format!("the driver finds no device{}", limits())))
            }
            _ => None,
        }
    }

    /// Parses the probe's report, lines of `key=value`; unknown keys are ignored.
    fn read(text: &str) -> Self {
        let mut machine = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let number = || value.parse().unwrap_or_default();
            match key {
                "driver" => machine.driver = Some(Ok(number())),
                "no_driver" => machine.driver = Some(Err(Unusable::Reported(value.to_owned()))),
                "devices" => machine.devices = Some(Ok(number())),
                "no_devices" => machine.devices = Some(Err(Unusable::Reported(value.to_owned()))),
                _ => {}
            }
        }
        machine
    }
}

/// Text to append to a message if `/dev` has no device files, as in a container; empty if it has some.
pub fn limits() -> &'static str {
    if has_nodes() { "" } else { ", and /dev/nvidia0 does not exist" }
}

/// True if `/dev` has device files of NVIDIA's driver, of WSL (`dxg`), or of a Jetson.
pub fn has_nodes() -> bool {
    let is_device = |name: &str| {
        let is_numbered = |number: &str| number.starts_with(|first: char| first.is_ascii_digit());
        name == "dxg"
            || name.starts_with("nvhost-gpu")
            || name.strip_prefix("nvidia").is_some_and(is_numbered)
    };
    let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_str().is_some_and(is_device))
}

/// Runs the probe in a process of its own, with a time limit.
pub fn probe(depth: Depth) -> Machine {
    let asked = ask(depth, &[]);
    let unknown = |why| Machine { driver: Some(Err(why)), ..Machine::default() };
    match asked {
        // Lines that the probe printed before it crashed are valid.
        Ok(output) if !output.stdout.is_empty() => {
            let mut machine = Machine::read(&String::from_utf8_lossy(&output.stdout));
            if depth == Depth::Devices && machine.has_driver() && machine.devices.is_none() {
                machine.devices = Some(Err(Unusable::InitializationEnded(output.status)));
            }
            machine
        }
        Ok(output) => unknown(Unusable::LoadEnded(output.status)),
        Err(why) => unknown(Unusable::NotRun(why.to_string())),
    }
}

/// Runs this program's hidden subcommand and returns its output. `cupti` are the copies of CUPTI of which it
/// is to try the first that can be loaded.
///
/// # Errors
/// When it cannot be run, or took too long.
pub fn ask(depth: Depth, cupti: &[PathBuf]) -> io::Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(COMMAND);
    if depth == Depth::Devices {
        command.arg(format!("--{DEVICES}"));
    }
    command.arg("--").args(cupti);
    // No tool, this one included, is to record the probe.
    command.env_remove(injection::CUDA).env_remove(injection::NVTX);
    output(&mut command, PATIENCE[usize::from(depth == Depth::Devices)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reported_before_a_crash_counts() {
        let machine = Machine::read("driver=12040\nnew=1\n");
        assert_eq!(machine.driver, Some(Ok(12040)));
        assert!(machine.has_driver() && machine.obstacle().is_none());
    }

    #[test]
    fn without_a_driver_or_a_device_nothing_runs() {
        for (report, text) in [
            ("no_driver=libcuda.so.1: gone", "libcuda.so.1: gone"),
            ("driver=13000\nno_devices=error 100", "error 100"),
            ("driver=13000\ndevices=0", "no device"),
        ] {
            let why = Machine::read(report).obstacle().expect("an obstacle");
            assert_eq!(why.reason, Reason::NoDriver);
            assert!(why.detail.contains(text), "{}", why.detail);
        }
        assert_eq!(Machine::read("driver=13000\ndevices=8").obstacle(), None);
    }
}
