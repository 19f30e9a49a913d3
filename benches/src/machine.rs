//! Describes the machine in a line: processors, their model, memory, load. Most of it is read from Linux's
//! `/proc`.

use std::fmt;
use std::fs;

/// The machine and its load at one moment.
pub struct Machine {
    cores: usize,
    model: String,
    memory: f64,
    free: f64,
    load: String,
}

impl Machine {
    /// What this machine is, and its load at this moment.
    pub fn now() -> Self {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            model: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".into()),
            memory: gb("MemTotal"),
            free: gb("MemAvailable"),
            load: load.split_whitespace().take(3).collect::<Vec<_>>().join(" "),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cores, model, memory, free, load } = self;
        write!(f, "{cores} cores, {model}, {memory:.1} GB of memory, {free:.1} GB available, load {load}")
    }
}

/// The value of the first line `key: value` of a file; `None` if there is no such line.
pub fn field(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let (_, value) = text.lines().filter_map(|line| line.split_once(':')).find(|(k, _)| k.trim() == key)?;
    Some(value.trim().into())
}

fn gb(key: &str) -> f64 {
    let kib =
        field("/proc/meminfo", key).and_then(|value| value.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0 / 1e9
}
