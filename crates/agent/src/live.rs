//! What all threads share without a lock: which cycle is open, whether the recorder is off, and the process's
//! counts. A range reads and changes no more than this, so nothing here waits, allocates memory or calls the
//! system.
//!
//! Must not know what opens a cycle, what is written into chunks, nor what a fork does: those who do change
//! the values.
//!
//! - `cells`: the live pages that this process reads and counts on, and its switches.
//! - `counts`: the counts of ranges on the process's own live page.
//! - `across`: ranges that begin on one thread and may end on another.
//! - `waiting`: for how long each thread has waited for data.

pub(crate) mod across;
mod cells;
mod counts;
pub(crate) mod waiting;

pub(crate) use cells::{
    count_nowhere, count_on, cycle, follow, follow_none, followed, is_by_time, is_follower, is_off, is_ring,
    own, set_by_time, set_ring, state, switch_off,
};
pub(crate) use counts::{count_ended, count_kept, count_lost};
