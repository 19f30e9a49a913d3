//! Commands on panes.

use crate::app::input::bindings;
use crate::app::input::key::Key::{
    BackTab, Char, Ctrl, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Up,
};
use crate::app::pane::icicle::Step;
use crate::app::pane::overlay::PromptKind;
use crate::app::pane::panes::{Pane, Region};
use crate::app::pane::table_pane::TablePane;
use crate::app::state::State;
use proftui_base::saturate::saturate;
use proftui_insight::analysis::VIEWS;

use super::{Command, Group, Hint, When};

pub(super) fn show(state: &mut State, pane: Pane) {
    state.panes.show(pane);
    state.scroll_to_focus();
}

/// Shows `pane` as its key does: the key pressed again shows the next pane of its topic.
pub(super) fn show_by_key(state: &mut State, pane: Pane) {
    state.panes.show_by_key(pane, &state.session);
    state.scroll_to_focus();
}

pub(super) fn focus_details(state: &mut State) {
    show(state, Pane::Details);
    state.panes.focus(Region::Pane);
}

fn has_top(state: &State) -> bool {
    let width = state.geometry().pane.width;
    state.table().is_some_and(|pane| pane.chart_with_top(width).is_some() && pane.rows.top_shown() > 1)
}

/// Moves the focus in the pane by `by` lines (negative: up); in a flame by one frame, inwards if `by` is
/// positive, else outwards.
fn scroll(state: &mut State, by: isize) {
    match state.panes.shown() {
        Pane::Details => state.selected.move_line(by),
        Pane::Table(_) | Pane::Found => {
            if !state.move_frame(if by > 0 { Step::In } else { Step::Out }) {
                state.in_table(|pane| pane.move_line(by));
                state.preview_row();
            }
        }
    }
}

fn page(state: &State) -> isize {
    saturate::<isize>(state.geometry().pane.height.max(2)) - 1
}

fn follow(state: &mut State) {
    match (state.panes.shown(), state.selected.target()) {
        (Pane::Details, Some(target)) => state.jump(target),
        (Pane::Details, None) => state.say("there is no event to go to here"),
        (Pane::Table(_) | Pane::Found, _) => {
            if !state.enter_frame() {
                follow_row(state);
            }
        }
    }
}

/// Goes to the location of the focused row of a summary and shows the Details pane or, if the row has no
/// location, goes to its event.
fn follow_row(state: &mut State) {
    let trace = &state.session.trace;
    if let Some(location) = state.table().and_then(|pane| pane.location(trace)) {
        state.go_to_location(location);
        return show(state, Pane::Details);
    }
    if state.panes.shown() == Pane::Found
        && let Some((event, _)) = state.table().and_then(TablePane::target)
    {
        state.jump(event);
        return show(state, Pane::Details);
    }
    state.follow_row_event();
}

/// Shows the next (`by` 1) or previous (-1) pane, going around at both ends.
fn next_pane(state: &mut State, by: isize) {
    state.panes.show_next(by, &state.session);
    state.scroll_to_focus();
}

fn filter(state: &mut State) {
    let kind = if state.panes.shown() == Pane::Details { PromptKind::Search } else { PromptKind::Filter };
    state.dialog.ask(kind);
}

/// The command that shows the Details pane.
pub(super) static DETAILS: Command = Command {
    id: "pane.details",
    keys: &[Char('1')],
    when: When::Screen,
    title: "What is selected: details of the event or gap",
    also: "here details arguments stack",
    group: Group::Panes,
    run: |state| show(state, Pane::Details),
    ..Command::DEFAULT
};

