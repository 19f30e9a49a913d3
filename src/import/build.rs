//! From events to the model: staging, pairing, lanes, rows, links.
//!
//! `stage` takes events one by one, in the file's order (`phases` by their letter, `resolve` by their fields), and `pair`
//! closes what was begun; `finish` orders everything into columns. Must not know JSON's syntax or compression.

mod clock;
mod finish;
mod flows;
mod header;
mod lanes;
mod layout;
mod links;
mod memory;
mod pair;
mod phases;
mod resolve;
mod stage;

pub(super) use finish::finish;
pub(super) use stage::Stage;
