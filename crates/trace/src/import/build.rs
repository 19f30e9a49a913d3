//! Building the trace from the inputs of any reader: batching, absorbing, pairing, lanes, rows, links.
//!
//! A reader converts its format's events to the structs of `input` and hands them to an `event_builder`, one
//! per thread, which closes `batch`es. The trace `builder` `absorb`s those in the file's order, `end_file`
//! matches begin and end events (`links/pair`), and `finish` orders everything into the columns of the model.
//! Must not know any format or compression.

mod absorb;
mod annotations;
mod batch;
mod bound;
mod builder;
mod clock;
mod columns;
mod counters;
mod cycles;
mod device_work;
mod end_file;
mod event_builder;
mod facts;
mod finish;
mod input;
mod lanes;
mod layout;
mod limit;
mod links;
mod numbers;
mod points;
mod renumber;
mod repeated;
mod spans;

#[cfg(test)]
mod tests;

pub(super) use crate::import::build::limit::time_range::TimeRange;
pub(super) use batch::Batch;
pub(super) use bound::{BASE, Bound};
pub(super) use builder::TraceBuilder;
pub(super) use event_builder::EventBuilder;
pub(super) use facts::{FileFacts, facts};
pub(super) use finish::finish;
pub(super) use input::{
    Allocation, AsyncKind, AsyncPoint, BeginEnd, CopiedBytes, CounterSample, Flow, FlowEnd, FlowId, FlowRole,
    Instant, MetaValue, Slice, ThreadMeta,
};
