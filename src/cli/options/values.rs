//! Parsers for the values of options: times, sizes, units of time, ranges of steps and of time.
//!
//! All ranges are half-open, and either end may be left out. Must not know the commands.

use std::ops::Range;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use proftui_base::fmt::{TimeUnit, size_shift};
use proftui_base::time::{Ns, parse_scaled};

/// Why a text is no value of an option that takes a time, a size, or a range of steps or of time.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum ValueError {
    /// A length of time has no unit, or an unknown one.
    #[error("expected a number in s, ms, us or ns, such as 1.5s or 20ms")]
    NoTimeUnit,
    /// The text before the unit of a time is negative, too large or no number.
    #[error("\"{0}\" is negative, too large or no number")]
    NoTime(String),
    /// A size has an unknown unit.
    #[error("expected a number of bytes, or a number with the unit K, M, G or T, such as 512M")]
    NoSizeUnit,
    /// The text before the unit of a size is negative, too large or no number.
    #[error("\"{0}\" is negative, too large or no number")]
    NoSize(String),
    /// A text in a range of steps is no step number.
    #[error("\"{0}\" is not a step number")]
    NoStep(String),
    /// A range of steps in the former grammar `FIRST..LAST`, which included the last step.
    #[error("{text}: write {from}:{next}, which ends before step {next}")]
    FormerSteps {
        /// The value of the option.
        text: String,
        /// The text before the `..`.
        from: String,
        /// The text after the `..`.
        to: String,
        /// The number of the last step, plus 1.
        next: u64,
    },
    /// A range of steps in the former grammar that has no usable last step, such as `10..`.
    #[error("{text}: write {from}: for step {from} and later")]
    FormerStepsFrom {
        /// The value of the option.
        text: String,
        /// The text before the `..`.
        from: String,
    },
    /// A time range in the former grammar `START..END`.
    #[error("{text}: write {from}:{to}")]
    FormerTimes {
        /// The value of the option.
        text: String,
        /// The text before the `..`.
        from: String,
        /// The text after the `..`.
        to: String,
    },
    /// A time range that is a single time, without a colon.
    #[error("expected a range of times, such as 10ms:20ms, 10ms: or :20ms")]
    OneTime,
    /// A range that is only a colon, with neither a start nor an end.
    #[error("expected a value before or after the colon")]
    NoEnds,
    /// A range whose end is not after its start; the text is the value of the option.
    #[error("{0} is an empty range: its end is not after its start")]
    Empty(String),
}

/// Parses a length of time with its unit, such as `1.5s` or `20ms`, into ns.
pub(crate) fn time(text: &str) -> Result<Ns, ValueError> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "s" => 9,
        "ms" => 6,
        "us" => 3,
        "ns" => 0,
        _ => return Err(ValueError::NoTimeUnit),
    };
    let time = parse_scaled(number.as_bytes(), scale).filter(|&time| time >= 0);
    time.ok_or_else(|| ValueError::NoTime(number.to_owned()))
}

/// Parses a size, such as `512M` or `1.5GiB`, into bytes. Units are powers of 1024; a number without a unit
/// is in bytes.
pub(crate) fn size(text: &str) -> Result<u64, ValueError> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = size_shift(unit).ok_or(ValueError::NoSizeUnit)?;
    // The number is parsed in whole thousandths, which is precise enough.
    let thousandths = parse_scaled(number.as_bytes(), 3).and_then(|n| u64::try_from(n).ok());
    let bytes = thousandths.and_then(|n| n.checked_mul(1 << shift)).map(|n| n / 1000);
    bytes.ok_or_else(|| ValueError::NoSize(number.to_owned()))
}

/// The parser for the name of a unit of time (`s`, `ms`, `us`, `ns`); it lists the names in `--help`.
pub(crate) fn time_unit() -> impl TypedValueParser<Value = TimeUnit> {
    let value = |unit: TimeUnit| {
        PossibleValue::new(unit.name()).help(match unit {
            TimeUnit::Second => "Seconds",
            TimeUnit::Milli => "Milliseconds",
            TimeUnit::Micro => "Microseconds",
            TimeUnit::Nano => "Nanoseconds",
        })
    };
    PossibleValuesParser::new(TimeUnit::ALL.map(value))
        .try_map(|name| TimeUnit::named(&name).ok_or("expected s, ms, us or ns"))
}

/// The help text of an option that takes a range of steps; `what` says what the option does.
pub(crate) fn steps_help(what: &str) -> String {
    format!(
        "{what}: 10:12 means steps 10 and 11, 10 means step 10 alone, 10: means step 10 and later, :12 means \
         steps before 12 (default: no limit)"
    )
}

/// The help text of an option that takes a time range; `what` says what the option does.
pub(crate) fn times_help(what: &str) -> String {
    format!(
        "{what}: 10ms:20ms ends just before 20 ms, 10ms: has no end, :20ms starts at 0 (default: all times)"
    )
}