/// The command that lists what the search found.
pub(super) static FOUND: Command = Command {
    id: "find.list",
    keys: &[Char(';')],
    when: When::Screen,
    title: "List what the search found; moving in the list shows each event",
    also: "hits results found table",
    group: Group::Find,
    hint_for: |state| state.finding.search().map(|_| Hint::Normal("list")),
    run: State::list_hits,
    ..Command::DEFAULT
};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: bindings::FOCUS_PANE.id,
        keys: bindings::FOCUS_PANE.keys,
        when: When::Screen,
        title: "Move to the pane; in a pane, show the next pane",
        group: Group::Panes,
        hint: Hint::First("pane"),
        run: |state| match state.panes.region() {
            Region::Timeline => {
                state.panes.focus(Region::Pane);
                show(state, state.panes.shown());
            }
            Region::Pane => next_pane(state, 1),
        },
        ..Command::DEFAULT
    },
    Command {
        id: "pane.previous",
        keys: &[BackTab],
        when: When::Pane,
        title: "Show the previous pane",
        group: Group::Panes,
        run: |state| next_pane(state, -1),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::SCOPE.id,
        keys: bindings::SCOPE.keys,
        when: When::Screen,
        title: "Switch most tables' time: trace, screen, event, stretch, step, phase",
        group: Group::Panes,
        run: State::next_scope,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::CHOOSE_GROUP.id,
        keys: bindings::CHOOSE_GROUP.keys,
        when: When::Screen,
        title: "Choose the rank, process, device or lane that most summaries cover",
        group: Group::Panes,
        run: State::list_groups,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::NEXT_GROUPING.id,
        keys: bindings::NEXT_GROUPING.keys,
        when: When::Screen,
        title: "Group operators, kernels or flame frames another way",
        also: "shape stack launch module",
        group: Group::Panes,
        hint: Hint::Normal("group"),
        run: State::next_grouping,
        can_act: |state| match state.panes.shown() {
            Pane::Details | Pane::Found => false,
            Pane::Table(view) => !VIEWS[view].groupings.is_empty() && !VIEWS[view].starts_grouped,
        },
        ..Command::DEFAULT
    },
    Command {
        id: "pane.chart",
        keys: &[Char('V')],
        when: When::Screen,
        title: "Switch between the summary's table and its charts",
        group: Group::Panes,
        hint: Hint::Normal("chart"),
        run: State::next_chart,
        can_act: |state| state.table().is_some_and(|pane| !pane.table.charts.is_empty()),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::NEXT_WEIGHT.id,
        keys: bindings::NEXT_WEIGHT.keys,
        when: When::Pane,
        title: "Weigh frames by host or device time, bytes copied or set, or calls",
        group: Group::Panes,
        hint: Hint::Normal("weight"),
        run: State::next_weight,
        can_act: State::has_flame,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.flip",
        keys: &[Char('z')],
        when: When::Pane,
        title: "Flip a flame top-down or bottom-up; elsewhere as on the timeline",
        group: Group::Panes,
        hint: Hint::Normal("flip"),
        run: |state| if state.has_flame() { state.flip_flame() } else { state.go_to_longest() },
        can_act: State::has_flame,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.beside",
        keys: &[Char('|')],
        when: When::Screen,
        title: "Show two charts or table and chart side by side; again: undo it",
        group: Group::Panes,
        run: State::toggle_beside,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.unit",
        keys: &[Char('M')],
        when: When::Screen,
        title: "Switch units of durations in columns, charts: by size, ns, us, ms, s",
        group: Group::Panes,
        run: State::next_unit,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::MORE_ROWS.id,
        keys: bindings::MORE_ROWS.keys,
        when: When::Pane,
        title: "Give more rows a bar of their own in the chart",
        group: Group::Panes,
        hint: Hint::Normal("bars"),
        run: |state| state.change_top(1),
        can_act: has_top,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::FEWER_ROWS.id,
        keys: bindings::FEWER_ROWS.keys,
        when: When::Pane,
        title: "Give fewer rows a bar of their own in the chart",
        group: Group::Panes,
        hint: Hint::Normal("bars"),
        run: |state| state.change_top(-1),
        can_act: has_top,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::NEXT_COLUMNS.id,
        keys: bindings::NEXT_COLUMNS.keys,
        when: When::Pane,
        title: "Show the columns that do not fit; in a flame, go to the next sibling",
        group: Group::Panes,
        run: |state| {
            if !state.move_frame(Step::Next) {
                state.in_table(|pane| pane.move_columns(1));
            }
        },
        ..Command::DEFAULT
    },
    Command {
        id: "pane.columns-previous",
        keys: &[Left, Char('h')],
        when: When::Pane,
        title: "Show the previous columns; in a flame, go to the previous sibling",
        group: Group::Panes,
        run: |state| {
            if !state.move_frame(Step::Previous) {
                state.in_table(|pane| pane.move_columns(-1));
            }
        },
        ..Command::DEFAULT
    },
    Command {
        id: "pane.filter",
        keys: &[Char('/')],
        when: When::Pane,
        title: "Type text to filter outer rows; in the pane Here, search events",
        group: Group::Panes,
        hint: Hint::Normal("filter"),
        run: filter,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.fold",
        keys: &[Char(' ')],
        when: When::Pane,
        title: "Fold or unfold the focused row, or the row around it",
        group: Group::Panes,
        hint: Hint::Normal("unfold"),
        run: |state| state.in_table(TablePane::fold),
        can_act: |state| {
            state.table().and_then(|pane| pane.row(pane.line)).is_some_and(|row| !row.children.is_empty())
        },
        ..Command::DEFAULT
    },
    Command {
        id: "pane.size",
        keys: &[Char('o')],
        when: When::Screen,
        title: "Switch the pane's size: small, large, hidden",
        also: "maximize enlarge bigger whole fullscreen",
        group: Group::Panes,
        run: |state| {
            state.panes.next_size();
            state.scroll_to_focus();
        },
        ..Command::DEFAULT
    },
    Command {
        id: "pane.down",
        keys: &[Down, Char('j')],
        when: When::Pane,
        title: "Move down one line in the pane",
        group: Group::Panes,
        hint: Hint::Normal("scroll"),
        run: |state| scroll(state, 1),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.up",
        keys: &[Up, Char('k')],
        when: When::Pane,
        title: "Move up one line in the pane",
        group: Group::Panes,
        run: |state| scroll(state, -1),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.page-down",
        keys: &[PageDown, Ctrl('f')],
        when: When::Pane,
        title: "Move down one page in the pane, or one frame in a flame",
        group: Group::Panes,
        run: |state| scroll(state, page(state)),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.page-up",
        keys: &[PageUp, Ctrl('b')],
        when: When::Pane,
        title: "Move up one page in the pane, or one frame in a flame",
        group: Group::Panes,
        run: |state| scroll(state, -page(state)),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.half-down",
        keys: &[Ctrl('d')],
        when: When::Pane,
        title: "Move down half a page in the pane, or one frame in a flame",
        group: Group::Panes,
        run: |state| scroll(state, (page(state) / 2).max(1)),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.half-up",
        keys: &[Ctrl('u')],
        when: When::Pane,
        title: "Move up half a page in the pane, or one frame in a flame",
        group: Group::Panes,
        run: |state| scroll(state, -(page(state) / 2).max(1)),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.first",
        keys: &[Home],
        when: When::Pane,
        title: "Move to the first line of the pane, or up one frame in a flame",
        group: Group::Panes,
        run: |state| scroll(state, isize::MIN),
        ..Command::DEFAULT
    },
    Command {
        id: "pane.last",
        keys: &[End],
        when: When::Pane,
        title: "Move to the last line of the pane, or down one frame in a flame",
        group: Group::Panes,
        run: |state| scroll(state, isize::MAX),
        ..Command::DEFAULT
    },
    Command {
        id: "pane.follow",
        keys: &[Enter],
        when: When::Pane,
        title: "Go to the line's event or location; in a flame, zoom in if possible",
        group: Group::Panes,
        hint: Hint::First("go there"),
        run: follow,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.copy",
        keys: &[Char('y')],
        when: When::Screen,
        title: "Copy a pane's row, line or frame, a stretch's table or an event name",
        also: "clipboard yank export",
        group: Group::Panes,
        run: State::copy,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.leave",
        keys: &[Esc],
        when: When::Pane,
        title: "Return to the timeline",
        group: Group::Panes,
        hint: Hint::Normal("timeline"),
        run: |state| {
            if !state.leave_frame() {
                state.panes.focus(Region::Timeline);
            }
        },
        ..Command::DEFAULT
    },
];
