//! Which kernels use tensor cores: decided by kernel name. VisualDL's list has no kernels newer than Ampere;
//! our own answer knows more names, and says where it does not know.
//!
//! Must not know which tables show it.

use proftui_base::intern::StrId;
use proftui_trace::model::{KernelClass, Trace};

use super::kernel_names::KERNELS;

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

/// True if the kernel uses tensor cores, false if it does not, by its name; `None` for matrix products,
/// convolutions and attention whose names do not say.
pub(crate) fn tensor_cores(trace: &Trace, name: StrId) -> Option<bool> {
    let text = trace.strings.bytes(name);
    if KERNELS.tensor.has(text) || uses_tensor_cores(trace, name) {
        return Some(true);
    }
    let may = matches!(KernelClass::of(text), KernelClass::Matrix | KernelClass::Attention);
    let is_simt = KERNELS.simt.has(text) || memchr::memmem::find(text, b"gemv").is_some();
    (is_simt || !may).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};

    #[test]
    fn what_is_not_known_is_not_no() {
        let of = |name: &str| {
            let text =
                format!(r#"[{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":0,"dur":9}}]"#);
            let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default());
            let trace = loaded.expect("a trace").trace;
            tensor_cores(&trace, trace.slices.name[proftui_trace::model::SliceId::new(0)])
        };
        assert_eq!(of("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16"), Some(true));
        assert_eq!(of("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_gmma"), Some(true));
        assert_eq!(of("Cijk_Alik_Bljk_BBS_BH_MT128x256x32_MI16x16x1_SN"), Some(true));
        assert_eq!(of("ampere_sgemm_128x64_nn"), Some(false));
        assert_eq!(of("volta_scudnn_128x64_relu_interior_nn_v1"), Some(false));
        assert_eq!(of("vectorized_elementwise_kernel"), Some(false));
        assert_eq!(of("nvjet_tst_128x8_64x12_2x1_v_bz_TNT"), None);
    }
}
