//! The options that say what is loaded: paths, cycle, stretch of time, memory. `open`, `info` and `summary` share them.

use std::path::PathBuf;

use crate::base::fmt;
use crate::base::time::{Ns, parse_scaled};
use crate::import::{Preflight, Request};

#[derive(Debug, clap::Args)]
pub(super) struct SelectArgs {
    /// Trace files, a directory of them, or - for standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Only this recorded cycle of each process, counted from 0
    #[arg(long, value_name = "N")]
    pub cycle: Option<u32>,
    /// Only what happens this long after the trace's start or later: 1.5s, 20ms, 300us
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<Ns>,
    /// Only what begins before this long after the trace's start
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<Ns>,
    /// Memory to take at most: 512M, 4G. Of what does not fit, the earliest part is shown
    ///
    /// Without it, half of the memory that is free, in the machine and in the control groups around the process.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
}

impl SelectArgs {
    pub(super) fn request(&self) -> Request {
        Request {
            cycle: self.cycle,
            from: self.from,
            to: self.to,
            max_memory: self.max_memory,
            ..Request::new(self.paths.clone())
        }
    }
}

/// A length of time with its unit, ns.
pub(super) fn time(text: &str) -> Result<Ns, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "s" => 9,
        "ms" => 6,
        "us" => 3,
        "ns" => 0,
        _ => return Err("give a number and its unit, such as 1.5s, 20ms, 300us or 100ns".into()),
    };
    let time = parse_scaled(number.as_bytes(), scale).filter(|&time| time >= 0);
    time.ok_or_else(|| format!("\"{number}\" is no length of time"))
}

/// A number of bytes: plain, or with a unit of 1024s.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("give bytes, or a number and its unit, such as 512M or 4G".into()),
    };
    // Thousandths are precise enough, and an integer.
    let thousandths = parse_scaled(number.as_bytes(), 3).and_then(|n| u64::try_from(n).ok());
    let bytes = thousandths.and_then(|n| n.checked_mul(1 << shift)).map(|n| n / 1000);
    bytes.ok_or_else(|| format!("\"{number}\" is no number of bytes"))
}

/// What loading a large file will take, in one line.
pub(super) fn words(flight: &Preflight) -> String {
    let limit = match flight.limit {
        Some(limit) if limit < flight.memory => {
            format!(": more than the {} that may be taken, so its earliest part", fmt::bytes(limit as i64))
        }
        Some(limit) => format!(" of the {} that may be taken", fmt::bytes(limit as i64)),
        None => String::new(),
    };
    format!(
        "{}, about {} events; loading takes about {:.1} s and {}{limit}",
        fmt::bytes(flight.bytes as i64),
        fmt::count(flight.events),
        flight.seconds.max(0.1),
        fmt::bytes(flight.memory as i64)
    )
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
}
