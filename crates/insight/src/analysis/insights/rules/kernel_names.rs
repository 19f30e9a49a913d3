//! The names of kernels that rules look for, from `assets/kernels.toml`.
//!
//! Must not know rules.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelNames {
    pub(super) simt: Names,
    pub(super) slow: Vec<Slow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    names: Vec<String>,
}

/// Kernels of a slow variant, by parts of their names, and what is faster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Slow {
    names: Vec<String>,
    /// What is faster than these kernels, in words for users.
    pub(super) instead: String,
}

fn has(names: &[String], name: &[u8]) -> bool {
    names.iter().any(|part| memchr::memmem::find(name, part.as_bytes()).is_some())
}

impl Names {
    /// True if the name of a kernel contains one of the listed texts.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        has(&self.names, name)
    }
}

impl Slow {
    /// True if the name of a kernel contains one of the listed texts.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        has(&self.names, name)
    }
}

// The file is a part of the program; a test checks that it can be read, so the default is never used.
pub(super) static KERNELS: LazyLock<KernelNames> =
    LazyLock::new(|| toml::from_str(include_str!("../../../../assets/kernels.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_file_are_recognized() {
        let read: Result<KernelNames, _> = toml::from_str(include_str!("../../../../assets/kernels.toml"));
        assert!(read.is_ok(), "{:?}", read.err());
        assert!(KERNELS.simt.has(b"ampere_sgemm_128x64_tn") && !KERNELS.simt.has(b"ampere_s16816gemm_bf16"));
        assert!(KERNELS.slow.iter().any(|slow| slow.has(b"void at::native::im2col_kernel<float>")));
    }
}
