//! Commands on events, gaps, links and lanes.

use crate::app::input::bindings;
use crate::app::input::key::Key::{Char, Ctrl, End, Enter, Home, Left, PageDown, PageUp, Up};
use crate::app::pane::links::LinkKind;
use crate::app::pane::overlay::PromptKind;
use crate::app::pane::panes::Region;
use crate::app::state::State;
use crate::app::view::direction::Direction;
use crate::app::view::lines::{LineKind, Track};
use proftui_base::saturate::saturate;

use super::{Command, Group, Hint, When};

fn fold(state: &mut State) {
    if !state.timeline.toggle_fold(&state.session.trace) {
        return state.say("this line has nothing to fold");
    }
    state.scroll_to_focus();
}

/// Has `act` pin or hide the lane or the idle time that the focused line shows; says so if the line shows no
/// single one.
fn with_lane(state: &mut State, act: impl FnOnce(&mut State, Track) -> bool) {
    let Some(line) = state.timeline.focused() else { return };
    let Some(lane) = line.track() else {
        return state.say("this line is no lane; move to a lane first");
    };
    if !act(state, lane) {
        state.select_under_cursor();
    }
    state.scroll_to_focus();
}

/// True when the selected event or gap has a link for whose kind `is_wanted` returns true.
pub(super) fn has_link(state: &State, is_wanted: fn(LinkKind) -> bool) -> bool {
    state.selected.details().links.iter().any(|link| is_wanted(link.kind))
}

