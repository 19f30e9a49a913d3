//! Tests inflating against other encoders and decoders, and with damaged data.

use std::io::{self, Cursor, Read, Write};

use flate2::{Compression, GzBuilder, write::GzEncoder};
use proptest::prelude::*;

use super::*;

/// Bytes of text inflated by one call.
const BLOCK: usize = 1 << 20;

/// Text of `len` bytes that compresses: words from a few, with numbers that grow.
fn words(len: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(len + 64);
    let mut random = 1_u64;
    while text.len() < len {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = write!(text, "{{\"name\":\"op{}\",\"ts\":{}}},", random >> 60, random >> 40);
    }
    text.truncate(len);
    text
}

/// Bytes that do not compress.
fn noise(len: usize) -> Vec<u8> {
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn gzip(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The text inflated from `reader` in blocks of `size` bytes, and the damage that ended it; `None` for a
/// whole file.
fn inflate_by(container: Container, reader: impl Read, size: usize) -> (Vec<u8>, Option<Damage>) {
    let mut inflater = Inflater::new(container, reader).unwrap();
    let (mut text, mut block) = (Vec::new(), vec![0; size]);
    loop {
        let filled = inflater.fill(&mut block);
        text.extend_from_slice(&block[..filled.len]);
        match filled.stop {
            None => assert_eq!(filled.len, size),
            Some(stop) => {
                assert!(matches!(inflater.fill(&mut block), Filled { len: 0, stop: Some(Stop::End) }));
                return match stop {
                    Stop::End => (text, None),
                    Stop::Damaged(damage) => (text, Some(damage)),
                    // A damaged zstd header may declare any window size.
                    Stop::Failed(error) if error.to_string().contains("window") => (text, Some(Damage::Data)),
                    Stop::Failed(error) => panic!("{error}"),
                };
            }
        }
    }
}

fn inflate(container: Container, data: &[u8]) -> (Vec<u8>, Option<Damage>) {
    inflate_by(container, data, BLOCK)
}

/// Reader of the bytes in field 0 that returns at most as many per call as field 1 allows.
struct Slow<'d>(&'d [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buf.len());
        self.0.read(&mut buf[..count])
    }
}

/// The checkpoints of `data`, at least `spacing` bytes of text apart.
fn checkpoints(container: Container, data: &[u8], spacing: u64) -> Checkpoints {
    let list = Checkpoints::new(container).with_spacing(spacing);
    let mut inflater = Inflater::start(container, data, Some(list)).unwrap();
    let mut block = vec![0; BLOCK];
    while inflater.fill(&mut block).stop.is_none() {}
    inflater.take_checkpoints().unwrap()
}

/// Asserts that the text read again from many offsets is the same, and that there are at least `least`
/// checkpoints.
fn assert_again(container: Container, data: &[u8], text: &[u8], spacing: u64, least: usize) {
    let list = checkpoints(container, data, spacing);
    let offsets: Vec<u64> = list.before(u64::MAX).map(|checkpoint| checkpoint.output).collect();
    assert!(offsets.len() >= least, "{} checkpoints", offsets.len());
    let near = offsets.iter().flat_map(|&at| [at.saturating_sub(1), at, at + 1]);
    let spread = (0..20).map(|part| text.len() as u64 * part / 19);
    for offset in near.chain(spread).filter(|&at| at <= text.len() as u64) {
        let mut again = list.read_from(Cursor::new(data), offset).unwrap();
        let mut some = vec![0; 100_000.min(text.len() - offset as usize)];
        again.read_exact(&mut some).unwrap();
        assert!(some == text[offset as usize..][..some.len()], "at {offset}");
    }
    // From every checkpoint the text is inflated to its end, where the checksum of the last member holds.
    for offset in offsets {
        let mut rest = Vec::new();
        let mut again = list.read_from(Cursor::new(data), offset).unwrap();
        again.read_to_end(&mut rest).unwrap();
        assert!(rest == text[offset as usize..], "from {offset}");
    }
    let mut none = list.read_from(Cursor::new(data), text.len() as u64 + 1000).unwrap();
    assert_eq!(none.read(&mut [0; 10]).unwrap(), 0);
}

#[test]
fn every_level_and_size_comes_back() {
    for level in 0..=9 {
        for len in [0, 1, 10, 1000, 65_535, 65_536, 300_000] {
            for text in [words(len), noise(len), vec![b'a'; len]] {
                let data = gzip(&text, level);
                assert_eq!(inflate(Container::Gzip, &data), (text, None));
            }
        }
    }
}

