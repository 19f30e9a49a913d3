//! Names, arguments and headers for strangers: what names files, hosts, users or the program's own code gets
//! numbers or is left out; names of operators, kernels, calls and libraries stay.
//!
//! A number stands for the same name everywhere in the file. Must not know how events are written.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use crate::model::{Category, LaneKind, SliceId, Trace};
use proftui_base::intern::StrId;

use super::category::is_known;

/// Arguments that stay: numbers, shapes, types and names of libraries.
const ARGUMENTS: &[&str] = &[
    "Addr",
    "Bytes",
    "Collective name",
    "Comms Id",
    "Device Id",
    "Device Type",
    "Dst Rank",
    "Ev Idx",
    "External id",
    "Fwd thread id",
    "Global rank start",
    "Global rank stride",
    "Group size",
    "In msg nelems",
    "In split size",
    "Input Dims",
    "Input Strides",
    "Input type",
    "Is asynchronized op",
    "Out msg nelems",
    "Out split size",
    "Process Group Ranks",
    "Python id",
    "Python module id",
    "Python parent id",
    "Python thread",
    "Rank",
    "Record function id",
    "Seq",
    "Sequence number",
    "Src Rank",
    "Total Allocated",
    "Total Reserved",
    "addr",
    "block",
    "blocks per SM",
    "bytes",
    "cbid",
    "channel",
    "channel_type",
    "cid",
    "context",
    "correlation",
    "correlation id",
    "cuda_sync_kind",
    "current_allocated",
    "current_reserved",
    "device",
    "dtype",
    "est. achieved occupancy %",
    "finished",
    "fromContext",
    "fromDevice",
    "graph id",
    "graph node id",
    "grid",
    "inContext",
    "inDevice",
    "increase_bytes",
    "input_dtypes",
    "input_shapes",
    "kind",
    "memory bandwidth (GB/s)",
    "peak_allocated",
    "peak_reserved",
    "place",
    "priority",
    "queued",
    "registers per thread",
    "shared memory",
    "stream",
    "theoretical achieved occupancy %",
    "toContext",
    "toDevice",
    "wait_on_cuda_event_id",
    "wait_on_cuda_event_record_corr_id",
    "wait_on_stream",
    "warps per SM",
];
/// Members of the header that stay.
const MEMBERS: &[&str] = &[
    "schemaVersion",
    "deviceProperties",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "roctracer_version",
    "hip_runtime_version",
    "hip_driver_version",
    "record_shapes",
    "profile_memory",
    "with_flops",
    "with_modules",
    "with_stack",
    "displayTimeUnit",
    "excerpt",
];
/// What stays of the header's entry on ranks.
const RANKS: &[&str] = &["backend", "rank", "world_size", "pg_count"];
/// Ranges that libraries name: those that begin so stay.
const LIBRARIES: &[&str] = &[
    "ProfilerStep#",
    "ProfileStep#",
    "Optimizer.step#",
    "Optimizer.zero_grad#",
    "DistributedDataParallel.",
    "enumerate(DataLoader)#_",
    "autograd::",
    "aten::",
    "c10d::",
    "nccl:",
    "gloo:",
    "torch::",
    "cuda",
    "cu",
    "hip",
    "PyTorch Profiler",
    "Iteration Start: PyTorch Profiler",
    "Record Window End",
    "Activity Buffer",
    "Torch-Compiled Region",
    "FullyShardedDataParallel.",
    "FSDP::",
];
/// Files of Python functions that are of libraries, by the beginning of their path in a trace.
const SOURCES: &[&str] = &["torch/", "<built-in function ", "<frozen "];

/// Numbers for names.
#[derive(Debug, Default)]
pub(super) struct Anonymous {
    numbers: FxHashMap<&'static str, FxHashMap<StrId, usize>>,
    /// The numbers of files of Python functions, by path.
    files: FxHashMap<Vec<u8>, usize>,
}

impl Anonymous {
    /// The name of a slice as it is written.
    pub(super) fn slice(&mut self, trace: &Trace, id: SliceId) -> String {
        let (name, category) = (trace.slices.name[id], trace.slices.category(id));
        let text = trace.strings.bytes(name);
        match category {
            Category::Operator
            | Category::PythonOp
            | Category::OperatorInner
            | Category::KernelLaunch
            | Category::CudaRuntime
            | Category::CudaDriver
            | Category::Kernel
            | Category::Memcpy
            | Category::Memset
            | Category::Synchronization
            | Category::Overhead
            | Category::GarbageCollection
            | Category::UnifiedMemory
            | Category::Impossible => shown(text),
            Category::PythonFunction => self.function(name, text),
            Category::ProfileStep => match trace.steps.iter().find(|step| step.slice == id) {
                Some(step) if step.serving.is_none() => format!("ProfilerStep#{}", step.number),
                Some(_) => shown(text),
                None => self.number("step", name),
            },
            _ if LIBRARIES.iter().any(|library| text.starts_with(library.as_bytes())) => shown(text),
            Category::Communication => shown(text),
            _ => self.number("range", name),
        }
    }

