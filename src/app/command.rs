//! The table of commands, one row per command: its keys, when it applies, its texts, its effect.
//!
//! Dispatch, palette, help, footer, the manual's page of keys and the check for duplicate keys all read it.
//! Must not know cells.

mod events;
mod general;
mod panes;
mod prompts;
mod tables;
mod time;

use std::collections::BTreeMap;

use super::state::State;
use crate::app::input::bindings::Keys;
use crate::app::input::key::Key;
use crate::app::pane::overlay::Overlay;
use crate::app::pane::panes::{Pane, Region};
use crate::app::wires::msg::Effect;

pub(super) use prompts::scroll_help;

/// The condition under which a command's keys run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always, also while a prompt, a list or the help is open.
    Always,
    /// No prompt, list or help is open.
    Screen,
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

    /// The labels of the keys that run the command, such as `Ctrl-C`; with arrows such as `←` only if `utf8`.
    pub fn key_labels(&self, keys: &Keys, utf8: bool) -> Vec<String> {
        self.keys_in(keys).iter().map(|key| key.label(utf8)).collect()
    }
}

/// Every command, in the order of the command table; the help sorts them by section.
pub fn all() -> impl Iterator<Item = &'static Command> {
    time::COMMANDS
        .iter()
        .chain(events::COMMANDS)
        .chain(std::iter::once(&panes::DETAILS))
        .chain(&tables::TABLES)
        .chain(panes::COMMANDS)
        .chain(general::COMMANDS)
        .chain(prompts::COMMANDS)
}

/// The command that `key` runs in `state`; none if it runs none.
pub fn find(state: &State, key: Key) -> Option<&'static Command> {
    all().find(|command| command.keys_in(&state.keys).contains(&key) && command.when.holds(state))
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

/// Why keys cannot be given to commands; the text is one line for the user.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeysError {
    /// No command has the id that the user gave.
    #[error("no command has the id {id}")]
    NoCommand {
        /// The id that the user gave.
        id: String,
    },
    /// The user gave a command a key by a name that no key has.
    #[error("{id}: unknown key {name}")]
    NoKey {
        /// The id of the command that the user gave the key.
        id: String,
        /// The name of the key, as the user gave it.
        name: String,
    },
    /// The user gave one key to two commands that can both apply at once.
    #[error("the key {} is given to both {first} and {second}", key.label(false))]
    Twice {
        /// The key that was given twice.
        key: Key,
        /// The id of the one command, which comes first in the command table.
        first: &'static str,
        /// The id of the other command.
        second: &'static str,
    },
}

/// The keys in force once the user has given commands the keys `given`: names of keys, by the command's id.
/// Other commands lose a given key where both could apply.
///
/// # Errors
/// When there is no such command or key, or one key is given to two commands that can apply at once.
pub fn keys(given: &BTreeMap<String, Vec<String>>) -> Result<Keys, KeysError> {
    let mut others = BTreeMap::new();
    for (id, names) in given {
        let command = all().find(|command| command.id == id);
        let command = command.ok_or_else(|| KeysError::NoCommand { id: id.clone() })?;
        let no_key = |name: &str| KeysError::NoKey { id: id.clone(), name: name.to_owned() };
        let keys: Result<Vec<Key>, KeysError> =
            names.iter().map(|name| Key::parse(name).ok_or_else(|| no_key(name))).collect();
        others.insert(command.id, keys?);
    }
    let is_given = |command: &Command| given.contains_key(command.id);
    for command in all().filter(|command| is_given(command)) {
        for key in others[command.id].clone() {
            let rivals = all().filter(|other| other.id != command.id && command.when.meets(other.when));
            for other in rivals {
                let theirs = others.get(other.id).map_or(other.keys, Vec::as_slice);
                if theirs.contains(&key) && is_given(other) {
                    return Err(KeysError::Twice { key, first: command.id, second: other.id });
                }
                if theirs.contains(&key) {
                    others.insert(other.id, theirs.iter().copied().filter(|&their| their != key).collect());
                }
            }
        }
    }
    Ok(Keys::with(others))
}

/// The command that shows `pane`.
pub fn of_pane(pane: Pane) -> &'static Command {
    match pane {
        Pane::Details => &panes::DETAILS,
        Pane::Table(view) => &tables::TABLES[view],
    }
}

/// One line of the help.
#[derive(Clone, Copy)]
pub enum HelpLine {
    /// A blank line between two sections.
    Blank,
    /// The heading of a section.
    Heading(&'static str),
    /// A command, with its keys and title.
    Command(&'static Command),
}

/// The lines of the help, by section, for the commands that match all the `typed` words.
pub fn help(typed: &str, keys: &Keys) -> Vec<HelpLine> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let is_wanted = |command: &&Command| {
        let keys = command.key_labels(keys, false).join(" ");
        let text = format!("{} {} {} {keys}", command.title, command.id, command.also).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    let mut lines = Vec::new();
    for group in Group::ALL {
        let mut commands = all().filter(|command| command.group == group).filter(is_wanted).peekable();
        if commands.peek().is_none() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(HelpLine::Blank);
        }
        lines.push(HelpLine::Heading(group.title()));
        lines.extend(commands.map(HelpLine::Command));
    }
    lines
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
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::input::bindings;

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
    fn given_keys_replace_those_of_the_table_and_are_taken_from_others() {
        let given = |pairs: &[(&str, &[&str])]| {
            let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            keys(&pairs.iter().map(|(id, keys)| ((*id).to_owned(), names(keys))).collect())
        };
        let of = |keys: &Keys, id: &str| {
            let command = all().find(|command| command.id == id).expect("a command");
            command.key_labels(keys, false).join(" ")
        };
        let mine = given(&[("time.zoom-in", &["s", "f5"]), ("app.help", &[])]).expect("keys");
        assert_eq!(of(&mine, "time.zoom-in"), "s F5");
        assert_eq!(of(&mine, "time.zoom-out"), "-", "s is taken");
        assert_eq!(of(&mine, "app.help"), "");
        assert_eq!(mine.label(bindings::HELP), ":app.help");
        assert_eq!(
            of(&given(&[("list.down", &["s"])]).expect("keys"), "time.zoom-out"),
            "s -",
            "never both meant"
        );
        for (wrong, why) in [
            (given(&[("no.such", &["s"])]), "no command has the id no.such"),
            (given(&[("app.help", &["ctrl-xy"])]), "app.help: unknown key ctrl-xy"),
            (
                given(&[("app.help", &["s"]), ("time.fit", &["s"])]),
                "the key s is given to both time.fit and app.help",
            ),
        ] {
            assert_eq!(wrong.expect_err(why).to_string(), why);
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
