//! Times as they stand in JSON: microseconds, to the last digit of their nanoseconds.
//!
//! Paddle floors its `ts` and rounds what is relative to seven digits, which leaves readers to guess what was within what.

use std::fmt::{self, Display, Formatter};

/// ns, written as µs: `12.345`.
#[derive(Clone, Copy, Debug)]
pub struct Us(pub u64);

impl Display for Us {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// ns from the trace's start on (the second), as arguments have it: `12.345 us`.
#[derive(Clone, Copy, Debug)]
pub struct Relative(pub u64, pub u64);

impl Display for Relative {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < self.1 { "-" } else { "" };
        write!(f, "{sign}{} us", Us(self.0.abs_diff(self.1)))
    }
}
