//! The environment by which the driver, NVTX and ITT load the recorder, each from a file that a variable names.
//!
//! A variable names one file: what the person, or another tool around us, has there stays.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use proftui_wire::options::{self, Ops};

use super::Wish;

/// The variable by which the driver loads a tool.
pub const CUDA: &str = "CUDA_INJECTION64_PATH";
/// The variable by which each client of NVTX does.
pub const NVTX: &str = "NVTX_INJECTION64_PATH";
/// The variable by which each client of ITT does, PyTorch among them.
pub const ITT: &str = options::ITT;
/// The variable that makes PyTorch take CUPTI when it is imported, before anything is recorded.
const DAEMON: &str = "KINETO_USE_DAEMON";
/// What stands in a variable whose tool is unwanted.
pub const NONE: &str = "none";

/// What changes in a program's environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Variables and their values.
    pub set: Vec<(&'static str, OsString)>,
    /// Variables that are not handed on.
    pub unset: Vec<&'static str>,
    /// What the person should know of it.
    pub warnings: Vec<String>,
    /// What else the driver loads instead of the recorder.
    pub taken: Option<OsString>,
}

/// The changes for what is wished, of operators too, to an environment in which `variable` finds values. `agent` is the recorder's
/// file.
pub fn changes(wish: &Wish, ops: Ops, agent: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Changes {
    let mut changes = Changes::default();
    let is_nvtx_wanted = !wish.is_off && !wish.is_nvtx_off;
    let wanted = [(CUDA, !wish.is_off), (NVTX, is_nvtx_wanted), (ITT, ops == Ops::Light)];
    for (name, is_wanted) in wanted {
        let value = variable(name);
        match (taken(value.as_deref()), is_wanted) {
            (Some(other), true) => {
                // Who says none means it.
                changes.warnings.extend((other != NONE).then(|| warning(name, other)));
                if name == CUDA {
                    changes.taken = Some(other.to_owned());
                }
            }
            (None, true) => changes.set.push((name, agent.into())),
            // One of a capture around this one.
            (None, false) if value.is_some() => changes.unset.push(name),
            (_, false) => {}
        }
    }
    if wish.is_off {
        return changes;
    }
    if let Some(path) = &wish.cupti {
        changes.set.push((options::CUPTI, path.into()));
    }
    if changes.taken.is_none() && variable(DAEMON).is_some_and(|value| !value.is_empty() && value != "0") {
        changes.unset.push(DAEMON);
        changes.warnings.push(format!(
            "{DAEMON} is not handed on: with it PyTorch takes CUPTI when it is imported, and GPUs cannot be recorded"
        ));
    }
    changes
}

/// What else a variable of this value names; none for nothing and for a recorder of ours.
pub fn taken(value: Option<&OsStr>) -> Option<&OsStr> {
    let file = |value: &OsStr| {
        Path::new(value).file_name().is_some_and(|name| name == super::super::agent_files::LIBRARY_NAME)
    };
    value.filter(|value| !value.is_empty() && !file(value))
}

/// What a variable that is taken keeps from being recorded, in words.
pub fn warning(name: &str, other: &OsStr) -> String {
    let what = match name {
        CUDA => "what GPUs do",
        NVTX => "ranges of NVTX",
        _ => "operators of PyTorch (--ops light)",
    };
    format!("{}; {what} cannot be recorded", words(name, other))
}

/// What a variable names, in words.
pub fn words(name: &str, other: &OsStr) -> String {
    let shown = other.to_string_lossy();
    if other == NONE {
        return format!("{name} is {NONE}, which keeps recorders out");
    }
    let tool = tool(&shown).map_or_else(String::new, |tool| format!(" of {tool}"));
    format!("{name} is {shown}{tool}")
}

/// The tool that a file belongs to, by what is in its path.
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

    fn of(wish: &Wish, environment: &[(&str, &str)]) -> Changes {
        let variable = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        changes(wish, Ops::Off, Path::new(AGENT), variable)
    }

    #[test]
    fn both_variables_name_the_recorder() {
        let auto = Wish::default();
        let set = vec![(CUDA, AGENT.into()), (NVTX, AGENT.into())];
        assert_eq!(of(&auto, &[]), Changes { set: set.clone(), ..Changes::default() });
        let around = [(CUDA, "/old/libproftui_agent.so"), (NVTX, "")];
        assert_eq!(of(&auto, &around), Changes { set, ..Changes::default() });
        let cupti = Wish { cupti: Some("/x/libcupti.so".into()), is_nvtx_off: true, ..auto };
        let set = vec![(CUDA, AGENT.into()), (options::CUPTI, "/x/libcupti.so".into())];
        assert_eq!(of(&cupti, &[]).set, set);
    }

    #[test]
    fn what_another_tool_has_stays() {
        let nsys = "/opt/nvidia/nsight-systems/libToolsInjection64.so";
        let found = of(&Wish::default(), &[(CUDA, nsys), (DAEMON, "1")]);
        assert_eq!(found.set, [(NVTX, AGENT.into())]);
        assert_eq!((found.unset.as_slice(), found.taken), (&[][..], Some(nsys.into())));
        assert_eq!(found.warnings.len(), 1);
        assert!(found.warnings[0].contains("of Nsight Systems; what GPUs do"), "{:?}", found.warnings);
        let none = of(&Wish::default(), &[(CUDA, "none"), (NVTX, "/x/y.so")]);
        assert_eq!((none.set, none.taken), (vec![], Some("none".into())));
        assert_eq!(none.warnings, ["NVTX_INJECTION64_PATH is /x/y.so; ranges of NVTX cannot be recorded"]);
    }

    #[test]
    fn operators_come_by_a_variable_of_their_own() {
        let (off, agent) = (Wish { is_off: true, ..Wish::default() }, Path::new(AGENT));
        let of = |ops, value: Option<&str>| {
            changes(&off, ops, agent, |name| value.filter(|_| name == ITT).map(Into::into))
        };
        assert_eq!(of(Ops::Light, None).set, [(ITT, AGENT.into())]);
        assert_eq!(of(Ops::Full, None), Changes::default());
        assert_eq!(of(Ops::Full, Some(AGENT)).unset, [ITT], "that of a capture around this one");
        let taken = of(Ops::Light, Some("/vtune/libittnotify_collector.so"));
        assert_eq!(taken.set, []);
        assert!(taken.warnings[0].ends_with("; operators of PyTorch (--ops light) cannot be recorded"));
    }

    #[test]
    fn off_means_off_in_a_capture_within_another_too() {
        let off = Wish { is_off: true, ..Wish::default() };
        assert_eq!(of(&off, &[(DAEMON, "1"), (NVTX, "/x/y.so")]), Changes::default());
        assert_eq!(of(&off, &[(CUDA, AGENT)]).unset, [CUDA]);
    }

    #[test]
    fn a_framework_that_would_be_first_is_kept_from_it() {
        assert_eq!(of(&Wish::default(), &[(DAEMON, "1")]).unset, [DAEMON]);
        assert_eq!(of(&Wish::default(), &[(DAEMON, "0")]).unset, Vec::<&str>::new());
    }
}
