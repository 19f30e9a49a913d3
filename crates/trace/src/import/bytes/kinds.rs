//! Kinds of files that users arrive with and that are not read: how each is recognised, its name, and what to
//! do with it.
//!
//! `binary` has the kinds that are recognised before reading, `document` those of JSON and plain text, which
//! are named only after a reader has refused the file: a damaged trace must be read, whatever it resembles.
//! The bytes decide; the file's name counts where they do not suffice. Must not know how a trace is read.

mod binary;
mod document;
mod foreign;
mod protobuf;

pub(in crate::import) use foreign::{Foreign, Head};

/// Recognises a kind of file that is not read, mainly by its first bytes; `None` when no kind fits.
pub(in crate::import) fn of_bytes(head: &Head<'_>) -> Option<&'static Foreign> {
    binary::BY_BYTES.iter().find(|kind| (kind.is)(head))
}

/// The kind of a file whose bytes are neither JSON nor known, by weaker signs, mostly its name; `None` when
/// no kind fits.
pub(in crate::import) fn of_unknown_bytes(head: &Head<'_>) -> Option<&'static Foreign> {
    binary::BY_NAME.iter().find(|kind| (kind.is)(head))
}

/// The kind of file that a text resembles, for a message that the text is not read; `None` when no kind
/// fits.
pub(in crate::import) fn of_refused(head: &Head<'_>) -> Option<&'static Foreign> {
    document::KINDS.iter().find(|kind| (kind.is)(head))
}

#[cfg(test)]
mod tests;
