//! What is folded, merged, pinned and hidden, and the list of lines that follows from it and from the order
//! of groups and lanes; what of this a newly opened trace starts with.
//!
//! Must not know the focus, or what is on the screen.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::app::session::Session;
use crate::app::session::order::{self, Order};
use crate::app::session::roles::Roles;
use crate::app::view::labels;
use crate::app::view::line::{Line, LineKind, Track};
use proftui_trace::model::{Category, GroupId, GroupKind, LaneId, LaneKind, RowId, Trace};

/// A lane with more rows than this starts folded.
const DEEP: usize = 24;
/// A stream with more rows than this starts folded.
const OVERLAPPING: usize = 3;
/// About how many lines the streams of a device start with; further streams usually start merged.
const STREAM_LINES: usize = 4;
/// The fewest lines of a screen on which a device's ranges and counters start unfolded below their heading.
const LARGE: u16 = 40;
/// About how many lines devices take at first before further ones start folded, so that a small screen has
/// room for host threads, too.
const DEVICE_LINES: usize = 9;

/// What the list of lines follows from, beside the trace.
#[derive(Debug, Default)]
pub(super) struct Choices {
    pub folded_groups: HashSet<GroupId>,
    pub folded_lanes: HashSet<LaneId>,
    pub hidden: HashSet<Track>,
    pub pinned: BTreeSet<Track>,
    /// The lanes and lines of idle time that match the filter; none without a filter.
    pub only: Option<HashSet<Track>>,
    /// The groups of the devices with gaps between their work.
    pub idle: BTreeSet<GroupId>,
    /// For each device whose streams are to be merged, how many of its first streams keep lines of their own.
    pub apart: HashMap<GroupId, usize>,
    /// The devices whose lanes of ranges and counters are folded where they have a heading.
    pub less: HashSet<GroupId>,
    /// The order of the groups, and of the lanes in each.
    pub order: Arc<Order>,
    /// What lanes are for.
    pub roles: Arc<Roles>,
    /// True if what the profiler recorded of itself is shown below its heading.
    pub has_others: bool,
}

/// The lines that follow from the choices, and further values computed with them.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub list: Vec<Line>,
    /// For each device with merged streams, the rows of these streams.
    pub merged: HashMap<GroupId, Vec<RowId>>,
    /// For each device with a heading for lanes of ranges and counters, the number of these lanes; while the
    /// device is folded, the heading is not shown.
    pub more: HashMap<GroupId, usize>,
    /// How many groups the profiler recorded of itself, whether or not they are shown.
    pub others: usize,
    /// One column more than the longest label usually takes uncut; headings of groups do not count.
    pub label_width: usize,
}

impl Choices {
    /// The choices for a newly opened trace, whose devices `idle` have lines of idle time, on a screen of
    /// `screen` lines.
    pub(super) fn of_new(session: &Session, idle: BTreeSet<GroupId>, screen: u16) -> Self {
        let trace = &session.trace;
        let lanes = trace.lanes.ids();
        let folded_lanes = lanes.iter().filter(|&lane| starts_folded(trace, lane)).collect();
        let mut new = Self {
            folded_lanes,
            idle,
            order: Arc::clone(&session.order),
            roles: Arc::clone(&session.roles),
            ..Self::default()
        };
        let mut lines = 0;
        for &group in &session.order.groups {
            if trace.groups[group].kind == GroupKind::Process {
                if order::is_profilers(trace, group) {
                    new.folded_groups.insert(group);
                }
                continue;
            }
            // A device with counters alone, as in a memory snapshot, has nothing above them.
            let has_work =
                session.order.lanes(trace, group).iter().any(|&lane| !trace.lanes[lane].slices.is_empty());
            if screen < LARGE && has_work {
                new.less.insert(group);
            }
            let (streams, apart) = start_streams(trace, session.order.lanes(trace, group));
            if apart < streams {
                new.apart.insert(group, apart);
            }
            let own = 3 + STREAM_LINES.min(streams) + usize::from(apart < streams);
            if lines > 0 && lines + own > DEVICE_LINES {
                new.folded_groups.insert(group);
                lines += 1;
            } else {
                lines += own;
            }
        }
        new
    }

