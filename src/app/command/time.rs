//! Commands on time: zooming, panning, steps, cycles, the history of viewports.

use crate::app::input::bindings;
use crate::app::input::key::Key::Char;
use crate::app::pane::overlay::PromptKind;
use crate::app::state::State;
use crate::app::view::direction::Direction;

use super::{Command, Group, Hint, When};

/// Factors by which a normal and a large zoom-in scale the length of the viewport.
const ZOOM: (f64, f64) = (0.7, 0.25);
/// Distances of a normal and of a large pan, as fractions of the viewport's length.
const PAN: (f64, f64) = (0.1, 0.5);

fn zoom(state: &mut State, factor: f64) {
    state.timeline.zoom(state.timeline.cursor(), factor, &state.session.trace);
}

fn pan(state: &mut State, part: f64) {
    let columns = state.geometry().timeline.width;
    state.timeline.pan(columns, part, &state.session.trace);
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "time.zoom-in",
        keys: &[Char('w'), Char('+')],
        when: When::Timeline,
        title: "Zoom in around the cursor",
        group: Group::Time,
        hint: Hint::Normal("zoom, pan"),
        run: |state| zoom(state, ZOOM.0),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.zoom-out",
        keys: &[Char('s'), Char('-')],
        when: When::Timeline,
        title: "Zoom out around the cursor",
        group: Group::Time,
        hint: Hint::Normal("zoom, pan"),
        run: |state| zoom(state, 1.0 / ZOOM.0),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.pan-left",
        keys: &[Char('a')],
        when: When::Timeline,
        title: "Pan to earlier times by a tenth of the screen",
        group: Group::Time,
        hint: Hint::Normal("zoom, pan"),
        run: |state| pan(state, -PAN.0),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.pan-right",
        keys: &[Char('d')],
        when: When::Timeline,
        title: "Pan to later times by a tenth of the screen",
        group: Group::Time,
        hint: Hint::Normal("zoom, pan"),
        run: |state| pan(state, PAN.0),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.zoom-in-far",
        keys: &[Char('W')],
        when: When::Timeline,
        title: "Zoom in around the cursor by a factor of 4",
        group: Group::Time,
        run: |state| zoom(state, ZOOM.1),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.zoom-out-far",
        keys: &[Char('S')],
        when: When::Timeline,
        title: "Zoom out around the cursor by a factor of 4",
        group: Group::Time,
        run: |state| zoom(state, 1.0 / ZOOM.1),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.pan-left-far",
        keys: &[Char('A')],
        when: When::Timeline,
        title: "Pan to earlier times by half the screen",
        group: Group::Time,
        run: |state| pan(state, -PAN.1),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.pan-right-far",
        keys: &[Char('D')],
        when: When::Timeline,
        title: "Pan to later times by half the screen",
        group: Group::Time,
        run: |state| pan(state, PAN.1),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "time.fit",
        keys: &[Char('f')],
        when: When::Screen,
        title: "Zoom to the ended stretch, or to the selected event or gap",
        also: "focus zoom",
        group: Group::Time,
        hint: Hint::Normal("zoom to event"),
        run: State::fit_selection,
        can_act: |state| state.selected.selection().is_some() || state.stretch.is_some(),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::WHOLE.id,
        keys: bindings::WHOLE.keys,
        when: When::Screen,
        title: "Show the whole trace; pressed again, also outlying events",
        also: "reset all fit overview",
        group: Group::Time,
        hint: Hint::Normal("whole trace"),
        run: |state| state.timeline.fit_all(&state.session.trace),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::STRETCH.id,
        keys: bindings::STRETCH.keys,
        when: When::Screen,
        title: "Mark a stretch from the selection, else the cursor; again: end it",
        also: "select range area measure statistics distance between",
        group: Group::Time,
        hint: Hint::Normal("stretch"),
        hint_for: |state| is_marking(state).then_some(Hint::First("end the stretch")),
        run: State::start_or_end_stretch,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::SET_MARK.id,
        keys: bindings::SET_MARK.keys,
        when: When::Timeline,
        title: "Mark the time of the cursor, with a text that you type",
        also: "bookmark note",
        group: Group::Time,
        run: |state| state.dialog.ask(PromptKind::Mark),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::MARKS.id,
        keys: bindings::MARKS.keys,
        when: When::Screen,
        title: "Return to a mark",
        also: "bookmark back",
        group: Group::Time,
        run: State::list_marks,
        ..Command::DEFAULT
    },
    Command {
        id: "mark.save",
        title: "Write the marks to a file, which open --session reads",
        also: "session keep export",
        group: Group::Time,
        can_act: |state| !state.marks.list().is_empty(),
        run: |state| state.dialog.ask(PromptKind::SaveMarks),
        ..Command::DEFAULT
    },
    Command {
        id: "mark.remove",
        when: When::Screen,
        title: "Remove the mark that is nearest to the cursor",
        group: Group::Time,
        run: State::remove_mark,
        ..Command::DEFAULT
    },
    Command {
        id: "cursor.right",
        keys: &[Char('.')],
        when: When::Timeline,
        title: "Move the cursor a column right, there to an edge on the line if any",
        group: Group::Time,
        run: |state| state.move_cursor_by_column(Direction::Forward),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "cursor.left",
        keys: &[Char(',')],
        when: When::Timeline,
        title: "Move the cursor a column left, there to an edge on the line if any",
        group: Group::Time,
        run: |state| state.move_cursor_by_column(Direction::Back),
        is_gradual: true,
        ..Command::DEFAULT
    },
    Command {
        id: "step.next",
        keys: &[Char('}')],
        when: When::Screen,
        title: "Go to the next step, or to the one at the cursor",
        group: Group::Time,
        hint: Hint::Normal("step"),
        run: |state| state.move_to_step(Direction::Forward),
        can_act: |state| !state.session.trace.steps.is_empty(),
        ..Command::DEFAULT
    },
    Command {
        id: "step.previous",
        keys: &[Char('{')],
        when: When::Screen,
        title: "Go to the previous step, or to the one at the cursor",
        group: Group::Time,
        run: |state| state.move_to_step(Direction::Back),
        ..Command::DEFAULT
    },
    Command {
        id: "cycle.next",
        keys: &[Char('c')],
        when: When::Screen,
        title: "Go to the next recorded cycle, or to the one at the cursor",
        group: Group::Time,
        run: |state| state.move_to_cycle(Direction::Forward),
        ..Command::DEFAULT
    },
    Command {
        id: "cycle.previous",
        keys: &[Char('C')],
        when: When::Screen,
        title: "Go to the previous recorded cycle, or to the one at the cursor",
        group: Group::Time,
        run: |state| state.move_to_cycle(Direction::Back),
        ..Command::DEFAULT
    },
    Command {
        id: "history.back",
        keys: &[Char('u')],
        when: When::Screen,
        title: "Go back in the history of time ranges and selections",
        also: "undo",
        group: Group::Time,
        run: |state| state.move_in_history(Direction::Back),
        ..Command::DEFAULT
    },
    Command {
        id: "history.forward",
        keys: &[Char('U')],
        when: When::Screen,
        title: "Go forward in the history of time ranges and selections",
        also: "redo",
        group: Group::Time,
        run: |state| state.move_in_history(Direction::Forward),
        ..Command::DEFAULT
    },
    Command {
        id: "time.format",
        keys: &[Char('t')],
        when: When::Screen,
        title: "Switch times on axes: from trace or step start, UTC, raw ns",
        group: Group::Time,
        run: |state| {
            let format = state.looks.next_times();
            state.say(format!("times: {}", format.name()));
        },
        ..Command::DEFAULT
    },
];

/// True while a stretch is open: begun, and not ended yet.
fn is_marking(state: &State) -> bool {
    state.stretch.is_some_and(|stretch| stretch.is_open)
}
