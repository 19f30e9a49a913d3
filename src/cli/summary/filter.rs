//! The options that keep only some rows of a table, by text or by size.
//!
//! Must not know which view a table is of.

use crate::cli::options::values::size;
use proftui_insight::ask::Filter;

use super::layout::{Layout, LayoutOptions};

#[derive(Debug, clap::Args)]
pub(super) struct FilterArgs {
    /// Print only rows that contain this text in a column of texts, and the rows above and below them; case
    /// is ignored (default: all rows)
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Print only rows of at least this size, such as 64k, 1.5M or 2G, in tables with a column `size`
    /// (default: all rows)
    #[arg(long, value_name = "BYTES", value_parser = size)]
    min_size: Option<u64>,
    /// Print only rows of at most this size, such as 64k, 1.5M or 2G, in tables with a column `size`
    /// (default: all rows)
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_size: Option<u64>,
}

impl LayoutOptions for FilterArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Visualdl];
}

impl FilterArgs {
    /// Which rows the options keep: by a text, and by the least and the largest size.
    pub(super) fn filter(&self) -> Filter {
        Filter { name: self.name.clone(), min_size: self.min_size, max_size: self.max_size }
    }
}
