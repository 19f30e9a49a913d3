//! Paddle's trees as protobuf: the file read message by message, each event taken as those of JSON are.
//!
//! Containers are walked by hand (`stream` over the file, `wire` inside a node), so a file of any size takes the memory of
//! one node, every event has a byte at which it stands, and damage costs the event that it hits. Only events themselves are
//! decoded by the compiled schema (`model::nodetree`). `node` hands events over, `kinds` says what their numbers mean, `again`
//! reads one again for display, `raw` many as JSON for their arguments. Must not know lanes or JSON.

mod again;
mod kinds;
mod node;
mod raw;
mod read;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub(super) use again::read_again;
pub(super) use raw::json;
pub(super) use read::read;
