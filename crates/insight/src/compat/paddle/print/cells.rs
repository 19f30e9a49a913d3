//! Values as Paddle prints them: times in one unit with two decimals, five values in one cell.

use crate::analysis::Value;
use proftui_base::fmt::TimeUnit;
use proftui_base::time::Ns;

/// The unit's symbol as Paddle writes it.
pub(super) fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Milli => "ms",
        TimeUnit::Micro => "us",
        TimeUnit::Nano => "ns",
    }
}

fn ns_per(unit: TimeUnit) -> f64 {
    match unit {
        TimeUnit::Second => 1e9,
        TimeUnit::Milli => 1e6,
        TimeUnit::Micro => 1e3,
        TimeUnit::Nano => 1.0,
    }
}

/// Prints a time given in ns as a number of `unit`, with two decimals and without the unit's symbol.
fn time_of(ns: f64, unit: TimeUnit) -> String {
    format!("{:.2}", ns / ns_per(unit))
}

/// Prints one value as Paddle does: times in `unit`, shares in percent, an empty value as a dash.
pub(super) fn one(value: &Value, unit: TimeUnit) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Count(n) | Value::Amount(n) => n.to_string(),
        Value::Duration(ns) => time_of(*ns as f64, unit),
        Value::Bytes(n) => n.to_string(),
        Value::Ratio(share) => format!("{:.2}", share * 100.0),
        Value::Factor(number) | Value::Rate(number) => format!("{number:.2}"),
        Value::Empty => "-".into(),
    }
}

/// Prints the cell `total / average / max / min / ratio`; an average time is computed anew from the total and
/// `calls`. Returns an empty text if there are not five values.
pub(super) fn five(values: &[Value], calls: &Value, unit: TimeUnit) -> String {
    let [total, average, max, min, ratio] = values else { return String::new() };
    let average = match (total, average, calls) {
        (&Value::Duration(total), Value::Duration(_), &Value::Count(calls)) => mean(total, calls, unit),
        (_, average, _) => one(average, unit),
    };
    let cell = |value| one(value, unit);
    format!("{} / {average} / {} / {} / {}", cell(total), cell(max), cell(min), cell(ratio))
}

/// Prints `total` (ns) divided by `calls`, in `unit` with two decimals.
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
