//! THE TABLE: one row is one command. Dispatch, palette, help, footer, the key page of the manual and the check for
//! duplicates all read it; no key is named anywhere else.

mod events;
mod panes;
mod prompts;
mod screen;
mod views;

use super::key::Key;
use super::links::LinkKind;
use super::overlay::Overlay;
use super::state::{Region, State};

/// When a command applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Whatever is on the screen.
    Always,
    /// No overlay is open.
    Screen,
    /// No overlay is open and the timeline has the focus.
    Timeline,
    /// No overlay is open and the pane has the focus.
    Pane,
    /// A prompt is open.
    Prompt,
    /// A list or the help is open.
    Overlay,
}

impl When {
    /// Whether it applies now.
    pub fn holds(self, state: &State) -> bool {
        match (self, &state.overlay) {
            (Self::Timeline, None) => state.region == Region::Timeline,
            (Self::Pane, None) => state.region == Region::Pane,
            (Self::Always, _)
            | (Self::Screen, None)
            | (Self::Prompt, Some(Overlay::Prompt(_)))
            | (Self::Overlay, Some(Overlay::Help(_) | Overlay::List(_))) => true,
            _ => false,
        }
    }

    /// True when both can apply at once, so that they may not share a key.
    pub fn meets(self, other: Self) -> bool {
        use When::{Always, Pane, Screen, Timeline};
        self == other
            || matches!((self, other), (Always, _) | (_, Always))
            || matches!((self, other), (Screen, Timeline | Pane) | (Timeline | Pane, Screen))
    }
}

/// Which part of the help a command stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Time: zoom, pan, places.
    Time,
    /// Events and links.
    Events,
    /// Lanes.
    Lanes,
    /// Panes.
    Panes,
    /// Finding.
    Find,
    /// Everything else.
    General,
    /// Inside prompts and lists.
    Inside,
}

impl Group {
    /// Every group, in the order of the help.
    pub const ALL: [Self; 7] =
        [Self::Time, Self::Events, Self::Lanes, Self::Panes, Self::Find, Self::General, Self::Inside];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Time => "Time",
            Self::Events => "Events and links",
            Self::Lanes => "Lanes",
            Self::Panes => "Panes",
            Self::Find => "Find",
            Self::General => "General",
            Self::Inside => "Inside prompts and lists",
        }
    }
}

/// One command.
pub struct Command {
    /// Its stable name.
    pub id: &'static str,
    /// Its keys, the first shown in the footer.
    pub keys: &'static [&'static str],
    /// When it applies.
    pub when: When,
    /// What it does, in a few words.
    pub title: &'static str,
    /// Where the help shows it.
    pub group: Group,
    /// Its word in the footer, if it stands there.
    pub hint: Option<&'static str>,
    /// Does it.
    pub run: fn(&mut State),
}

impl Command {
    /// Whether the footer should name it now: it applies, and there is something for it to act on.
    pub fn is_apt(&self, state: &State) -> bool {
        let leads = |wanted: fn(LinkKind) -> bool| state.details.links.iter().any(|link| wanted(link.kind));
        self.when.holds(state)
            && match self.id {
                "link.forth" => leads(LinkKind::is_forth),
                "link.back" => leads(|kind| !kind.is_forth()),
                "event.open" | "view.fit" => state.selection.is_some(),
                "pane.fold" => state
                    .table()
                    .is_some_and(|pane| pane.row(pane.line).is_some_and(|row| !row.children.is_empty())),
                "pane.chart" => state.table().is_some_and(|pane| !pane.table.charts.is_empty()),
                "pane.chart-more" | "pane.chart-fewer" => {
                    state.table().is_some_and(|pane| pane.top().is_some())
                }
                "pane.order-next" => state.table().is_some(),
                "step.next" => !state.session.trace.steps.is_empty(),
                _ => true,
            }
    }
}

/// Every command, in the order of the help.
pub fn all() -> impl Iterator<Item = &'static Command> {
    views::COMMANDS
        .iter()
        .chain(events::COMMANDS)
        .chain(panes::DETAILS)
        .chain(&panes::TABLES)
        .chain(panes::COMMANDS)
        .chain(screen::COMMANDS)
        .chain(prompts::COMMANDS)
}

/// The command for `key` now.
pub fn find(state: &State, key: Key) -> Option<&'static Command> {
    all().find(|command| {
        command.when.holds(state) && command.keys.iter().any(|name| Key::parse(name) == Some(key))
    })
}

/// The key page of the manual, in Markdown.
pub fn manual() -> String {
    let mut page = String::from(
        "# Keys\n\nMade from the command table by `proftui keys`. The palette holds every command but those inside prompts and lists.\n",
    );
    for group in Group::ALL {
        page += &format!("\n## {}\n\n| Keys | What |\n| --- | --- |\n", group.title());
        for command in all().filter(|command| command.group == group) {
            let keys: Vec<String> =
                command.keys.iter().map(|key| format!("`{}`", label(key, true))).collect();
            let keys = if keys.is_empty() { "palette".into() } else { keys.join(" ") };
            page += &format!("| {} | {} |\n", keys.replace('|', "\\|"), command.title);
        }
    }
    page
}

/// The first key of the command named `id`, in words that any terminal can show.
pub fn key_of(id: &str) -> String {
    let key = all().find(|command| command.id == id).and_then(|command| command.keys.first());
    key.map_or_else(|| "the palette".into(), |key| label(key, false))
}

/// The keys of the command named `id`, in words that any terminal can show.
pub fn keys_of(id: &str) -> Vec<String> {
    let command = all().find(|command| command.id == id);
    command.map_or(Vec::new(), |command| command.keys.iter().map(|key| label(key, false)).collect())
}

/// A key of the table as people read it.
pub fn label(name: &str, utf8: bool) -> String {
    Key::parse(name).map_or_else(|| name.to_owned(), |key| key.label(utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_parses_and_none_is_taken_twice() {
        let commands: Vec<_> = all().collect();
        for (i, command) in commands.iter().enumerate() {
            for key in command.keys {
                assert!(Key::parse(key).is_some(), "{}: {key}", command.id);
                for other in &commands[i + 1..] {
                    let clash = command.when.meets(other.when)
                        && other.keys.iter().any(|k| Key::parse(k) == Key::parse(key));
                    assert!(!clash, "{key}: {} and {}", command.id, other.id);
                }
            }
        }
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
        for (command, view) in panes::TABLES.iter().zip(crate::analysis::VIEWS) {
            assert_eq!((command.id, command.title), (view.command, view.title));
        }
    }

    #[test]
    fn no_key_needs_what_a_plain_terminal_cannot_send() {
        for command in all() {
            for key in command.keys {
                // Ctrl-H, Ctrl-I, Ctrl-M and Ctrl-[ arrive as other keys.
                assert!(!["ctrl-h", "ctrl-i", "ctrl-m", "ctrl-["].contains(key), "{}", command.id);
            }
        }
    }
}
