//! The list of all views, for `--view`, the explorer's panes and the help texts.

pub mod allocation;
pub mod answer;
pub mod calls;
pub mod copies;
pub mod device;
pub mod flame;
pub mod gpu;
pub mod grouping;
pub mod host;
pub(crate) mod idle_causes;
pub mod kernel;
pub mod memory;
pub mod model;
pub mod names;
pub mod operator;
pub mod outside;
pub mod overview;
pub mod perf;
pub mod phase_matrix;
pub mod quality;
pub mod ranges;
pub mod roofline;
pub mod serving;
pub mod steps;
pub mod verdict;

use proftui_base::fault::{self, Point};
use proftui_base::time::Ns;
use proftui_trace::model::{LaneId, LaneKind, Step, Trace};

use super::flame::{Choice, Stacking};
use super::ledger::stretch;
use super::{Arguments, Grouping, Needs, Scope, Table};
use crate::analysis::views::gpu::{busy, idle, kinds, launches, overlap, queue};
use crate::analysis::vocabulary::jax;

/// A summary, which `--view` selects by name and the explorer shows in a pane.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Name of the view for `--view`, and `view` in JSON.
    pub name: &'static str,
    /// Further names for `--view`: the label of the view's tab in lower case, if it differs from `name`.
    pub aliases: &'static [&'static str],
    /// The id of the explorer's command that shows the view.
    pub command: &'static str,
    /// The label of the view's tab in the explorer.
    pub tab: &'static str,
    /// Short description of the view for lists of views.
    pub title: &'static str,
    /// What is missing where the view's table has no rows, as in "No kernels in this trace."
    pub of: &'static str,
    /// Text for the note under a table without rows, usually on who records what `of` names.
    pub filled_by: &'static str,
    /// Builds the view's table for a scope of the trace, without the notes that [`View::explained`] adds.
    build: fn(&Trace, &Scope) -> Table,
    /// Ids of the columns from which [`comparable_column`](super::table::compare::comparable_column) chooses
    /// when ranks or traces are compared. Empty for a view whose tables are then listed below each other.
    pub compared: &'static [&'static str],
    /// The groupings of the view: tables that the view has beside its own.
    pub groupings: &'static [Grouping],
    /// True if the explorer usually shows the first of `groupings` instead of the view's own table.
    pub starts_grouped: bool,
    /// True where the view is about the time of the program: its table usually leaves out start-up and
    /// teardown.
    pub is_of_time: bool,
    /// True for the view that says what limits the run.
    pub is_verdict: bool,
    /// Builds a shorter table for outputs of many views; `None` if the view has only its whole table.
    pub brief: Option<fn(&Trace, &Scope, usize) -> Table>,
    /// Builds the table of a flame with the chosen frames, weight and direction; `None` for all views but the
    /// flame.
    pub flame: Option<fn(&Trace, &Scope, Choice) -> Table>,
    /// Makes the sentence above a table about a stretch of time that the user marked; `None` for a view
    /// without such a sentence.
    pub of_stretch: Option<fn(&Trace, &Scope) -> String>,
    /// The note under a table with rows whose scope has no lanes of the host although the trace has some;
    /// `None` for no note.
    pub without_host: Option<&'static str>,
}

impl View {
    /// The values of the fields that the entries of [`VIEWS`] leave out.
    const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        command: "",
        tab: "",
        title: "",
        of: "",
        filled_by: "",
        build: |_, _| Table { view: "", ..Table::default() },
        compared: &[],
        groupings: &[],
        starts_grouped: false,
        is_of_time: true,
        is_verdict: false,
        brief: None,
        flame: None,
        of_stretch: None,
        without_host: None,
    };
}

macro_rules! view {
    (
        $name:literal $(or $alias:literal)?, $tab:literal, $title:literal,
        no $of:literal: $filled_by:expr,
        $build:expr $(, $field:ident: $value:expr)*
    ) => {
        View {
            name: $name,
            aliases: &[$($alias)?],
            command: concat!("pane.", $name),
            tab: $tab,
            title: $title,
            of: $of,
            filled_by: $filled_by,
            build: $build,
            $($field: $value,)*
            ..View::DEFAULT
        }
    };
}

