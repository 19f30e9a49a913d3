//! The machine as a capture meets it: processes that it starts, the clock, descriptors of processes, the
//! Python interpreter.
//!
//! Must not know runs, cycles, or traces.

pub mod child;
pub mod clock;
pub(super) mod pidfd;
pub mod python;
