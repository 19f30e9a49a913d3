//! Writes tables to files: Arrow's formats, Parquet, CSV.
//!
//! Must not know which tables there are, nor what is in them.

mod arrow;
mod csv;
mod error;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::{BufWriter, Write};

use arrow_ipc::writer::{FileWriter, StreamWriter};

use super::source::Source;
use super::table::Table;
use crate::report::csv::Formulas;

pub use error::WriteError;

/// The form in which a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file of Arrow (IPC), which can be read from any batch on.
    ArrowFile,
    /// A stream of Arrow (IPC), which is read from its beginning.
    ArrowStream,
    /// A Parquet file, compressed by snappy.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Comma-separated values with a heading.
    Csv(Formulas),
}

/// Writes a table of a trace, batch by batch, and returns the number of its rows.
///
/// # Errors
/// When a file of the trace cannot be read again, or the output cannot be written.
pub fn write(
    table: &dyn Table,
    source: &Source<'_>,
    form: Form,
    out: &mut (dyn Write + Send),
) -> Result<u64, WriteError> {
    let mut batches = table.batches(source)?.peekable();
    let Some(first) = batches.peek() else { return Ok(0) };
    let made = arrow::Made::new(table, first);
    let mut out = BufWriter::new(out);
    let rows = match form {
        Form::ArrowFile => made.write(batches, FileWriter::try_new(&mut out, made.schema())?)?,
        Form::ArrowStream => made.write(batches, StreamWriter::try_new(&mut out, made.schema())?)?,
        #[cfg(feature = "parquet")]
        Form::Parquet => made.write(batches, parquet::writer(&mut out, made.schema())?)?,
        Form::Csv(formulas) => csv::write(table, batches, formulas, &mut out)?,
    };
    out.flush()?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int32Type, Int64Type};
    use arrow_array::{Array, RecordBatch};
    use arrow_ipc::reader::{FileReader, StreamReader};
    use arrow_schema::DataType;
    use proftui_trace::import::{Loaded, Progress, Request, load_bytes};

    use super::*;
    use crate::dataset::TABLES;

    fn loaded() -> Loaded {
        let text = r#"{"traceEvents":[
            {"ph":"X","cat":"cpu_op","name":"a, \"b\"","pid":1,"tid":1,"ts":1,"dur":5},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1,
             "args":{"correlation":7}},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4,"dur":3,
             "args":{"device":0,"stream":7,"correlation":7}},
            {"ph":"C","name":"memory","pid":1,"tid":1,"ts":3,"args":{"used":1.5}}]}"#;
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace")
    }

    fn written(table: &dyn Table, form: Form) -> (u64, Vec<u8>) {
        let loaded = loaded();
        let mut out = Vec::new();
        let rows = write(table, &Source::new(&loaded, "a trace".into()), form, &mut out).expect("written");
        (rows, out)
    }

    /// A cell of a batch, as CSV has it without quotes.
    fn cell(batch: &RecordBatch, column: usize, at: usize) -> String {
        let array = batch.column(column);
        if array.is_null(at) {
            return String::new();
        }
        match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().value(at).to_string(),
            DataType::Float64 => array.as_primitive::<Float64Type>().value(at).to_string(),
            DataType::Boolean => array.as_boolean().value(at).to_string(),
            DataType::Utf8 => array.as_string::<i32>().value(at).to_owned(),
            _ => {
                let coded = array.as_dictionary::<Int32Type>();
                let key = coded.keys().value(at).cast_unsigned() as usize;
                coded.values().as_string::<i32>().value(key).to_owned()
            }
        }
    }

    #[test]
    fn all_forms_have_the_same_rows() {
        let mut count = 0;
        for &table in TABLES {
            let (rows, csv) = written(table, Form::Csv(Formulas::Raw));
            let mut want = crate::report::testing::cells(&String::from_utf8(csv).expect("UTF-8"));
            want.remove(0);
            assert_eq!(want.len() as u64, rows, "{}", table.name());
            let (_, file) = written(table, Form::ArrowFile);
            let (_, stream) = written(table, Form::ArrowStream);
            let file = FileReader::try_new(Cursor::new(file), None).expect("a file").map(Result::unwrap);
            let stream = StreamReader::try_new(Cursor::new(stream), None).expect("a stream");
            for batches in [file.collect::<Vec<_>>(), stream.map(Result::unwrap).collect()] {
                let cells = |batch: &RecordBatch, at| {
                    (0..batch.num_columns()).map(|column| cell(batch, column, at)).collect::<Vec<_>>()
                };
                let found: Vec<Vec<String>> = batches
                    .iter()
                    .flat_map(|batch| (0..batch.num_rows()).map(|at| cells(batch, at)))
                    .collect();
                assert_eq!(found, want, "{}", table.name());
                assert_eq!(batches[0].schema().metadata()["proftui.table"], table.name());
            }
            count += rows;
        }
        assert!(count > 10, "{count} rows");
    }
}
