//! Commands on time: zoom, pan, places, steps.

use crate::app::overlay::{Overlay, PromptKind};
use crate::app::select::Direction;
use crate::app::state::State;
use crate::app::view;

use super::{Command, Group, When};

/// One zoom step and a large one.
const ZOOM: (f64, f64) = (0.7, 0.25);
/// One pan step and a large one, in parts of the view.
const PAN: (f64, f64) = (0.1, 0.5);

fn zoom(state: &mut State, factor: f64) {
    state.view = view::zoom(state.view, state.cursor, factor, state.session.trace.span);
    state.keep_cursor();
}

/// Pans; the cursor keeps its column, so that what comes into sight can be acted on.
fn pan(state: &mut State, part: f64) {
    let before = state.view;
    state.view = view::pan(before, part, state.session.trace.span);
    state.cursor = state.cursor.saturating_add(state.view.start.saturating_sub(before.start));
    state.keep_cursor();
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "view.zoom-in",
        keys: &["w", "+"],
        when: When::Timeline,
        title: "Zoom in about the cursor",
        group: Group::Time,
        hint: Some("zoom in"),
        run: |state| zoom(state, ZOOM.0),
    },
    Command {
        id: "view.zoom-out",
        keys: &["s", "-"],
        when: When::Timeline,
        title: "Zoom out about the cursor",
        group: Group::Time,
        hint: Some("out"),
        run: |state| zoom(state, 1.0 / ZOOM.0),
    },
    Command {
        id: "view.pan-left",
        keys: &["a"],
        when: When::Timeline,
        title: "Pan to earlier times",
        group: Group::Time,
        hint: Some("pan"),
        run: |state| pan(state, -PAN.0),
    },
    Command {
        id: "view.pan-right",
        keys: &["d"],
        when: When::Timeline,
        title: "Pan to later times",
        group: Group::Time,
        hint: Some("pan"),
        run: |state| pan(state, PAN.0),
    },
    Command {
        id: "view.zoom-in-far",
        keys: &["W"],
        when: When::Timeline,
        title: "Zoom in far",
        group: Group::Time,
        hint: None,
        run: |state| zoom(state, ZOOM.1),
    },
    Command {
        id: "view.zoom-out-far",
        keys: &["S"],
        when: When::Timeline,
        title: "Zoom out far",
        group: Group::Time,
        hint: None,
        run: |state| zoom(state, 1.0 / ZOOM.1),
    },
    Command {
        id: "view.pan-left-far",
        keys: &["A"],
        when: When::Timeline,
        title: "Pan half a screen to earlier times",
        group: Group::Time,
        hint: None,
        run: |state| pan(state, -PAN.1),
    },
    Command {
        id: "view.pan-right-far",
        keys: &["D"],
        when: When::Timeline,
        title: "Pan half a screen to later times",
        group: Group::Time,
        hint: None,
        run: |state| pan(state, PAN.1),
    },
    Command {
        id: "view.fit",
        keys: &["f"],
        when: When::Screen,
        title: "Fit the selection to the screen",
        group: Group::Time,
        hint: Some("fit"),
        run: State::fit_selection,
    },
    Command {
        id: "view.whole",
        keys: &["0"],
        when: When::Screen,
        title: "Show the whole trace (again: with far outliers)",
        group: Group::Time,
        hint: Some("whole"),
        run: State::fit_all,
    },
    Command {
        id: "view.go-to-time",
        keys: &["g"],
        when: When::Screen,
        title: "Go to a time or step",
        group: Group::Time,
        hint: None,
        run: |state| state.overlay = Some(Overlay::prompt(PromptKind::Time)),
    },
    Command {
        id: "step.next",
        keys: &["}"],
        when: When::Screen,
        title: "Next step",
        group: Group::Time,
        hint: Some("step"),
        run: |state| state.step_step(Direction::Forth),
    },
    Command {
        id: "step.previous",
        keys: &["{"],
        when: When::Screen,
        title: "Previous step",
        group: Group::Time,
        hint: None,
        run: |state| state.step_step(Direction::Back),
    },
    Command {
        id: "cycle.next",
        keys: &["c"],
        when: When::Screen,
        title: "Next recorded cycle",
        group: Group::Time,
        hint: None,
        run: |state| state.step_cycle(Direction::Forth),
    },
    Command {
        id: "cycle.previous",
        keys: &["C"],
        when: When::Screen,
        title: "Previous recorded cycle",
        group: Group::Time,
        hint: None,
        run: |state| state.step_cycle(Direction::Back),
    },
    Command {
        id: "history.back",
        keys: &["u"],
        when: When::Screen,
        title: "Back to the view before",
        group: Group::Time,
        hint: None,
        run: |state| state.travel(Direction::Back),
    },
    Command {
        id: "history.forth",
        keys: &["U"],
        when: When::Screen,
        title: "Forth to the view after",
        group: Group::Time,
        hint: None,
        run: |state| state.travel(Direction::Forth),
    },
    Command {
        id: "view.time-format",
        keys: &["t"],
        when: When::Screen,
        title: "Show times another way: trace, step, clock, raw",
        group: Group::Time,
        hint: None,
        run: |state| {
            state.time_format = state.time_format.next();
            state.say(format!("times: {}", state.time_format.name()));
        },
    },
];