#[test]
fn block_and_read_sizes_do_not_matter() {
    let text = words(200_000);
    for (container, data) in [(Container::Gzip, gzip(&text, 6)), (Container::Zstd, zstd(&text))] {
        for size in [1, 7, 1000, 65_536, text.len(), text.len() + 1] {
            assert_eq!(inflate_by(container, &data[..], size), (text.clone(), None));
            assert_eq!(inflate_by(container, Slow(&data, 1 + size % 5), size.max(100)), (text.clone(), None));
        }
    }
}

#[test]
fn members_follow_each_other_with_padding_between() {
    let (one, two) = (words(100_000), noise(1000));
    let padded = [gzip(&one, 6), vec![0; 300_000], gzip(&[], 6), gzip(&two, 6), vec![0; 7]].concat();
    let whole = [one.clone(), two].concat();
    assert_eq!(inflate(Container::Gzip, &padded), (whole.clone(), None));
    let trailing = [&padded[..], b"x"].concat();
    assert_eq!(inflate(Container::Gzip, &trailing), (whole.clone(), Some(Damage::Trailing)));
    let cut = [&padded[..], b"\x1f"].concat();
    assert_eq!(inflate(Container::Gzip, &cut), (whole.clone(), Some(Damage::Truncated)));
    let other = [&padded[..], b"\x1f\x8b\x07\0\0\0\0\0\0\0"].concat();
    assert_eq!(inflate(Container::Gzip, &other), (whole, Some(Damage::Data)));
}

#[test]
fn every_header_field_is_read_past() {
    let text = words(1000);
    let builder = GzBuilder::new().extra(noise(60_000)).filename("a".repeat(300_000)).comment("c");
    let mut encoder = builder.write(Vec::new(), Compression::fast());
    encoder.write_all(&text).unwrap();
    let data = encoder.finish().unwrap();
    assert_eq!(inflate(Container::Gzip, &data), (text.clone(), None));

    let mut header = vec![0x1f, 0x8b, 8, 2 | 4 | 8, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9, b'n', 0];
    let check = crc32fast::hash(&header) as u16;
    header.extend(check.to_le_bytes());
    header.extend(&gzip(&text, 6)[10..]);
    assert_eq!(inflate(Container::Gzip, &header), (text, None));
    for end in 0..18 {
        assert_eq!(inflate(Container::Gzip, &header[..end]), (Vec::new(), Some(Damage::Truncated)));
    }
    header[14] ^= 1;
    assert_eq!(inflate(Container::Gzip, &header), (Vec::new(), Some(Damage::Checksum)));
    header[3] |= 0x80;
    assert_eq!(inflate(Container::Gzip, &header), (Vec::new(), Some(Damage::Data)));
}

#[test]
fn every_truncation_gives_what_came_before() {
    let text = words(5000);
    for (container, data) in
        [(Container::Gzip, gzip(&text, 6)), (Container::Gzip, gzip(&text, 0)), (Container::Zstd, zstd(&text))]
    {
        let mut longest = 0;
        for end in 0..data.len() {
            let (given, damage) = inflate(container, &data[..end]);
            assert_eq!(damage, Some(Damage::Truncated), "{container:?} cut at {end}");
            assert!(text.starts_with(&given));
            assert!(given.len() >= longest);
            longest = given.len();
        }
        assert_eq!(longest, text.len());
    }
}

#[test]
fn every_flipped_bit_is_noticed_or_does_not_matter() {
    let text = words(2000);
    for (container, data) in [(Container::Gzip, gzip(&text, 6)), (Container::Zstd, zstd(&text))] {
        for bit in 0..8 * data.len() {
            let mut data = data.clone();
            data[bit / 8] ^= 1 << (bit % 8);
            let (given, damage) = inflate(container, &data);
            assert!(damage.is_some() || given == text, "{container:?} bit {bit}");
        }
    }
}

