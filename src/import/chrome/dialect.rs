//! What the producers' words mean: categories, layers, suffixes.
//!
//! The one place that knows Kineto of every age, DeepLink, Paddle and the rest by their vocabulary. An event is
//! classified by its category, never by its process number: several producers put host work on a device's number.

use crate::base::time::parse_scaled;
use crate::model::{Category, GroupKind, LaneKind, MemoryKind, SliceFlags};

/// Where an event of some category belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) struct Class {
    pub category: Category,
    pub group: GroupKind,
    pub lane: LaneKind,
}

const fn host(category: Category) -> Class {
    Class { category, group: GroupKind::Process, lane: LaneKind::Thread }
}

const fn python(category: Category) -> Class {
    Class { category, group: GroupKind::Process, lane: LaneKind::Python }
}

const fn stream(category: Category) -> Class {
    Class { category, group: GroupKind::Device, lane: LaneKind::Stream }
}

/// The producers' categories in lower case, and what they are.
const CLASSES: &[(&str, Class)] = &[
    ("cpu_op", host(Category::Operator)),
    ("operator", host(Category::Operator)),
    ("operatorinner", host(Category::OperatorInner)),
    ("dygraphkernellaunch", host(Category::KernelLaunch)),
    ("statickernellaunch", host(Category::KernelLaunch)),
    ("cuda_runtime", host(Category::CudaRuntime)),
    ("cudaruntime", host(Category::CudaRuntime)),
    ("runtime", host(Category::CudaRuntime)),
    ("mluruntime", host(Category::CudaRuntime)),
    ("hip_runtime", host(Category::CudaRuntime)),
    ("xpu_runtime", host(Category::CudaRuntime)),
    ("mtia_runtime", host(Category::CudaRuntime)),
    ("glow_runtime", host(Category::CudaRuntime)),
    ("privateuse1_runtime", host(Category::CudaRuntime)),
    ("cuda_driver", host(Category::CudaDriver)),
    ("hip_driver", host(Category::CudaDriver)),
    ("xpu_driver", host(Category::CudaDriver)),
    ("privateuse1_driver", host(Category::CudaDriver)),
    ("kernel", stream(Category::Kernel)),
    ("mtia_ccp_events", stream(Category::Kernel)),
    ("gpu_memcpy", stream(Category::Memcpy)),
    ("memcpy", stream(Category::Memcpy)),
    ("gpu_memset", stream(Category::Memset)),
    ("memset", stream(Category::Memset)),
    ("cuda_sync", stream(Category::Synchronization)),
    ("cuda_event", stream(Category::Synchronization)),
    ("xpu_sync", stream(Category::Synchronization)),
    ("user_annotation", host(Category::UserDefined)),
    ("userdefined", host(Category::UserDefined)),
    (
        "gpu_user_annotation",
        Class { category: Category::UserDefined, group: GroupKind::Device, lane: LaneKind::StreamRanges },
    ),
    ("python_function", python(Category::PythonFunction)),
    ("pythonop", python(Category::PythonOp)),
    ("pythonuserdefined", python(Category::PythonUserDefined)),
    ("dataloader", python(Category::Dataloader)),
    ("forward", python(Category::Forward)),
    ("backward", python(Category::Backward)),
    ("optimization", python(Category::Optimization)),
    ("profilestep", python(Category::ProfileStep)),
    ("communication", host(Category::Communication)),
    ("collective_comm", host(Category::Communication)),
    ("overhead", host(Category::Overhead)),
    ("synchronization", host(Category::Synchronization)),
];

/// What a category word means; words that nobody knows are host work of category `Other`.
pub(in crate::import) fn class(cat: &[u8]) -> Class {
    let known = CLASSES.iter().find(|(word, _)| cat.eq_ignore_ascii_case(word.as_bytes()));
    known.map_or(host(Category::Other), |&(_, class)| class)
}

/// The stage that a host range's name marks, where Kineto marks stages by names.
pub(in crate::import) fn stage(name: &[u8]) -> Option<Category> {
    match name {
        _ if name.starts_with(b"ProfilerStep#") || name.starts_with(b"ProfileStep#") => {
            Some(Category::ProfileStep)
        }
        _ if name.starts_with(b"Optimizer.step#") => Some(Category::Optimization),
        _ if name.starts_with(b"enumerate(DataLoader)#") => Some(Category::Dataloader),
        b"record_param_comms" => Some(Category::Communication),
        _ if name.starts_with(b"nccl:") || name.starts_with(b"gloo:") => Some(Category::Communication),
        _ => None,
    }
}

/// An operator's or annotation's category, refined by the stage that its name marks.
///
/// Only on the host: a stream's copy of a range is no step of its own.
pub(in crate::import) fn refined(class: Class, stage: Option<Category>) -> Category {
    let is_open = matches!(class.category, Category::Operator | Category::UserDefined);
    if is_open && class.group != GroupKind::Device { stage.unwrap_or(class.category) } else { class.category }
}

/// An operator's category, refined by the stage that its name marks; others' as they are.
pub(in crate::import) fn refined_operator(class: Class, name: &[u8]) -> Category {
    if class.category == Category::Operator { refined(class, stage(name)) } else { class.category }
}

/// True for the name of a kernel that communicates between devices, whosever library it is.
pub(in crate::import) fn is_communication_kernel(name: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] = [
        b"nccl",
        b"rccl",
        b"nvshmem",
        b"deep_ep",
        b"cross_device_reduce",
        b"all_reduce",
        b"AllReduce",
        b"all_gather",
        b"reduce_scatter",
    ];
    WORDS.iter().any(|word| memchr::memmem::find(name, word).is_some())
}

/// True for the names that DeepLink gives to its launches and kernels.
pub(in crate::import) fn is_dipu(name: &[u8]) -> bool {
    name.starts_with(b"dipu_") || name.starts_with(b"LaunchKernel_dipu")
}

