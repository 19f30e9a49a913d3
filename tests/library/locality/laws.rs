//! What one byte of damage may cost.
//!
//! An event that was read, whatever became of it, is *taken*: of a known phase and with a time. Every other
//! element is counted as dropped, and so is an end whose begin is not there. The laws, for N events and one
//! byte of damage outside the container's framing:
//!
//! 1. At most two events are lost: N - 2 <= taken. A byte belongs to one event; without a quote or a brace it
//!    can run on into the next one, where the first thing that is not JSON stops it. Of a text cut off,
//!    exactly the events before the cut are taken.
//! 2. Nothing is invented: taken <= N.
//! 3. No loss is silent: N <= taken + dropped + 1, and a loss means that something was dropped. The one is an
//!    event that the damaged one swallowed: nobody can know that it was there.
//! 4. Dropped never counts far more than was lost: at most [`MOST_DROPPED`] things, and one end for each
//!    begin that was lost. A brace too many makes an event without a time, half a number, a text and what
//!    cannot be read out of one event.
//! 5. Whatever is taken appears in the model: slices are the complete and the begun events, instants and
//!    memory events those of a moment, and none of them is missing except for a bad time.
//! 6. Damage is local: every complete event but the one struck and its next neighbour is there with its
//!    start, its duration and its offset in the text. What stands before and behind the events is read as
//!    ever.

use std::ops::Range;

use proftui_trace::model::{Trace, Warning};

use super::damage::Damage;
use crate::mixed::{self, Mixed};

/// Most elements that one damaged event can fall into.
const MOST_DROPPED: u64 = 4;

/// What one byte of damage cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Loss {
    pub(crate) events: u64,
    pub(crate) dropped: u64,
}

/// Events of known types that have a time.
pub(crate) fn taken(trace: &Trace) -> u64 {
    trace.meta.event_types.values().sum::<u64>() - trace.quality.count(Warning::BadTs)
}

/// How many events are of one of these types.
fn of(trace: &Trace, event_types: &str) -> u64 {
    event_types
        .chars()
        .filter_map(|event_type| trace.meta.event_types.get(event_type.to_string().as_str()))
        .sum()
}

/// The event that a byte belongs to, or the one before it.
fn struck(mixed: &Mixed, at: usize) -> usize {
    mixed.events.partition_point(|event| event.start <= at).saturating_sub(1)
}

/// Holds a trace of the damaged text against the laws; what it cost, or the law that is broken.
pub(crate) fn hold(mixed: &Mixed, trace: &Trace, damage: Damage, at: usize) -> Result<Loss, String> {
    let (all, taken) = (mixed.events.len() as u64, taken(trace));
    let (dropped, unmatched) = (trace.quality.dropped, trace.quality.count(Warning::Unmatched));
    let law = |number: u8, holds: bool, what: &str| {
        let counts = || format!("{all} events, {taken} taken, {dropped} dropped, {unmatched} unmatched");
        if holds { Ok(()) } else { Err(format!("law {number}, {what}: {}", counts())) }
    };
    let before = mixed.events.partition_point(|event| event.end <= at) as u64;
    if damage == Damage::Cut {
        law(1, taken == before, &format!("{before} before the cut"))?;
        law(4, dropped <= 1, "too much dropped")?;
    } else {
        law(1, taken + 2 >= all, "more than two lost")?;
        law(2, taken <= all, "invented")?;
        law(3, all <= taken + dropped + 1 && (taken == all || dropped > 0), "lost silently")?;
        law(4, dropped <= MOST_DROPPED + unmatched, "too much dropped")?;
    }
    all_in_model(trace).map_err(|why| format!("law 5, {why}"))?;
    let spared = match damage {
        Damage::Cut => before as usize..mixed.events.len(),
        _ => struck(mixed, at)..struck(mixed, at) + 2,
    };
    is_local(mixed, trace, damage, &spared).map_err(|why| format!("law 6, {why}"))?;
    let entries = trace.meta.header.len();
    law(
        6,
        entries == if damage == Damage::Cut { 3 } else { mixed::ENTRIES },
        &format!("{entries} header entries"),
    )?;
    let whole = if damage == Damage::Cut { before } else { all };
    Ok(Loss { events: whole - taken, dropped })
}

fn all_in_model(trace: &Trace) -> Result<(), String> {
    let (slices, moments) = (trace.slices.len(), trace.instants.len() + trace.memory.len());
    let missing = (of(trace, "XBbS") + of(trace, "iIRnTp")).checked_sub((slices + moments) as u64);
    let is_exact = slices as u64 <= of(trace, "XBbS") && moments as u64 <= of(trace, "iIRnTp");
    let known = trace.quality.count(Warning::BadTs);
    match missing {
        Some(missing) if is_exact && missing <= known => Ok(()),
        _ => Err(format!(
            "{slices} slices and {moments} moments of {:?}, {known} without a time",
            trace.meta.event_types
        )),
    }
}

/// Whether every complete event is there, but for the `spared` ones.
fn is_local(mixed: &Mixed, trace: &Trace, damage: Damage, spared: &Range<usize>) -> Result<(), String> {
    let slices = &trace.slices;
    let mut found: Vec<_> = slices
        .ids()
        .iter()
        .map(|id| (slices.origin[id].offset(), slices.start[id], slices.dur[id]))
        .collect();
    found.sort_unstable();
    for (number, event) in mixed.events.iter().enumerate() {
        if mixed.phases[number] != b'X' || spared.contains(&number) {
            continue;
        }
        let shift = if number < spared.start { 0 } else { damage.shift() };
        let (start, dur) = mixed.times[number];
        let wanted = (event.start.strict_add_signed(shift) as u64, start, dur);
        if found.binary_search(&wanted).is_err() {
            let at = found.partition_point(|slice| slice.0 < wanted.0);
            return Err(format!("event {number} {wanted:?} is missing; there is {:?}", found.get(at)));
        }
    }
    Ok(())
}
