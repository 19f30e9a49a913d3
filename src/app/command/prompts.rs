//! Commands inside prompts, lists and the help.

use crate::app::overlay::{Overlay, Prompt, PromptKind};
use crate::app::state::State;

use super::{Command, Group, When};

fn close(state: &mut State) {
    state.overlay = None;
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "prompt.accept",
        keys: &["enter"],
        when: When::Prompt,
        title: "Take what was typed or chosen",
        group: Group::Inside,
        hint: Some("take"),
        run: State::accept_prompt,
    },
    Command {
        id: "prompt.cancel",
        keys: &["esc"],
        when: When::Prompt,
        title: "Leave the prompt",
        group: Group::Inside,
        hint: Some("leave"),
        run: |state| {
            if let Some(Overlay::Prompt(Prompt { kind: PromptKind::Filter, .. })) = state.overlay {
                state.filter_table("");
            }
            close(state);
        },
    },
    Command {
        id: "prompt.down",
        keys: &["down", "tab"],
        when: When::Prompt,
        title: "Next candidate",
        group: Group::Inside,
        hint: Some("choose"),
        run: |state| state.choose(1),
    },
    Command {
        id: "prompt.up",
        keys: &["up", "backtab"],
        when: When::Prompt,
        title: "Previous candidate",
        group: Group::Inside,
        hint: None,
        run: |state| state.choose(-1),
    },
    Command {
        id: "prompt.erase",
        keys: &["backspace"],
        when: When::Prompt,
        title: "Erase a character; leave the prompt when there is none",
        group: Group::Inside,
        hint: None,
        run: |state| {
            let Some(Overlay::Prompt(prompt)) = &mut state.overlay else { return };
            if prompt.text.pop().is_none() {
                close(state);
            }
            state.refresh_candidates();
        },
    },
    Command {
        id: "prompt.clear",
        keys: &["ctrl-u"],
        when: When::Prompt,
        title: "Erase the line",
        group: Group::Inside,
        hint: None,
        run: |state| {
            if let Some(Overlay::Prompt(prompt)) = &mut state.overlay {
                prompt.text.clear();
            }
            state.refresh_candidates();
        },
    },
    Command {
        id: "overlay.down",
        keys: &["down", "j"],
        when: When::Overlay,
        title: "Down a line",
        group: Group::Inside,
        hint: Some("move"),
        run: |state| state.choose(1),
    },
    Command {
        id: "overlay.up",
        keys: &["up", "k"],
        when: When::Overlay,
        title: "Up a line",
        group: Group::Inside,
        hint: None,
        run: |state| state.choose(-1),
    },
    Command {
        id: "overlay.page-down",
        keys: &["pagedown", "space"],
        when: When::Overlay,
        title: "Down a page",
        group: Group::Inside,
        hint: None,
        run: |state| state.choose(10),
    },
    Command {
        id: "overlay.page-up",
        keys: &["pageup"],
        when: When::Overlay,
        title: "Up a page",
        group: Group::Inside,
        hint: None,
        run: |state| state.choose(-10),
    },
    Command {
        id: "overlay.accept",
        keys: &["enter"],
        when: When::Overlay,
        title: "Go to the one chosen",
        group: Group::Inside,
        hint: Some("go there"),
        run: State::accept_list,
    },
    Command {
        id: "overlay.close",
        keys: &["esc", "q", "?"],
        when: When::Overlay,
        title: "Close",
        group: Group::Inside,
        hint: Some("close"),
        run: close,
    },
];
