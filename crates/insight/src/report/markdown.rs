//! Tables as Markdown, for a pull request or a wiki page.
//!
//! GitHub and GitLab look for mentions (`@name`), references (`#12`, `GH-12`, commits) and addresses in the
//! text that Markdown gives, where a backslash before them is gone. Only in code do they find none. So a name
//! with more than letters, digits and plain punctuation is written as code; that also shows `::`, `_` and `<`
//! as they are.

use crate::analysis::{ColumnKind, Table, TableRow, Value};
use proftui_base::fmt::TimeUnit;

use super::text::value_in;

/// Renders a table as Markdown. Times in cells are in `unit`; `None` prints each in the unit that suits it.
pub fn render(table: &Table, unit: Option<TimeUnit>) -> String {
    let unit_note = unit.map_or_else(String::new, |unit| format!(" (times in {})", unit.symbol()));
    let mut out = format!("### {}{unit_note}\n\n", prose(table.title));
    if table.rows.is_empty() && !table.notes.is_empty() {
        notes(table, &mut out);
        return out;
    }
    if !table.headline.is_empty() {
        out.push_str(&format!("{}\n\n", prose(&table.headline)));
    }
    let titles: Vec<String> = table.columns.iter().map(|column| cell(&column.title)).collect();
    out.push_str(&format!("| {} |\n|", titles.join(" | ")));
    for column in &table.columns {
        out.push_str(if column.kind == ColumnKind::Text { " --- |" } else { " ---: |" });
    }
    out.push('\n');
    rows(&table.rows, 0, unit, &mut out);
    if !table.notes.is_empty() {
        out.push('\n');
    }
    notes(table, &mut out);
    out
}

/// Appends the table's notes as a list.
fn notes(table: &Table, out: &mut String) {
    for note in &table.notes {
        out.push_str(&format!("- {}\n", prose(note)));
    }
}

/// Appends a line for each of `rows` and the rows below them; `depth` is the level of indentation of `rows`.
fn rows(rows: &[TableRow], depth: usize, unit: Option<TimeUnit>, out: &mut String) {
    let shown = |value: &Value| match value {
        Value::Text(text) => cell(text.as_str()),
        number => value_in(number, unit).to_string(),
    };
    for row in rows {
        let cells: Vec<String> = row.cells.iter().map(shown).collect();
        out.push_str(&format!("| {}{} |\n", "&nbsp;&nbsp;".repeat(depth), cells.join(" | ")));
        self::rows(&row.children, depth + 1, unit, out);
    }
}

