//! The environment variables by which the CUDA driver, NVTX and ITT load the recorder.
//!
//! Each variable names one library, so one that the user or another tool has set is left alone.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use proftui_wire::options::{self, Ops};

use super::options::GpuOptions;

/// Environment variable with the path of the library that the CUDA driver loads.
pub const CUDA: &str = "CUDA_INJECTION64_PATH";
/// Environment variable with the path of the library that clients of NVTX load.
pub const NVTX: &str = "NVTX_INJECTION64_PATH";
/// Environment variable with the path of the library that clients of ITT load, PyTorch among them.
pub const ITT: &str = options::ITT;
/// Environment variable by which PyTorch prepares its profiler on import, which can then take CUPTI.
const DAEMON: &str = "KINETO_USE_DAEMON";
/// Value of an injection variable by which a user disables recorders.
pub const NONE: &str = "none";

/// Changes to the environment of the program to be captured, with warnings about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Environment variables to set, and their values.
    pub set: Vec<(&'static str, OsString)>,
    /// Environment variables to remove.
    pub unset: Vec<&'static str>,
    /// Warnings for the user about these changes and about what cannot be recorded.
    pub warnings: Vec<String>,
    /// Value of [`CUDA`] if GPUs are to be recorded, but it keeps the driver from loading the recorder:
    /// another library, or [`NONE`]; else `None`.
    pub other_tool: Option<OsString>,
}

