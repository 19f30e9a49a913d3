//! PyTorch's memory snapshots: the history of an allocator and its state at the end, as a pickle that
//! `torch.cuda.memory._dump_snapshot`, `torch_npu` and the C++ dumps write.
//!
//! `opcodes` reads the opcodes that these files have, and no others: none of them names or calls anything.
//! `objects` keeps what they build: each dict becomes an event, block, segment (`parts`) or frame as soon as
//! it is closed. `history` takes the history out of the root, also of a file that is cut off, and finds what
//! was in use before it begins. `read` converts it to the builder's inputs, `again` gives the fields of an
//! event. Must not know rows, nor what summaries make of memory.

mod again;
mod history;
mod objects;
mod opcodes;
mod parts;
mod read;

#[cfg(test)]
mod tests;

pub(super) use read::read;
