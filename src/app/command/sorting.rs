//! Commands that sort the rows of the pane.

use crate::app::input::bindings;
use crate::app::input::key::Key::Char;
use crate::app::input::prefix::Prefix;
use crate::app::state::State;

use super::{Command, Group, Hint, When};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: bindings::SORT.id,
        keys: bindings::SORT.keys,
        when: When::Pane,
        title: "Begin to sort rows; then type the number of a column",
        group: Group::Panes,
        hint: Hint::Normal("sort"),
        run: |state| state.dialog.begin(Prefix::Sort),
        can_act: |state| state.table().is_some(),
        ..Command::DEFAULT
    },
    Command {
        id: "pane.sort-by",
        keys: bindings::DIGITS,
        when: When::After(Prefix::Sort),
        title: "Sort rows by the column with this number, and explain that column",
        group: Group::Panes,
        run: State::sort_by_typed,
        ..Command::DEFAULT
    },
    Command {
        id: "pane.order-next",
        keys: &[Char('>')],
        when: When::After(Prefix::Sort),
        title: "Sort rows by the next column, and explain that column",
        group: Group::Panes,
        run: |state| state.move_order(1),
        ..Command::DEFAULT
    },
    Command {
        id: "pane.order-previous",
        keys: &[Char('<')],
        when: When::Pane,
        title: "Sort rows by the previous column, and explain that column",
        group: Group::Panes,
        run: |state| state.move_order(-1),
        ..Command::DEFAULT
    },
    Command {
        id: "pane.reverse",
        keys: &[Char('r')],
        when: When::Pane,
        title: "Reverse the chosen order of the rows, or sort by the first column",
        group: Group::Panes,
        run: State::reverse_order,
        ..Command::DEFAULT
    },
];
