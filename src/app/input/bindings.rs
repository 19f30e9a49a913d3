//! The keys in force, and ids and keys of the commands whose keys appear in messages, so that the code that
//! writes a message need not search the command table.
//!
//! The command table takes the ids and keys of these commands from here. `state` may use this file although
//! it may not use the command table: this file has only ids and keys, no behaviour. Must not know what a
//! command does.

use std::collections::BTreeMap;

use super::key::Key::{self, Char, Ctrl, Down, Esc, F, Right, Tab};

/// A command's id and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The command's id, unique in the table of commands.
    pub id: &'static str,
    /// The command's keys in the table of commands, which run it unless the user changed them.
    pub keys: &'static [Key],
}

/// The keys in force: the keys of the command table with the user's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// The keys that replace those of the table, by the command's id.
    others: BTreeMap<&'static str, Vec<Key>>,
}

impl Keys {
    /// The keys of the command table, with `others` instead of the keys of the commands whose ids it has.
    pub fn with(others: BTreeMap<&'static str, Vec<Key>>) -> Self {
        Self { others }
    }

    /// The keys in force of the command `id`, which has the keys `own` in the table.
    pub fn of<'k>(&'k self, id: &str, own: &'static [Key]) -> &'k [Key] {
        self.others.get(id).map_or(own, Vec::as_slice)
    }

    /// The label of the command's first key, for messages; for a command without keys, `:` and its id.
    pub fn label(&self, binding: Binding) -> String {
        self.label_in(binding, false)
    }

    /// The label of the command's first key, with arrows such as `←` if `utf8`; for a command without keys,
    /// `:` and its id.
    pub fn label_in(&self, binding: Binding, utf8: bool) -> String {
        let first = self.of(binding.id, binding.keys).first();
        first.map_or_else(|| format!(":{}", binding.id), |key| key.label(utf8))
    }
}

/// Binding of the command that goes to the next event, gap or value on the line with the focus.
pub const NEXT_EVENT: Binding = Binding { id: "event.next", keys: &[Right, Char('l')] };
/// Binding of the command that moves the focus one line down.
pub const LINE_DOWN: Binding = Binding { id: "lane.down", keys: &[Down, Char('j')] };
/// Binding of the command that shows again the lanes that were hidden or filtered out.
pub const SHOW_ALL_LANES: Binding = Binding { id: "lane.show-all", keys: &[Char('X')] };
/// Binding of the command that opens the prompt for searching events.
pub const SEARCH: Binding = Binding { id: "find.name", keys: &[Char('/')] };
/// Binding of the command that opens the prompt for filtering lanes.
pub const FILTER_LANES: Binding = Binding { id: "lane.filter", keys: &[Char('K')] };
/// Binding of the command that pins all lanes that match the filter, and ends the filter.
pub const PIN_LANES: Binding = Binding { id: "lane.pin-all", keys: &[Char('P')] };
/// Binding of the command that hides all lanes that match the filter, except pinned ones, and ends the
/// filter.
pub const HIDE_LANES: Binding = Binding { id: "lane.hide-all", keys: &[Char('Z')] };
/// Binding of the command that goes to the next event that the search found.
pub const NEXT_HIT: Binding = Binding { id: "find.next", keys: &[Char('n')] };
/// Binding of the command that goes to the previous event that the search found.
pub const PREVIOUS_HIT: Binding = Binding { id: "find.previous", keys: &[Char('N')] };
/// Binding of the command that raises the number of rows that have a bar of their own in the chart shown.
pub const MORE_ROWS: Binding = Binding { id: "pane.chart-more", keys: &[Char('+')] };
/// Binding of the command that lowers the number of rows that have a bar of their own in the chart shown.
pub const FEWER_ROWS: Binding = Binding { id: "pane.chart-fewer", keys: &[Char('-')] };
/// Binding of the command that shows the next columns of a table, or moves to the next frame in a flame.
pub const NEXT_COLUMNS: Binding = Binding { id: "pane.columns-next", keys: &[Right, Char('l')] };
/// Binding of the command that switches the grouping of the rows of the summary shown.
pub const NEXT_GROUPING: Binding = Binding { id: "pane.grouping", keys: &[Char('G')] };
/// Binding of the command that switches what the frames of a flame weigh.
pub const NEXT_WEIGHT: Binding = Binding { id: "pane.weight", keys: &[Char('m')] };
/// Binding of the command that moves the focus to the pane or, if the pane has the focus, shows the next
/// pane.
pub const FOCUS_PANE: Binding = Binding { id: "pane.focus", keys: &[Tab] };
/// Binding of the command that loads the trace's files again.
pub const RELOAD: Binding = Binding { id: "app.reload", keys: &[Char('R')] };
/// Binding of the command that lists the traces of the directory that was opened, to choose another one.
pub const CHOOSE_TRACE: Binding = Binding { id: "trace.choose", keys: &[Char('T')] };
/// Binding of the command that begins a stretch of time or, if one is open, ends it.
pub const STRETCH: Binding = Binding { id: "stretch.mark", keys: &[Char('v')] };
/// Binding of the command that moves the focus to the timeline, and clears the stretch, else the selection,
/// else the search.
pub const DESELECT: Binding = Binding { id: "event.deselect", keys: &[Esc] };
/// Binding of the command that switches the time that summaries cover.
pub const SCOPE: Binding = Binding { id: "pane.scope", keys: &[Char('b')] };
/// Binding of the command that opens the prompt for marking the time of the cursor.
pub const SET_MARK: Binding = Binding { id: "mark.set", keys: &[Char('m')] };
/// Binding of the command that lists the marks, to return to one.
pub const MARKS: Binding = Binding { id: "mark.list", keys: &[Char('\'')] };
/// Binding of the command that lists the choices of lanes that summaries can cover.
pub const CHOOSE_GROUP: Binding = Binding { id: "pane.group", keys: &[Char('B')] };
/// Binding of the command that begins the commands that go somewhere.
pub const GO: Binding = Binding { id: "go", keys: &[Char('g')] };
/// Binding of the command that begins the commands that sort the rows of the pane.
pub const SORT: Binding = Binding { id: "pane.sort", keys: &[Char('>')] };
/// Binding of the command that shows what limits the run, and begins those that go to a finding.
pub const WHY: Binding = Binding { id: "pane.verdict", keys: &[Char('!')] };
/// Binding of the command that moves the focus from the pane to the timeline or, if the timeline has the
/// focus, ends the explorer.
pub const QUIT: Binding = Binding { id: "app.quit", keys: &[Char('q')] };
/// Binding of the command that shows the whole trace.
pub const WHOLE: Binding = Binding { id: "time.whole", keys: &[Char('0')] };
/// Binding of the command that ends the explorer even while a prompt, a list or the help is open.
pub const QUIT_NOW: Binding = Binding { id: "app.quit-now", keys: &[Ctrl('c')] };
/// The second keys of commands that take a number from 1 to 9.
pub const DIGITS: &[Key] =
    &[Char('1'), Char('2'), Char('3'), Char('4'), Char('5'), Char('6'), Char('7'), Char('8'), Char('9')];
/// Binding of the command that opens the help.
pub const HELP: Binding = Binding { id: "app.help", keys: &[Char('?'), F(1)] };
