//! Copying the focused row, line or event to the terminal's clipboard.
//!
//! Must not know the terminal.

use crate::analysis::Value;
use crate::app::msg::Effect;
use crate::app::state::{Pane, Region, State};
use crate::app::table_pane::TablePane;
use crate::base::fmt::TimeUnit;
use crate::base::text::SafeText;
use crate::report::{csv, text};

/// The longest text that is copied, in bytes; terminals refuse much more.
const CLIP: usize = 64 << 10;
/// The widest copied text that the message shows in full, in columns.
const SHOWN: usize = 100;

/// The table of a pane as lines of cells separated by tabs: what it is about, the titles, the rows without those below them, as many as
/// the clipboard takes.
fn table(pane: &TablePane, unit: Option<TimeUnit>) -> String {
    let mut out = String::new();
    if !pane.table.headline.is_empty() {
        out += &pane.table.headline;
        out.push('\n');
    }
    out += &pane.table.columns.iter().map(|column| column.title.as_ref()).collect::<Vec<_>>().join("\t");
    let rows = (0..pane.rows.len()).filter(|&line| pane.rows.depth(line) == 0);
    for row in rows.filter_map(|line| pane.row(line)) {
        let cells: Vec<String> = row.cells.iter().map(|cell| shown(cell, unit)).collect();
        let line = cells.join("\t");
        if out.len() + 1 + line.len() > CLIP {
            break;
        }
        out.push('\n');
        out += &line;
    }
    out
}

/// A cell as text; texts are guarded as in CSV because spreadsheets take such rows.
fn shown(cell: &Value, unit: Option<TimeUnit>) -> String {
    match cell {
        Value::Text(own) => csv::guarded(own.as_str()).into_owned(),
        number => text::value_in(number, unit).to_string(),
    }
}

/// Copies to the terminal's clipboard: if the pane has the focus, the focused row of the summary (cells separated by tabs) or the value of the focused
/// line of the details; otherwise the table of the marked stretch, or the name of the selected event.
pub(super) fn copy(state: &mut State) {
    let of_row = state.table().filter(|_| state.region == Region::Pane).and_then(|pane| {
        let cells = pane.row(pane.line)?.cells.iter().map(|cell| shown(cell, state.unit));
        Some(cells.collect::<Vec<_>>().join("\t"))
    });
    let of_frame =
        state.flame_shown().filter(|_| state.region == Region::Pane).and_then(|(flame, icicle)| {
            let frame = flame.frames.get(icicle.focus as usize)?;
            Some(flame.title(&state.session.trace, frame).to_string())
        });
    let of_line = || {
        let is_here = state.region == Region::Pane && state.pane == Pane::Details;
        let line = state.details.lines.get(state.pane_line).filter(|_| is_here)?;
        Some(line.text().to_string())
    };
    let of_stretch = || {
        let is_here = state.region == Region::Timeline && state.stretch.is_some();
        state.table().filter(|_| is_here).map(|pane| table(pane, state.unit))
    };
    let of_event = || Some(state.session.trace.name(state.selected_slice()?).to_string());
    let Some(text) = of_frame.or(of_row).or_else(of_line).or_else(of_stretch).or_else(of_event) else {
        return state.say("nothing to copy: select an event, or move to a row of a pane");
    };
    if text.len() > CLIP {
        return state.say("cannot copy: the text is longer than 64 KiB, too long for a terminal's clipboard");
    }
    let shown = SafeText::new(&text.replace(['\t', '\n'], " ")).elide_middle(SHOWN).to_string();
    state.say(format!("copied to the terminal's clipboard: {shown}"));
    state.effects.push(Effect::Copy(text));
}
