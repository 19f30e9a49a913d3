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

/// Name of proftui's hidden subcommand that loads the driver and CUPTI and reports on them: the probe.
pub const COMMAND: &str = "probe-gpu";
/// Name of the option of [`COMMAND`] to initialize the driver and count devices, which may take seconds.
pub const DEVICES: &str = "devices";

/// Time limits of the probe: without and with counting devices.
const PATIENCE: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(1)];

/// How much the probe asks the driver for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Whether the driver can be loaded, and which CUDA version it supports; the driver is not initialized.
    Driver,
    /// What [`Depth::Driver`] asks for, and how many devices there are; this initializes the driver.
    Devices,
}

/// Why the driver, or its devices, cannot be used.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unusable {
    /// The probe reported, in this text, why the driver or its devices cannot be used.
    #[error("{0}")]
    Reported(String),
    /// The probe ended in this way before it reported anything.
    #[error("the test process that loads the driver ended with {0}")]
    LoadEnded(ExitStatus),
    /// The probe ended in this way after it had loaded the driver, before it reported devices.
    #[error("the test process that initializes the driver ended with {0}")]
    InitializationEnded(ExitStatus),
    /// The probe could not be run or read, or took too long: the error as text.
    #[error("the test process that loads the driver failed: {0}")]
    NotRun(String),
}

/// The machine's driver and devices, as the probe reported them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The latest CUDA version that the driver supports (12040 for 12.4, 0 if unknown), or why the driver
    /// cannot be used. `None` if not reported.
    pub driver: Option<Result<u32, Unusable>>,
    /// Number of devices, or why it is not known; `None` without a driver, or where the probe was not to
    /// count devices.
    pub devices: Option<Result<u32, Unusable>>,
}

impl Machine {
    /// Probes the machine to explain missing GPU records; counts devices only if `/dev` has no device files
    /// of GPUs.
    pub fn look() -> Self {
        let machine = probe(Depth::Driver);
        if machine.has_driver() && !has_nodes() { probe(Depth::Devices) } else { machine }
    }

    /// True if the probe reported that the driver can be loaded.
    pub fn has_driver(&self) -> bool {
        matches!(self.driver, Some(Ok(_)))
    }

    /// The latest CUDA version that the driver supports; 0 if it is unknown or there is no driver.
    pub fn version(&self) -> u32 {
        self.driver.as_ref().and_then(|driver| driver.as_ref().ok()).copied().unwrap_or_default()
    }

    /// Explains why the probe found no usable driver, or no device; `None` if no obstacle is known.
    pub fn obstacle(&self) -> Option<Explanation> {
        match (&self.driver, &self.devices) {
            (Some(Err(why)), _) => Some(Explanation::new(Reason::NoDriver, why.to_string())),
            (_, Some(Err(why))) => Some(Explanation::new(
                Reason::NoDriver,
                format!("the driver's devices cannot be counted: {why}{}", limits()),
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

/// End of a message about missing devices: that `/dev/nvidia0` does not exist; empty if `/dev` has device
/// files of GPUs.
pub fn limits() -> &'static str {
    if has_nodes() { "" } else { ", and /dev/nvidia0 does not exist" }
}

/// True if `/dev` has device files of GPUs: of NVIDIA's driver (`nvidia0`), of WSL (`dxg`), or of a Jetson
/// (`nvhost-gpu`).
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

/// Runs the probe in a process of its own, and returns what it reported or, as [`Unusable`], why it did not.
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

/// Runs the probe, this program's hidden subcommand [`COMMAND`], and returns what it printed and how it
/// ended. The probe may also try copies of CUPTI in `cupti`.
///
/// # Errors
/// When it cannot be run, or takes more than 5 seconds ([`Depth::Driver`]) or a minute ([`Depth::Devices`]).
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
