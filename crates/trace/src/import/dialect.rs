//! The meaning of the categories, names, suffixes and file names that producers write.
//!
//! The only file that knows the categories and names of Kineto (all versions), DeepLink, Paddle and other
//! producers; `ascend` has Ascend's, `devices` XLA's and rocprof's names of devices, `launch` the names of
//! runtime calls, `serving` those of serving engines' steps, and `workers` the names of files and merged
//! processes. The keys of arguments are with the readers (`chrome/event`). An event is classified by its
//! category, never by its process id: several producers write host work under a device's number. Must not
//! know any format.

pub(in crate::import) mod ascend;
pub(in crate::import) mod devices;
pub(in crate::import) mod launch;
pub(in crate::import) mod serving;
pub(in crate::import) mod workers;

use crate::model::{Category, GroupKind, KernelClass, LaneKind, MemoryKind, SliceFlags};
use proftui_base::intern::{Interner, StrId};
use proftui_base::time::parse_scaled;

/// The meaning of a producer's category: our category, and the kind of group and lane of its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) struct Class {
    pub category: Category,
    pub group: GroupKind,
    pub lane: LaneKind,
    /// True if only names say which device work is a copy.
    pub has_named_copies: bool,
}

const fn host(category: Category) -> Class {
    Class { category, group: GroupKind::Process, lane: LaneKind::Thread, has_named_copies: false }
}

const fn python(category: Category) -> Class {
    Class { lane: LaneKind::Python, ..host(category) }
}

const fn stream(category: Category) -> Class {
    Class { group: GroupKind::Device, lane: LaneKind::Stream, ..host(category) }
}

/// The class of each known category of producers; the categories are in lower case.
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
    ("mtia_ccp_events", Class { has_named_copies: true, ..stream(Category::Kernel) }),
    ("hpu_op", stream(Category::Kernel)),
    ("gpu_memcpy", stream(Category::Memcpy)),
    ("memcpy", stream(Category::Memcpy)),
    ("gpu_memset", stream(Category::Memset)),
    ("memset", stream(Category::Memset)),
    ("unifiedmemory", stream(Category::UnifiedMemory)),
    ("cuda_sync", stream(Category::Synchronization)),
    ("cuda_event", stream(Category::Synchronization)),
    ("xpu_sync", stream(Category::Synchronization)),
    ("user_annotation", host(Category::UserDefined)),
    ("userdefined", host(Category::UserDefined)),
    ("gpu_user_annotation", Class { lane: LaneKind::StreamRanges, ..stream(Category::UserDefined) }),
    ("python_function", python(Category::PythonFunction)),
    ("pythonop", python(Category::PythonOp)),
    ("pythonuserdefined", python(Category::PythonUserDefined)),
    ("dataloader", python(Category::Dataloader)),
    ("forward", python(Category::Forward)),
    ("backward", python(Category::Backward)),
    ("optimization", python(Category::Optimization)),
    ("profilestep", python(Category::ProfileStep)),
    ("garbagecollection", python(Category::GarbageCollection)),
    ("compile", python(Category::Compile)),
    ("checkpoint", python(Category::Checkpoint)),
    ("import", python(Category::Import)),
    ("communication", host(Category::Communication)),
    ("collective_comm", host(Category::Communication)),
    ("overhead", host(Category::Overhead)),
    ("synchronization", host(Category::Synchronization)),
];

/// The class of a producer's category, ignoring case. An unknown category is host work of category `Other`.
pub(in crate::import) fn class(cat: &[u8]) -> Class {
    let known = CLASSES.iter().find(|(name, _)| cat.eq_ignore_ascii_case(name.as_bytes()));
    known.map_or(host(Category::Other), |&(_, class)| class)
}

/// Facts that follow from a slice's name alone.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct NameFacts {
    /// The category that the name implies, such as that of a step; `None` for most names.
    pub category: Option<Category>,
    /// True if a kernel of this name communicates between devices.
    pub communicates: bool,
    /// True if device work of MTIA of this name copies: its direct memory access.
    pub is_dma: bool,
}

/// The facts of each name looked up so far, indexed by the number of the name's string.
#[derive(Debug, Default)]
pub(in crate::import) struct NameCache(Vec<Option<NameFacts>>);

impl NameCache {
    /// Returns the facts of the name that has the number `name` in `strings`, and remembers them.
    #[inline]
    pub(in crate::import) fn facts(&mut self, name: StrId, strings: &Interner) -> NameFacts {
        if let Some(Some(facts)) = self.0.get(name.index()) {
            return *facts;
        }
        self.work_out(name, strings)
    }

