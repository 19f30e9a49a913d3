//! Where CUPTI may be, for the recorder that loads it and for whoever tells beforehand what it will find.

use std::path::PathBuf;

/// Its file's names, the latest first.
pub const NAMES: [&str; 4] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"];
/// Where toolkits are.
pub const TOOLKITS: &str = "/usr/local";
/// The variables that name a toolkit, the first of them that is set.
pub const HOMES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];
/// The oldest version, as CUPTI counts them, whose records are read.
pub const OLDEST: u32 = 18;

/// Where a toolkit has it.
const IN_TOOLKIT: [&str; 2] = ["extras/CUPTI/lib64", "lib64"];

/// The folders of toolkits that may have it, in order: of the one that is `named`, then of those among what [`TOOLKITS`] holds. A
/// path that is not whole would lead to wherever the program happens to be, and names none.
pub fn folders(named: Option<PathBuf>, local: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let is_toolkit =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"cuda"));
    let mut local: Vec<PathBuf> = local.into_iter().filter(is_toolkit).collect();
    local.sort();
    let toolkits = named.into_iter().filter(|path| path.is_absolute()).chain(local);
    toolkits.flat_map(|toolkit| IN_TOOLKIT.map(|part| toolkit.join(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_toolkit_comes_first_and_must_be_whole() {
        let local = || ["/usr/local/lib", "/usr/local/cuda-12", "/usr/local/cuda"].map(PathBuf::from);
        let expected = [
            "/opt/c/extras/CUPTI/lib64",
            "/opt/c/lib64",
            "/usr/local/cuda/extras/CUPTI/lib64",
            "/usr/local/cuda/lib64",
            "/usr/local/cuda-12/extras/CUPTI/lib64",
            "/usr/local/cuda-12/lib64",
        ];
        assert_eq!(folders(Some("/opt/c".into()), local()), expected.map(PathBuf::from));
        for odd in ["", "cuda"] {
            assert_eq!(
                folders(Some(odd.into()), local()),
                expected[2..].iter().map(PathBuf::from).collect::<Vec<_>>()
            );
        }
    }
}
