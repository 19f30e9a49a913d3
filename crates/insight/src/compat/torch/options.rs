//! The options of `key_averages()`: the tool and version whose rules are used, and the grouping of rows.

use proftui_trace::model::Trace;

use super::version::Version;

/// The tool whose rules make the averages. The rules were read in the sources of PyTorch 2.0 to 2.15
/// (`torch/autograd/profiler.py`, `profiler_util.py`) and of DeepLink, and held against tables that they
/// printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// The rules of a version of PyTorch.
    Torch(Version),
    /// The rules of the version that the header of a file shows; its events may show an older one.
    Recognized(Version),
    /// The rules of DeepLink, a variant of PyTorch 2.0's.
    DeepLink,
}

impl Default for Rules {
    fn default() -> Self {
        Self::Torch(Version::LATEST)
    }
}

/// How Python functions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Python {
    /// They are no events: what they take is in the time of the events around them.
    Absent,
    /// They are events with rows.
    Rows,
    /// They are events without rows.
    WithoutRows,
}

impl Rules {
    /// The rules of the profiler that recorded the trace: DeepLink's for its traces, else torch's by the
    /// signs of its version.
    pub fn of(trace: &Trace) -> Self {
        if trace.meta.producer == "deeplink" { Self::DeepLink } else { Self::Recognized(Version::of(trace)) }
    }

    /// The version of PyTorch; `None` for DeepLink.
    pub(super) fn version(self) -> Option<Version> {
        match self {
            Self::Torch(version) | Self::Recognized(version) => Some(version),
            Self::DeepLink => None,
        }
    }

    fn is_before(self, minor: u32) -> bool {
        self.version().is_some_and(|version| version < Version::new(minor))
    }

    pub(super) fn is_deeplink(self) -> bool {
        self == Self::DeepLink
    }

    pub(super) fn python(self) -> Python {
        match self {
            Self::DeepLink => Python::Rows,
            _ if self.is_before(12) => Python::Absent,
            _ if self.is_before(14) => Python::Rows,
            _ => Python::WithoutRows,
        }
    }

    /// True if memory sizes are printed in `Kb` and `b`, not in `KB` and `B`.
    pub(super) fn has_lower_units(self) -> bool {
        self.is_deeplink() || self.is_before(8)
    }

    /// True if the ends of an event, by which memory events are in it, pass through doubles of µs since 1970.
    pub(super) fn has_rounded_ends(self) -> bool {
        self.is_before(11) && !self.is_before(4)
    }

    /// The most stack frames that are printed per row.
    pub(super) fn frames(self) -> usize {
        if self.is_deeplink() || self.is_before(4) { 5 } else { usize::MAX }
    }

    /// True if annotations have rows apart from operators and kernels of the same name, and are no part of
    /// the total of device times.
    pub(super) fn has_annotations_apart(self) -> bool {
        !self.is_deeplink() && !self.is_before(5)
    }
}

/// Further properties that give events separate rows, besides properties that always do, such as the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// True to give events with different input shapes separate rows (`group_by_input_shape`).
    pub by_shape: bool,
    /// How many of the innermost stack frames distinguish rows (`group_by_stack_n`); 0 to group without
    /// stacks.
    pub by_stack: usize,
}
