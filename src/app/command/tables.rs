//! Commands that show summaries, one for each.

use crate::app::input::bindings;
use crate::app::input::key::Key::{self, Char};
use crate::app::input::prefix::Prefix;
use crate::app::pane::panes::Pane;
use crate::app::pane::topics::view;
use crate::app::state::State;
use proftui_insight::analysis::{VIEWS, View};

use super::panes::show_by_key;
use super::{Command, Group, Hint, When};

fn show_table<const VIEW: usize>(state: &mut State) {
    show_by_key(state, Pane::Table(VIEW));
}

/// Shows what limits the run; the number of a finding may follow.
fn show_why(state: &mut State) {
    show_by_key(state, Pane::Table(view("verdict")));
    state.dialog.begin(Prefix::Finding);
}

/// Builds the command that shows the view at index `VIEW` of [`VIEWS`].
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
    Command {
        run: show_why,
        hint_for: |state| {
            let is_first = state.answer().is_some() && state.selected.selection().is_none();
            is_first.then_some(Hint::First("why"))
        },
        ..table::<{ view("verdict") }>(bindings::WHY.keys, "gpu idle why slow bottleneck")
    },
    table::<{ view("overview") }>(&[], "overview categories"),
    table::<{ view("device") }>(&[Char('3')], "gpu utilization occupancy"),
    table::<{ view("model") }>(&[Char('4')], "forward backward optimizer"),
    table::<{ view("host") }>(&[], "cpu threads"),
    table::<{ view("stages") }>(&[], ""),
    table::<{ view("operator") }>(&[Char('5')], "longest slowest aten flops shapes"),
    table::<{ view("kernel") }>(&[Char('6')], "gpu longest slowest"),
    table::<{ view("roofline") }>(&[], "flops tflops bandwidth peak arithmetic intensity"),
    table::<{ view("memcpy") }>(&[Char('7')], "memcpy memset bandwidth transfer"),
    table::<{ view("calls") }>(&[Char('E')], "cuda runtime synchronize"),
    table::<{ view("userdefined") }>(&[Char('8')], "nvtx annotations"),
    table::<{ view("peak") }>(&[Char('9')], "memory oom alive holds"),
    table::<{ view("memory") }>(&[], "allocator peak leak memory"),
    table::<{ view("names") }>(&[Char('e')], "events"),
    table::<{ view("flame") }>(&[Char('F')], "stacks icicle speedscope folded python"),
    table::<{ view("allocations") }>(&[], ""),
    table::<{ view("steps") }>(&[Char('2')], "iteration"),
    table::<{ view("serving") }>(&[], "vllm sglang requests tokens"),
    table::<{ view("perf") }>(&[], ""),
    table::<{ view("busy") }>(&[], ""),
    table::<{ view("idle") }>(&[], "gpu gaps bubbles"),
    table::<{ view("waits") }>(&[], ""),
    table::<{ view("distributed") }>(&[], "nccl communication ranks"),
    table::<{ view("kinds") }>(&[], ""),
    table::<{ view("launches") }>(&[], ""),
    table::<{ view("queue") }>(&[], ""),
    table::<{ view("quality") }>(&[Char('Q')], "damage lost missing"),
];
