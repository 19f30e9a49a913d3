//! Which events of a trace meet the terms of a query, but for those on arguments.
//!
//! Must not know how words are matched to names.

use rayon::prelude::*;

use proftui_base::cancel;
use proftui_base::fmt;
use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;
use proftui_trace::import::Texts;
use proftui_trace::model::{Category, Group, GroupKind, Lane, LaneId, SliceId, Trace, WorkerId};

use super::error::{QueryError, SearchError, not_there};
use super::fields::PHASE_IDS;
use super::lines::Lines;
use super::terms::{Field, Term};
use super::value::{Bound, Line};
use super::when::{Moment, SomeSteps};
use crate::analysis::part::location::device_number;
use crate::analysis::part::phase::times::PhaseTimes;
use crate::analysis::part::titles::has_rank;

/// The conditions of a search, resolved for one trace; those on arguments are not checked.
pub struct Filter<'a> {
    trace: &'a Trace,
    /// For each name, by its number: true if the search accepts events of this name.
    names: Column<StrId, bool>,
    /// For each category, by its number: true if the search accepts events of this category.
    categories: Vec<bool>,
    /// For each lane, by its number: true if the search accepts events on this lane.
    lanes: Vec<bool>,
    /// The other conditions, each with true if it is negated.
    tests: Vec<(bool, Test<'a>)>,
    /// The script lines around events, if a condition is on them.
    lines: Option<Lines<'a>>,
}

/// A condition that is checked for each event by itself.
enum Test<'a> {
    Duration(Bound<Ns>),
    Steps(SomeSteps),
    /// The index of a phase, and the phases over time of each worker.
    Phase(usize, &'a [PhaseTimes]),
    Size(Bound<f64>),
    Correlation(Bound<f64>),
    /// For each name, by its number, true if operators of this name are wanted.
    Operator(Column<StrId, bool>),
    Line(Line),
}

impl<'a> Filter<'a> {
    /// A filter for events whose name is true in `names` and that meet all `terms`; it does not check terms
    /// on arguments. Of a trace without Python functions, script lines are read from `texts`; without
    /// `texts`, terms on lines are not checked then.
    ///
    /// # Errors
    /// When a term asks for what the trace does not have, or a file cannot be read again.
    pub fn new(
        trace: &'a Trace,
        texts: Option<&Texts>,
        names: Column<StrId, bool>,
        terms: &[Term],
    ) -> Result<Self, SearchError> {
        let mut filter = Self {
            trace,
            names,
            categories: vec![true; 1 + usize::from(u8::MAX)],
            lanes: vec![true; trace.lanes.len()],
            tests: Vec::new(),
            lines: None,
        };
        for term in terms {
            let is_not = term.is_not;
            match &term.field {
                Field::Name(part) => filter.keep_names(is_not, &|name| name.to_lowercase().contains(part)),
                Field::Regex(regex) => filter.keep_names(is_not, &|name| regex.is_match(name)),
                Field::Category(part) => filter.keep_category(is_not, part)?,
                Field::Lane(_) | Field::Stream(_) | Field::Gpu(_) | Field::Rank(_) => {
                    filter.keep_lanes(is_not, &term.field)?;
                }
                Field::Line(line) => {
                    let needs_files = term.needs_files(trace);
                    if filter.lines.is_none() && (!needs_files || texts.is_some()) {
                        filter.lines = Some(match texts {
                            Some(texts) => Lines::read(trace, texts)?,
                            None => Lines::of(trace),
                        });
                    }
                    if filter.lines.is_some() {
                        filter.tests.push((is_not, Test::Line(line.clone())));
                    }
                }
                field => filter.tests.extend(test(trace, field)?.map(|test| (is_not, test))),
            }
        }
        Ok(filter)
    }

    fn keep_names(&mut self, is_not: bool, is_it: &(dyn Fn(&str) -> bool + Sync)) {
        let strings = &self.trace.strings;
        let wanted = self.names.par_iter_mut().enumerate().filter(|(_, is_wanted)| **is_wanted);
        wanted.for_each(|(name, is_wanted)| {
            *is_wanted = is_it(strings.text(StrId::from_index(name)).as_str()) != is_not;
        });
    }

