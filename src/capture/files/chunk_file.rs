//! Reads a file of a chunk whole: it is never longer than a chunk can be.
//!
//! Must not know what is in a chunk.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use proftui_wire::chunk::LONGEST_CHUNK;

/// Reads the whole file of a chunk, to which its process may still be writing.
///
/// # Errors
/// When the file cannot be opened or read, or is longer than [`LONGEST_CHUNK`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST_CHUNK as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LONGEST_CHUNK {
        let why = format!("the file is longer than the {} MiB that a chunk has at most", LONGEST_CHUNK >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_chunk_is_not_read_whole() {
        let path = std::env::temp_dir().join(format!("proftui-chunk-{}", std::process::id()));
        let file = File::create(&path).expect("a file");
        file.set_len(LONGEST_CHUNK as u64).expect("set");
        assert_eq!(read(&path).map(|bytes| bytes.len()).ok(), Some(LONGEST_CHUNK));
        file.set_len(1 << 40).expect("set");
        assert!(read(&path).expect_err("refused").to_string().contains("longer than the 4 MiB"));
        std::fs::remove_file(path).expect("removed");
    }
}
