//! Numbers NVTX domains. A domain's number is the owner of its ranges, which nest among themselves. Domains
//! of the same name are one domain, whichever client created them; none is ever destroyed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::ranges::FUNCTIONS;

/// Number of the default domain, which has no name.
pub(super) const DEFAULT: u8 = FUNCTIONS + 1;
/// The number that all further domains share once every other number is taken.
pub(super) const OTHER: u8 = u8::MAX;

/// The domains' names, by the domain's number.
static NAMES: [OnceLock<Box<str>>; OTHER as usize] = [const { OnceLock::new() }; OTHER as usize];
/// The number that the next new domain gets; from [`OTHER`] on, all new domains get [`OTHER`].
static NEXT: AtomicUsize = AtomicUsize::new(DEFAULT as usize + 1);

/// Returns the number of the domain with this name, which gets one at its first use, [`OTHER`] if none is
/// left. An empty name stands for the default domain.
pub(super) fn of(name: &str) -> u8 {
    if name.is_empty() {
        return DEFAULT;
    }
    let known = NAMES.iter().position(|known| known.get().is_some_and(|known| **known == *name));
    let number = known.unwrap_or_else(|| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed).min(usize::from(OTHER));
        if let Some(slot) = NAMES.get(number) {
            // No other thread has this number.
            let _ = slot.set(name.into());
        }
        number
    });
    number as u8
}

/// Name of the domain with this number; `None` for [`DEFAULT`], [`OTHER`], and numbers that no domain has.
pub(super) fn name(number: u8) -> Option<&'static str> {
    Some(NAMES.get(usize::from(number))?.get()?)
}
