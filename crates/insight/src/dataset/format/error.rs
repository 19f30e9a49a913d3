//! Why a table was not written.

use std::io;

use arrow_schema::ArrowError;

use proftui_trace::import::VisitError;

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

impl From<ArrowError> for WriteError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Io(error),
            error => Self::Form(error.to_string()),
        }
    }
}
