//! The input of all of VisualDL's tables.

use crate::compat::paddle::forest::Forest;

use super::attributes::Attributes;
use super::events::Events;
use super::step_phase::StepPhases;

/// The input of VisualDL's tables: the trees of host events, their steps and phases, the counts of events,
/// and the arguments read from the files.
pub(super) struct Context<'a> {
    pub forest: Forest<'a>,
    pub step_phases: StepPhases,
    pub events: Events,
    pub attributes: Attributes,
    /// Number of workers (ranks) in the scope, at least 1.
    pub workers: usize,
    /// True for the worker of the trace's first file.
    pub is_first: bool,
}