    /// Makes the lines that follow from the choices: pinned ones first, then the lines of each group.
    pub(super) fn build(&self, trace: &Trace) -> Built {
        let mut built = Built::default();
        for &track in &self.pinned {
            match track {
                Track::Idle(group) => built.push(LineKind::Idle(group), true),
                Track::Lane(lane) => self.push_lane(trace, lane, true, &mut built),
            }
        }
        let is_others = |group: &GroupId| order::is_profilers(trace, *group);
        for &group in self.order.groups.iter().filter(|group| !is_others(group)) {
            self.push_group(trace, group, &mut built);
        }
        self.push_others(trace, &mut built);
        // Names of groups may be cut: what follows in them is said elsewhere.
        let is_lane = |line: &&Line| line.is_head && !matches!(line.kind, LineKind::Group(_));
        let widths = built.list.iter().filter(is_lane).map(|line| labels::width(trace, &self.roles, line));
        built.label_width = widths.max().unwrap_or_default() + 1;
        built
    }

    fn push_group(&self, trace: &Trace, group: GroupId, built: &mut Built) {
        let is_left = |track: &Track| self.only.as_ref().is_none_or(|only| only.contains(track));
        let is_free =
            |track: Track| !self.hidden.contains(&track) && !self.pinned.contains(&track) && is_left(&track);
        let is_shown = |lane: &LaneId| !trace.lanes[*lane].is_empty() && is_free(Track::Lane(*lane));
        let lanes: Vec<LaneId> = self.order.lanes(trace, group).iter().copied().filter(is_shown).collect();
        let has_idle = self.idle.contains(&group) && is_free(Track::Idle(group));
        if lanes.is_empty() && !has_idle {
            return;
        }
        // The lanes of the only process stand for themselves.
        let is_outer = self.only_process(trace) == Some(group);
        if !is_outer {
            built.push(LineKind::Group(group), false);
        }
        let from = built.list.len();
        let (apart, merged) = self.split(trace, group, lanes);
        let is_device = trace.groups[group].kind == GroupKind::Device;
        let is_more = |&lane: &LaneId| is_device && is_more(trace, lane);
        let (more, lanes): (Vec<LaneId>, Vec<LaneId>) = apart.into_iter().partition(is_more);
        let has_merged = !merged.is_empty();
        if has_merged {
            built.merged.insert(group, merged);
        }
        if more.len() > 1 {
            built.more.insert(group, more.len());
        }
        if self.folded_groups.contains(&group) && !is_outer {
            return;
        }
        if has_idle {
            built.push(LineKind::Idle(group), false);
        }
        lanes.into_iter().for_each(|lane| self.push_lane(trace, lane, false, built));
        if has_merged {
            built.push(LineKind::Merged(group), false);
        }
        if more.len() > 1 {
            built.push(LineKind::More(group), false);
        }
        if more.len() == 1 || !self.less.contains(&group) {
            more.into_iter().for_each(|lane| self.push_lane(trace, lane, false, built));
        }
        built.list[from..].iter_mut().for_each(|line| line.is_outer = is_outer);
    }

    /// The process of the trace, if there is one alone, beside what the profiler recorded of itself.
    fn only_process(&self, trace: &Trace) -> Option<GroupId> {
        let is_process = |group: &&GroupId| {
            let found = &trace.groups[**group];
            let has_lanes = trace.lanes[found.lanes].iter().any(|lane| !lane.is_empty());
            found.kind == GroupKind::Process && has_lanes && !order::is_profilers(trace, **group)
        };
        let mut processes = self.order.groups.iter().filter(is_process);
        processes.next().copied().filter(|_| processes.next().is_none())
    }

    /// Adds the heading of what the profiler recorded of itself, if anything, and below it these groups if
    /// they are shown.
    fn push_others(&self, trace: &Trace, built: &mut Built) {
        let mut others = Built::default();
        for &group in self.order.groups.iter().filter(|&&group| order::is_profilers(trace, group)) {
            self.push_group(trace, group, &mut others);
        }
        built.others = others.list.iter().filter(|line| matches!(line.kind, LineKind::Group(_))).count();
        if built.others == 0 {
            return;
        }
        built.push(LineKind::Others, false);
        if self.has_others {
            built.list.extend(others.list);
        }
    }

