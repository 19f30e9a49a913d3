//! The fields of a protobuf as they stand in a stream.

use crate::import::bytes::stream::{Ended, Stream};
use proftui_base::varint::varint;

use super::wire::{Fault, Kind, Tag};

/// The most bytes of a varint.
const VARINT: usize = 10;

impl From<Ended> for Fault {
    fn from(Ended: Ended) -> Self {
        Self::End
    }
}

/// Reads a stream field by field.
pub(super) trait Fields {
    /// Reads the next tag; `None` when nothing more can be read.
    fn tag(&mut self) -> Result<Option<Tag>, Fault>;

    /// Reads a varint: the value of a varint field, or the length of a length-delimited field.
    fn value(&mut self) -> Result<u64, Fault>;

    /// Skips the value of a field of this wire type, with its length where it has one.
    fn skip_value(&mut self, kind: Kind) -> Result<(), Fault>;
}

impl Fields for Stream<'_> {
    fn tag(&mut self) -> Result<Option<Tag>, Fault> {
        if self.peek(1).is_empty() { Ok(None) } else { Tag::of(self.value()?).map(Some) }
    }

    fn value(&mut self) -> Result<u64, Fault> {
        let (value, len) = varint(self.peek(VARINT))?;
        self.take(len)?;
        Ok(value)
    }

    fn skip_value(&mut self, kind: Kind) -> Result<(), Fault> {
        let len = match kind {
            Kind::Varint => return self.value().map(|_| ()),
            Kind::Fixed64 => 8,
            Kind::Fixed32 => 4,
            Kind::Bytes => self.value()?,
        };
        Ok(self.skip(len)?)
    }
}
