//! The chunks of a process in a cycle, in their order.

use std::path::{Path, PathBuf};

use proftui_wire::chunk::Unreadable;
use proftui_wire::device::{COMMITTED, Chunk, Record};

use super::super::process::Process;

/// What came of reading them.
#[derive(Debug, Default)]
pub struct Read {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
    /// Records that were read.
    pub records: u64,
    /// Records of kinds that are not known here.
    pub unknown: u64,
    /// Records that there was no room for, by what the chunks say.
    pub lost: u64,
}

/// Calls `take` with every record of a process's cycle. Chunks that are still written to give what they have.
pub fn read(process: &Process, cycle: u64, mut take: impl FnMut(&Record)) -> Read {
    let mut read = Read::default();
    let prefix = format!("c{cycle}.g");
    let number =
        |path: &Path| -> Option<u32> { path.file_name()?.to_str()?.strip_prefix(&prefix)?.parse().ok() };
    let files = std::fs::read_dir(&process.folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut files: Vec<(u32, PathBuf)> = files.filter_map(|path| Some((number(&path)?, path))).collect();
    files.sort();
    for (index, path) in files {
        let bytes = std::fs::read(&path);
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
                        let unread = records.unread;
                        read.faults.push(format!("{}: damaged, {unread} bytes not read", path.display()));
                    }
                    read.records += count + records.unknown;
                    read.unknown += records.unknown;
                    read.lost = read.lost.max(chunk.lost);
                } else {
                    read.faults.push(format!("{}: another cycle's or chunk's", path.display()));
                }
            }
            // A process that is killed while it makes a chunk leaves one without a beginning, and without records.
            Ok(Err(Unreadable::Short)) => {}
            Ok(Err(Unreadable::Foreign)) if is_empty(bytes.as_deref().unwrap_or_default()) => {}
            Ok(Err(why)) => read.faults.push(format!("{}: {why:?}", path.display())),
            Err(why) => read.faults.push(format!("{}: {why}", path.display())),
        }
        read.files.push(path);
    }
    read
}

/// True for a chunk that tells of no records.
fn is_empty(bytes: &[u8]) -> bool {
    let count = bytes.get(COMMITTED..COMMITTED + size_of::<u64>());
    count.is_none_or(|count| count.iter().all(|&byte| byte == 0))
}
