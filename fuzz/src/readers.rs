//! Small readers of CSV and Markdown, written from the formats alone, and the characters that no output may
//! have.
//!
//! Must not know how the program writes.

/// The records of a text of comma-separated values (RFC 4180).
pub fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let mut is_start = true;
    while let Some(ch) = chars.next() {
        match ch {
            '"' if is_start => loop {
                match chars.next().expect("the end of a quoted field") {
                    '"' if chars.next_if_eq(&'"').is_none() => break,
                    ch => field.push(ch),
                }
            },
            ',' => record.push(std::mem::take(&mut field)),
            '\r' => {
                assert_eq!(chars.next(), Some('\n'), "a line ends in CR LF");
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            '\n' | '"' => panic!("{ch:?} outside of a quoted field: {text}"),
            _ => field.push(ch),
        }
        is_start = matches!(ch, ',' | '\r');
    }
    assert!(record.is_empty() && field.is_empty(), "the last line ends: {text}");
    records
}

/// The number of cells of a line of a Markdown table.
pub fn cells(line: &str) -> usize {
    let mut bars = 0;
    let mut chars = line.chars();
    while let Some(ch) = chars.next() {
        match ch {
            '\\' => {
                chars.next();
            }
            '|' => bars += 1,
            _ => {}
        }
    }
    assert!(line.starts_with("| ") || line.starts_with("|-") || bars == 0, "{line}");
    bars - 1
}

/// True for the characters that no output may have: those that control a terminal, reorder the text around
/// them, or are not seen.
fn is_forbidden(ch: char) -> bool {
    matches!(ch,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Checks that the text has no forbidden character; of tabs and carriage returns only those in `also`.
pub fn is_safe(text: &str, also: &[char]) {
    let found = text.chars().find(|&ch| is_forbidden(ch) || matches!(ch, '\t' | '\r') && !also.contains(&ch));
    assert_eq!(found, None, "in {}", text.escape_debug());
}
