//! What the user chose before the explorer starts.
//!
//! Must not know where that is written.

use std::sync::Arc;

use super::marks::KeptMark;
use crate::app::input::bindings::Keys;
use crate::app::view::color::ColorBy;

/// The settings of an explorer.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The keys in force.
    pub keys: Arc<Keys>,
    /// What the colours of events mean at first.
    pub color_by: ColorBy,
    /// True if the terminal reports what the mouse does from the start.
    pub has_mouse: bool,
    /// True if a message names a few keys to begin with, once a trace is shown and nothing else is to be
    /// said.
    pub has_hint: bool,
    /// The marks of an earlier session; none if marks are not kept.
    pub marks: Option<Vec<KeptMark>>,
}
