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
    /// What the frames of the view flame weigh (default: host; device if no thread of the host is covered)
    #[arg(long, value_enum, value_name = "WEIGHT")]
    weight: Option<Weighed>,
    /// Print the callers below each frame that weighs something by itself, instead of what it calls (view
    /// flame)
    #[arg(long)]
    bottom_up: bool,
}

/// What the frames are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Frames {
    /// Steps, ranges, operators and calls, as they nest
    Operator,
    /// Steps, ranges, operators and calls, and the Python functions around them
    Stack,
    /// Modules (nn.Module) and operators
    Module,
}

/// What the frames weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Weighed {
    /// Time on the host
    Host,
    /// Time of the device work launched
    Device,
    /// Bytes of the copies and memsets launched
    Bytes,
    /// Number of events
    Count,
}

impl LayoutOptions for FlameArgs {
    const LAYOUTS: &'static [Layout] = &[Layout::Proftui];
}

/// The least share of a frame that is printed for people.
const SHARE: f64 = 0.005;
/// The least share of a frame that is printed for people where all views are printed.
const BRIEF: f64 = 0.05;

impl FlameArgs {
    /// Checks that the view is asked for if any option is given.
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

    /// The flame that the options ask for.
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

/// The least share of a frame that is printed; `None` where a program is to read the table, or the user set a
/// limit.
pub(super) fn least_share(args: &CommonArgs) -> Option<f64> {
    let is_for_people = matches!(args.format, TableFormat::Table | TableFormat::Markdown);
    let is_limited = args.limit.row_limit.is_some();
    (is_for_people && !is_limited).then_some(if args.has_all_views() { BRIEF } else { SHARE })
}
