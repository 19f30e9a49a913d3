//! Formats numbers for people: durations, counts, bytes, shares.
//!
//! Takes exact integers and gives short text. Must not know colours, columns or widgets.

use super::time::Ns;

/// Formats a duration with its unit, below two minutes, whatever the sign, with at most five significant
/// figures: `812 ns`, `1.234 µs`, `2m 03.4s`, `3d 04h 05m`.
pub fn duration(ns: Ns) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let ns = ns.unsigned_abs();
    let (unit, size) = match ns {
        0..1_000 => return format!("{sign}{ns} ns"),
        1_000..1_000_000 => ("µs", 1_000),
        1_000_000..1_000_000_000 => ("ms", 1_000_000),
        1_000_000_000..120_000_000_000 => ("s", 1_000_000_000),
        _ => return format!("{sign}{}", long_duration(ns)),
    };
    let text = match ns / size {
        0..10 => rounded(ns, size, 3),
        10..100 => rounded(ns, size, 2),
        _ => rounded(ns, size, 1),
    };
    format!("{sign}{text} {unit}")
}

/// A unit of time, for output that shows all durations in the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say all")]
pub enum TimeUnit {
    Second,
    Milli,
    Micro,
    Nano,
}

impl TimeUnit {
    /// All units, the longest first.
    pub const ALL: [Self; 4] = [Self::Second, Self::Milli, Self::Micro, Self::Nano];

    /// The unit's name in ASCII, as options take it: `s`, `ms`, `us`, `ns`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Milli => "ms",
            Self::Micro => "us",
            Self::Nano => "ns",
        }
    }

    /// The unit's symbol, as screens and tables show it: `s`, `ms`, `µs`, `ns`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Micro => "µs",
            _ => self.name(),
        }
    }

    /// The unit whose [`TimeUnit::name`] is `name`; `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// Formats a duration in `unit`, without the unit's name: 6 decimals in seconds, 3 in milliseconds and
/// microseconds (`1.234`), none in nanoseconds.
pub fn duration_in(ns: Ns, unit: TimeUnit) -> String {
    let (size, decimals) = match unit {
        TimeUnit::Second => (1_000_000_000, 6),
        TimeUnit::Milli => (1_000_000, 3),
        TimeUnit::Micro => (1_000, 3),
        TimeUnit::Nano => return ns.to_string(),
    };
    format!("{}{}", if ns < 0 { "-" } else { "" }, rounded(ns.unsigned_abs(), size, decimals))
}

/// Formats `ns / size`, rounded half up, with `decimals` decimals (at least 1).
fn rounded(ns: u64, size: u64, decimals: u32) -> String {
    let power = 10_u64.pow(decimals);
    let scaled = (u128::from(ns) * u128::from(power) + u128::from(size) / 2) / u128::from(size);
    let (whole, part) = (scaled / u128::from(power), scaled % u128::from(power));
    format!("{whole}.{part:0width$}", width = decimals as usize)
}

/// Formats a duration of two minutes or more, rounded down: `2m 03.4s`, `1h 00m 00s`, `3d 04h 05m`.
fn long_duration(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let tenth = ns / 100_000_000 % 10;
    let (days, hours, minutes, secs) =
        (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}m {secs:02}.{tenth}s"),
        (0, _) => format!("{hours}h {minutes:02}m {secs:02}s"),
        _ => format!("{days}d {hours:02}h {minutes:02}m"),
    }
}

/// Formats the time `ns` with its unit, and with just as many decimals as show `step`, the resolution in ns,
/// exactly.
pub fn offset(ns: Ns, step: Ns) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let size = match ns.unsigned_abs().max(step.unsigned_abs()) {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => 1_000_u64,
        1_000_000..1_000_000_000 => 1_000_000,
        _ => 1_000_000_000,
    };
    let unit = match size {
        1_000 => "µs",
        1_000_000 => "ms",
        _ => "s",
    };
    let mut decimals = 0;
    let mut last_decimal = size;
    while decimals < 9 && last_decimal > 1 && !step.unsigned_abs().is_multiple_of(last_decimal) {
        last_decimal /= 10;
        decimals += 1;
    }
    if decimals == 0 {
        return format!("{sign}{} {unit}", (ns.unsigned_abs() + size / 2) / size);
    }
    format!("{sign}{} {unit}", rounded(ns.unsigned_abs(), size, decimals))
}

