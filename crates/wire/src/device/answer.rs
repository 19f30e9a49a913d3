//! CUPTI's error codes: number, name, the reason for missing GPU records that each one stands for, and what
//! to do about it. This is the only list of them.
//!
//! A message names a code once, by [`describe`]; [`advice`] finds it there again.

use super::Reason;

/// `CUPTI_ERROR_NOT_COMPATIBLE`: usually, another tool of the process has subscribed to CUPTI.
pub const NOT_COMPATIBLE: u32 = 14;
/// `CUPTI_ERROR_CUDA_COMPILER_NOT_COMPATIBLE`: only a warning, with which CUPTI records all the same.
pub const COMPILER: u32 = 34;
/// `CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED`: another tool of the process has subscribed to CUPTI.
pub const MULTIPLE_SUBSCRIBERS: u32 = 39;

/// An error code of CUPTI, and what it means for the user.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// CUPTI's number for the error code.
    pub number: u32,
    /// CUPTI's name of the error code, without [`PREFIX`].
    pub name: &'static str,
    /// The reason for missing GPU records that the error code stands for.
    pub reason: Reason,
    /// Advice to the user; empty if the general advice for `reason` fits.
    pub advice: &'static str,
}

/// Stands for an error code where CUPTI's library lacks the function to call.
pub const MISSING: u32 = u32::MAX;

/// How CUPTI's names of its error codes begin.
pub const PREFIX: &str = "CUPTI_ERROR_";

/// Advice for an error that CUPTI may report because it is newer than the driver.
const OLDER: &str =
    "CUPTI may be newer than the driver: set an older libcupti.so with --cupti, see proftui doctor";
/// Advice for errors that another tool's use of CUPTI's events or metrics causes.
const COUNTERS: &str = "run without the tool or library that reads CUPTI's events or metrics";
/// Advice for errors due to NVIDIA's multi-process service.
const SERVICE: &str = "run without NVIDIA's multi-process service (MPS)";

const fn row(number: u32, name: &'static str, reason: Reason, advice: &'static str) -> Answer {
    Answer { number, name, reason, advice }
}

/// The error codes of CUPTI up to CUDA 13.5, in the order of their numbers.
pub const ALL: [Answer; 48] = [
    row(1, "INVALID_PARAMETER", Reason::CuptiError, ""),
    row(2, "INVALID_DEVICE", Reason::CuptiError, ""),
    row(3, "INVALID_CONTEXT", Reason::CuptiError, ""),
    row(4, "INVALID_EVENT_DOMAIN_ID", Reason::CuptiError, ""),
    row(5, "INVALID_EVENT_ID", Reason::CuptiError, ""),
    row(6, "INVALID_EVENT_NAME", Reason::CuptiError, ""),
    row(7, "INVALID_OPERATION", Reason::CuptiError, ""),
    row(8, "OUT_OF_MEMORY", Reason::CuptiError, "free memory of the host or of the GPU: CUPTI got none"),
    row(9, "HARDWARE", Reason::CuptiError, "check the GPU: its hardware for profiling failed"),
    row(10, "PARAMETER_SIZE_NOT_SUFFICIENT", Reason::CuptiError, ""),
    row(11, "API_NOT_IMPLEMENTED", Reason::Version, ""),
    row(12, "MAX_LIMIT_REACHED", Reason::CuptiError, ""),
    row(13, "NOT_READY", Reason::CuptiError, ""),
    row(NOT_COMPATIBLE, "NOT_COMPATIBLE", Reason::OtherSubscriber, ""),
    row(15, "NOT_INITIALIZED", Reason::Version, OLDER),
    row(16, "INVALID_METRIC_ID", Reason::CuptiError, ""),
    row(17, "INVALID_METRIC_NAME", Reason::CuptiError, ""),
    row(18, "QUEUE_EMPTY", Reason::CuptiError, ""),
    row(19, "INVALID_HANDLE", Reason::CuptiError, ""),
    row(20, "INVALID_STREAM", Reason::CuptiError, ""),
    row(21, "INVALID_KIND", Reason::Version, ""),
    row(22, "INVALID_EVENT_VALUE", Reason::CuptiError, ""),
    row(23, "DISABLED", Reason::OtherSubscriber, ""),
    row(24, "INVALID_MODULE", Reason::CuptiError, ""),
    row(25, "INVALID_METRIC_VALUE", Reason::CuptiError, ""),
    row(26, "HARDWARE_BUSY", Reason::CuptiError, "end the other profiler that uses this GPU"),
    row(27, "NOT_SUPPORTED", Reason::NotSupported, ""),
    row(28, "UM_PROFILING_NOT_SUPPORTED", Reason::NotSupported, ""),
    row(29, "UM_PROFILING_NOT_SUPPORTED_ON_DEVICE", Reason::NotSupported, ""),
    row(30, "UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES", Reason::NotSupported, ""),
    row(31, "UM_PROFILING_NOT_SUPPORTED_WITH_MPS", Reason::NotSupported, SERVICE),
    row(32, "CDP_TRACING_NOT_SUPPORTED", Reason::NotSupported, ""),
    row(33, "VIRTUALIZED_DEVICE_NOT_SUPPORTED", Reason::NotSupported, "use a GPU that is not virtual"),
    row(
        COMPILER,
        "CUDA_COMPILER_NOT_COMPATIBLE",
        Reason::CuptiError,
        "build the program with CUDA 9.0 or later",
    ),
    row(35, "INSUFFICIENT_PRIVILEGES", Reason::NoPermission, ""),
    row(36, "OLD_PROFILER_API_INITIALIZED", Reason::OtherSubscriber, COUNTERS),
    row(37, "OPENACC_UNDEFINED_ROUTINE", Reason::CuptiError, ""),
    row(38, "LEGACY_PROFILER_NOT_SUPPORTED", Reason::NotSupported, COUNTERS),
    row(MULTIPLE_SUBSCRIBERS, "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", Reason::OtherSubscriber, ""),
    row(
        40,
        "VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
        Reason::NoPermission,
        "have profiling of this virtual GPU allowed by the host's administrator",
    ),
    row(
        41,
        "CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
        Reason::NotSupported,
        "switch confidential computing off",
    ),
    row(42, "CMP_DEVICE_NOT_SUPPORTED", Reason::NotSupported, "use a GPU that is not made for mining"),
    row(43, "MIG_DEVICE_NOT_SUPPORTED", Reason::NotSupported, "use a whole GPU instead of a part (MIG)"),
    row(44, "SLI_DEVICE_NOT_SUPPORTED", Reason::NotSupported, "switch SLI off"),
    row(45, "WSL_DEVICE_NOT_SUPPORTED", Reason::NotSupported, "run on Linux itself instead of under WSL"),
    row(46, "INVALID_CHIP_NAME", Reason::CuptiError, ""),
    row(47, "HES_TRACE_NOT_SUPPORTED_ON_MPS", Reason::NotSupported, SERVICE),
    row(999, "UNKNOWN", Reason::CuptiError, OLDER),
];

