//! Adds to a cycle the GPU work that the script's own profiler recorded, from the Chrome traces that this
//! profiler wrote.
//!
//! While such a profiler is on, the recorder leaves CUPTI to it. A process reports the files; they are read
//! like any trace, with the same tolerance and limits. Events that began in the cycle are added. Must not
//! know the recorder, nor how a trace is written.
//!
//! - `read` reads the GPU's `events` of one file; `jax`, `xplane` and `proton` know what the files of JAX and
//!   Triton have otherwise
//! - `add` adds them to the devices and threads of the cycle

mod add;
mod events;
mod jax;
mod proton;
mod read;
mod xplane;

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use proftui_wire::device::reason::FILE;
use proftui_wire::log::NoteKind;

use proftui_base::fmt;
use proftui_trace::export::recording::device::Devices;

use super::threads::Threads;
use crate::capture::process::Process;
use crate::capture::process::name_table::NameTable;
use crate::capture::process::own_profilers::File;
use crate::capture::system::clock::to_wall;
use add::Adder;
use read::FileError;

/// What the files of the script's own profilers added to a cycle.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// Number of events: device work and calls.
    pub events: u64,
    /// The files that events came from, such as `torch.profiler (/home/a/t.json), 12 events`.
    pub from: Vec<String>,
    /// Messages about missing GPU work and about faults of the files.
    pub faults: Vec<String>,
}

/// Adds GPU work and API calls that began from `start` to `end`, ns of the monotonic clock, from the files
/// that `processes` reported. The times of `devices` and `threads` must be on the wall clock already.
pub(super) fn add(
    processes: &[&Process],
    (start, end): (u64, u64),
    number: &dyn Fn(usize, u32) -> u32,
    names: &mut NameTable,
    devices: &mut Devices,
    threads: &mut Threads,
) -> Added {
    let mut added = Added::default();
    let mut adder = Adder::new(devices, threads, number);
    for (index, process) in processes.iter().enumerate() {
        let offset = process.clock_offset(end);
        let within = to_wall(start, offset)..to_wall(end, offset);
        for (profiler, file) in process.own_profilers.between(start, end) {
            let why = match file {
                File::Written => continue,
                File::Awaited if process.is_alive() => "the profiler has not written its trace file yet",
                File::Awaited | File::None => "the profiler wrote no trace file with it",
            };
            let fault = format!("any GPU work that a run of {profiler} recorded is not in this trace: {why}");
            if !added.faults.contains(&fault) {
                added.faults.push(fault);
            }
        }
        for (profiler, path) in files(process) {
            let shown = format!("{profiler} ({})", path.display());
            // What was written before the cycle began has nothing of it.
            let read = match written(&path) {
                Ok(time) if time < within.start => continue,
                Ok(_) => read::read(&path, &profiler, &within),
                Err(why) => Err(why),
            };
            match read {
                Ok(content) => {
                    let faults = content.faults.iter().map(|fault| format!("{shown}: {fault}"));
                    added.faults.extend(faults);
                    let events = adder.add(index, process.pid, content, names);
                    if events > 0 {
                        added.events += events;
                        added.from.push(format!("{shown}, {}", fmt::counted(events, "event")));
                    }
                }
                Err(why) => {
                    added.faults.push(format!("no GPU work is taken from the file of {shown}: {why}"));
                }
            }
        }
    }
    added
}

/// The files that a process reported, with the profilers that wrote them.
fn files(process: &Process) -> BTreeSet<(String, PathBuf)> {
    let file = |fact: String| {
        let (profiler, path) = fact.strip_prefix(FILE)?.strip_prefix('=')?.split_once(": ")?;
        Some((profiler.to_owned(), PathBuf::from(path)))
    };
    process.notes_of(NoteKind::Fact).filter_map(file).collect()
}

/// When a file was last written, ns since 1970.
///
/// # Errors
/// When the file's time cannot be read, or the file is no regular file of this user.
fn written(path: &Path) -> Result<u64, FileError> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(FileError::NotOfUser);
    }
    let seconds = found.mtime().max(0).unsigned_abs().saturating_mul(1_000_000_000);
    Ok(seconds.saturating_add(found.mtime_nsec().max(0).unsigned_abs()))
}
