//! Whose file it is, and what the words in it mean.

use crate::model::nodetree::{KIND_NAMES, PYTHON_FUNCTION};

/// Paddle's numbers of operators, steps, ranges of users in C++ and in Python.
const OPERATOR: u16 = 0;
pub(super) const STEP: u16 = 2;
const USER_NATIVE: u16 = 7;
pub(super) const USER: u16 = 14;

/// The names of steps, as torch's profiler has them.
const TORCH_STEP: &[u8] = b"ProfilerStep#";

/// Who wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Producer {
    /// torch's profiler: Kineto's JSON.
    Kineto,
    /// Paddle's: its protobuf.
    Paddle,
}

impl Producer {
    /// By what stands in a file's name behind its cycle: `0.kineto.json`.
    pub(super) fn of(rest: &str) -> Option<Self> {
        let (number, ending) = rest.split_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        match ending {
            "kineto.json" if is_number => Some(Self::Kineto),
            "paddle.pb" if is_number => Some(Self::Paddle),
            _ => None,
        }
    }

    /// The number of a range's type by its category; none for what is no range of the host's, or is told by others: calls, devices.
    pub(super) fn kind(self, category: &[u8], name: &[u8]) -> Option<u16> {
        match self {
            Self::Kineto => match category {
                b"cpu_op" => Some(OPERATOR),
                b"user_annotation" if step(name).is_some() => Some(STEP),
                b"user_annotation" => Some(USER),
                b"python_function" => Some(PYTHON_FUNCTION as u16),
                _ => None,
            },
            Self::Paddle => match KIND_NAMES.iter().position(|word| word.as_bytes() == category) {
                Some(3..=6) => None,
                Some(kind) => Some(kind as u16),
                // A kind that no Paddle has had yet.
                None if category == b"Other" => Some(USER_NATIVE),
                None => None,
            },
        }
    }
}

/// The number in `ProfilerStep#12`, as the file writes it.
pub(super) fn step(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(TORCH_STEP).filter(|number| number.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_names() {
        assert_eq!(Producer::of("0.kineto.json"), Some(Producer::Kineto));
        assert_eq!(Producer::of("12.paddle.pb"), Some(Producer::Paddle));
        for other in ["t11.0", "0.kineto.json.partial", "x.kineto.json", ".paddle.pb"] {
            assert_eq!(Producer::of(other), None, "{other}");
        }
    }

    #[test]
    fn words_of_both() {
        let kineto = |category: &[u8], name: &[u8]| Producer::Kineto.kind(category, name);
        assert_eq!((kineto(b"cpu_op", b"aten::mm"), kineto(b"kernel", b"gemm")), (Some(0), None));
        assert_eq!(kineto(b"user_annotation", b"ProfilerStep#3"), Some(STEP));
        assert_eq!(kineto(b"user_annotation", b"ProfilerStep#x"), Some(USER));
        let paddle = |category: &[u8]| Producer::Paddle.kind(category, b"");
        assert_eq!((paddle(b"OperatorInner"), paddle(b"CudaRuntime")), (Some(8), None));
        assert_eq!((paddle(b"StaticKernelLaunch"), paddle(b"Other")), (Some(16), Some(7)));
    }
}