/// The number of innermost frames by which stacks are distinguished by default.
const FRAMES: usize = 5;

/// The grouping of the verdict: its table with findings about how well kernels use the device.
const OF_VERDICT: &[Grouping] = &[Grouping {
    name: grouping::EFFICIENCY,
    title: "with the kernels' efficiency",
    needs: Needs { findings: true, ..Needs::NOTHING },
    build: |trace, scope, arguments| verdict::of(trace, scope, arguments),
}];

/// The grouping of devices: their table with columns of occupancy and SM efficiency.
const OF_DEVICES: &[Grouping] = &[Grouping {
    name: grouping::OCCUPANCY,
    title: "with occupancy",
    needs: Needs { launch_configs: true, ..Needs::NOTHING },
    build: |trace, scope, arguments| device::with_occupancy(trace, scope, &arguments.launch_configs),
}];

const OF_OPERATORS: &[Grouping] = &[
    Grouping {
        name: grouping::INPUT_SHAPE,
        title: "by input shape",
        needs: Needs { shapes: true, ..Needs::NOTHING },
        build: |trace, scope, arguments| operator::grouped::by_shape(trace, scope, &arguments.shapes),
    },
    Grouping {
        name: grouping::STACK,
        title: "by stack",
        needs: Needs { stack: FRAMES, ..Needs::NOTHING },
        build: |trace, scope, arguments| operator::grouped::by_stack(trace, scope, &arguments.stacks),
    },
];

const OF_KERNELS: &[Grouping] = &[Grouping {
    name: grouping::LAUNCH,
    title: "by launch configuration",
    needs: Needs { launch_configs: true, ..Needs::NOTHING },
    build: |trace, scope, arguments| kernel::by_launch_config::table(trace, scope, &arguments.launch_configs),
}];

/// The grouping of the roofline: its table, which needs the inputs of operators.
const OF_ROOFLINE: &[Grouping] = &[Grouping {
    name: grouping::INPUTS,
    title: "from the inputs of operators",
    needs: Needs { roofline: true, ..Needs::NOTHING },
    build: |trace, scope, arguments| roofline::of(trace, scope, arguments),
}];

/// The grouping of calls: their table with rows for the lines of operators' call stacks.
const OF_CALLS: &[Grouping] = &[Grouping {
    name: grouping::STACK_LINES,
    title: "with the lines of call stacks",
    needs: Needs { stack_lines: true, ..Needs::NOTHING },
    build: |trace, scope, arguments| calls::with_stacks(trace, scope, &arguments.stack_lines),
}];

/// The groupings of the flame: by Python stack and by module.
const OF_FLAME: &[Grouping] = &[
    Grouping {
        name: grouping::STACK,
        title: "by Python stack",
        needs: Needs::NOTHING,
        build: |trace, scope, _| flame::table(trace, scope, stacked(Stacking::Stack)),
    },
    Grouping {
        name: grouping::MODULE,
        title: "by module",
        needs: Needs::NOTHING,
        build: |trace, scope, _| flame::table(trace, scope, stacked(Stacking::Modules)),
    },
];

/// The choice of a flame with these frames; all else is the default.
fn stacked(stacking: Stacking) -> Choice {
    Choice { stacking, ..Choice::default() }
}

const LENGTHS: &str = "Events with a start and an end fill this table; proftui info --format json counts \
    the others.";
const DEVICES: &str = "ProfilerActivity.CUDA (torch), ProfilerTarget.GPU (paddle) and proftui capture on \
    NVIDIA GPUs record device work and the calls that launch it.";
/// The note under the table of operators where the trace has lanes of the host, but the scope has none.
const NO_HOST: &str = "This part of the trace has no threads of the host: the operators are those that \
    launched its device work, and their calls and host times are 0.";
const STEPS: &str = "prof.step() of torch.profiler and of paddle.profiler marks steps; proftui capture \
    usually finds them; --steps-from launches takes each repetition of the launches for a step.";
const MEMORY: &str =
    "profile_memory=True (torch, paddle) and proftui capture --profile-memory record memory events.";

