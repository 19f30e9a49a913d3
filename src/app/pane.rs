//! What the lower part of the screen shows, and what covers the screen: summaries with their rows, details,
//! lists to choose from; the jobs that make them.
//!
//! Must not know which commands change it.

pub mod answer;
pub mod arrange_job;
pub mod clicks;
pub mod details;
pub mod dialog;
pub mod findings;
pub mod group_choice;
pub mod group_list;
pub mod icicle;
pub mod kinds;
pub mod links;
pub mod overlay;
pub mod panes;
pub mod read_job;
pub mod rows;
pub mod selected;
pub mod stretch;
pub mod summaries;
pub mod summary_job;
pub mod table_pane;
pub mod topics;
