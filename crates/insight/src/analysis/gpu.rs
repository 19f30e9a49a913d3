//! The summaries of device work over time: busy and idle time, overlap of communication and computation, launches, queues.
//!
//! These are the figures that Holistic Trace Analysis (HTA) introduced, exact and for any trace. `work` collects the device work;
//! each other file makes one summary of it. The tests (`tests/library/hta`) feed work collected by HTA's rules into these functions
//! and get HTA's numbers. Must not know how a table is shown.

pub mod busy;
pub mod columns;
pub mod idle;
pub mod kinds;
pub mod launches;
pub mod overlap;
pub mod queue;
pub mod time;
pub mod work;

pub use time::DeviceTime;
pub use work::{Device, Launch, Work, WorkKind};
