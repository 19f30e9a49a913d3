//! The lines of the pane of findings: the findings, below the focused one what helps, then what was not
//! judged, and the time by cause.
//!
//! Must not know how a line is drawn, nor how a finding is made.

use proftui_base::text::SafeText;
use proftui_insight::analysis::views::verdict;

use super::table_pane::TablePane;

/// The columns before a title: for the mark and the key of a finding.
pub const INDENT: u16 = 6;
/// The fewest columns of a pane that says how a finding could be wrong.
const WIDE: u16 = 100;
/// The most lines of what helps.
const ADVICE: usize = 2;
/// The most locations of the focused finding that are listed where lines are free.
const LOCATIONS: usize = 8;

/// A line of the pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A heading: of the findings if true, else of the time by cause.
    Heading(bool),
    /// The row with this index among the rows shown.
    Row(usize),
    /// A text below a row: the beginning of what helps if true.
    Text(String, bool),
    /// A location of the finding in the row with this index: the row's child with this index.
    Location(usize, usize),
    /// What was not judged.
    Unjudged,
    /// The note with this index.
    Note(usize),
    /// Nothing.
    Blank,
}

/// The lines of a pane of `width` columns, top to bottom.
pub fn lines(pane: &TablePane, width: u16) -> Vec<Line> {
    let (findings, others): (Vec<usize>, Vec<usize>) =
        (0..pane.rows.len()).partition(|&line| is_finding(pane, line));
    let mut lines = Vec::new();
    // Rows in another order than the table's own are not parted.
    let is_parted = pane.rows.order.is_none();
    let listed: Vec<usize> = if is_parted { findings } else { (0..pane.rows.len()).collect() };
    let is_on_finding = listed.contains(&pane.line);
    if !listed.is_empty() {
        lines.push(Line::Heading(true));
    }
    for (at, &row) in listed.iter().enumerate() {
        lines.push(Line::Row(row));
        // Where another line has the focus, the first finding has its advice.
        if row == pane.line || at == 0 && !is_on_finding {
            lines.extend(hints(pane, row, width));
        }
    }
    if !pane.table.unjudged.is_empty() {
        lines.push(Line::Unjudged);
    }
    let noted = pane.line.checked_sub(pane.rows.len()).filter(|&note| note < pane.table.notes.len());
    if let Some(note) = noted {
        lines.push(Line::Note(note));
    }
    if is_parted && !others.is_empty() {
        if !lines.is_empty() {
            lines.push(Line::Blank);
        }
        lines.push(Line::Heading(false));
        lines.extend(others.into_iter().map(Line::Row));
    }
    lines
}

/// The lines of a pane of `width` columns and `height` lines: where lines are free, also locations of the
/// focused finding, or else of the first, unless it is unfolded.
pub fn lines_within(pane: &TablePane, width: u16, height: u16) -> Vec<Line> {
    let mut lines = lines(pane, width);
    let free = usize::from(height).saturating_sub(lines.len()).min(LOCATIONS);
    let Some(text) = lines.iter().rposition(|line| matches!(line, Line::Text(..))) else { return lines };
    let of = |line: &Line| if let Line::Row(row) = line { Some(*row) } else { None };
    let Some(row) = lines[..text].iter().rev().find_map(of) else { return lines };
    let is_unfolded = pane.rows.depth(row + 1) > pane.rows.depth(row) && row + 1 < pane.rows.len();
    let locations = pane.row(row).map_or(0, |row| row.children.len());
    // The only location is the one to which Enter goes.
    if locations > 1 && !is_unfolded {
        let listed = (0..locations.min(free)).map(|child| Line::Location(row, child));
        let behind = lines.split_off(text + 1);
        lines.extend(listed);
        lines.extend(behind);
    }
    lines
}

/// True if the row on a line is a finding, or a location of one.
pub fn is_finding(pane: &TablePane, line: usize) -> bool {
    let at = pane.rows.path(line).and_then(|path| path.first()).copied().unwrap_or_default();
    (at as usize) < verdict::findings(&pane.table)
}

/// What helps with the finding on a line and, where there is room, how it could be wrong.
fn hints(pane: &TablePane, line: usize, width: u16) -> Vec<Line> {
    let Some(hint) = pane.finding(line).and_then(|number| pane.table.hints.get(number - 1)) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let room = usize::from(width.saturating_sub(INDENT + 3)).max(1);
    for (at, part) in SafeText::new(&hint.advice).wrap_at_spaces(room).take(ADVICE).enumerate() {
        lines.push(Line::Text(part.to_string(), at == 0));
    }
    if width >= WIDE && !hint.caveat.is_empty() {
        let text = format!("could be wrong: {}", hint.caveat);
        let first = SafeText::new(&text).elide_end(room).to_string();
        lines.push(Line::Text(first, false));
    }
    lines
}
