//! Chrome Trace Event JSON in all its containers and dialects.
//!
//! `window` holds the bytes, `scan` reads one JSON value, `event` one event, `document` the containers around events, `recover` the way on after damage,
//! `dialect` says what the producers' words mean, `args` reads an event again for display. An event is parsed from a
//! byte slice without state, so the text can be split between threads at event boundaries.

pub(super) mod args;
pub(super) mod dialect;
mod document;
pub(super) mod event;
mod recover;
pub(super) mod scan;
mod window;

pub(super) use document::read;
