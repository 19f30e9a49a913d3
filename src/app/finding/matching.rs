//! Which events of a trace meet the terms of a search.
//!
//! Must not know how words are matched to names.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use rayon::prelude::*;

use proftui_base::cancel;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::import::{RawEvent, VisitError};
use proftui_trace::model::{Category, LaneId, Origin, SliceId, Trace, WorkerId};

use super::query::{Field, Term};
use crate::app::session::Session;

/// The progress of a search that reads events again from the trace's files: how many it has read, and how
/// many it has to read in all.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadSoFar(Arc<[AtomicU64; 2]>);

impl ReadSoFar {
    /// How many events have been read, and how many are to be read in all; none while no events to read are
    /// known.
    pub(crate) fn get(&self) -> Option<(u64, u64)> {
        let [read, all] = [0, 1].map(|at| self.0[at].load(Memory::Relaxed));
        (all > 0).then_some((read, all))
    }
}

/// The conditions of a search, resolved for one trace; those on arguments are left to [`meets_arguments`].
pub(crate) struct Filter<'a> {
    trace: &'a Trace,
    /// For each name, by its number: true if the search accepts events of this name.
    names: Column<StrId, bool>,
    /// For each category, by its number: true if the search accepts events of this category.
    categories: Vec<bool>,
    /// For each lane, by its number: true if the search accepts events on this lane.
    lanes: Vec<bool>,
    /// For each term on durations: whether it is negated, and `side`, `is_or_equal` and `than` (ns) of
    /// [`Field::Duration`].
    durations: Vec<(bool, Ordering, bool, Ns)>,
    /// For each term on steps: whether it is negated, and the worker and time of each step whose number is in
    /// the term's range.
    steps: Vec<(bool, Vec<(WorkerId, Span)>)>,
}

impl<'a> Filter<'a> {
    /// A filter for events whose name is true in `names` and that meet all `terms`; it does not check terms
    /// on arguments.
    pub(crate) fn new(session: &'a Session, mut names: Column<StrId, bool>, terms: &[Term]) -> Self {
        let trace = &session.trace;
        let mut categories: Vec<bool> = vec![true; 1 + usize::from(u8::MAX)];
        let mut lanes = vec![true; trace.lanes.len()];
        let (mut durations, mut steps) = (Vec::new(), Vec::new());
        for Term { is_not, field } in terms {
            let mut keep_names = |is_it: &(dyn Fn(&str) -> bool + Sync)| {
                names.par_iter_mut().enumerate().filter(|(_, is_wanted)| **is_wanted).for_each(
                    |(name, is_wanted)| {
                        *is_wanted = is_it(trace.strings.text(StrId::from_index(name)).as_str()) != *is_not;
                    },
                );
            };
            match field {
                Field::Name(part) => keep_names(&|name| name.to_lowercase().contains(part)),
                Field::Regex(regex) => keep_names(&|name| regex.is_match(name)),
                Field::Category(part) => {
                    for &category in Category::ALL {
                        let is_it = category.name().to_lowercase().contains(part);
                        categories[category as usize] &= is_it != *is_not;
                    }
                }
                Field::Lane(part) => keep_lanes(trace, &mut lanes, *is_not, |lane, group| {
                    lane.contains(part) || group.contains(part)
                }),
                Field::Stream(number) => {
                    let title = format!("stream {number}");
                    keep_lanes(trace, &mut lanes, *is_not, |lane, _| {
                        lane == title || lane.strip_prefix(&title).is_some_and(|more| more.starts_with(','))
                    });
                }
                Field::Duration { side, is_or_equal, than } => {
                    durations.push((*is_not, *side, *is_or_equal, *than));
                }
                Field::Steps(numbers) => {
                    let wanted = trace.steps.iter().filter(|step| numbers.contains(&step.number));
                    steps.push((*is_not, wanted.map(|step| (step.worker, step.span)).collect()));
                }
                Field::Argument { .. } => {}
            }
        }
        Self { trace, names, categories, lanes, durations, steps }
    }

