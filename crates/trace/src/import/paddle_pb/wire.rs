//! Protobuf's wire format in a byte slice: tags, numbers, and the offset of each field.
//!
//! Nothing is copied and no length is trusted. Must not know messages.

use proftui_base::heap::NoMemory;
use proftui_base::varint::{self, varint};

/// Why bytes cannot be read as protobuf, or what was read cannot be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Fault {
    /// The bytes end inside a field, or before a field that is needed.
    End,
    /// The bytes are not protobuf, or not the message that is expected.
    Bad,
    /// Memory ran out for what was read from the bytes.
    Memory,
}

impl From<NoMemory> for Fault {
    fn from(_: NoMemory) -> Self {
        Self::Memory
    }
}

impl From<varint::Fault> for Fault {
    fn from(fault: varint::Fault) -> Self {
        match fault {
            varint::Fault::End => Self::End,
            varint::Fault::TooLong => Self::Bad,
        }
    }
}

/// The wire type of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Varint,
    Fixed64,
    Bytes,
    Fixed32,
}

/// A field's number and wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub number: u64,
    pub kind: Kind,
}

impl Tag {
    pub(super) fn of(varint: u64) -> Result<Self, Fault> {
        let kind = match varint & 7 {
            0 => Kind::Varint,
            1 => Kind::Fixed64,
            2 => Kind::Bytes,
            5 => Kind::Fixed32,
            // Groups are long out of use, and Paddle's schema has none.
            _ => return Err(Fault::Bad),
        };
        let number = varint >> 3;
        if number == 0 || number >= 1 << 29 { Err(Fault::Bad) } else { Ok(Self { number, kind }) }
    }
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub tag: Tag,
    /// The value of a varint; 0 for other wire types.
    pub value: u64,
    /// The bytes of the value, without their length; empty for a varint.
    pub bytes: &'a [u8],
    /// Index in the message of the field's tag.
    pub at: usize,
    /// Index in the message of the first byte of the field's value, after its length where it has one.
    pub body: usize,
}

/// Iterates over the fields of a message; ends after the first fault.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0 }
    }

    fn number(&mut self) -> Result<u64, Fault> {
        let (value, len) = varint(&self.bytes[self.pos..])?;
        self.pos += len;
        Ok(value)
    }

    fn skip(&mut self, len: u64) -> Result<&'a [u8], Fault> {
        let len = usize::try_from(len).map_err(|_| Fault::End)?;
        let rest = &self.bytes[self.pos..];
        let bytes = rest.get(..len).ok_or(Fault::End)?;
        self.pos += len;
        Ok(bytes)
    }

    fn field(&mut self) -> Result<Field<'a>, Fault> {
        let at = self.pos;
        let tag = Tag::of(self.number()?)?;
        let (mut value, mut bytes, mut body) = (0, [].as_slice(), self.pos);
        match tag.kind {
            Kind::Varint => value = self.number()?,
            Kind::Fixed64 => bytes = self.skip(8)?,
            Kind::Fixed32 => bytes = self.skip(4)?,
            Kind::Bytes => {
                let len = self.number()?;
                body = self.pos;
                bytes = self.skip(len)?;
            }
        }
        Ok(Field { tag, value, bytes, at, body })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pos >= self.bytes.len() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.pos = self.bytes.len();
        }
        Some(field)
    }
}

/// The bytes of the last length-delimited field with this number, as far as the message can be read; `None`
/// without one.
pub(super) fn last(bytes: &[u8], number: u64) -> Option<&[u8]> {
    let fields = Fields::of(bytes).flatten();
    let mine = fields.filter(|field| field.tag.number == number && field.tag.kind == Kind::Bytes);
    mine.last().map(|field| field.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_their_locations() {
        let bytes = [0x08, 0x07, 0x1a, 0x02, b'h', b'i', 0x25, 1, 2, 3, 4];
        let fields: Vec<_> = Fields::of(&bytes).map(|field| field.expect("a field")).collect();
        assert_eq!((fields[0].tag.number, fields[0].value, fields[0].at), (1, 7, 0));
        assert_eq!((fields[1].bytes, fields[1].at, fields[1].body), (b"hi".as_slice(), 2, 4));
        assert_eq!((fields[2].tag.kind, fields[2].bytes.len()), (Kind::Fixed32, 4));
    }

    #[test]
    fn lengths_are_not_trusted() {
        let all = |bytes: &'static [u8]| Fields::of(bytes).last();
        assert_eq!(all(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]), Some(Err(Fault::End)));
        assert_eq!(
            all(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
            Some(Err(Fault::End))
        );
        assert_eq!(all(&[0x0b]), Some(Err(Fault::Bad)), "a group");
        assert_eq!(all(&[0x02, 0]), Some(Err(Fault::Bad)), "field 0");
    }
}
