//! What the user chose before the explorer starts.
//!
//! Must not know where that is written.

use std::sync::Arc;

use super::marks::KeptMark;
use crate::app::input::bindings::Keys;
use crate::app::view::color::ColorBy;

/// What the user chose for the explorer before it starts.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The keys in force: those of the command table with the user's changes.
    pub keys: Arc<Keys>,
    /// What the colours of events mean until the user changes that.
    pub color_by: ColorBy,
    /// True if the terminal reports what the mouse does from the start.
    pub has_mouse: bool,
    /// The marks that an earlier session kept; none if no file keeps marks.
    pub marks: Option<Vec<KeptMark>>,
}
