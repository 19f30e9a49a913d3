//! What a person marked and chose: marks that are kept, settings.
//!
//! Must not know commands.

pub mod keeping;
pub mod marks;
pub mod settings;
