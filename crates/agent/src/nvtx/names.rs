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

/// A message, the domain that owns its range, and its tag.
struct Cached {
    text: Box<[u8]>,
    owner: u8,
    tag: Tag,
}

thread_local! {
    /// The message that this thread cached last in each [`slot`]; an empty list before the first one.
    static CACHE: RefCell<Vec<Option<Cached>>> = const { RefCell::new(Vec::new()) };
}

/// Tag of a message of the domain `owner`. A text is added to the process's list of names if need be, and the
/// tag's name is 0 if it cannot be kept; a registered string is in the list already.
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

/// The tag with the same name and the kind [`USER`]: for a range that the program itself names, even if the
/// name looks like an operator's.
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

/// Finds the tag of a message that the calling thread has not cached; `at` is the text's slot. In the default
/// domain, the details that PyTorch's `emit_nvtx` adds to a name are removed first, and an operator's name
/// gets the kind [`OPERATOR`].
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

/// Adds a message to the process's list of names unless it is there, with its domain's name, if any, before
/// it, and returns its tag, of the kind [`USER`]. Caches the tag in `slot`, unless the message cannot be kept
/// or is too long.
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

/// Slot of a message in the cache: a hash of its owner, its length, and its first and last eight bytes.
/// Messages that differ only in the middle share a slot.
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
