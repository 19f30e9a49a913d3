//! Copying the focused row, line or event to the terminal's clipboard or a file, and writing the screen or a
//! table to a file.
//!
//! Must not know the terminal, nor how a file is written.

use proftui_base::fmt::TimeUnit;
use proftui_base::text::SafeText;
use proftui_insight::analysis::{Table, Value};
use proftui_insight::report::{csv, json, markdown, text};

use crate::app::pane::panes::{Pane, Region};
use crate::app::pane::table_pane::TablePane;
use crate::app::state::State;
use crate::app::wires::msg::{Effect, Exported};

/// The most bytes that [`State::copy`] sends to the terminal's clipboard.
const CLIP: usize = 64 << 10;
/// The most columns of the copied text that the message about a copy shows.
const SHOWN: usize = 100;

/// The table of a pane as text with tabs between cells: its headline, the titles of columns, and as many of
/// the top-level rows shown as fit into `most` bytes. Times in rows are in `unit`; none for the unit that
/// suits each.
fn table(pane: &TablePane, unit: Option<TimeUnit>, most: usize) -> String {
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
        if out.len() + 1 + line.len() > most {
            break;
        }
        out.push('\n');
        out += &line;
    }
    out
}

/// A cell as text; a name that a spreadsheet could run as a formula gets a `'` before it. Times are in
/// `unit`; none for the unit that suits each.
fn shown(cell: &Value, unit: Option<TimeUnit>) -> String {
    match cell {
        Value::Text(own) => csv::guarded(own.as_str()).into_owned(),
        number => text::value_in(number, unit).to_string(),
    }
}

/// The whole table in the format of a file's ending: `csv`, `md` or `json`; none for other endings. Times in
/// cells of Markdown are in `unit`; none for the unit that suits each.
fn exported(table: &Table, unit: Option<TimeUnit>, ending: &str) -> Option<String> {
    Some(match ending {
        "csv" => csv::render(table, csv::Formulas::Guarded),
        "md" => markdown::render(table, unit),
        "json" => format!("{:#}\n", json::render(table, &serde_json::Value::Null)),
        _ => return None,
    })
}

impl State {
    /// The text to copy: the frame, row or line of the focused pane, the table shown while a stretch is
    /// marked, or the selected event's name; none if there is nothing. The table has only as many rows as fit
    /// into `most` bytes.
    fn copied(&self, most: usize) -> Option<String> {
        let is_pane = self.panes.region() == Region::Pane;
        let of_row = || {
            let pane = self.table().filter(|_| is_pane)?;
            let cells = pane.row(pane.line)?.cells.iter().map(|cell| shown(cell, self.looks.unit()));
            Some(cells.collect::<Vec<_>>().join("\t"))
        };
        let of_frame = self.table().filter(|_| is_pane).and_then(|pane| {
            let flame = pane.flame_shown()?;
            let frame = flame.frames.get(pane.icicle.focus as usize)?;
            Some(flame.title(&self.session.trace, frame).to_string())
        });
        let of_line = || {
            let is_here = is_pane && self.panes.shown() == Pane::Details;
            let line = self.selected.details().lines.get(self.selected.line()).filter(|_| is_here)?;
            Some(line.text().to_string())
        };
        let of_stretch = || {
            let is_here = !is_pane && self.stretch.is_some();
            self.table().filter(|_| is_here).map(|pane| table(pane, self.looks.unit(), most))
        };
        let of_event = || Some(self.session.trace.name(self.selected.slice()?).to_string());
        of_frame.or_else(of_row).or_else(of_line).or_else(of_stretch).or_else(of_event)
    }

    /// Copies what `copied` returns to the terminal's clipboard; says what was copied, or why nothing.
    pub(crate) fn copy(&mut self) {
        let Some(text) = self.copied(CLIP) else { return self.say(NOTHING) };
        if text.len() > CLIP {
            return self.say("too long to copy (more than 64 KiB): :copy.file writes it to a file");
        }
        let shown = SafeText::new(&text.replace(['\t', '\n'], " ")).elide_middle(SHOWN).to_string();
        self.say(format!("sent to the terminal's clipboard: {shown}"));
        self.effects.push(Effect::Copy(text));
    }

    /// Has the text that [`State::copy`] would copy, but of any length, written to the file `path`; says so
    /// if there is nothing to copy.
    pub(crate) fn copy_to(&mut self, path: &str) {
        match self.copied(usize::MAX) {
            Some(text) => self.write(path, Exported::Text(text + "\n")),
            None => self.say(NOTHING),
        }
    }

    /// Has the pane's table written to the file `path` if that ends in `.csv`, `.md` or `.json`, or a picture
    /// of the screen if the ending names a kind of picture. Says so if a table is wanted but the pane has
    /// none.
    pub(crate) fn export_to(&mut self, path: &str) {
        let ending =
            path.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase());
        if !["csv", "md", "json"].contains(&ending.as_str()) {
            return self.write(path, Exported::Screen);
        }
        match self.table().and_then(|pane| exported(&pane.table, self.looks.unit(), &ending)) {
            Some(text) => self.write(path, Exported::Text(text)),
            None => self.say("the pane shows no table"),
        }
    }

    /// Has `what` written to the file `path`; says so if `path` is blank.
    pub(crate) fn write(&mut self, path: &str, what: Exported) {
        let path = path.trim();
        if path.is_empty() {
            return self.say("no file name was typed: nothing is written");
        }
        self.effects.push(Effect::Export(path.to_owned(), what));
    }
}

const NOTHING: &str = "nothing to copy: select an event with a length, or move to a row of a pane";