/// Formats a count with its groups of three digits separated: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a count with a noun, given in the singular, whose plural adds an `s`: `1 range`, `1,234 ranges`.
pub fn counted(n: u64, one: &str) -> String {
    format!("{} {one}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Formats a number with four significant figures and a decimal prefix: `1.234 G`; below 1,000, as it is.
pub fn amount(n: u64) -> String {
    const PREFIXES: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    if n < 1_000 {
        return n.to_string();
    }
    let mut size = 1_000;
    for prefix in PREFIXES {
        for (decimals, bound) in [(3, 10), (2, 100), (1, 1_000)] {
            let text = rounded(n, size, decimals);
            // Rounding may carry into a digit more: then it has another form.
            if n / size < bound && text.len() == "1.234".len() {
                return format!("{text} {prefix}");
            }
        }
        size = size.saturating_mul(1_000);
    }
    n.to_string()
}

/// Formats a number of bytes, from 1024 on, whatever the sign, with two decimals in a unit of a power of
/// 1024: `512 B`, `1.50 KiB`, `-2.00 GiB`.
pub fn bytes(n: i64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let sign = if n < 0 { "-" } else { "" };
    let mut value = n.unsigned_abs() as f64;
    if value < 1024.0 {
        return format!("{sign}{value} B");
    }
    let mut unit = "B";
    for name in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = name;
    }
    format!("{sign}{value:.2} {unit}")
}

/// The power of two that a unit of sizes stands for, such as 20 for `M`, `MB` or `MiB`, and 0 for no unit or
/// `B`; `None` for another text.
pub fn size_shift(unit: &str) -> Option<u32> {
    match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        _ => None,
    }
}

/// Formats a speed given in GB/s (10^9 bytes per second): three decimals below 10, two below 100, else one,
/// whatever the sign: `0.012 GB/s`, `-24.37 GB/s`, `123.4 GB/s`.
pub fn rate(gigabytes: f64) -> String {
    let decimals = match gigabytes.abs() {
        ..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{gigabytes:.decimals$} GB/s")
}

/// Formats `part / whole` in percent with one decimal: `37.5%`; `-` if `whole` is 0 or less.
pub fn share(part: Ns, whole: Ns) -> String {
    if whole <= 0 {
        return "-".into();
    }
    format!("{:.1}%", part as f64 * 100.0 / whole as f64)
}

/// Formats `part / whole` in whole percent, in at most four columns: `38%`, `<1%`; `0%` and `100%` only for
/// nothing and all. Empty if `whole` is 0 or less.
pub fn percent(part: Ns, whole: Ns) -> String {
    if whole <= 0 {
        return String::new();
    }
    let percent = (part as f64 * 100.0 / whole as f64).round();
    match percent {
        _ if part <= 0 => "0%".into(),
        0.0 => "<1%".into(),
        _ if part < whole => format!("{}%", percent.min(99.0)),
        _ => "100%".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_short_and_claim_neither_nothing_nor_all() {
        let texts = [(0, 7), (1, 1000), (374, 1000), (999, 1000), (1000, 1000), (5, 0)];
        let texts = texts.map(|(part, whole)| percent(part, whole));
        assert_eq!(texts, ["0%", "<1%", "37%", "99%", "100%", ""]);
    }

    #[test]
    fn durations_read_well() {
        let cases = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_234, "1.234 µs"),
            (56_784_000, "56.78 ms"),
            (123_456_000, "123.5 ms"),
            (2_500_000_000, "2.500 s"),
            (-1_500, "-1.500 µs"),
            (123_400_000_000, "2m 03.4s"),
            (3_600_000_000_000, "1h 00m 00s"),
            (i64::MIN, "-106751d 23h 47m"),
        ];
        for (ns, want) in cases {
            assert_eq!(duration(ns), want);
        }
    }

    #[test]
    fn ruler_offsets_carry_only_needed_digits() {
        assert_eq!(offset(1_000_000, 500_000), "1.0 ms");
        assert_eq!(offset(1_500_000, 500_000), "1.5 ms");
        assert_eq!(offset(20_000_000, 10_000_000), "20 ms");
        assert_eq!(offset(7, 1), "7 ns");
        assert_eq!(
            (offset(13_900_000, 1_000_000), offset(-2_600_000, 1_000_000)),
            ("14 ms".into(), "-3 ms".into())
        );
    }

    #[test]
    fn counts_and_bytes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!((amount(0), amount(999), amount(1_000)), ("0".into(), "999".into(), "1.000 k".into()));
        assert_eq!((amount(12_345_678), amount(u64::MAX)), ("12.35 M".into(), "18.45 E".into()));
        assert_eq!((amount(999_949), amount(999_950)), ("999.9 k".into(), "1.000 M".into()));
        assert_eq!((amount(9_999_600), amount(99_995_000)), ("10.00 M".into(), "100.0 M".into()));
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(-1_572_864), "-1.50 MiB");
        assert_eq!([0.0116, 24.37, 1555.55].map(rate), ["0.012 GB/s", "24.37 GB/s", "1555.5 GB/s"]);
        assert_eq!(share(1, 0), "-");
        assert_eq!(share(3, 8), "37.5%");
    }
}
