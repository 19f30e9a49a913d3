//! `proftui summary --layout torch`: torch's own table, with torch's own options.

use crate::cli::load::tell;
use crate::cli::{Failure, print};
use crate::compat;
use crate::compat::torch::print::TableOptions;
use crate::compat::torch::{Grouping, Rules, SORT_KEYS, averages};
use crate::import::Loaded;
use crate::report;

use super::{SummaryArgs, TableFormat, Unit};

/// The options of this layout, as messages name them.
pub(super) const FLAGS: &str = "--top-level-only and --group-by-stack";

#[derive(Debug, clap::Args)]
pub(super) struct TorchArgs {
    /// torch: only rows whose first event lies in no other
    #[arg(long)]
    top_level_only: bool,
    /// A row for each set of input shapes; in our own layout below each operator, with floating point operations
    #[arg(long)]
    group_by_input_shape: bool,
    /// torch: a row for each set of the N innermost stack frames
    #[arg(long, value_name = "N")]
    group_by_stack: Option<usize>,
}

impl TorchArgs {
    /// True when one was given that no other layout has.
    pub(super) fn any(&self) -> bool {
        self.top_level_only || self.group_by_stack.is_some()
    }

    /// True when input shapes tell rows apart.
    pub(super) fn by_shape(&self) -> bool {
        self.group_by_input_shape
    }
}

pub(super) fn print_table(args: &SummaryArgs, loaded: &Loaded, rules: Rules) -> Result<(), Failure> {
    let scope = args.part.scope(&loaded.trace)?;
    let options = &args.torch;
    let grouping =
        Grouping { by_shape: options.group_by_input_shape, by_stack: options.group_by_stack.unwrap_or(0) };
    let mut averages = averages(&loaded.trace, &loaded.texts, &scope, rules, grouping)
        .map_err(|error| Failure(error.to_string()))?;
    if let Some(key) = &args.sorted_by
        && !averages.sort(key)
    {
        return Err(Failure(format!("there is no column {key}; torch sorts by {}", SORT_KEYS.join(", "))));
    }
    let defaults = TableOptions::default();
    let text_options = TableOptions {
        row_limit: args.row_limit.unwrap_or(defaults.row_limit),
        is_top_level_only: options.top_level_only,
        name_width: args.max_name_width.unwrap_or(defaults.name_width),
        time_unit: args.time_unit.map(Unit::time_unit),
    };
    if args.format == TableFormat::Table {
        averages.notes().iter().for_each(|note| tell(note));
        return print(&compat::torch::print::render(&averages, &text_options));
    }
    let mut table = averages.table();
    if options.top_level_only {
        let mut is_shown = averages.rows.iter().map(|row| row.is_top_level);
        table.rows.retain(|_| is_shown.next().unwrap_or(true));
    }
    if let Some(limit) = args.row_limit.and_then(|limit| usize::try_from(limit).ok()) {
        table.rows.truncate(limit);
    }
    let text = match args.format {
        TableFormat::Csv => report::csv::render(&table),
        TableFormat::Markdown => report::markdown::render(&table),
        TableFormat::Json | TableFormat::Table => {
            let scope = report::json::scope(&scope, &loaded.trace);
            serde_json::to_string(&report::json::render(&table, &scope))? + "\n"
        }
    };
    print(&text)
}