    fn work_out(&mut self, name: StrId, strings: &Interner) -> NameFacts {
        let text = strings.bytes(name);
        let facts = NameFacts {
            category: category_in_name(text),
            communicates: is_communication_kernel(text),
            is_dma: text.get(..3).is_some_and(|begin| begin.eq_ignore_ascii_case(b"dma")),
        };
        self.0.resize(strings.len(), None);
        self.0[name.index()] = Some(facts);
        facts
    }
}

/// The category that the name of an operator or range implies, such as that of a step; `None` for most names.
fn category_in_name(name: &[u8]) -> Option<Category> {
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

/// The category of a slice: for the classes [`Category::Operator`] and [`Category::UserDefined`] of the host
/// `in_name`, which the slice's name implies, if any; else that of the class.
pub(in crate::import) fn refined(class: Class, in_name: Option<Category>) -> Category {
    // On devices the class decides: the copy of a step's range on a stream is not another step.
    let is_open = matches!(class.category, Category::Operator | Category::UserDefined);
    if is_open && class.group != GroupKind::Device {
        in_name.unwrap_or(class.category)
    } else {
        class.category
    }
}

/// The category of a slice, as by [`refined`], except that only an operator's name can change it.
pub(in crate::import) fn refined_operator(class: Class, name: &[u8]) -> Category {
    if class.category == Category::Operator { refined(class, category_in_name(name)) } else { class.category }
}

/// True for a copy or memset, whose event may state its bytes. Where `category` is `Other`, `name` decides,
/// as in the files of Ascend and XLA.
pub(in crate::import) fn has_copied_bytes(category: Category, name: &[u8]) -> bool {
    let is_copy = |category| matches!(category, Category::Memcpy | Category::Memset);
    let is_open = category == Category::Other;
    is_copy(category) || is_open && (is_copy(ascend::task(name)) || is_copy(devices::work(name)))
}

/// True if a kernel of this name communicates between devices.
pub(in crate::import) fn is_communication_kernel(name: &[u8]) -> bool {
    KernelClass::of(name) == KernelClass::Communication
}

/// True for the names that DeepLink gives to its launches and kernels.
pub(in crate::import) fn is_dipu(name: &[u8]) -> bool {
    name.starts_with(b"dipu_") || name.starts_with(b"LaunchKernel_dipu")
}

/// True for the names that profilers give steps, such as `ProfilerStep#12`.
pub(in crate::import) fn is_step(name: &[u8]) -> bool {
    category_in_name(name) == Some(Category::ProfileStep)
}

/// The number behind `#` in a step's name, 12 in `ProfilerStep#12`, or that is the name; `None` if there is
/// none.
pub(in crate::import) fn step_number(name: &[u8]) -> Option<u64> {
    let from = memchr::memrchr(b'#', name).map_or(0, |at| at + 1);
    std::str::from_utf8(&name[from..]).ok()?.parse().ok()
}

/// Splits a thread id of Paddle's JSON into the id and the kind of lane that its suffix `(Python)` or `(C++)`
/// stands for; `None` without such a suffix.
pub(in crate::import) fn paddle_layer(tid: &[u8]) -> (&[u8], Option<LaneKind>) {
    if let Some(tid) = tid.strip_suffix(b"(Python)") {
        (tid, Some(LaneKind::Python))
    } else if let Some(tid) = tid.strip_suffix(b"(C++)") {
        (tid, Some(LaneKind::Thread))
    } else {
        (tid, None)
    }
}

/// The thread's own name in a name of Paddle's form: `worker` in `thread 7:worker(Python)`, where `tid` is 7;
/// any other name as it is.
pub(in crate::import) fn paddle_thread_name<'a>(name: &'a [u8], tid: &[u8]) -> &'a [u8] {
    let bare = paddle_layer(name).0;
    let inner = bare
        .strip_prefix(b"thread ")
        .and_then(|rest| rest.strip_prefix(tid))
        .and_then(|rest| rest.strip_prefix(b":"));
    inner.unwrap_or(name)
}

/// A name without the duration that Paddle appends to it, as in `conv2d[12.345 us]`; any other name as it is.
pub(in crate::import) fn paddle_name(name: &[u8]) -> &[u8] {
    let is_duration = name.ends_with(b" us]") || name.ends_with(b" ms]");
    match memchr::memrchr(b'[', name) {
        Some(at) if is_duration && at > 0 => &name[..at],
        _ => name,
    }
}