/// The number in `ProfilerStep#12`.
pub(in crate::import) fn step_number(name: &[u8]) -> Option<u64> {
    let at = memchr::memchr(b'#', name)?;
    std::str::from_utf8(&name[at + 1..]).ok()?.parse().ok()
}

/// Paddle's two layers of a thread, written as a suffix of its id: the id without it, and the layer.
pub(in crate::import) fn paddle_layer(tid: &[u8]) -> (&[u8], Option<LaneKind>) {
    if let Some(tid) = tid.strip_suffix(b"(Python)") {
        (tid, Some(LaneKind::Python))
    } else if let Some(tid) = tid.strip_suffix(b"(C++)") {
        (tid, Some(LaneKind::Thread))
    } else {
        (tid, None)
    }
}

/// Paddle's thread name, `thread 7:worker(C++)`, down to what is not said elsewhere: `worker`.
pub(in crate::import) fn paddle_thread_name<'a>(name: &'a [u8], tid: &[u8]) -> &'a [u8] {
    let bare = paddle_layer(name).0;
    let inner = bare
        .strip_prefix(b"thread ")
        .and_then(|rest| rest.strip_prefix(tid))
        .and_then(|rest| rest.strip_prefix(b":"));
    inner.unwrap_or(name)
}

/// Paddle shows the duration in the name, `conv2d[12.345 us]`: the name without it.
pub(in crate::import) fn paddle_name(name: &[u8]) -> &[u8] {
    let is_duration = name.ends_with(b" us]") || name.ends_with(b" ms]");
    match memchr::memrchr(b'[', name) {
        Some(at) if is_duration && at > 0 => &name[..at],
        _ => name,
    }
}

/// What a memory event of this category does; only Paddle says it, elsewhere the sign of its bytes does.
pub(in crate::import) fn memory_kind(cat: &[u8], bytes: i64) -> MemoryKind {
    match cat {
        b"Allocate" => MemoryKind::Allocate,
        b"Free" => MemoryKind::Free,
        b"ReservedAllocate" => MemoryKind::ReservedAllocate,
        b"ReservedFree" => MemoryKind::ReservedFree,
        _ if bytes < 0 => MemoryKind::Free,
        _ => MemoryKind::Allocate,
    }
}

/// The device that one of Paddle's places is on: 0 in `Place(gpu:0)`, none in `Place(cpu)` and `Place(gpu_pinned)`.
pub(in crate::import) fn place_device(place: &[u8]) -> Option<i64> {
    let tail = place.rsplit(|&b| b == b':').next()?;
    parse_scaled(tail.strip_suffix(b")")?, 0)
}

/// What a category says beyond its class.
pub(in crate::import) fn marks(cat: &[u8]) -> SliceFlags {
    let is_static = cat.eq_ignore_ascii_case(b"StaticKernelLaunch");
    if is_static { SliceFlags::STATIC_GRAPH } else { SliceFlags::default() }
}

/// True for the flows that producers draw from a launch to its work; their loose ends are normal.
pub(in crate::import) fn is_launch_flow(cat: &[u8]) -> bool {
    cat.starts_with(b"ac2g") || cat.starts_with(b"async")
}

/// True for the flows from an operator to its backward.
pub(in crate::import) fn is_forward_backward(cat: &[u8]) -> bool {
    cat.starts_with(b"fwdbwd") || cat == b"forward_backward"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_age_of_kineto_and_paddle() {
        for (cat, want) in [
            ("cpu_op", Category::Operator),
            ("Operator", Category::Operator),
            ("Runtime", Category::CudaRuntime),
            ("CudaRuntime", Category::CudaRuntime),
            ("MluRuntime", Category::CudaRuntime),
            ("xpu_driver", Category::CudaDriver),
            ("Kernel", Category::Kernel),
            ("Memset", Category::Memset),
            ("cuda_sync", Category::Synchronization),
            ("DygraphKernelLaunch", Category::KernelLaunch),
            ("ProfileStep", Category::ProfileStep),
            ("whatever", Category::Other),
        ] {
            assert_eq!(class(cat.as_bytes()).category, want, "{cat}");
        }
        assert_eq!(class(b"gpu_user_annotation").lane, LaneKind::StreamRanges);
        assert!(CLASSES.iter().all(|(word, _)| *word == word.to_lowercase()), "words are kept in lower case");
    }

    #[test]
    fn names_mark_stages() {
        let refine = |class, name: &[u8]| refined(class, stage(name));
        assert_eq!(refine(class(b"user_annotation"), b"ProfilerStep#12"), Category::ProfileStep);
        assert_eq!(refine(class(b"cpu_op"), b"record_param_comms"), Category::Communication);
        assert_eq!(refine(class(b"kernel"), b"nccl:x"), Category::Kernel);
        assert_eq!(refine(class(b"gpu_user_annotation"), b"ProfilerStep#12"), Category::UserDefined);
        assert_eq!(step_number(b"ProfilerStep#12"), Some(12));
        assert_eq!(step_number(b"ProfilerStep#x"), None);
    }

    #[test]
    fn paddle_words() {
        assert_eq!(paddle_name(b"conv2d[12.345 us]"), b"conv2d");
        assert_eq!(paddle_name(b"a[1][0.5 ms]"), b"a[1]");
        assert_eq!(paddle_name(b"a[1]"), b"a[1]");
        assert_eq!(paddle_layer(b"42(C++)"), (b"42".as_slice(), Some(LaneKind::Thread)));
        assert_eq!(paddle_thread_name(b"thread 42:loader(Python)", b"42"), b"loader");
        assert_eq!(paddle_thread_name(b"main", b"42"), b"main");
    }
}
