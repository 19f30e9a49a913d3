//! The short way in: a trace from a path, and the arguments of an event. Must not know how either is read.

use std::path::PathBuf;

use crate::import::{EventText, ImportError, Loaded, Progress, Request, load};
use crate::model::{SliceId, Trace};

impl Trace {
    /// Loads a file, or the files of a directory, as one trace; of a trace too large for memory, the earliest
    /// part.
    ///
    /// # Errors
    /// When no trace can be loaded, or there is too little memory.
    pub fn open(path: impl Into<PathBuf>) -> Result<Loaded, ImportError> {
        load(&Request::new([path.into()]), &Progress::default())
    }
}

impl Loaded {
    /// Reads the event of a slice again, with its arguments, or states why it cannot be read.
    pub fn event(&self, slice: SliceId) -> EventText {
        self.texts.read(self.trace.slices.origin[slice])
    }
}
