//! Runs one measurement in a child process, whose memory nothing else has touched: the parent starts it, the
//! child prints its figures as `name<tab>number` lines. Knows nothing of what is measured.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::machine::field;

/// First command-line argument of a child; the measurement's name and the path follow.
const CHILD: &str = "--child";

/// The figures that a child reported, by name.
pub struct Sample(BTreeMap<String, f64>);

impl Sample {
    /// The figure of that name; 0 if the child did not report it.
    pub fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// Wall time of the measured work.
    pub fn wall(&self) -> Duration {
        Duration::from_secs_f64(self.get("wall"))
    }
}

/// How many processors a child may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// As many as the machine has.
    All,
    /// One, to which the process is bound where `taskset` is there to do it.
    One,
}

/// True where processes can be bound to one processor.
pub fn can_bind() -> bool {
    Command::new("taskset").args(["-c", "0", "true"]).status().is_ok_and(|status| status.success())
}

/// Runs the measurement `work` on `path` in a child process; returns the figures it reported, or why it
/// failed.
pub fn run(work: &str, path: &Path, cores: Cores) -> Result<Sample, Box<dyn Error>> {
    let this = std::env::current_exe()?;
    let mut command = if cores == Cores::One && can_bind() {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(this);
        command
    } else {
        Command::new(this)
    };
    if cores == Cores::One {
        command.env("RAYON_NUM_THREADS", "1");
    }
    let output = command.arg(CHILD).arg(work).arg(path).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(said.lines().next().unwrap_or("it was killed").to_owned().into());
    }
    let reported = String::from_utf8_lossy(&output.stdout);
    let figure = |line: &str| line.split_once('\t').map(|(name, figure)| (name.into(), figure.parse().ok()));
    let figures = reported.lines().filter_map(figure).filter_map(|(name, figure)| Some((name, figure?)));
    Ok(Sample(figures.collect()))
}

/// In the child: the measurement's name and the path; `None` in the parent.
pub fn request() -> Option<(String, std::path::PathBuf)> {
    let mut arguments = std::env::args_os().skip(1);
    let is_child = arguments.next()? == CHILD;
    let (work, path) = (arguments.next()?, arguments.next()?);
    is_child.then(|| (work.to_string_lossy().into_owned(), path.into()))
}

/// In the child: true when it is to use one thread.
pub fn is_single() -> bool {
    std::env::var_os("RAYON_NUM_THREADS").is_some_and(|threads| threads == "1")
}

/// In the child: reports a figure to the parent.
pub fn report(name: &str, figure: f64) {
    println!("{name}\t{figure}");
}

/// In the child: runs `work` and reports its wall time and processor time (seconds) and the process's memory
/// (bytes).
pub fn timed<T>(work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), processors());
    let made = black_box(work());
    let (wall, cpu) = (start.elapsed(), processors().saturating_sub(cpu));
    report("wall", wall.as_secs_f64());
    report("cpu", cpu.as_secs_f64());
    report("rss", memory("VmRSS"));
    report("peak", memory("VmHWM"));
    made
}

/// Processor time of the whole process, user and system.
fn processors() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The field `key` of `/proc/self/status` in bytes; 0 where it cannot be read.
pub fn memory(key: &str) -> f64 {
    let value = field("/proc/self/status", key)
        .and_then(|value| value.split_whitespace().next()?.parse::<f64>().ok());
    value.unwrap_or(0.0) * 1024.0
}
