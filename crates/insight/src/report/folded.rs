//! Tables of frames as folded stacks, which flamegraph.pl, inferno and speedscope read: a line per stack
//! whose last frame weighs something by itself. It has the frames from the top row down with `;` between
//! them, a blank, and that weight in ns, bytes or slices.
//!
//! The format has no escapes, so a `;` in a name is written as `:`, as the programs that fold stacks do
//! (<https://github.com/brendangregg/FlameGraph>).

use crate::analysis::{Table, TableRow, Value};

/// Id of the column of a frame's weight without the frames below it.
const OWN: &str = "own";

/// Renders a table of frames as folded stacks, a line for each frame that weighs something by itself. Empty
/// if the table has no column `own`.
pub fn render(table: &Table) -> String {
    let mut out = String::new();
    if let Some(own) = table.column(OWN) {
        rows(&table.rows, own, &mut String::new(), &mut out);
    }
    out
}

/// Appends the lines of `rows` and of the rows below them. `path` is the stack above `rows`, `own` the index
/// of the column of weights.
fn rows(rows: &[TableRow], own: usize, path: &mut String, out: &mut String) {
    for row in rows {
        let before = path.len();
        if before > 0 {
            path.push(';');
        }
        if let Some(Value::Text(name)) = row.cells.first() {
            path.push_str(&name.as_str().replace(';', ":"));
        }
        let weight = row.cells.get(own).map_or(0, super::speedscope::weight);
        if weight > 0 {
            out.push_str(&format!("{path} {weight}\n"));
        }
        self::rows(&row.children, own, path, out);
        path.truncate(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Column, ColumnKind};

    #[test]
    fn a_stack_is_a_line_and_semicolons_are_colons() {
        let row = |name: &str, own, children| TableRow {
            children,
            ..TableRow::new(vec![Value::text(name), Value::Duration(own)])
        };
        let below = vec![row("void f<int>(int; int)", 7, Vec::new()), row("b", 0, Vec::new())];
        let column = |id, kind| Column::new(id, "", kind, "");
        let table = Table {
            columns: vec![column("name", ColumnKind::Text), column(OWN, ColumnKind::Duration)],
            rows: vec![row("a", 3, below), row("", 1, Vec::new())],
            ..Table::default()
        };
        assert_eq!(render(&table), "a 3\na;void f<int>(int: int) 7\n 1\n");
        assert_eq!(render(&Table::default()), "");
    }
}
