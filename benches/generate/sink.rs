//! An output file, compressed as its name's extension says. Knows nothing of traces.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder;

type Out = BufWriter<File>;

/// Plain, `.gz` (level 6) or `.zst` (level 3).
pub enum Sink {
    Plain(Out),
    Gzip(GzEncoder<Out>),
    Zstd(Encoder<'static, Out>),
}

impl Sink {
    pub fn create(path: &Path) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        Ok(match path.extension().and_then(OsStr::to_str) {
            Some("gz") => Self::Gzip(GzEncoder::new(out, Compression::new(6))),
            Some("zst") => Self::Zstd(Encoder::new(out, 3)?),
            _ => Self::Plain(out),
        })
    }

    /// Writes what is buffered and returns errors, which dropping would swallow.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(out) => Ok(out),
            Self::Gzip(out) => out.finish(),
            Self::Zstd(out) => out.finish(),
        }?
        .flush()
    }

    fn out(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(out) => out,
            Self::Zstd(out) => out,
        }
    }
}

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.out().write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
    }
}
