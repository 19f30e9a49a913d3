//! Compresses a stream while it is written.
//!
//! Must not know the format of the data.

use std::io::{self, Write};

use zlib_rs::{Deflate, DeflateConfig, DeflateFlush, Status};

use super::ExportError;
use proftui_base::saturate::saturate;

/// Size of the buffer for compressed gzip data, bytes.
const BLOCK: usize = 64 << 10;
/// zlib's `windowBits` for the largest window (15), with a gzip header (16).
const GZIP: i32 = 15 + 16;
/// Compression level of gzip: zlib's default.
const LEVEL: i32 = 6;
/// Compression level of zstd: its default.
const ZSTD_LEVEL: i32 = 3;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not compressed.
    None,
    /// Compressed, as one gzip member.
    Gzip,
    /// Compressed, as one zstd frame.
    Zstd,
}

/// Calls `write` with a stream that is compressed into `to` as `packing` says. Returns `to` after all was
/// written.
///
/// # Errors
/// When `write`, writing to `to` or compressing fails.
pub fn pack<W: Write>(
    to: W,
    packing: Packing,
    write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
) -> Result<W, ExportError> {
    match packing {
        Packing::None => {
            let mut to = to;
            write(&mut to)?;
            Ok(to)
        }
        Packing::Gzip => {
            let config = DeflateConfig { window_bits: GZIP, level: LEVEL, ..DeflateConfig::default() };
            let mut gzip = Gzip { to, stream: Deflate::new_with_config(config), block: vec![0; BLOCK] };
            write(&mut gzip)?;
            gzip.step(&[], DeflateFlush::Finish)?;
            Ok(gzip.to)
        }
        Packing::Zstd => {
            let mut zstd = zstd::stream::write::Encoder::new(to, ZSTD_LEVEL)?;
            write(&mut zstd)?;
            Ok(zstd.finish()?)
        }
    }
}

/// A stream that compresses what is written to it into one gzip member, and writes that to `to`.
struct Gzip<W> {
    to: W,
    stream: Deflate,
    block: Vec<u8>,
}

impl<W: Write> Gzip<W> {
    /// Compresses all of `text` and writes the output so far to `to`; `Finish` ends the member.
    fn step(&mut self, mut text: &[u8], flush: DeflateFlush) -> io::Result<()> {
        loop {
            let (read, written) = (self.stream.total_in(), self.stream.total_out());
            let status = self.stream.compress(text, &mut self.block, flush);
            let status = status.map_err(|error| io::Error::other(error.as_str()))?;
            let (read, written) = (self.stream.total_in() - read, self.stream.total_out() - written);
            text = &text[saturate::<usize>(read)..];
            self.to.write_all(&self.block[..saturate::<usize>(written)])?;
            let is_done = match status {
                Status::StreamEnd => true,
                _ => flush != DeflateFlush::Finish && text.is_empty() && saturate::<usize>(written) < BLOCK,
            };
            if is_done {
                return Ok(());
            }
            if read == 0 && written == 0 {
                return Err(io::Error::other("the compressor accepts no more data"));
            }
        }
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if !text.is_empty() {
            self.step(text, DeflateFlush::NoFlush)?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
