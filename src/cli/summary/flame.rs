//! The options of the view flame, and what of a large flame is printed for people.
//!
//! Must not know how a flame is made, nor how tables are printed.

use clap::ValueEnum;

use proftui_insight::analysis::flame::{Choice, Direction, Stacking, Weight};
use proftui_insight::analysis::views;

use super::common::{CommonArgs, TableFormat};
use super::layout::{Layout, LayoutOptions};
use super::misuse::Misuse;

#[derive(Debug, clap::Args)]
pub(super) struct FlameArgs {
    /// What the frames of the view flame are (default: operator)
    #[arg(long, value_enum, value_name = "FRAMES")]
    frames: Option<Frames>,
    /// What the frames of the view flame weigh (default: host; device if the part has no time on the host)
    #[arg(long, value_enum, value_name = "WEIGHT")]
    weight: Option<Weighed>,
    /// Print below each frame that weighs something by itself its callers, instead of what it calls (view
    /// flame)
    #[arg(long)]
    bottom_up: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Frames {
    /// Steps, ranges, operators and calls, as they nest
    Operator,
    /// Steps, ranges, operators, calls and Python functions, as they nest
    Stack,
    /// Modules (nn.Module) and operators
    Module,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Weighed {
    /// Time on the host
    Host,
    /// Time of the device work that a frame launches, summed over streams
    Device,
    /// Bytes of the copies and memsets that a frame launches
    Bytes,
    /// Number of events: slices of the host, and pieces of device work
    Count,
}

impl LayoutOptions for FlameArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui];
}

/// Frames below this share, 0 to 1, of the flame's weight are usually left out where only the view flame is
/// printed.
const SHARE: f64 = 0.005;
/// Frames below this share, 0 to 1, of the flame's weight are usually left out where all views are printed.
const BRIEF: f64 = 0.05;

impl FlameArgs {
    /// Checks that the view flame is the one asked for if any of these options is given.
    pub(super) fn check(&self, args: &CommonArgs) -> Result<(), Misuse> {
        let given = [
            (self.frames.is_some(), "--frames"),
            (self.weight.is_some(), "--weight"),
            (self.bottom_up, "--bottom-up"),
        ];
        let view = views::flame::VIEW;
        match given.into_iter().find(|(is_given, _)| *is_given && args.only_view() != Some(view)) {
            Some((_, option)) => Err(Misuse::View { option, view }),
            None => Ok(()),
        }
    }

    /// Which flame the options ask for: its frames, weight and direction. The weight is `None` without
    /// `--weight`.
    pub(super) fn choice(&self) -> Choice {
        Choice {
            stacking: match self.frames {
                None | Some(Frames::Operator) => Stacking::Operators,
                Some(Frames::Stack) => Stacking::Stack,
                Some(Frames::Module) => Stacking::Modules,
            },
            weight: self.weight.map(|weight| match weight {
                Weighed::Host => Weight::Host,
                Weighed::Device => Weight::Device,
                Weighed::Bytes => Weight::Bytes,
                Weighed::Count => Weight::Count,
            }),
            direction: if self.bottom_up { Direction::BottomUp } else { Direction::TopDown },
        }
    }
}

/// The least share, 0 to 1, of a flame's weight with which a frame is printed, except in comparisons; `None`
/// if no frame is left out for its share.
pub(super) fn least_share(args: &CommonArgs) -> Option<f64> {
    let is_for_people = matches!(args.format, TableFormat::Table | TableFormat::Markdown);
    let is_limited = args.limit.row_limit.is_some();
    (is_for_people && !is_limited).then_some(if args.has_all_views() { BRIEF } else { SHARE })
}
