//! Types of JSON that are declared once: what is written follows from the declaration, and so does what JSON
//! Schema says about it.
//!
//! Must not know the fields that are declared (`fields`).

use proftui_base::saturate::saturate;
use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

/// A type whose values are written as JSON, and that states its JSON Schema.
pub(super) trait Declared: Serialize {
    /// True where an object may lack a field of this type.
    const IS_OPTIONAL: bool = false;

    /// The JSON Schema of the type's values.
    fn schema() -> Json;

    /// True where an object leaves out a field with this value.
    fn is_left_out(&self) -> bool {
        false
    }
}

/// Declares structs that are written as JSON objects. The doc comment of a field becomes its description in
/// the schema.
macro_rules! declare {
    ($($(#[doc = $about:literal])+ $object:ident {
        $($(#[doc = $meaning:literal])+ $name:ident: $type:ty,)+
    })+) => {$(
        $(#[doc = $about])+
        #[derive(serde::Serialize)]
        pub(super) struct $object {$(
            $(#[doc = $meaning])+
            #[serde(skip_serializing_if = "Declared::is_left_out")]
            pub(super) $name: $type,
        )+}

        impl Declared for $object {
            fn schema() -> serde_json::Value {
                $crate::report::insights::declared::object([$((
                    stringify!($name),
                    concat!($($meaning),+),
                    <$type>::schema(),
                    <$type>::IS_OPTIONAL,
                )),+])
            }
        }
    )+};
}
pub(super) use declare;

/// The JSON Schema of an object with these fields and no others. A field is given as its name, meaning,
/// schema, and whether it may be missing.
pub(super) fn object<const N: usize>(fields: [(&str, &str, Json, bool); N]) -> Json {
    let required = fields.iter().filter(|(.., is_optional)| !is_optional).map(|(name, ..)| *name);
    let required: Vec<&str> = required.collect();
    let properties = fields.map(|(name, meaning, mut schema, _)| {
        schema["description"] = meaning.trim().into();
        (name.to_owned(), schema)
    });
    json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": serde_json::Map::from_iter(properties),
    })
}

impl Declared for i64 {
    fn schema() -> Json {
        json!({"type": "integer"})
    }
}

impl Declared for bool {
    fn schema() -> Json {
        json!({"type": "boolean"})
    }
}

impl Declared for u64 {
    fn schema() -> Json {
        json!({"type": "integer", "minimum": 0})
    }
}

impl Declared for &'static str {
    fn schema() -> Json {
        json!({"type": "string"})
    }
}

impl Declared for String {
    fn schema() -> Json {
        <&'static str>::schema()
    }
}

impl<T: Declared> Declared for Vec<T> {
    fn schema() -> Json {
        json!({"type": "array", "items": T::schema()})
    }
}

/// An object with any names as keys, and values of one type.
impl<T: Declared> Declared for BTreeMap<String, T> {
    fn schema() -> Json {
        json!({"type": "object", "additionalProperties": T::schema()})
    }
}

/// A field that is left out where there is no value.
impl<T: Declared> Declared for Option<T> {
    const IS_OPTIONAL: bool = true;

    fn schema() -> Json {
        T::schema()
    }

    fn is_left_out(&self) -> bool {
        self.is_none()
    }
}

/// A value, or `null`.
#[derive(Serialize)]
pub(super) struct OrNull<T>(pub(super) Option<T>);

impl<T: Declared> Declared for OrNull<T> {
    fn schema() -> Json {
        let mut schema = T::schema();
        schema["type"] = json!([schema["type"], "null"]);
        schema
    }
}

/// A whole number that the schema states to be at least `LEAST`; the number itself is not checked.
#[derive(Serialize)]
pub(super) struct AtLeast<const LEAST: i64>(pub(super) i64);

impl<const LEAST: i64> Declared for AtLeast<LEAST> {
    fn schema() -> Json {
        json!({"type": "integer", "minimum": LEAST})
    }
}

/// A number, written without decimals where it is whole and below 9e15 in size.
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_whole = self.0.fract() == 0.0 && self.0.abs() < 9e15;
        if is_whole { to.serialize_i64(saturate::<i64>(self.0)) } else { to.serialize_f64(self.0) }
    }
}

impl Declared for Number {
    fn schema() -> Json {
        json!({"type": "number"})
    }
}

/// A share of a whole, which may be more than 1.
#[derive(Serialize)]
pub(super) struct Share(f64);

impl Share {
    /// A share, rounded to this number of decimals.
    pub(super) fn rounded(share: f64, decimals: i32) -> Self {
        let scale = 10_f64.powi(decimals);
        Self((share * scale).round() / scale)
    }
}

impl Declared for Share {
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0})
    }
}

/// A whole number, or a text where there is no number.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum NumberOrText {
    /// Written as a whole number of JSON.
    Number(i64),
    /// Written as a string of JSON.
    Text(String),
}

impl Declared for NumberOrText {
    fn schema() -> Json {
        json!({"type": ["integer", "string"]})
    }
}

/// A type with a fixed list of values, each of which has a name.
pub(super) trait Named: Copy + 'static {
    /// All values of the type.
    const ALL: &'static [Self];

    /// The name of this value.
    fn name(self) -> &'static str;
}

/// A value that is written as its name; the schema lists the names of all values of its type.
pub(super) struct Name<T>(pub(super) T);

impl<T: Named> Serialize for Name<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.name())
    }
}

impl<T: Named> Declared for Name<T> {
    fn schema() -> Json {
        json!({"enum": T::ALL.iter().map(|value| value.name()).collect::<Vec<_>>()})
    }
}