/// Parses a half-open range of step numbers, such as `10:12`; `10` is step 10 alone. An open start is 0, an
/// open end `u64::MAX`.
pub(crate) fn steps(text: &str) -> Result<Range<u64>, ValueError> {
    let number = |text: &str| text.parse().map_err(|_| ValueError::NoStep(text.to_owned()));
    if let Some((from, to)) = text.split_once("..") {
        let first: u64 = if from.is_empty() { 0 } else { number(from)? };
        let next = number(to).ok().and_then(|to: u64| to.checked_add(1));
        let (text, from, to) = (text.to_owned(), from.to_owned(), to.to_owned());
        return Err(match next {
            Some(next) if next <= first => ValueError::Empty(text),
            Some(next) => ValueError::FormerSteps { text, from, to, next },
            None if from.is_empty() => ValueError::NoStep(text),
            None => ValueError::FormerStepsFrom { text, from },
        });
    }
    match ends(text, number, (0, u64::MAX))? {
        (from, Some(to)) => not_empty(text, from..to),
        (step, None) => not_empty(text, step..step.saturating_add(1)),
    }
}

/// Parses a half-open time range, such as `10ms:20ms`, into ns. An open start is 0, an open end `Ns::MAX`.
pub(crate) fn times(text: &str) -> Result<Range<Ns>, ValueError> {
    if let Some((from, to)) = text.split_once("..") {
        let (text, from, to) = (text.to_owned(), from.to_owned(), to.to_owned());
        return Err(ValueError::FormerTimes { text, from, to });
    }
    match ends(text, time, (0, Ns::MAX))? {
        (from, Some(to)) => not_empty(text, from..to),
        (_, None) => Err(ValueError::OneTime),
    }
}

/// Parses both parts of `A:B`; one empty part takes its value from `open`. Without a colon, the second result
/// is `None`.
fn ends<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, ValueError>,
    open: (T, T),
) -> Result<(T, Option<T>), ValueError> {
    match text.split_once(':') {
        None => Ok((parse(text)?, None)),
        Some(("", "")) => Err(ValueError::NoEnds),
        Some((from, "")) => Ok((parse(from)?, Some(open.1))),
        Some(("", to)) => Ok((open.0, Some(parse(to)?))),
        Some((from, to)) => Ok((parse(from)?, Some(parse(to)?))),
    }
}

/// Returns the range, or an error with the option's value `text` if the range is empty.
fn not_empty<T: PartialOrd>(text: &str, range: Range<T>) -> Result<Range<T>, ValueError> {
    if range.is_empty() { Err(ValueError::Empty(text.to_owned())) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(time("1.5s"), Ok(1_500_000_000));
        assert_eq!(time("20ms"), Ok(20_000_000));
        assert!(time("5").is_err() && time("-1s").is_err() && time("1h").is_err() && time("s").is_err());
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("1000"), Ok(1000));
        assert!(size("-1").is_err() && size("many").is_err() && size("9999999999T").is_err());
    }

    #[test]
    fn ranges_of_steps_are_half_open() {
        assert_eq!(steps("10:12"), Ok(10..12));
        assert_eq!(steps("10"), Ok(10..11));
        assert_eq!(steps("10:"), Ok(10..u64::MAX));
        assert_eq!(steps(":12"), Ok(0..12));
        for wrong in ["", ":", "12:10", "10:10", ":0", "10-12", "a:b", "-1", "1:2:3", "18446744073709551615"]
        {
            assert!(steps(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_of_time_are_half_open() {
        assert_eq!(times("10ms:20ms"), Ok(10_000_000..20_000_000));
        assert_eq!(times("1us:"), Ok(1_000..Ns::MAX));
        assert_eq!(times(":1.5s"), Ok(0..1_500_000_000));
        for wrong in ["", ":", "10ms", "20ms:10ms", "10ms:10ms", "5:6"] {
            assert!(times(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_former_grammar_is_refused_with_the_new_form() {
        let of_steps = |text| steps(text).expect_err(text).to_string();
        let of_times = |text| times(text).expect_err(text).to_string();
        assert_eq!(of_steps("10..12"), "10..12: write 10:13, which ends before step 13");
        assert_eq!(of_steps("10.."), "10..: write 10: for step 10 and later");
        assert_eq!(of_steps("12..10"), "12..10 is an empty range: its end is not after its start");
        assert_eq!(of_steps(".."), "\"..\" is not a step number");
        assert_eq!(of_steps("a..10"), "\"a\" is not a step number");
        assert_eq!(of_times("10ms..20ms"), "10ms..20ms: write 10ms:20ms");
        assert_eq!(of_times("..20ms"), "..20ms: write :20ms");
    }

    #[test]
    fn what_is_wrong_with_a_value_is_said() {
        let of_steps = |text| steps(text).expect_err(text).to_string();
        let of_times = |text| times(text).expect_err(text).to_string();
        assert_eq!(of_steps("a:b"), "\"a\" is not a step number");
        assert_eq!(of_steps(":"), "expected a value before or after the colon");
        assert_eq!(of_steps("12:10"), "12:10 is an empty range: its end is not after its start");
        assert_eq!(of_times("10ms"), "expected a range of times, such as 10ms:20ms, 10ms: or :20ms");
        assert_eq!(of_times("5:6"), "expected a number in s, ms, us or ns, such as 1.5s or 20ms");
        assert_eq!(of_times("-1s:2s"), "\"-1\" is negative, too large or no number");
        let of_size = |text| size(text).expect_err(text).to_string();
        assert_eq!(
            of_size("many"),
            "expected a number of bytes, or a number with the unit K, M, G or T, such as 512M"
        );
        assert_eq!(of_size("-1"), "\"-1\" is negative, too large or no number");
    }
}