/// Changes to the environment so that the driver, NVTX and ITT load the recorder (`agent`), and it records,
/// as `options` and `ops` ask. `variable` returns the present value of an environment variable.
pub fn changes(
    options: &GpuOptions,
    ops: Ops,
    agent: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Changes {
    let mut changes = Changes::default();
    let is_nvtx_wanted = !options.is_off && !options.is_nvtx_off;
    let wanted = [(CUDA, !options.is_off), (NVTX, is_nvtx_wanted), (ITT, ops == Ops::Light)];
    for (name, is_wanted) in wanted {
        let value = variable(name);
        match (other_tool(value.as_deref()), is_wanted) {
            (Some(other), true) => {
                // The value `none` was set on purpose, so no warning is printed.
                changes.warnings.extend((other != NONE).then(|| warning(name, other)));
                if name == CUDA {
                    changes.other_tool = Some(other.to_owned());
                }
            }
            (None, true) => changes.set.push((name, agent.into())),
            // An outer `proftui capture` has set the variable.
            (None, false) if value.is_some() => changes.unset.push(name),
            (_, false) => {}
        }
    }
    if options.is_off {
        return changes;
    }
    if let Some(path) = &options.cupti {
        changes.set.push((options::CUPTI, path.into()));
    }
    if changes.other_tool.is_none() && variable(DAEMON).is_some_and(|value| !value.is_empty() && value != "0")
    {
        changes.unset.push(DAEMON);
        changes.warnings.push(format!(
            "{DAEMON} is removed from the program's environment: with it, PyTorch can take CUPTI, and \
             then GPU work cannot be recorded"
        ));
    }
    changes
}

/// Returns the value of an injection variable, unless it is empty or names proftui's recorder.
pub fn other_tool(value: Option<&OsStr>) -> Option<&OsStr> {
    let file = |value: &OsStr| {
        Path::new(value)
            .file_name()
            .is_some_and(|name| name == crate::capture::files::agent_files::LIBRARY_NAME)
    };
    value.filter(|value| !value.is_empty() && !file(value))
}

/// Warning about what cannot be recorded, since the injection variable `name` has the value `other`.
pub fn warning(name: &str, other: &OsStr) -> String {
    let what = match name {
        CUDA => "GPU work",
        NVTX => "NVTX ranges",
        _ => "PyTorch operators (--ops light)",
    };
    format!("{}; {what} cannot be recorded", describe(name, other))
}

/// Text that states the value `other` of the injection variable `name`, and the tool whose library that is,
/// if known.
pub fn describe(name: &str, other: &OsStr) -> String {
    let shown = other.to_string_lossy();
    if other == NONE {
        return format!("{name} is set to {NONE}, which loads no recorder");
    }
    let tool = tool(&shown).map_or_else(String::new, |tool| format!(" ({tool})"));
    format!("{name} is set to {shown}{tool}")
}

/// The name of the tool to which the library at `path` belongs; `None` for a library that is not known.
fn tool(path: &str) -> Option<&'static str> {
    let known = [
        ("nsight-systems", "Nsight Systems"),
        ("ToolsInjection", "Nsight Systems"),
        ("nsight-compute", "Nsight Compute"),
        ("cuda-injection", "Nsight Compute"),
        ("parcagpu", "Parca"),
        ("cupti_trace_injection", "CUPTI's sample"),
    ];
    known.into_iter().find(|(part, _)| path.contains(part)).map(|(_, tool)| tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "/c/libproftui_agent.so";

    fn of(gpu: &GpuOptions, environment: &[(&str, &str)]) -> Changes {
        let variable = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        changes(gpu, Ops::Off, Path::new(AGENT), variable)
    }

    #[test]
    fn both_variables_name_the_recorder() {
        let auto = GpuOptions::default();
        let set = vec![(CUDA, AGENT.into()), (NVTX, AGENT.into())];
        assert_eq!(of(&auto, &[]), Changes { set: set.clone(), ..Changes::default() });
        let around = [(CUDA, "/old/libproftui_agent.so"), (NVTX, "")];
        assert_eq!(of(&auto, &around), Changes { set, ..Changes::default() });
        let cupti = GpuOptions { cupti: Some("/x/libcupti.so".into()), is_nvtx_off: true, ..auto };
        let set = vec![(CUDA, AGENT.into()), (options::CUPTI, "/x/libcupti.so".into())];
        assert_eq!(of(&cupti, &[]).set, set);
    }

    #[test]
    fn another_tools_variable_stays() {
        let nsys = "/opt/nvidia/nsight-systems/libToolsInjection64.so";
        let found = of(&GpuOptions::default(), &[(CUDA, nsys), (DAEMON, "1")]);
        assert_eq!(found.set, [(NVTX, AGENT.into())]);
        assert_eq!((found.unset.as_slice(), found.other_tool), (&[][..], Some(nsys.into())));
        assert_eq!(found.warnings.len(), 1);
        assert!(found.warnings[0].contains("(Nsight Systems); GPU work"), "{:?}", found.warnings);
        let none = of(&GpuOptions::default(), &[(CUDA, "none"), (NVTX, "/x/y.so")]);
        assert_eq!((none.set, none.other_tool), (vec![], Some("none".into())));
        assert_eq!(
            none.warnings,
            ["NVTX_INJECTION64_PATH is set to /x/y.so; NVTX ranges cannot be recorded"]
        );
    }

    #[test]
    fn operators_come_by_a_variable_of_their_own() {
        let (off, agent) = (GpuOptions { is_off: true, ..GpuOptions::default() }, Path::new(AGENT));
        let of = |ops, value: Option<&str>| {
            changes(&off, ops, agent, |name| value.filter(|_| name == ITT).map(Into::into))
        };
        assert_eq!(of(Ops::Light, None).set, [(ITT, AGENT.into())]);
        assert_eq!(of(Ops::Full, None), Changes::default());
        assert_eq!(of(Ops::Full, Some(AGENT)).unset, [ITT], "that of a capture around this one");
        let taken = of(Ops::Light, Some("/vtune/libittnotify_collector.so"));
        assert_eq!(taken.set, []);
        assert!(taken.warnings[0].ends_with("; PyTorch operators (--ops light) cannot be recorded"));
    }

    #[test]
    fn off_means_off_in_a_capture_within_another_too() {
        let off = GpuOptions { is_off: true, ..GpuOptions::default() };
        assert_eq!(of(&off, &[(DAEMON, "1"), (NVTX, "/x/y.so")]), Changes::default());
        assert_eq!(of(&off, &[(CUDA, AGENT)]).unset, [CUDA]);
    }

    #[test]
    fn a_framework_is_kept_from_subscribing_first() {
        assert_eq!(of(&GpuOptions::default(), &[(DAEMON, "1")]).unset, [DAEMON]);
        assert_eq!(of(&GpuOptions::default(), &[(DAEMON, "0")]).unset, Vec::<&str>::new());
    }
}
