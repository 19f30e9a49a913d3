//! What a host thread does in a slice, by its name and category. The names are in `assets/activities.toml`.
//!
//! Must not know times.

use std::sync::LazyLock;

use rayon::prelude::*;
use serde::Deserialize;

use crate::analysis::vocabulary::waits::is_wait;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_trace::model::{Category, SliceId, Trace};

/// What a host thread does in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// A wait for the device.
    Sync,
    /// A call that copies; it may wait for the device.
    Copy,
    Allocator,
    GarbageCollection,
    Compile,
    DataLoading,
    Checkpoint,
    /// The profiler's own work, such as flushing its buffers.
    Profiler,
    /// An operator of a framework.
    Operator,
    /// Another call of the runtime or driver, or an inner event of an operator.
    Call,
    /// A communication between ranks, as the host sees it.
    Collective,
    /// A Python frame that stands for no other activity, or an import.
    Python,
    /// A Python frame in which the thread waits, such as for another thread.
    Waiting,
    /// A Python frame in which a thread of a server waits for a request.
    Requests,
    /// A range, or another slice that does not state what the thread does in it.
    Range,
}

/// The contents of `assets/activities.toml`: patterns of names for activities.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    calls: Section,
    overhead: Section,
    names: Section,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Section {
    profiler: Vec<String>,
    data_loading: Vec<String>,
    checkpoint: Vec<String>,
    garbage_collection: Vec<String>,
    compile: Vec<String>,
    allocator: Vec<String>,
    requests: Vec<String>,
    waiting: Vec<String>,
}

impl Section {
    /// The first activity of which the name matches a pattern; `None` if it matches none.
    fn find(&self, name: &[u8]) -> Option<Activity> {
        let lists = [
            (&self.profiler, Activity::Profiler),
            (&self.data_loading, Activity::DataLoading),
            (&self.checkpoint, Activity::Checkpoint),
            (&self.garbage_collection, Activity::GarbageCollection),
            (&self.compile, Activity::Compile),
            (&self.allocator, Activity::Allocator),
            (&self.requests, Activity::Requests),
            (&self.waiting, Activity::Waiting),
        ];
        let found = lists.iter().find(|(list, _)| list.iter().any(|pattern| fits(pattern.as_bytes(), name)));
        found.map(|&(_, activity)| activity)
    }
}

/// True if all of `name` matches `pattern`, where `*` stands for any bytes, or none.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let mut parts = pattern.split(|&byte| byte == b'*');
    let head = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(head) else { return false };
    let Some(tail) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = memchr::memmem::find(rest, part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(tail)
}

static FILE: LazyLock<File> = LazyLock::new(|| {
    // The file is compiled in; a test makes sure that it can be read.
    toml::from_str(include_str!("../../../assets/activities.toml")).unwrap_or_else(|_| File {
        calls: Section::default(),
        overhead: Section::default(),
        names: Section::default(),
    })
});

/// True for the name of a Python frame in which a thread waits, such as for another one.
pub(in crate::analysis) fn is_waiting(name: &[u8]) -> bool {
    matches!(FILE.names.find(name), Some(Activity::Waiting | Activity::Requests))
}

/// Parts of names that only traces of training have.
const TRAINING: [&[u8]; 5] =
    [b"autograd::engine", b"Optimizer.", b"optimizer.py", b"run_backward", b"Optimization Step"];

/// For each string of a trace, what a host thread does in a slice of that name, as far as the name says.
#[derive(Debug)]
pub(super) struct Activities {
    named: Column<StrId, Named>,
    /// True if the trace is of a server, as far as its names say: nothing in it trains.
    is_server: bool,
}

#[derive(Clone, Copy, Debug)]
struct Named {
    call: Option<Activity>,
    overhead: Option<Activity>,
    name: Option<Activity>,
}

impl Activities {
    /// Finds the activities for every string of the trace, mostly by `assets/activities.toml`.
    pub(super) fn of(trace: &Trace) -> Self {
        let named = |text: &[u8]| Named {
            call: if is_wait(text) {
                Some(if memchr::memmem::find(text, b"emcpy").is_some() {
                    Activity::Copy
                } else {
                    Activity::Sync
                })
            } else if memchr::memmem::find(text, b"Memcpy").is_some() {
                Some(Activity::Copy)
            } else {
                FILE.calls.find(text)
            },
            overhead: FILE.overhead.find(text),
            name: FILE.names.find(text),
        };
        let all = (0..trace.strings.len()).into_par_iter().with_min_len(64).map(StrId::from_index);
        let named = all.map(|id| named(trace.strings.bytes(id))).collect::<Vec<_>>().into();
        let trains =
            |id| TRAINING.iter().any(|part| memchr::memmem::find(trace.strings.bytes(id), part).is_some());
        let has_training = trace.strings.ids().iter().any(trains);
        let is_server = !has_training && trace.steps.iter().all(|step| step.serving.is_some());
        Self { named, is_server }
    }

