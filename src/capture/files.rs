//! The files of a run: what captured processes load, the run folder, chunks of records, and the output
//! folder.
//!
//! Must not know what is in the records.

pub mod agent_files;
pub(super) mod chunk_file;
pub mod output;
pub mod run_folder;
