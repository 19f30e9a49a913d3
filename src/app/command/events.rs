//! Commands on events, links and lanes.

use crate::app::lines::{LineKind, Lines};
use crate::app::select::Direction;
use crate::app::state::{Region, State};

use super::{Command, Group, When};

fn fold(state: &mut State) {
    let Some(&line) = state.lines.get(state.focus) else { return };
    if !Lines::can_fold(&state.session.trace, &line) {
        return state.say("there is nothing to fold here");
    }
    state.lines.toggle_fold(&state.session.trace, &line);
    // The focus stays on the lane: on the same row, or on the lane's head when the row was folded away.
    let same = state.lines.find(line.kind);
    let head = || state.lines.list().iter().position(|other| other.lane() == line.lane());
    state.focus = same.or_else(head).unwrap_or(state.focus);
    state.scroll_to_focus();
}

fn with_lane(state: &mut State, act: impl FnOnce(&mut State, u32)) {
    let Some(line) = state.lines.get(state.focus).copied() else { return };
    let Some(lane) = line.lane() else {
        return state.say("move to a lane first; this line is the heading of a group");
    };
    act(state, lane);
    let again = state.lines.list().iter().position(|other| other.kind == line.kind);
    state.focus = again.unwrap_or(state.focus).min(state.lines.len().saturating_sub(1));
    if again.is_none() {
        state.select_under_cursor();
    }
    state.scroll_to_focus();
}

/// Enter: opens a heading, or reads the details of an event.
fn enter(state: &mut State) {
    match state.lines.get(state.focus).map(|line| line.kind) {
        Some(LineKind::Group(_)) => fold(state),
        _ if state.selection.is_none() => state.select_under_cursor(),
        _ => super::panes::focus_details(state),
    }
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "event.next",
        keys: &["right", "l"],
        when: When::Timeline,
        title: "Next event on the row",
        group: Group::Events,
        hint: Some("event"),
        run: |state| state.step_event(Direction::Forth),
    },
    Command {
        id: "event.previous",
        keys: &["left", "h"],
        when: When::Timeline,
        title: "Previous event on the row",
        group: Group::Events,
        hint: None,
        run: |state| state.step_event(Direction::Back),
    },
    Command {
        id: "event.next-same",
        keys: &["L"],
        when: When::Timeline,
        title: "Next event of the same name",
        group: Group::Events,
        hint: None,
        run: |state| state.step_same_name(Direction::Forth),
    },
    Command {
        id: "event.previous-same",
        keys: &["H"],
        when: When::Timeline,
        title: "Previous event of the same name",
        group: Group::Events,
        hint: None,
        run: |state| state.step_same_name(Direction::Back),
    },
    Command {
        id: "link.forth",
        keys: &["]"],
        when: When::Screen,
        title: "Follow the link forth: launch to kernel, forward to backward",
        group: Group::Events,
        hint: Some("to kernel"),
        run: |state| state.follow_link(Direction::Forth),
    },
    Command {
        id: "link.back",
        keys: &["["],
        when: When::Screen,
        title: "Follow the link back: kernel to launch, backward to forward",
        group: Group::Events,
        hint: Some("to launch"),
        run: |state| state.follow_link(Direction::Back),
    },
    Command {
        id: "gap.next",
        keys: &["i"],
        when: When::Timeline,
        title: "Next gap on the row, at least two columns wide",
        group: Group::Events,
        hint: None,
        run: |state| state.step_gap(Direction::Forth),
    },
    Command {
        id: "gap.previous",
        keys: &["I"],
        when: When::Timeline,
        title: "Previous gap on the row",
        group: Group::Events,
        hint: None,
        run: |state| state.step_gap(Direction::Back),
    },
    Command {
        id: "lane.down",
        keys: &["down", "j"],
        when: When::Timeline,
        title: "Down: deeper, then the next lane",
        group: Group::Lanes,
        hint: Some("row"),
        run: |state| state.step_line(1),
    },
    Command {
        id: "lane.up",
        keys: &["up", "k"],
        when: When::Timeline,
        title: "Up: shallower, then the previous lane",
        group: Group::Lanes,
        hint: None,
        run: |state| state.step_line(-1),
    },
    Command {
        id: "lane.page-down",
        keys: &["pagedown"],
        when: When::Timeline,
        title: "Down by half a screen",
        group: Group::Lanes,
        hint: None,
        run: |state| state.step_line((state.geometry().timeline.height / 2).max(1) as isize),
    },
    Command {
        id: "lane.page-up",
        keys: &["pageup"],
        when: When::Timeline,
        title: "Up by half a screen",
        group: Group::Lanes,
        hint: None,
        run: |state| state.step_line(-((state.geometry().timeline.height / 2).max(1) as isize)),
    },
    Command {
        id: "lane.first",
        keys: &["home"],
        when: When::Timeline,
        title: "To the first line",
        group: Group::Lanes,
        hint: None,
        run: |state| state.step_line(isize::MIN),
    },
    Command {
        id: "lane.last",
        keys: &["end"],
        when: When::Timeline,
        title: "To the last line",
        group: Group::Lanes,
        hint: None,
        run: |state| state.step_line(isize::MAX),
    },
    Command {
        id: "lane.fold",
        keys: &["space"],
        when: When::Timeline,
        title: "Fold or unfold the lane or group",
        group: Group::Lanes,
        hint: Some("fold"),
        run: fold,
    },
    Command {
        id: "lane.pin",
        keys: &["p"],
        when: When::Timeline,
        title: "Pin the lane on top, or let it go",
        group: Group::Lanes,
        hint: None,
        run: |state| with_lane(state, |state, lane| state.lines.toggle_pin(&state.session.trace, lane)),
    },
    Command {
        id: "lane.hide",
        keys: &["x"],
        when: When::Timeline,
        title: "Hide the lane",
        group: Group::Lanes,
        hint: None,
        run: |state| {
            with_lane(state, |state, lane| {
                state.lines.hide(&state.session.trace, lane);
                let again = super::key_of("lane.show-all");
                state.say(format!("{} hidden; {again} shows all again", count(state.lines.hidden(), "lane")));
            });
        },
    },
    Command {
        id: "lane.show-all",
        keys: &["X"],
        when: When::Timeline,
        title: "Show all hidden lanes",
        group: Group::Lanes,
        hint: None,
        run: |state| {
            state.lines.show_all(&state.session.trace);
            state.scroll_to_focus();
        },
    },
    Command {
        id: "event.open",
        keys: &["enter"],
        when: When::Timeline,
        title: "Read the details of the event under the cursor",
        group: Group::Events,
        hint: Some("details"),
        run: enter,
    },
    Command {
        id: "event.deselect",
        keys: &["esc"],
        when: When::Timeline,
        title: "Select nothing; again: clear the search",
        group: Group::Events,
        hint: None,
        run: |state| {
            state.region = Region::Timeline;
            if state.selection.is_none() {
                state.search = None;
            }
            state.select(None);
        },
    },
];

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what} is") } else { format!("{n} {what}s are") }
}
