//! Prints summary tables in the format asked for.
//!
//! Must not know what the tables are about.

use serde_json::Value as Json;

use crate::cli::output::streams::{Failure, print};
use crate::cli::output::width;
use proftui_insight::analysis::Table;
use proftui_insight::report;
use proftui_insight::report::text::Look;
use proftui_trace::import;

use super::common::{CommonArgs, TableFormat};

/// A table, and its scope as JSON.
pub(super) type Scoped = (Table, Json);

/// Pairs each table with the same scope.
pub(super) fn of_one(tables: Vec<Table>, scope: &Json) -> Vec<Scoped> {
    tables.into_iter().map(|table| (table, scope.clone())).collect()
}

/// Prints tables to standard output, in the format that the options ask for.
pub(super) fn write(args: &CommonArgs, tables: &[Scoped]) -> Result<(), Failure> {
    let text = match args.format {
        TableFormat::Table => {
            let texts: Vec<String> = tables.iter().map(|(table, _)| for_people(table, args)).collect();
            texts.join("\n")
        }
        TableFormat::Markdown => {
            let unit = args.unit.time_unit;
            let texts: Vec<String> =
                tables.iter().map(|(table, _)| report::markdown::render(table, unit)).collect();
            texts.join("\n")
        }
        TableFormat::Csv => {
            let texts: Vec<String> =
                tables.iter().map(|(table, _)| report::csv::render(table, args.csv.formulas())).collect();
            texts.join("\r\n")
        }
        TableFormat::Folded => tables.iter().map(|(table, _)| report::folded::render(table)).collect(),
        TableFormat::Speedscope => {
            let name =
                args.select.request().paths.first().map_or_else(String::new, |path| import::shown(path));
            let texts = tables.iter().map(|(table, _)| report::speedscope::render(table, &name));
            texts.collect::<Result<String, _>>()? + "\n"
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

fn for_people(table: &Table, args: &CommonArgs) -> String {
    let look = Look {
        width: Some(width::of_tables()),
        unit: args.unit.time_unit,
        name_width: args.limit.max_name_width,
        order: args.arrangement().order().and_then(|(id, _)| table.column(id)),
    };
    let mut text = report::text::render(table, look);
    if args.explain.explain {
        for column in &table.columns {
            text.push_str(&format!("  {}: {}\n", column.title, column.about));
        }
    }
    text
}
