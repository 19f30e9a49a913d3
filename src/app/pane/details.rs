//! The content of the Details pane: the selected event, its links, its surroundings, every argument.
//!
//! Built from the trace whenever the selection changes. The trace holds no arguments: the event is read again
//! from its file on another thread (`jobs`), which makes their lines (`event`); they are inserted when they
//! arrive. What a thread did while a device was idle (`gap`) is found and inserted in the same way. Must not
//! read files.

mod chain;
pub(crate) mod event;
pub(crate) mod gap;
mod graph;
pub(crate) mod script;

use proftui_base::fmt;
use proftui_base::ids::Ids;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Lane, Origin, RowId, SliceFlags, SliceId, Trace, WorkerId};

use super::links::Link;
use crate::app::session::{Selection, Session};
use crate::app::view::timefmt::step_at;

/// The role of a line in the Details pane, which decides the line's style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The title, which names the selected event or gap.
    Title,
    /// A label and its value.
    Plain,
    /// The heading of the lines that follow it.
    Heading,
    /// Another event, which the user can go to.
    Link,
    /// A warning, such as that something is missing or cannot be read.
    Warning,
}

/// One line of the Details pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetailLine {
    /// The role of the line, which decides its style.
    pub tone: Tone,
    /// What the value is, e.g. `duration`; may be empty.
    pub label: SafeText<'static>,
    /// The value, or the text of a title, link or heading.
    pub value: SafeText<'static>,
    /// What follows the value, with its separator, such as ` · took 5 µs`; may be empty.
    pub note: SafeText<'static>,
    /// The event that the line links to; none for a line that is no link.
    pub target: Option<SliceId>,
}

impl DetailLine {
    /// The value followed by its note, as one text.
    pub fn text(&self) -> SafeText<'static> {
        self.value.followed_by(&self.note)
    }
}

/// The content of the Details pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The lines of the pane, top to bottom.
    pub lines: Vec<DetailLine>,
    /// The links of the selected event, or of the selected gap of a device, to other events; some lines with
    /// a target are about none of them.
    pub links: Vec<Link>,
    /// The events at the other ends of `links`, in ascending order.
    targets: Vec<SliceId>,
    /// The index in `lines` at which an event's arguments, or the lines about what a thread did in a gap, are
    /// inserted later.
    arguments_at: usize,
    /// The label of the line "reading …"; empty for the label `arguments`.
    awaits: &'static str,
    /// True while the line "reading …" is in `lines`, at index `arguments_at`.
    says_reading: bool,
    /// True if the selection was described while the rest of the trace was still being read.
    is_snapshot: bool,
}

impl Details {
    /// Describes `selection` from the trace alone, without what is read or found later. `is_snapshot` is true
    /// while the rest of the trace is still being read.
    pub fn of(session: &Session, selection: Option<Selection>, is_snapshot: bool) -> Self {
        let mut details = Self { is_snapshot, ..Self::default() };
        match selection {
            Some(Selection::Slice(id)) => details.slice(session, id),
            Some(Selection::Gap(row, gap)) => details.gap(session, row, gap),
            Some(Selection::Idle(group, gap)) => details.idle(session, group, gap),
            Some(Selection::Instant(i)) => details.instant(session, i),
            None => {}
        }
        details.targets = details.links.iter().map(|link| link.target).collect();
        details.targets.sort_unstable();
        details
    }

    /// The origins of the event of `selection` and, if it has arguments, of its separate end event; empty for
    /// a gap.
    pub fn origins(trace: &Trace, selection: Selection) -> Vec<Origin> {
        match selection {
            Selection::Slice(id) => {
                [trace.slices.origin[id]].into_iter().chain(trace.end_origin(id)).collect()
            }
            Selection::Instant(i) => vec![trace.instants[i as usize].origin],
            Selection::Gap(..) | Selection::Idle(..) => Vec::new(),
        }
    }

    /// Inserts the line "reading …" where the lines that are made later are inserted, unless it is there
    /// already.
    pub(crate) fn say_reading(&mut self) {
        if !self.says_reading {
            self.says_reading = true;
            let label = if self.awaits.is_empty() { "arguments" } else { self.awaits };
            self.plain(label, "reading …".into());
            let line = self.lines.pop();
            self.lines.splice(self.arguments_at..self.arguments_at, line);
        }
    }

    /// Inserts the lines `arguments`, instead of the line "reading …" if it is there, and appends the lines
    /// `fields`. Returns the new index of the line that had the index `line`.
    pub(crate) fn add_event(
        &mut self,
        arguments: Vec<DetailLine>,
        fields: Vec<DetailLine>,
        line: usize,
    ) -> usize {
        let mut below = self.lines.split_off(self.arguments_at);
        let removed = usize::from(std::mem::take(&mut self.says_reading));
        below.drain(..removed);
        let added = arguments.len();
        self.lines.extend(arguments);
        self.lines.append(&mut below);
        self.lines.extend(fields);
        let is_below = line >= self.arguments_at + removed;
        if is_below { line + added - removed } else { line.min(self.lines.len().saturating_sub(1)) }
    }

    /// The line of the script for the selected event or gap, as its frame is written; none if it is not
    /// known.
    pub fn script_line(&self) -> Option<&str> {
        let line = self.lines.iter().find(|line| line.label.as_str() == script::SCRIPT_LINE)?;
        Some(line.value.as_str())
    }

    /// True while lines that are made later are awaited.
    pub fn is_reading(&self) -> bool {
        self.says_reading
    }

