//! The lines of the help: what has the focus, the commands that apply there, then all commands by section.
//!
//! Must not know how a line is drawn.

use proftui_base::text::SafeText;

use proftui_insight::analysis::search::FIELDS;

use super::{Command, Group, Hint, When, all};
use crate::app::input::bindings::Keys;
use crate::app::pane::overlay::{self, Help};
use crate::app::state::State;
use crate::app::state::asked;

/// The columns of the help beside a sentence: its frame, two blanks before and one after.
const BESIDE: u16 = 5;

/// One line of the help.
#[derive(Clone, Copy)]
pub enum HelpLine<'a> {
    /// A blank line between two sections.
    Blank,
    /// The heading of a section.
    Heading(&'static str),
    /// A part of a sentence on what has the focus.
    Text(&'a SafeText<'static>),
    /// A command, with its keys and title.
    Command(&'static Command),
    /// The line with this index, of [`COLORS`], on what the colours of events mean.
    Colors(usize),
}

/// How many lines say what the colours of events mean.
pub const COLORS: usize = 3;

/// The help as it opens: with what is said of what has the focus, and the commands that apply there.
pub(super) fn opened(state: &State) -> Help {
    let width = usize::from(state.size.0.min(overlay::HELP_WIDTH).saturating_sub(BESIDE).max(1));
    let wrapped = |sentence: SafeText<'static>| -> Vec<SafeText<'static>> {
        sentence.wrap_at_spaces(width).map(SafeText::into_owned).collect()
    };
    let of_focus = asked::sentences(state).into_iter().flat_map(wrapped).collect();
    let terms: Vec<&str> = FIELDS.iter().map(|field| field.example).collect();
    let of_search = wrapped(SafeText::from(terms.join("  ")));
    // Those that the footer names, and those of two keys.
    let is_here = |command: &&Command| {
        let is_second = matches!(command.when, When::After(_)) && (command.can_act)(state);
        command.is_hinted(state) || is_second && command.hint_in(state) != Hint::None
    };
    let mut here: Vec<&'static Command> = all().filter(is_here).collect();
    here.sort_by_key(|command| {
        (matches!(command.when, When::After(_)), !matches!(command.hint_in(state), Hint::First(_)))
    });
    let here = here.into_iter().map(|command| command.id).collect();
    Help { of_focus, of_search, here, color_by: state.looks.color_by(), ..Help::default() }
}

/// The lines of the help by section. Where words are typed, only the commands that match all of them.
pub fn help<'a>(help: &'a Help, keys: &Keys) -> Vec<HelpLine<'a>> {
    let words: Vec<String> = help.typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let is_wanted = |command: &&Command| {
        let keys = command.key_labels(keys, false).join(" ");
        let text = format!("{} {} {} {keys}", command.title, command.id, command.also).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    let mut lines = Vec::new();
    let mut section = |heading: &'static str, found: Vec<HelpLine<'a>>| {
        if found.is_empty() {
            return;
        }
        if !lines.is_empty() {
            lines.push(HelpLine::Blank);
        }
        lines.push(HelpLine::Heading(heading));
        lines.extend(found);
    };
    if words.is_empty() {
        section("This", help.of_focus.iter().map(HelpLine::Text).collect());
        let here = help.here.iter().filter_map(|id| all().find(|command| command.id == *id));
        section("Here", here.map(HelpLine::Command).collect());
    }
    let is_of_colors = |word: &String| "colours colors legend".contains(word.as_str());
    if words.iter().all(is_of_colors) {
        section("Colours", (0..COLORS).map(HelpLine::Colors).collect());
    }
    for group in Group::ALL {
        let commands = all().filter(|command| command.group == group).filter(is_wanted);
        section(group.title(), commands.map(HelpLine::Command).collect());
        if group == Group::Find && words.is_empty() {
            section("Terms of a search", help.of_search.iter().map(HelpLine::Text).collect());
        }
    }
    lines
}
