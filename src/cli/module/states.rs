//! `proftui states`: prints the states of consecutive steps in a schedule (closed, ready, record ...), for
//! the Python module where no recorder is loaded. A hidden command.
//!
//! Prints one digit per step, the number of its state, all on one line.

use proftui_wire::schedule::Schedule;

use crate::cli::output::streams::{Failure, print};

/// The name of the hidden subcommand that prints the states of steps.
pub(in crate::cli) const COMMAND: &str = "states";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct StatesArgs {
    /// Schedule as the recorder's options have it: `skip_first,closed,ready,record,repeat`, `from,FIRST`, all
    /// or manual
    schedule: String,
    /// Number of the first step whose state is printed, from 0
    first: u64,
    /// How many steps, from the first on, have their states printed
    count: u16,
}

pub(in crate::cli) fn run(args: &StatesArgs) -> Result<(), Failure> {
    let schedule: Schedule = args.schedule.parse()?;
    let steps = (0..u64::from(args.count)).map(|n| args.first.saturating_add(n));
    let states = steps.map(|step| (b'0' + schedule.state(step) as u8) as char);
    print(&(states.collect::<String>() + "\n"))
}
