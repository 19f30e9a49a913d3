//! Which option a layout can use: one that it cannot is a wrong command line, said before anything is read.

use clap::ValueEnum;

use super::{Layout, SummaryArgs, TableFormat, filter, paddle, torch};
use crate::analysis::{kernel, operator};
use crate::cli::fluid;

use Layout::{Deeplink, Fluid, Paddle, Proftui, Torch, Visualdl};

/// What is wrong with the options for this layout, in one line.
pub(super) fn check(args: &SummaryArgs, layout: Layout) -> Result<(), String> {
    let of_torch: &[Layout] = &[Torch, Deeplink];
    let rules: [(bool, &str, &[Layout]); 11] = [
        (args.own.merged, "--merged", &[Proftui]),
        (args.own.compare.is_some(), "--compare", &[Proftui]),
        (args.filter.any(), filter::FLAGS, &[Proftui, Visualdl]),
        (args.torch.any(), torch::FLAGS, of_torch),
        (args.paddle.any(), paddle::FLAGS, &[Paddle]),
        (args.fluid.any(), fluid::FLAGS, &[Fluid]),
        (args.row_limit.is_some(), "--row-limit", &[Proftui, Torch, Deeplink, Visualdl]),
        (args.max_name_width.is_some(), "--max-name-width", &[Proftui, Torch, Deeplink, Visualdl]),
        (args.time_unit.is_some(), "--time-unit", &[Proftui, Torch, Deeplink, Paddle, Visualdl]),
        (args.explain, "--explain", &[Proftui, Visualdl]),
        (
            args.format != TableFormat::Table,
            "--format with anything but table",
            &[Proftui, Torch, Deeplink, Paddle, Visualdl],
        ),
    ];
    let lost = rules.iter().find(|(is_given, _, layouts)| *is_given && !layouts.contains(&layout));
    if let Some((_, option, layouts)) = lost {
        let names: Vec<String> = layouts.iter().copied().map(name).collect();
        let verb = if option.contains(" and ") { "need" } else { "needs" };
        return Err(format!("{option} {verb} --layout {}", names.join(" or ")));
    }
    let views = layout.views();
    if args.view != "all" && !views.contains(&args.view.as_str()) {
        return Err(format!("--view {}: this layout has all, {}", args.view, views.join(", ")));
    }
    let is_of = |view: &str| layout == Proftui && ["all", view].contains(&args.view.as_str());
    if args.torch.by_shape() && !of_torch.contains(&layout) && !is_of(operator::VIEW) {
        return Err(
            "--group-by-input-shape is for --view operator, and for --layout torch or deeplink".into()
        );
    }
    if args.group_by_launch && !is_of(kernel::VIEW) {
        return Err("--group-by-launch is for --view kernel of --layout proftui".into());
    }
    if layout == Paddle && args.view == paddle::PERF && args.format != TableFormat::Table {
        return Err(
            "--layout paddle --view perf is text; the view perf of the layout proftui has tables".into()
        );
    }
    if args.paddle.has_batch_size() && args.view != paddle::PERF {
        return Err("--batch-size needs --view perf".into());
    }
    Ok(())
}

fn name(layout: Layout) -> String {
    layout.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
