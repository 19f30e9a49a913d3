//! Reads the device chunks of one process and cycle, in the order of their indices.

use proftui_base::fmt;

use std::io;
use std::path::{Path, PathBuf};

use proftui_wire::chunk::Unreadable;
use proftui_wire::device::{COMMITTED, Chunk, Record};

use crate::capture::files::chunk_file;
use crate::capture::process::Process;

/// The result of reading the device chunks of one process and cycle.
#[derive(Debug, Default)]
pub struct Read {
    /// The files that were found, unreadable files included.
    pub files: Vec<PathBuf>,
    /// Messages about faults of files, such as damage.
    pub faults: Vec<String>,
    /// Number of records that were read, including `unknown`.
    pub records: u64,
    /// Number of records of unknown kinds, or too short for their kind.
    pub unknown: u64,
    /// Number of the cycle's records that the process lost, by its chunks' headers.
    pub lost: u64,
}

/// Reads the process's device chunks of cycle number `cycle`, and calls `take` with each decoded record.
pub fn read(process: &Process, cycle: u64, mut take: impl FnMut(&Record)) -> Read {
    let mut read = Read::default();
    let prefix = format!("c{cycle}.g");
    let number =
        |path: &Path| -> Option<u32> { path.file_name()?.to_str()?.strip_prefix(&prefix)?.parse().ok() };
    let files = std::fs::read_dir(&process.folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut files: Vec<(u32, PathBuf)> = files.filter_map(|path| Some((number(&path)?, path))).collect();
    files.sort();
    for (index, path) in files {
        let bytes = chunk_file::read(&path);
        match bytes.as_deref().map(Chunk::read) {
            Ok(Ok(chunk)) => {
                let header = chunk.header;
                if (u64::from(header.cycle), header.index) == (cycle, index) {
                    let mut records = chunk.records();
                    let mut count = 0;
                    for record in records.by_ref() {
                        take(&record);
                        count += 1;
                    }
                    if records.unread > 0 {
                        let unread = fmt::counted(records.unread, "byte");
                        read.faults.push(format!("{}: damaged, {unread} not read", path.display()));
                    }
                    read.records += count + records.unknown;
                    read.unknown += records.unknown;
                    read.lost = read.lost.max(chunk.lost);
                } else {
                    read.faults.push(format!(
                        "{}: not read: its header has another number of the recorded cycle or file than its \
                         name",
                        path.display()
                    ));
                }
            }
            // A process that was killed while it created a chunk leaves a file without header and records.
            Ok(Err(Unreadable::Short)) => {}
            Ok(Err(Unreadable::Foreign)) if is_empty(bytes.as_deref().unwrap_or_default()) => {}
            Ok(Err(why)) => read.faults.push(format!("{}: {why}", path.display())),
            // A ring has removed it meanwhile.
            Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
            Err(why) => read.faults.push(format!("{}: {why}", path.display())),
        }
        read.files.push(path);
    }
    read
}

/// True if the chunk `bytes` states no committed bytes.
fn is_empty(bytes: &[u8]) -> bool {
    let count = bytes.get(COMMITTED..COMMITTED + size_of::<u64>());
    count.is_none_or(|count| count.iter().all(|&byte| byte == 0))
}
