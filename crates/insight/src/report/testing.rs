//! For tests of the formats: a table of hostile names, and a reader of CSV that shares nothing with the
//! writer.

use std::borrow::Cow;

use crate::analysis::{Column, ColumnKind, Table, TableRow, Value};

/// Names with which tests check that the formats escape text.
pub(super) const HOSTILE: [&str; 41] = [
    "=1+1",
    "@user",
    "a@b.c",
    "#123",
    "GH-12",
    "org/repo#5",
    "http://host/x",
    "www.host.org",
    "&amp;&#x41;",
    "<b>x</b>",
    "<!-- x -->",
    "a|b",
    "a\\|b",
    "|a|\\\\|b\\|@|",
    "a\\",
    "|",
    "\\",
    "`",
    "``a`b``",
    " ` ",
    "a`",
    "`a|`|",
    "*x* _y_ ~~z~~ $q$",
    "[x](http://y)",
    "![x](y)",
    ":smile:",
    "a,b",
    "a;=1",
    "a\"b",
    "\"",
    "\",\"",
    "a\r\nb",
    "a\tb",
    "",
    " ",
    "  x  ",
    "deadbeefcafe",
    "-",
    "--x",
    "---",
    "'=1",
];

/// A table with a row for each name of [`HOSTILE`], whose title, sentence and note are hostile, too.
pub(super) fn names_table() -> Table {
    let column =
        |id: &'static str, kind| Column { id: Cow::Borrowed(id), ..Column::new("x", "@x|`y`", kind, "") };
    let row = |name: &str| TableRow::new(vec![Value::text(name), Value::Count(1)]);
    let columns = vec![column("=x,\"y\"", ColumnKind::Text), column("calls", ColumnKind::Count)];
    Table {
        view: "names",
        title: "Names of @user",
        headline: "Most is @user's".to_owned(),
        columns,
        rows: HOSTILE.into_iter().map(row).collect(),
        notes: vec!["see #12, @user and http://host; GH-1 | `x`".to_owned()],
        ..Table::default()
    }
}

/// Reads the cells of CSV (RFC 4180), row by row. May panic where the text is no such CSV.
pub(crate) fn cells(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                assert!(cell.is_empty(), "a quote within a field: {cell}");
                while let Some(c) = chars.next() {
                    if c == '"' && chars.next_if_eq(&'"').is_none() {
                        break;
                    }
                    cell.push(c);
                }
                assert!(matches!(chars.peek(), Some(',' | '\r')), "text behind a quote");
            }
            ',' => row.push(std::mem::take(&mut cell)),
            '\r' => {
                assert_eq!(chars.next(), Some('\n'));
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ => cell.push(c),
        }
    }
    assert!(row.is_empty() && cell.is_empty(), "the last line ends");
    rows
}