/// All views, in the order in which `--view all` and the panes show them.
pub const VIEWS: &[View] = &[
    view!("verdict" or "findings", "Findings", "What limits the run: verdict, findings, idle time by cause",
        no "device work (kernels, copies, memsets)": DEVICES,
        verdict::verdict, groupings: OF_VERDICT, starts_grouped: true, is_verdict: true),
    view!("overview" or "categories", "Categories", "Event count and time by category",
        no "events with a length": LENGTHS, overview::overview, compared: &["time"]),
    view!("device", "Device", "Device utilization",
        no "device work (kernels, copies, memsets)": DEVICES, device::devices,
        groupings: OF_DEVICES, starts_grouped: true),
    view!("model" or "phases", "Phases", "Training phases: data loading, forward, backward, optimizer",
        no "training steps": STEPS, model::phases, compared: &["total"]),
    view!("host", "Host", "Host time: waits, calls, operators, data loading, ranges, nothing",
        no "counted operators, calls, data loading or ranges": "In a process with steps, only their time \
            counts. torch.profiler, paddle.profiler and proftui capture can record operators or ranges; \
            --view names (in the explorer the pane Events, key e) lists events by name.",
        host::threads),
    view!("stages", "Stages", "Event time by category and phase",
        no "training steps": STEPS, phase_matrix::matrix, compared: &["total"]),
    view!("operator" or "operators", "Operators", "Operators by name",
        no "operators": "torch.profiler, paddle.profiler and proftui capture can record operators; --view \
            names (in the explorer the pane Events, key e) lists events by name.",
        operator::operators, compared: &["device_own", "own"], groupings: OF_OPERATORS,
        without_host: Some(NO_HOST)),
    view!("kernel" or "kernels", "Kernels", "Kernels by name",
        no "kernels": DEVICES, kernel::kernels, compared: &["total"], groupings: OF_KERNELS),
    view!("roofline", "Roofline", "Roofline: operations, bytes and speed of operators by shapes",
        no "operators with known inputs and kernels": "record_shapes=True (torch.profiler) and proftui \
            capture --record-shapes record the shapes of operators' inputs; matrix products, convolutions, \
            sums and products of elements are counted.",
        roofline::empty, groupings: OF_ROOFLINE, starts_grouped: true),
    view!("memcpy" or "copies", "Copies", "Copies and memsets by name",
        no "copies and memsets": DEVICES, copies::copies, compared: &["total"]),
    view!("calls", "Calls", "Runtime and driver calls by name, waiting ones first",
        no "calls of a runtime or driver": DEVICES, calls::calls, compared: &["total"],
        groupings: OF_CALLS, starts_grouped: true),
    view!("userdefined" or "ranges", "Ranges",
        "User-defined ranges by name (such as NVTX or record_function)",
        no "user-defined ranges": "record_function of torch.profiler, RecordEvent of paddle.profiler and \
            NVTX (under proftui capture) name ranges.",
        ranges::user_ranges, compared: &["total"]),
    view!("peak", "Peak", "Who holds the memory at its peak, by script line or operator",
        no "allocations": MEMORY, memory::holders::at_peak, is_of_time: false),
    view!("memory" or "usage", "Usage", "Memory by device and operator",
        no "memory events": MEMORY, memory::memory, compared: &["peak", "allocated"], is_of_time: false),
    view!("names" or "events", "Events", "Events with a duration, by name",
        no "events with a length": LENGTHS, names::names, compared: &["own"],
        brief: Some(names::brief), of_stretch: Some(stretch::headline)),
    view!("flame", "Flame", "Frames and what they call, as a flame: operators, stacks, modules",
        no "events with a length": LENGTHS,
        |trace, scope| flame::table(trace, scope, Choice::default()), compared: &["total"],
        groupings: OF_FLAME, flame: Some(flame::table)),
    view!("allocations", "Allocations", "Allocations, with the operators that allocated and freed the memory",
        no "allocations": MEMORY, allocation::allocations, is_of_time: false,
        brief: Some(allocation::largest)),
    view!("steps", "Steps", "Steps: time of each step by phase",
        no "training steps": STEPS, steps::steps, compared: &["time"]),
    view!("serving", "Serving", "Steps of serving engines by kind, batch size and resolution",
        no "whole steps of serving engines": "vLLM, SGLang, ATOM and diffusion engines can name their steps \
            by annotations, which torch.profiler and proftui capture record.",
        serving::serving, compared: &["p50"]),
    view!("perf" or "speed", "Speed", "Speed: step time, data loading time, steps per second",
        no "whole training steps": STEPS, perf::perf),
    view!("busy", "Busy", "Time of each device by activity: computation, other work, idle",
        no "device work (kernels, copies, memsets)": DEVICES, busy::table),
    view!("idle" or "causes", "Causes", "Idle time of devices or streams by cause",
        no "idle time of devices": "Only devices with recorded work have known idle time; \
            ProfilerActivity.CUDA (torch), ProfilerTarget.GPU (paddle) and proftui capture on NVIDIA GPUs \
            record their work.", idle_causes::table),
    view!("waits", "Waits", "Idle time of streams: waiting for the host, short gaps, other",
        no "device work (kernels, copies, memsets)": DEVICES, idle::table),
    view!("distributed" or "overlap", "Overlap", "Overlap of communication and computation",
        no "kernels of communication": "NCCL and RCCL run kernels of communication in distributed \
            training and inference.",
        overlap::table),
    view!("kinds", "Kinds", "Device time by kinds of work that ran at the same time",
        no "device work (kernels, copies, memsets)": DEVICES, kinds::table, compared: &["time"]),
    view!("launches", "Launches", "Calls that launch device work, by name, with launch delays",
        no "calls linked to device work": DEVICES, launches::table, compared: &["call_time"]),
    view!("queue", "Queue", "Queue length of each stream: work launched but not started",
        no "device work with a known launch": DEVICES, queue::table),
    view!("quality", "Quality", "Data quality: lost, repaired and unusual data",
        no "damage and nothing unusual": "Lost, repaired and unusual data would be listed with the first \
            of each kind.",
        |trace, _| quality::quality(trace), is_of_time: false),
];

