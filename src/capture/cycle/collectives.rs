//! The ranges of collectives: their group and number in it become arguments.
//!
//! Must not know cycles.

use std::fmt::Write;

use proftui_wire::kinds;
use serde_json::Value;

use proftui_trace::export::recording::operator_details::OperatorDetails;

use crate::capture::process::name_table::NameTable;

/// The number of the name of a collective's range. `text` usually has operation, group and group size:
/// arguments under the keys of PyTorch's profiler, as is `number` unless it is 0.
pub(crate) fn name(text: &str, number: u32, names: &mut NameTable, details: &mut OperatorDetails) -> u32 {
    let mut parts = text.split(kinds::PART);
    let operation = parts.next().unwrap_or_default();
    let name = names.text(operation);
    let (Some(group), Some(size)) = (parts.next(), parts.next()) else { return name };
    let mut members = format!(
        "\"Collective name\":{},\"Process Group Name\":{},\"Group size\":{}",
        Value::from(operation),
        Value::from(group),
        size.parse::<u32>().unwrap_or_default()
    );
    if number != 0 {
        let _ = write!(members, ",\"Seq\":{number}");
    }
    details.add(name, &members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_and_number_are_arguments() {
        let (mut names, mut details) = (NameTable::default(), OperatorDetails::default());
        let mut of = |text: &str, number| {
            let name = name(text, number, &mut names, &mut details);
            let text = details.of(name).map_or("", |detail| details.text(detail.text)).to_owned();
            (String::from_utf8_lossy(&names.all[details.name(name) as usize]).into_owned(), text)
        };
        let whole = r#""Collective name":"all_reduce","Process Group Name":"d\"p","Group size":8,"Seq":17"#;
        assert_eq!(of("all_reduce\u{1f}d\"p\u{1f}8", 17), ("all_reduce".into(), whole.into()));
        let between_two = r#""Collective name":"send","Process Group Name":"0","Group size":2"#;
        assert_eq!(of("send\u{1f}0\u{1f}2", 0), ("send".into(), between_two.into()));
        assert_eq!(of("of another program", 3), ("of another program".into(), String::new()));
    }
}