    /// The activity of a host thread in a slice, by the slice's category and name; `None` for device work and
    /// for overhead of an unknown name.
    pub(super) fn get(&self, trace: &Trace, id: SliceId) -> Option<Activity> {
        let named = self.named.get(trace.slices.name[id])?;
        let of_name = match named.name {
            Some(Activity::Requests) if !self.is_server => Some(Activity::Waiting),
            other => other,
        };
        let is_frame = |of: &Activity| matches!(of, Activity::Waiting | Activity::Requests);
        match trace.slices.category(id) {
            Category::CudaRuntime | Category::CudaDriver => Some(named.call.unwrap_or(Activity::Call)),
            Category::Synchronization => Some(Activity::Sync),
            Category::Overhead => named.overhead,
            Category::Dataloader => Some(Activity::DataLoading),
            Category::GarbageCollection => Some(Activity::GarbageCollection),
            Category::Compile => Some(Activity::Compile),
            Category::Checkpoint => Some(Activity::Checkpoint),
            Category::Import => Some(Activity::Python),
            Category::PythonFunction => Some(of_name.unwrap_or(Activity::Python)),
            Category::Operator | Category::PythonOp => {
                Some(of_name.filter(|of| !is_frame(of)).unwrap_or(Activity::Operator))
            }
            Category::OperatorInner | Category::KernelLaunch => Some(Activity::Call),
            Category::Communication => Some(Activity::Collective),
            Category::Kernel | Category::Memcpy | Category::Memset => None,
            _ => Some(of_name.filter(|of| !is_frame(of)).unwrap_or(Activity::Range)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, want) in [
            ("cudaMalloc*", "cudaMallocAsync", true),
            ("cudaMalloc*", "cuMemAlloc", false),
            ("*a*b", "xaxb", true),
            ("*a*b", "xaxbx", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("*torch/serialization.py(*): save*", "/x/torch/serialization.py(9): save", true),
        ] {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), want, "{pattern} {name}");
        }
    }

    #[test]
    fn names_of_the_file_are_recognized() {
        let read: Result<File, _> = toml::from_str(include_str!("../../../assets/activities.toml"));
        assert!(read.is_ok(), "{:?}", read.err());
        for (section, name, want) in [
            (&FILE.calls, "cudaFree", Some(Activity::Allocator)),
            (&FILE.calls, "cudaMemsetAsync", None),
            (&FILE.calls, "cudaGraphLaunch", None),
            (&FILE.overhead, "Activity Buffer Request", Some(Activity::Profiler)),
            (&FILE.overhead, "Lazy Function Loading", Some(Activity::Compile)),
            (
                &FILE.names,
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                Some(Activity::DataLoading),
            ),
            (&FILE.names, "torch/utils/data/dataloader.py(633): __next__", Some(Activity::DataLoading)),
            (&FILE.names, "queue.py(154): get", Some(Activity::Requests)),
            (&FILE.names, "<built-in method acquire of _thread.lock object>", Some(Activity::Waiting)),
            (&FILE.names, "wait_for_batch", None),
            (&FILE.names, "torch/utils/checkpoint.py(488): checkpoint", None),
            (&FILE.names, "torch/serialization.py(850): save", Some(Activity::Checkpoint)),
            (&FILE.names, "safetensors/torch.py(290): save_file", Some(Activity::Checkpoint)),
            (&FILE.names, "transformers/trainer.py(3280): _save_checkpoint", Some(Activity::Checkpoint)),
            (&FILE.names, "datasets/arrow_dataset.py(2777): __getitem__", Some(Activity::DataLoading)),
            (
                &FILE.names,
                "nvidia/dali/plugin/pytorch/__init__.py(240): __next__",
                Some(Activity::DataLoading),
            ),
            (&FILE.names, "webdataset/pipeline.py(80): __iter__", Some(Activity::DataLoading)),
            (&FILE.names, "litdata/streaming/dataset.py(400): __next__", Some(Activity::DataLoading)),
            (&FILE.names, "streaming/base/dataset.py(1400): __iter__", Some(Activity::DataLoading)),
            (&FILE.names, "## Call CompiledFxGraph abc ##", None),
            (&FILE.names, "TorchDynamo Cache Lookup", None),
            (
                &FILE.names,
                "<built-in method run_backward of torch._C._EngineBase object>",
                Some(Activity::Waiting),
            ),
        ] {
            assert_eq!(section.find(name.as_bytes()), want, "{name}");
        }
    }
}
