//! The numbers of messages. A message is known by what it says: a program may write the next one at the same address.
//!
//! Each thread remembers some of what it said last, so that a message that comes again takes no lock.

use std::borrow::Cow;
use std::cell::RefCell;

use super::domains;
use super::texts::Message;
use crate::process;

/// Messages that a thread remembers.
const PLACES: usize = 256;
/// The longest that it remembers, bytes.
const LONGEST: usize = 256;

/// A message whose number is known.
struct Known {
    owner: u8,
    text: Box<[u8]>,
    number: u32,
}

thread_local! {
    /// By what its message says; empty before the first.
    static KNOWN: RefCell<Vec<Option<Known>>> = const { RefCell::new(Vec::new()) };
}

/// The number of a message in a domain; 0 for one that cannot be kept.
#[inline]
pub fn number(owner: u8, message: &Message) -> u32 {
    let text = match message {
        Message::Registered(number) => return *number,
        Message::Bytes(text) => text,
    };
    let place = place(owner, text);
    let known = KNOWN.try_with(|known| {
        let known = known.try_borrow().ok()?;
        let known = known.get(place)?.as_ref()?;
        (known.owner == owner && *known.text == **text).then_some(known.number)
    });
    known.ok().flatten().unwrap_or_else(|| ask(owner, text, place))
}

/// Asks the process, and remembers what it says.
#[cold]
fn ask(owner: u8, text: &[u8], place: usize) -> u32 {
    let message = String::from_utf8_lossy(text);
    let number = process::name(&match domains::name(owner) {
        Some(domain) => Cow::Owned(format!("{domain}: {message}")),
        None => message,
    });
    if number != 0 && text.len() <= LONGEST {
        // A thread that is past its end remembers nothing.
        let _ = KNOWN.try_with(|known| {
            let Ok(mut known) = known.try_borrow_mut() else { return };
            known.resize_with(PLACES, || None);
            known[place] = Some(Known { owner, text: text.into(), number });
        });
    }
    number
}

/// Where a message is remembered: eight bytes at a time, mixed so that each of them counts.
#[inline]
fn place(owner: u8, text: &[u8]) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (whole, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = whole.iter().chain([&last]).map(|bytes| u64::from_le_bytes(*bytes));
    let seed = u64::from(owner) ^ (text.len() as u64) << 8;
    let hash = words.fold(seed, |hash, word| (hash.rotate_left(23) ^ word).wrapping_mul(MIX));
    (hash >> 56) as usize % PLACES
}
