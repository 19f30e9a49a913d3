//! The short way in: a trace from a path, and the arguments of an event. Must not know how either is read.

use std::path::PathBuf;

use crate::import::{EventText, ImportError, Loaded, Progress, Request, load};
use crate::model::{SliceId, Trace};

impl Trace {
    /// Loads a file, compressed or not, or a directory of files as one trace, within half of the free memory.
    ///
    /// # Errors
    /// When a file that the path names, or every file of a directory, cannot be loaded: one line with the
    /// fault, its location, and what to do next.
    pub fn open(path: impl Into<PathBuf>) -> Result<Loaded, ImportError> {
        load(&Request::new([path.into()]), &Progress::default())
    }
}

impl Loaded {
    /// The fields of a slice's event as its file has them, its arguments among them; or why they cannot be
    /// read. Reads the event from the file again.
    pub fn event(&self, slice: SliceId) -> EventText {
        self.texts.read(self.trace.slices.origin[slice])
    }
}
