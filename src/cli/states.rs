//! `proftui states`: the states of consecutive steps in a schedule, for the Python module where no recorder is loaded. Not for people.
//!
//! Prints the digit of each step's state on one line.

use proftui_wire::schedule::Schedule;

use super::{Failure, print};

/// The name of the subcommand.
pub(super) const COMMAND: &str = "states";

#[derive(Debug, clap::Args)]
pub(super) struct StatesArgs {
    /// The schedule, as a run's options have it: `skip_first,closed,ready,record,repeat`
    schedule: String,
    /// The number of the first step
    first: u64,
    /// How many steps
    count: u16,
}

pub(super) fn run(args: &StatesArgs) -> Result<(), Failure> {
    let schedule: Schedule = args.schedule.parse()?;
    let steps = (0..u64::from(args.count)).map(|n| args.first.saturating_add(n));
    let states = steps.map(|step| (b'0' + schedule.state(step) as u8) as char);
    print(&(states.collect::<String>() + "\n"))
}
