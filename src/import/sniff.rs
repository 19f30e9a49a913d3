//! Recognising a file by its first bytes: a container to inflate (gzip, zstd), a trace to read, or a known format that cannot be
//! read (zip, ELF, `SQLite` …), for an error with advice.
//!
//! The content decides, never the file's name.

use super::fluid;

/// Bytes that are enough to decide.
pub(super) const HEAD: usize = 1024;

/// What a file is, judged by its first bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A gzip file.
    Gzip,
    /// A zstd file.
    Zstd,
    /// A text to read; Chrome's where it may be anything.
    Text(Format),
    /// The binary profile of Paddle's old profiler.
    Fluid,
    /// A known format that cannot be read; the text says which and what to do.
    Other(String),
}

/// The format of an inflated text, which chooses the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Chrome Trace Event JSON, unless reading it shows otherwise.
    Chrome,
    /// Paddle's trees as protobuf.
    Nodetree,
}

/// Magic bytes of files that people mistake for traces, and what to do about each.
const KNOWN: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a zip archive: unzip it first, then open the .json inside"),
    (b"BZh", "bzip2 data: decompress it with bunzip2 first"),
    (b"\xfd7zXZ", "xz data: decompress it with unxz first"),
    (
        b"SQLite format 3",
        "an SQLite database, perhaps exported by Nsight Systems: proftui reads Chrome Trace JSON and Paddle profiles only",
    ),
    (b"NVTX", "an Nsight Systems report: proftui reads Chrome Trace JSON and Paddle profiles only"),
    (b"\x7fELF", "an ELF program or library: proftui reads Chrome Trace JSON and Paddle profiles only"),
    (
        b"\x80\x02",
        "a Python pickle, perhaps a PyTorch memory snapshot: proftui reads Chrome Trace JSON and Paddle profiles only",
    ),
    (
        b"\x80\x03",
        "a Python pickle, perhaps a PyTorch memory snapshot: proftui reads Chrome Trace JSON and Paddle profiles only",
    ),
    (
        b"\x80\x04",
        "a Python pickle, perhaps a PyTorch memory snapshot: proftui reads Chrome Trace JSON and Paddle profiles only",
    ),
    (
        b"\x80\x05",
        "a Python pickle, perhaps a PyTorch memory snapshot: proftui reads Chrome Trace JSON and Paddle profiles only",
    ),
    (b"\xff\xfe", "UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8"),
    (b"version https://git-lfs", "a Git LFS pointer: fetch the file with git lfs pull"),
    (b"<", "HTML or XML, perhaps the error page of a failed download: download the trace again"),
];

pub(super) fn sniff(head: &[u8]) -> Kind {
    if head.starts_with(&[0x1f, 0x8b]) {
        return Kind::Gzip;
    }
    // A zstd frame, or a skippable frame, which pzstd writes before each frame.
    if matches!(head, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]) {
        return Kind::Zstd;
    }
    if head.get(257..262) == Some(b"ustar") {
        return Kind::Other("a tar archive: unpack it with tar -xf first".into());
    }
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Kind::Other((*what).into());
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if text.is_empty() || matches!(text[0], b'[' | b'{') {
        return Kind::Text(Format::Chrome);
    }
    if fluid::is_profile(head) {
        return Kind::Fluid;
    }
    if is_nodetree(head) {
        return Kind::Text(Format::Nodetree);
    }
    if looks_like_protobuf(head) {
        return Kind::Other(
            "protobuf data, perhaps of Perfetto or XPlane: the only protobuf files that proftui reads are Paddle's .pb".into(),
        );
    }
    Kind::Text(Format::Chrome)
}

/// True for the beginning of Paddle's protobuf: a version of digits and dots as field 1, then field 2 to 5 or nothing.
fn is_nodetree(head: &[u8]) -> bool {
    let [0x0a, len @ 1..=32, rest @ ..] = head else { return false };
    let Some((version, rest)) = rest.split_at_checked(usize::from(*len)) else { return false };
    version.iter().all(|b| b.is_ascii_digit() || *b == b'.')
        && version.contains(&b'.')
        && matches!(rest.first(), None | Some(0x10 | 0x1a | 0x22 | 0x2a))
}

/// True when `head` seems to be another tool's protobuf: it begins with the tag of field 1 or 2, and has a byte that no
/// text has.
fn looks_like_protobuf(head: &[u8]) -> bool {
    matches!(head.first(), Some(0x0a | 0x0b | 0x0f | 0x12))
        && head.iter().any(|&b| b < 0x20 && !matches!(b, b'\n' | b'\r' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        assert_eq!(sniff(b"\x1f\x8b\x08\0"), Kind::Gzip);
        assert_eq!(sniff(b"\x28\xb5\x2f\xfd"), Kind::Zstd);
        assert_eq!(sniff(b"\x5a\x2a\x4d\x18\x04\0\0\0"), Kind::Zstd);
        assert_eq!(sniff(b"\xef\xbb\xbf [1"), Kind::Text(Format::Chrome));
        assert_eq!(sniff(b""), Kind::Text(Format::Chrome));
        assert_eq!(sniff(b"hello"), Kind::Text(Format::Chrome));
        assert!(matches!(sniff(b"PK\x03\x04.."), Kind::Other(what) if what.contains("unzip")));
        assert!(matches!(sniff(b"\x0a\x05\x00ab"), Kind::Other(_)));
        assert_eq!(sniff(b"\n  [ ]"), Kind::Text(Format::Chrome));
        assert_eq!(sniff(b"\x0a\x051.0.2\x10\x00\x1a\x05"), Kind::Text(Format::Nodetree));
        assert!(matches!(sniff(b"\x0a\x091.0.2\x10\x00\x1a\x05"), Kind::Other(_)));
    }
}
