//! Commands that search, write files, switch the mouse and colours, show the palette and the help, load
//! traces and leave.

use crate::app::input::bindings;
use crate::app::input::key::Key::{Char, Ctrl};
use crate::app::pane::overlay::{Overlay, PromptKind};
use crate::app::pane::panes::Region;
use crate::app::session::loading::Shown;
use crate::app::state::State;
use crate::app::view::direction::Direction;
use crate::app::wires::message::Message;
use crate::app::wires::msg::Effect;

use super::{Command, Group, Hint, When, help};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: bindings::SEARCH.id,
        keys: bindings::SEARCH.keys,
        when: When::Timeline,
        title: "Search events by name (fuzzy) and by fields",
        also: "filter find regex duration argument",
        group: Group::Find,
        hint: Hint::First("search"),
        run: |state| state.dialog.ask(PromptKind::Search),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::NEXT_HIT.id,
        keys: bindings::NEXT_HIT.keys,
        when: When::Screen,
        title: "Go to the next event that the search found",
        group: Group::Find,
        run: |state| state.move_to_hit(Direction::Forward),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::PREVIOUS_HIT.id,
        keys: bindings::PREVIOUS_HIT.keys,
        when: When::Screen,
        title: "Go to the previous event that the search found",
        group: Group::Find,
        run: |state| state.move_to_hit(Direction::Back),
        ..Command::DEFAULT
    },
    Command {
        id: "find.same",
        keys: &[Char('*')],
        when: When::Timeline,
        title: "Search for the name of the selected event, and go to the next",
        group: Group::Find,
        can_act: |state| state.selected.slice().is_some(),
        run: State::search_for_selected,
        ..Command::DEFAULT
    },
    Command {
        id: "find.others",
        keys: &[Char('&')],
        when: When::Screen,
        title: "Dim, hide or show the events that the search did not find",
        also: "filter dim hide",
        group: Group::Find,
        can_act: |state| state.finding.search().is_some(),
        run: State::next_others,
        ..Command::DEFAULT
    },
    Command {
        id: "app.palette",
        keys: &[Char(':')],
        when: When::Screen,
        title: "Open the palette to run a command by its name",
        group: Group::General,
        hint: Hint::Normal("commands"),
        run: |state| state.dialog.ask(PromptKind::Palette),
        ..Command::DEFAULT
    },
    Command {
        id: "app.export",
        keys: &[Char('Y')],
        title: "Write the screen or the table of the pane to a file",
        also: "export write save picture svg html csv markdown json",
        group: Group::General,
        run: |state| state.dialog.ask(PromptKind::Export),
        ..Command::DEFAULT
    },
    Command {
        id: "copy.file",
        title: "Write to a file what the copy command would copy, in full",
        also: "export save clipboard",
        group: Group::General,
        run: |state| state.dialog.ask(PromptKind::CopyTo),
        ..Command::DEFAULT
    },
    Command {
        id: "app.mouse",
        title: "Switch the mouse on or off",
        also: "click wheel drag",
        group: Group::General,
        run: State::toggle_mouse,
        ..Command::DEFAULT
    },
    Command {
        id: "app.theme",
        title: "Switch to the next theme: light, dark, for colour-blind people",
        also: "colours dark light color-blind mono",
        group: Group::General,
        run: |state| state.effects.push(Effect::NextTheme),
        ..Command::DEFAULT
    },
    Command {
        id: "view.colors",
        keys: &[Char('%')],
        title: "Colour by category, name, duration, stream, step or cause",
        also: "color hue theme",
        group: Group::General,
        run: |state| {
            let meaning = state.looks.next_colors();
            let help = state.keys.label(bindings::HELP);
            state.message = Some(
                Message::new(format!("colours by {}", meaning.title())).and(format!("; {help} shows them")),
            );
        },
        ..Command::DEFAULT
    },
    Command {
        id: bindings::HELP.id,
        keys: bindings::HELP.keys,
        when: When::Screen,
        title: "Show the help: what has the focus, keys that apply here, all keys",
        also: "keys shortcuts",
        group: Group::General,
        hint: Hint::Normal("help"),
        run: |state| state.dialog.open(Overlay::Help(help::opened(state))),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::QUIT.id,
        keys: bindings::QUIT.keys,
        when: When::Screen,
        title: "Return from the pane to the timeline, or quit in the timeline",
        also: "exit close",
        group: Group::General,
        hint: Hint::Normal("quit"),
        run: |state| {
            if state.panes.region() == Region::Pane {
                state.panes.focus(Region::Timeline);
            } else {
                state.effects.push(Effect::Quit);
            }
        },
        while_loading: Some(|| Effect::Quit),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::QUIT_NOW.id,
        keys: bindings::QUIT_NOW.keys,
        when: When::Always,
        title: "Quit immediately",
        also: "q quit exit",
        group: Group::General,
        run: |state| state.effects.push(Effect::Quit),
        while_loading: Some(|| Effect::Quit),
        ..Command::DEFAULT
    },
    Command {
        id: bindings::RELOAD.id,
        keys: bindings::RELOAD.keys,
        when: When::Screen,
        title: "Load the trace files again",
        also: "refresh",
        group: Group::General,
        run: |state| {
            if state.source.loading().is_some() {
                state.say("the trace is still loading");
            } else if state.source.can_reload() {
                state.source.begin(Shown::Previous);
                state.effects.push(Effect::Load);
            } else {
                state.say("cannot load again: proftui render, standard input and the demo load only once");
            }
        },
        ..Command::DEFAULT
    },
    Command {
        id: bindings::CHOOSE_TRACE.id,
        keys: bindings::CHOOSE_TRACE.keys,
        when: When::Screen,
        title: "Choose another trace of the directory that was opened",
        group: Group::General,
        hint: Hint::First("traces"),
        can_act: |state| state.source.traces().are_several(),
        run: State::list_traces,
        ..Command::DEFAULT
    },
    Command {
        id: "app.suspend",
        keys: &[Ctrl('z')],
        when: When::Always,
        title: "Suspend proftui; the shell command fg resumes it",
        group: Group::General,
        run: |state| state.effects.push(Effect::Suspend),
        while_loading: Some(|| Effect::Suspend),
        ..Command::DEFAULT
    },
    Command {
        id: "app.redraw",
        keys: &[Ctrl('l')],
        when: When::Always,
        title: "Redraw the screen",
        group: Group::General,
        run: |state| state.effects.push(Effect::Redraw),
        while_loading: Some(|| Effect::Redraw),
        ..Command::DEFAULT
    },
];
