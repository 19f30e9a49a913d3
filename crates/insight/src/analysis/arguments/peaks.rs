//! What devices can achieve, by their names, from `assets/peaks.toml`: rates of arithmetic, and the bandwidth
//! of memory.
//!
//! Must not know operators.

use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use proftui_trace::model::Device;

/// A floating point type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// 64 bits, `double` in PyTorch's events.
    F64,
    /// 32 bits, `float` in PyTorch's events.
    F32,
    /// 16 bits, `c10::Half` in PyTorch's events.
    F16,
    /// 16 bits with the exponent of float32, `c10::BFloat16` in PyTorch's events.
    Bf16,
    /// All floating point types of 8 bits, `c10::Float8_…` in PyTorch's events.
    Fp8,
}

impl Element {
    /// The type with this name in PyTorch's events; `None` for integers and others.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"double" => Some(Self::F64),
            b"float" => Some(Self::F32),
            b"c10::Half" => Some(Self::F16),
            b"c10::BFloat16" => Some(Self::Bf16),
            _ if name.starts_with(b"c10::Float8_") => Some(Self::Fp8),
            _ => None,
        }
    }

    /// The size of an element, bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Fp8 => 1,
        }
    }

    /// The type's name for people, such as `bfloat16`.
    pub fn title(self) -> &'static str {
        match self {
            Self::F64 => "float64",
            Self::F32 => "float32",
            Self::F16 => "float16",
            Self::Bf16 => "bfloat16",
            Self::Fp8 => "float8",
        }
    }
}

/// The rates of arithmetic, memory bandwidth and cache size of a kind of device: an entry of
/// `assets/peaks.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peaks {
    /// The texts that a device's name must all contain, without regard to case.
    names: Vec<String>,
    /// The least memory that a device must have, in whole GB (10^9 bytes); 0 for any.
    #[serde(default)]
    memory: u64,
    // Rates in TFLOP per second, the bandwidth in GB per second, the cache in MB.
    bf16: Option<f64>,
    f16: Option<f64>,
    tf32: Option<f64>,
    f32: Option<f64>,
    f64: Option<f64>,
    fp8: Option<f64>,
    bandwidth: f64,
    cache: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct All {
    device: Vec<Peaks>,
}

// The file is compiled in; a test makes sure that it can be read.
static ALL: LazyLock<All> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/peaks.toml")).unwrap_or_default());

/// The peaks that the user gave, which come before those of `assets/peaks.toml`.
static GIVEN: OnceLock<All> = OnceLock::new();

/// Takes peaks from the text of a TOML file in the form of `assets/peaks.toml`, for the rest of the process;
/// a second text is not taken.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn give(text: &str) -> Result<(), String> {
    let given: All = toml::from_str(text).map_err(|error| error.to_string().trim().replace('\n', " "))?;
    let _ = GIVEN.set(given);
    Ok(())
}

impl Peaks {
    /// The first entry of the given peaks ([`give`]), else of `assets/peaks.toml`, that fits the name and
    /// memory of `device`; `None` if none fits.
    pub fn of(device: &Device) -> Option<&'static Self> {
        let name = device.name.to_lowercase();
        let fits = |peaks: &&Self| {
            peaks.names.iter().all(|part| name.contains(&part.to_lowercase()))
                && peaks.memory <= device.memory / 1_000_000_000
        };
        let given = GIVEN.get().map_or(&[][..], |given| given.device.as_slice());
        given.iter().chain(&ALL.device).find(fits)
    }

    /// The device's achievable rate for elements of a type, FLOP per second; `None` if it is not known.
    /// `tensor_cores` selects the rate of TF32 for float32.
    pub fn rate(&self, element: Element, tensor_cores: bool) -> Option<f64> {
        let rate = match element {
            Element::F64 => self.f64,
            Element::F32 if tensor_cores => self.tf32,
            Element::F32 => self.f32,
            Element::F16 => self.f16.or(self.bf16),
            Element::Bf16 => self.bf16,
            Element::Fp8 => self.fp8,
        };
        rate.map(|rate| rate * 1e12)
    }

    /// The bandwidth of the device's memory that copies achieve, bytes per second.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth * 1e9
    }

    /// The size of the last cache before the device's memory, bytes.
    pub fn cache(&self) -> f64 {
        self.cache * 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, memory: u64) -> Device {
        Device { name: name.into(), memory, ..Device::default() }
    }

    #[test]
    fn devices_are_found_by_name_and_memory() {
        let read: Result<All, _> = toml::from_str(include_str!("../../../assets/peaks.toml"));
        assert!(read.is_ok(), "{:?}", read.err());
        let bandwidth = |name, memory| Peaks::of(&device(name, memory)).map(|peaks| peaks.bandwidth);
        assert_eq!(bandwidth("NVIDIA A100-SXM4-80GB", 85_000_000_000), Some(1876.0));
        assert_eq!(bandwidth("NVIDIA A100-SXM4-40GB", 42_000_000_000), Some(1431.0));
        assert_eq!(bandwidth("NVIDIA H100 80GB HBM3", 85_000_000_000), Some(3082.0));
        assert_eq!(bandwidth("NVIDIA H100 PCIe", 85_000_000_000), Some(1840.0));
        assert_eq!(bandwidth("NVIDIA L4", 24_000_000_000), Some(276.0));
        assert_eq!(bandwidth("NVIDIA L40S", 48_000_000_000), Some(795.0));
        assert_eq!(bandwidth("AMD Radeon Graphics", 48_000_000_000), None);
    }

    #[test]
    fn what_is_wrong_with_given_peaks_is_said() {
        let wrong =
            give("[[device]]\nnames = [\"My GPU\"]\nbandwith = 5.0\ncache = 1.0").expect_err("a typo");
        assert!(wrong.contains("bandwith") && wrong.contains("line 3"), "{wrong}");
    }

    #[test]
    fn rates_are_by_type() {
        let v100 = Peaks::of(&device("Tesla V100-SXM2-16GB", 16_000_000_000)).expect("known");
        assert_eq!(v100.rate(Element::Bf16, true), None, "it has no bfloat16");
        assert_eq!(v100.rate(Element::F16, true), Some(108.8e12));
        let a100 = Peaks::of(&device("NVIDIA A100-SXM4-80GB", 85_000_000_000)).expect("known");
        assert_eq!(a100.rate(Element::F32, true), Some(135.6e12));
        assert_eq!(a100.rate(Element::F32, false), Some(17.0e12));
        assert_eq!(Element::of(b"c10::Float8_e4m3fn"), Some(Element::Fp8));
        assert_eq!(Element::of(b"long int"), None);
    }
}
