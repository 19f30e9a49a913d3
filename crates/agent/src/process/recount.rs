//! What the hooks find out later: when the current step began, also where steps overlap, and that the count
//! of steps begins anew.

use proftui_wire::log::Event;
use proftui_wire::schedule::State;

use super::state::{Process, with};
use super::steps::Past;
use crate::clock;
use crate::live::{self, waiting};

/// Moves the beginning of the current step to `past.at`, ns, if the time is possible for the step; what the
/// thread waited for data before then counts for no step.
pub(crate) fn begin_step(past: Past) {
    with(|process| {
        if past.at >= process.steps.outside.earliest() && past.at <= clock::now() {
            waiting::take_part(past.waited);
            process.steps.begin_at(past.at);
            // A follower has no page of its own.
            if process.leader.is_none() {
                process.update_page();
            }
        }
    });
}

/// Makes the current step a call that began at `at`, ns, in the cycle with the number `cycle` (0: in none).
pub(crate) fn begin_call(at: u64, cycle: u64) {
    with(|process| process.steps.begin_call(at, cycle));
}

impl Process {
    /// Counts steps from 0 again, forgets earlier steps, and logs that. Returns whether the open cycle is to
    /// be dropped, and the current step's new state, `None` if it stays.
    pub(crate) fn count_from_zero(&mut self) -> (bool, Option<State>) {
        let first = self.options.schedule.state(0);
        let is_scheduled = self.is_leader_by_steps();
        let is_kept = live::cycle() == self.steps.outside.first_cycle()
            && first == State::Record
            && self.steps.state() == State::Record;
        let is_dropped = is_scheduled && live::cycle() != 0 && !is_kept;
        let began = self.steps.began();
        self.log_at(clock::now(), Event::Restart { began, cycle: live::cycle(), is_dropped });
        self.steps.count_anew(true);
        self.forget_all_steps();
        self.update_page();
        (is_dropped, (is_scheduled && !is_kept).then_some(first))
    }
}
