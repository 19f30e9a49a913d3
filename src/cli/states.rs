//! `proftui states`: prints the states of consecutive steps in a schedule (closed, ready, record ...), for
//! the Python module where no recorder is loaded. A hidden command.
//!
//! Prints one digit per step, the number of its state, all on one line.

use proftui_wire::schedule::Schedule;

use super::{Failure, print};

/// The name of the subcommand.
pub(super) const COMMAND: &str = "states";

#[derive(Debug, clap::Args)]
pub(super) struct StatesArgs {
    /// Schedule, in the form of the recorder's options: `skip_first,closed,ready,record,repeat`
    schedule: String,
    /// Number of the first step
    first: u64,
    /// Number of steps
    count: u16,
}

pub(super) fn run(args: &StatesArgs) -> Result<(), Failure> {
    let schedule: Schedule = args.schedule.parse()?;
    let steps = (0..u64::from(args.count)).map(|n| args.first.saturating_add(n));
    let states = steps.map(|step| (b'0' + schedule.state(step) as u8) as char);
    print(&(states.collect::<String>() + "\n"))
}
