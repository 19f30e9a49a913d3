//! The table of commands, one row per command: its keys, when it applies, its texts, its effect.
//!
//! Dispatch, palette, help, footer, the manual's page of keys and the check for duplicate keys all read it.
//! Must not know cells.

mod changed;
mod events;
mod general;
mod given;
mod go;
mod help;
mod panes;
mod prompts;
mod sorting;
mod tables;
mod time;

use super::state::State;
use crate::app::input::bindings::Keys;
use crate::app::input::key::Key;
use crate::app::input::prefix::Prefix;
use crate::app::pane::overlay::Overlay;
use crate::app::pane::panes::{Pane, Region};
use crate::app::pane::table_pane::TablePane;
use crate::app::wires::msg::Effect;

pub use given::{KeysError, keys};
pub use help::{COLORS, HelpLine, help};
pub(super) use prompts::scroll_help;

/// The condition under which a command's keys run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always, also while a prompt, a list or the help is open.
    Always,
    /// No prompt, list or help is open.
    Screen,
    /// The key before was this one, and no prompt, list or help is open.
    After(Prefix),
    /// No prompt, list or help is open, and the timeline has the focus.
    Timeline,
    /// No prompt, list or help is open, and the pane has the focus.
    Pane,
    /// A prompt is open.
    Prompt,
    /// A list is open.
    List,
    /// The help is open.
    Help,
}

impl When {
    /// True when the condition is met in `state`.
    pub fn holds(self, state: &State) -> bool {
        match (self, state.dialog.overlay()) {
            (Self::After(prefix), None) => state.dialog.pending() == Some(prefix),
            (Self::Timeline, None) => state.panes.region() == Region::Timeline,
            (Self::Pane, None) => state.panes.region() == Region::Pane,
            (Self::Always, _)
            | (Self::Screen, None)
            | (Self::Prompt, Some(Overlay::Prompt(_)))
            | (Self::List, Some(Overlay::List(_)))
            | (Self::Help, Some(Overlay::Help(_))) => true,
            _ => false,
        }
    }

    /// True when both conditions can hold at once, so that their commands must not share a key.
    pub fn meets(self, other: Self) -> bool {
        use When::{Always, Pane, Screen, Timeline};
        self == other
            || matches!((self, other), (Always, _) | (_, Always))
            || matches!((self, other), (Screen, Timeline | Pane) | (Timeline | Pane, Screen))
    }
}

/// The section of the help that lists a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Commands on time, such as zooming, panning, going to a step and setting marks.
    Time,
    /// Commands on events and gaps, such as selecting them and following links.
    Events,
    /// Commands on lanes and lines, such as folding, pinning, hiding and filtering.
    Lanes,
    /// Commands on panes, such as showing one, ordering its rows and choosing what summaries cover.
    Panes,
    /// Commands on searching, such as starting a search and going through the events found.
    Find,
    /// Commands on the explorer as a whole, such as the palette, the help, writing files and quitting.
    General,
    /// Commands that apply only while a prompt, a list or the help is open.
    Inside,
}

impl Group {
    /// Every section, in the order of the help.
    pub const ALL: [Self; 7] =
        [Self::Time, Self::Events, Self::Lanes, Self::Panes, Self::Find, Self::General, Self::Inside];

    /// The section's heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Time => "Time",
            Self::Events => "Events and links",
            Self::Lanes => "Lanes",
            Self::Panes => "Panes",
            Self::Find => "Find",
            Self::General => "General",
            Self::Inside => "Prompts, lists and help",
        }
    }
}

/// Whether and how the footer, the last line of the screen, names a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The footer does not name the command.
    None,
    /// The footer names the command with this label, after all `First` ones, if there is room.
    Normal(&'static str),
    /// The footer names the command with this label, before all `Normal` ones, if there is room.
    First(&'static str),
}

impl Hint {
    /// The command's label in the footer; none if the footer does not name the command.
    pub fn label(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Normal(label) | Self::First(label) => Some(label),
        }
    }
}

