//! The names of kernels that rules and tables look for, from `assets/kernels.toml`.
//!
//! Must not know rules.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KernelNames {
    pub(crate) simt: Names,
    /// Kernels that only convert the layout of a tensor.
    pub(crate) layout: Names,
    /// Kernels that use tensor cores.
    pub(crate) tensor: Names,
    pub(crate) slow: Vec<Slow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Names {
    names: Vec<String>,
}

/// Kernels of a slow variant, by parts of their names, and what is faster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slow {
    names: Vec<String>,
    /// What is faster than these kernels, in words for users.
    pub(crate) instead: String,
}

/// True if `name` contains one of the `names`, in which `*` stands for any text.
pub(super) fn has(names: &[String], name: &[u8]) -> bool {
    names.iter().any(|pattern| contains(name, pattern))
}

/// True if `name` contains the parts of `pattern` between its `*`, in this order.
fn contains(name: &[u8], pattern: &str) -> bool {
    let mut rest = name;
    pattern.split('*').all(|part| {
        let Some(at) = memchr::memmem::find(rest, part.as_bytes()) else { return false };
        rest = &rest[at + part.len()..];
        true
    })
}

impl Names {
    /// True if the name of a kernel contains one of the listed texts.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        has(&self.names, name)
    }
}

impl Slow {
    /// True if the name of a kernel contains one of the listed texts.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        has(&self.names, name)
    }
}

// The file is a part of the program; a test checks that it can be read, so the default is never used.
pub(crate) static KERNELS: LazyLock<KernelNames> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/kernels.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_file_are_recognized() {
        let read: Result<KernelNames, _> = toml::from_str(include_str!("../../../assets/kernels.toml"));
        assert!(read.is_ok(), "{:?}", read.err());
        assert!(KERNELS.simt.has(b"ampere_sgemm_128x64_tn") && !KERNELS.simt.has(b"ampere_s16816gemm_bf16"));
        for float in [
            "maxwell_scudnn_128x64_relu_interior_nn_v1",
            "void cudnn::detail::dgrad_engine<float, 128, 6, 7, 3, 3, 5, false>(int, int)",
            "void cudnn::cnn::wgrad_alg0_engine<float, 512, 6, 5, 3, 3, 3, false, 512>(int)",
            "void cudnn::detail::implicit_convolve_sgemm<float, float, 1024, 5, 5>(int)",
            "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>(int)",
            "void fft2d_r2c_32x32<float, false, 1u, false>(float2*, float const*)",
            "volta_cgemm_32x32_tn",
        ] {
            assert!(KERNELS.simt.has(float.as_bytes()), "{float}");
        }
        for other in [
            "volta_s884cudnn_fp16_256x128_ldg8_relu_exp_small_nhwc_tn_v1",
            "void cudnn::cnn::wgrad_alg0_engine<__half, 512, 6, 5, 3, 3, 3, false, 512>(int)",
            "sm80_xmma_dgrad_implicit_gemm_f32f32_tf32f32",
        ] {
            assert!(!KERNELS.simt.has(other.as_bytes()), "{other}");
        }
        assert!(KERNELS.slow.iter().any(|slow| slow.has(b"void at::native::im2col_kernel<float>")));
    }
}
