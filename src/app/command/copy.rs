//! Copying the focused row, line or event to the terminal's clipboard.
//!
//! Must not know the terminal.

use crate::analysis::Value;
use crate::app::msg::Effect;
use crate::app::state::{Pane, Region, State};
use crate::base::text::SafeText;
use crate::report::{csv, text};

/// The longest text that is copied, in bytes; terminals refuse much more.
const CLIP: usize = 64 << 10;
/// The widest copied text that the message shows in full, in columns.
const SHOWN: usize = 100;

/// Copies to the terminal's clipboard: if the pane has the focus, the focused row of the summary (cells separated by tabs, texts guarded
/// as in CSV because spreadsheets take such rows) or the value of the focused line of the details; otherwise the name of the selected
/// event.
pub(super) fn copy(state: &mut State) {
    let shown = |cell: &Value| match cell {
        Value::Text(own) => csv::guarded(own.as_str()).into_owned(),
        number => text::value_in(number, state.unit).to_string(),
    };
    let of_row = state.table().filter(|_| state.region == Region::Pane).and_then(|pane| {
        let cells = pane.row(pane.line)?.cells.iter().map(shown);
        Some(cells.collect::<Vec<_>>().join("\t"))
    });
    let of_line = || {
        let is_here = state.region == Region::Pane && state.pane == Pane::Details;
        let line = state.details.lines.get(state.pane_line).filter(|_| is_here)?;
        Some(line.text().to_string())
    };
    let of_event = || Some(state.session.trace.name(state.selected_slice()?).to_string());
    let Some(text) = of_row.or_else(of_line).or_else(of_event) else {
        return state.say("nothing to copy: select an event, or move to a row of a pane");
    };
    if text.len() > CLIP {
        return state.say("cannot copy: the text is longer than 64 KiB, too long for a terminal's clipboard");
    }
    let shown = SafeText::new(&text.replace('\t', " ")).elide_middle(SHOWN).to_string();
    state.say(format!("copied to the terminal's clipboard: {shown}"));
    state.effects.push(Effect::Copy(text));
}
