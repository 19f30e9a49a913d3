//! The writer of Parquet files (<https://parquet.apache.org/docs/file-format/>). It keeps a row group in
//! memory until that is whole.

use std::io::Write;

use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::error::WriteError;

impl From<ParquetError> for WriteError {
    fn from(error: ParquetError) -> Self {
        Self::Form(error.to_string())
    }
}

/// The writer of a file with this schema.
pub(super) fn writer<W: Write + Send>(out: W, schema: &SchemaRef) -> Result<ArrowWriter<W>, WriteError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    Ok(ArrowWriter::try_new(out, schema.clone(), Some(properties))?)
}
