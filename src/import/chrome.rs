//! Chrome Trace Event JSON in all its containers and dialects.
//!
//! `window` holds the bytes, `scan` reads one JSON value, `event` one event, `shape` an event like one seen before, `run`
//! events one after the other (on the threads of a `crew`, ahead of need), `document` the containers around them,
//! `recover` the way on after damage, `dialect` says what the producers' words mean, `args` reads an event again for
//! display, `visit` reads many again as `raw` members.

pub(super) mod args;
mod crew;
pub(super) mod dialect;
mod document;
pub(super) mod event;
pub(super) mod raw;
mod recover;
mod run;
pub(super) mod scan;
mod shape;
pub(super) mod visit;
mod window;

pub(super) use document::read;
