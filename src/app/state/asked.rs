//! What the help says of what has the focus: how its numbers are made, and of what they are shares.
//!
//! Must not know how the help is drawn.

use proftui_base::fmt;
use proftui_base::text::SafeText;
use proftui_insight::analysis::{ColumnKind, TableRow, Value};
use proftui_insight::report::text;

use super::State;
use crate::app::pane::panes::Region;
use crate::app::pane::table_pane::TablePane;

/// The sentences on what has the focus: a row of the pane, else the line of the timeline. The first one names
/// it.
pub fn sentences(state: &State) -> Vec<SafeText<'static>> {
    let sentences = match (state.panes.region(), state.table()) {
        (Region::Pane, Some(pane)) => pane.row(pane.line).map_or(Vec::new(), |row| of_row(state, pane, row)),
        (Region::Pane, None) => of_selection(state),
        (Region::Timeline, _) => of_line(state).into_iter().chain(of_selection(state)).collect(),
    };
    sentences.into_iter().map(SafeText::from).collect()
}

/// A finding's numbers and what helps, or each number of another row with the meaning of its column, the one
/// that orders the rows first.
fn of_row(state: &State, pane: &TablePane, row: &TableRow) -> Vec<String> {
    let name = row.cells.first().map(text::value).unwrap_or_default();
    let mut sentences = vec![name.to_string()];
    if let Some(hint) = pane.finding(pane.line).and_then(|number| pane.table.hints.get(number - 1)) {
        sentences.extend(hint.numbers.iter().cloned());
        sentences.push(hint.advice.clone());
        if !hint.caveat.is_empty() {
            sentences.push(format!("Could be wrong: {}", hint.caveat));
        }
        return sentences;
    }
    let mut columns: Vec<usize> = (1..pane.table.columns.len().min(row.cells.len())).collect();
    let ordered = pane.rows.order.map(|(column, _)| column);
    columns.sort_by_key(|&at| Some(at) != ordered);
    for at in columns {
        let column = &pane.table.columns[at];
        if column.kind == ColumnKind::Text || row.cells[at] == Value::Empty {
            continue;
        }
        let value = text::value_in(&row.cells[at], state.looks.unit());
        sentences.push(format!("{} {value}: {}", column.title, column.about));
    }
    sentences
}

/// The busy share of the focused line of the timeline, as a quotient of times.
fn of_line(state: &State) -> Option<String> {
    let line = state.timeline.focused()?;
    let (busy, whole) = state.timeline.share(&state.session, line)?;
    Some(format!(
        "The focused line: {} busy = {} / {}, of the run's time on the screen",
        fmt::percent(busy, whole),
        fmt::duration(busy),
        fmt::duration(whole)
    ))
}

/// The title and the first facts of the selected event or gap.
fn of_selection(state: &State) -> Vec<String> {
    if state.selected.selection().is_none() {
        return Vec::new();
    }
    let lines = state.selected.details().lines.iter().take(4);
    lines.map(|line| format!("{} {}", line.label, line.text()).trim().to_owned()).collect()
}
