//! Commands inside prompts, lists and the help.

use crate::app::key::Key::{BackTab, Backspace, Char, Ctrl, Down, Enter, Esc, PageDown, PageUp, Tab, Up};
use crate::app::state::State;

use super::{Command, Group, Hint, When};

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
        run: |state| state.choose(1),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.up",
        keys: &[Up, BackTab],
        when: When::Prompt,
        title: "Choose the previous candidate in the prompt",
        group: Group::Inside,
        run: |state| state.choose(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.erase",
        keys: &[Backspace],
        when: When::Prompt,
        title: "Erase the last typed character, or close an empty prompt",
        group: Group::Inside,
        run: State::erase_typed,
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.clear",
        keys: &[Ctrl('u')],
        when: When::Prompt,
        title: "Erase the typed text",
        group: Group::Inside,
        run: State::clear_typed,
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.down",
        keys: &[Down, Char('j')],
        when: When::Overlay,
        title: "Move down one line in the list or help",
        group: Group::Inside,
        hint: Hint::Normal("move"),
        run: |state| state.choose(1),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.up",
        keys: &[Up, Char('k')],
        when: When::Overlay,
        title: "Move up one line in the list or help",
        group: Group::Inside,
        run: |state| state.choose(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.page-down",
        keys: &[PageDown, Char(' ')],
        when: When::Overlay,
        title: "Move down one page in the list or help",
        group: Group::Inside,
        run: |state| state.choose(10),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.page-up",
        keys: &[PageUp],
        when: When::Overlay,
        title: "Move up one page in the list or help",
        group: Group::Inside,
        run: |state| state.choose(-10),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.accept",
        keys: &[Enter],
        when: When::Overlay,
        title: "Go to the event, trace, rank or device that is chosen in the list",
        group: Group::Inside,
        hint: Hint::Normal("choose"),
        run: State::accept_list,
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.close",
        keys: &[Esc, Char('q'), Char('?')],
        when: When::Overlay,
        title: "Close the list or help",
        group: Group::Inside,
        hint: Hint::Normal("close"),
        run: State::close_overlay,
        ..Command::DEFAULT
    },
];
