//! The findings of `proftui doctor` about GPUs: driver, CUPTI, NVML, and other tools in the environment.

use std::path::{Path, PathBuf};

use super::cupti::{self, Fit};
use super::injection;
use super::machine::{self, Depth, Machine};
use super::sampler;
use crate::base::fmt;
use crate::capture::finding::{Finding, Mark};

/// File that has the version of the driver's kernel module.
const VERSION: &str = "/proc/driver/nvidia/version";

/// Probes the machine and returns the findings. `python` is the interpreter whose packages may contain CUPTI, `named` the file of CUPTI
/// that the user named.
pub fn of(python: &str, named: Option<&Path>) -> Vec<Finding> {
    let candidates = cupti::candidates(named, python);
    let machine = machine::probe(Depth::Devices, &candidates);
    let mut findings = vec![driver(&machine, std::fs::read_to_string(VERSION).ok().as_deref())];
    if machine.has_driver() || machine.cupti.is_some() || named.is_some() {
        findings.push(library(&machine, &candidates));
    }
    if machine.has_driver() {
        let (mark, text) = match sampler::try_out() {
            Ok(1) => (Mark::Good, "the utilization of 1 GPU is sampled".to_owned()),
            Ok(devices) => (Mark::Good, format!("the utilization of {devices} GPUs is sampled")),
            Err(why) => (Mark::Note, format!("GPU utilization is not sampled: {why}")),
        };
        findings.push(Finding { mark, what: "NVML", text });
    }
    findings.extend([injection::CUDA, injection::NVTX, injection::ITT].into_iter().filter_map(other_tool));
    findings
}

/// The finding about the driver; `module` is the text of [`VERSION`].
fn driver(machine: &Machine, module: Option<&str>) -> Finding {
    let what = "GPU driver";
    if let Some(why) = machine.obstacle() {
        // A missing GPU is no error: the CPU side is recorded.
        return Finding { mark: Mark::Note, what, text: format!("{why}; CPU work is recorded") };
    }
    let version = match machine.driver {
        Some(Ok(version)) if version > 0 => format!("supports CUDA {}", cupti::shown(version)),
        _ => "CUDA version unknown".into(),
    };
    let devices = match machine.devices {
        Some(Ok(devices)) => format!(", {}", fmt::counted(devices as u64, "device")),
        _ => String::new(),
    };
    let module = module.and_then(release).map_or_else(String::new, |module| format!(", version {module}"));
    Finding { mark: Mark::Good, what, text: format!("{version}{module}{devices}") }
}

/// The kernel module's version (`580.65.06`) in the text of [`VERSION`].
fn release(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.contains('.') && word.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
    text.lines().next()?.split_ascii_whitespace().find(is_version)
}

/// The finding about CUPTI.
fn library(machine: &Machine, candidates: &[PathBuf]) -> Finding {
    let what = "CUPTI";
    let driver = machine.driver.clone().and_then(Result::ok).unwrap_or_default();
    match (&machine.cupti, cupti::obstacle(machine, candidates)) {
        (_, Some(why)) => {
            let failures = machine.failures.iter().filter(|failure| !failure.contains("No such file"));
            let failures: Vec<&str> = failures.map(String::as_str).collect();
            let text =
                if failures.is_empty() { why.to_string() } else { format!("{why}; {}", failures.join("; ")) };
            Finding { mark: Mark::Bad, what, text }
        }
        (Some((version, path)), None) => {
            let text = cupti::describe(*version, path, driver);
            match cupti::fit(*version, driver) {
                Fit::Good => Finding { mark: Mark::Good, what, text },
                _ => Finding {
                    mark: Mark::Note,
                    what,
                    text: format!("{text}: CUPTI may not work with a driver older than itself"),
                },
            }
        }
        (None, None) => Finding { mark: Mark::Bad, what, text: "not found".into() },
    }
}

/// The finding about an injection variable that names another tool's library; `None` if it does not.
fn other_tool(name: &'static str) -> Option<Finding> {
    let value = std::env::var_os(name);
    let other = injection::other_tool(value.as_deref())?;
    Some(Finding { mark: Mark::Note, what: "injection", text: injection::warning(name, other) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_is_described_by_its_versions() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (root)\nGCC version: 12.2\n";
        assert_eq!(release(text), Some("580.65.06"));
        let machine = Machine { driver: Some(Ok(13_000)), devices: Some(Ok(8)), ..Machine::default() };
        let found = driver(&machine, Some(text));
        assert_eq!(
            (found.mark, found.text.as_str()),
            (Mark::Good, "supports CUDA 13.0, version 580.65.06, 8 devices")
        );
        let none = Machine { driver: Some(Err("gone".into())), ..Machine::default() };
        assert_eq!(driver(&none, None).mark, Mark::Note);
    }

    #[test]
    fn a_library_that_does_not_work_with_the_driver_is_bad() {
        let with = |version| Machine {
            driver: Some(Ok(12_040)),
            cupti: Some((version, "/a/l".into())),
            ..Machine::default()
        };
        let mark = |version| library(&with(version), &[]).mark;
        assert_eq!((mark(22), mark(26), mark(130_001)), (Mark::Good, Mark::Note, Mark::Bad));
        let missing =
            Machine { driver: Some(Ok(12_040)), failures: vec!["/a/l: torn".into()], ..Machine::default() };
        let found = library(&missing, &["/a/l".into()]);
        assert_eq!(found.mark, Mark::Bad);
        assert!(found.text.ends_with("; /a/l: torn"), "{}", found.text);
    }
}
