//! Tables in Arrow's formats for files and streams (<https://arrow.apache.org/docs/format/Columnar.html>).

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::sink::{Sink, WriteError};
use crate::dataset::column::{Description, Kind, Values};
use crate::dataset::table::{Table, VERSION};

impl From<ArrowError> for WriteError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Io(error),
            error => Self::Form(error.to_string()),
        }
    }
}

/// The table's schema in Arrow's terms; each column has its meaning as `about` in its metadata.
pub(super) fn schema(table: &dyn Table) -> SchemaRef {
    let field = |column: &Description| {
        let kind = match column.kind {
            Kind::Int => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Bool => DataType::Boolean,
            Kind::Text => DataType::Utf8,
            Kind::Coded => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        };
        let about = HashMap::from([("about".to_owned(), column.about.to_owned())]);
        Field::new(column.id, kind, column.is_nullable).with_metadata(about)
    };
    let metadata = HashMap::from([
        ("proftui.schema".to_owned(), VERSION.to_string()),
        ("proftui.table".to_owned(), table.name().to_owned()),
        ("proftui.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ]);
    let fields: Vec<Field> = table.columns().iter().map(field).collect();
    Arc::new(Schema::new(fields).with_metadata(metadata))
}

/// Makes the batches of a table in Arrow's terms.
pub(super) struct Batches {
    schema: SchemaRef,
    /// The texts of each column of [`Kind::Coded`], as one array for all batches: a file has them once.
    texts: Vec<Option<ArrayRef>>,
}

impl Batches {
    /// `first` is the first batch of the table.
    pub(super) fn new(table: &dyn Table, first: &[Values]) -> Self {
        let texts = first.iter().map(|values| match values {
            Values::Coded(_, texts) => {
                Some(Arc::new(StringArray::from_iter_values(texts.iter())) as ArrayRef)
            }
            _ => None,
        });
        Self { schema: schema(table), texts: texts.collect() }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn make(&self, batch: &[Values]) -> Result<RecordBatch, WriteError> {
        let columns: Result<Vec<ArrayRef>, ArrowError> =
            batch.iter().zip(&self.texts).map(|(values, texts)| array(values, texts.as_ref())).collect();
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns?)?)
    }
}

fn array(values: &Values, texts: Option<&ArrayRef>) -> Result<ArrayRef, ArrowError> {
    Ok(match values {
        Values::Int(values) => Arc::new(Int64Array::from_iter_values(values.iter().copied())),
        Values::MaybeInt(values) => Arc::new(values.iter().copied().collect::<Int64Array>()),
        Values::Float(values) => Arc::new(Float64Array::from_iter_values(values.iter().copied())),
        Values::Bool(values) => Arc::new(BooleanArray::from(values.clone())),
        Values::Text(values) => Arc::new(values.iter().map(Option::as_deref).collect::<StringArray>()),
        Values::Coded(codes, all) => {
            let keys = codes.iter().map(|code| code.map(u32::cast_signed)).collect::<Int32Array>();
            let texts = texts.cloned();
            let texts = texts.unwrap_or_else(|| Arc::new(StringArray::from_iter_values(all.iter())));
            Arc::new(DictionaryArray::<Int32Type>::try_new(keys, texts)?)
        }
    })
}

/// A file of Arrow.
pub(super) struct File<'o> {
    batches: Batches,
    writer: FileWriter<BufWriter<&'o mut (dyn Write + Send)>>,
}

impl<'o> File<'o> {
    pub(super) fn new(
        table: &dyn Table,
        first: &[Values],
        out: &'o mut (dyn Write + Send),
    ) -> Result<Self, WriteError> {
        let batches = Batches::new(table, first);
        let writer = FileWriter::try_new(BufWriter::new(out), batches.schema())?;
        Ok(Self { batches, writer })
    }
}

impl Sink for File<'_> {
    fn add(&mut self, batch: &[Values]) -> Result<(), WriteError> {
        Ok(self.writer.write(&self.batches.make(batch)?)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        self.writer.finish()?;
        Ok(self.writer.flush()?)
    }
}

/// A stream of Arrow.
pub(super) struct Stream<'o> {
    batches: Batches,
    writer: StreamWriter<BufWriter<&'o mut (dyn Write + Send)>>,
}

impl<'o> Stream<'o> {
    pub(super) fn new(
        table: &dyn Table,
        first: &[Values],
        out: &'o mut (dyn Write + Send),
    ) -> Result<Self, WriteError> {
        let batches = Batches::new(table, first);
        let writer = StreamWriter::try_new(BufWriter::new(out), batches.schema())?;
        Ok(Self { batches, writer })
    }
}

impl Sink for Stream<'_> {
    fn add(&mut self, batch: &[Values]) -> Result<(), WriteError> {
        Ok(self.writer.write(&self.batches.make(batch)?)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        self.writer.finish()?;
        Ok(self.writer.flush()?)
    }
}
