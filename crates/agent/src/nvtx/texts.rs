//! Reads the texts that clients pass: bytes, wide characters, or event attributes that contain a message.

#![allow(unsafe_code, reason = "reads texts in the client's memory")]

use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::slice;

use proftui_wire::names::LONGEST_NAME;

/// A wide character of C.
pub(super) type Wide = libc::wchar_t;

/// Least size of event attributes that contain a message, bytes.
const ATTRIBUTES: u16 = size_of::<Attributes>() as u16;

/// `nvtxEventAttributes_t`, up to its message. A client's structure is valid for the `size` that it states.
#[repr(C)]
pub(super) struct Attributes {
    version: u16,
    size: u16,
    category: u32,
    color: [u32; 2],
    payload: [u32; 4],
    message_type: i32,
    message: *const c_void,
}

const _: () = assert!(size_of::<Attributes>() == 48);

/// A text that a client passes, such as an event's or a range's name, or the number of a text that was
/// registered before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message<'a> {
    /// The text's bytes, mostly UTF-8.
    Bytes(Cow<'a, [u8]>),
    /// The index of a registered string in the process's list of names.
    Registered(u32),
}

impl Message<'_> {
    const NONE: Self = Self::Bytes(Cow::Borrowed(&[]));

    /// The message as text; empty for a registered string.
    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes),
            Self::Registered(_) => Cow::Borrowed(""),
        }
    }
}

/// A pointer by which clients pass a text: to bytes, to wide characters, or to event attributes.
pub(super) trait Text: Copy {
    /// Reads the message, cut to [`LONGEST_NAME`] bytes or wide characters; empty if there is none.
    ///
    /// # Safety
    /// The pointer is null, or valid for its type as long as the message is used.
    unsafe fn message<'a>(self) -> Message<'a>;
}

impl Text for *const c_char {
    #[inline]
    unsafe fn message<'a>(self) -> Message<'a> {
        if self.is_null() {
            return Message::NONE;
        }
        // SAFETY: it ends with a zero, or is longer than what is read of it.
        let bytes = unsafe { slice::from_raw_parts(self.cast(), libc::strnlen(self, LONGEST_NAME)) };
        Message::Bytes(Cow::Borrowed(bytes))
    }
}

impl Text for *const Wide {
    unsafe fn message<'a>(self) -> Message<'a> {
        if self.is_null() {
            return Message::NONE;
        }
        // SAFETY: it ends with a zero, or is longer than what is read of it.
        let wide = (0..LONGEST_NAME).map(|at| unsafe { self.add(at).read() }).take_while(|&wide| wide != 0);
        let text: String =
            wide.map(|wide| char::from_u32(wide as u32).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Message::Bytes(Cow::Owned(text.into_bytes()))
    }
}

impl Text for *const Attributes {
    #[inline]
    unsafe fn message<'a>(self) -> Message<'a> {
        if self.is_null() {
            return Message::NONE;
        }
        // SAFETY: attributes begin with version and size; fields within the size are valid.
        unsafe {
            if (&raw const (*self).size).read_unaligned() < ATTRIBUTES {
                return Message::NONE;
            }
            let message = (&raw const (*self).message).read_unaligned();
            match (&raw const (*self).message_type).read_unaligned() {
                1 => message.cast::<c_char>().message(),
                2 => message.cast::<Wide>().message(),
                3 => Message::Registered(message.addr() as u32),
                _ => Message::NONE,
            }
        }
    }
}