    /// Splits the lanes of a group into those with lines of their own and the rows of merged streams; leaves
    /// out the ranges of merged streams.
    fn split(&self, trace: &Trace, group: GroupId, lanes: Vec<LaneId>) -> (Vec<LaneId>, Vec<RowId>) {
        let Some(&apart) = self.apart.get(&group) else { return (lanes, Vec::new()) };
        let is_stream = |lane: LaneId| trace.lanes[lane].kind == LaneKind::Stream;
        let later: Vec<LaneId> = lanes.iter().copied().filter(|&lane| is_stream(lane)).skip(apart).collect();
        if later.len() < 2 {
            return (lanes, Vec::new());
        }
        // The ranges of a merged stream repeat its work.
        let tids: HashSet<_> = later.iter().map(|&lane| trace.lanes[lane].tid).collect();
        let is_merged = |&lane: &LaneId| {
            let lane = &trace.lanes[lane];
            matches!(lane.kind, LaneKind::Stream | LaneKind::StreamRanges) && tids.contains(&lane.tid)
        };
        let rows = later.iter().flat_map(|&lane| trace.lanes[lane].rows).collect();
        (lanes.into_iter().filter(|lane| !is_merged(lane)).collect(), rows)
    }

    fn push_lane(&self, trace: &Trace, number: LaneId, is_pinned: bool, built: &mut Built) {
        let lane = &trace.lanes[number];
        if let Some(counter) = lane.counter {
            return built.push(LineKind::Counter(number, counter), is_pinned);
        }
        if lane.slices.is_empty() {
            return built.push(LineKind::Marks(number), is_pinned);
        }
        let is_folded = self.folded_lanes.contains(&number);
        let rows = lane.rows.iter().take(if is_folded { 1 } else { usize::MAX });
        built.list.extend(rows.map(|row| Line {
            kind: LineKind::Row(number, row),
            is_head: row == lane.rows.start,
            is_pinned,
            is_outer: false,
        }));
    }
}

impl Built {
    /// Adds a line other than a row of slices, with [`Line::is_head`] set.
    fn push(&mut self, kind: LineKind, is_pinned: bool) {
        self.list.push(Line { kind, is_head: true, is_pinned, is_outer: false });
    }
}

/// True for a lane of a stream's ranges or of a counter.
pub(super) fn is_more(trace: &Trace, lane: LaneId) -> bool {
    matches!(trace.lanes[lane].kind, LaneKind::StreamRanges | LaneKind::Counter)
}

/// How many streams with events are among a device's lanes, and how many of the first of these start
/// unmerged.
fn start_streams(trace: &Trace, lanes: &[LaneId]) -> (usize, usize) {
    let rows = |lane: LaneId| if starts_folded(trace, lane) { 1 } else { trace.lanes[lane].rows.len() };
    let (mut streams, mut apart, mut lines) = (0, 0, 0);
    for &number in lanes {
        let lane = &trace.lanes[number];
        if lane.is_empty() || lane.kind != LaneKind::Stream {
            continue;
        }
        lines += rows(number);
        streams += 1;
        if apart == 0 || lines <= STREAM_LINES {
            apart = streams;
        }
    }
    // One more stream takes the line that it would have as a merged one.
    if streams == apart + 1 { (streams, streams) } else { (streams, apart) }
}

/// True for a lane that is folded in a newly opened trace, since it has many rows for its kind.
pub(super) fn starts_folded(trace: &Trace, lane: LaneId) -> bool {
    let lane = &trace.lanes[lane];
    let is_stack = lane.kind == LaneKind::Python
        && lane.slices.iter().take(64).any(|id| trace.slices.category(id) == Category::PythonFunction);
    match lane.kind {
        LaneKind::StreamRanges => lane.rows.len() > 1,
        LaneKind::Stream => lane.rows.len() > OVERLAPPING,
        _ => lane.rows.len() > 1 && is_stack || lane.rows.len() > DEEP,
    }
}
