//! Chrome Trace Event JSON in all its containers and dialects: the one reader of JSON.
//!
//! `read` is the entry. `lookahead` buffers the bytes, `cursor` is the position in them. `scan` reads one
//! JSON value, `escapes` resolves the escapes of a string, `event` reads one event, `template` an event with
//! the same constant bytes as an earlier one. `chunk_parser` reads runs of events, on several threads ahead
//! of the parser (`parallel`). `parser` and `document` know the containers of events, `recover` continues
//! after damage, and `landmark` finds where. A `translator` converts events to the builder's inputs:
//! `event_types` by their type, `resolve` field by field, `memory` the memory events, `copied` the bytes of
//! copies; `cache` holds results of look-ups. `header` reads the other members of a document, and `system`
//! counts the events in them. `args` reads one event again for display, `visit` many events as `raw` members.

pub(super) mod args;
mod cache;
mod chunk_parser;
mod copied;
mod cursor;
mod document;
mod escapes;
mod event;
mod event_types;
mod header;
mod landmark;
mod lookahead;
mod memory;
mod parallel;
mod parser;
pub(super) mod raw;
mod read;
mod recover;
mod resolve;
pub(super) mod scan;
mod system;
mod template;
mod translator;
pub(super) mod visit;

pub(super) use read::read;
