//! How busy processors were during a cycle, by the definition of Paddle's profiler: of the whole system, the share of time that its
//! processors were not idle; of the process, its processor time over the time that passed (over 1 on several processors).

use super::process::stat_field;

/// Ticks at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    busy: u64,
    idle: u64,
    own: u64,
    /// Hundredths of a second since the system started.
    now: u64,
}

/// Shares of a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The system's, 0 to 1.
    pub system: f64,
    /// The process's; 1 is one processor.
    pub process: f64,
}

impl Sample {
    /// Now, of a process.
    pub fn of(pid: u32) -> Option<Self> {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let uptime: f64 = read("/proc/uptime")?.split_ascii_whitespace().next()?.parse().ok()?;
        Self::read(&read("/proc/stat")?, &read(&format!("/proc/{pid}/stat"))?, uptime)
    }

    fn read(system: &str, process: &str, uptime: f64) -> Option<Self> {
        let mut numbers = system.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
        let mut next = || numbers.next().and_then(|n| n.parse::<u64>().ok()).unwrap_or_default();
        let [user, nice, kernel, idle, iowait, irq, softirq, steal] = [(); 8].map(|()| next());
        Some(Self {
            busy: user + nice + kernel + irq + softirq + steal,
            idle: idle + iowait,
            own: stat_field(process, 14)? + stat_field(process, 15)?,
            now: (uptime * 100.0) as u64,
        })
    }

    /// The shares since an earlier sample.
    pub fn since(&self, before: &Self) -> Usage {
        let of = |now: u64, before: u64| now.saturating_sub(before) as f64;
        let (busy, idle) = (of(self.busy, before.busy), of(self.idle, before.idle));
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Usage {
            system: share(busy, busy + idle),
            process: share(of(self.own, before.own), of(self.now, before.now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_time_between() {
        let process = |own: u64| format!("1 (x) S 0 0 0 0 0 0 0 0 0 0 {own} 5 0 0 0 0 0 0 9");
        let before = Sample::read("cpu  100 0 20 400 10 1 2 3\n", &process(7), 10.0).expect("a sample");
        let after = Sample::read("cpu  150 0 20 440 20 1 2 3\n", &process(157), 11.0).expect("a sample");
        assert_eq!(after.since(&before), Usage { system: 0.5, process: 1.5 });
        assert_eq!(before.since(&before), Usage::default());
        assert!(Sample::of(std::process::id()).is_some());
    }
}
