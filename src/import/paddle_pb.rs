//! Paddle's trees as protobuf: the file read message by message.
//!
//! Containers are walked by hand (`stream` over the file, `wire` inside a node), so a file of any size takes the memory of
//! one node, every event has a byte at which it stands, and damage costs the event that it hits. Only events themselves are
//! decoded by the compiled schema (`model::nodetree`). `node` walks a node, `events` converts its messages to the builder's
//! inputs, `kinds` maps the numbers of event kinds to categories, `again` reads one event again for display, `json` many as
//! JSON for their arguments. Must not know rows or how JSON is read.

mod again;
mod events;
mod json;
mod kinds;
mod node;
mod read;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub(super) use again::read_again;
pub(super) use json::json;
pub(super) use read::read;
pub(super) use wire::Fault;
