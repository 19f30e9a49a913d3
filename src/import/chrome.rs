//! Chrome Trace Event JSON in all its containers and dialects: the one reader of JSON.
//!
//! `read` is the way in. `lookahead` buffers the bytes, `cursor` is the position in them, `scan` reads one JSON value, `event` one event, `template` an event with the same constant
//! bytes as one before it. `chunk_parser` reads events one after the other, on several threads ahead of need (`parallel`);
//! `parser` knows the containers around them, and `recover` finds the way on after damage. A `translator` converts events
//! to the builder's inputs: `event_types` by their type, `resolve` field by field, `memory` those of memory; `header` takes
//! the members beside them. `args` reads one event again for display, `visit` many as `raw` members; `cache` remembers what names and lanes resolve to.

pub(super) mod args;
mod cache;
mod chunk_parser;
mod cursor;
mod event;
mod event_types;
mod header;
mod lookahead;
mod memory;
mod parallel;
mod parser;
pub(super) mod raw;
mod read;
mod recover;
mod resolve;
pub(super) mod scan;
mod template;
mod translator;
pub(super) mod visit;

pub(super) use read::read;
