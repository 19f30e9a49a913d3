//! Commands that show summaries, one for each.

use crate::app::input::key::Key::{self, Char};
use crate::app::state::{Pane, State};
use proftui_insight::analysis::{VIEWS, View};

use super::panes::show;
use super::{Command, Group, When};

fn show_table<const VIEW: usize>(state: &mut State) {
    show(state, Pane::Table(VIEW));
}

/// Builds the command that shows the summary of [`VIEWS`] at index `VIEW`; the palette finds it by the words `also`, too.
const fn table<const VIEW: usize>(keys: &'static [Key], also: &'static str) -> Command {
    let View { command, title, .. } = VIEWS[VIEW];
    Command {
        id: command,
        keys,
        when: When::Screen,
        title,
        also,
        group: Group::Panes,
        run: show_table::<VIEW>,
        ..Command::DEFAULT
    }
}

/// The commands that show the summaries, in the order of [`VIEWS`].
pub(super) static TABLES: [Command; VIEWS.len()] = [
    table::<0>(&[Char('!')], "gpu idle why slow bottleneck"),
    table::<1>(&[Char('2')], "categories"),
    table::<2>(&[Char('3')], "gpu utilization occupancy"),
    table::<3>(&[Char('4')], "forward backward optimizer"),
    table::<4>(&[], "cpu threads"),
    table::<5>(&[], ""),
    table::<6>(&[Char('5')], "longest slowest aten flops shapes"),
    table::<7>(&[Char('6')], "gpu longest slowest"),
    table::<8>(&[Char('7')], "memcpy memset bandwidth transfer"),
    table::<9>(&[Char('E')], "cuda runtime synchronize"),
    table::<10>(&[Char('8')], "nvtx annotations"),
    table::<11>(&[Char('9')], "allocator peak leak"),
    table::<12>(&[Char('e')], "events"),
    table::<13>(&[Char('F')], "stacks icicle speedscope folded python"),
    table::<14>(&[], ""),
    table::<15>(&[], "iteration"),
    table::<16>(&[], "vllm sglang requests tokens"),
    table::<17>(&[], ""),
    table::<18>(&[], ""),
    table::<19>(&[], "gpu gaps bubbles"),
    table::<20>(&[], ""),
    table::<21>(&[], "nccl communication ranks"),
    table::<22>(&[], ""),
    table::<23>(&[], ""),
    table::<24>(&[], ""),
    table::<25>(&[], ""),
];
