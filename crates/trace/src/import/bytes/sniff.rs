//! Recognising a file by its first bytes: a container to inflate (gzip, zstd), a trace to read, or a kind of
//! file that is not read (zip, ELF, `SQLite` …).
//!
//! The content decides; the file's name counts only where the bytes say nothing.

use super::fluid;
use super::inflate::Container;
use super::kinds::{self, Foreign, Head};

/// Most bytes at the start of a file or an inflated text by which it is recognised.
pub(in crate::import) const HEAD: usize = 4096;

/// What a file is, judged by its first bytes and its name.
pub(in crate::import) enum Kind {
    /// Compressed data, as [`container`] recognises it.
    Packed,
    /// A text to read, of this format; [`Format::Chrome`] also where nothing is recognised.
    Text(Format),
    /// The binary profile of Paddle's old profiler.
    Fluid,
    /// A known kind of file that is not read.
    Foreign(&'static Foreign),
}

/// The format of an inflated text, which chooses the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Format {
    /// Chrome Trace Event JSON; also any text that is not recognised, which the reader may refuse.
    Chrome,
    /// Paddle's trees of events, as protobuf.
    Nodetree,
    /// A Python pickle, which only PyTorch's memory snapshots may be.
    MemoryHistory,
}

/// How an input is compressed, by its first bytes; `None` when it is neither gzip nor zstd.
pub(in crate::import) fn container(bytes: &[u8]) -> Option<Container> {
    match bytes {
        [0x1f, 0x8b, ..] => Some(Container::Gzip),
        // A zstd frame, or a skippable frame, which pzstd writes before each frame.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Container::Zstd),
        _ => None,
    }
}

/// Recognises an input by its first bytes and by its name.
pub(in crate::import) fn sniff(head: &Head<'_>) -> Kind {
    let bytes = head.bytes;
    if container(bytes).is_some() {
        return Kind::Packed;
    }
    // The version of pickles, from 2 on, behind the opcode that states it.
    if matches!(bytes, [0x80, 2..=5, ..]) {
        return Kind::Text(Format::MemoryHistory);
    }
    if is_behind_one_byte(bytes) {
        return Kind::Text(Format::Chrome);
    }
    if let Some(foreign) = kinds::of_bytes(head) {
        return Kind::Foreign(foreign);
    }
    let text = head.text();
    if text.is_empty() || matches!(text[0], b'[' | b'{') {
        return Kind::Text(Format::Chrome);
    }
    if fluid::is_profile(bytes) {
        return Kind::Fluid;
    }
    if is_nodetree(bytes) {
        return Kind::Text(Format::Nodetree);
    }
    kinds::of_unknown_bytes(head).map_or(Kind::Text(Format::Chrome), Kind::Foreign)
}

/// True when JSON seems to follow the first byte that is no white space: that byte is then `[`, `{` or
/// damaged.
fn is_behind_one_byte(head: &[u8]) -> bool {
    let Some((_, text)) = head.trim_ascii_start().split_first() else { return false };
    let next = |text: &[u8]| text.trim_ascii_start().first().copied();
    match text.trim_ascii_start().split_first() {
        Some((b'{', rest)) => next(rest) == Some(b'"'),
        Some((b'[', rest)) => next(rest) == Some(b'{'),
        Some((b'"', rest)) => {
            let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            len > 0 && rest.get(len) == Some(&b'"') && next(&rest[len + 1..]) == Some(b':')
        }
        _ => false,
    }
}

/// True for bytes that begin like Paddle's trees of events as protobuf, with a version of digits and dots.
fn is_nodetree(head: &[u8]) -> bool {
    let [0x0a, len @ 1..=32, rest @ ..] = head else { return false };
    let Some((version, rest)) = rest.split_at_checked(usize::from(*len)) else { return false };
    version.iter().all(|b| b.is_ascii_digit() || *b == b'.')
        && version.contains(&b'.')
        && matches!(rest.first(), None | Some(0x10 | 0x1a | 0x22 | 0x2a))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn of(bytes: &[u8]) -> String {
        match sniff(&Head::new(bytes, Path::new("trace.json"))) {
            Kind::Packed => format!("{:?}", container(bytes).expect("a container")).to_lowercase(),
            Kind::Text(format) => format!("{format:?}"),
            Kind::Fluid => "fluid".into(),
            Kind::Foreign(foreign) => foreign.describe(None),
        }
    }

    #[test]
    fn content_decides() {
        for (bytes, want) in [
            (b"\x1f\x8b\x08\0".as_slice(), "gzip"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
            (b"\x5a\x2a\x4d\x18\x04\0\0\0", "zstd"),
            (b"\xef\xbb\xbf [1", "Chrome"),
            (b"", "Chrome"),
            (b"hello", "Chrome"),
            (b"\n  [ ]", "Chrome"),
            (b"\x0b{\n \"a\"", "Chrome"),
            (b"\n\0 \"a\":1", "Chrome"),
            (b"<\"traceEvents\":[", "Chrome"),
            (b"\x12 [{", "Chrome"),
            (b"\x0a\x051.0.2\x10\x00\x1a\x05", "Nodetree"),
            (b"\x0a\x15\x0a\x0bsgd/compute\x10\xe8\x07", "fluid"),
            (b"\x80\x04\x95", "MemoryHistory"),
            (b"\x80\x02}q\0", "MemoryHistory"),
        ] {
            assert_eq!(of(bytes), want, "{bytes:?}");
        }
        assert!(of(b"PK\x03\x04..").contains("unzip"));
        assert!(of(b"<!DOCTYPE html>").contains("HTML"));
        assert!(of(b"\x0a\x05\x00ab").contains("protobuf"));
        assert!(of(b"\x0a\x091.0.2\x10\x00\x1a\x05").contains("protobuf"));
    }
}
