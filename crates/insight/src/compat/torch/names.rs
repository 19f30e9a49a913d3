//! The meaning of categories and names in the files of all versions of Kineto, as in torch's own tables.

use super::event::Kind;

/// The kind of events of a category; [`Kind::Host`] for an unknown category, None for one whose events are
/// always left out.
pub(super) fn kind(category: &[u8]) -> Option<Kind> {
    let lower = category.to_ascii_lowercase();
    Some(match lower.as_slice() {
        b"trace" | b"dataloader" | b"forward" | b"backward" | b"optimization" => return None,
        b"cpu_op" | b"operator" => Kind::Operator,
        b"user_annotation" | b"pythonuserdefined" | b"profilestep" => Kind::Annotation,
        b"python_function" => Kind::Python,
        b"overhead" => Kind::Overhead,
        b"kernel"
        | b"gpu_memcpy"
        | b"memcpy"
        | b"gpu_memset"
        | b"memset"
        | b"cuda_sync"
        | b"synchronization"
        | b"cuda_event"
        | b"cuda_profiler_range"
        | b"xpu_sync"
        | b"mtia_ccp_events"
        | b"hpu_op" => Kind::Device,
        b"gpu_user_annotation" => Kind::DeviceRange,
        other if other.ends_with(b"runtime") || other.ends_with(b"driver") => Kind::Call,
        _ => Kind::Host,
    })
}

/// The device's name in headings; None if the category does not show it.
pub(super) fn device(category: &[u8]) -> Option<&'static str> {
    match category {
        b"xpu_runtime" | b"xpu_driver" => Some("XPU"),
        b"mtia_runtime" | b"mtia_ccp_events" => Some("MTIA"),
        b"hpu_op" => Some("HPU"),
        b"privateuse1_runtime" | b"privateuse1_driver" => Some("PRIVATEUSE1"),
        _ => None,
    }
}

/// True for the names of slices that torch leaves out of its table (`_filter_name`), such as `aten::is_leaf`.
pub(super) fn is_left_out(name: &[u8]) -> bool {
    matches!(
        name,
        b"[memory]"
            | b"[OutOfMemory]"
            | b"profiler::_record_function_enter"
            | b"profiler::_record_function_enter_new"
            | b"profiler::_record_function_exit"
            | b"aten::is_leaf"
            | b"aten::output_nr"
            | b"aten::_version"
    )
}

/// True for the names that torch gives to ranges of c10d's work, which other threads end. Those of NCCL are
/// not among them.
pub(super) fn is_async(name: &[u8]) -> bool {
    [&b"gloo:"[..], b"mpi:", b"ucc:"].iter().any(|begin| name.starts_with(begin))
}

/// The name shown in the table (torch's `_rewrite_name`): `ProfilerStep*` for every training step, else the
/// event's own name.
pub(super) fn rewritten(name: &[u8]) -> &[u8] {
    if is_step(name) { b"ProfilerStep*" } else { name }
}

/// True for the name of a training step.
pub(super) fn is_step(name: &[u8]) -> bool {
    name.starts_with(b"ProfilerStep#") || name.starts_with(b"ProfileStep#") || name == b"ProfilerStep*"
}

/// True if an event is probably a backward function, judged by its name and whether it states a forward
/// thread.
pub(super) fn is_backward(name: &[u8], has_forward_thread: bool) -> bool {
    has_forward_thread && !name.starts_with(b"autograd::engine::") || name.starts_with(b"torch::autograd::")
}

/// True for those stack frames of torch's own code that torch's table leaves out (`_filter_stack_entry`).
pub(super) fn is_frame_left_out(frame: &[u8]) -> bool {
    const PAIRS: [(&[u8], &[u8]); 6] = [
        (b"autograd/__init__", b"_make_grads"),
        (b"autograd/__init__", b"backward"),
        (b"torch/tensor", b"backward"),
        (b"_internal/common_utils", b"prof_callable"),
        (b"_internal/common_utils", b"prof_func_call"),
        (b"_internal/common_utils", b"prof_meth_call"),
    ];
    let has = |part: &[u8]| memchr::memmem::find(frame, part).is_some();
    PAIRS.iter().any(|(file, function)| has(file) && has(function))
}

/// The bytes of a memory event as [host, device], by its `c10::DeviceType`; zeros for a type that does not
/// count.
pub(super) fn bytes_by_side(device_type: i64, bytes: i64) -> [i64; 2] {
    match device_type {
        0 | 2 | 5 => [bytes, 0],
        1 | 6 | 12 | 20 => [0, bytes],
        _ => [0, 0],
    }
}

/// The bytes of a memory event of Paddle as [host, device], by its place: `Place(cpu)` and pinned memory are
/// the host's, all others a device's.
pub(super) fn bytes_by_place(place: &[u8], bytes: i64) -> [i64; 2] {
    if place == b"Place(cpu)" || place.ends_with(b"pinned)") { [bytes, 0] } else { [0, bytes] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_all_versions() {
        assert_eq!(kind(b"Operator"), Some(Kind::Operator));
        assert_eq!(kind(b"Runtime"), Some(Kind::Call));
        assert_eq!(kind(b"cuda_driver"), Some(Kind::Call));
        assert_eq!(kind(b"cuda_sync"), Some(Kind::Device));
        assert_eq!(kind(b"Trace"), None);
        assert_eq!(kind(b""), Some(Kind::Host));
        assert_eq!((kind(b"PythonUserDefined"), kind(b"Forward")), (Some(Kind::Annotation), None));
    }

    #[test]
    fn names_and_frames() {
        assert_eq!(rewritten(b"ProfilerStep#12"), b"ProfilerStep*");
        assert_eq!(rewritten(b"ProfileStep#12"), b"ProfilerStep*", "as Paddle and our own traces call them");
        assert!(is_left_out(b"aten::is_leaf") && !is_left_out(b"aten::is_leaf2"));
        assert!(
            is_backward(b"AddmmBackward0", true) && is_backward(b"torch::autograd::AccumulateGrad", false)
        );
        assert!(!is_backward(b"autograd::engine::evaluate_function: AddmmBackward0", true));
        assert!(is_frame_left_out(b"torch/autograd/__init__.py(88): _make_grads"));
        assert!(!is_frame_left_out(b"torch/nn/modules/conv.py(454): forward"));
    }
}
