//! Tables as comma-separated values: a heading, then a line for each row; a missing value is an empty field.

use std::io::{BufWriter, Write};

use super::sink::{Sink, WriteError};
use crate::dataset::column::Values;
use crate::dataset::table::Table;
use crate::report::csv::{Formulas, text};

/// A text of comma-separated values.
pub(super) struct Text<'o> {
    out: BufWriter<&'o mut (dyn Write + Send)>,
    formulas: Formulas,
}

impl<'o> Text<'o> {
    pub(super) fn new(
        table: &dyn Table,
        formulas: Formulas,
        out: &'o mut (dyn Write + Send),
    ) -> Result<Self, WriteError> {
        let mut out = BufWriter::new(out);
        let heading: Vec<&str> = table.columns().iter().map(|column| column.id).collect();
        write!(out, "{}\r\n", heading.join(","))?;
        Ok(Self { out, formulas })
    }

    fn field(&mut self, values: &Values, at: usize) -> Result<(), WriteError> {
        let formulas = self.formulas;
        let out = &mut self.out;
        match values {
            Values::Int(values) => write!(out, "{}", values[at])?,
            Values::MaybeInt(values) => values[at].iter().try_for_each(|value| write!(out, "{value}"))?,
            Values::Float(values) => write!(out, "{}", values[at])?,
            Values::Bool(values) => write!(out, "{}", values[at])?,
            Values::Text(values) => {
                values[at].iter().try_for_each(|value| write!(out, "{}", text(value, formulas)))?;
            }
            Values::Coded(codes, texts) => {
                let value = codes[at].and_then(|code| texts.get(code as usize));
                value.iter().try_for_each(|value| write!(out, "{}", text(value, formulas)))?;
            }
        }
        Ok(())
    }
}

impl Sink for Text<'_> {
    fn add(&mut self, batch: &[Values]) -> Result<(), WriteError> {
        for at in 0..batch.first().map_or(0, Values::len) {
            for (number, values) in batch.iter().enumerate() {
                if number > 0 {
                    self.out.write_all(b",")?;
                }
                self.field(values, at)?;
            }
            self.out.write_all(b"\r\n")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        Ok(self.out.flush()?)
    }
}
