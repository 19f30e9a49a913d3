//! When a profile of JAX began: its JSON counts from there and does not state it, but the `XPlane` file
//! beside it does, in the plane `Task Environment`. Nothing else of that file is read.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use proftui_base::{regular, varint};

/// Name of the plane that states when the profile began.
const PLANE: &[u8] = b"Task Environment";
/// Name of the plane's number that states when the profile began, ns since 1970.
const START: &[u8] = b"profile_start_time";
/// Size of the longest plane that is read, bytes; longer planes are skipped.
const LONGEST_PLANE: u64 = 1 << 16;

/// When a profile of JAX began, ns since 1970, by the `….xplane.pb` file beside its JSON at `path`; `None` if
/// not known.
pub(super) fn start_beside(path: &Path) -> Option<i64> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".trace.json")?;
    let file = regular::open(&path.with_file_name(format!("{stem}.xplane.pb"))).ok()?;
    let mut file = BufReader::new(file);
    while !file.fill_buf().ok()?.is_empty() {
        let (field, kind) = tag(varint::read(&mut file)?);
        let length = match kind {
            0 => varint::read(&mut file).map(|_| 0)?,
            1 => 8,
            2 => varint::read(&mut file)?,
            5 => 4,
            _ => return None,
        };
        if field == 1 && kind == 2 && length <= LONGEST_PLANE {
            let mut plane = Vec::new();
            file.by_ref().take(length).read_to_end(&mut plane).ok()?;
            if let Some(start) = start(&plane) {
                return Some(start);
            }
        } else {
            file.seek_relative(i64::try_from(length).ok()?).ok()?;
        }
    }
    None
}

/// When the profile began, ns since 1970, if `plane` is the plane [`PLANE`] and states it.
fn start(plane: &[u8]) -> Option<i64> {
    let is_named = fields(plane).any(|field| matches!(field, (2, Value::Bytes(name)) if name == PLANE));
    if !is_named {
        return None;
    }
    // Names of numbers are in a map of their own.
    let names = fields(plane).filter_map(|field| match field {
        (5, Value::Bytes(entry)) => fields(entry).find_map(|field| match field {
            (2, Value::Bytes(name)) => Some(name),
            _ => None,
        }),
        _ => None,
    });
    let is_start =
        |entry: &&[u8]| fields(entry).any(|field| matches!(field, (2, Value::Bytes(name)) if name == START));
    let id = names.filter(is_start).find_map(|entry| number(entry, &[1]))?;
    let numbers = fields(plane).filter_map(|field| match field {
        (6, Value::Bytes(stat)) if number(stat, &[1]) == Some(id) => number(stat, &[3, 4]),
        _ => None,
    });
    numbers.last().and_then(|start| i64::try_from(start).ok())
}

/// The first integer in a message in a field whose number is in `wanted`.
fn number(message: &[u8], wanted: &[u64]) -> Option<u64> {
    fields(message).find_map(|field| match field {
        (field, Value::Number(number)) if wanted.contains(&field) => Some(number),
        _ => None,
    })
}

/// Value of a field in a Protocol Buffers message; `Other` stands for values of fixed length, which are
/// skipped.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

/// The numbers and values of a message's fields, up to the first field that cannot be read.
fn fields(mut message: &[u8]) -> impl Iterator<Item = (u64, Value<'_>)> {
    std::iter::from_fn(move || {
        let (field, kind) = tag(varint::take(&mut message)?);
        let length = match kind {
            0 => return Some((field, Value::Number(varint::take(&mut message)?))),
            1 => 8,
            2 => varint::take(&mut message)?,
            5 => 4,
            _ => return None,
        };
        let (bytes, rest) = message.split_at_checked(usize::try_from(length).ok()?)?;
        message = rest;
        let value = if kind == 2 { Value::Bytes(bytes) } else { Value::Other };
        Some((field, value))
    })
}

/// Splits a field's tag into the field's number and the wire type.
fn tag(tag: u64) -> (u64, u64) {
    (tag >> 3, tag & 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(field: u8, bytes: &[u8]) -> Vec<u8> {
        [&[field << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    fn numbers(fields: &[(u8, u64)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &(field, mut value) in fields {
            bytes.push(field << 3);
            while value >= 0x80 {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
        }
        bytes
    }

    #[test]
    fn the_start_is_found_behind_other_planes() {
        let start = 1_795_645_716_786_833_777;
        let metadata = |id: u64, name: &[u8]| {
            message(
                5,
                &[numbers(&[(1, id)]), message(2, &[numbers(&[(1, id)]), message(2, name)].concat())]
                    .concat(),
            )
        };
        let stat = |id: u64, value: u64| message(6, &numbers(&[(1, id), (3, value)]));
        let named = |name: &[u8]| {
            [
                message(2, name),
                metadata(1, b"profile_stop_time"),
                metadata(2, START),
                stat(1, start + 5),
                stat(2, start),
            ]
            .concat()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let json = folder.path().join("h.trace.json.gz");
        assert_eq!(start_beside(&json), None, "there is no file");
        let whole =
            [message(1, &named(b"/host:CPU")), message(4, b"host"), message(1, &named(PLANE))].concat();
        let beside = folder.path().join("h.xplane.pb");
        std::fs::write(&beside, &whole).expect("written");
        assert_eq!(start_beside(&json), Some(start as i64));
        for length in 0..whole.len() {
            std::fs::write(&beside, &whole[..length]).expect("written");
            let found = start_beside(&json);
            assert!(found.is_none_or(|found| found == start as i64), "{length}: {found:?}");
        }
    }
}
