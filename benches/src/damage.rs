//! Damages the text of single events in many ways, at a given rate. Knows the keys `name`, `ts` and `ph`, and
//! no more of a format.

use std::fmt;

use super::rng::Rng;

/// One kind of damage, done to an event's text with the comma after it; returns false if the event has
/// nothing to damage.
type Strike = fn(&mut Vec<u8>, &mut Rng) -> bool;

const KINDS: [(&str, Strike); 12] = [
    ("cut short", cut),
    ("stray commas", |text, rng| add(text, &b",,,"[rng.below(3) as usize..])),
    ("missing comma", |text, _| drop_comma(text)),
    ("bytes between events", |text, _| add(text, b"\0\0junk\xff")),
    ("raw control byte", |text, rng| put(text, &[1 + rng.below(31) as u8], rng)),
    ("invalid UTF-8", |text, rng| {
        put(text, [&b"\xff"[..], b"\xc3(", b"\xed\xa0\x80"][rng.below(3) as usize], rng)
    }),
    ("bare quote", |text, rng| put(text, b"\"", rng)),
    ("giant name", |text, rng| put(text, &vec![b'x'; 65_536 << rng.below(5)], rng)),
    ("no number", |text, rng| {
        swap(text, b"\"ts\": ", [&b"NaN"[..], b"-Infinity", b"1e999"][rng.below(3) as usize])
    }),
    ("no time", |text, _| swap(text, b"\"ts\": ", b"null")),
    ("unknown phase", |text, rng| {
        swap(text, b"\"ph\": ", [&b"\"Z\""[..], b"\"\"", b"7"][rng.below(3) as usize])
    }),
    ("deep nesting", nest),
];

/// The rate of damage, and the count of what was done.
pub(super) struct Damage {
    rng: Rng,
    /// Events to damage in a million.
    rate: u64,
    done: [u64; KINDS.len()],
}

impl Damage {
    pub(super) fn new(seed: u64, rate: f64) -> Self {
        Self { rng: Rng(!seed), rate: (rate.clamp(0.0, 1.0) * 1e6) as u64, done: [0; KINDS.len()] }
    }

    /// Damages the event, or leaves it.
    pub(super) fn strike(&mut self, text: &mut Vec<u8>) {
        if self.rate == 0 || self.rng.below(1_000_000) >= self.rate {
            return;
        }
        let kind = self.rng.below(KINDS.len() as u64) as usize;
        self.done[kind] += u64::from(KINDS[kind].1(text, &mut self.rng));
    }

    /// How many events were damaged.
    pub(super) fn total(&self) -> u64 {
        self.done.iter().sum()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} damaged", self.total())?;
        let kinds = KINDS.iter().zip(self.done).filter(|&(_, done)| done > 0);
        kinds.enumerate().try_for_each(|(i, ((name, _), done))| {
            write!(f, "{} {done} {name}", if i == 0 { ":" } else { "," })
        })
    }
}

/// The offset behind the first `wanted` at or after `from`; `None` if there is none.
fn within(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(&text[from..], wanted).map(|at| from + at + wanted.len())
}

fn cut(text: &mut Vec<u8>, rng: &mut Rng) -> bool {
    let Some(start) = within(text, b"{", 0) else { return false };
    let Some(end) = memchr::memrchr(b'}', text) else { return false };
    text.truncate(start + rng.below((end - start) as u64) as usize);
    true
}

fn add(text: &mut Vec<u8>, more: &[u8]) -> bool {
    text.extend_from_slice(more);
    true
}

fn drop_comma(text: &mut Vec<u8>) -> bool {
    let Some(at) = memchr::memrchr(b',', text) else { return false };
    text.remove(at);
    true
}

/// Puts bytes into the event's name; false if it has none.
fn put(text: &mut Vec<u8>, bytes: &[u8], rng: &mut Rng) -> bool {
    let Some(start) = within(text, b"\"name\": \"", 0) else { return false };
    let Some(end) = within(text, b"\"", start) else { return false };
    let at = start + rng.below((end - start) as u64) as usize;
    text.splice(at..at, bytes.iter().copied());
    true
}

/// Puts another value behind a key; false if the event does not have the key.
fn swap(text: &mut Vec<u8>, key: &[u8], value: &[u8]) -> bool {
    let Some(start) = within(text, key, 0) else { return false };
    let Some(len) = text[start..].iter().position(|b| b",\n}".contains(b)) else { return false };
    text.splice(start..start + len, value.iter().copied());
    true
}

fn nest(text: &mut Vec<u8>, rng: &mut Rng) -> bool {
    let Some(start) = within(text, b"{", 0) else { return false };
    let depth = 100 << rng.below(10);
    let mut deep = b"\"deep\": ".to_vec();
    deep.resize(deep.len() + depth, b'[');
    deep.resize(deep.len() + depth, b']');
    deep.push(b',');
    text.splice(start..start, deep);
    true
}
