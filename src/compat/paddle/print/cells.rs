//! Numbers as Paddle writes them.

use crate::analysis::Value;
use crate::base::time::Ns;

/// What times are told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Second,
    /// Milliseconds.
    #[default]
    Milli,
    /// Microseconds.
    Micro,
    /// Nanoseconds.
    Nano,
}

impl TimeUnit {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Milli => "ms",
            Self::Micro => "us",
            Self::Nano => "ns",
        }
    }

    fn ns(self) -> f64 {
        match self {
            Self::Second => 1e9,
            Self::Milli => 1e6,
            Self::Micro => 1e3,
            Self::Nano => 1.0,
        }
    }
}

fn time_of(ns: f64, unit: TimeUnit) -> String {
    format!("{:.2}", ns / unit.ns())
}

/// A time, a count, a share in percent; a dash for nothing.
pub(super) fn one(value: &Value, unit: TimeUnit) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Count(n) | Value::Amount(n) => n.to_string(),
        Value::Duration(ns) => time_of(*ns as f64, unit),
        Value::Bytes(n) => n.to_string(),
        Value::Ratio(share) => format!("{:.2}", share * 100.0),
        Value::Factor(times) => format!("{times:.2}"),
        Value::Empty => "-".into(),
    }
}

/// Total, average, largest, smallest and ratio in one cell. The average is worked out here: its digits below a nanosecond
/// are printed.
pub(super) fn five(values: &[Value], calls: &Value, unit: TimeUnit) -> String {
    let [total, average, max, min, ratio] = values else { return String::new() };
    let average = match (total, average, calls) {
        (&Value::Duration(total), Value::Duration(_), &Value::Count(calls)) => mean(total, calls, unit),
        (_, average, _) => one(average, unit),
    };
    let cell = |value| one(value, unit);
    format!("{} / {average} / {} / {} / {}", cell(total), cell(max), cell(min), cell(ratio))
}

fn mean(total: Ns, calls: u64, unit: TimeUnit) -> String {
    time_of(total as f64 / calls as f64, unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_in_one() {
        let cells = [
            Value::Duration(1_000_006),
            Value::Duration(333_335),
            Value::Duration(500_000),
            Value::Empty,
            Value::Ratio(0.12345),
        ];
        assert_eq!(five(&cells, &Value::Count(3), TimeUnit::Micro), "1000.01 / 333.34 / 500.00 / - / 12.35");
        assert_eq!(
            five(&cells, &Value::Count(4), TimeUnit::Nano),
            "1000006.00 / 250001.50 / 500000.00 / - / 12.35"
        );
    }
}
