//! Commands inside prompts, lists and the help.

use crate::app::input::key::Key::{
    BackTab, Backspace, Char, Ctrl, Down, End, Enter, Esc, Home, PageDown, PageUp, Tab, Up,
};
use crate::app::state::State;

use super::{Command, Group, Hint, When};

/// Scrolls the help by `by` lines (negative: up); does nothing if the help is not open.
pub(in crate::app) fn scroll_help(state: &mut State, by: isize) {
    let Some(help) = state.dialog.help() else { return };
    let len = super::help(help, &state.keys).len();
    state.dialog.scroll_help(by, len);
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "prompt.accept",
        keys: &[Enter],
        when: When::Prompt,
        title: "Accept the typed text or the chosen candidate",
        group: Group::Inside,
        hint: Hint::Normal("accept"),
        run: State::accept_prompt,
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.cancel",
        keys: &[Esc],
        when: When::Prompt,
        title: "Close the prompt",
        group: Group::Inside,
        hint: Hint::Normal("close"),
        run: State::close_overlay,
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.down",
        keys: &[Down, Tab],
        when: When::Prompt,
        title: "Choose the next candidate in the prompt",
        group: Group::Inside,
        hint: Hint::Normal("choose"),
        run: |state| state.dialog.choose(1),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.up",
        keys: &[Up, BackTab],
        when: When::Prompt,
        title: "Choose the previous candidate in the prompt",
        group: Group::Inside,
        run: |state| state.dialog.choose(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.erase",
        keys: &[Backspace],
        when: When::Prompt,
        title: "Erase the last typed character, or close an empty prompt",
        group: Group::Inside,
        run: |state| state.dialog.erase(),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.clear",
        keys: &[Ctrl('u')],
        when: When::Prompt,
        title: "Erase the typed text",
        group: Group::Inside,
        run: |state| state.dialog.clear(),
        ..Command::DEFAULT
    },
    Command {
        id: "list.down",
        keys: &[Down, Char('j')],
        when: When::List,
        title: "Move down one line in the list",
        group: Group::Inside,
        hint: Hint::Normal("move"),
        run: |state| state.dialog.choose(1),
        ..Command::DEFAULT
    },
    Command {
        id: "list.up",
        keys: &[Up, Char('k')],
        when: When::List,
        title: "Move up one line in the list",
        group: Group::Inside,
        run: |state| state.dialog.choose(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "list.page-down",
        keys: &[PageDown, Char(' '), Ctrl('d'), Ctrl('f')],
        when: When::List,
        title: "Move down 10 lines in the list",
        group: Group::Inside,
        run: |state| state.dialog.choose(10),
        ..Command::DEFAULT
    },
    Command {
        id: "list.page-up",
        keys: &[PageUp, Ctrl('u'), Ctrl('b')],
        when: When::List,
        title: "Move up 10 lines in the list",
        group: Group::Inside,
        run: |state| state.dialog.choose(-10),
        ..Command::DEFAULT
    },
    Command {
        id: "list.accept",
        keys: &[Enter],
        when: When::List,
        title: "Accept the chosen item of the list",
        group: Group::Inside,
        hint: Hint::Normal("choose"),
        run: State::accept_list,
        ..Command::DEFAULT
    },
    Command {
        id: "list.close",
        keys: &[Esc, Char('q')],
        when: When::List,
        title: "Close the list",
        group: Group::Inside,
        hint: Hint::Normal("close"),
        run: State::close_overlay,
        ..Command::DEFAULT
    },
    Command {
        id: "help.down",
        keys: &[Down],
        when: When::Help,
        title: "Move down one line in the help; type to find a command",
        group: Group::Inside,
        hint: Hint::Normal("move"),
        run: |state| scroll_help(state, 1),
        ..Command::DEFAULT
    },
    Command {
        id: "help.up",
        keys: &[Up],
        when: When::Help,
        title: "Move up one line in the help",
        group: Group::Inside,
        run: |state| scroll_help(state, -1),
        ..Command::DEFAULT
    },
    Command {
        id: "help.page-down",
        keys: &[PageDown, Ctrl('d'), Ctrl('f')],
        when: When::Help,
        title: "Move down 10 lines in the help",
        group: Group::Inside,
        run: |state| scroll_help(state, 10),
        ..Command::DEFAULT
    },
    Command {
        id: "help.page-up",
        keys: &[PageUp, Ctrl('u'), Ctrl('b')],
        when: When::Help,
        title: "Move up 10 lines in the help",
        group: Group::Inside,
        run: |state| scroll_help(state, -10),
        ..Command::DEFAULT
    },
    Command {
        id: "help.first",
        keys: &[Home],
        when: When::Help,
        title: "Move to the start of the help",
        group: Group::Inside,
        run: |state| scroll_help(state, isize::MIN),
        ..Command::DEFAULT
    },
    Command {
        id: "help.last",
        keys: &[End],
        when: When::Help,
        title: "Move to the end of the help",
        group: Group::Inside,
        run: |state| scroll_help(state, isize::MAX),
        ..Command::DEFAULT
    },
    Command {
        id: "help.erase",
        keys: &[Backspace],
        when: When::Help,
        title: "Erase the last typed character, or close the help",
        group: Group::Inside,
        run: |state| state.dialog.erase(),
        ..Command::DEFAULT
    },
    Command {
        id: "help.close",
        keys: &[Esc, Char('?')],
        when: When::Help,
        title: "Close the help",
        group: Group::Inside,
        hint: Hint::Normal("close"),
        run: State::close_overlay,
        ..Command::DEFAULT
    },
];
