//! Which steps are recorded: by the schedule of PyTorch's and Paddle's profilers, all, all from one on, or as
//! the program states.
//!
//! A pure function from a step's number to its state; the actions at a change of state are in
//! [`crate::scheduler`].

use std::fmt;
use std::str::FromStr;

/// The state of the profiler during a step; numbered as in PyTorch and Paddle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum State {
    /// The profiler neither warms up nor records; the step is timed nevertheless.
    #[default]
    Closed = 0,
    /// The profiler warms up: its start-up cost falls into this step instead of a recorded one.
    Ready = 1,
    /// The profiler records the step.
    Record = 2,
    /// The profiler records the step, and the cycle ends with this step.
    RecordAndReturn = 3,
}

impl State {
    /// All states, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Closed, Self::Ready, Self::Record, Self::RecordAndReturn];

    /// The state with this number; `None` for a number above 3.
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// True for a state in which events are recorded.
    pub fn is_recording(self) -> bool {
        self >= Self::Record
    }

    /// The state's name in messages, in capitals as in Paddle.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "CLOSED",
            Self::Ready => "READY",
            Self::Record => "RECORD",
            Self::RecordAndReturn => "RECORD_AND_RETURN",
        }
    }
}

/// A schedule of cycles of closed, warm-up and recorded steps, in this order, after `skip_first` steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// How many steps come before the first cycle.
    pub skip_first: u64,
    /// How many steps at the beginning of each cycle are closed (not recorded).
    pub closed: u64,
    /// How many warm-up steps follow the closed steps of each cycle.
    pub ready: u64,
    /// How many recorded steps follow the warm-up steps of each cycle; at least 1.
    pub record: u64,
    /// How many cycles there are; 0 for no limit.
    pub repeat: u64,
}

/// Which steps are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// All steps, in one cycle that ends with the program.
    #[default]
    All,
    /// The recorded steps of these cycles.
    Cycles(Cycles),
    /// All steps from this number on, in one cycle that ends with the program, after one step of warm-up.
    From(u64),
    /// No step by its number: the program itself gives the state of each step.
    Manual,
}

/// Why a schedule is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// A cycle has no recorded step.
    NothingRecorded,
    /// A range of steps is empty.
    Empty,
    /// The length of a cycle does not fit into 64 bits.
    TooLong,
    /// The text does not have the form of a schedule.
    Text,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingRecorded => "at least one step of a cycle must be recorded",
            Self::Empty => "a range of steps must have at least one step",
            Self::TooLong => "a cycle has too many steps",
            Self::Text => "not a valid schedule",
        })
    }
}

impl std::error::Error for Invalid {}

impl Schedule {
    /// Makes a schedule of cycles if their numbers are valid.
    ///
    /// # Errors
    /// When a cycle has no recorded step, or the length of a cycle does not fit into 64 bits.
    pub fn cycles(cycles: Cycles) -> Result<Self, Invalid> {
        if cycles.record == 0 {
            return Err(Invalid::NothingRecorded);
        }
        let sum = [cycles.closed, cycles.ready, cycles.record].into_iter().try_fold(0_u64, u64::checked_add);
        sum.map(|_| Self::Cycles(cycles)).ok_or(Invalid::TooLong)
    }

    /// Makes a schedule that records the steps `from..to` in one cycle, usually after one step of warm-up.
    ///
    /// # Errors
    /// When the range has no step.
    pub fn steps(from: u64, to: u64) -> Result<Self, Invalid> {
        let record = to.checked_sub(from).filter(|&len| len > 0).ok_or(Invalid::Empty)?;
        let (closed, ready) = (from.saturating_sub(1), u64::from(from > 0));
        Self::cycles(Cycles { skip_first: 0, closed, ready, record, repeat: 1 })
    }

    /// Makes a schedule that records the steps from `first` to the program's end in one cycle, usually after
    /// one step of warm-up.
    pub fn from_step(first: u64) -> Self {
        if first == 0 { Self::All } else { Self::From(first) }
    }

    /// The state that the schedule gives to the step with the number `step`, from 0; [`State::Closed`] for
    /// every step of [`Schedule::Manual`].
    pub fn state(&self, step: u64) -> State {
        let Cycles { skip_first, closed, ready, record, repeat } = match *self {
            Self::All => return State::Record,
            Self::From(first) if step >= first => return State::Record,
            Self::From(first) if step + 1 == first => return State::Ready,
            Self::From(_) | Self::Manual => return State::Closed,
            Self::Cycles(cycles) => cycles,
        };
        let Some(step) = step.checked_sub(skip_first) else { return State::Closed };
        let period = closed + ready + record;
        let (cycle, at) = (step / period, step % period);
        match () {
            () if repeat > 0 && cycle >= repeat => State::Closed,
            () if at < closed => State::Closed,
            () if at < closed + ready => State::Ready,
            () if at == period - 1 => State::RecordAndReturn,
            () => State::Record,
        }
    }

    /// True if all steps from number `step` on are closed; false for [`Schedule::Manual`], of which that is
    /// not known.
    pub fn is_over(&self, step: u64) -> bool {
        let Self::Cycles(Cycles { skip_first, closed, ready, record, repeat }) = *self else { return false };
        let period = closed + ready + record;
        repeat > 0 && step.checked_sub(skip_first).is_some_and(|step| step / period >= repeat)
    }

    /// True for [`Schedule::Cycles`] without warm-up steps; false for all other schedules.
    pub fn is_abrupt(&self) -> bool {
        matches!(self, Self::Cycles(cycles) if cycles.ready == 0)
    }

