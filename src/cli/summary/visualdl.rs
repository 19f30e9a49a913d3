//! `proftui summary --layout visualdl`: tables with the numbers of VisualDL's profiler pages.
//!
//! Must not know how they are computed.

use crate::cli::asked::failure;
use crate::cli::output::streams::{Failure, notify, print};
use proftui_insight::compat::paddle::note;
use proftui_insight::compat::visualdl::{MISSING, VIEWS, summaries};
use proftui_insight::report;

use super::common::{CommonArgs, TableFormat};
use super::layout::or_exit;
use super::output::{of_one, write};

/// Loads the traces, and prints tables with the numbers of VisualDL's profiler pages. A view that the layout
/// lacks ends the process with exit status 2.
pub(super) fn run(args: &CommonArgs) -> Result<(), Failure> {
    or_exit(args.check_view(VIEWS));
    let (loaded, scope) = args.load()?;
    args.scope.check_threads(&loaded.trace, &scope, "visualdl")?;
    let mut tables = summaries(&loaded.trace, &loaded.texts, &scope, |view| args.has_view(view));
    args.arrangement().apply(tables.iter_mut(), args.only_view()).map_err(failure)?;
    if tables.is_empty() && args.format == TableFormat::Table {
        return print(&format!("Nothing to print: the view {} is empty.\n", args.view));
    }
    // CSV has no notes.
    let notes = tables.iter().flat_map(|table| &table.notes);
    notes.filter(|note| note.starts_with(MISSING)).for_each(|note| notify(note));
    if args.format == TableFormat::Table {
        note(&loaded.trace).filter(|_| args.has_view("overview")).iter().for_each(|note| notify(note));
    }
    write(args, &of_one(tables, &report::json::scope(&scope, &loaded.trace)))
}