/// The entry of [`ALL`] for an error code; `None` without one.
pub fn of(number: u32) -> Option<&'static Answer> {
    ALL.iter().find(|answer| answer.number == number)
}

/// The reason for missing GPU records that an error code stands for.
pub fn reason(number: u32) -> Reason {
    let unknown = if number == MISSING { Reason::Version } else { Reason::CuptiError };
    of(number).map_or(unknown, |answer| answer.reason)
}

/// Describes an error code, such as `error 15 (CUPTI_ERROR_NOT_INITIALIZED)`.
pub fn describe(number: u32) -> String {
    if number == MISSING {
        return "CUPTI does not have this function".to_owned();
    }
    let name = of(number).map_or_else(String::new, |answer| format!(" ({PREFIX}{})", answer.name));
    format!("error {number}{name}")
}

/// Advice on the error code that a message names as [`describe`] does; `None` if the message does not have
/// exactly one such name, or the code has no advice of its own.
pub fn advice(message: &str) -> Option<&'static str> {
    let (_, rest) = message.split_once(PREFIX)?;
    let (name, rest) = rest.split_once(')')?;
    let answer = ALL.iter().find(|answer| answer.name == name && !answer.advice.is_empty())?;
    (!rest.contains(PREFIX)).then_some(answer.advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_each_once() {
        assert!(ALL.windows(2).all(|two| two[0].number < two[1].number && two[0].name != two[1].name));
    }

    #[test]
    fn a_message_that_names_a_code_has_its_advice() {
        for answer in ALL {
            let expected = Some(answer.advice).filter(|advice| !advice.is_empty());
            assert_eq!(advice(&format!("f (/a/l): {}: more", describe(answer.number))), expected);
            assert!(answer.advice.len() <= 100, "{}", answer.advice);
        }
        assert_eq!(describe(47), "error 47 (CUPTI_ERROR_HES_TRACE_NOT_SUPPORTED_ON_MPS)");
        assert_eq!((describe(48).as_str(), reason(48)), ("error 48", Reason::CuptiError));
        assert_eq!(advice(&format!("a: {}; b: {}", describe(45), describe(15))), None, "of several");
        assert_eq!(advice("error 45"), None);
    }
}
