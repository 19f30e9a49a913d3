//! The limits of a load: which events of a trace are kept where the time range or the memory is limited.
//!
//! Must not know how the kept events become columns.

mod costs;
mod cut;
mod shed;
pub(super) mod time_range;
