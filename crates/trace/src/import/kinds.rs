//! Kinds of files that users arrive with and that are not read: how each is recognised, its name, and what to
//! do with it.
//!
//! `binary` has the kinds that are recognised before reading, `document` those of JSON and plain text, which
//! are looked up only after a reader has refused the file: a damaged trace must be read, whatever it
//! resembles. The bytes decide, then the ending of the file's name. Must not know how a trace is read.

mod binary;
mod document;
mod foreign;
mod protobuf;

pub(super) use foreign::{Foreign, Head};

/// The kind of a file by its first bytes alone; `None` when it may be a trace.
pub(super) fn of_bytes(head: &Head<'_>) -> Option<&'static Foreign> {
    binary::BY_BYTES.iter().find(|kind| (kind.is)(head))
}

/// The kind of a file whose bytes are neither text nor known, by weaker signs: that it seems to be protobuf,
/// and its name.
pub(super) fn of_unknown_bytes(head: &Head<'_>) -> Option<&'static Foreign> {
    binary::BY_NAME.iter().find(|kind| (kind.is)(head))
}

/// The kind of a text that a reader has refused.
pub(super) fn of_refused(head: &Head<'_>) -> Option<&'static Foreign> {
    document::KINDS.iter().find(|kind| (kind.is)(head))
}

#[cfg(test)]
mod tests;
