//! Commands of two keys that go somewhere: to a time or step, a relative of the selected event, a finding.

use crate::app::input::bindings;
use crate::app::input::key::Key::{self, Backspace, Char};
use crate::app::input::prefix::Prefix;
use crate::app::pane::links::LinkKind;
use crate::app::pane::overlay::PromptKind;
use crate::app::state::State;
use crate::app::view::direction::Direction;

use super::events::has_link;
use super::{Command, Group, Hint, When};

/// The keys with which a time or step begins.
const TIME: &[Key] = &[
    Char('0'),
    Char('1'),
    Char('2'),
    Char('3'),
    Char('4'),
    Char('5'),
    Char('6'),
    Char('7'),
    Char('8'),
    Char('9'),
    Char('+'),
    Char('-'),
    Char('#'),
];

/// A command that runs after the key of [`Prefix::Go`].
const AFTER_GO: Command = Command { when: When::After(Prefix::Go), group: Group::Time, ..Command::DEFAULT };

fn has_steps(state: &State) -> bool {
    !state.session.trace.steps.is_empty()
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "go.up",
        keys: &[Backspace],
        when: When::Screen,
        title: "Go up: from a frame, the selection, the stretch, a part of the trace",
        also: "back leave whole parent",
        group: Group::Time,
        run: State::climb,
        ..Command::DEFAULT
    },
    Command {
        id: bindings::GO.id,
        keys: bindings::GO.keys,
        when: When::Screen,
        title: "Begin to go somewhere; then type a time, a #step or a key",
        group: Group::Time,
        run: |state| state.dialog.begin(Prefix::Go),
        ..Command::DEFAULT
    },
    Command {
        id: "time.go-to-time",
        keys: TIME,
        title: "Go to a time or step that you type",
        also: "jump",
        hint: Hint::Normal("time or #step"),
        run: |state| {
            let typed = state.dialog.typed();
            state.dialog.ask(PromptKind::Time);
            typed.into_iter().for_each(|typed| state.dialog.push(typed));
        },
        ..AFTER_GO
    },
    Command {
        id: "go.start",
        keys: &[Char('g')],
        title: "Go to the start of the trace",
        hint: Hint::Normal("start"),
        run: |state| state.go_to_time(state.session.trace.main_span.start),
        ..AFTER_GO
    },
    Command {
        id: "go.end",
        keys: &[Char('e')],
        title: "Go to the end of the trace",
        hint: Hint::Normal("end"),
        run: |state| state.go_to_time(state.session.trace.main_span.end),
        ..AFTER_GO
    },
    Command {
        id: "go.step",
        keys: &[Char('s')],
        title: "Select the step at the cursor, and zoom to it",
        hint: Hint::Normal("step"),
        can_act: has_steps,
        run: State::go_to_step_here,
        ..AFTER_GO
    },
    Command {
        id: "go.launch",
        keys: &[Char('l')],
        title: "Go to the launch of the selected kernel",
        group: Group::Events,
        hint: Hint::Normal("launch"),
        can_act: |state| has_link(state, |kind| !kind.is_forward()),
        run: |state| state.follow_link(Direction::Back),
        ..AFTER_GO
    },
    Command {
        id: "go.kernel",
        keys: &[Char('k')],
        title: "Go to the kernel that the selected event launches",
        group: Group::Events,
        hint: Hint::Normal("kernel"),
        can_act: |state| has_link(state, LinkKind::is_forward),
        run: |state| state.follow_link(Direction::Forward),
        ..AFTER_GO
    },
    Command {
        id: "go.parent",
        keys: &[Char('p')],
        title: "Go to the event in which the selected one is",
        group: Group::Events,
        hint: Hint::Normal("parent"),
        can_act: |state| state.selected.slice().is_some(),
        run: State::go_to_parent,
        ..AFTER_GO
    },
    Command {
        id: "go.file",
        keys: &[Char('f')],
        title: "Open the script's line of the selection in $VISUAL or $EDITOR",
        also: "editor source python script",
        group: Group::Events,
        hint: Hint::Normal("Python line"),
        can_act: |state| state.selected.details().script_line().is_some(),
        run: State::edit_script_line,
        ..AFTER_GO
    },
    Command {
        id: "go.mark",
        keys: &[Char('m')],
        title: "Choose a mark to return to",
        hint: Hint::Normal("mark"),
        can_act: |state| !state.marks.list().is_empty(),
        run: State::list_marks,
        ..AFTER_GO
    },
    Command {
        id: "go.finding",
        keys: bindings::DIGITS,
        when: When::After(Prefix::Finding),
        title: "Go to a finding by its number",
        also: "why answer jump",
        group: Group::Events,
        hint: Hint::Normal("1 to 9"),
        run: State::go_to_typed_finding,
        ..Command::DEFAULT
    },
];
