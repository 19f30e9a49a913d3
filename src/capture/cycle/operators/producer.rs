//! Producers of operator files: which profiler wrote a file, and the kinds that its categories stand for.

use proftui_base::saturate::saturate;
use proftui_trace::model::nodetree::{KIND_NAMES, PYTHON_FUNCTION};

/// Paddle's number of the kind `Operator`.
const OPERATOR: u16 = 0;
/// Paddle's number of the kind `ProfileStep`.
pub(super) const STEP: u16 = 2;
/// Paddle's number of the kind `UserDefined`: ranges that C++ code marks.
const USER_NATIVE: u16 = 7;
/// Paddle's number of the kind `PythonUserDefined`: ranges that the script marks.
pub(super) const USER: u16 = 14;

/// Beginning of the names that torch's profiler gives to steps; the number follows.
const TORCH_STEP: &[u8] = b"ProfilerStep#";

/// The profiler that wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Producer {
    /// PyTorch's profiler, which writes Kineto's JSON.
    Kineto,
    /// Paddle's profiler, which writes its protobuf.
    Paddle,
}

impl Producer {
    /// Recognizes the producer of an operator file by the end of the file's name, such as `0.kineto.json`;
    /// `None` for other files.
    pub(super) fn of(suffix: &str) -> Option<Self> {
        let (number, ending) = suffix.split_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        match ending {
            "kineto.json" if is_number => Some(Self::Kineto),
            "paddle.pb" if is_number => Some(Self::Paddle),
            _ => None,
        }
    }

    /// The number of an event's kind by category and name: Paddle's, or proftui's own number for Python
    /// functions; `None` for events that are not taken from the file.
    pub(super) fn kind(self, category: &[u8], name: &[u8]) -> Option<u16> {
        match self {
            Self::Kineto => match category {
                b"cpu_op" => Some(OPERATOR),
                b"user_annotation" if step(name).is_some() => Some(STEP),
                b"user_annotation" => Some(USER),
                b"python_function" => Some(saturate::<u16>(PYTHON_FUNCTION)),
                _ => None,
            },
            Self::Paddle => match KIND_NAMES.iter().position(|name| name.as_bytes() == category) {
                Some(3..=6) => None,
                Some(kind) => Some(saturate::<u16>(kind)),
                // A kind of a newer version of Paddle.
                None if category == b"Other" => Some(USER_NATIVE),
                None => None,
            },
        }
    }
}

/// The digits, if any, after `ProfilerStep#` in a step's name; `None` for a name of any other form.
pub(super) fn step(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(TORCH_STEP).filter(|number| number.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producers_are_recognized_by_file_name() {
        assert_eq!(Producer::of("0.kineto.json"), Some(Producer::Kineto));
        assert_eq!(Producer::of("12.paddle.pb"), Some(Producer::Paddle));
        for other in ["t11.0", "0.kineto.json.partial", "x.kineto.json", ".paddle.pb"] {
            assert_eq!(Producer::of(other), None, "{other}");
        }
    }

    #[test]
    fn categories_of_both_producers_have_kinds() {
        let kineto = |category: &[u8], name: &[u8]| Producer::Kineto.kind(category, name);
        assert_eq!((kineto(b"cpu_op", b"aten::mm"), kineto(b"kernel", b"gemm")), (Some(0), None));
        assert_eq!(kineto(b"user_annotation", b"ProfilerStep#3"), Some(STEP));
        assert_eq!(kineto(b"user_annotation", b"ProfilerStep#x"), Some(USER));
        let paddle = |category: &[u8]| Producer::Paddle.kind(category, b"");
        assert_eq!((paddle(b"OperatorInner"), paddle(b"CudaRuntime")), (Some(8), None));
        assert_eq!((paddle(b"StaticKernelLaunch"), paddle(b"Other")), (Some(16), Some(7)));
    }
}
