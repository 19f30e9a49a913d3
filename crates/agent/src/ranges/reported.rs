//! Recognises the ranges that the program itself names among those that libraries report by NVTX and ITT on
//! the same thread. A hook announces the name before it calls the framework, which may report other ranges
//! first, or none.

use std::cell::Cell;

use proftui_wire::chunk::Tag;

/// What a thread knows of the range that it announced last.
#[derive(Clone, Copy)]
enum Own {
    /// Nothing is announced.
    None,
    /// The range with the name of this number is announced, and not reported yet.
    Announced(u32),
    /// The announced range was reported.
    Reported,
}

thread_local! {
    static OWN: Cell<Own> = const { Cell::new(Own::None) };
}

/// Announces that the program itself begins a range with this tag's name on this thread, until
/// [`take_reported`] is called.
pub(crate) fn announce(tag: Tag) {
    OWN.set(Own::Announced(tag.name()));
}

/// True if the announced range was reported; ends the announcement.
pub(crate) fn take_reported() -> bool {
    matches!(OWN.replace(Own::None), Own::Reported)
}

/// True if a range that a library reports on this thread is the announced one; `name` returns the number of
/// its name.
#[inline]
pub(crate) fn is_own(name: impl FnOnce() -> u32) -> bool {
    let Own::Announced(announced) = OWN.get() else { return false };
    let is_own = announced == name();
    if is_own {
        OWN.set(Own::Reported);
    }
    is_own
}
