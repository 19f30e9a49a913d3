//! Tables as Parquet files (<https://parquet.apache.org/docs/file-format/>).

use std::io::Write;

use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::arrow::Batches;
use super::sink::{Sink, WriteError};
use crate::dataset::column::Values;
use crate::dataset::table::Table;

impl From<ParquetError> for WriteError {
    fn from(error: ParquetError) -> Self {
        Self::Form(error.to_string())
    }
}

/// A Parquet file.
pub(super) struct File<'o> {
    batches: Batches,
    writer: ArrowWriter<&'o mut (dyn Write + Send)>,
}

impl<'o> File<'o> {
    pub(super) fn new(
        table: &dyn Table,
        first: &[Values],
        out: &'o mut (dyn Write + Send),
    ) -> Result<Self, WriteError> {
        let batches = Batches::new(table, first);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(out, batches.schema().clone(), Some(properties))?;
        Ok(Self { batches, writer })
    }
}

impl Sink for File<'_> {
    fn add(&mut self, batch: &[Values]) -> Result<(), WriteError> {
        self.writer.write(&self.batches.make(batch)?)?;
        // Memory is bounded by row groups: the writer keeps one until it is whole.
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), WriteError> {
        self.writer.close()?;
        Ok(())
    }
}
