//! Runs programs with the fakes of the CUDA driver and CUPTI, and reads how much the fake CUPTI delivered.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fakes::cupti;
use crate::rig::{Run, agent};

/// Sets a program's environment: the recorder for the driver to load, the fake CUPTI of a generation, and a
/// script of its faults.
pub fn with_gpu(command: &mut Command, run: &Run, fakes: &Path, generation: &str, script: &str) {
    fs::write(run.folder.join("script"), script).expect("a script");
    command
        .env("LD_LIBRARY_PATH", fakes)
        .env("CUDA_INJECTION64_PATH", agent())
        .env("PROFTUI_CUPTI", cupti(fakes, generation))
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
