//! Training steps and capture cycles.

use crate::base::time::Span;

use super::SliceId;

/// One training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number as the producer counts.
    pub number: u64,
    /// The worker it belongs to.
    pub worker: u16,
    /// The slice that stands for it.
    pub slice: SliceId,
    /// When.
    pub span: Span,
}

/// One recorded cycle of one worker: the span that one file covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its number among the cycles of its worker, from 0.
    pub number: u32,
    /// The worker it belongs to.
    pub worker: u16,
    /// The file it came from, an index into `Meta::files`.
    pub file: u16,
    /// When.
    pub span: Span,
}
