//! The denominator of shares of devices' time. Only this file decides it, for the verdict, findings, limits,
//! the explorer's headings and its line of idle time.
//!
//! Must not know causes one by one, nor how a share is shown.

use proftui_base::time::{Ns, sum};

/// The time of devices in a part of a trace, from which shares are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// The denominator of every share: the part less the time before a device's first work and after its
    /// last, all devices added up, ns.
    pub time: Ns,
    /// The time with work, ns.
    pub busy: Ns,
    /// The time in which records are missing, ns: neither busy nor idle.
    pub not_recorded: Ns,
}

impl Whole {
    /// The time of one device, from the time of the part in which it was recorded, the part's edges, the time
    /// with work, and the time in which records are missing, ns.
    pub(super) fn of(recorded: Ns, edges: Ns, busy: Ns, not_recorded: Ns) -> Self {
        Self { time: recorded.saturating_sub(edges), busy, not_recorded }
    }

    /// The time of several devices.
    pub fn sum(devices: impl IntoIterator<Item = Self>) -> Self {
        let all: Vec<Self> = devices.into_iter().collect();
        Self {
            time: sum(all.iter().map(|whole| whole.time)),
            busy: sum(all.iter().map(|whole| whole.busy)),
            not_recorded: sum(all.iter().map(|whole| whole.not_recorded)),
        }
    }

    /// True where no share can be stated: there is no time between edges.
    pub fn is_empty(&self) -> bool {
        self.time <= 0
    }

    /// The time without work, missing records among it, ns.
    pub fn without_work(&self) -> Ns {
        self.time.saturating_sub(self.busy)
    }

    /// The time in which a device is known to have been idle, ns.
    pub fn idle(&self) -> Ns {
        self.without_work().saturating_sub(self.not_recorded)
    }

    /// A time as a share of the whole, 0 to 1; 0 of an empty whole.
    pub fn share(&self, ns: Ns) -> f64 {
        if self.is_empty() { 0.0 } else { ns as f64 / self.time as f64 }
    }
}
