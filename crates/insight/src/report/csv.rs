//! Tables as comma-separated values (RFC 4180): raw numbers, and a first column `depth` with the nesting
//! depth of each row, from 0.
//!
//! Names come from traces, and a spreadsheet runs a cell that begins like a formula. With
//! [`Formulas::Guarded`] such texts get a `'` before them, which spreadsheets take as the mark of a text
//! (<https://owasp.org/www-community/attacks/CSV_Injection>).

use std::borrow::Cow;

use crate::analysis::{Table, TableRow, Value};

/// How texts are written that a spreadsheet would run as formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulas {
    /// A text that a spreadsheet would run as a formula gets a `'` before it.
    Guarded,
    /// Texts that a spreadsheet would run as formulas get no `'`: the form for programs.
    Raw,
}

/// Renders a table as CSV: a heading of `depth` and the column ids, then a line for each row, child rows
/// behind their parent.
pub fn render(table: &Table, formulas: Formulas) -> String {
    let heading = table.columns.iter().map(|column| text(&column.id, formulas));
    let mut out = std::iter::once("depth".into()).chain(heading).collect::<Vec<_>>().join(",");
    out.push_str("\r\n");
    rows(&table.rows, 0, formulas, &mut out);
    out
}

/// Appends a line for each of `rows` and the rows below them; `depth` is the nesting depth of `rows`.
fn rows(rows: &[TableRow], depth: usize, formulas: Formulas, out: &mut String) {
    for row in rows {
        out.push_str(&depth.to_string());
        for cell in &row.cells {
            out.push(',');
            out.push_str(&field(cell, formulas));
        }
        out.push_str("\r\n");
        self::rows(&row.children, depth + 1, formulas, out);
    }
}

/// Formats a cell's value as a field: a number in raw form, an empty value as an empty field.
fn field(value: &Value, formulas: Formulas) -> String {
    match value {
        Value::Text(own) => text(own.as_str(), formulas),
        Value::Count(n) | Value::Amount(n) => n.to_string(),
        Value::Duration(n) | Value::Bytes(n) => n.to_string(),
        Value::Ratio(n) | Value::Factor(n) | Value::Rate(n) => n.to_string(),
        Value::Empty => String::new(),
    }
}

/// Writes a text as a field of CSV: guarded if `formulas` says so, in quotes where needed.
pub(crate) fn text(own: &str, formulas: Formulas) -> String {
    let own = if formulas == Formulas::Guarded { guarded(own) } else { own.into() };
    if own.contains([',', ';', '\t', '"', '\n', '\r']) {
        format!("\"{}\"", own.replace('"', "\"\""))
    } else {
        own.into_owned()
    }
}

/// Puts a `'` before a text that a spreadsheet could run as a formula; other texts stay as they are.
pub fn guarded(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_start();
    let begins = trimmed.starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    if begins && !is_number(trimmed) || text.starts_with(['\t', '\r', '\n']) {
        return format!("'{text}").into();
    }
    text.into()
}

/// True for numbers in digits such as `-1.5e3`, and for a `-` alone, which stands for no value.
fn is_number(text: &str) -> bool {
    let is_of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    text == "-" || text.chars().all(is_of_number) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{HOSTILE, cells, names_table};

    #[test]
    fn texts_that_a_spreadsheet_would_run_are_guarded() {
        for formula in [
            "=1+1",
            "=cmd|' /C calc'!A0",
            "+1+cmd",
            "-1+2",
            "@SUM(A1)",
            " =1",
            "\u{a0}\u{3000}=1",
            "\u{ff1d}1",
            "\u{ff0b}1",
            "\u{ff0d}x",
            "\u{ff20}x",
            "\t=1",
            "\rx",
            "\nx",
            "--help",
            "-5 ms",
            "+inf",
            "-nan",
        ] {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        for text in
            ["", "-", "-1", "+1.5", "-1.5e-3", "aten::mm", "a=b", "'=1", "(=)", "1-2", "_-", "\u{2212}1"]
        {
            assert_eq!(guarded(text), text);
        }
    }

    #[test]
    fn numbers_stay_numbers() {
        for (value, field) in [
            (Value::Duration(-5), "-5"),
            (Value::Bytes(-1), "-1"),
            (Value::Ratio(-0.5), "-0.5"),
            (Value::Empty, ""),
        ] {
            assert_eq!(super::field(&value, Formulas::Guarded), field);
        }
    }

    #[test]
    fn a_reader_gets_the_cells_back() {
        let table = names_table();
        let read = |formulas| cells(&render(&table, formulas));
        let raw: Vec<String> = read(Formulas::Raw).into_iter().skip(1).map(|row| row[1].clone()).collect();
        assert_eq!(raw, table.rows.iter().map(|row| text_of(&row.cells[0])).collect::<Vec<_>>());
        for row in read(Formulas::Guarded) {
            assert_eq!(row.len(), 3, "{row:?}");
            let first = row[1].trim_start().chars().next();
            assert!(!first.is_some_and(|c| "=+-@\t".contains(c)) || row[1] == "-", "{row:?}");
        }
        assert!(read(Formulas::Guarded)[0][1].starts_with("'="), "an id, too");
        assert_eq!(raw.len(), HOSTILE.len());
    }

    fn text_of(value: &Value) -> String {
        let Value::Text(text) = value else { panic!("{value:?}") };
        text.to_string()
    }
}
