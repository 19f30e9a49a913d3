//! Distinguishing the protobuf of other tools, by the first fields of the first message.
//!
//! All of them begin with field 1, a message: a packet (Perfetto), a plane (`XPlane`), or a type of sample
//! (pprof). Must not know Paddle's.

use proftui_base::varint;

/// The content of the message with which `bytes` begin as field 1, perhaps cut off; `None` without one.
fn first_message(bytes: &[u8]) -> Option<&[u8]> {
    let (&0x0a, mut rest) = bytes.split_first()? else { return None };
    let len = usize::try_from(varint::take(&mut rest)?).ok()?;
    Some(&rest[..len.min(rest.len())])
}

/// True for bytes that begin like TensorFlow's `XSpace`, judged by the name of the first plane.
pub(super) fn is_xplane(bytes: &[u8]) -> bool {
    let name = || {
        let mut plane = first_message(bytes)?;
        if plane.first() == Some(&0x08) {
            plane = &plane[1..];
            varint::take(&mut plane)?;
        }
        let (&0x12, mut rest) = plane.split_first()? else { return None };
        let len = usize::try_from(varint::take(&mut rest)?).ok()?;
        rest.get(..len)
    };
    let known: [&[u8]; 3] = [b"/host:", b"/device:", b"Task Environment"];
    name().is_some_and(|name| known.iter().any(|begin| name.starts_with(begin)))
}

/// True for bytes that begin like a profile of pprof, with the type of a sample.
pub(super) fn is_pprof(bytes: &[u8]) -> bool {
    let is_pair = |mut message: &[u8]| {
        let mut number = |tag| {
            let (&first, rest) = message.split_first()?;
            message = rest;
            (first == tag).then(|| varint::take(&mut message)).flatten()
        };
        number(0x08).is_some() && number(0x10).is_some() && message.is_empty()
    };
    first_message(bytes).is_some_and(|message| message.len() <= 8 && is_pair(message))
}

/// True for bytes that begin like a trace of Perfetto, judged by the first field of the first packet.
pub(super) fn is_perfetto(bytes: &[u8]) -> bool {
    /// Numbers and wire types of the fields with which packets usually begin.
    const FIELDS: [(u64, u64); 18] = [
        (1, 2),
        (2, 2),
        (3, 0),
        (6, 2),
        (8, 0),
        (10, 0),
        (11, 2),
        (12, 2),
        (13, 0),
        (33, 2),
        (36, 2),
        (41, 0),
        (42, 0),
        (45, 2),
        (58, 0),
        (59, 2),
        (60, 2),
        (89, 2),
    ];
    let key = || varint::take(&mut first_message(bytes)?);
    key().is_some_and(|key| FIELDS.contains(&(key >> 3, key & 7)))
}

/// True when `bytes` seem to be protobuf rather than text.
pub(super) fn is_likely(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(0x0a | 0x0b | 0x0f | 0x12))
        && bytes.iter().any(|&b| b < 0x20 && !matches!(b, b'\n' | b'\r' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protobuf_of_each_tool() {
        let xplane = b"\x0a\x11\x08\x02\x12\x09/host:CPU\x1a\x00";
        let pprof = b"\x0a\x04\x08\x01\x10\x02\x12\x04";
        let perfetto = b"\x0a\x0b\x50\x01\x40\xc8\x01\x5a\x00";
        for (bytes, want) in [
            (xplane.as_slice(), [true, false, false]),
            (pprof.as_slice(), [false, true, false]),
            (perfetto.as_slice(), [false, false, true]),
            (b"\x0a\x051.0.2\x10\x00", [false, false, false]),
            (b"\x0a\x05", [false, false, false]),
            (b"\x0a", [false, false, false]),
            (b"", [false, false, false]),
        ] {
            assert_eq!([is_xplane(bytes), is_pprof(bytes), is_perfetto(bytes)], want, "{bytes:?}");
        }
        assert!(is_likely(xplane) && is_likely(pprof) && !is_likely(b"\n[ {}]"));
    }
}