impl View {
    /// Builds the view's table for the scope that [`Self::scope`] makes of `scope`, with the notes of
    /// [`Self::explained`].
    pub fn table(&self, trace: &Trace, scope: &Scope) -> Table {
        self.built(trace, scope, |scope| (self.build)(trace, scope))
    }

    /// Calls `build` with the scope that [`Self::scope`] makes of `scope`, and adds the notes of
    /// [`Self::explained`].
    fn built(&self, trace: &Trace, scope: &Scope, build: impl FnOnce(&Scope) -> Table) -> Table {
        fault::at(Point::View);
        self.explained(build(&self.scope(trace, scope)), trace, scope)
    }

    /// Builds the view's shorter table, such as of the `count` largest rows; for a view without one, the
    /// view's whole table.
    pub fn brief(&self, trace: &Trace, scope: &Scope, count: usize) -> Table {
        match self.brief {
            Some(brief) => self.built(trace, scope, |scope| brief(trace, scope, count)),
            None => self.table(trace, scope),
        }
    }

    /// Builds the table of a flame with the chosen frames, weight and direction; for all views but the flame,
    /// the view's table.
    pub fn flame(&self, trace: &Trace, scope: &Scope, choice: Choice) -> Table {
        match self.flame {
            Some(flame) => self.built(trace, scope, |scope| flame(trace, scope, choice)),
            None => self.table(trace, scope),
        }
    }

    /// Builds the view's table in one of its groupings, from the arguments of events that the grouping needs.
    pub fn table_by(
        &self,
        grouping: &Grouping,
        trace: &Trace,
        scope: &Scope,
        arguments: &Arguments,
    ) -> Table {
        self.built(trace, scope, |scope| (grouping.build)(trace, scope, arguments))
    }

    /// The scope of the view's table if `scope` is asked for: a view about the time of the program usually
    /// leaves out start-up and teardown.
    pub fn scope(&self, trace: &Trace, scope: &Scope) -> Scope {
        if self.is_of_time { outside::without_start_up(trace, scope) } else { scope.clone() }
    }

