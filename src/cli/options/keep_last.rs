//! Parsers for the values of the options about rings: what a ring keeps, and when a step is slow.
//!
//! Must not know how a ring works.

use super::values::size;
use proftui_base::saturate::saturate;

/// How much of its latest data the ring of each process keeps: the value of `--keep-last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepLast {
    /// This many of the last steps, 1 to 1,000,000; fewer where they do not fit into `--max-mb`.
    Steps(u64),
    /// As much of the latest data as fits into this many bytes, at least 1 MiB, in each process.
    Bytes(u64),
}

/// The most steps that `--keep-last` accepts.
const MOST_STEPS: u64 = 1_000_000;
/// The smallest size that `--keep-last` accepts, bytes.
const SMALLEST_RING: u64 = 1 << 20;

/// Why a text is no value of `--keep-last` or `--slow-step`.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum RingError {
    /// The value of `--keep-last` is neither a number of steps nor a size.
    #[error("expected a number of steps such as 50, or a size such as 64M")]
    NoAmount,
    /// The number of steps for `--keep-last` is 0 or more than a million.
    #[error("expected 1 to {MOST_STEPS} steps, or a size such as 64M")]
    Steps,
    /// The value of `--keep-last` is a size of less than 1 MiB.
    #[error("a ring has at least 1M")]
    Small,
    /// The value of `--slow-step` cannot be parsed as an `f64`.
    #[error("expected a factor such as 1.5")]
    NoFactor,
    /// The value of `--slow-step` is not in the range from 1.001 to 1,000,000.
    #[error("expected a factor of 1.001 to 1000000, such as 1.5")]
    Factor,
}

/// Parses the value of `--keep-last`: a whole number of steps, or a size such as `64M`.
pub(crate) fn keep_last(text: &str) -> Result<KeepLast, RingError> {
    if let Ok(steps) = text.parse() {
        return match steps {
            1..=MOST_STEPS => Ok(KeepLast::Steps(steps)),
            _ => Err(RingError::Steps),
        };
    }
    let bytes = size(text).map_err(|_| RingError::NoAmount)?;
    if bytes < SMALLEST_RING { Err(RingError::Small) } else { Ok(KeepLast::Bytes(bytes)) }
}

/// Parses the value of `--slow-step`, a factor such as `1.5`, into thousandths, rounded: 1500.
pub(crate) fn factor(text: &str) -> Result<u64, RingError> {
    let factor: f64 = text.parse().map_err(|_| RingError::NoFactor)?;
    if (1.001..=1_000_000.0).contains(&factor) {
        Ok(saturate::<u64>((factor * 1000.0).round()))
    } else {
        Err(RingError::Factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_of_steps_or_of_a_size() {
        assert_eq!(keep_last("50"), Ok(KeepLast::Steps(50)));
        assert_eq!(keep_last("64M"), Ok(KeepLast::Bytes(64 << 20)));
        assert_eq!(keep_last("1.5GiB"), Ok(KeepLast::Bytes(3 << 29)));
        for wrong in ["0", "1000001"] {
            assert_eq!(keep_last(wrong), Err(RingError::Steps), "{wrong}");
        }
        assert_eq!(RingError::Steps.to_string(), "expected 1 to 1000000 steps, or a size such as 64M");
        assert_eq!(keep_last("64K"), Err(RingError::Small));
        for wrong in ["-1", "M", "", "many"] {
            assert_eq!(keep_last(wrong), Err(RingError::NoAmount), "{wrong}");
        }
    }

    #[test]
    fn a_factor_is_more_than_one() {
        assert_eq!((factor("1.5"), factor("2")), (Ok(1500), Ok(2000)));
        for wrong in ["1", "0.5", "-2", "nan", "inf"] {
            assert_eq!(factor(wrong), Err(RingError::Factor), "{wrong}");
        }
        assert_eq!((factor("x"), factor("")), (Err(RingError::NoFactor), Err(RingError::NoFactor)));
    }
}