/// Does what suits the focused line and the selection: folds or unfolds a heading, selects an event or a gap,
/// looks at a gap, or moves to the Details pane.
fn enter(state: &mut State) {
    match state.timeline.focused().map(|line| line.kind) {
        Some(LineKind::Group(_) | LineKind::More(_) | LineKind::Others) => fold(state),
        _ if state.selected.selection().is_none() => state.select_under_cursor(),
        _ if state.look_at_gap() => {}
        _ => super::panes::focus_details(state),
    }
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: bindings::NEXT_EVENT.id,
        keys: bindings::NEXT_EVENT.keys,
        when: When::Timeline,
        title: "Go to the next event, value or gap of the line",
        group: Group::Events,
        hint: Hint::Normal("event"),
        run: |state| state.move_to_event(Direction::Forward),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "event.previous",
        keys: &[Left, Char('h')],
        when: When::Timeline,
        title: "Go to the previous event, value or gap of the line",
        group: Group::Events,
        run: |state| state.move_to_event(Direction::Back),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "event.longest",
        keys: &[Char('z')],
        when: When::Timeline,
        title: "Select the longest kernel of the stretch, the step or the screen",
        also: "slowest maximum kernel",
        group: Group::Events,
        run: State::go_to_longest,
        ..Command::DEFAULT
    },
    Command {
        id: "event.next-same",
        keys: &[Char('L')],
        when: When::Timeline,
        title: "Select the next event of the same name on the lane",
        group: Group::Events,
        run: |state| state.move_to_same_name(Direction::Forward),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "event.previous-same",
        keys: &[Char('H')],
        when: When::Timeline,
        title: "Select the previous event of the same name on the lane",
        group: Group::Events,
        run: |state| state.move_to_same_name(Direction::Back),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "link.forward",
        keys: &[Char(']')],
        when: When::Screen,
        title: "Go from a launch to its kernel, forward to backward, along a flow",
        group: Group::Events,
        hint: Hint::First("to kernel"),
        run: |state| state.follow_link(Direction::Forward),
        can_act: |state| has_link(state, LinkKind::is_forward),
        ..Command::DEFAULT
    },
    Command {
        id: "link.back",
        keys: &[Char('[')],
        when: When::Screen,
        title: "Go from a kernel to its launch, backward to forward, back in a flow",
        group: Group::Events,
        hint: Hint::First("to launch"),
        run: |state| state.follow_link(Direction::Back),
        can_act: |state| has_link(state, |kind| !kind.is_forward()),
        ..Command::DEFAULT
    },
    Command {
        id: "gap.next",
        keys: &[Char('i')],
        when: When::Screen,
        title: "Select the next long idle time on a device or row",
        also: "idle gap bubble",
        hint: Hint::Normal("gap"),
        can_act: |state| !state.session.ledger.devices.is_empty(),
        group: Group::Events,
        run: |state| state.move_to_gap(Direction::Forward),
        ..Command::DEFAULT
    },
    Command {
        id: "gap.previous",
        keys: &[Char('I')],
        when: When::Screen,
        title: "Select the previous long idle time on a device or row",
        also: "idle gap bubble",
        group: Group::Events,
        run: |state| state.move_to_gap(Direction::Back),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::LINE_DOWN.id,
        keys: bindings::LINE_DOWN.keys,
        when: When::Timeline,
        title: "Move to the line below",
        group: Group::Lanes,
        hint: Hint::Normal("row"),
        run: |state| state.move_focus(1),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.up",
        keys: &[Up, Char('k')],
        when: When::Timeline,
        title: "Move to the line above",
        group: Group::Lanes,
        run: |state| state.move_focus(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.page-down",
        keys: &[PageDown, Ctrl('d')],
        when: When::Timeline,
        title: "Move down by half the height of the timeline",
        group: Group::Lanes,
        run: |state| state.move_focus(saturate::<isize>((state.geometry().timeline.height / 2).max(1))),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.page-up",
        keys: &[PageUp, Ctrl('u')],
        when: When::Timeline,
        title: "Move up by half the height of the timeline",
        group: Group::Lanes,
        run: |state| state.move_focus(-saturate::<isize>((state.geometry().timeline.height / 2).max(1))),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.screen-down",
        keys: &[Ctrl('f')],
        when: When::Timeline,
        title: "Move down by the height of the timeline",
        group: Group::Lanes,
        run: |state| state.move_focus(saturate::<isize>(state.geometry().timeline.height.max(1))),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.screen-up",
        keys: &[Ctrl('b')],
        when: When::Timeline,
        title: "Move up by the height of the timeline",
        group: Group::Lanes,
        run: |state| state.move_focus(-saturate::<isize>(state.geometry().timeline.height.max(1))),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.first",
        keys: &[Home],
        when: When::Timeline,
        title: "Move to the first line of the timeline",
        group: Group::Lanes,
        run: |state| state.move_focus(isize::MIN),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.last",
        keys: &[End],
        when: When::Timeline,
        title: "Move to the last line of the timeline",
        group: Group::Lanes,
        run: |state| state.move_focus(isize::MAX),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.fold",
        keys: &[Char(' ')],
        when: When::Timeline,
        title: "Fold or unfold the focused lane or group",
        also: "collapse expand",
        group: Group::Lanes,
        hint: Hint::Normal("fold"),
        run: fold,
        ..Command::DEFAULT
    },
    Command {
        id: "lane.join",
        keys: &[Char('J')],
        when: When::Timeline,
        title: "Join streams of a device in one line, or show each",
        also: "merge gpu",
        group: Group::Lanes,
        run: State::join_streams,
        ..Command::DEFAULT
    },
    Command {
        id: "lane.pin",
        keys: &[Char('p')],
        when: When::Timeline,
        title: "Pin the focused lane to the top of the timeline, or unpin it",
        also: "top favourite",
        group: Group::Lanes,
        run: |state| with_lane(state, |state, lane| state.timeline.toggle_pin(&state.session.trace, lane)),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.hide",
        keys: &[Char('x')],
        when: When::Timeline,
        title: "Hide the focused lane",
        also: "filter remove",
        group: Group::Lanes,
        run: |state| {
            with_lane(state, |state, lane| {
                let is_shown = state.timeline.hide(&state.session.trace, lane);
                let again = state.keys.label(bindings::SHOW_ALL_LANES);
                state.say(format!("hidden; {again} shows hidden lanes again"));
                is_shown
            });
        },
        ..Command::DEFAULT
    },
    Command {
        id: bindings::SHOW_ALL_LANES.id,
        keys: bindings::SHOW_ALL_LANES.keys,
        when: When::Timeline,
        title: "Show again the lanes that were hidden or filtered out",
        group: Group::Lanes,
        run: State::show_all_lanes,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::FILTER_LANES.id,
        keys: bindings::FILTER_LANES.keys,
        when: When::Timeline,
        title: "Show only pinned lanes and lanes that match typed words",
        also: "search stream thread",
        group: Group::Lanes,
        run: |state| state.dialog.ask(PromptKind::Lanes),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::PIN_LANES.id,
        keys: bindings::PIN_LANES.keys,
        when: When::Timeline,
        title: "Pin all lanes that match the filter",
        group: Group::Lanes,
        can_act: |state| !state.timeline.filter().is_empty(),
        hint: Hint::First("pin these"),
        run: |state| state.pin_or_hide_lanes(true),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::HIDE_LANES.id,
        keys: bindings::HIDE_LANES.keys,
        when: When::Timeline,
        title: "Hide the lanes that match the filter and are not pinned",
        group: Group::Lanes,
        can_act: |state| !state.timeline.filter().is_empty(),
        hint: Hint::First("hide these"),
        run: |state| state.pin_or_hide_lanes(false),
        ..Command::DEFAULT
    },
    Command {
        id: "lane.order",
        keys: &[Char('O')],
        when: When::Timeline,
        title: "Order each group's lanes by busy time on the screen, or as at first",
        also: "sort busy",
        group: Group::Lanes,
        run: State::order_lanes,
        ..Command::DEFAULT
    },
    Command {
        id: "event.open",
        keys: &[Enter],
        when: When::Timeline,
        title: "Fold, or zoom to a gap or show details; select if nothing is selected",
        group: Group::Events,
        hint: Hint::Normal("details"),
        run: enter,
        can_act: |state| state.selected.selection().is_some(),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::DESELECT.id,
        keys: bindings::DESELECT.keys,
        when: When::Timeline,
        title: "Clear the stretch, then the selection, then the search",
        group: Group::Events,
        hint_for: |state| state.stretch.is_some().then_some(Hint::First("clear the stretch")),
        run: |state| {
            state.panes.focus(Region::Timeline);
            if state.clear_stretch() {
                return;
            }
            if state.selected.selection().is_none() {
                state.clear_search();
            }
            state.select(None);
            state.leave_gap();
        },
        is_gradual: true,
        ..Command::DEFAULT
    },
];
