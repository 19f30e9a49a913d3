//! The fields and arguments of one event for display, the same types for all formats.

use proftui_base::text::SafeText;

/// The value of a field, safe to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(SafeText<'static>),
    /// A number or a literal such as `true`, as written in the file.
    Plain(SafeText<'static>),
    /// An object.
    Object(Vec<Argument>),
    /// An array, as written in the file.
    Array(SafeText<'static>),
}

/// A field or argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The field's or argument's name, safe to show.
    pub name: SafeText<'static>,
    /// The field's or argument's value.
    pub value: Value,
}

impl Value {
    /// The value as one line of text: an object as its members in braces, an array as written in the file.
    pub fn line(&self) -> SafeText<'static> {
        match self {
            Self::Text(text) | Self::Plain(text) | Self::Array(text) => text.clone(),
            Self::Object(members) => {
                let parts: Vec<_> =
                    members.iter().map(|m| format!("{}: {}", m.name, m.value.line())).collect();
                SafeText::from(format!("{{{}}}", parts.join(", ")))
            }
        }
    }
}
