//! Commands that show summaries, one for each.

use crate::app::input::bindings;
use crate::app::input::key::Key::{self, Char};
use crate::app::input::prefix::Prefix;
use crate::app::pane::panes::Pane;
use crate::app::state::State;
use proftui_insight::analysis::{VIEWS, View};

use super::panes::show;
use super::{Command, Group, When};

fn show_table<const VIEW: usize>(state: &mut State) {
    show(state, Pane::Table(VIEW));
}

/// Shows what limits the run; the number of a finding may follow.
fn show_why(state: &mut State) {
    show(state, Pane::Table(view("verdict")));
    state.dialog.begin(Prefix::Finding);
}

/// The index in [`VIEWS`] of the view with this name. In a constant, a name that no view has does not
/// compile.
const fn view(name: &str) -> usize {
    let mut at = 0;
    while !is_same(VIEWS[at].name.as_bytes(), name.as_bytes()) {
        at += 1;
    }
    at
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
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
        ..table::<{ view("verdict") }>(bindings::WHY.keys, "gpu idle why slow bottleneck")
    },
    table::<{ view("overview") }>(&[Char('2')], "categories"),
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
    table::<{ view("memory") }>(&[Char('9')], "allocator peak leak"),
    table::<{ view("names") }>(&[Char('e')], "events"),
    table::<{ view("flame") }>(&[Char('F')], "stacks icicle speedscope folded python"),
    table::<{ view("allocations") }>(&[], ""),
    table::<{ view("steps") }>(&[], "iteration"),
    table::<{ view("serving") }>(&[], "vllm sglang requests tokens"),
    table::<{ view("perf") }>(&[], ""),
    table::<{ view("busy") }>(&[], ""),
    table::<{ view("idle") }>(&[], "gpu gaps bubbles"),
    table::<{ view("waits") }>(&[], ""),
    table::<{ view("distributed") }>(&[], "nccl communication ranks"),
    table::<{ view("kinds") }>(&[], ""),
    table::<{ view("launches") }>(&[], ""),
    table::<{ view("queue") }>(&[], ""),
    table::<{ view("quality") }>(&[], ""),
];
