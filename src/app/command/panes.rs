//! Commands on panes.

use crate::app::geometry::PaneSize;
use crate::app::state::{Pane, Region, State};

use super::{Command, Group, When};

fn show(state: &mut State, pane: Pane) {
    if state.pane != pane {
        (state.pane, state.pane_line) = (pane, 0);
    }
    if state.pane_size == PaneSize::Hidden {
        state.pane_size = PaneSize::Small;
    }
    state.scroll_to_focus();
}

pub(super) fn focus_details(state: &mut State) {
    show(state, Pane::Details);
    state.region = Region::Pane;
}

/// Moves by `by` lines in the pane, to its end at most.
fn scroll(state: &mut State, by: isize) {
    let lines = match state.pane {
        Pane::Details => state.details.lines.len(),
        Pane::Overview => state.session.overview.rows.len() + state.session.overview.notes.len(),
        Pane::Quality => state.session.quality.rows.len() + state.session.quality.notes.len(),
    };
    state.pane_line = state.pane_line.saturating_add_signed(by).min(lines.saturating_sub(1));
}

fn page(state: &State) -> isize {
    state.geometry().pane.height.max(2) as isize - 1
}

fn follow(state: &mut State) {
    let target = state.details.lines.get(state.pane_line).and_then(|line| line.target);
    match (state.pane, target) {
        (Pane::Details, Some(target)) => state.jump(target),
        _ => state.say("this line leads nowhere; lines that do are marked"),
    }
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "pane.details",
        keys: &["1"],
        when: When::Screen,
        title: "Details of the selected event",
        group: Group::Panes,
        hint: None,
        run: |state| show(state, Pane::Details),
    },
    Command {
        id: "pane.overview",
        keys: &["2"],
        when: When::Screen,
        title: "Overview: totals by category",
        group: Group::Panes,
        hint: None,
        run: |state| show(state, Pane::Overview),
    },
    Command {
        id: "pane.quality",
        keys: &["3"],
        when: When::Screen,
        title: "Quality: what was lost, repaired or odd",
        group: Group::Panes,
        hint: None,
        run: |state| show(state, Pane::Quality),
    },
    Command {
        id: "pane.focus",
        keys: &["tab"],
        when: When::Screen,
        title: "To the pane, or back to the timeline",
        group: Group::Panes,
        hint: Some("pane"),
        run: |state| {
            state.region = match state.region {
                Region::Timeline => Region::Pane,
                Region::Pane => Region::Timeline,
            };
            if state.region == Region::Pane {
                show(state, state.pane);
            }
        },
    },
    Command {
        id: "pane.size",
        keys: &["o"],
        when: When::Screen,
        title: "Pane small, large, hidden",
        group: Group::Panes,
        hint: None,
        run: |state| {
            state.pane_size = state.pane_size.next();
            if state.pane_size == PaneSize::Hidden {
                state.region = Region::Timeline;
            }
            state.scroll_to_focus();
        },
    },
    Command {
        id: "pane.down",
        keys: &["down", "j"],
        when: When::Pane,
        title: "Down a line in the pane",
        group: Group::Panes,
        hint: Some("scroll"),
        run: |state| scroll(state, 1),
    },
    Command {
        id: "pane.up",
        keys: &["up", "k"],
        when: When::Pane,
        title: "Up a line in the pane",
        group: Group::Panes,
        hint: None,
        run: |state| scroll(state, -1),
    },
    Command {
        id: "pane.page-down",
        keys: &["pagedown"],
        when: When::Pane,
        title: "Down a page in the pane",
        group: Group::Panes,
        hint: None,
        run: |state| scroll(state, page(state)),
    },
    Command {
        id: "pane.page-up",
        keys: &["pageup"],
        when: When::Pane,
        title: "Up a page in the pane",
        group: Group::Panes,
        hint: None,
        run: |state| scroll(state, -page(state)),
    },
    Command {
        id: "pane.follow",
        keys: &["enter"],
        when: When::Pane,
        title: "Go where the line leads",
        group: Group::Panes,
        hint: Some("go there"),
        run: follow,
    },
    Command {
        id: "pane.leave",
        keys: &["esc"],
        when: When::Pane,
        title: "Back to the timeline",
        group: Group::Panes,
        hint: Some("back"),
        run: |state| state.region = Region::Timeline,
    },
];
