//! What commands do to many lanes at once: joining, filtering, pinning, hiding, ordering.
//!
//! Must not know which key does what.

use std::collections::HashSet;
use std::sync::Arc;

use proftui_base::fmt;
use proftui_base::time::Span;
use proftui_trace::model::{GroupKind, LaneId};

use crate::app::input::bindings;
use crate::app::state::State;
use crate::app::view::lines::{LineKind, Track};
use crate::app::view::{busy, labels};

impl State {
    /// The group of the focused line.
    pub(crate) fn focused_group(&self) -> Option<u32> {
        let trace = &self.session.trace;
        self.lines.get(self.focus).map(|line| match line.kind {
            LineKind::Group(group)
            | LineKind::Idle(group)
            | LineKind::Merged(group)
            | LineKind::More(group) => group,
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                trace.lanes[lane as usize].group
            }
        })
    }

    /// Merges the streams of the focused line's device in one line, or shows each again; elsewhere those of
    /// the first device shown.
    pub(crate) fn join_streams(&mut self) {
        let trace = &self.session.trace;
        let is_device = |group: &u32| trace.groups[*group as usize].kind == GroupKind::Device;
        let first = || self.session.order.groups.iter().copied().find(is_device);
        let Some(group) = self.focused_group().filter(is_device).or_else(first) else {
            return self.say("there is no device in this trace");
        };
        let focused = self.lines.get(self.focus).map(|line| line.kind);
        if !self.lines.toggle_merged(&self.session.trace, group) {
            self.say("this device has one stream only");
        }
        let same = focused.and_then(|kind| self.lines.find(kind));
        let heading = self.lines.find(LineKind::Group(group));
        let joined = self.lines.find(LineKind::Merged(group));
        self.focus = same.or(joined).or(heading).unwrap_or(self.focus);
        self.scroll_to_focus();
    }

    /// Shows only the lanes whose names, or those of their groups, have all words of the text and none that
    /// follows `not`; all lanes for an empty text.
    pub(crate) fn filter_lanes(&mut self, text: &str) {
        let focused = self.lines.get(self.focus).map(|line| line.kind);
        text.trim().clone_into(&mut self.lane_filter);
        let only = (!self.lane_filter.is_empty()).then(|| self.matching_lanes());
        self.lines.show_only(&self.session.trace, only);
        let trace = &self.session.trace;
        self.focus =
            focused.and_then(|kind| self.lines.find(kind)).unwrap_or_else(|| self.lines.first_focus(trace));
        self.scroll_to_focus();
    }

    fn matching_lanes(&self) -> HashSet<Track> {
        let trace = &self.session.trace;
        let mut words: Vec<(bool, String)> = Vec::new();
        let mut is_wanted = true;
        for word in self.lane_filter.to_lowercase().split_whitespace() {
            if word == "not" {
                is_wanted = false;
            } else {
                words.push((std::mem::replace(&mut is_wanted, true), word.to_owned()));
            }
        }
        let meets = |title: &str| {
            let title = title.to_lowercase();
            words.iter().all(|(is_wanted, word)| title.contains(word.as_str()) == *is_wanted)
        };
        let of_group = |group: u32| trace.group_title(&trace.groups[group as usize]);
        let is_met = |&lane: &LaneId| {
            let lane = &trace.lanes[lane as usize];
            let (name, layer) = labels::lane(trace, lane);
            meets(&format!("{} {name} {layer}", of_group(lane.group)))
        };
        let lanes = (0..trace.lanes.len() as LaneId).filter(is_met).map(Track::Lane);
        let idle = self.lines.idle_groups().filter(|&group| meets(&format!("{} idle", of_group(group))));
        lanes.chain(idle.map(Track::Idle)).collect()
    }

    /// Says how many lanes the filter leaves, and what can be done with them.
    pub(crate) fn say_lane_filter(&mut self) {
        if self.lane_filter.is_empty() {
            return self.say("all lanes are shown");
        }
        let lanes = fmt::counted(self.matching_lanes().len() as u64, "lane");
        let [pin, hide, all] = [bindings::PIN_LANES, bindings::HIDE_LANES, bindings::SHOW_ALL_LANES]
            .map(|binding| self.keys.label(binding));
        self.say(format!(
            "{lanes} shown; {pin} pins and {hide} hides all of them, {all} shows all lanes again"
        ));
    }

    /// Pins or hides all lanes that the filter leaves, and ends the filter.
    pub(crate) fn pin_or_hide_lanes(&mut self, is_pinned: bool) {
        if self.lane_filter.is_empty() {
            let filter = self.keys.label(bindings::FILTER_LANES);
            return self.say(format!("filter lanes first: {filter}"));
        }
        let lanes = self.matching_lanes();
        let count = fmt::counted(lanes.len() as u64, "lane");
        self.lines.set_all(&self.session.trace, lanes.into_iter(), is_pinned);
        self.filter_lanes("");
        let all = self.keys.label(bindings::SHOW_ALL_LANES);
        self.say(if is_pinned {
            format!("{count} pinned to the top")
        } else {
            format!("{count} hidden; {all} shows all lanes again")
        });
    }

    /// Shows all hidden lanes again, and ends the filter.
    pub(crate) fn show_all_lanes(&mut self) {
        self.lines.show_all(&self.session.trace);
        self.filter_lanes("");
    }

    /// Orders the lanes of each group by their busy time on the screen, or as at first.
    pub(crate) fn order_lanes(&mut self) {
        let focused = self.lines.get(self.focus).map(|line| line.kind);
        let trace = &self.session.trace;
        let is_first = Arc::ptr_eq(self.lines.order(), &self.session.order);
        let order = if is_first {
            let view = self.viewport;
            let seen = Span { start: view.start.max(trace.span.start), end: view.end.min(trace.span.end) };
            let busy = |lane: LaneId| {
                let row = busy::row_of(&trace.lanes[lane as usize])?;
                Some(self.session.index.sum(trace, row, seen).busy)
            };
            Arc::new(self.session.order.by(trace, busy))
        } else {
            Arc::clone(&self.session.order)
        };
        self.lines.reorder(trace, order);
        self.focus = focused.and_then(|kind| self.lines.find(kind)).unwrap_or_default();
        self.scroll_to_focus();
        self.say(if is_first { "lanes by busy time on the screen" } else { "lanes in their first order" });
    }
}