    /// The view's grouping with this name; `None` if it has none.
    pub fn grouping(&self, name: &str) -> Option<&'static Grouping> {
        self.groupings.iter().find(|grouping| grouping.name == name)
    }

    /// Adds the notes that explain a table of this view, such as why it has no rows or what it leaves out.
    #[must_use]
    pub fn explained(&self, mut table: Table, trace: &Trace, scope: &Scope) -> Table {
        let lacks = |is_wanted: fn(LaneKind) -> bool| {
            !scope.has_kind(trace, is_wanted) && trace.lanes.iter().any(|lane| is_wanted(lane.kind))
        };
        let (lacks_streams, lacks_host) = (lacks(|kind| kind == LaneKind::Stream), lacks(LaneKind::is_host));
        table.notes.extend(outside::note(trace, scope).filter(|_| self.is_of_time));
        if table.rows.is_empty() {
            let is_all = self.scope(trace, scope).is_all();
            let part = match trace.meta.partial {
                Some(_) if is_all => "the loaded part of the trace",
                _ if is_all => "this trace",
                _ => "this part of the trace",
            };
            let of_jax = jax::filled_by(self.name).filter(|_| jax::is_jax(trace));
            let why = if lacks_host || (lacks_streams && self.filled_by == DEVICES) {
                "This part has only some lanes of the trace."
            } else if let Some(elsewhere) = self.elsewhere(trace, scope) {
                elsewhere
            } else if trace.meta.partial.is_some() {
                "What was not loaded may have some."
            } else {
                of_jax.unwrap_or(self.filled_by)
            };
            table.notes.insert(0, format!("No {} in {part}. {why}", self.of));
            return table;
        }
        if let Some(note) = self.without_host.filter(|_| lacks_host) {
            table.notes.insert(0, note.into());
        }
        table.notes.extend(quality::impossible(trace, scope).filter(|_| self.is_of_devices(&table)));
        if let Some(inferred) = trace.meta.inferred.as_ref().filter(|_| self.is_of_time) {
            table.notes.push(format!("Steps inferred from repeating launches, not marked: {inferred}."));
        }
        table
    }

    /// True if a table of this view is about device work, or categories of events.
    fn is_of_devices(&self, table: &Table) -> bool {
        let is_of = |id: &str| id.starts_with("device") || matches!(id, "category" | "categories");
        self.filled_by == DEVICES || table.columns.iter().any(|column| is_of(&column.id))
    }

    /// A sentence for a part without rows if other parts of the loaded trace have what may fill them; `None`
    /// if they have not, or that is not known.
    fn elsewhere(&self, trace: &Trace, scope: &Scope) -> Option<&'static str> {
        let is_outside = |start: Ns, lane: LaneId| !scope.has_time(start) || !scope.has_lane(lane);
        let has_work = || {
            let streams = trace.lanes.iter_with_ids().filter(|(_, lane)| lane.kind == LaneKind::Stream);
            let mut work = streams.flat_map(|(id, lane)| lane.slices.iter().map(move |slice| (id, slice)));
            work.any(|(lane, id)| {
                trace.slices.category(id).is_device_work() && is_outside(trace.slices.start[id], lane)
            })
        };
        let step = |step: &Step| is_outside(step.span.start, trace.lane_of(step.slice));
        match self.filled_by {
            DEVICES if has_work() => Some("Other parts of the trace have device work."),
            STEPS if trace.steps.iter().any(step) => Some("Other parts of the trace have steps."),
            MEMORY if trace.memory.iter().any(|event| is_outside(event.ts, event.lane)) => {
                Some("Other parts of the trace have memory events.")
            }
            _ => None,
        }
    }

    /// The index in [`VIEWS`] of the view that says what limits the run.
    pub fn verdict() -> Option<usize> {
        VIEWS.iter().position(|view| view.is_verdict)
    }

    /// The view with this name or alias; `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.name == name || view.aliases.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_named_by_its_tab() {
        for view in VIEWS {
            let tab = view.tab.to_lowercase();
            assert_eq!(View::named(&tab).map(|view| view.name), Some(view.name), "{tab}");
            assert!(view.aliases.iter().all(|alias| VIEWS.iter().all(|view| view.name != *alias)));
        }
    }
}
