//! Why an input could not be loaded: one line with the fault, where it is, and what to do next.

use std::io;
use std::path::Path;

use thiserror::Error;

use proftui_base::text::SafeText;

/// Terminal columns beyond which a shown path is cut in the middle.
const PATH_COLUMNS: usize = 100;

/// Why an input could not be loaded.
#[derive(Debug, Error)]
pub enum ImportError {
    /// Opening or reading failed.
    #[error("cannot read {path}: {what}")]
    Io {
        /// The path of the input, safe to show.
        path: String,
        /// Why the input cannot be read, in words; may end with what to do.
        what: String,
    },
    /// The input has no content or no file that can be loaded, or more files than one trace can have.
    #[error("{path}: {what}")]
    Empty {
        /// The path of the input, safe to show.
        path: String,
        /// The reason in words.
        what: String,
    },
    /// The file is of a known kind that is not read, or its compressed data cannot be used.
    #[error("{path}: {what}")]
    Format {
        /// The path of the input, safe to show.
        path: String,
        /// What is wrong with the file, in words.
        what: String,
    },
    /// The input is not a trace.
    #[error("{path}: not a trace: {what}")]
    NotTrace {
        /// The path of the input, safe to show.
        path: String,
        /// What shows that the input is no trace, in words.
        what: String,
    },
    /// No event of the JSON can be read.
    #[error("{path}: unreadable JSON at byte {offset}: {what}")]
    Syntax {
        /// The path of the input, safe to show.
        path: String,
        /// Byte offset of what cannot be read, in the file's inflated text; 0 where it is not known.
        offset: u64,
        /// What is wrong there, in words.
        what: String,
    },
    /// There is too little memory to load the input.
    #[error("{path}: {what}")]
    Memory {
        /// The path of the input, safe to show.
        path: String,
        /// What there is too little memory for, and what to do.
        what: String,
    },
    /// No worker has a cycle of this number.
    #[error("the trace has no recorded cycle {cycle}: leave out --cycle to load all of it")]
    NoCycle {
        /// The number of the cycle that was requested.
        cycle: u32,
    },
    /// The requested time range has no time of the trace.
    #[error("{range}: the trace ends {end} after its start")]
    NoTime {
        /// The requested range, as its options, such as `--from 5 s is not before --to 2 s`.
        range: String,
        /// The trace's length, as text.
        end: String,
    },
    /// A time range was requested of an input that is empty or no regular file.
    #[error(
        "{path}: --from and --to read the input twice, so name an existing file with content: save a \
         trace from a pipe to a file first"
    )]
    NotRereadable {
        /// The path of the input, safe to show.
        path: String,
    },
    /// Loading was cancelled.
    #[error("loading was cancelled")]
    Cancelled,
}

/// A path, safe to show, cut in the middle when it is long; `-` gives "standard input".
pub(crate) fn show(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "standard input".into();
    }
    SafeText::from_bytes(path.as_os_str().as_encoded_bytes()).elide_middle(PATH_COLUMNS).to_string()
}

impl ImportError {
    /// The error where the system has no memory for the events of the input shown as `path`.
    pub(crate) fn no_memory(path: String) -> Self {
        let what = "there is no memory for its events: give the process more, or set a smaller limit with \
            --max-memory";
        Self::Memory { path, what: what.into() }
    }

    /// Converts an error of the operating system at `path` to an [`ImportError::Io`] in plain words.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        let what = match error.kind() {
            Kind::NotFound if path.is_symlink() => match path.read_link() {
                Ok(target) => format!("the path is a link to {}, where there is no file", show(&target)),
                Err(_) => "the path is a broken link".into(),
            },
            Kind::NotFound => "no such file".into(),
            Kind::PermissionDenied => {
                "permission denied; check owner and mode of the path and its directories with ls -ld".into()
            }
            Kind::IsADirectory => "the path is a directory".into(),
            _ if error.raw_os_error() == Some(40) => {
                "the links of the path form a loop, or are too many".into()
            }
            _ => error.to_string(),
        };
        Self::Io { path: show(path), what }
    }
}
