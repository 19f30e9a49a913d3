//! From events to the model: noting, gathering, pairing, lanes, rows, links.
//!
//! A `clerk` takes events one by one (`phases` by their letter, `resolve` by their fields) and hands over `batch`es; the
//! `stage` `absorb`s them in the file's order, and `pair` closes what was begun; `finish` orders everything into columns.
//! Must not know JSON's syntax or compression.

mod absorb;
mod batch;
mod clerk;
mod clock;
mod cycles;
mod finish;
mod flows;
mod gate;
mod header;
mod lanes;
mod layout;
mod links;
mod memory;
mod pair;
mod phases;
mod place;
mod points;
mod record;
mod resolve;
mod shed;
mod spans;
mod stage;

pub(super) use batch::Batch;
pub(super) use clerk::Clerk;
pub(super) use finish::finish;
pub(super) use gate::Gate;
pub(super) use record::{Allocation, Range, Spot};
pub(super) use shed::Bound;
pub(super) use stage::Stage;
