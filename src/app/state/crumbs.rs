//! Where the user is, from the trace down to the selected event: the parts of the title line.
//!
//! Must not know how a part is drawn.

use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_trace::model::{LaneId, Trace};

use super::State;
use crate::app::pane::clicks::Click;
use crate::app::pane::selected::Selected;
use crate::app::session::{Selection, Session};
use crate::app::view::labels;
use crate::app::view::timefmt::step_at;

/// Endings of file names that say nothing about the trace, the last first.
const ENDINGS: [&str; 6] = [".gz", ".zst", ".json", ".pb", ".trace", ".pt"];

/// A part of the title line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crumb {
    /// The part's text.
    pub text: SafeText<'static>,
    /// What a click on the part asks for; none if it asks for nothing.
    pub click: Option<Click>,
    /// True for a name, which may be cut; false for a step or a time.
    pub is_name: bool,
}

/// The parts, the outermost first: trace, rank, step, time on the screen, lane, event.
pub fn crumbs(state: &State) -> Vec<Crumb> {
    let (session, trace) = (&state.session, &state.session.trace);
    let worker = state.worker();
    let mut crumbs = vec![Crumb { text: name(trace), click: Some(Click::Whole), is_name: true }];
    let mut add = |text: String, click: Option<Click>, is_name: bool| {
        crumbs.push(Crumb { text: SafeText::from(text), click, is_name });
    };
    if let Some(rank) = trace.meta.workers.get(worker).filter(|_| trace.meta.workers.len() > 1) {
        add(rank.clone(), None, false);
    }
    if let Some(step) = step_at(trace, worker, state.timeline.cursor()) {
        let inferred = if trace.meta.inferred.is_some() { "inferred " } else { "" };
        let serving = step.serving.map_or(String::new(), |serving| format!(" {serving}"));
        add(format!("{inferred}step {}{serving}", step.number), Some(Click::Step), false);
    }
    let (view, all) = (state.timeline.viewport(), trace.main_span);
    let whole = fmt::duration(all.len());
    let seen = view.end.min(all.end).saturating_sub(view.start.max(all.start)).max(0);
    let part = format!("{} of {whole}", fmt::duration(seen));
    add(if seen >= all.len() { format!("all {whole}") } else { part }, None, false);
    if let Some((lane, text)) = selected(&state.selected, session) {
        if let Some(lane) = lane {
            add(lane.to_string(), None, true);
        }
        add(text.to_string(), None, true);
    }
    crumbs
}

/// The name of the trace's file, without endings that say nothing.
fn name(trace: &Trace) -> SafeText<'static> {
    let title = trace.title();
    let mut name = title.rsplit('/').next().unwrap_or(&title);
    for ending in ENDINGS {
        name = name.strip_suffix(ending).filter(|name| !name.is_empty()).unwrap_or(name);
    }
    SafeText::new(name).into_owned()
}

/// The label of the lane and the name of what is selected.
fn selected(
    selected: &Selected,
    session: &Session,
) -> Option<(Option<SafeText<'static>>, SafeText<'static>)> {
    let trace = &session.trace;
    let label = |lane: LaneId| match session.roles.get(lane) {
        Some(role) => SafeText::new(role).into_owned(),
        None => labels::lane(trace, &trace.lanes[lane]).0,
    };
    Some(match selected.selection()? {
        Selection::Slice(id) => (Some(label(trace.lane_of(id))), trace.name(id).into_owned()),
        Selection::Instant(i) => {
            let instant = &trace.instants[i as usize];
            (Some(label(instant.lane)), trace.string_or(instant.name, "(unnamed)").into_owned())
        }
        Selection::Gap(row, gap) => {
            let text = SafeText::from(format!("gap of {}", fmt::duration(gap.len())));
            (Some(label(trace.rows[row].lane)), text)
        }
        Selection::Idle(group, gap) => {
            let device = labels::device(&trace.group_title(&trace.groups[group]));
            let text = SafeText::from(format!("idle for {}", fmt::duration(gap.len())));
            (Some(SafeText::from(device)), text)
        }
    })
}
