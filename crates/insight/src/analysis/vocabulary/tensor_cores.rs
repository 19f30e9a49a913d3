//! Which kernels use tensor cores: decided by kernel name, from VisualDL's list; the list has no kernels
//! newer than Ampere, so Hopper kernels may be missed.
//!
//! Must not know which tables show it.

use proftui_base::intern::StrId;
use proftui_trace::model::Trace;

/// Texts in the names of kernels that use tensor cores, from VisualDL's list.
const MARKS: [&str; 18] = [
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    "c1688",
];

/// True if the name is of a kernel that uses tensor cores, by VisualDL's list of texts. Kernels newer than
/// Ampere's may be missed.
pub(crate) fn uses_tensor_cores(trace: &Trace, name: StrId) -> bool {
    let text = trace.strings.text(name);
    MARKS.iter().any(|mark| text.as_str().contains(mark))
}
