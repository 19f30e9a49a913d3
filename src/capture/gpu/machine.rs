//! What this machine has for CUDA, as a process of ours found it that loaded the driver and CUPTI.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proftui_wire::device::Reason;

use super::injection;
use crate::capture::child::output;
use crate::capture::reason::Why;

/// The subcommand that looks.
pub const COMMAND: &str = "probe-gpu";
/// The option by which it asks the driver for its devices, which may take seconds.
pub const DEVICES: &str = "devices";

/// How long the driver may take to tell its version, and to get its devices ready.
const PATIENCE: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(1)];

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Whether there is a driver.
    Driver,
    /// Which devices it has, too.
    Devices,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The latest version of CUDA that the driver is for, 12040 for 12.4, 0 when it does not tell; or why there is none.
    pub driver: Option<Result<u32, String>>,
    /// How many devices it has, or why it does not tell; none where it was not asked.
    pub devices: Option<Result<u32, String>>,
    /// CUPTI's version, as it counts them (0 when it does not tell), and its file.
    pub cupti: Option<(u32, PathBuf)>,
    /// Why other files could not be loaded.
    pub failures: Vec<String>,
}

impl Machine {
    /// What matters when nothing was recorded. The driver gets devices ready only where it seems to have none, which is told at once.
    pub fn look() -> Self {
        let machine = ask(Depth::Driver, &[]);
        if machine.has_driver() && !has_nodes() { ask(Depth::Devices, &[]) } else { machine }
    }

    /// True where the driver can be loaded.
    pub fn has_driver(&self) -> bool {
        matches!(self.driver, Some(Ok(_)))
    }

    /// Why nothing runs on devices here.
    pub fn obstacle(&self) -> Option<Why> {
        match (&self.driver, &self.devices) {
            (Some(Err(why)), _) => Some(Why::new(Reason::NoDriver, why.clone())),
            (_, Some(Err(why))) => {
                Some(Why::new(Reason::NoDriver, format!("it gives no device: {why}{}", limits())))
            }
            (_, Some(Ok(0))) => Some(Why::new(Reason::NoDriver, format!("it has no device{}", limits()))),
            _ => None,
        }
    }

    fn read(text: &str) -> Self {
        let mut machine = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let number = || value.parse().unwrap_or_default();
            match key {
                "driver" => machine.driver = Some(Ok(number())),
                "no_driver" => machine.driver = Some(Err(value.to_owned())),
                "devices" => machine.devices = Some(Ok(number())),
                "no_devices" => machine.devices = Some(Err(value.to_owned())),
                "cupti" => {
                    let (version, path) = value.split_once(' ').unwrap_or(("", value));
                    machine.cupti = Some((version.parse().unwrap_or_default(), path.into()));
                }
                "no_cupti" => machine.failures.push(value.to_owned()),
                _ => {}
            }
        }
        machine
    }
}

/// What a container lacks, in words; nothing where devices have their files.
pub fn limits() -> &'static str {
    if has_nodes() { "" } else { ", and there is no /dev/nvidia0" }
}

/// True where devices have files: of NVIDIA's driver, of Windows below Linux, of a Jetson.
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

/// Has a process of ours look, which may hang or die of it. CUPTI is looked for in these files.
pub fn ask(depth: Depth, cupti: &[PathBuf]) -> Machine {
    let asked = std::env::current_exe().and_then(|this| look(&this, depth, cupti));
    let unknown = |why: String| Machine { driver: Some(Err(why)), ..Machine::default() };
    match asked {
        // What it told before it died counts.
        Ok(told) if !told.stdout.is_empty() => {
            let mut machine = Machine::read(&String::from_utf8_lossy(&told.stdout));
            if depth == Depth::Devices && machine.has_driver() && machine.devices.is_none() {
                machine.devices = Some(Err(format!("who asked it ended with {}", told.status)));
            }
            machine
        }
        Ok(told) => unknown(format!("who looked for it ended with {}", told.status)),
        Err(why) => unknown(format!("who looked for it: {why}")),
    }
}

fn look(this: &Path, depth: Depth, cupti: &[PathBuf]) -> std::io::Result<std::process::Output> {
    let mut command = Command::new(this);
    command.arg(COMMAND);
    if depth == Depth::Devices {
        command.arg(format!("--{DEVICES}"));
    }
    command.arg("--").args(cupti);
    // Nobody's tools: this is no program to be captured.
    command.env_remove(injection::CUDA).env_remove(injection::NVTX);
    output(&mut command, PATIENCE[usize::from(depth == Depth::Devices)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_before_a_death_counts() {
        let machine = Machine::read(
            "driver=12040\nno_cupti=a: no\nno_cupti=b: no\ncupti=22 /x y/libcupti.so.12\nnew=1\n",
        );
        assert_eq!(machine.driver, Some(Ok(12040)));
        assert_eq!(machine.cupti, Some((22, "/x y/libcupti.so.12".into())));
        assert_eq!(machine.failures, ["a: no", "b: no"]);
        assert!(machine.has_driver() && machine.obstacle().is_none());
    }

    #[test]
    fn without_a_driver_or_a_device_nothing_runs() {
        for (told, words) in [
            ("no_driver=libcuda.so.1: gone", "libcuda.so.1: gone"),
            ("driver=13000\nno_devices=error 100", "error 100"),
            ("driver=13000\ndevices=0", "no device"),
        ] {
            let why = Machine::read(told).obstacle().expect("an obstacle");
            assert_eq!(why.reason, Reason::NoDriver);
            assert!(why.detail.contains(words), "{}", why.detail);
        }
        assert_eq!(Machine::read("driver=13000\ndevices=8").obstacle(), None);
    }
}
