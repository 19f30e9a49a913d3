//! Steps, recorded cycles, and the time of a program that is in no step.
//!
//! Must not know how steps were recognised.

use proftui_wire::outside;
use proftui_wire::processor::ProcessorTime;

use proftui_base::time::Span;

use super::{Serving, SliceId, WorkerId};

/// A step: one iteration of training or inference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The step's number, usually the producer's own: 12 for `ProfilerStep#12`.
    pub number: u64,
    /// The worker (rank) that ran the step, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The slice that marks the step; for a step inferred from repeating launches, its first launch.
    pub slice: SliceId,
    /// The time from the step's start to its end.
    pub span: Span,
    /// What a serving engine does in the step, such as prefill or decode, by its annotation; `None` if that
    /// is not known.
    pub serving: Option<Serving>,
}

/// What time that is in no step is for, as the recorder marks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideKind {
    /// The time before the first step, such as for imports and for making the model.
    StartUp,
    /// A validation pass of a program that trains.
    Validation,
    /// The time after the last step.
    Teardown,
    /// The time that the recorder takes for itself between two steps.
    Recorder,
}

impl OutsideKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::StartUp, Self::Validation, Self::Teardown, Self::Recorder];

    /// The name of the ranges that mark time of this kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::StartUp => outside::START_UP,
            Self::Validation => outside::VALIDATION,
            Self::Teardown => outside::TEARDOWN,
            Self::Recorder => outside::RECORDER,
        }
    }
}

/// A range that the recorder puts around time outside all steps: start-up, a validation pass, teardown, or
/// what it takes for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// What the time is for.
    pub kind: OutsideKind,
    /// The worker (rank) that the range belongs to, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The slice that marks the range.
    pub slice: SliceId,
    /// The time from the range's start to its end.
    pub span: Span,
}

/// Processor time of a worker's step, or of several steps that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorUse {
    /// The worker (rank) that ran the steps, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The steps and their processor time, ns.
    pub time: ProcessorTime,
}

/// A cycle: the events of one file, usually consecutive steps that one worker recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The cycle's number among the cycles of its worker, from 0.
    pub number: u32,
    /// The worker (rank) that recorded the cycle, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The file that holds the cycle, an index into `Meta::files`.
    pub file: u16,
    /// The cycle's time: usually from the first start to the last end of its slices, within
    /// `Trace::main_span`.
    pub span: Span,
}
