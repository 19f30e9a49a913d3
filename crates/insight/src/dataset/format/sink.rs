//! What a table is written to, batch by batch, and why that may fail.
//!
//! Must not know any form of files.

use std::io;

use proftui_trace::import::VisitError;

use crate::dataset::column::Values;

/// Why a table was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file of the trace cannot be read again.
    #[error(transparent)]
    Visit(#[from] VisitError),
    /// The library that writes the form failed.
    #[error("the table cannot be written: {0}")]
    Form(String),
}

/// A table that is being written.
pub(super) trait Sink {
    fn add(&mut self, batch: &[Values]) -> Result<(), WriteError>;

    fn finish(self: Box<Self>) -> Result<(), WriteError>;
}
