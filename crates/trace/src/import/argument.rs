//! The fields and arguments of one event for display, the same types for all formats.

use proftui_base::text::SafeText;

/// The value of an event's field or argument, safe to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(SafeText<'static>),
    /// A number or a literal such as `true`; from JSON as the file writes it.
    Plain(SafeText<'static>),
    /// An object, by its members.
    Object(Vec<Argument>),
    /// An array, or an object nested too deep to be divided into its members, as one line of text.
    Array(SafeText<'static>),
}

/// A field of an event, one of its arguments, or a member of a field or argument that is an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name of the field, argument or member, safe to show.
    pub name: SafeText<'static>,
    /// The value of the field, argument or member.
    pub value: Value,
}

impl Value {
    /// The value as one line of text: an object as its members in braces, any other value as it is stored.
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
