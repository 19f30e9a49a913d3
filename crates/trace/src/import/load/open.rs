//! The short way in: a trace from a path, and the arguments of an event. Must not know how either is read.

use std::path::PathBuf;

use crate::import::{EventText, ImportError, Loaded, Progress, Request, load};
use crate::model::{SliceId, Trace};

impl Trace {
    /// Loads a file, compressed or not, or a directory of files as one trace. Takes at most half of the free
    /// memory, where that is known: of a larger trace, only the earliest part is loaded.
    ///
    /// # Errors
    /// When the file, or every file of the directory, cannot be loaded, the directory has no trace files or
    /// too many, or there is too little memory. The error is one line: what is wrong, where, and in most
    /// cases what to do next.
    pub fn open(path: impl Into<PathBuf>) -> Result<Loaded, ImportError> {
        load(&Request::new([path.into()]), &Progress::default())
    }
}

impl Loaded {
    /// Reads the event of a slice again, from its file or from a text that was kept in memory: all its
    /// fields, its arguments among them, or why they cannot be read.
    pub fn event(&self, slice: SliceId) -> EventText {
        self.texts.read(self.trace.slices.origin[slice])
    }
}
