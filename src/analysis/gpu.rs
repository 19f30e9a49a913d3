//! What devices did over time: busy and idle stretches, overlap of communication and computation, launches, queues.
//!
//! The figures that Holistic Trace Analysis (HTA) made common, exact and of any trace. `work` gathers what the devices
//! did; each other file is one summary of it; `hta` gathers by that tool's own rules, so that its numbers can be had too.
//! Must not know how a table is shown.

pub mod busy;
pub mod idle;
pub mod kinds;
pub mod launches;
pub mod overlap;
pub mod queue;
pub mod work;

pub use work::{Device, Launch, Work, WorkKind};
