//! Formats times for JSON: microseconds with three decimals, exact to the ns.
//!
//! Paddle itself floors `ts` and rounds relative times to seven digits, so nesting can be lost in Paddle's
//! own files.

use std::fmt::{self, Display, Formatter};

/// A time or duration in ns, displayed in µs: `12.345`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Us(pub u64);

impl Display for Us {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// A time (first field, ns) displayed relative to a zero of time (second field, ns): `12.345 us`, negative
/// before that zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative(pub u64, pub u64);

impl Display for Relative {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < self.1 { "-" } else { "" };
        write!(f, "{sign}{} us", Us(self.0.abs_diff(self.1)))
    }
}
