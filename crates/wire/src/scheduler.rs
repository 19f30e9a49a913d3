//! The profiler's state machine: the actions to perform when the state changes from one step to the next.
//!
//! The rules are those of PyTorch and Paddle with one difference: if a schedule stops recording in the middle
//! of a cycle, they discard the recorded part; here that part is written and marked incomplete.

use crate::schedule::State;

/// What a process does at a change of the scheduler's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Enable the device recorder before a cycle begins.
    Prepare,
    /// Begin the next cycle.
    Start,
    /// End the current cycle.
    Stop {
        /// False if the cycle was cut short: its trace is then marked incomplete.
        is_whole: bool,
    },
    /// Undo [`Action::Prepare`]: disable the device recorder, since no cycle follows.
    Discard,
}

/// The state machine of steps, which remembers the state of the current step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduler {
    state: State,
}

/// A change of state that the user probably did not intend, and is warned about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// From READY to CLOSED: after the warm-up no cycle was recorded.
    Unused,
    /// The steps ended in READY: after the warm-up no cycle was recorded.
    UnusedAtEnd,
    /// From RECORD to CLOSED or READY: recording stops in the middle of a cycle.
    CutShort,
}

impl Oddity {
    /// The warning for the user, partly in the words of Paddle's profiler.
    pub fn text(self) -> &'static str {
        match self {
            Self::Unused => {
                "Improper schedule: READY->CLOSED, profiler will start and stop without saving data"
            }
            Self::UnusedAtEnd => {
                "Improper Profiler state transform: READY->CLOSED, profiler will start and stop without \
                 saving data"
            }
            Self::CutShort => {
                "Improper schedule: recording stops in mid-cycle; its trace is marked incomplete"
            }
        }
    }
}

/// The consequences of a change of the scheduler's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The actions to perform, in this order; empty if there is nothing to do.
    pub actions: &'static [Action],
    /// The oddity to warn the user about, if any.
    pub oddity: Option<Oddity>,
}

use Action::{Discard, Prepare, Start, Stop};
use State::{Closed, Ready, Record, RecordAndReturn};

const END: Action = Stop { is_whole: true };
const CUT: Action = Stop { is_whole: false };

impl Scheduler {
    /// Makes a state machine whose current step has this state.
    pub fn at(state: State) -> Self {
        Self { state }
    }

    /// The state of the current step; CLOSED before and after all steps.
    pub fn state(&self) -> State {
        self.state
    }

    /// Enters the state `next`, usually that of the next step, and returns the consequences.
    pub fn advance(&mut self, next: State) -> Transition {
        let (actions, oddity): (&'static [Action], _) = match (std::mem::replace(&mut self.state, next), next)
        {
            (Closed, Closed) | (Ready, Ready) | (Record, Record | RecordAndReturn) => (&[], None),
            (Closed, Ready) => (&[Prepare], None),
            (Closed, Record | RecordAndReturn) => (&[Prepare, Start], None),
            (Ready, Record | RecordAndReturn) => (&[Start], None),
            (Ready, Closed) => (&[Discard], Some(Oddity::Unused)),
            (Record, Closed) => (&[CUT], Some(Oddity::CutShort)),
            (Record, Ready) => (&[CUT, Prepare], Some(Oddity::CutShort)),
            (RecordAndReturn, Closed) => (&[END], None),
            (RecordAndReturn, Ready) => (&[END, Prepare], None),
            (RecordAndReturn, Record | RecordAndReturn) => (&[END, Prepare, Start], None),
        };
        Transition { actions, oddity }
    }

    /// Enters CLOSED because no further step follows, and returns the consequences: an open cycle counts as
    /// whole if `is_open_ended`, else as cut short.
    pub fn finish(&mut self, is_open_ended: bool) -> Transition {
        let (actions, oddity): (&'static [Action], _) = match std::mem::take(&mut self.state) {
            Closed => (&[], None),
            Ready => (&[Discard], Some(Oddity::UnusedAtEnd)),
            Record | RecordAndReturn if is_open_ended => (&[END], None),
            Record | RecordAndReturn => (&[CUT], None),
        };
        Transition { actions, oddity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_prepares_starts_and_stops() {
        let mut scheduler = Scheduler::default();
        let mut of = |state| scheduler.advance(state).actions;
        assert_eq!(of(Closed), []);
        assert_eq!(of(Ready), [Prepare]);
        assert_eq!(of(Record), [Start]);
        assert_eq!(of(RecordAndReturn), []);
        assert_eq!(of(RecordAndReturn), [END, Prepare, Start], "back to back");
        assert_eq!(of(Closed), [END]);
    }

    #[test]
    fn a_cycle_cut_short_is_kept() {
        let mut scheduler = Scheduler::default();
        scheduler.advance(Record);
        assert_eq!(scheduler.advance(Closed), Transition { actions: &[CUT], oddity: Some(Oddity::CutShort) });
        scheduler.advance(Record);
        assert_eq!(scheduler.finish(false).actions, [CUT]);
        assert_eq!(scheduler.finish(false).actions, [], "once");
        scheduler.advance(Record);
        assert_eq!(scheduler.finish(true).actions, [END]);
    }
}
