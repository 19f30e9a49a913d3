//! How tables are printed: the options for their format, length and widths, and the printing itself.
//!
//! Must not know what the tables are about.

use std::io::IsTerminal;

use clap::ValueEnum;
use serde_json::Value as Json;

use crate::analysis::Table;
use crate::base::fmt::TimeUnit;
use crate::cli::{Failure, print, values};
use crate::report;
use crate::report::text::Look;

use super::SummaryArgs;
use super::layout::{Layout, LayoutOptions};

/// Width of a table, in columns of text, where standard output is no terminal.
const WIDTH: usize = 100;

/// The options that limit a table's length and width.
#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// Print at most this many rows; -1 for all
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(super) row_limit: Option<i64>,
    /// Cut longer names; in our own layout also: make tables as wide as that takes
    #[arg(long, value_name = "COLUMNS")]
    pub(super) max_name_width: Option<usize>,
}

impl LayoutOptions for LimitArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Visualdl];
}

impl LimitArgs {
    /// The most rows to print; `None` for all, be it that no limit was given or a negative one.
    pub(super) fn rows(&self) -> Option<usize> {
        self.row_limit.and_then(|limit| usize::try_from(limit).ok())
    }
}

/// The option for the unit of times.
#[derive(Debug, clap::Args)]
pub(super) struct UnitArgs {
    /// All times in one unit
    #[arg(long, value_name = "UNIT", value_parser = values::time_unit())]
    pub(super) time_unit: Option<TimeUnit>,
}

impl LayoutOptions for UnitArgs {
    const LAYOUTS: &'static [Layout] =
        &[Layout::Proftui, Layout::Torch, Layout::Deeplink, Layout::Paddle, Layout::Visualdl];
}

/// The option that explains columns.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Say what each column means
    #[arg(long)]
    pub(super) explain: bool,
}

impl LayoutOptions for ExplainArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui, Layout::Visualdl];
}

/// In which form tables are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    /// For people
    #[default]
    Table,
    /// One JSON document: raw integers, ns and bytes
    Json,
    /// Comma-separated values, raw numbers
    Csv,
    /// For a pull request or a wiki
    Markdown,
}

/// A table, and the JSON of the scope that it is about.
pub(super) type Scoped = (Table, Json);

/// Pairs each table with the same scope.
pub(super) fn of_one(tables: Vec<Table>, scope: &Json) -> Vec<Scoped> {
    tables.into_iter().map(|table| (table, scope.clone())).collect()
}

/// Prints tables in the format asked for.
pub(super) fn write(args: &SummaryArgs, tables: &[Scoped]) -> Result<(), Failure> {
    let text = match args.format {
        TableFormat::Table => {
            let texts: Vec<String> = tables.iter().map(|(table, _)| for_people(table, args)).collect();
            texts.join("\n")
        }
        TableFormat::Markdown => {
            let texts: Vec<String> =
                tables.iter().map(|(table, _)| report::markdown::render(table)).collect();
            texts.join("\n")
        }
        TableFormat::Csv => {
            let texts: Vec<String> = tables.iter().map(|(table, _)| report::csv::render(table)).collect();
            texts.join("\r\n")
        }
        TableFormat::Json => {
            let values: Vec<Json> =
                tables.iter().map(|(table, scope)| report::json::render(table, scope)).collect();
            let text = match values.as_slice() {
                [one] if !args.has_all_views() => serde_json::to_string(one)?,
                all => serde_json::to_string(all)?,
            };
            text + "\n"
        }
    };
    print(&text)
}

fn for_people(table: &Table, args: &SummaryArgs) -> String {
    let width = std::io::stdout().is_terminal().then(terminal_width).unwrap_or(WIDTH);
    let look = Look { width: Some(width), unit: args.unit.time_unit, name_width: args.limit.max_name_width };
    let mut text = report::text::render(table, look);
    if args.explain.explain {
        for column in &table.columns {
            text.push_str(&format!("  {}: {}\n", column.title, column.about));
        }
    }
    text
}

/// The terminal's width in columns, at least 40.
fn terminal_width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout()).map_or(WIDTH, |size| usize::from(size.ws_col).max(40))
}

/// Sorts a table by `--sorted-by` and cuts it to `--row-limit`. A column that the table lacks is an error only where one view is
/// asked for.
pub(super) fn arrange(table: &mut Table, args: &SummaryArgs) -> Result<(), Failure> {
    if let Some(key) = &args.sorted_by {
        let (id, is_ascending) = key.strip_suffix(":asc").map_or((key.as_str(), false), |id| (id, true));
        match table.column(id) {
            Some(column) => table.sort(column, is_ascending),
            None if args.has_all_views() => {}
            None => {
                let ids: Vec<&str> = table.columns.iter().map(|column| column.id.as_ref()).collect();
                return Err(Failure(format!("{} has no column {id}; it has {}", table.view, ids.join(", "))));
            }
        }
    }
    if let Some(limit) = args.limit.rows() {
        cut(table, limit);
    }
    Ok(())
}

/// Keeps the first `limit` rows, and notes how many others there are.
pub(super) fn cut(table: &mut Table, limit: usize) {
    if let Some(left) = table.rows.len().checked_sub(limit).filter(|&left| left > 0) {
        table.rows.truncate(limit);
        table.notes.push(format!("{left} more rows; --row-limit -1 prints all."));
    }
}
