//! Tables as comma-separated values: a heading, then a line for each row; a missing value is an empty field.

use std::io::{self, Write};
use std::iter::Peekable;

use super::error::WriteError;
use crate::dataset::column::Values;
use crate::dataset::table::{Batches, Table};
use crate::report::csv::{Formulas, text};

/// Writes all batches of a table, and returns the number of their rows.
pub(super) fn write(
    table: &dyn Table,
    batches: Peekable<Batches<'_>>,
    formulas: Formulas,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let heading: Vec<&str> = table.columns().iter().map(|column| column.id).collect();
    write!(out, "{}\r\n", heading.join(","))?;
    let mut rows = 0;
    for batch in batches {
        let count = batch.first().map_or(0, Values::len);
        for at in 0..count {
            for (number, values) in batch.iter().enumerate() {
                if number > 0 {
                    out.write_all(b",")?;
                }
                field(values, at, formulas, out)?;
            }
            out.write_all(b"\r\n")?;
        }
        rows += count as u64;
    }
    Ok(rows)
}

fn field(values: &Values, at: usize, formulas: Formulas, out: &mut dyn Write) -> io::Result<()> {
    let coded = |code: u32, texts: &[String]| texts.get(code as usize).map(|own| text(own, formulas));
    match values {
        Values::Int(all) => write!(out, "{}", all[at]),
        Values::MaybeInt(all) => all[at].iter().try_for_each(|value| write!(out, "{value}")),
        Values::Float(all) => write!(out, "{}", all[at]),
        Values::Bool(all) => write!(out, "{}", all[at]),
        Values::Text(all) => all[at].iter().try_for_each(|own| write!(out, "{}", text(own, formulas))),
        Values::Coded(codes, texts) => {
            let own = codes[at].and_then(|code| coded(code, texts));
            own.iter().try_for_each(|own| write!(out, "{own}"))
        }
    }
}
