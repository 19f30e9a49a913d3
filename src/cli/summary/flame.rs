//! The options of the view flame, and what of a large flame is printed for people.
//!
//! Must not know how a flame is made, nor how tables are printed.

use clap::ValueEnum;

use proftui_base::fmt;
use proftui_insight::analysis::flame::{Choice, Direction, Stacking, Weight};
use proftui_insight::analysis::views;
use proftui_insight::analysis::{Table, TableRow};

use super::common::{CommonArgs, TableFormat};
use super::layout::{Layout, LayoutOptions};

#[derive(Debug, clap::Args)]
pub(super) struct FlameArgs {
    /// What the frames of the view flame are (default: operator)
    #[arg(long, value_enum, value_name = "FRAMES")]
    frames: Option<Frames>,
    /// What the frames of the view flame weigh (default: host; device if no thread of the host is covered)
    #[arg(long, value_enum, value_name = "WEIGHT")]
    weight: Option<Weighed>,
    /// Print the callers below each frame that weighs something by itself, instead of what it calls (view flame)
    #[arg(long)]
    bottom_up: bool,
}

/// What the frames are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Frames {
    /// Steps, ranges, operators and calls, as they nest
    Operator,
    /// The same, and the Python functions around them
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
/// The same where all views are printed.
const BRIEF: f64 = 0.05;

impl FlameArgs {
    /// Checks that the view is asked for if any option is given; the error is the message for the user.
    pub(super) fn check(&self, args: &CommonArgs) -> Result<(), String> {
        let given = [
            (self.frames.is_some(), "--frames"),
            (self.weight.is_some(), "--weight"),
            (self.bottom_up, "--bottom-up"),
        ];
        match given
            .into_iter()
            .find(|(is_given, _)| *is_given && args.only_view() != Some(views::flame::VIEW))
        {
            Some((_, option)) => Err(format!("{option} needs --view {}", views::flame::VIEW)),
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

/// Leaves out the frames with little weight, unless a program is to read the table or the user set a limit.
pub(super) fn thin(table: &mut Table, args: &CommonArgs) {
    let is_for_people = matches!(args.format, TableFormat::Table | TableFormat::Markdown);
    let (true, None, Some(share)) = (is_for_people, args.limit.row_limit, table.column("share")) else {
        return;
    };
    let least = if args.has_all_views() { BRIEF } else { SHARE };
    let mut left_out = 0;
    keep(&mut table.rows, share, least, &mut left_out);
    if left_out > 0 {
        let frames = fmt::counted(left_out, "frame");
        let have = if left_out == 1 { "has" } else { "have" };
        table.notes.push(format!(
            "{frames} {have} a share of less than {}% and {} left out; --view flame --row-limit -1 prints all.",
            least * 100.0,
            if left_out == 1 { "is" } else { "are" }
        ));
    }
}

/// Keeps the rows of at least a share, and counts the others with all below them.
fn keep(rows: &mut Vec<TableRow>, share: usize, least: f64, left_out: &mut u64) {
    rows.retain_mut(|row| {
        let is_kept = row.cells[share].ratio_or_zero() >= least;
        if is_kept {
            keep(&mut row.children, share, least, left_out);
        } else {
            *left_out += count(row);
        }
        is_kept
    });
}

fn count(row: &TableRow) -> u64 {
    1 + row.children.iter().map(count).sum::<u64>()
}
