//! The search for CUPTI: one list of files, for the recorder, which loads CUPTI in the program, and for
//! proftui, which checks beforehand what the recorder will find.
//!
//! For a program of Python's, the folders of its interpreter's packages come first; the interpreter is asked
//! for them. A copy that the program has loaded comes before all of them; only the recorder can see it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// File names of CUPTI's library, in the order in which they are tried in each folder: versions from the
/// latest on, then the name without a version.
pub const NAMES: [&str; 4] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"];
/// File name of the CUDA driver's library, without which CUPTI is not called.
pub const DRIVER: &str = "libcuda.so.1";
/// Oldest API version of CUPTI that is supported: that of CUDA 11.8.
pub const OLDEST: u32 = 18;

/// Folder in which CUDA toolkits are installed.
const TOOLKITS: &str = "/usr/local";
/// Environment variables with the path of a CUDA toolkit's folder; the first that is set and not empty
/// counts.
const HOMES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];
/// Folders that may contain CUPTI, relative to a toolkit's folder.
const IN_TOOLKIT: [&str; 2] = ["extras/CUPTI/lib64", "lib64"];

/// The copies of CUPTI's library to try, and the folders in which they were searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The copies to try, in this order: paths of files, then plain names, which the dynamic loader searches
    /// for.
    pub files: Vec<PathBuf>,
    /// The folders that were searched, in this order; some of them may not exist.
    pub folders: Vec<PathBuf>,
}

/// Lists the copies of CUPTI's library to try in a program with this process's environment variables.
/// `packages` are the folders of the program's Python packages, which are searched first.
pub fn candidates(packages: &[PathBuf]) -> Candidates {
    let home = HOMES.into_iter().find_map(|name| env::var_os(name).filter(|value| !value.is_empty()));
    let local = fs::read_dir(TOOLKITS).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders = packages.to_vec();
    folders.extend(toolkits(home.map(PathBuf::from), local));
    Candidates { files: files(&folders), folders }
}

/// The files with the [`NAMES`] in these folders, without duplicates, then the plain names.
fn files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let (mut files, mut known) = (Vec::new(), Vec::new());
    for file in folders.iter().flat_map(|folder| NAMES.map(|name| folder.join(name))) {
        if let Ok(real) = fs::canonicalize(&file)
            && !known.contains(&real)
        {
            known.push(real);
            files.push(file);
        }
    }
    files.extend(NAMES.map(PathBuf::from));
    files
}

/// The folders that may contain CUPTI: in the toolkit at `named`, unless that path is relative, then in the
/// folders of `local` whose names begin with `cuda`.
fn toolkits(named: Option<PathBuf>, local: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let is_toolkit =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"cuda"));
    let mut local: Vec<PathBuf> = local.into_iter().filter(is_toolkit).collect();
    local.sort();
    let toolkits = named.into_iter().filter(|path| path.is_absolute()).chain(local);
    toolkits.flat_map(|toolkit| IN_TOOLKIT.map(|part| toolkit.join(part))).collect()
}

/// True if `file` is a plain name without a folder, which the dynamic loader searches for.
pub fn is_plain(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.as_os_str().is_empty())
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
        assert_eq!(toolkits(Some("/opt/c".into()), local()), expected.map(PathBuf::from));
        for odd in ["", "cuda"] {
            assert_eq!(
                toolkits(Some(odd.into()), local()),
                expected[2..].iter().map(PathBuf::from).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn packages_come_first_and_each_file_once() {
        let root = env::temp_dir().join(format!("proftui-search-{}", std::process::id()));
        let (first, second) = (root.join("a"), root.join("b"));
        fs::create_dir_all(&first).expect("a folder");
        fs::create_dir_all(&second).expect("a folder");
        fs::write(first.join(NAMES[1]), "").expect("a file");
        std::os::unix::fs::symlink(NAMES[1], first.join(NAMES[3])).expect("a link");
        fs::write(second.join(NAMES[0]), "").expect("a file");
        let found = files(&[first.clone(), root.join("none"), second.clone()]);
        fs::remove_dir_all(&root).expect("removed");
        assert_eq!(found[..2], [first.join(NAMES[1]), second.join(NAMES[0])]);
        assert_eq!(found[2..], NAMES.map(PathBuf::from));
        assert!(found[2..].iter().all(|name| is_plain(name)) && !is_plain(&found[0]));
        let all = candidates(std::slice::from_ref(&first));
        assert_eq!(all.folders.first(), Some(&first));
        assert!(all.files.ends_with(&NAMES.map(PathBuf::from)));
    }
}
