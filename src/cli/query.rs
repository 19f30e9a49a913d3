//! `proftui query`: prints the events of a trace that a query finds, or a table of groups or gaps.
//!
//! Must not know the language of queries.

use clap::ValueEnum;
use clap::error::ErrorKind;

use proftui_base::fmt;
use proftui_insight::analysis::Scope;
use proftui_insight::analysis::search::{Query, Rows, table};
use proftui_insight::report;
use proftui_insight::report::csv::Formulas;
use proftui_insight::report::text::Look;

use super::load::{load_for_tables, traces};
use crate::cli::asked::ALL_ROWS;
use crate::cli::options::select::SelectArgs;
use crate::cli::output::streams::{Failure, print};
use crate::cli::output::width;

#[derive(Debug, clap::Args)]
pub(super) struct QueryArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// What to search for, such as 'cat:kernel dur>100us stream:7'; docs/search.md has the language
    ///
    /// Words match names fuzzily; a field has a sign and a value. Fields: name re cat lane stream step phase
    /// rank gpu dur size grid block regs corr op line cause arg:NAME; not before one negates it. sort:dur,
    /// sort:start and sort:count order what is found, top:N keeps the first, and by:name, by:step, by:line
    /// and by:stream sum it up.
    #[arg(required = true, value_name = "QUERY", index = 2)]
    query: Vec<String>,
    /// Maximum number of rows, unless the query has top:N; -1 prints all rows
    #[arg(long, visible_alias = "top", value_name = "N", allow_hyphen_values = true, default_value_t = 20)]
    row_limit: i64,
    /// Output format of the table
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// With --format csv: print texts that begin like a formula as they are, for programs; without it, a '
    /// stands before them, by which spreadsheets take them for texts
    #[arg(long)]
    csv_raw: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A text table
    #[default]
    #[value(alias = "text")]
    Table,
    /// One line of JSON, with times as integers in ns
    Json,
    /// Comma-separated values, with times as integers in ns
    Csv,
    /// A Markdown table
    Markdown,
}

/// Prints what the query finds in the trace. A query that cannot be read ends the process with exit
/// status 2.
pub(super) fn run(args: &QueryArgs) -> Result<(), Failure> {
    let misused = |why: String| clap::Error::raw(ErrorKind::InvalidValue, format!("{why}\n")).exit();
    let query = Query::parse(&args.query.join(" ")).unwrap_or_else(|why| misused(why.to_string()));
    if args.csv_raw && args.format != Format::Csv {
        misused("--csv-raw needs --format csv".to_owned());
    }
    let mut traces = traces(&args.select.request())?;
    let files = traces.remove(0);
    if !traces.is_empty() {
        let count = fmt::counted(traces.len() as u64 + 1, "trace");
        return Err(Failure(format!("this folder has {count}, not of one job: query each by itself")));
    }
    let loaded = load_for_tables(&files.request)?;
    let rows = Rows { most: usize::try_from(args.row_limit).ok(), advice: ALL_ROWS };
    let found = table(&loaded.trace, &loaded.texts, &query, rows).map_err(|why| Failure(why.to_string()))?;
    print(&match args.format {
        Format::Table => {
            report::text::render(&found, Look { width: Some(width::of_tables()), ..Look::default() })
        }
        Format::Markdown => report::markdown::render(&found, None),
        Format::Csv => {
            report::csv::render(&found, if args.csv_raw { Formulas::Raw } else { Formulas::Guarded })
        }
        Format::Json => {
            let scope = report::json::scope(&Scope::default(), &loaded.trace);
            serde_json::to_string(&report::json::render(&found, &scope))? + "\n"
        }
    })
}
