//! `proftui summary --layout torch` and `--layout deeplink`: PyTorch's table of averages, with PyTorch's
//! options.
//!
//! Must not know how averages are computed.

use crate::cli::output::streams::{Failure, notify, print};
use proftui_insight::compat::torch::print::TableOptions;
use proftui_insight::compat::torch::{Grouping, SORT_KEYS, Version, averages};
use proftui_insight::{compat, report};
use proftui_trace::model::Trace;

pub(super) use proftui_insight::compat::torch::Rules;

use super::common::{CommonArgs, TableFormat};
use super::layout::{Layout, LayoutOptions, TORCH_VIEW, or_exit};

#[derive(Debug, clap::Args)]
pub(super) struct TorchArgs {
    /// Print only rows whose first event is not nested in another event (layouts torch and deeplink)
    #[arg(long)]
    top_level_only: bool,
}

impl LayoutOptions for TorchArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Torch, Layout::Deeplink];
}

#[derive(Debug, clap::Args)]
pub(super) struct VersionArgs {
    /// Print the table as this version of PyTorch does, 2.0 to 2.15 (layout torch); default: the version that
    /// signs in the file show, for files of other programs the newest
    #[arg(long, value_name = "VERSION")]
    pub(super) torch_version: Option<Version>,
}

impl LayoutOptions for VersionArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Torch];
}

/// The rules of the layout `torch` for a trace: DeepLink's for its traces, else those of `version`, without
/// it of the version that the file shows.
pub(super) fn rules_of(trace: &Trace, version: Option<Version>) -> Rules {
    match (Rules::of(trace), version) {
        (Rules::DeepLink, _) => Rules::DeepLink,
        (_, Some(version)) => Rules::Torch(version),
        (rules, None) => rules,
    }
}

/// Loads the traces, and prints the table of averages by the rules that `rules_of` chooses. A view that the
/// layout lacks ends the process with exit status 2.
pub(super) fn run(
    args: &CommonArgs,
    options: &TorchArgs,
    rules_of: impl Fn(&Trace) -> Rules,
) -> Result<(), Failure> {
    or_exit(args.check_view(&[TORCH_VIEW]));
    let (loaded, scope) = args.load()?;
    let rules = rules_of(&loaded.trace);
    let grouping = Grouping {
        by_shape: args.groups.group_by_input_shape,
        by_stack: args.groups.group_by_stack.unwrap_or(0),
    };
    let mut averages = averages(&loaded.trace, &loaded.texts, &scope, rules, grouping)
        .map_err(|error| Failure(error.to_string()))?;
    if let Some(key) = &args.sorted_by
        && !averages.sort(key)
    {
        return Err(Failure(format!("--sorted-by {key}: this layout sorts by {}", SORT_KEYS.join(", "))));
    }
    let defaults = TableOptions::default();
    let text_options = TableOptions {
        row_limit: args.limit.row_limit.unwrap_or(defaults.row_limit),
        is_top_level_only: options.top_level_only,
        name_width: args.limit.max_name_width.unwrap_or(defaults.name_width),
        time_unit: args.unit.time_unit,
    };
    if args.format == TableFormat::Table {
        averages.notes().iter().for_each(|note| notify(note));
        return print(&compat::torch::print::render(&averages, &text_options));
    }
    let mut table = averages.table();
    if options.top_level_only {
        let mut is_shown = averages.rows.iter().map(|row| row.is_top_level);
        table.rows.retain(|_| is_shown.next().unwrap_or(true));
    }
    if let Some(limit) = args.limit.rows() {
        table.rows.truncate(limit);
    }
    let text = match args.format {
        TableFormat::Csv => report::csv::render(&table, args.csv.formulas()),
        TableFormat::Markdown => report::markdown::render(&table, args.unit.time_unit),
        // Those of frames were refused before.
        TableFormat::Json | TableFormat::Table | TableFormat::Speedscope | TableFormat::Folded => {
            let scope = report::json::scope(&scope, &loaded.trace);
            serde_json::to_string(&report::json::render(&table, &scope))? + "\n"
        }
    };
    print(&text)
}