/// The kind of a memory event: as Paddle's category states, else by the sign of `bytes`, negative for a
/// release.
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

/// The number of the device in one of Paddle's places: 0 in `Place(gpu:0)`; `None` for a place without a
/// number.
pub(in crate::import) fn place_device(place: &[u8]) -> Option<i64> {
    let tail = place.rsplit(|&b| b == b':').next()?;
    parse_scaled(tail.strip_suffix(b")")?, 0)
}

/// The slice flag of a static graph for Paddle's category `StaticKernelLaunch`; no flags for other
/// categories.
pub(in crate::import) fn marks(cat: &[u8]) -> SliceFlags {
    let is_static = cat.eq_ignore_ascii_case(b"StaticKernelLaunch");
    if is_static { SliceFlags::STATIC_GRAPH } else { SliceFlags::default() }
}

/// True for the label of a process that is a device, but no GPU, such as `XPU 0`.
pub(in crate::import) fn is_device_title(label: &[u8]) -> bool {
    ["XPU ", "HPU ", "MTIA "].iter().any(|kind| label.starts_with(kind.as_bytes()))
}

/// True for `Trace`, Kineto's category for the span of time in which it recorded.
#[inline]
pub(in crate::import) fn is_profiler_span(cat: &[u8]) -> bool {
    cat == b"Trace"
}

/// True for the categories of flows from a launch to its device work, except that of
/// [`is_runtime_launch_flow`]. Callers must ask [`is_queue_flow`] first, whose categories count here, too.
pub(in crate::import) fn is_launch_flow(cat: &[u8]) -> bool {
    cat.starts_with(b"ac2g") || cat.starts_with(b"async")
}

/// True for the categories of Ascend's flows on the host from an operator to the thread that runs it.
pub(in crate::import) fn is_queue_flow(cat: &[u8]) -> bool {
    cat == b"async_task_queue" || cat == b"async_mindspore"
}

/// True for the categories of Ascend's and rocprof's flows from a call of the runtime to its device work.
pub(in crate::import) fn is_runtime_launch_flow(cat: &[u8]) -> bool {
    cat == b"HostToDevice" || cat == b"DataFlow"
}

/// True for the category of flows from a forward operator to its backward operator.
pub(in crate::import) fn is_forward_backward(cat: &[u8]) -> bool {
    cat.starts_with(b"fwdbwd") || cat == b"forward_backward"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_all_libraries_that_communicate() {
        for name in [
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>()",
            "void flashinfer::trtllm_alltoall::moeAllToAllKernel()",
            "multimem_all_gather_kernel",
        ] {
            assert!(is_communication_kernel(name.as_bytes()), "{name}");
        }
        assert!(!is_communication_kernel(b"void at::native::reduce_kernel<512, 1>()"));
    }

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
            ("UnifiedMemory", Category::UnifiedMemory),
            ("whatever", Category::Other),
        ] {
            assert_eq!(class(cat.as_bytes()).category, want, "{cat}");
        }
        assert_eq!(class(b"gpu_user_annotation").lane, LaneKind::StreamRanges);
        assert!(
            CLASSES.iter().all(|(name, _)| *name == name.to_lowercase()),
            "categories are listed in lower case"
        );
    }

    #[test]
    fn names_state_categories() {
        let refine = |class, name: &[u8]| refined(class, category_in_name(name));
        assert_eq!(refine(class(b"user_annotation"), b"ProfilerStep#12"), Category::ProfileStep);
        assert_eq!(refine(class(b"cpu_op"), b"record_param_comms"), Category::Communication);
        assert_eq!(refine(class(b"kernel"), b"nccl:x"), Category::Kernel);
        assert_eq!(refine(class(b"gpu_user_annotation"), b"ProfilerStep#12"), Category::UserDefined);
        assert_eq!(step_number(b"ProfilerStep#12"), Some(12));
        assert_eq!(step_number(b"ProfilerStep#x"), None);
    }

    #[test]
    fn paddle_suffixes() {
        assert_eq!(paddle_name(b"conv2d[12.345 us]"), b"conv2d");
        assert_eq!(paddle_name(b"a[1][0.5 ms]"), b"a[1]");
        assert_eq!(paddle_name(b"a[1]"), b"a[1]");
        assert_eq!(paddle_layer(b"42(C++)"), (b"42".as_slice(), Some(LaneKind::Thread)));
        assert_eq!(paddle_thread_name(b"thread 42:loader(Python)", b"42"), b"loader");
        assert_eq!(paddle_thread_name(b"main", b"42"), b"main");
    }
}
