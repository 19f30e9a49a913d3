//! What a captured process goes through: it begins, ends steps, forks and exits. Here the process's state,
//! the chunks, the ranges and the device recorder meet: each is called from here, and knows nothing of this.
//!
//! The device recorder is called without the lock of the process's state: it waits for devices, and takes the
//! lock itself for names and files.
//!
//! - `step_end`: the protocol by which a step ends; `step_lock`: its lock. `devices`: the device recorder
//!   follows it.
//! - `outside`: writes the slices of steps, and of what is no step. `processor`: how long the thread was on a
//!   processor in a step. `recount`: has a step begin at another moment, and the count of steps anew.
//! - `control`: the program's own profiler selects the recorded steps.
//! - `fork`, `exit`: adapt the process to a fork, and close the recorder at the end of the process.

pub(crate) mod control;
mod devices;
mod exit;
mod fork;
mod outside;
mod processor;
mod recount;
mod step_end;
mod step_lock;

use proftui_wire::log::NoteKind;

use crate::errno::keep;
use crate::guard;
use crate::live;
use crate::process::{self, PROCESS, Process};

pub(crate) use devices::attach;
pub(crate) use exit::{close, close_at_exit};
pub(crate) use outside::validation;
pub(crate) use processor::read_clocks;
pub(crate) use recount::{begin_step, restart_steps};
pub(crate) use step_end::{pause_step, resume_step, step, step_at};

/// Sets up recording in this process by the environment variables, unless that is done already; false if it
/// fails or the recorder is off. With `is_child` the process may follow the leader that `PROFTUI_LEADER`
/// names.
pub(crate) fn open(is_child: bool) -> bool {
    keep(|| {
        if live::is_off() {
            return false;
        }
        let Some(mut process) = PROCESS.take() else { return false };
        guard::report_by(report_failure);
        if process.is_none() {
            *process = Process::new(is_child).inspect(|_| fork::watch());
        }
        process.is_some()
    })
}

/// Notes in the log that the recorder failed, and why.
fn report_failure(why: &str) {
    process::note(NoteKind::Failure, &format!("the recorder failed and has stopped: {why}"));
}

/// Sets up recording for a test, as a leader, in the run's folder at `run`; false if that fails.
#[cfg(test)]
pub(crate) fn open_in(run: std::path::PathBuf, options: proftui_wire::options::Options) -> bool {
    guard::report_by(report_failure);
    let mut process = PROCESS.take().expect("free");
    *process = Process::begin(crate::files::OwnFolder::of_run(run), options, None).inspect(|_| fork::watch());
    process.is_some()
}