    /// Keeps the category with the name `part`, or else those with it in their names.
    fn keep_category(&mut self, is_not: bool, part: &str) -> Result<(), QueryError> {
        let name = |category: Category| category.name().to_lowercase();
        let part = part.replace('_', "");
        let is_whole = Category::ALL.iter().any(|&category| name(category) == part);
        let is_it = |category| if is_whole { name(category) == part } else { name(category).contains(&part) };
        let counts = self.trace.category_counts();
        if !counts.keys().any(|&category| is_it(category)) {
            let counted = |(category, &count): (&Category, &u64)| {
                format!("{} ({})", category.name(), fmt::count(count))
            };
            return Err(not_there("category", &part, counts.iter().map(counted)));
        }
        for &category in Category::ALL {
            self.categories[category as usize] &= is_it(category) != is_not;
        }
        Ok(())
    }

    fn keep_lanes(&mut self, is_not: bool, field: &Field) -> Result<(), QueryError> {
        let trace = self.trace;
        let is_it = lanes_of(trace, field);
        let mut has_any = false;
        for (is_wanted, lane) in self.lanes.iter_mut().zip(&trace.lanes) {
            let is_it = is_it(lane);
            has_any |= is_it && !lane.is_empty();
            *is_wanted &= is_it != is_not;
        }
        if has_any {
            return Ok(());
        }
        let lanes = || trace.lanes.iter().filter(|lane| !lane.is_empty());
        Err(match field {
            Field::Gpu(number) => {
                not_there("device", number, devices(trace).map(|of| device_number(trace, of)))
            }
            Field::Rank(rank) => not_there("rank", &rank.to_string(), trace.meta.workers.iter().cloned()),
            Field::Stream(number) => {
                let titles = lanes().map(|lane| trace.lane_title(lane));
                let number_of = |title: String| title.strip_prefix("stream ").map(str::to_owned);
                not_there("stream", number, titles.filter_map(number_of))
            }
            Field::Lane(part) => not_there("lane", part, lanes().map(|lane| trace.lane_title(lane))),
            _ => return Ok(()),
        })
    }

    /// All slices that meet the filter's conditions, lane by lane.
    pub fn find(&self) -> Vec<SliceId> {
        let token = cancel::current();
        let of_lane = |lane: LaneId| -> Vec<SliceId> {
            token.check();
            if !self.lanes[lane.index()] {
                return Vec::new();
            }
            self.trace.lanes[lane].slices.iter().filter(|&id| self.has(id)).collect()
        };
        (0..saturate::<u32>(self.trace.lanes.len()))
            .into_par_iter()
            .map(LaneId::new)
            .flat_map_iter(of_lane)
            .collect()
    }

    /// True if the event `id` meets all conditions but those on its lane.
    fn has(&self, id: SliceId) -> bool {
        let slices = &self.trace.slices;
        self.names.get(slices.name[id]).copied().unwrap_or_default()
            && self.categories[slices.category[id] as usize]
            && self.tests.iter().all(|(is_not, test)| self.passes(id, test) != *is_not)
    }

    fn passes(&self, id: SliceId, test: &Test<'_>) -> bool {
        let slices = &self.trace.slices;
        match test {
            Test::Duration(bound) => bound.holds(slices.dur[id]),
            Test::Steps(steps) => {
                let Moment { worker, time, .. } = Moment::of(self.trace, id);
                steps.has(worker, time)
            }
            Test::Phase(phase, workers) => Moment::of(self.trace, id).phase(workers) == Some(*phase),
            Test::Size(bound) => self.trace.copied(id).is_some_and(|bytes| bound.holds(bytes as f64)),
            Test::Correlation(bound) => {
                let number = slices.correlation[id];
                number != 0 && bound.holds(f64::from(number))
            }
            Test::Operator(names) => launched_below(self.trace, id, names),
            Test::Line(line) => {
                let found = self.lines.as_ref().and_then(|lines| lines.of_event(id));
                found.is_some_and(|found| line.has(found.as_str()))
            }
        }
    }
}