    /// The name of anything else, such as an instant or a counter: its kind and a number.
    pub(super) fn number(&mut self, kind: &'static str, name: StrId) -> String {
        let known = self.numbers.entry(kind).or_default();
        let next = known.len() + 1;
        format!("{kind} {}", known.entry(name).or_insert(next))
    }

    /// The name of a Python function, in the form in which profilers write it.
    fn function(&mut self, name: StrId, text: &[u8]) -> String {
        if SOURCES.iter().any(|source| text.starts_with(source.as_bytes())) {
            return shown(text);
        }
        let next = self.files.len() + 1;
        let function = self.number("function", name).replace(' ', "_");
        if text.starts_with(b"nn.Module: ") {
            return format!("nn.Module: {}", function.replace("function", "Module"));
        }
        match split(text) {
            Some((file, line)) => {
                let file = self.files.entry(file.to_vec()).or_insert(next);
                format!("file_{file}.py({}): {function}", String::from_utf8_lossy(line))
            }
            None => function,
        }
    }
}

/// The file and the line of a Python function's name, such as `train.py(92): main`.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memmem::find(text, b"): ")?;
    let begin = memchr::memrchr(b'(', &text[..end])?;
    let line = &text[begin + 1..end];
    line.iter().all(u8::is_ascii_digit).then(|| (&text[..begin], line))
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// The value of an argument as it is written, in JSON; `None` for one that is left out.
pub(super) fn argument(key: &str, value: &str) -> Option<String> {
    if ARGUMENTS.contains(&key) {
        return Some(value.to_owned());
    }
    match key {
        // Strides and sizes, from which operations are counted; texts may be of the program.
        "Concrete Inputs" => {
            let Ok(Value::Array(all)) = serde_json::from_str(value) else { return None };
            let is_plain = |text: &str| {
                text.chars().all(|c| c.is_ascii_digit() || "[](), .-+e".contains(c))
                    || ["True", "False", "None"].contains(&text)
            };
            let plain = all.into_iter().map(|one| match one.as_str() {
                Some(text) if !is_plain(text) => Value::from(""),
                _ => one,
            });
            Some(Value::Array(plain.collect()).to_string())
        }
        // Versions of PyTorch number groups; a program may name them.
        "Process Group Name" => {
            value.trim_matches('"').bytes().all(|byte| byte.is_ascii_digit()).then(|| value.to_owned())
        }
        _ => None,
    }
}

/// Leaves out the members of a header that may name something, and states that.
pub(super) fn header(head: &mut Map<String, Value>) {
    let ranks = head.get("distributedInfo").and_then(Value::as_object).map(|stated| {
        let kept = stated.iter().filter(|(key, _)| RANKS.contains(&key.as_str()));
        Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
    });
    head.retain(|key, _| MEMBERS.contains(&key.as_str()));
    head.extend(ranks.map(|ranks| ("distributedInfo".to_owned(), ranks)));
    head.insert("anonymous".into(), Value::Bool(true));
}

/// A category of a file as it is written: one that no profiler has may be the program's own.
pub(super) fn category(raw: Option<String>, kind: LaneKind) -> Option<String> {
    raw.filter(|raw| is_known(raw) && kind != LaneKind::Async)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_may_name_something_are_left_out() {
        assert_eq!(argument("correlation", "7").as_deref(), Some("7"));
        assert_eq!(argument("Call stack", "\"/home/me/train.py(3): main\""), None);
        assert_eq!(argument("prompt", "\"secret\""), None);
        let inputs = r#"["[1, 1]","secret","True","","-1e-05"]"#;
        assert_eq!(
            argument("Concrete Inputs", inputs).as_deref(),
            Some(r#"["[1, 1]","","True","","-1e-05"]"#)
        );
        assert_eq!(argument("Process Group Name", "\"0\"").as_deref(), Some("\"0\""));
        assert_eq!(argument("Process Group Name", "\"team\""), None);
    }

    #[test]
    fn functions_keep_their_form() {
        let mut anonymous = Anonymous::default();
        let name = |number| StrId::new(number);
        let mut of = |number, text: &str| anonymous.function(name(number), text.as_bytes());
        assert_eq!(of(1, "/home/me/train.py(92): <module>"), "file_1.py(92): function_1");
        assert_eq!(of(2, "/home/me/train.py(55): train"), "file_1.py(55): function_2");
        assert_eq!(of(1, "/home/me/train.py(92): <module>"), "file_1.py(92): function_1");
        assert_eq!(of(3, "nn.Module: Secret_0"), "nn.Module: Module_3");
        assert_eq!(of(4, "torch/_ops.py(5): __call__"), "torch/_ops.py(5): __call__");
        assert_eq!(of(5, "secret"), "function_4");
    }

    #[test]
    fn a_header_keeps_what_is_of_machines_and_versions() {
        let text =
            r#"{"schemaVersion":1,"host_name":"h","distributedInfo":{"rank":3,"pg_config":[]},"user":1}"#;
        let mut head: Map<String, Value> = serde_json::from_str(text).expect("JSON");
        header(&mut head);
        let want = r#"{"anonymous":true,"distributedInfo":{"rank":3},"schemaVersion":1}"#;
        let want: Map<String, Value> = serde_json::from_str(want).expect("JSON");
        assert_eq!(head, want);
    }
}
