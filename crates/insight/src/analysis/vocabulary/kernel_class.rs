//! The class of device work: matrix products, attention, normalisation and the like, communication, copies.
//!
//! The parts of names by which kernels are classified are in `assets/kernel-classes.toml`. Must not know
//! tables.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use proftui_base::intern::StrId;
use proftui_trace::model::{Category, SliceFlags, SliceId, Trace};

/// A class of device work, by what the work does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KernelClass {
    /// Kernels of matrix products and convolutions.
    Matrix,
    /// Kernels of attention.
    Attention,
    /// Kernels of normalisation, activations and other simple work on many values.
    Elementwise,
    /// Kernels that communicate between devices.
    Communication,
    /// Copies and memsets, and kernels that only move values.
    Copy,
    /// Any other kernel.
    Other,
}

impl KernelClass {
    /// All classes, in the order of the columns in tables.
    pub(crate) const ALL: [Self; 6] =
        [Self::Matrix, Self::Attention, Self::Elementwise, Self::Communication, Self::Copy, Self::Other];
}

/// Texts in lower case by which the names of kernels are classified.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    copy: Vec<String>,
    attention: Vec<String>,
    matrix: Vec<String>,
    elementwise: Vec<String>,
}

static PARTS: LazyLock<Parts> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/kernel-classes.toml")).unwrap_or_default());

/// The class of a kernel that does not communicate, by the texts of [`Parts`] in its name.
fn of_name(name: &[u8]) -> KernelClass {
    let name = name.to_ascii_lowercase();
    let Parts { copy, attention, matrix, elementwise } = &*PARTS;
    let classes = [
        (copy, KernelClass::Copy),
        (attention, KernelClass::Attention),
        (matrix, KernelClass::Matrix),
        (elementwise, KernelClass::Elementwise),
    ];
    let has =
        |parts: &[String]| parts.iter().any(|part| memchr::memmem::find(&name, part.as_bytes()).is_some());
    classes.iter().find(|(parts, _)| has(parts)).map_or(KernelClass::Other, |&(_, class)| class)
}

/// Finds the classes of a trace's device work, and remembers those that the name decides.
pub(crate) struct KernelClasses<'a> {
    trace: &'a Trace,
    of_name: FxHashMap<StrId, KernelClass>,
}

impl<'a> KernelClasses<'a> {
    /// Makes a finder for the device work of `trace`.
    pub(crate) fn of(trace: &'a Trace) -> Self {
        Self { trace, of_name: FxHashMap::default() }
    }

    /// The class of a piece of device work.
    pub(crate) fn class(&mut self, work: SliceId) -> KernelClass {
        let slices = &self.trace.slices;
        match slices.category(work) {
            Category::Memcpy | Category::Memset => KernelClass::Copy,
            _ if slices.flags[work].has(SliceFlags::COMMUNICATION) => KernelClass::Communication,
            _ => {
                let name = slices.name[work];
                let strings = &self.trace.strings;
                *self.of_name.entry(name).or_insert_with(|| of_name(strings.bytes(name)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_parts_in_lower_case() {
        let Parts { copy, attention, matrix, elementwise } = &*PARTS;
        for parts in [copy, attention, matrix, elementwise] {
            assert!(!parts.is_empty());
            assert!(parts.iter().all(|part| !part.is_empty() && *part == part.to_ascii_lowercase()));
        }
    }

    #[test]
    fn the_first_class_that_has_a_part_counts() {
        for (name, class) in [
            ("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>()", KernelClass::Copy),
            ("void flash::flash_fwd_splitkv_kernel<cutlass::bfloat16_t>()", KernelClass::Attention),
            ("void cutlass::device_kernel<flash::FlashAttnFwdSm90>()", KernelClass::Attention),
            ("paged_attention_ll4mi_QKV_mfma16_kernel", KernelClass::Attention),
            ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV", KernelClass::Matrix),
            ("nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", KernelClass::Matrix),
            ("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>()", KernelClass::Matrix),
            ("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0", KernelClass::Elementwise),
            ("void flashinfer::norm::RMSNormKernel<8u>()", KernelClass::Elementwise),
            ("void at::native::reduce_kernel<512, 1>()", KernelClass::Elementwise),
            ("void at::native::sbtopk::gatherTopK<float>()", KernelClass::Other),
        ] {
            assert_eq!(of_name(name.as_bytes()), class, "{name}");
        }
    }
}
