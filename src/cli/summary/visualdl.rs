//! `proftui summary --layout visualdl`: the numbers of VisualDL's pages.

use crate::analysis::Table;
use crate::analysis::visualdl::summaries;
use crate::cli::{Failure, print};
use crate::import::Loaded;

use super::{SummaryArgs, TableFormat, arrange, scope, write};

pub(super) fn print_tables(args: &SummaryArgs, loaded: &Loaded) -> Result<(), Failure> {
    let scope = scope(args, loaded)?;
    let is_wanted = |view: &str| args.view == "all" || args.view == view;
    let mut tables = summaries(&loaded.trace, &loaded.texts, &scope, is_wanted);
    for table in &mut tables {
        sort(table, args)?;
    }
    if tables.is_empty() && args.format == TableFormat::Table {
        return print(&format!("Nothing to show: the trace has no events for the view {}.\n", args.view));
    }
    write(args, &tables, &scope, loaded)
}

/// Sorts and cuts as asked. A view has several tables, so one without the column stays as it is.
fn sort(table: &mut Table, args: &SummaryArgs) -> Result<(), Failure> {
    arrange(table, args)
}
