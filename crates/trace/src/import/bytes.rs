//! Sources of bytes: which files there are, what kind each is, and its text, inflated, in chunks.
//!
//! `directory` lists the files of a directory, and `unread` says which of them are no traces. `source` opens
//! a file and recognises it (`sniff`; `kinds` has the formats that are not read), `inflate` decompresses it,
//! and `fluid` converts the binary profile of Paddle's old profiler. `chunk` reads the text into buffers of
//! one size. Must not know events.

pub(super) mod chunk;
pub(super) mod directory;
pub(super) mod fluid;
pub(super) mod inflate;
pub(super) mod kinds;
pub(super) mod sniff;
pub(super) mod source;
pub(super) mod stream;
mod unread;
