//! Training steps and recorded cycles.
//!
//! Must not know how steps were recognised.

use crate::base::time::Span;

use super::SliceId;

/// A step: one iteration of training or inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The step's number by the producer's count, read from the slice's name (`ProfilerStep#12`); 0 where the name has none.
    pub number: u64,
    /// The worker (rank) that ran the step, an index into `Meta::workers`.
    pub worker: u16,
    /// The slice that marks the step.
    pub slice: SliceId,
    /// The time from the step's start to its end.
    pub span: Span,
}

/// A cycle: consecutive steps of one worker that were recorded together, into one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The cycle's number among those of its worker, from 0.
    pub number: u32,
    /// The worker (rank) that recorded the cycle, an index into `Meta::workers`.
    pub worker: u16,
    /// The file that holds the cycle, an index into `Meta::files`.
    pub file: u16,
    /// The time from the cycle's start to its end.
    pub span: Span,
}
