//! Converts values of a binary format to JSON and back without loss: byte strings, which are nearly always
//! text, lists of them, floats, and optional values.
//!
//! Bytes that are no UTF-8 become a list of numbers; infinities and NaN, which JSON lacks, become their bits
//! in hexadecimal. Must not know the format.

use crate::saturate::saturate;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

/// A type whose values can be converted to JSON and back without loss.
pub trait Lossless: Sized {
    /// Converts the value to JSON.
    fn to_json(&self) -> Value;
    /// Converts JSON back to the value; `None` where the JSON stands for no value of this type.
    fn from_json(value: Value) -> Option<Self>;
}

impl Lossless for Vec<u8> {
    fn to_json(&self) -> Value {
        std::str::from_utf8(self).map_or_else(|_| Value::from(self.as_slice()), Value::from)
    }

    fn from_json(value: Value) -> Option<Self> {
        let byte = |value: Value| value.as_u64().and_then(|byte| u8::try_from(byte).ok());
        match value {
            Value::String(text) => Some(text.into_bytes()),
            Value::Array(bytes) => bytes.into_iter().map(byte).collect(),
            _ => None,
        }
    }
}

impl Lossless for Vec<Vec<u8>> {
    fn to_json(&self) -> Value {
        Value::Array(self.iter().map(Lossless::to_json).collect())
    }

    fn from_json(value: Value) -> Option<Self> {
        let Value::Array(values) = value else { return None };
        values.into_iter().map(Vec::from_json).collect()
    }
}

impl Lossless for f32 {
    fn to_json(&self) -> Value {
        if self.is_finite() { Value::from(*self) } else { Value::from(format!("{:08x}", self.to_bits())) }
    }

    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::String(bits) => u32::from_str_radix(&bits, 16).ok().map(f32::from_bits),
            number => number.as_f64().map(saturate::<f32>),
        }
    }
}

impl<T: Lossless> Lossless for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Lossless::to_json)
    }

    fn from_json(value: Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_json(value).map(Some) }
    }
}

/// Serializes a value as the JSON of [`Lossless::to_json`]; for fields with `#[serde(with = …)]`.
pub fn serialize<T: Lossless, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.to_json().serialize(to)
}

/// Deserializes a value that [`serialize`] wrote; for fields with `#[serde(with = …)]`.
///
/// # Errors
/// When the input is no JSON, or JSON that stands for no value of type `T`.
pub fn deserialize<'de, T: Lossless, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::from_json(Value::deserialize(from)?).ok_or_else(|| D::Error::custom("a field cannot have this value"))
}

/// A type with an empty value; fields that have this value are left out of the JSON.
pub trait Blank {
    /// True for `None` and for an empty list.
    fn is_blank(&self) -> bool;
}

impl<T> Blank for Option<T> {
    fn is_blank(&self) -> bool {
        self.is_none()
    }
}

impl<T> Blank for Vec<T> {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        for bytes in [b"text \"\\".to_vec(), vec![0xff, 0], Vec::new()] {
            assert_eq!(Vec::<u8>::from_json(bytes.to_json()), Some(bytes));
        }
        for float in [0.1_f32, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, -0.0, 51.2] {
            let text = serde_json::to_string(&float.to_json()).expect("JSON");
            let value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(f32::from_json(value).map(f32::to_bits), Some(float.to_bits()), "{text}");
        }
        assert_eq!(Vec::<u8>::from_json(Value::from(vec![300])), None);
    }
}