    /// True for [`Schedule::All`] and [`Schedule::From`], whose only cycle ends with the program.
    pub fn is_open_ended(&self) -> bool {
        matches!(self, Self::All | Self::From(_))
    }

    /// The number of the first step that is recorded, from 0; 0 for [`Schedule::Manual`], too.
    pub fn first(&self) -> u64 {
        match self {
            Self::All | Self::Manual => 0,
            Self::From(first) => *first,
            Self::Cycles(cycles) => cycles.skip_first.saturating_add(cycles.closed + cycles.ready),
        }
    }
}

/// Writes the schedule as text without spaces: `all`, `manual`, `from,STEP`, or the five numbers
/// `skip_first,closed,ready,record,repeat`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Manual => f.write_str("manual"),
            Self::From(first) => write!(f, "from,{first}"),
            Self::Cycles(Cycles { skip_first, closed, ready, record, repeat }) => {
                write!(f, "{skip_first},{closed},{ready},{record},{repeat}")
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        match text {
            "all" => return Ok(Self::All),
            "manual" => return Ok(Self::Manual),
            _ => {}
        }
        if let Some(first) = text.strip_prefix("from,") {
            return first.parse().map(Self::from_step).map_err(|_| Invalid::Text);
        }
        let numbers: Vec<u64> =
            text.split(',').map(|n| n.parse().map_err(|_| Invalid::Text)).collect::<Result<_, _>>()?;
        let &[skip_first, closed, ready, record, repeat] = numbers.as_slice() else {
            return Err(Invalid::Text);
        };
        Self::cycles(Cycles { skip_first, closed, ready, record, repeat })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(schedule: Schedule, count: u64) -> String {
        (0..count).map(|step| ['.', 'r', 'R', 'X'][schedule.state(step) as usize]).collect()
    }

    fn cycles(skip_first: u64, closed: u64, ready: u64, record: u64, repeat: u64) -> Schedule {
        Schedule::cycles(Cycles { skip_first, closed, ready, record, repeat }).expect("valid")
    }

    #[test]
    fn a_schedule_is_over_after_its_last_cycle() {
        let cycles = |repeat| {
            Schedule::cycles(Cycles { skip_first: 3, closed: 1, ready: 1, record: 2, repeat }).expect("valid")
        };
        let steps = Schedule::steps(2, 4).expect("valid");
        for (schedule, first) in [(cycles(2), Some(11)), (cycles(0), None), (steps, Some(4))] {
            let found = (0..100).find(|&step| schedule.is_over(step));
            assert_eq!(found, first, "{schedule}");
            let is_closed = |step| schedule.state(step) == State::Closed;
            assert!((0..100).filter(|&step| schedule.is_over(step)).all(is_closed), "{schedule}");
        }
        assert!(!Schedule::All.is_over(9) && !Schedule::Manual.is_over(9) && !Schedule::From(2).is_over(9));
    }

    #[test]
    fn cycles_repeat_and_end() {
        assert_eq!(states(cycles(0, 1, 1, 4, 2), 15), ".rRRRX.rRRRX...");
        assert_eq!(states(cycles(3, 0, 1, 1, 0), 9), "...rXrXrX");
        assert_eq!(states(cycles(0, 0, 0, 1, 0), 4), "XXXX");
        assert_eq!(states(Schedule::All, 4), "RRRR");
        assert_eq!(states(Schedule::Manual, 4), "....");
    }

    #[test]
    fn the_step_before_a_range_of_steps_is_the_warm_up() {
        let states_of = |from, to| states(Schedule::steps(from, to).expect("valid"), 8);
        assert_eq!(states_of(2, 5), ".rRRX...");
        assert_eq!(states_of(1, 2), "rX......");
        assert_eq!(states_of(0, 2), "RX......");
        assert_eq!(Schedule::steps(3, 3), Err(Invalid::Empty));
    }

    #[test]
    fn an_open_range_of_steps_ends_with_the_program() {
        assert_eq!(states(Schedule::from_step(3), 6), "..rRRR");
        assert_eq!(states(Schedule::from_step(1), 4), "rRRR");
        assert_eq!(Schedule::from_step(0), Schedule::All);
        assert_eq!(Schedule::from_step(u64::MAX).state(u64::MAX), State::Record);
        assert!(Schedule::from_step(3).is_open_ended() && !Schedule::from_step(3).is_abrupt());
        assert!(!Schedule::steps(3, 5).expect("valid").is_open_ended());
    }

    #[test]
    fn the_text_is_read_back() {
        for schedule in [Schedule::All, Schedule::Manual, Schedule::from_step(7), cycles(5, 4, 3, 2, 1)] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        assert_eq!("1,2,3,0,5".parse::<Schedule>(), Err(Invalid::NothingRecorded));
        assert_eq!("1,2,3,4".parse::<Schedule>(), Err(Invalid::Text));
        assert_eq!("from,".parse::<Schedule>(), Err(Invalid::Text));
        let huge = format!("0,{max},{max},1,0", max = u64::MAX);
        assert_eq!(huge.parse::<Schedule>(), Err(Invalid::TooLong));
    }

    #[test]
    fn the_first_recorded_step() {
        assert_eq!(cycles(5, 4, 3, 2, 1).first(), 12);
        assert_eq!(Schedule::steps(7, 9).expect("valid").first(), 7);
        assert_eq!(Schedule::from_step(7).first(), 7);
        assert!(cycles(0, 1, 0, 1, 0).is_abrupt() && !Schedule::All.is_abrupt());
    }
}
