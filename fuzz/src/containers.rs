//! Compressed traces, taken as they are or made of arbitrary members and frames, and the checks of loading
//! them.
//!
//! Bytes that begin like a gzip member or a zstd frame are loaded as they are; all other bytes choose how to
//! make a compressed trace.

use std::io::{self, Read, Write};

use arbitrary::{Arbitrary, Unstructured};
use flate2::{Compress, Compression, Crc, FlushCompress};
use proftui_trace::import::{ImportError, Loaded, Progress, Request, load};
use proftui_trace::model::Warning;

use crate::case::Case;
use crate::{disagree, hash, load_with};

/// A chunk size that most texts fit in, bytes.
const WHOLE: usize = 64 << 10;
/// Length in bytes beyond which a text is loaded only once, to check that loading ends.
const LONG: usize = 1 << 20;
/// Length in bytes beyond which a text is not loaded: it would not test the containers any better.
const TOO_LONG: usize = 16 << 20;
/// One input in this many is also read by several threads, and one in this many also from a file.
const RARE: u64 = 16;

/// A trace, and the way in which it is compressed and damaged.
#[derive(Arbitrary, Debug)]
struct Packed {
    is_zstd: bool,
    parts: Vec<Part>,
    harm: Option<Harm>,
    case: Case,
}

/// One member or frame.
#[derive(Arbitrary, Clone, Copy, Debug, Default)]
struct Part {
    /// Bytes of text in the part; the last part has all remaining text.
    size: u16,
    level: u8,
    /// Bits that choose the optional header fields, and the padding around the part.
    look: u8,
    /// Seed for the contents of the optional fields.
    note: u8,
}

/// Damage done to the compressed bytes.
#[derive(Arbitrary, Debug)]
enum Harm {
    Flip(u16, u8),
    Set(u16, u8),
    Cut(u16),
    Add(u16, u8),
    Remove(u16, u8),
    Twice(u16, u16),
    Append(Vec<u8>),
    /// Flips bits at a distance from the end, where trailers are.
    FlipBack(u8, u8),
    CutBack(u8),
}

/// Loads `bytes`, or the compressed trace that they describe, and checks the result.
pub fn check(bytes: &[u8]) {
    if is_gzip(bytes) || is_zstd(bytes) {
        return judge(bytes);
    }
    let Ok(packed) = Packed::arbitrary_take_rest(Unstructured::new(bytes)) else { return };
    let (text, _) = packed.case.write();
    let mut bytes = packed.pack(text.as_bytes());
    let Some(harm) = &packed.harm else {
        let plain = load_with(text.as_bytes(), 1, Some(WHOLE), false);
        let loaded = load_with(&bytes, 1, Some(WHOLE), false);
        disagree::same("compressed", &plain, &loaded);
        return all_ways(&bytes, &loaded);
    };
    harm.apply(&mut bytes);
    judge(&bytes);
}

/// Checks that bytes which other decoders inflate completely load like their text, and that all others give
/// an error or a warning.
fn judge(bytes: &[u8]) {
    let mut text = Vec::new();
    let is_whole = inflate(bytes, &mut text).is_ok();
    if text.len() > TOO_LONG {
        return;
    }
    let loaded = load_with(bytes, 1, Some(WHOLE), false);
    if text.len() > LONG {
        return;
    }
    if is_whole && (is_gzip(bytes) || is_zstd(bytes)) {
        // Inflated text is not recognised as another file format, so its errors may differ from those of a
        // plain file.
        let plain = load_with(&text, 1, Some(WHOLE), false);
        if plain.is_ok() && !is_gzip(&text) && !is_zstd(&text) {
            disagree::same("compressed", &plain, &loaded);
        }
    } else if let Ok(loaded) = &loaded {
        let quality = &loaded.trace.quality;
        let has_note =
            quality.entries().any(|(warning, _)| warning.is_damage() || warning == Warning::Trailing);
        assert!(has_note, "damage without a note");
    }
    all_ways(bytes, &loaded);
}

/// Checks that the chunk size, the number of threads and loading from a file make no difference.
fn all_ways(bytes: &[u8], loaded: &Result<Loaded, ImportError>) {
    let hash = hash(bytes);
    let small = disagree::chunk(hash);
    disagree::same(&format!("in chunks of {small}"), loaded, &load_with(bytes, 1, Some(small), false));
    match (hash >> 16) % RARE {
        0 => disagree::same("two threads", loaded, &load_with(bytes, 2, Some(small), false)),
        1 => disagree::same("tolerant", loaded, &load_with(bytes, 1, Some(small), true)),
        2 => from_file(bytes, loaded),
        _ => {}
    }
}

