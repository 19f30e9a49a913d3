//! The phase at a moment, for whoever shows a part of a trace.
//!
//! Must not know how phases are found.

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Step, Trace};

use super::PHASES;
use super::times::PhaseTimes;

/// One phase of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseAt {
    /// The phase's name, such as `Backward`.
    pub title: &'static str,
    /// From its start to its end on the host. Work of a device that the phase launched may run later.
    pub span: Span,
}

/// The phase of `step` at `time`; `None` between two phases, and in a step without phases. Where a step has
/// several forward passes, it is the one at that time. The first call for a trace finds all its phases.
pub fn phase_at(trace: &Trace, step: &Step, time: Ns) -> Option<PhaseAt> {
    let of_worker = PhaseTimes::of_workers(trace).get(step.worker.index())?;
    let (phase, span) = of_worker.around(time, step.span)?;
    Some(PhaseAt { title: PHASES[phase].1, span })
}
