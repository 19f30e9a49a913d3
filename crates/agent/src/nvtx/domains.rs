//! Domains: whose a range is. Each has a number, by which its ranges nest; the same name is the same domain, whoever made it,
//! so there are as many as there are names, and none is ever let go.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::ranges::ITT;

/// The one without a name.
pub const DEFAULT: u8 = ITT + 1;
/// All for which there is no number left: one without a name.
pub const OTHER: u8 = u8::MAX;

/// Names, by number.
static NAMES: [OnceLock<Box<str>>; OTHER as usize] = [const { OnceLock::new() }; OTHER as usize];
/// The next number.
static NEXT: AtomicUsize = AtomicUsize::new(DEFAULT as usize + 1);

/// The number of a domain.
pub fn of(name: &str) -> u8 {
    if name.is_empty() {
        return DEFAULT;
    }
    let known = NAMES.iter().position(|known| known.get().is_some_and(|known| **known == *name));
    let number = known.unwrap_or_else(|| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed).min(usize::from(OTHER));
        if let Some(place) = NAMES.get(number) {
            // Nobody else has this number.
            let _ = place.set(name.into());
        }
        number
    });
    number as u8
}

/// Its name; none for the default one.
pub fn name(number: u8) -> Option<&'static str> {
    Some(NAMES.get(usize::from(number))?.get()?)
}