#[test]
fn kinds_of_damage_are_distinguished() {
    let text = words(50_000);
    let damaged = |container, data: &[u8], at: usize, byte: u8| {
        let mut data = data.to_vec();
        data[at] ^= byte;
        inflate(container, &data)
    };
    let data = gzip(&text, 6);
    assert_eq!(damaged(Container::Gzip, &data, data.len() - 1, 1), (text.clone(), Some(Damage::Checksum)));
    assert_eq!(damaged(Container::Gzip, &data, data.len() - 5, 1), (text.clone(), Some(Damage::Checksum)));
    let reserved = (data[10] & 0b110) ^ 0b110;
    assert_eq!(damaged(Container::Gzip, &data, 10, reserved), (Vec::new(), Some(Damage::Data)));
    let data = zstd(&text);
    assert_eq!(damaged(Container::Zstd, &data, data.len() - 1, 1), (text.clone(), Some(Damage::Checksum)));
    assert_eq!(damaged(Container::Zstd, &data, 0, 1).1, Some(Damage::Data));
    for rest in [&b"xyz"[..], b"some more"] {
        let data = [&data[..], rest].concat();
        assert_eq!(inflate(Container::Zstd, &data), (text.clone(), Some(Damage::Trailing)));
    }
}

#[test]
fn a_failing_reader_is_no_damage() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("stopped"))
        }
    }
    let text = words(50_000);
    for (container, data) in [(Container::Gzip, gzip(&text, 6)), (Container::Zstd, zstd(&text))] {
        let reader = (&data[..data.len() / 2]).chain(Failing);
        let filled = Inflater::new(container, reader).unwrap().fill(&mut vec![0; BLOCK]);
        assert!(filled.len > 0 || container == Container::Zstd, "its first block is not whole");
        assert!(matches!(filled.stop, Some(Stop::Failed(_))));
    }
}

#[test]
fn text_comes_again_from_inside_a_member() {
    // Not at level 1, which makes a single block of the text.
    let text = words(6 << 20);
    for level in [2, 6, 9] {
        assert_again(Container::Gzip, &gzip(&text, level), &text, 300_000, 4);
    }
    let mixed: Vec<u8> = (0..40).flat_map(|part| [words(10_000 * part), noise(70_000)].concat()).collect();
    for level in [0, 2, 6] {
        assert_again(Container::Gzip, &gzip(&mixed, level), &mixed, 200_000, 4);
    }
}

#[test]
fn text_comes_again_from_between_members() {
    let parts: Vec<Vec<u8>> = (1..60).map(|part| words(3000 * part)).collect();
    let text = parts.concat();
    let members: Vec<u8> = parts.iter().flat_map(|part| gzip(part, 6)).collect();
    assert_again(Container::Gzip, &members, &text, 100_000, 10);
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..]].concat();
    let frames: Vec<u8> = parts.iter().flat_map(|part| [zstd(part), skipped.clone()].concat()).collect();
    assert_eq!(inflate(Container::Zstd, &frames), (text.clone(), None));
    assert_again(Container::Zstd, &frames, &text, 100_000, 10);
}

#[test]
fn another_file_at_its_path_does_no_harm() {
    let text = words(4 << 20);
    let data = gzip(&text, 6);
    let list = checkpoints(Container::Gzip, &data, 500_000);
    for other in
        [gzip(&noise(1 << 20), 6), b"plain".to_vec(), Vec::new(), noise(2 << 20), data[..99_999].to_vec()]
    {
        let mut rest = Vec::new();
        if let Ok(mut again) = list.read_from(Cursor::new(&other), 3_000_000) {
            again.read_to_end(&mut rest).unwrap();
        }
        assert!(rest.len() <= text.len());
    }
}

proptest! {
    #[test]
    fn any_bytes_do_no_harm(head in 0..4_usize, bytes: Vec<u8>) {
        let start = [&[][..], &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], &[0x1f, 0x8b, 8], &[0x28, 0xb5, 0x2f, 0xfd]];
        let data = [start[head], &bytes[..]].concat();
        for container in [Container::Gzip, Container::Zstd] {
            let whole = inflate(container, &data);
            prop_assert_eq!(&inflate_by(container, Slow(&data, 3), 16), &whole);
        }
    }

    #[test]
    fn any_changes_give_what_another_decoder_gives(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        level in 0..=9_u32,
    ) {
        let mut data = [gzip(&words(3000), level), gzip(&noise(300), level)].concat();
        for (at, byte) in changes {
            let at = at.index(data.len());
            data[at] = byte;
        }
        let (text, damage) = inflate(Container::Gzip, &data);
        let mut other = Vec::new();
        let is_whole = flate2::read::MultiGzDecoder::new(&data[..]).read_to_end(&mut other).is_ok();
        prop_assert!(damage.is_some() || (is_whole && text == other));
        prop_assert!(text.starts_with(&other) || other.starts_with(&text));
    }
}
