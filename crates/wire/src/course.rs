//! What a profiler does as steps go by: the actions that a change from one step's state to the next asks for.
//!
//! As PyTorch and Paddle do it, but for one thing: where a schedule stops recording in the middle of a cycle, they throw away what
//! was recorded; here it is kept and marked as incomplete.

use crate::schedule::State;

/// Something to be done, in the order given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Get ready: what costs time at the start is paid now.
    Prepare,
    /// Begin a cycle.
    Start,
    /// End the cycle; true when all of its steps were recorded.
    Stop {
        /// False for one that was cut short.
        is_whole: bool,
    },
    /// Leave readiness without having recorded.
    Discard,
}

/// The state that a profiler is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    state: State,
}

/// What is odd about a change of state, in the words of Paddle's profiler where it says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// Readiness, and then nothing.
    Unused,
    /// The same, because the program ended.
    UnusedAtEnd,
    /// Recording ends before the cycle does.
    CutShort,
}

impl Oddity {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Unused => {
                "Improper schedule: READY->CLOSED, profiler will start and stop without saving data"
            }
            Self::UnusedAtEnd => {
                "Improper Profiler state transform: READY->CLOSED, profiler will start and stop without saving data"
            }
            Self::CutShort => {
                "Improper schedule: recording stops in mid-cycle; what was recorded is saved, marked incomplete"
            }
        }
    }
}

/// What follows from a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What is to be done.
    pub actions: &'static [Action],
    /// What is odd about it.
    pub oddity: Option<Oddity>,
}

use Action::{Discard, Prepare, Start, Stop};
use State::{Closed, Ready, Record, RecordAndReturn};

const END: Action = Stop { is_whole: true };
const CUT: Action = Stop { is_whole: false };

impl Course {
    /// The state now.
    pub fn state(&self) -> State {
        self.state
    }

    /// The next step, or the first, has this state.
    pub fn step(&mut self, next: State) -> Turn {
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
        Turn { actions, oddity }
    }

    /// The program ends. A cycle that is open then is whole only where the schedule has it end with the program
    /// (`is_open_ended`): else its last step was cut.
    pub fn end(&mut self, is_open_ended: bool) -> Turn {
        let (actions, oddity): (&'static [Action], _) = match std::mem::take(&mut self.state) {
            Closed => (&[], None),
            Ready => (&[Discard], Some(Oddity::UnusedAtEnd)),
            Record | RecordAndReturn if is_open_ended => (&[END], None),
            Record | RecordAndReturn => (&[CUT], None),
        };
        Turn { actions, oddity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_gets_ready_starts_and_stops() {
        let mut course = Course::default();
        let mut of = |state| course.step(state).actions;
        assert_eq!(of(Closed), []);
        assert_eq!(of(Ready), [Prepare]);
        assert_eq!(of(Record), [Start]);
        assert_eq!(of(RecordAndReturn), []);
        assert_eq!(of(RecordAndReturn), [END, Prepare, Start], "back to back");
        assert_eq!(of(Closed), [END]);
    }

    #[test]
    fn what_is_cut_short_is_kept() {
        let mut course = Course::default();
        course.step(Record);
        assert_eq!(course.step(Closed), Turn { actions: &[CUT], oddity: Some(Oddity::CutShort) });
        course.step(Record);
        assert_eq!(course.end(false).actions, [CUT]);
        assert_eq!(course.end(false).actions, [], "once");
        course.step(Record);
        assert_eq!(course.end(true).actions, [END]);
    }
}
