//! The kinds and numbers of messages. A message is known by what it says: a program may write the next one at the same address.
//!
//! Each thread remembers some of what it said last, so that a message that comes again takes no lock.

use std::borrow::Cow;
use std::cell::RefCell;

use proftui_wire::chunk::Tag;

use super::domains::{self, DEFAULT};
use super::emitted;
use super::texts::Message;
use crate::process;

/// Paddle's numbers of operators and of ranges that a program names.
const OPERATOR: u8 = 0;
const USER: u8 = 7;
/// Messages that a thread remembers.
const PLACES: usize = 256;
/// The longest that it remembers, bytes.
const LONGEST: usize = 256;

/// A message whose tag is known.
struct Known {
    text: Box<[u8]>,
    owner: u8,
    tag: Tag,
}

thread_local! {
    /// By what its message says; empty before the first.
    static KNOWN: RefCell<Vec<Option<Known>>> = const { RefCell::new(Vec::new()) };
}

/// The tag of a message in a domain; without a name where none can be kept.
#[inline]
pub fn tag(owner: u8, message: &Message) -> Tag {
    match message {
        Message::Registered(number) => Tag::new(USER, *number),
        Message::Bytes(text) => {
            let place = place(owner, text);
            known(owner, text, place).unwrap_or_else(|| first(owner, text, place))
        }
    }
}

#[inline]
fn known(owner: u8, text: &[u8], place: usize) -> Option<Tag> {
    let known = KNOWN.try_with(|known| {
        let known = known.try_borrow().ok()?;
        let known = known.get(place)?.as_ref()?;
        (known.owner == owner && *known.text == *text).then_some(known.tag)
    });
    known.ok().flatten()
}

/// The tag of a message that the thread does not remember.
#[cold]
fn first(owner: u8, text: &[u8], at: usize) -> Tag {
    if owner == DEFAULT
        && let Some((name, is_operator)) = emitted::operator(text)
    {
        let (at, kind) = (place(owner, name), if is_operator { OPERATOR } else { USER });
        let tag = known(owner, name, at).unwrap_or_else(|| ask(owner, name, at));
        return Tag::new(kind, tag.name());
    }
    ask(owner, text, at)
}

/// Asks the process, and remembers what it says.
fn ask(owner: u8, text: &[u8], place: usize) -> Tag {
    let message = String::from_utf8_lossy(text);
    let number = process::name(&match domains::name(owner) {
        Some(domain) => Cow::Owned(format!("{domain}: {message}")),
        None => message,
    });
    let tag = Tag::new(USER, number);
    if number != 0 && text.len() <= LONGEST {
        // A thread that is past its end remembers nothing.
        let _ = KNOWN.try_with(|known| {
            let Ok(mut known) = known.try_borrow_mut() else { return };
            known.resize_with(PLACES, || None);
            known[place] = Some(Known { text: text.into(), owner, tag });
        });
    }
    tag
}

/// Where a message is remembered: by its length, its first bytes and its last. Names that differ within differ at an end, or
/// share a place.
#[inline]
fn place(owner: u8, text: &[u8]) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let ends = match text.len() {
        8.. => word(text.first_chunk()) ^ word(text.last_chunk()).wrapping_mul(MIX).rotate_left(29),
        _ => text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let hash = (ends ^ u64::from(owner) << 48 ^ (text.len() as u64) << 56).wrapping_mul(MIX);
    (hash >> 56) as usize % PLACES
}