/// A text as a cell of a Markdown table: as it is if it is only text to Markdown and to sites such as GitHub,
/// else as code.
fn cell(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    // Parsers do not agree on a `|` behind two backslashes, so a comment divides the code between a backslash
    // and a `|`.
    let (mut spans, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("\\|") {
        let (span, after) = rest.split_at(at + 1);
        spans.push(span);
        rest = after;
    }
    spans.push(rest);
    let codes: Vec<String> = spans.into_iter().map(|span| code(span).replace('|', "\\|")).collect();
    codes.join("<!-- -->")
}

/// Escapes a text outside of a table for Markdown. Words in which a site such as GitHub could find more than
/// text become code.
pub(super) fn prose(text: &str) -> String {
    let word = |word: &str| if is_found(word) { code(word) } else { escaped(word) };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn is_markup(c: char) -> bool {
    matches!(c, '|' | '\\' | '<' | '>' | '*' | '_' | '`' | '[' | ']')
}

fn escaped(word: &str) -> String {
    word.chars().flat_map(|c| is_markup(c).then_some('\\').into_iter().chain([c])).collect()
}

/// True for a word in which a site such as GitHub could find more than text, such as a mention or an address.
fn is_found(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    // A colon that ends a word of a sentence begins nothing.
    let colon = lower.find(':').is_some_and(|at| at == 0 || at + 1 < lower.len());
    let is_hash = |part: &str| part.len() >= 7 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let joins = |pair: &[u8]| match pair {
        // Of trackers: GH-12, CVE-2026-1, ABC-12; of GitLab: !12, %12, ^12.
        [before, b'-', after] => before.is_ascii_alphabetic() && after.is_ascii_digit(),
        [b'!' | b'%' | b'^', after, _] | [_, b'!' | b'%' | b'^', after] => after.is_ascii_alphanumeric(),
        _ => false,
    };
    colon
        || lower.contains(['@', '#', '&', '~', '$', '`'])
        || lower.contains("www.")
        || lower.contains("ghsa-")
        || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(is_hash)
        || format!(" {lower} ").as_bytes().windows(3).any(joins)
}

/// A name outside of a table: as it is if it is only text to Markdown and to sites such as GitHub, else as
/// code.
pub(super) fn name(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { code(text) }
}

/// True for a text in which neither Markdown nor a site such as GitHub could find more than text.
fn is_plain(text: &str) -> bool {
    text.split_whitespace().all(|word| !is_found(word) && !word.contains(is_markup))
}

/// A text as a span of code, between runs of backticks longer than any in the text.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let is_bare = |c| c == ' ' || c == '`';
    // Markdown takes one blank on each side away.
    let blank = if text.starts_with(is_bare) || text.ends_with(is_bare) { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{HOSTILE, names_table};

    #[test]
    fn names_are_code_where_a_site_would_find_more_than_text() {
        for (given, shown) in [
            ("Forward", "Forward"),
            ("thread 4299 (main)", "thread 4299 (main)"),
            ("99.5%, of it 1", "99.5%, of it 1"),
            ("aten::mm", "`aten::mm`"),
            ("void gemm<float, 128>(int)", "`void gemm<float, 128>(int)`"),
            ("ampere_sgemm", "`ampere_sgemm`"),
            ("@user", "`@user`"),
            ("a|b", "`a\\|b`"),
            ("x`y``z", "```x`y``z```"),
            ("`", "`` ` ``"),
            ("GH-12", "`GH-12`"),
            ("gh-pages", "gh-pages"),
            ("12-34", "12-34"),
            ("fix 0123abc", "`fix 0123abc`"),
            ("!1", "`!1`"),
        ] {
            assert_eq!(cell(given), shown);
        }
        let note =
            "Host: see #12, @user's x_y at www.host.org (http://host); --row-limit -1 prints all rows.";
        let shown = "Host: see `#12,` `@user's` x\\_y at `www.host.org` `(http://host);` --row-limit -1 prints all rows.";
        assert_eq!(prose(note), shown);
    }

    /// The cells of a line of a table, divided at bars that are not escaped: by a backslash before them, as
    /// GitHub's parser does it, or by one that is not escaped itself, as others do it.
    fn divide(line: &str, is_github: bool) -> Vec<String> {
        let mut cells = vec![String::new()];
        let mut is_escaped = false;
        for c in line.chars() {
            let cell = cells.last_mut().unwrap();
            match (c, is_escaped) {
                ('|', true) => {
                    cell.pop();
                    cell.push(c);
                }
                ('|', false) => cells.push(String::new()),
                _ => cell.push(c),
            }
            is_escaped = c == '\\' && (is_github || !is_escaped);
        }
        cells[1..cells.len() - 1].iter().map(|cell| cell.trim().to_owned()).collect()
    }

    /// The text of a cell that is code, by the rules of `CommonMark`; none for other text.
    fn text_of_code(cell: &str) -> Option<String> {
        cell.split("`<!-- -->`")
            .count()
            .gt(&1)
            .then(|| {
                let spans = cell.replace("`<!-- -->`", "`\0`");
                spans.split('\0').map(|span| text_of_span(span).unwrap()).collect()
            })
            .or_else(|| text_of_span(cell))
    }

    fn text_of_span(cell: &str) -> Option<String> {
        let fence = cell.len() - cell.trim_start_matches('`').len();
        let inner =
            cell.strip_prefix(&"`".repeat(fence))?.strip_suffix(&"`".repeat(fence)).filter(|_| fence > 0)?;
        assert!(inner.split(|c| c != '`').all(|run| run.len() != fence), "{cell} ends early");
        let stripped = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' '));
        Some(stripped.filter(|_| !inner.trim().is_empty()).unwrap_or(inner).to_owned())
    }

    #[test]
    fn each_name_is_one_cell_and_comes_back() {
        let table = names_table();
        let text = render(&table, None);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), HOSTILE.len() + 2);
        for (line, row) in lines[2..].iter().zip(&table.rows) {
            let cells = divide(line, true);
            assert_eq!((cells.len(), &cells), (2, &divide(line, false)), "{line}");
            let Value::Text(name) = &row.cells[0] else { panic!("no text") };
            let shown = text_of_code(&cells[0]).unwrap_or_else(|| cells[0].clone());
            assert_eq!(shown.trim(), name.as_str().trim(), "{line}");
        }
        // What a site would take for more than text is in code: in cells, in the heading and in notes.
        let of_lines = lines.iter().flat_map(|line| divide(line, true));
        let words = text.lines().filter(|line| !line.starts_with('|')).flat_map(str::split_whitespace);
        for part in
            of_lines.chain(words.map(str::to_owned)).filter(|part| part.contains(['@', '~', '$', '&']))
        {
            assert!(text_of_code(&part).is_some(), "{part}");
        }
    }
}
