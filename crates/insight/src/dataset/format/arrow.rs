//! The batches of a table in Arrow's terms (<https://arrow.apache.org/docs/format/Columnar.html>), for any of
//! its writers.

use std::collections::HashMap;
use std::iter::Peekable;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    RecordBatchWriter, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::error::WriteError;
use crate::dataset::column::{Description, Kind, Values};
use crate::dataset::table::{Batches, Table, VERSION};

/// The table's schema in Arrow's terms; each column has its meaning as `about` in its metadata.
fn schema(table: &dyn Table) -> SchemaRef {
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
pub(super) struct Made {
    schema: SchemaRef,
    /// The texts of each column of [`Kind::Coded`], as one array for all batches: a file has them once.
    texts: Vec<Option<ArrayRef>>,
}

impl Made {
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

    /// Writes all batches, and returns the number of their rows.
    pub(super) fn write(
        &self,
        batches: Peekable<Batches<'_>>,
        mut writer: impl RecordBatchWriter,
    ) -> Result<u64, WriteError> {
        let mut rows = 0;
        for batch in batches {
            let batch = self.make(&batch)?;
            rows += batch.num_rows() as u64;
            writer.write(&batch)?;
        }
        writer.close()?;
        Ok(rows)
    }

    fn make(&self, batch: &[Values]) -> Result<RecordBatch, WriteError> {
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
