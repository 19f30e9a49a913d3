//! Recognises the ranges that the program itself names among those that libraries report by NVTX and ITT on
//! the same thread. A hook announces the name before it calls the framework, which may report other ranges
//! first, or none.

use std::cell::Cell;

use proftui_wire::chunk::Tag;

/// What a thread knows of the range that the program announced on it last.
#[derive(Clone, Copy)]
enum Own {
    /// Nothing is announced.
    None,
    /// A range is announced, whose name has this number, and is not reported yet.
    Announced(u32),
    /// The announced range was reported.
    Reported,
}

thread_local! {
    static OWN: Cell<Own> = const { Cell::new(Own::None) };
}

/// Announces that the program begins a range with this tag's name on this thread, which a library may report,
/// too.
pub(crate) fn announce(tag: Tag) {
    OWN.set(Own::Announced(tag.name()));
}

/// True if a library has reported the range that was announced on this thread; ends the announcement.
pub(crate) fn take_reported() -> bool {
    matches!(OWN.replace(Own::None), Own::Reported)
}

/// True if the range that a library reports is the announced one, which then counts as reported. `name`
/// returns the number of the reported range's name.
#[inline]
pub(crate) fn is_own(name: impl FnOnce() -> u32) -> bool {
    let Own::Announced(announced) = OWN.get() else { return false };
    let is_own = announced == name();
    if is_own {
        OWN.set(Own::Reported);
    }
    is_own
}