/// One command of the explorer.
pub struct Command {
    /// The command's unique name, e.g. `event.next`.
    pub id: &'static str,
    /// The command's default keys; empty for a command that only the palette runs.
    pub keys: &'static [Key],
    /// The condition under which the command's keys run it.
    pub when: When,
    /// The command's effect in one short line, for palette, help and manual.
    pub title: &'static str,
    /// Words, separated by blanks, by which palette and help find the command, beside its title and id.
    pub also: &'static str,
    /// The section of the help that lists the command.
    pub group: Group,
    /// Whether and how the footer names the command.
    pub hint: Hint,
    /// Returns how the footer names the command in a state, instead of `hint`; none where `hint` holds.
    pub hint_for: fn(&State) -> Option<Hint>,
    /// True when the footer may name the command: usually, when there is something for it to act on.
    pub can_act: fn(&State) -> bool,
    /// True for a command that is typically repeated, such as zooming: consecutive runs of the command make
    /// one entry in the history.
    pub is_gradual: bool,
    /// Makes the effect that the command asks for while the loading screen is shown; none for a command that
    /// does nothing then.
    pub while_loading: Option<fn() -> Effect>,
    /// Runs the command: changes the state, and adds the command's effects to `State::effects`.
    pub run: fn(&mut State),
}

impl Command {
    /// Default values for the fields that a row of the command table leaves out.
    const DEFAULT: Self = Self {
        id: "",
        keys: &[],
        when: When::Screen,
        title: "",
        also: "",
        group: Group::General,
        hint: Hint::None,
        hint_for: |_| None,
        can_act: |_| true,
        is_gradual: false,
        while_loading: None,
        run: |_| (),
    };

    /// True when the footer should name the command in this state, if there is room.
    pub fn is_hinted(&self, state: &State) -> bool {
        self.hint_in(state) != Hint::None && self.when.holds(state) && (self.can_act)(state)
    }

    /// How the footer names the command in this state: as `hint_for` returns, or else as `hint` states.
    pub fn hint_in(&self, state: &State) -> Hint {
        (self.hint_for)(state).unwrap_or(self.hint)
    }

    /// The keys that run the command, after the changes that the user made to keys.
    pub fn keys_in<'k>(&self, keys: &'k Keys) -> &'k [Key] {
        keys.of(self.id, self.keys)
    }

    /// The labels of the keys that run the command, such as `Ctrl-C` or `ge`; with arrows such as `←` only if
    /// `utf8`.
    pub fn key_labels(&self, keys: &Keys, utf8: bool) -> Vec<String> {
        let own = self.keys_in(keys);
        let When::After(prefix) = self.when else { return own.iter().map(|key| key.label(utf8)).collect() };
        let first = keys.label_in(prefix.binding(), utf8);
        let code = |key: &Key| if let Key::Char(c) = key { u32::from(*c) } else { 0 };
        let is_next = |a: &Key, b: &Key| code(a) > 0 && code(a) + 1 == code(b);
        let of_run = |run: &[Key]| match run {
            [one, _, .., last] => format!("{first}{} to {first}{}", one.label(utf8), last.label(utf8)),
            _ => run.iter().map(|key| format!("{first}{}", key.label(utf8))).collect::<Vec<_>>().join(" "),
        };
        own.chunk_by(is_next).map(of_run).collect()
    }
}

/// Every command, in the order of the command table; the help sorts them by section.
pub fn all() -> impl Iterator<Item = &'static Command> {
    time::COMMANDS
        .iter()
        .chain(go::COMMANDS)
        .chain(events::COMMANDS)
        .chain([&panes::DETAILS, &panes::FOUND])
        .chain(&tables::TABLES)
        .chain(panes::COMMANDS)
        .chain(sorting::COMMANDS)
        .chain(general::COMMANDS)
        .chain(prompts::COMMANDS)
}

/// The command that `key` runs in `state`; none if it runs none. After a key that begins commands of two
/// keys, it is one of those if there is one, else what the key runs alone.
pub fn find(state: &State, key: Key) -> Option<&'static Command> {
    let is_it = |command: &&Command| command.keys_in(&state.keys).contains(&key) && command.when.holds(state);
    let is_second = |command: &&Command| matches!(command.when, When::After(_)) && is_it(command);
    all().find(is_second).or_else(|| all().find(is_it))
}