/// Checks that loading from a file gives the same model, and that its events, inflated a second time, can be
/// read again.
fn from_file(bytes: &[u8], loaded: &Result<Loaded, ImportError>) {
    let path = std::env::temp_dir().join(format!("proftui-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("a temporary file");
    let request = Request {
        paths: vec![path.clone()],
        threads: Some(1),
        max_memory: Some(1 << 40),
        ..Request::default()
    };
    match (loaded, load(&request, &Progress::default())) {
        (Ok(one), Ok(other)) => {
            // The digest includes the file's name, so it is not compared.
            let describe = |loaded: &Loaded| {
                let trace = &loaded.trace;
                let slices = &trace.slices;
                format!("{:?} {:?} {:?} {:?}", slices.start, slices.dur, slices.origin, trace.quality)
            };
            assert_eq!(describe(one), describe(&other), "from a file");
            let origins = &one.trace.slices.origin;
            for &origin in origins.iter().step_by(1 + origins.len() / 8) {
                let (one, other) = (one.texts.read(origin), other.texts.read(origin));
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{origin:?} read again");
            }
        }
        (Err(_), Err(_)) => {}
        (one, other) => panic!("from a file: {:?} and {:?}", one.is_ok(), other.is_ok()),
    }
    std::fs::remove_file(path).expect("removed");
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Inflates with other decoders, at most a little more than `TOO_LONG` bytes.
///
/// # Errors
/// When the bytes are damaged or incomplete.
fn inflate(bytes: &[u8], text: &mut Vec<u8>) -> io::Result<()> {
    if is_zstd(bytes) {
        // One byte at a time: the decoder is stricter when it is given a whole frame at once.
        let bytes = io::BufReader::with_capacity(1, bytes);
        let decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
        decoder.take(TOO_LONG as u64 + 1).read_to_end(text)?;
        return Ok(());
    }
    let mut left = bytes;
    loop {
        let mut decoder = flate2::bufread::GzDecoder::new(left);
        decoder.by_ref().take((TOO_LONG + 1).saturating_sub(text.len()) as u64).read_to_end(text)?;
        if text.len() > TOO_LONG {
            return Ok(());
        }
        left = decoder.into_inner();
        let zeros = left.iter().take_while(|&&byte| byte == 0).count();
        left = &left[zeros..];
        if left.is_empty() {
            return Ok(());
        }
    }
}

impl Packed {
    fn pack(&self, text: &[u8]) -> Vec<u8> {
        let (mut out, mut left) = (Vec::new(), text);
        let parts = &self.parts[..self.parts.len().min(6)];
        let (last, parts) =
            parts.split_last().unwrap_or((&Part { size: 0, level: 5, look: 0, note: 0 }, &[]));
        for part in parts {
            let (text, rest) = left.split_at(usize::from(part.size) % (left.len() + 1));
            part.write(text, self.is_zstd, &mut out);
            left = rest;
        }
        last.write(left, self.is_zstd, &mut out);
        out
    }
}

impl Part {
    fn has(self, bit: u8) -> bool {
        self.look & bit != 0
    }

    fn write(self, text: &[u8], is_zstd: bool, out: &mut Vec<u8>) {
        if is_zstd { self.frame(text, out).expect("a frame") } else { self.member(text, out) }
    }

    fn member(self, text: &[u8], out: &mut Vec<u8>) {
        if self.has(32) {
            Self { look: self.look & 31, ..self }.member(b"", out);
        }
        let start = out.len();
        let field = vec![b'a' + self.note % 26; usize::from(self.note)];
        out.extend([0x1f, 0x8b, 8, self.look & 31, self.note, 0, self.level, 0, self.level, 3]);
        if self.has(4) {
            out.extend((field.len() as u16).to_le_bytes());
            out.extend(&field);
        }
        for bit in [8, 16] {
            if self.has(bit) {
                out.extend(&field);
                out.push(0);
            }
        }
        if self.has(2) {
            out.extend((sum(&out[start..]) as u16).to_le_bytes());
        }
        let mut deflate = Compress::new(Compression::new(u32::from(self.level) % 10), false);
        let flush =
            [FlushCompress::None, FlushCompress::Sync, FlushCompress::Full][usize::from(self.level >> 4) % 3];
        let half = if self.has(128) { text.len() / 2 } else { 0 };
        out.reserve(2 * text.len() + 1000);
        deflate.compress_vec(&text[..half], out, flush).expect("deflated");
        deflate.compress_vec(&text[half..], out, FlushCompress::Finish).expect("deflated");
        assert_eq!(deflate.total_in(), text.len() as u64);
        out.extend(sum(text).to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        if self.has(64) {
            out.extend(vec![0; usize::from(self.note)]);
        }
    }

    fn frame(self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        if self.has(32) {
            self.skipped(out);
        }
        let mut encoder = zstd::stream::Encoder::new(&mut *out, i32::from(self.level) % 12 - 3)?;
        encoder.include_checksum(!self.has(1))?;
        if self.has(2) {
            encoder.set_pledged_src_size(Some(text.len() as u64))?;
        }
        if self.has(4) {
            encoder.window_log(10 + u32::from(self.note) % 18)?;
        }
        let half = if self.has(128) { text.len() / 2 } else { 0 };
        encoder.write_all(&text[..half])?;
        if half > 0 {
            encoder.flush()?;
        }
        encoder.write_all(&text[half..])?;
        encoder.finish()?;
        if self.has(64) {
            self.skipped(out);
        }
        Ok(())
    }

    /// A frame without text.
    fn skipped(self, out: &mut Vec<u8>) {
        out.extend([0x50 + self.note % 16, 0x2a, 0x4d, 0x18, self.level, 0, 0, 0]);
        out.extend(vec![self.note; usize::from(self.level)]);
    }
}

fn sum(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

impl Harm {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let len = bytes.len();
        let at = |n: u16| usize::from(n) % len;
        let back = |n: u8| len - 1 - usize::from(n) % len;
        match self {
            Self::Flip(n, bit) => bytes[at(*n)] ^= 1 << (bit % 8),
            Self::FlipBack(n, bit) => bytes[back(*n)] ^= 1 << (bit % 8),
            Self::Set(n, byte) => bytes[at(*n)] = *byte,
            Self::Cut(n) => bytes.truncate(at(*n)),
            Self::CutBack(n) => bytes.truncate(back(*n)),
            Self::Add(n, byte) => bytes.insert(at(*n), *byte),
            Self::Remove(n, count) => {
                let end = len.min(at(*n) + usize::from(*count));
                bytes.drain(at(*n)..end);
            }
            Self::Twice(n, count) => {
                let end = len.min(at(*n) + usize::from(*count) % 4096);
                let copy = bytes[at(*n)..end].to_vec();
                bytes.splice(end..end, copy);
            }
            Self::Append(more) => bytes.extend(more),
        }
    }
}
