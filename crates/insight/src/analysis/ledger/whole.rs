//! The denominator of shares of devices' time. Only this file decides it, for the verdict, findings, limits,
//! the explorer's headings and its line of idle time.
//!
//! Must not know causes one by one, nor how a share is shown.

use proftui_base::time::{Ns, sum};

/// The sums of devices' times in a part of a trace. Shares are computed from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// What [`share`](Self::share) divides by: what of the part is the devices' runs, added up, ns.
    pub time: Ns,
    /// The time in which devices had work, added up, ns.
    pub busy: Ns,
    /// The time in which records are missing, which is neither busy nor idle, added up, ns.
    pub not_recorded: Ns,
}

impl Whole {
    /// The sums of one device from its times in the part's run, ns.
    pub(super) fn of(time: Ns, busy: Ns, not_recorded: Ns) -> Self {
        Self { time, busy, not_recorded }
    }

    /// The sums of several devices, added up.
    pub fn sum(devices: impl IntoIterator<Item = Self>) -> Self {
        let all: Vec<Self> = devices.into_iter().collect();
        Self {
            time: sum(all.iter().map(|whole| whole.time)),
            busy: sum(all.iter().map(|whole| whole.busy)),
            not_recorded: sum(all.iter().map(|whole| whole.not_recorded)),
        }
    }

    /// True if [`time`](Self::time) is 0, so that no share can be stated.
    pub fn is_empty(&self) -> bool {
        self.time <= 0
    }

    /// The part of [`time`](Self::time) in which devices had no recorded work, ns.
    pub(crate) fn without_work(&self) -> Ns {
        self.time.saturating_sub(self.busy)
    }

    /// The part of [`time`](Self::time) in which devices are known to have been idle: without work, and
    /// without missing records, ns.
    pub fn idle(&self) -> Ns {
        self.without_work().saturating_sub(self.not_recorded)
    }

    /// A time (ns) as a share of [`time`](Self::time), where 1 is all of it; 0 if [`time`](Self::time) is 0.
    pub fn share(&self, ns: Ns) -> f64 {
        if self.is_empty() { 0.0 } else { ns as f64 / self.time as f64 }
    }
}
