//! Commands inside prompts, lists and the help.

use crate::app::key::Key::{BackTab, Backspace, Char, Ctrl, Down, Enter, Esc, PageDown, PageUp, Tab, Up};
use crate::app::state::State;

use super::{Command, Group, Hint, When};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "prompt.accept",
        keys: &[Enter],
        when: When::Prompt,
        title: "Take what was typed or chosen",
        group: Group::Inside,
        hint: Hint::Normal("take"),
        run: State::accept_prompt,
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.cancel",
        keys: &[Esc],
        when: When::Prompt,
        title: "Leave the prompt",
        group: Group::Inside,
        hint: Hint::Normal("leave"),
        run: State::close_overlay,
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.down",
        keys: &[Down, Tab],
        when: When::Prompt,
        title: "Next candidate",
        group: Group::Inside,
        hint: Hint::Normal("choose"),
        run: |state| state.choose(1),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.up",
        keys: &[Up, BackTab],
        when: When::Prompt,
        title: "Previous candidate",
        group: Group::Inside,
        run: |state| state.choose(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.erase",
        keys: &[Backspace],
        when: When::Prompt,
        title: "Erase a character; leave the prompt when there is none",
        group: Group::Inside,
        run: State::erase_typed,
        ..Command::DEFAULT
    },
    Command {
        id: "prompt.clear",
        keys: &[Ctrl('u')],
        when: When::Prompt,
        title: "Erase the line",
        group: Group::Inside,
        run: State::clear_typed,
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.down",
        keys: &[Down, Char('j')],
        when: When::Overlay,
        title: "Down a line",
        group: Group::Inside,
        hint: Hint::Normal("move"),
        run: |state| state.choose(1),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.up",
        keys: &[Up, Char('k')],
        when: When::Overlay,
        title: "Up a line",
        group: Group::Inside,
        run: |state| state.choose(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.page-down",
        keys: &[PageDown, Char(' ')],
        when: When::Overlay,
        title: "Down a page",
        group: Group::Inside,
        run: |state| state.choose(10),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.page-up",
        keys: &[PageUp],
        when: When::Overlay,
        title: "Up a page",
        group: Group::Inside,
        run: |state| state.choose(-10),
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.accept",
        keys: &[Enter],
        when: When::Overlay,
        title: "Go to the one chosen",
        group: Group::Inside,
        hint: Hint::Normal("go there"),
        run: State::accept_list,
        ..Command::DEFAULT
    },
    Command {
        id: "overlay.close",
        keys: &[Esc, Char('q'), Char('?')],
        when: When::Overlay,
        title: "Close",
        group: Group::Inside,
        hint: Hint::Normal("close"),
        run: State::close_overlay,
        ..Command::DEFAULT
    },
];
