//! File names and folders of CUPTI: for the recorder, which loads it, and for proftui, which checks beforehand what the recorder will
//! find.

use std::path::PathBuf;

/// File names of CUPTI's library, in the order in which they are tried: versions from the latest on, then the name without a version.
pub const NAMES: [&str; 4] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"];
/// Folder in which CUDA toolkits are installed.
pub const TOOLKITS: &str = "/usr/local";
/// Environment variables with the path of a CUDA toolkit's folder; the first that is set and not empty counts.
pub const HOMES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];
/// Oldest API version of CUPTI that is supported.
pub const OLDEST: u32 = 18;

/// Folders that may contain CUPTI, relative to a toolkit's folder.
const IN_TOOLKIT: [&str; 2] = ["extras/CUPTI/lib64", "lib64"];

/// The folders that may contain CUPTI, in the order in which to search them: those of the toolkit at `named` (the value of one of the
/// [`HOMES`]), then those of the toolkits among `local`, the entries of [`TOOLKITS`]. A relative `named` is ignored, since it would
/// depend on the program's working directory.
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
    fn the_named_toolkit_comes_first_and_must_be_absolute() {
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
