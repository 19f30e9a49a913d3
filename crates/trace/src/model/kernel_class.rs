//! The class of device work: matrix products, attention, normalisation and the like, communication, copies.
//!
//! The parts of names by which kernels are classified are in `assets/kernel-classes.toml`. Every view and
//! finding takes a kernel's class from here. Must not know the lanes or links of the work.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde::Deserialize;

/// A class of device work, by what the work does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelClass {
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
    pub const ALL: [Self; 6] =
        [Self::Matrix, Self::Attention, Self::Elementwise, Self::Communication, Self::Copy, Self::Other];

    /// The class of a kernel, by its name.
    #[must_use]
    pub fn of(name: &[u8]) -> Self {
        Names::get().class(name)
    }
}

/// Texts in lower case by which the names of kernels are classified, as the file has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    generated: Vec<String>,
    communication: Vec<String>,
    other: Vec<String>,
    copy: Vec<String>,
    attention: Vec<String>,
    matrix: Vec<String>,
    elementwise: Vec<String>,
}

impl Parts {
    fn read() -> Result<Self, toml::de::Error> {
        toml::from_str(include_str!("../../assets/kernel-classes.toml"))
    }

    /// The parts of each class; the first class that has a part of a name counts.
    fn classes(&self) -> [(KernelClass, &[String]); 6] {
        [
            (KernelClass::Communication, &self.communication),
            (KernelClass::Other, &self.other),
            (KernelClass::Copy, &self.copy),
            (KernelClass::Attention, &self.attention),
            (KernelClass::Matrix, &self.matrix),
            (KernelClass::Elementwise, &self.elementwise),
        ]
    }
}

/// The parts of names, ready to be looked for.
struct Names {
    generated: Vec<String>,
    /// Finds all parts of all classes; `None` if the file cannot be read, which a test rules out.
    parts: Option<AhoCorasick>,
    /// For each part its class and how early the class counts, 0 first.
    classes: Vec<(usize, KernelClass)>,
}

impl Names {
    fn get() -> &'static Self {
        static NAMES: LazyLock<Names> = LazyLock::new(|| Names::of(&Parts::read().unwrap_or_default()));
        &NAMES
    }

    fn of(parts: &Parts) -> Self {
        let classes = parts.classes();
        let ordered = || (0..).zip(&classes);
        Self {
            generated: parts.generated.clone(),
            parts: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(classes.iter().flat_map(|(_, parts)| parts.iter()))
                .ok(),
            classes: ordered()
                .flat_map(|(order, (class, parts))| std::iter::repeat_n((order, *class), parts.len()))
                .collect(),
        }
    }

    fn class(&self, name: &[u8]) -> KernelClass {
        let begins = |with: &String| {
            name.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with.as_bytes()))
        };
        if self.generated.iter().any(begins) {
            return KernelClass::Elementwise;
        }
        let found = self.parts.iter().flat_map(|parts| parts.find_overlapping_iter(name));
        let classes = found.filter_map(|part| self.classes.get(part.pattern().as_usize()));
        classes.min_by_key(|(order, _)| *order).map_or(KernelClass::Other, |&(_, class)| class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_parts_in_lower_case() {
        let parts = Parts::read().expect("the file of classes");
        let lists = parts.classes().map(|(_, parts)| parts).into_iter().chain([parts.generated.as_slice()]);
        for parts in lists {
            assert!(!parts.is_empty());
            assert!(parts.iter().all(|part| !part.is_empty() && *part == part.to_ascii_lowercase()));
        }
        assert!(Names::of(&parts).parts.is_some());
    }

    /// Names of kernels in public sources and traces, each with its class and source.
    #[test]
    fn public_names_have_their_classes() {
        let list = include_str!("kernel_class/public-names.tsv");
        let mut count = 0;
        let mut wrong = Vec::new();
        for line in list.lines().skip(1) {
            let [class, name, source] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            assert!(source.contains('/'), "{line}");
            let found = KernelClass::of(name.as_bytes());
            if class != format!("{found:?}").to_lowercase() {
                wrong.push(format!("{name}: {class}, found {found:?}"));
            }
            count += 1;
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(count >= 300, "{count} names");
    }

    #[test]
    fn names_by_xla_and_of_generated_kernels() {
        for (name, class) in [
            ("all-reduce.3", KernelClass::Communication),
            ("ragged-all-to-all-start.1", KernelClass::Communication),
            ("collective-permute-done", KernelClass::Communication),
            ("convolution.5", KernelClass::Matrix),
            ("triton_poi_fused_add_all_reduce_2", KernelClass::Elementwise),
            ("triton_red_fused_mm_sum_1", KernelClass::Elementwise),
            ("triton_tem_fused_addmm_0", KernelClass::Matrix),
            ("fusion.12", KernelClass::Other),
        ] {
            assert_eq!(KernelClass::of(name.as_bytes()), class, "{name}");
        }
    }
}
