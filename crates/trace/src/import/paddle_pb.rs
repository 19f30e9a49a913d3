//! Paddle's trees as protobuf: the file read message by message, on one thread.
//!
//! Containers are read field by field (`fields` over the file, `wire` inside a node), and only events
//! themselves are decoded by the schema that the build compiles from `proto/nodetree.proto`
//! (`model::nodetree`). So a file of any size takes the memory of one node beside the trace, no length is
//! trusted before its bytes are read, nothing recurses, and every event has an origin. Damage costs the event
//! that it hits or, where it hits a container, the rest of that thread's tree; between trees it may cost the
//! rest of the file. The schema has the kinds of events as plain numbers, because Paddle 3 writes kinds that
//! its own reader refuses.
//!
//! `node` reads a node, `events` converts its messages to the builder's inputs, `kinds` maps the numbers of
//! event kinds to categories, `again` reads one event again for display, `json` converts events that are read
//! again to JSON, for their arguments. Must not know rows or how JSON is read.

mod again;
mod events;
mod fields;
mod json;
mod kinds;
mod node;
mod read;
mod wire;

#[cfg(test)]
mod tests;

pub(super) use again::read_again;
pub(super) use json::json;
pub(super) use read::read;
pub(super) use wire::Fault;
