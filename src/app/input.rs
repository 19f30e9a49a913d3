//! What a person types and points at: keys, the keys in force, the mouse.
//!
//! Must not know what a key does.

pub mod bindings;
pub mod key;
pub mod mouse;
pub mod prefix;