/// The check of a term for each event; `None` for a term that is checked otherwise.
fn test<'a>(trace: &'a Trace, field: &Field) -> Result<Option<Test<'a>>, QueryError> {
    Ok(Some(match field {
        Field::Duration(bound) => Test::Duration(*bound),
        Field::Size(bound) => Test::Size(*bound),
        Field::Correlation(bound) => Test::Correlation(*bound),
        Field::Steps(numbers) => Test::Steps(SomeSteps::known(trace, numbers)?),
        Field::Phase(phase) => {
            if trace.steps.is_empty() {
                return Err(not_there("phase", PHASE_IDS[*phase], std::iter::once("no steps".to_owned())));
            }
            Test::Phase(*phase, PhaseTimes::of_workers(trace))
        }
        Field::Operator(part) => {
            let names = trace
                .strings
                .ids()
                .iter()
                .map(|name| trace.strings.text(name).as_str().to_lowercase().contains(part));
            Test::Operator(names.collect::<Vec<bool>>().into())
        }
        _ => return Ok(None),
    }))
}

/// The devices of a trace.
pub(super) fn devices(trace: &Trace) -> impl Iterator<Item = &Group> {
    trace.groups.iter().filter(|group| group.kind == GroupKind::Device)
}

/// Which lanes a term on lanes is about.
fn lanes_of<'a>(trace: &'a Trace, field: &'a Field) -> Box<dyn Fn(&Lane) -> bool + 'a> {
    let title = |lane: &Lane| trace.lane_title(lane).to_lowercase();
    match field {
        Field::Lane(part) => {
            let groups: Vec<bool> =
                trace.groups.iter().map(|of| trace.group_title(of).to_lowercase().contains(part)).collect();
            Box::new(move |lane| groups[lane.group.index()] || title(lane).contains(part))
        }
        Field::Stream(number) => {
            let wanted = format!("stream {number}");
            Box::new(move |lane| {
                let title = title(lane);
                title == wanted || title.strip_prefix(&wanted).is_some_and(|more| more.starts_with(','))
            })
        }
        Field::Gpu(number) => Box::new(move |lane| is_gpu(trace, &trace.groups[lane.group], number)),
        Field::Rank(rank) => Box::new(move |lane| is_of_rank(trace, trace.groups[lane.group].worker, *rank)),
        _ => Box::new(|_| true),
    }
}

/// True if the group is a device with this number, which is in lower case.
pub(super) fn is_gpu(trace: &Trace, group: &Group, number: &str) -> bool {
    group.kind == GroupKind::Device && device_number(trace, group).to_lowercase() == number
}

/// True if the worker has the rank; without ranks, if it has that index.
pub(super) fn is_of_rank(trace: &Trace, worker: WorkerId, rank: usize) -> bool {
    has_rank(trace, worker, rank, 0)
}

/// The operator that an event counts for: that for which device work inside a graph stands, else the
/// innermost one at or around the event, of device work around its launch.
pub(super) fn operator_of(trace: &Trace, id: SliceId) -> Option<StrId> {
    let slices = &trace.slices;
    let at = if slices.category(id).is_device_work() {
        if let Some(name) = operator_in_graph(trace, id) {
            return Some(name);
        }
        trace.links.launch_of(id)?
    } else {
        id
    };
    let mut around = std::iter::once(at).chain(slices.ancestors(at));
    around.find(|&id| slices.category(id).is_operator()).map(|id| slices.name[id])
}

/// The operator for which device work inside a graph stands, if that is known.
fn operator_in_graph(trace: &Trace, id: SliceId) -> Option<StrId> {
    let name = trace.graph_names.of(id)?;
    trace.graph_names.records.get(name.record as usize).map(|record| record.operator)
}

/// True if the event is device work that was launched below an operator whose name is true in `names`, or
/// that stands for one inside a graph.
fn launched_below(trace: &Trace, id: SliceId, names: &Column<StrId, bool>) -> bool {
    let has = |name: StrId| names.get(name).copied().unwrap_or_default();
    let slices = &trace.slices;
    if !slices.category(id).is_device_work() {
        return false;
    }
    let launch = trace.links.launch_of(id).into_iter();
    let mut around = launch.flat_map(|launch| slices.ancestors(launch));
    operator_in_graph(trace, id).is_some_and(has)
        || around.any(|id| slices.category(id).is_operator() && has(slices.name[id]))
}
