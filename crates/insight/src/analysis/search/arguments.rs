//! The terms of a query that need the events of the trace's files: arguments, launch configurations.
//!
//! Must not know the other terms.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use proftui_trace::import::{RawEvent, Texts, VisitError};
use proftui_trace::model::{Origin, SliceId, Trace};

use super::terms::{Field, LaunchValue, Term};
use super::value::{Axis, stated};
use crate::analysis::arguments::launch_config::{BLOCK, GRID, REGISTERS, compact};

/// The progress of a search that reads events again from the trace's files: how many it has read, and how
/// many it has to read in all.
#[derive(Clone, Debug, Default)]
pub struct ReadSoFar(Arc<[AtomicU64; 2]>);

impl ReadSoFar {
    /// How many events have been read, and how many are to be read in all; `None` while no events to read are
    /// known.
    pub fn get(&self) -> Option<(u64, u64)> {
        let [read, all] = [0, 1].map(|at| self.0[at].load(Memory::Relaxed));
        (all > 0).then_some((read, all))
    }
}

/// Returns the events of `ids` whose arguments meet all terms on arguments. If `terms` has terms on
/// arguments, reads events again from the trace's files, and counts them in `read`.
///
/// # Errors
/// When a file cannot be read again.
pub(super) fn meets_arguments(
    trace: &Trace,
    texts: &Texts,
    mut ids: Vec<SliceId>,
    terms: &[Term],
    read: &ReadSoFar,
) -> Result<Vec<SliceId>, VisitError> {
    let is_of_arguments = |term: &&Term| matches!(term.field, Field::Argument { .. } | Field::Launch { .. });
    let terms: Vec<&Term> = terms.iter().filter(is_of_arguments).collect();
    if terms.is_empty() {
        return Ok(ids);
    }
    let origin = |id: SliceId| trace.slices.origin[id];
    // An event without an origin is in no file, so it has no arguments.
    let is_met_by_none = terms.iter().all(|term| term.is_not);
    let mut found: Vec<SliceId> =
        ids.iter().copied().filter(|&id| is_met_by_none && origin(id) == Origin::NONE).collect();
    ids.retain(|&id| origin(id) != Origin::NONE);
    ids.sort_unstable_by_key(|&id| origin(id));
    let origins: Vec<Origin> = ids.iter().map(|&id| origin(id)).collect();
    read.0[1].store(origins.len() as u64, Memory::Relaxed);
    texts.visit(&origins, |at, event| {
        read.0[0].fetch_add(1, Memory::Relaxed);
        if terms.iter().all(|term| is_met(event, &term.field) != term.is_not) {
            found.push(ids[at]);
        }
    })?;
    Ok(found)
}

fn is_met(event: &RawEvent<'_, '_>, field: &Field) -> bool {
    match field {
        Field::Launch { value, axis, bound } => {
            let key = match value {
                LaunchValue::Grid => GRID,
                LaunchValue::Block => BLOCK,
                LaunchValue::Registers => REGISTERS,
            };
            stated(&compact(event.argument(key)), *axis).is_some_and(|number| bound.holds(number))
        }
        Field::Argument { key, text, is_part, bound } => {
            let Some((value, axis)) = argument(event, key) else { return false };
            let has_text = |text: &String| {
                if *is_part { value.to_lowercase().contains(&text.to_lowercase()) } else { value == *text }
            };
            let is_within = || {
                let bound = bound.as_ref()?;
                Some(bound.holds(stated(&value, axis)?))
            };
            match (text, bound) {
                (None, None) => true,
                (Some(text), _) if axis.is_none() && has_text(text) => true,
                _ => is_within().unwrap_or_default(),
            }
        }
        _ => true,
    }
}

/// The text of an argument without blanks; if the event has none with this name, but one without the `.x`,
/// `.y` or `.z` at its end, that argument's text and the component.
fn argument(event: &RawEvent<'_, '_>, key: &str) -> Option<(String, Option<Axis>)> {
    if let Some(value) = event.argument(key.as_bytes()) {
        return Some((compact(Some(value)), None));
    }
    let (key, letter) = key.rsplit_once('.')?;
    let axis = Axis::named(letter)?;
    Some((compact(Some(event.argument(key.as_bytes())?)), Some(axis)))
}
