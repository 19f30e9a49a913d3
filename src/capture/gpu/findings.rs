//! The findings of `proftui doctor` about GPUs: driver, CUPTI, NVML, and other tools in the environment.

use std::path::{Path, PathBuf};

use proftui_wire::device::search::is_plain;

use super::cupti::{self, Kind};
use super::machine::{self, Depth, Machine};
use super::trial::{self, Trial};
use super::{injection, sampler};
use crate::capture::gpu::finding::{Finding, Mark};
use proftui_base::fmt;

/// File that states the version of the NVIDIA driver's kernel module.
const VERSION: &str = "/proc/driver/nvidia/version";

/// Probes the machine and returns the findings of `proftui doctor` about GPUs. CUPTI is expected at `named`,
/// or else searched for, also in packages of `python`.
pub fn of(python: &str, named: Option<&Path>) -> Vec<Finding> {
    let machine = machine::probe(Depth::Devices);
    let mut findings = vec![driver(&machine, std::fs::read_to_string(VERSION).ok().as_deref())];
    findings.extend(libraries(&machine, python, named));
    if machine.has_driver() {
        let (mark, text) = match sampler::try_out() {
            Ok(1) => (Mark::Good, "GPU utilization is asked of NVML, which reports 1 GPU".to_owned()),
            Ok(devices) => {
                (Mark::Good, format!("GPU utilization is asked of NVML, which reports {devices} GPUs"))
            }
            Err(why) => (Mark::Note, format!("GPU utilization cannot be sampled: {why}")),
        };
        findings.push(Finding { mark, what: "NVML", text });
    }
    findings.extend([injection::CUDA, injection::NVTX, injection::ITT].into_iter().filter_map(other_tool));
    findings
}

/// Tries copies of CUPTI, and returns the findings for Python programs and for others. Without a usable GPU
/// none is tried, and at most a note lists the copies.
fn libraries(machine: &Machine, python: &str, named: Option<&Path>) -> Vec<Finding> {
    let of_python = cupti::candidates(named, Kind::Python(python));
    let of_others = cupti::candidates(named, Kind::Other);
    if !machine.has_driver() || machine.obstacle().is_some() {
        let files = of_python.iter().filter(|file| !is_plain(file)).map(|file| file.display().to_string());
        let files: Vec<String> = files.collect();
        let text =
            format!("{}: not tried, since CUPTI is only asked where there is a usable GPU", files.join(", "));
        return if files.is_empty() {
            Vec::new()
        } else {
            vec![Finding { mark: Mark::Note, what: "CUPTI", text }]
        };
    }
    let tried = trial::run(&of_python, machine.version());
    if of_python == of_others {
        return vec![library("all programs", &tried, &of_python, machine.version(), Mark::Bad)];
    }
    let python = library("Python programs", &tried, &of_python, machine.version(), Mark::Bad);
    // Without packages, CUPTI may be missing although Python programs have it.
    let missing = if python.mark == Mark::Good { Mark::Note } else { Mark::Bad };
    let tried = trial::run(&of_others, machine.version());
    vec![python, library("other programs", &tried, &of_others, machine.version(), missing)]
}

/// The finding about the driver; `module` is the text of the file [`VERSION`], `None` if it cannot be read.
fn driver(machine: &Machine, module: Option<&str>) -> Finding {
    let what = "GPU driver";
    if let Some(why) = machine.obstacle() {
        // A missing GPU is no error: the CPU side is recorded.
        return Finding { mark: Mark::Note, what, text: format!("{why}; recording CPU work needs no GPU") };
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

/// The kernel module's version (`580.65.06`) in `text`, the content of the file [`VERSION`]; `None` if it has
/// none.
fn release(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.contains('.') && word.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
    text.lines().next()?.split_ascii_whitespace().find(is_version)
}

/// The finding about CUPTI in the programs that `whose` names, by the copies that were tried. Its mark is
/// `missing` if none works.
fn library(whose: &str, tried: &Trial, candidates: &[PathBuf], driver: u32, missing: Mark) -> Finding {
    let what = "CUPTI";
    let Some((version, path)) = &tried.works else {
        let why = tried.obstacle(candidates).map_or_else(String::new, |why| why.to_string());
        return Finding { mark: missing, what, text: format!("{whose}: {why}") };
    };
    let mut text = format!("{whose}: {}", cupti::describe(*version, path, driver));
    if !tried.refused.is_empty() {
        text = format!("{text}; refused before it: {}", tried.refusals());
    }
    if !tried.lacks.is_empty() {
        text = format!("{text}; it refuses {}", tried.lacks.join(", "));
    }
    let after: Vec<String> =
        tried.rest.iter().filter(|file| !is_plain(file)).map(|file| file.display().to_string()).collect();
    if !after.is_empty() {
        text = format!("{text}; after it: {}", after.join(", "));
    }
    Finding { mark: Mark::Good, what, text }
}

/// The finding about the injection variable `name` of this process, if it names another tool's library or is
/// `none`.
fn other_tool(name: &'static str) -> Option<Finding> {
    let value = std::env::var_os(name);
    let other = injection::other_tool(value.as_deref())?;
    Some(Finding { mark: Mark::Note, what: "injection", text: injection::warning(name, other) })
}

#[cfg(test)]
mod tests {
    use proftui_wire::device::Reason;

    use super::*;
    use crate::capture::gpu::machine::Unusable;

    #[test]
    fn a_driver_is_described_by_its_versions() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (root)\nGCC version: 12.2\n";
        assert_eq!(release(text), Some("580.65.06"));
        let machine = Machine { driver: Some(Ok(13_000)), devices: Some(Ok(8)) };
        let found = driver(&machine, Some(text));
        assert_eq!(
            (found.mark, found.text.as_str()),
            (Mark::Good, "supports CUDA 13.0, version 580.65.06, 8 devices")
        );
        let none = Machine { driver: Some(Err(Unusable::Reported("gone".into()))), ..Machine::default() };
        assert_eq!(driver(&none, None).mark, Mark::Note);
    }

    #[test]
    fn the_copy_that_is_used_is_named_with_those_around_it() {
        let refused = vec![(Reason::Version, "/a/l: error 15".to_owned())];
        let works = Some((22, "/b/l".into()));
        let rest = vec!["/c/l".into(), "libcupti.so.13".into()];
        let lacks = vec!["memsets: error 21 (CUPTI_ERROR_INVALID_KIND)".to_owned()];
        let tried = Trial { works, refused: refused.clone(), rest, lacks, ..Trial::default() };
        let found = library("other programs", &tried, &[], 12_040, Mark::Note);
        assert_eq!(found.mark, Mark::Good);
        assert_eq!(
            found.text,
            "other programs: /b/l, API 22 (CUDA 12.4); the driver supports CUDA 12.4; refused before it: /a/l: error 15; it refuses memsets: error 21 (CUPTI_ERROR_INVALID_KIND); after it: /c/l"
        );
        let found =
            library("other programs", &Trial { refused, ..Trial::default() }, &[], 12_040, Mark::Note);
        assert_eq!(found.mark, Mark::Note);
        assert!(
            found.text.starts_with("other programs: CUPTI is too old or does not work with this driver; ")
        );
        assert!(found.text.ends_with(" [/a/l: error 15]"), "{}", found.text);
    }
}
