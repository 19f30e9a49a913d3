//! The lines of a time in which a device was idle: why, the work around it, the call that ended it, and what
//! the calling thread did.
//!
//! What the thread did is found on another thread (`jobs`), as it may have done any number of things. Must
//! not know the screen.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_base::{cancel, fmt};
use proftui_insight::analysis::insights::evidence::{innermost, lanes_of_thread};
use proftui_insight::analysis::ledger::{Cause, Sides};
use proftui_trace::model::{GroupId, SliceId, Trace};

use super::event::EventLines;
use super::script::{SCRIPT_LINE, innermost_line, recorded_line};
use super::{DetailLine, Details, Tone, when};
use crate::app::pane::links::{Link, LinkKind};
use crate::app::session::Session;

/// The most event names, and the most script lines, that are listed for a gap.
const LISTED: usize = 6;
/// The label of the first line about what the thread of a launch did in a gap.
const THREAD: &str = "thread was in";

/// The note after a value: the share of the gap that `ns` is, and `ns` as a duration.
fn of_gap(ns: Ns, gap: Span) -> String {
    format!(" · {} of the gap · {}", fmt::share(ns, gap.len()), fmt::duration(ns))
}

impl Details {
    /// Adds the title, lines and links about a gap of the device with the group `group`.
    pub(super) fn idle(&mut self, session: &Session, group: GroupId, gap: Span) {
        let trace = &session.trace;
        let of = &trace.groups[group];
        self.push(Tone::Title, "", String::new(), None);
        let cause = self.causes(session, group, gap);
        let was = if cause == Some(Cause::NotRecorded) { "without recorded work" } else { "idle" };
        let title = format!("{} {was} for {}", trace.group_title(of), fmt::duration(gap.len()));
        if let Some(line) = self.lines.first_mut() {
            line.value = title.into();
        }
        self.arguments_at = self.lines.len();
        self.awaits = THREAD;
        let sides = session.device(group).and_then(|device| device.sides(trace, gap));
        if let Some(sides) = sides {
            self.sides(trace, sides);
        }
        if let Some(cause) = cause {
            self.plain(cause.title(), cause.meaning().to_owned());
        }
        self.plain("start", when(trace, of.worker, gap.start));
        self.plain("end", when(trace, of.worker, gap.end));
    }

    /// Adds the lines about the gap's causes, and returns the cause with the most time; none if no cause is
    /// known.
    fn causes(&mut self, session: &Session, group: GroupId, gap: Span) -> Option<Cause> {
        let device = session.device(group)?;
        let mut by_cause: Vec<(Ns, Cause)> = Vec::new();
        for at in device.idle.within(gap) {
            let piece = device.idle.piece(at);
            let cause = Cause::from_u8(piece.cause);
            match by_cause.iter_mut().find(|(_, known)| *known == cause) {
                Some((ns, _)) => *ns += piece.span.len(),
                None => by_cause.push((piece.span.len(), cause)),
            }
        }
        by_cause.sort_by_key(|&(ns, cause)| (std::cmp::Reverse(ns), cause));
        let largest = by_cause.first().map(|&(_, cause)| cause);
        let is_listed = |&(ns, cause): &(Ns, Cause)| ns >= gap.len() / 100 || Some(cause) == largest;
        let (listed, others): (Vec<_>, Vec<_>) = by_cause.into_iter().partition(is_listed);
        for (at, (ns, cause)) in listed.into_iter().enumerate() {
            self.plain(if at == 0 { "because of" } else { "" }, cause.title().to_owned());
            self.note(of_gap(ns, gap));
        }
        if !others.is_empty() {
            self.plain("", fmt::counted(others.len() as u64, "other cause"));
            self.note(of_gap(others.iter().map(|(ns, _)| ns).sum(), gap));
        }
        largest
    }

