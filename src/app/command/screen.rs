//! Commands that find things, help, and leave.

use crate::app::overlay::{Overlay, PromptKind};
use crate::app::select::Direction;
use crate::app::state::Region;
use crate::app::update::Outcome;

use super::{Command, Group, When};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: "find.name",
        keys: &["/"],
        when: When::Timeline,
        title: "Search events by name (fuzzy)",
        group: Group::Find,
        hint: Some("search"),
        run: |state| state.overlay = Some(Overlay::prompt(PromptKind::Search)),
    },
    Command {
        id: "find.next",
        keys: &["n"],
        when: When::Screen,
        title: "Next event found",
        group: Group::Find,
        hint: None,
        run: |state| state.step_hit(Direction::Forth),
    },
    Command {
        id: "find.previous",
        keys: &["N"],
        when: When::Screen,
        title: "Previous event found",
        group: Group::Find,
        hint: None,
        run: |state| state.step_hit(Direction::Back),
    },
    Command {
        id: "app.palette",
        keys: &[":"],
        when: When::Screen,
        title: "Run a command by its name",
        group: Group::General,
        hint: Some("commands"),
        run: |state| {
            state.overlay = Some(Overlay::prompt(PromptKind::Palette));
            state.refresh_candidates();
        },
    },
    Command {
        id: "app.help",
        keys: &["?", "f1"],
        when: When::Screen,
        title: "Help: every key",
        group: Group::General,
        hint: Some("help"),
        run: |state| state.overlay = Some(Overlay::Help(0)),
    },
    Command {
        id: "app.quit",
        keys: &["q"],
        when: When::Screen,
        title: "Back, then quit",
        group: Group::General,
        hint: Some("quit"),
        run: |state| {
            if state.region == Region::Pane {
                state.region = Region::Timeline;
            } else {
                state.wants = Some(Outcome::Done);
            }
        },
    },
    Command {
        id: "app.quit-now",
        keys: &["ctrl-c"],
        when: When::Always,
        title: "Quit at once",
        group: Group::General,
        hint: None,
        run: |state| state.wants = Some(Outcome::Done),
    },
    Command {
        id: "app.reload",
        keys: &["R"],
        when: When::Screen,
        title: "Load the file again",
        group: Group::General,
        hint: None,
        run: |state| {
            if state.loading.is_some() {
                state.say("it is still being loaded");
            } else {
                state.wants = Some(Outcome::Reload);
            }
        },
    },
    Command {
        id: "app.suspend",
        keys: &["ctrl-z"],
        when: When::Always,
        title: "Suspend to the shell; fg comes back",
        group: Group::General,
        hint: None,
        run: |state| state.wants = Some(Outcome::Suspend),
    },
    Command {
        id: "app.redraw",
        keys: &["ctrl-l"],
        when: When::Always,
        title: "Draw the screen anew",
        group: Group::General,
        hint: None,
        run: |state| state.wants = Some(Outcome::Redraw),
    },
];
