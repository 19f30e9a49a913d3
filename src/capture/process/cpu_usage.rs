//! Processor use during a cycle, by the definitions of Paddle's profiler.
//!
//! For the system: the share of all processors' time that was not idle. For the process: its processor time
//! divided by the elapsed time, which exceeds 1 on several processors.

use crate::capture::process::stat_field;
use proftui_base::saturate::saturate;

/// Counters of processor time at one moment, of the system and of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuSample {
    /// Ticks in which processors were busy, summed over all processors.
    busy: u64,
    /// Ticks in which processors were idle or waited for I/O, summed over all processors.
    idle: u64,
    /// Ticks that the process ran, in user and system mode.
    own: u64,
    /// Number of threads of the whole system that ran or were ready to run, without the one that samples;
    /// `None` if the system does not say.
    pub running: Option<u64>,
    /// Number of the system's processors that are on.
    pub processors: u64,
    /// Elapsed time since the system's start, in hundredths of a second.
    now: u64,
}

/// Processor use of the system and of one process between two samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuUsage {
    /// Share of all processors' time that was not idle, 0 to 1.
    pub system: f64,
    /// Processor time of the process divided by the elapsed time; 1 is one processor.
    pub process: f64,
}

impl CpuSample {
    /// Samples the counters of the system and of process `pid` now; `None` if `/proc` does not have them.
    pub fn of(pid: u32) -> Option<Self> {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let uptime: f64 = read("/proc/uptime")?.split_ascii_whitespace().next()?.parse().ok()?;
        Self::read(&read("/proc/stat")?, &read(&format!("/proc/{pid}/stat"))?, uptime)
    }

    /// Makes a sample from the texts of `/proc/stat` and `/proc/PID/stat` and the seconds of `/proc/uptime`;
    /// `None` if required fields are missing.
    fn read(system: &str, process: &str, uptime: f64) -> Option<Self> {
        let running = system.lines().find_map(|line| line.strip_prefix("procs_running "));
        let running = running.and_then(|text| text.trim().parse::<u64>().ok());
        let is_processor = |line: &&str| {
            line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let processors = system.lines().filter(is_processor).count() as u64;
        let mut numbers = system.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
        let mut next = || numbers.next().and_then(|n| n.parse::<u64>().ok()).unwrap_or_default();
        let [user, nice, kernel, idle, iowait, irq, softirq, steal] = [(); 8].map(|()| next());
        Some(Self {
            busy: user + nice + kernel + irq + softirq + steal,
            idle: idle + iowait,
            running: running.map(|running| running.saturating_sub(1)),
            processors,
            own: stat_field(process, 14)? + stat_field(process, 15)?,
            now: saturate::<u64>(uptime * 100.0),
        })
    }

    /// Processor use between the earlier sample `before` of the same process and this one; 0 if no time has
    /// passed.
    pub fn since(&self, before: &Self) -> CpuUsage {
        let of = |now: u64, before: u64| now.saturating_sub(before) as f64;
        let (busy, idle) = (of(self.busy, before.busy), of(self.idle, before.idle));
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        CpuUsage {
            system: share(busy, busy + idle),
            process: share(of(self.own, before.own), of(self.now, before.now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_is_that_between_two_samples() {
        let process = |own: u64| format!("1 (x) S 0 0 0 0 0 0 0 0 0 0 {own} 5 0 0 0 0 0 0 9");
        let before = CpuSample::read(
            "cpu  100 0 20 400 10 1 2 3\ncpu0 1 2\ncpu1 3\nprocs_running 4\n",
            &process(7),
            10.0,
        )
        .expect("a sample");
        let after = CpuSample::read("cpu  150 0 20 440 20 1 2 3\n", &process(157), 11.0).expect("a sample");
        assert_eq!(after.since(&before), CpuUsage { system: 0.5, process: 1.5 });
        assert_eq!((before.running, after.running, before.processors), (Some(3), None, 2));
        assert_eq!(before.since(&before), CpuUsage::default());
        assert!(CpuSample::of(std::process::id()).is_some());
    }
}