    /// Adds the lines about the call that ended the gap and the work around it, and the gap's links.
    fn sides(&mut self, trace: &Trace, sides: Sides) {
        let Sides { gap, before, after, launch } = sides;
        let took = |id: SliceId| format!(" · took {}", fmt::duration(trace.slices.dur[id]));
        if let Some(launch) = launch {
            let started = trace.slices.start[launch];
            let (time, which) = if started >= gap.start {
                (started - gap.start, "after the gap began")
            } else {
                (gap.start - started, "before the gap began")
            };
            self.push_link(trace, "ended by", launch, format!(" · called {} {which}", fmt::duration(time)));
            if let Some(operator) = trace.operator_of(launch) {
                self.push_link(trace, "operator", operator, took(operator));
            }
            let lane = &trace.lanes[trace.lane_of(launch)];
            self.plain("thread", trace.lane_title(lane));
            let delay = after.map(|after| trace.slices.start[after].saturating_sub(started));
            self.links.push(Link { target: launch, kind: LinkKind::Launch, delay });
        } else if after.is_none() {
            self.plain("ended by", "the end of the recording: no work follows".to_owned());
        } else {
            let why =
                "not known: the launch came before the recording, or was not recorded, loaded or linked";
            self.push(Tone::Warning, "ended by", why.into(), None);
        }
        if let Some(before) = before {
            self.push_link(trace, "work before", before, took(before));
        }
        if let Some(after) = after {
            self.push_link(trace, "work after", after, took(after));
            self.links.push(Link { target: after, kind: LinkKind::Work, delay: None });
        }
    }

    /// Sets the note of the last line.
    fn note(&mut self, note: String) {
        if let Some(line) = self.lines.last_mut() {
            line.note = note.into();
        }
    }
}

/// The lines about what the thread that launched the work after a gap, or the last work, did in the gap.
/// Empty if the launch is unknown; may read the trace's files.
pub(crate) fn evidence(session: &Session, group: GroupId, gap: Span) -> EventLines {
    let trace = &session.trace;
    let sides = session.device(group).and_then(|device| device.sides(trace, gap));
    let call = sides.and_then(|sides| sides.asked(trace));
    let Some(call) = call else { return EventLines::default() };
    let lanes = lanes_of_thread(trace, call);
    let pieces = innermost(trace, &lanes, gap);
    let mut details = Details::default();
    let known: Ns = pieces.iter().map(|(span, _)| span.len()).sum();
    let long = |(at, (_, ns)): &(usize, (SliceId, Ns))| *at == 0 || *ns >= gap.len() / 100;
    for (at, (id, ns)) in by_name(trace, &pieces, Some).into_iter().enumerate().filter(long) {
        details.push_link(trace, if at == 0 { THREAD } else { "" }, id, of_gap(ns, gap));
    }
    if gap.len() - known >= gap.len() / 100 && known < gap.len() {
        let label = if known == 0 { THREAD } else { "" };
        details.plain(label, "nothing that is recorded".into());
        details.note(of_gap(gap.len() - known, gap));
    }
    let lines = by_name(trace, &pieces, |id| innermost_line(trace, id));
    let has_lines = !lines.is_empty();
    for (at, (id, ns)) in lines.into_iter().enumerate().filter(long) {
        details.push_link(trace, if at == 0 { SCRIPT_LINE } else { "" }, id, of_gap(ns, gap));
    }
    if let Some(line) = recorded_line(session, call).filter(|_| !has_lines) {
        details.plain(SCRIPT_LINE, line);
        details.note(" · made the call that ended the gap".into());
    }
    EventLines { arguments: details.lines, fields: Vec::<DetailLine>::new() }
}

/// Sums the time of `pieces`, ns, by the name of the event that `event` returns for each. Returns the
/// [`LISTED`] largest sums at most, with an event of each name.
fn by_name(
    trace: &Trace,
    pieces: &[(Span, SliceId)],
    event: impl Fn(SliceId) -> Option<SliceId>,
) -> Vec<(SliceId, Ns)> {
    let mut all: FxHashMap<StrId, (Ns, Ns, SliceId)> = FxHashMap::default();
    for (span, id) in pieces {
        cancel::check();
        let Some(id) = event(*id) else { continue };
        let (sum, longest, of) = all.entry(trace.slices.name[id]).or_insert((0, -1, id));
        *sum += span.len();
        if span.len() > *longest {
            (*longest, *of) = (span.len(), id);
        }
    }
    let mut all: Vec<(SliceId, Ns)> = all.into_values().map(|(sum, _, id)| (id, sum)).collect();
    all.sort_by_key(|&(id, ns)| (std::cmp::Reverse(ns), id));
    all.truncate(LISTED);
    all
}
