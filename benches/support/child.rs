//! One measurement in a process of its own, whose memory nothing else has touched: started here, told of here. What is
//! measured is the caller's business.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::machine::field;

/// Comes before the work's name and the path.
const CHILD: &str = "--child";

/// What a process told of its work, by name.
pub struct Sample(BTreeMap<String, f64>);

impl Sample {
    pub fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// Wall time of the work.
    pub fn wall(&self) -> Duration {
        Duration::from_secs_f64(self.get("wall"))
    }
}

/// How many processors a child may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    All,
    /// One, to which the process is bound where `taskset` is there to do it.
    One,
}

/// True where processes can be bound to one processor.
pub fn can_bind() -> bool {
    Command::new("taskset").args(["-c", "0", "true"]).status().is_ok_and(|status| status.success())
}

/// Does `work` on `path` in another process: what it told, or why it failed.
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
    let told = String::from_utf8_lossy(&output.stdout);
    let figure = |line: &str| line.split_once('\t').map(|(name, figure)| (name.into(), figure.parse().ok()));
    let figures = told.lines().filter_map(figure).filter_map(|(name, figure)| Some((name, figure?)));
    Ok(Sample(figures.collect()))
}

/// In the child: the work's name and the path.
pub fn asked() -> Option<(String, std::path::PathBuf)> {
    let mut arguments = std::env::args_os().skip(1);
    let is_child = arguments.next()? == CHILD;
    let (work, path) = (arguments.next()?, arguments.next()?);
    is_child.then(|| (work.to_string_lossy().into_owned(), path.into()))
}

/// In the child: true when it is to use one thread.
pub fn is_single() -> bool {
    std::env::var_os("RAYON_NUM_THREADS").is_some_and(|threads| threads == "1")
}

/// In the child: a figure for the parent.
pub fn tell(name: &str, figure: f64) {
    println!("{name}\t{figure}");
}

/// In the child: does the work, tells of its time (wall, and of processors), and of the process's memory.
pub fn timed<T>(work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), processors());
    let made = black_box(work());
    let (wall, cpu) = (start.elapsed(), processors().saturating_sub(cpu));
    tell("wall", wall.as_secs_f64());
    tell("cpu", cpu.as_secs_f64());
    tell("rss", memory("VmRSS"));
    tell("peak", memory("VmHWM"));
    made
}

/// Processor time of the whole process, user's and system's.
fn processors() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Bytes of this process's memory; 0 where nobody says.
pub fn memory(key: &str) -> f64 {
    let value = field("/proc/self/status", key)
        .and_then(|value| value.split_whitespace().next()?.parse::<f64>().ok());
    value.unwrap_or(0.0) * 1024.0
}
