//! What the timeline shows: the viewport, the division of the screen, lines and their labels, how busy they
//! are.
//!
//! `timeline` owns what of this the user moves. Is given what is selected where it needs that. Must not know
//! the contents of panes, or commands.

pub mod busy;
pub mod color;
pub mod direction;
pub mod geometry;
pub mod history;
pub(super) mod in_view;
mod kept;
pub mod labels;
pub mod line;
pub mod lines;
pub mod looks;
pub mod minimap;
pub mod timefmt;
pub mod timeline;
pub mod viewport;
