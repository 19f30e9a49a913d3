//! Kineto's categories for those of Paddle's profiler, which proftui's recordings have, too.

use crate::model::nodetree::{PADDLE_STEP, TORCH_STEP};
use crate::model::{self, LaneKind, MemoryKind};

/// Kineto's category for ranges that are not its own: those that a program or a library names, and phases.
const RANGE: &str = "user_annotation";
/// Kineto's category for memory events.
const MEMORY: &str = "cpu_instant_event";

/// Kineto's category for each that has another name in traces of Paddle, of proftui, or of PyTorch before
/// 1.12.
const NAMES: &[(&str, &str)] = &[
    ("Operator", "cpu_op"),
    ("PythonOp", "cpu_op"),
    ("Runtime", "cuda_runtime"),
    ("CudaRuntime", "cuda_runtime"),
    ("MluRuntime", "privateuse1_runtime"),
    ("Kernel", "kernel"),
    ("Memcpy", "gpu_memcpy"),
    ("Memset", "gpu_memset"),
    ("Overhead", "overhead"),
    ("OperatorInner", RANGE),
    ("DygraphKernelLaunch", RANGE),
    ("StaticKernelLaunch", RANGE),
    ("Communication", RANGE),
    ("UserDefined", RANGE),
    ("PythonUserDefined", RANGE),
    ("Dataloader", RANGE),
    ("Forward", RANGE),
    ("Backward", RANGE),
    ("Optimization", RANGE),
    ("ProfileStep", RANGE),
    ("GarbageCollection", RANGE),
    ("Compile", RANGE),
    ("Checkpoint", RANGE),
    ("Import", RANGE),
    ("Allocate", MEMORY),
    ("Free", MEMORY),
    ("ReservedAllocate", MEMORY),
    ("ReservedFree", MEMORY),
];

/// The category of an event as it is written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Category {
    /// The event's `cat`; `None` for an event without one.
    pub kineto: Option<String>,
    /// The category that the file has instead, if that is another one.
    pub own: Option<String>,
}

impl Category {
    /// Keeps the category of our model where the event's name, by which it was recognised, is hidden.
    pub(super) fn keep(&mut self, category: model::Category) {
        let is_plain = category == model::Category::UserDefined;
        if self.kineto.as_deref() == Some(RANGE) && self.own.is_none() && !is_plain {
            let named = NAMES.iter().find(|(name, _)| *name == category.name());
            self.own = named.map(|(name, _)| (*name).to_owned());
        }
    }

    /// The name of a slice, as JSON: of a step with another category than Kineto's, as PyTorch names steps.
    pub(super) fn step_name(&self, name: &str) -> String {
        let step = self.own.as_deref().filter(|own| *own == "ProfileStep");
        let number = step.and_then(|_| name.strip_prefix('"')?.strip_prefix(PADDLE_STEP));
        number.map_or_else(|| name.to_owned(), |number| format!("\"{TORCH_STEP}{number}"))
    }
}

/// The category of a slice or instant: `raw` is that of the file; without one, that of our own model.
pub(super) fn of(raw: Option<String>, category: model::Category, lane: LaneKind) -> Category {
    let Some(raw) = raw else { return Category { kineto: of_model(category, lane), own: None } };
    match nearest(&raw) {
        Some(kineto) => Category { kineto: Some(kineto.to_owned()), own: Some(raw) },
        None => Category { kineto: Some(raw), own: None },
    }
}

/// Kineto's category for one of Paddle's or proftui's; `None` for any other, which stays.
pub fn nearest(own: &str) -> Option<&'static str> {
    NAMES.iter().find(|(name, _)| *name == own).map(|&(_, kineto)| kineto)
}

/// Kineto's categories that none of [`NAMES`] stands for.
const KINETO: &[&str] = &[
    "Trace",
    "ac2g",
    "collective_comm",
    "cuda_event",
    "cuda_profiler_range",
    "cuda_sync",
    "fwdbwd",
    "gpu_user_annotation",
    "hardware_counters",
    "mtia_runtime",
    "privateuse1_driver",
    "python_function",
    "xpu_driver",
    "xpu_runtime",
    "cuda_driver",
    "PythonFunction",
    "user_annotation",
];

/// True for a category of Kineto, Paddle or proftui.
pub(super) fn is_known(raw: &str) -> bool {
    NAMES.iter().any(|(own, kineto)| *own == raw || *kineto == raw) || KINETO.contains(&raw)
}

/// The category of a memory event.
pub(super) fn of_memory(raw: Option<&str>, kind: MemoryKind) -> Category {
    let kineto = Some(MEMORY.to_owned());
    if raw == Some(MEMORY) {
        return Category { kineto, own: None };
    }
    let own = match kind {
        MemoryKind::Allocate => "Allocate",
        MemoryKind::Free => "Free",
        MemoryKind::ReservedAllocate => "ReservedAllocate",
        MemoryKind::ReservedFree => "ReservedFree",
    };
    Category { kineto, own: Some(own.to_owned()) }
}

/// Kineto's category for a slice whose event has none; `None` where the model says no more than that it is a
/// slice.
fn of_model(category: model::Category, lane: LaneKind) -> Option<String> {
    use model::Category as C;
    let name = match category {
        // Such lanes repeat what others have; what is no work of a device must not count as such.
        _ if lane == LaneKind::StreamRanges => "gpu_user_annotation",
        C::Other | C::Communication if lane == LaneKind::Stream => "gpu_user_annotation",
        C::Operator | C::PythonOp => "cpu_op",
        C::CudaRuntime => "cuda_runtime",
        C::CudaDriver => "cuda_driver",
        C::Kernel => "kernel",
        C::Memcpy => "gpu_memcpy",
        C::Memset => "gpu_memset",
        C::Synchronization if lane == LaneKind::Stream => "cuda_sync",
        C::PythonFunction => "python_function",
        C::Overhead => "overhead",
        C::Other | C::Impossible | C::UnifiedMemory | C::Memory => return None,
        _ => RANGE,
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::nodetree::KIND_NAMES;

    #[test]
    fn every_kind_of_paddle_has_one_of_kineto() {
        for kind in KIND_NAMES {
            let category = of(Some(kind.to_owned()), model::Category::Other, LaneKind::Thread);
            assert_eq!(category.own.as_deref(), Some(kind));
            assert!(!category.kineto.expect("one").contains(|letter: char| letter.is_uppercase()), "{kind}");
        }
        let kept = of(Some("Trace".into()), model::Category::Other, LaneKind::Thread);
        assert_eq!((kept.kineto.as_deref(), kept.own), (Some("Trace"), None));
    }

    #[test]
    fn steps_have_the_names_of_pytorch() {
        let step = of(Some("ProfileStep".into()), model::Category::ProfileStep, LaneKind::Python);
        assert_eq!(step.step_name("\"ProfileStep#7\""), "\"ProfilerStep#7\"");
        let range = of(Some("UserDefined".into()), model::Category::UserDefined, LaneKind::Thread);
        assert_eq!(range.step_name("\"ProfileStep#7\""), "\"ProfileStep#7\"");
    }
}
