//! The table of data quality: what was lost, repaired or odd in the trace's files.

use proftui_trace::model::Warning;
use proftui_trace::model::quality::Entry;

use crate::dataset::column::{Column, Value};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

pub(super) static TABLE: Of<Warning> = Of {
    name: "quality",
    about: "A kind of damage or oddity that the trace's files have",
    columns: COLUMNS,
    keys: |source| Ok(Box::new(source.trace.quality.entries().map(|(warning, _)| warning))),
};

const COLUMNS: &[Column<Warning>] = &[
    Column::trace(),
    Column::new(
        "code",
        "Code of the damage or note, such as W_SYNTAX",
        Value::Text(|_, of| Some(of.code().to_owned())),
    ),
    Column::new(
        "what",
        "Description of the damage or note",
        Value::Text(|_, of| Some(of.title().to_owned())),
    ),
    Column::new(
        "is_damage",
        "True for faulty, repaired or lost data; false for lesser faults and anything else",
        Value::Bool(|_, of| of.is_damage()),
    ),
    Column::new(
        "count",
        "Number of occurrences",
        Value::Int(|source, of| source.trace.quality.count(of).cast_signed()),
    ),
    Column::new(
        "first",
        "An example or explanation",
        Value::Text(|source, of| Some(entry(source, of)?.first.clone())),
    ),
    Column::new(
        "offset",
        "Byte offset of the example in its file, after decompression",
        Value::MaybeInt(|source, of| entry(source, of)?.offset.map(u64::cast_signed)),
    ),
];

fn entry<'a>(source: &Source<'a>, of: Warning) -> Option<&'a Entry> {
    source.trace.quality.entries().find(|(warning, _)| *warning == of).map(|(_, entry)| entry)
}