    /// All slices that meet the filter's conditions, lane by lane.
    pub(crate) fn find(&self) -> Vec<SliceId> {
        let token = cancel::current();
        let of_lane = |lane: LaneId| -> Vec<SliceId> {
            token.check();
            if !self.lanes[lane.index()] {
                return Vec::new();
            }
            let worker = self.trace.groups[self.trace.lanes[lane].group].worker;
            self.trace.lanes[lane].slices.iter().filter(|&id| self.has(id, worker)).collect()
        };
        (0..saturate::<u32>(self.trace.lanes.len()))
            .into_par_iter()
            .map(LaneId::new)
            .flat_map_iter(of_lane)
            .collect()
    }

    /// True if the event `id`, on a lane of `worker`, meets the conditions on names, categories, durations
    /// and steps.
    fn has(&self, id: SliceId, worker: WorkerId) -> bool {
        let slices = &self.trace.slices;
        let dur = slices.dur[id];
        let is_long = |&(is_not, side, is_or_equal, than): &(bool, Ordering, bool, Ns)| {
            let order = dur.cmp(&than);
            (order == side || is_or_equal && order == Ordering::Equal) != is_not
        };
        let start = slices.start[id];
        let is_in = |(is_not, spans): &(bool, Vec<(WorkerId, Span)>)| {
            spans.iter().any(|&(of, span)| of == worker && span.contains(start)) != *is_not
        };
        self.names.get(slices.name[id]).copied().unwrap_or_default()
            && self.categories[slices.category[id] as usize]
            && self.durations.iter().all(is_long)
            && self.steps.iter().all(is_in)
    }
}

/// Clears the entry in `lanes` of each lane for which `is_it`, given the lower-case titles of the lane and of
/// its group, returns `is_not`.
fn keep_lanes(trace: &Trace, lanes: &mut [bool], is_not: bool, is_it: impl Fn(&str, &str) -> bool) {
    let groups: Vec<String> =
        trace.groups.iter().map(|group| trace.group_title(group).to_lowercase()).collect();
    for (is_wanted, lane) in lanes.iter_mut().zip(&trace.lanes) {
        let title = trace.lane_title(lane).to_lowercase();
        *is_wanted &= is_it(&title, &groups[lane.group.index()]) != is_not;
    }
}

/// Returns the events of `ids` whose arguments meet all terms on arguments. If `terms` has terms on
/// arguments, reads events again from the trace's files, and counts them in `read`.
///
/// # Errors
/// When a file cannot be read again.
pub(crate) fn meets_arguments(
    session: &Session,
    mut ids: Vec<SliceId>,
    terms: &[Term],
    read: &ReadSoFar,
) -> Result<Vec<SliceId>, VisitError> {
    let of_arguments = |term: &&Term| matches!(term.field, Field::Argument { .. });
    let terms: Vec<&Term> = terms.iter().filter(of_arguments).collect();
    if terms.is_empty() {
        return Ok(ids);
    }
    let origin = |id: SliceId| session.trace.slices.origin[id];
    // An event without an origin is in no file, so it has no arguments.
    let is_met_by_none = terms.iter().all(|term| term.is_not);
    let mut found: Vec<SliceId> =
        ids.iter().copied().filter(|&id| is_met_by_none && origin(id) == Origin::NONE).collect();
    ids.retain(|&id| origin(id) != Origin::NONE);
    ids.sort_unstable_by_key(|&id| origin(id));
    let origins: Vec<Origin> = ids.iter().map(|&id| origin(id)).collect();
    read.0[1].store(origins.len() as u64, Memory::Relaxed);
    session.texts.visit(&origins, |at, event| {
        read.0[0].fetch_add(1, Memory::Relaxed);
        if terms.iter().all(|term| has_argument(event, &term.field) != term.is_not) {
            found.push(ids[at]);
        }
    })?;
    Ok(found)
}

fn has_argument(event: &RawEvent<'_, '_>, field: &Field) -> bool {
    let Field::Argument { key, value, is_part } = field else { return true };
    let Some(own) = event.argument(key.as_bytes()) else { return false };
    let Some(value) = value else { return true };
    let text = own.text();
    let text: String = String::from_utf8_lossy(&text).chars().filter(|c| !c.is_whitespace()).collect();
    if *is_part { text.to_lowercase().contains(&value.to_lowercase()) } else { text == *value }
}