/// The commands that can follow the key pressed last, if it begins some: their keys, without that key, and
/// their labels.
pub fn menu(state: &State, prefix: Prefix, utf8: bool) -> Vec<(String, String)> {
    if prefix == Prefix::Sort {
        let columns = state.table().map(TablePane::sorted_by_digit).unwrap_or_default();
        return columns.into_iter().zip(1..).map(|(column, at): (_, u8)| (at.to_string(), column)).collect();
    }
    let follows = |command: &&Command| command.when == When::After(prefix) && (command.can_act)(state);
    let entry = |command: &'static Command| {
        let label = command.hint_in(state).label()?;
        let keys = command.keys_in(&state.keys);
        let keys = if keys.len() > 2 { String::new() } else { keys.first()?.label(utf8) };
        Some((keys, label.to_owned()))
    };
    all().filter(follows).filter_map(entry).collect()
}

/// The pane's command that `key` would run if the pane had the focus instead of the timeline; none if there
/// is none, or the timeline has not the focus.
pub fn in_pane(state: &State, key: Key) -> Option<&'static Command> {
    let is_timeline = When::Timeline.holds(state);
    all().find(|command| {
        is_timeline && command.when == When::Pane && command.keys_in(&state.keys).contains(&key)
    })
}

/// The effect of `key` while the loading screen is shown; none if the key does nothing then.
pub fn effect_while_loading(keys: &Keys, key: Key) -> Option<Effect> {
    let effect = all()
        .filter(|command| command.keys_in(keys).contains(&key))
        .find_map(|command| command.while_loading)?;
    Some(effect())
}

/// The command that shows `pane`.
pub fn of_pane(pane: Pane) -> &'static Command {
    match pane {
        Pane::Details => &panes::DETAILS,
        Pane::Table(view) => &tables::TABLES[view],
        Pane::Found => &panes::FOUND,
    }
}

/// The manual's page of keys, in Markdown: all commands by section, with the keys that run them.
pub fn manual(keys: &Keys) -> String {
    let mut page = String::from(
        "# Keys\n\nThe keys of the explorer, as `proftui keys` prints them. The palette runs a command by \
         its name; it finds all commands except those of prompts, lists and help.\n",
    );
    for group in Group::ALL {
        page += &format!("\n## {}\n\n| Keys | Command |\n| --- | --- |\n", group.title());
        for command in all().filter(|command| command.group == group) {
            let keys: Vec<String> =
                command.key_labels(keys, true).iter().map(|key| format!("`{key}`")).collect();
            let keys = if keys.is_empty() { "palette".into() } else { keys.join(" ") };
            page += &format!("| {} | {} |\n", keys.replace('|', "\\|"), command.title);
        }
    }
    page += "\n## Changed keys\n\n| Before 0.1.0 | Now |\n| --- | --- |\n";
    for (before, now) in changed::CHANGED {
        page += &format!("| {before} | {now} |\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_taken_twice() {
        let commands: Vec<_> = all().collect();
        for (i, command) in commands.iter().enumerate() {
            for key in command.keys {
                assert_eq!(Key::parse(&key.label(false)), Some(*key), "{}: {key}", command.id);
                for other in &commands[i + 1..] {
                    let clash = command.when.meets(other.when) && other.keys.contains(key);
                    assert!(!clash, "{key}: {} and {}", command.id, other.id);
                }
            }
        }
    }

    #[test]
    fn the_palette_runs_what_has_no_key() {
        let hidden = |command: &&Command| matches!(command.when, When::Prompt | When::List | When::Help);
        assert!(all().filter(hidden).all(|command| !command.keys.is_empty()));
    }

    #[test]
    fn ids_are_unique_and_titles_read_well() {
        let mut ids: Vec<_> = all().map(|command| command.id).collect();
        let n = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n);
        assert!(all().all(|command| !command.title.ends_with('.') && command.title.len() < 70));
    }

    #[test]
    fn every_summary_has_a_command() {
        for (command, view) in tables::TABLES.iter().zip(proftui_insight::analysis::VIEWS) {
            assert_eq!((command.id, command.title), (view.command, view.title));
        }
    }

    #[test]
    fn no_key_needs_what_a_plain_terminal_cannot_send() {
        for command in all() {
            for key in command.keys {
                // Ctrl-H, Ctrl-I, Ctrl-M and Ctrl-[ arrive as other keys.
                assert!(!['h', 'i', 'm', '['].map(Key::Ctrl).contains(key), "{}", command.id);
            }
        }
    }
}
