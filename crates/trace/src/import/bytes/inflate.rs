//! Inflating compressed files: as a stream of blocks, and later from any offset of the text again, without
//! keeping the text.
//!
//! While a file is inflated, checkpoints are noted: offsets from which inflating can start again. Must not
//! know the meaning of the text, nor where its bytes come from.

mod checkpoint;
mod deflate;
mod gzip;
mod header;
mod inflater;
mod input;
mod outcome;
mod resume;
mod zstd;

#[cfg(test)]
mod tests;

pub(crate) use checkpoint::Checkpoints;
pub(crate) use inflater::Inflater;
pub(crate) use outcome::{Container, Damage, Filled, Stop};
