//! Which records belong to the cycle: those of what began in it, by its time. What comes late comes with its time.
//!
//! Devices lag behind the program: what it gave them in the cycle may begin after its end. So there are two ends: that of the
//! cycle for the program's calls, and for devices the moment at which they had been waited for.

use crate::clock;

/// A cycle's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The cycle; 0 for none.
    pub cycle: u64,
    /// Its first ns.
    pub start: u64,
    /// The first ns after it, for the program.
    pub end: u64,
    /// The first ns after it, for devices.
    pub last: u64,
    /// How far the clock of the records is ahead of ours, ns.
    pub lead: u64,
}

impl Window {
    /// None.
    pub const NONE: Self = Self { cycle: 0, start: 0, end: 0, last: 0, lead: 0 };

    /// From `start` on. Records have the wall clock's time where ours was refused.
    pub fn new(cycle: u64, start: u64, is_wall: bool) -> Self {
        let lead = if is_wall { lead() } else { 0 };
        Self { cycle, start, end: u64::MAX, last: u64::MAX, lead }
    }

    /// A record's time on our clock; 0 stays what it is: not known.
    #[inline]
    pub fn time(&self, time: u64) -> u64 {
        if time == 0 { 0 } else { time.wrapping_sub(self.lead) }
    }

    /// True where a call that began then is in it.
    #[inline]
    pub fn has_call(&self, time: u64) -> bool {
        self.cycle != 0 && time >= self.start && time < self.end
    }

    /// True where a device's work that began then is in it.
    #[inline]
    pub fn has_work(&self, time: u64) -> bool {
        self.cycle != 0 && time >= self.start && time < self.last
    }
}

fn lead() -> u64 {
    let (time, wall) = clock::anchor();
    wall.wrapping_sub(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_in_it_is_in_it() {
        let window = Window { end: 20, last: 30, ..Window::new(1, 10, false) };
        assert!(!window.has_call(9) && window.has_call(10) && window.has_call(19) && !window.has_call(20));
        assert!(!window.has_work(9) && window.has_work(10) && window.has_work(29) && !window.has_work(30));
        assert!(!window.has_work(window.time(0)) && !Window::NONE.has_work(0) && !Window::NONE.has_call(0));
        let window = Window::new(1, 10, true);
        let (time, wall) = clock::anchor();
        assert!(window.time(wall).abs_diff(time) < 1_000_000_000, "on our clock");
    }
}