    /// True when the event `id` is at the other end of one of `links`.
    pub fn is_linked(&self, id: SliceId) -> bool {
        let is_between = |(first, last): (&SliceId, &SliceId)| (*first..=*last).contains(&id);
        self.targets.first().zip(self.targets.last()).is_some_and(is_between)
            && self.targets.binary_search(&id).is_ok()
    }

    /// The events among `ids` that are at the other ends of `links`, in ascending order.
    pub fn targets_in(&self, ids: Ids<SliceId>) -> &[SliceId] {
        let from = self.targets.partition_point(|&id| id < ids.start);
        let to = self.targets.partition_point(|&id| id < ids.end);
        &self.targets[from..to.max(from)]
    }

    fn push(&mut self, tone: Tone, label: &str, value: String, target: Option<SliceId>) {
        let label = SafeText::new(label).into_owned();
        let note = SafeText::default();
        self.lines.push(DetailLine { tone, label, value: SafeText::from(value), note, target });
    }

    /// Adds a line that links to the event `id`: `label`, the event's name, and `note`.
    fn push_link(&mut self, trace: &Trace, label: &str, id: SliceId, note: String) {
        self.push(Tone::Link, label, trace.name(id).to_string(), Some(id));
        if let Some(line) = self.lines.last_mut() {
            line.note = SafeText::from(note);
        }
    }

    fn plain(&mut self, label: &str, value: String) {
        self.push(Tone::Plain, label, value, None);
    }

    fn slice(&mut self, session: &Session, id: SliceId) {
        let trace = &session.trace;
        let slices = &trace.slices;
        let span = slices.span(id);
        self.push(Tone::Title, "", trace.name(id).to_string(), None);
        let share = self_share(trace, id, span);
        self.plain("duration", format!("{}{share}", fmt::duration(span.len())));
        let lane = &trace.lanes[trace.lane_of(id)];
        self.plain("start", when(trace, worker_of(trace, lane), span.start));
        let group = &trace.groups[lane.group];
        let kind_and_lane = format!(
            "{} · {} · {}",
            slices.category(id).name(),
            trace.lane_title(lane),
            trace.group_title(group)
        );
        self.plain("kind, lane", kind_and_lane);
        let frames = script::frames(session, id);
        self.add_script_line(trace, id, &frames);
        self.flags(slices.flags[id]);
        self.links(trace, id);
        self.graph(trace, id);
        self.arguments_at = self.lines.len();
        self.surroundings(trace, id);
        self.frames(trace, &frames);
    }

    fn flags(&mut self, flags: SliceFlags) {
        for (flag, text) in [
            (SliceFlags::OPEN, "no end of this event is loaded: the end shown is assumed"),
            (SliceFlags::BAD_DURATION, "the file has no valid duration of this event"),
            (SliceFlags::OVERFLOW, "shown on a separate row, as events of its lane overlap without nesting"),
        ] {
            if flags.has(flag) {
                self.push(Tone::Warning, "note", text.into(), None);
            }
        }
    }

    fn gap(&mut self, session: &Session, row: RowId, gap: Span) {
        let Session { trace, index, .. } = session;
        let lane = &trace.lanes[trace.rows[row].lane];
        self.push(
            Tone::Title,
            "",
            format!("gap of {} on {}", fmt::duration(gap.len()), trace.lane_title(lane)),
            None,
        );
        let worker = worker_of(trace, lane);
        self.plain("start", when(trace, worker, gap.start));
        self.plain("end", when(trace, worker, gap.end));
        let before = index.last_before(trace, row, gap.start);
        for (label, neighbour) in [("after", before), ("before", index.first_from(trace, row, gap.end))] {
            let Some(id) = neighbour else { continue };
            self.push_link(trace, label, id, String::new());
            if label == "before"
                && let Some(launch) = trace.links.launch_of(id)
            {
                let started = trace.slices.start[launch];
                let late = if started >= gap.start {
                    "launched once the gap had begun"
                } else {
                    "launched before the gap began"
                };
                let note = format!(" · {late}, {}", when(trace, worker, started));
                self.push_link(trace, "its launch", launch, note);
            }
        }
    }

    fn instant(&mut self, session: &Session, i: u32) {
        let trace = &session.trace;
        let instant = &trace.instants[i as usize];
        self.push(Tone::Title, "", trace.string_or(instant.name, "(unnamed)").to_string(), None);
        let worker = worker_of(trace, &trace.lanes[instant.lane]);
        self.plain("at", when(trace, worker, instant.ts));
        self.arguments_at = self.lines.len();
    }
}

/// The self time of a slice and its share of `span`, as text after the duration; empty if the slice's whole
/// time is self time.
fn self_share(trace: &Trace, id: SliceId, span: Span) -> String {
    let own = trace.self_time(id);
    if own == span.len() {
        String::new()
    } else {
        format!(", self time {} ({})", fmt::duration(own), fmt::share(own, span.len()))
    }
}

fn worker_of(trace: &Trace, lane: &Lane) -> WorkerId {
    trace.groups[lane.group].worker
}

/// The time `t`, ns, as text: how long after the trace's start and, within a step of `worker`, after the
/// step's start.
fn when(trace: &Trace, worker: WorkerId, t: Ns) -> String {
    let from_start = fmt::duration(t.saturating_sub(trace.main_span.start));
    match step_at(trace, worker, t) {
        Some(step) => format!(
            "{from_start} after the trace's start, {} into step {}",
            fmt::duration(t - step.span.start),
            step.number
        ),
        None => format!("{from_start} after the trace's start"),
    }
}
