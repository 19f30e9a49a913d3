//! What commands do to many lanes at once: joining, filtering, pinning, hiding, ordering.
//!
//! Must not know the table of commands: messages take the names of keys from `bindings`.

use proftui_base::fmt;
use proftui_trace::model::{GroupId, GroupKind};

use crate::app::input::bindings;
use crate::app::state::State;

impl State {
    /// Merges streams of a device, usually the focused line's, into one line, or shows each on its own again.
    /// Says so if there is nothing to merge.
    pub(crate) fn join_streams(&mut self) {
        let trace = &self.session.trace;
        let is_device = |group: &GroupId| trace.groups[*group].kind == GroupKind::Device;
        let first = || self.session.order.groups.iter().copied().find(is_device);
        let Some(group) = self.timeline.focused_group(trace).filter(is_device).or_else(first) else {
            return self.say("no event of a device is loaded");
        };
        if !self.timeline.toggle_merged(trace, group) {
            self.say(
                "fewer than two streams of the device can be merged; hidden, pinned or filtered out ones \
                 cannot",
            );
        }
        self.scroll_to_focus();
    }

    /// Filters the lanes and lines of idle time by the words of `text`; an empty text ends the filter.
    pub(crate) fn filter_lanes(&mut self, text: &str) {
        self.timeline.filter_by(&self.session.trace, text);
        self.scroll_to_focus();
    }

    /// Says how many lanes and lines of idle time match the filter or, without a filter, that lanes are not
    /// filtered.
    pub(crate) fn say_lane_filter(&mut self) {
        if self.timeline.filter().is_empty() {
            return self.say("lanes are not filtered");
        }
        let count = fmt::count(self.timeline.count_matching(&self.session.trace) as u64);
        let [pin, hide, all] = [bindings::PIN_LANES, bindings::HIDE_LANES, bindings::SHOW_ALL_LANES]
            .map(|binding| self.keys.label(binding));
        self.say(format!(
            "{count} found; {pin} pins them, {hide} hides those not pinned, {all} shows the others again"
        ));
    }

    /// Pins (`is_pinned`) all lanes and lines of idle time that match the filter, or hides those not pinned,
    /// and ends the filter. Says how many match, or that a filter is needed.
    pub(crate) fn pin_or_hide_lanes(&mut self, is_pinned: bool) {
        if self.timeline.filter().is_empty() {
            let filter = self.keys.label(bindings::FILTER_LANES);
            return self.say(format!("filter lanes first: {filter}"));
        }
        let count = self.timeline.pin_or_hide_matching(&self.session.trace, is_pinned);
        self.scroll_to_focus();
        let count = fmt::count(count as u64);
        let all = self.keys.label(bindings::SHOW_ALL_LANES);
        self.say(if is_pinned {
            format!("{count} pinned to the top")
        } else {
            format!("{count} hidden unless pinned; {all} shows hidden lanes again")
        });
    }

    /// Shows all hidden lanes and lines of idle time again, and ends the filter.
    pub(crate) fn show_all_lanes(&mut self) {
        self.timeline.show_all(&self.session.trace);
        self.scroll_to_focus();
    }

    /// Orders the lanes of each group by their busy time on the screen or, if they are ordered by busy time
    /// already, returns to their first order. Says which.
    pub(crate) fn order_lanes(&mut self) {
        let is_by_busy = self.timeline.toggle_order(&self.session);
        self.scroll_to_focus();
        self.say(if is_by_busy {
            "in each group, the lanes that are busiest on the screen are first"
        } else {
            "lanes in their first order"
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Session;
    use crate::app::view::line::{Line, Track};
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::model::LaneId;

    /// A state over six threads with an event each, with the focus on the fifth.
    fn on_the_fifth() -> State {
        let event = |tid: u32| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"op","pid":9,"tid":{tid},"ts":{tid},"dur":5}}"#)
        };
        let text = format!("[{}]", (1..=6).map(event).collect::<Vec<_>>().join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let mut state = State::new(Session::new(loaded), (80, 40));
        state.timeline.focus_on_lane(LaneId::new(4));
        state
    }

    fn focused(state: &State) -> Option<LaneId> {
        state.timeline.focused().and_then(Line::lane)
    }

    #[test]
    fn the_focus_stays_on_its_lane_when_all_that_a_filter_leaves_are_pinned() {
        let mut state = on_the_fifth();
        state.filter_lanes("not 1");
        assert_eq!(focused(&state), Some(LaneId::new(4)));
        state.pin_or_hide_lanes(true);
        assert!(state.timeline.lines().pinned_len() > 3);
        assert_eq!(focused(&state), Some(LaneId::new(4)));
    }

    #[test]
    fn the_focus_stays_on_its_lane_when_hidden_ones_are_shown_again() {
        let mut state = on_the_fifth();
        assert!(state.timeline.hide(&state.session.trace, Track::Lane(LaneId::new(1))));
        assert_eq!(focused(&state), Some(LaneId::new(4)));
        state.show_all_lanes();
        assert_eq!((focused(&state), state.timeline.lines().hidden()), (Some(LaneId::new(4)), 0));
    }

    #[test]
    fn the_focus_leaves_a_lane_that_is_hidden_for_the_first_line_of_events() {
        let mut state = on_the_fifth();
        state.filter_lanes("not 1");
        state.pin_or_hide_lanes(false);
        let first = state.timeline.lines().first_focus(&state.session.trace);
        assert_eq!((focused(&state), state.timeline.focus()), (Some(LaneId::new(0)), first));
    }
}
