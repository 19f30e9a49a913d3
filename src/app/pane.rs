//! What the lower part of the screen shows, and what covers the screen: summaries with their rows, details,
//! lists to choose from.
//!
//! Must not know which commands change it.

pub mod details;
pub mod group_choice;
pub mod group_list;
pub mod icicle;
pub mod links;
pub mod overlay;
pub mod rows;
pub mod stretch;
pub mod table_pane;
