//! Builds the fakes of the CUDA driver and CUPTI, runs programs with them, and reads how much the fake CUPTI delivered.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::rig::{Run, agent};

/// Versions of CUPTI that have a fake.
pub const GENERATIONS: [&str; 4] = ["11.8", "12.4", "12.9", "13.5"];
/// Exit status of the build if the fakes cannot be built on this machine.
const SKIPPED: i32 = 77;

/// The folder with the fakes; `None`, with a message, if they cannot be built.
pub fn fakes() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let built = build();
            if built.is_none() {
                println!(
                    "no fakes of CUDA here (they want python3, cc and NVIDIA's headers): not tested with them"
                );
            }
            built
        })
        .as_deref()
}

fn build() -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fake-cuda/build.py");
    Command::new("cc").arg("--version").output().ok().filter(|_| script.exists())?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake-cuda");
    let output = Command::new("python3").arg("-B").arg(script).arg(&folder).output().ok()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || output.status.code() == Some(SKIPPED), "{complaint}");
    output.status.success().then_some(folder)
}

/// Path of the CUPTI library in a folder.
pub fn cupti(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_library =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libcupti"));
    entries.into_iter().find(is_library).expect("a library")
}

/// Sets a program's environment: the recorder for the driver to load, the fake CUPTI of a generation, and a script of its faults.
pub fn with_gpu(command: &mut Command, run: &Run, fakes: &Path, generation: &str, script: &str) {
    fs::write(run.folder.join("script"), script).expect("a script");
    command
        .env("LD_LIBRARY_PATH", fakes)
        .env("CUDA_INJECTION64_PATH", agent())
        .env("PROFTUI_CUPTI", cupti(&fakes.join(generation)))
        .env("FAKE_CUDA_SCRIPT", run.folder.join("script"))
        .env("FAKE_CUDA_LEDGER", run.folder.join("ledger"));
}

/// A native program that calls CUDA.
pub fn program(run: &Run, fakes: &Path, generation: &str, script: &str, options: &str) -> Command {
    let mut command = Command::new(fakes.join("program"));
    command.args(options.split_whitespace()).env("PROFTUI_RUN", &run.folder);
    command.env_remove("PROFTUI_DISABLE").env_remove("PROFTUI_LEADER");
    with_gpu(&mut command, run, fakes, generation, script);
    command
}

/// Runs a command; it must succeed and write nothing to stderr.
pub fn runs(command: &mut Command) {
    let output = command.output().expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{command:?}: {}\n{stderr}", output.status);
}

/// Number of records that were delivered to a process, by CUPTI's kind.
pub fn delivered(run: &Run, pid: u32) -> BTreeMap<u32, usize> {
    let ledger = fs::read_to_string(run.folder.join(format!("ledger.{pid}"))).expect("a ledger");
    let line = |line: &str| {
        let mut words =
            line.strip_prefix("delivered ")?.split(' ').map(|word| word.parse().expect("a number"));
        Some((words.next()? as u32, words.next()?))
    };
    ledger.lines().filter_map(line).collect()
}
