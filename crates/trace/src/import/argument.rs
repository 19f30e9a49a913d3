//! The fields and arguments of one event for display, the same types for all formats.

use proftui_base::text::SafeText;

/// The value of an event's field or argument, safe to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(SafeText<'static>),
    /// A number or a literal such as `true`.
    Plain(SafeText<'static>),
    /// An object, by its members.
    Object(Vec<Argument>),
    /// An array, or a deeply nested object, as one line of text.
    Array(SafeText<'static>),
}

/// A field or an argument of an event, or a member of an object in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name of the field, argument or member, safe to show.
    pub name: SafeText<'static>,
    /// The value of the field, argument or member.
    pub value: Value,
}

impl Value {
    /// The value as text; an object as its members in braces.
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
