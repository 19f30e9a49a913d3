//! Maps messages to tags: the kind of range and its name's index in the process's list. A message is
//! recognised by its text, not by its address, since a program may reuse the memory for the next message.
//!
//! Each thread caches the tags of its latest messages: a repeated message takes no lock.

use std::borrow::Cow;
use std::cell::RefCell;

use proftui_wire::chunk::Tag;

use super::domains::{self, DEFAULT};
use super::emit_nvtx;
use super::texts::Message;
use crate::process;
use crate::ranges::OPERATOR;

/// The kind of NVTX's ranges and marks that are no operators: Paddle's number of the event type
/// `UserDefined`.
const USER: u8 = 7;
/// Number of slots of a thread's cache; each holds one message at most.
const SLOTS: usize = 256;
/// Longest text that is cached, bytes.
const LONGEST_CACHED: usize = 256;

/// A message of a domain, with its tag, as a thread caches it.
struct Cached {
    text: Box<[u8]>,
    owner: u8,
    tag: Tag,
}

thread_local! {
    /// What this thread cached last in each [`slot`]; an empty list before the first message is cached.
    static CACHE: RefCell<Vec<Option<Cached>>> = const { RefCell::new(Vec::new()) };
}

/// Finds the tag of a message in the domain `owner`, and adds a new name to the process's list of names. The
/// tag's name is 0 if the list does not keep it.
#[inline]
pub(super) fn tag(owner: u8, message: &Message) -> Tag {
    match message {
        Message::Registered(number) => Tag::new(USER, *number),
        Message::Bytes(text) => {
            let slot = slot(owner, text);
            cached(owner, text, slot).unwrap_or_else(|| first(owner, text, slot))
        }
    }
}

/// The tag with the same name and the kind [`USER`], for a range that the program itself names.
pub(super) fn own(tag: Tag) -> Tag {
    Tag::new(USER, tag.name())
}

/// Tag that the calling thread has cached in `slot` for a message of the domain `owner`; `None` if there is
/// none.
#[inline]
fn cached(owner: u8, text: &[u8], slot: usize) -> Option<Tag> {
    let tag = CACHE.try_with(|cache| {
        let cache = cache.try_borrow().ok()?;
        let cached = cache.get(slot)?.as_ref()?;
        (cached.owner == owner && *cached.text == *text).then_some(cached.tag)
    });
    tag.ok().flatten()
}

/// Finds the tag of a message that the calling thread has not cached; `at` is the message's slot. Recognises
/// the operators of PyTorch's `emit_nvtx`.
#[cold]
fn first(owner: u8, text: &[u8], at: usize) -> Tag {
    if owner == DEFAULT
        && let Some((name, is_operator)) = emit_nvtx::operator(text)
    {
        let (at, kind) = (slot(owner, name), if is_operator { OPERATOR } else { USER });
        let tag = cached(owner, name, at).unwrap_or_else(|| look_up(owner, name, at));
        return Tag::new(kind, tag.name());
    }
    look_up(owner, text, at)
}

/// Finds or makes the tag, of the kind [`USER`], for a message of the domain `owner`, and usually caches it
/// in `slot`.
fn look_up(owner: u8, text: &[u8], slot: usize) -> Tag {
    let message = String::from_utf8_lossy(text);
    let number = process::name(&match domains::name(owner) {
        Some(domain) => Cow::Owned(format!("{domain}: {message}")),
        None => message,
    });
    let tag = Tag::new(USER, number);
    if number != 0 && text.len() <= LONGEST_CACHED {
        // A thread whose thread-local variables are gone caches nothing.
        let _ = CACHE.try_with(|cache| {
            let Ok(mut cache) = cache.try_borrow_mut() else { return };
            cache.resize_with(SLOTS, || None);
            cache[slot] = Some(Cached { text: text.into(), owner, tag });
        });
    }
    tag
}

/// Slot of a message in the cache: a hash of its owner, its length, and the bytes at its two ends.
#[inline]
fn slot(owner: u8, text: &[u8]) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let ends = match text.len() {
        8.. => word(text.first_chunk()) ^ word(text.last_chunk()).wrapping_mul(MIX).rotate_left(29),
        _ => text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let hash = (ends ^ u64::from(owner) << 48 ^ (text.len() as u64) << 56).wrapping_mul(MIX);
    (hash >> 56) as usize % SLOTS
}
