//! Builds the fakes of the CUDA driver, CUPTI and their programs (`tests/fake-cuda`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::skip;

/// Versions of CUPTI that have a fake.
pub(crate) const GENERATIONS: [&str; 5] = ["11.8", "12.4", "12.9", "13.0", "13.5"];
/// Exit status of the build where NVIDIA's headers cannot be fetched.
const NO_HEADERS: i32 = 77;
/// The name of the checks in the list of those that are skipped.
const WHAT: &str = "captures with a fake CUDA";

/// The folder with the fakes; `None`, with the checks listed as skipped, if they cannot be built on this
/// machine.
pub(crate) fn fakes() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    crate::tools::compile(WHAT, ["--version"])?;
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake-cuda");
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let script =
        above.find_map(|root| Some(root.join("tests/fake-cuda/build.py")).filter(|path| path.is_file()));
    let mut command = Command::new("python3");
    command
        .arg("-B")
        .arg(script.expect("the sources of the fakes"))
        .arg(&out)
        .args(["--without", "cuptiSetThreadIdType"]);
    match command.output().map(|output| (output.status.code(), output)) {
        Ok((Some(0), _)) => Some(out),
        Ok((Some(NO_HEADERS), output)) => {
            let why = String::from_utf8_lossy(&output.stderr);
            let why = why.lines().last().unwrap_or_default();
            skip::excused(WHAT, why, "run once with a network: the headers are kept in the target folder");
            None
        }
        Err(why) if why.kind() == ErrorKind::NotFound => {
            skip::lacks_tool(WHAT, "no python3", "install Python 3");
            None
        }
        other => panic!("the fakes cannot be built: {other:?}"),
    }
}

/// The path of the fake CUPTI of a generation.
pub(crate) fn cupti(fakes: &Path, generation: &str) -> PathBuf {
    let mut files = std::fs::read_dir(fakes.join(generation)).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.to_string_lossy().contains("libcupti.so")).unwrap()
}
