//! The table of slices: operators, calls, kernels, ranges and all other events with a length.

use proftui_base::intern::StrId;
use proftui_trace::model::{Category, SliceFlags, SliceId};

use crate::analysis::part::owner::{Owner, Reason};
use crate::analysis::part::work::{WorkKind, kind};
use crate::analysis::views::operator::{Own, Role};
use crate::dataset::column::{Column, Value};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

pub(super) static TABLE: Of<SliceId> = Of {
    name: "slices",
    about: "A slice: an event with a length, such as an operator, a call, a kernel, a copy or a range",
    columns: COLUMNS,
    keys: |source| Ok(Box::new(source.trace.slices.ids().iter())),
};

/// The reasons why device work has no operator.
const REASONS: [Reason; 4] = [Reason::Graph, Reason::Bare, Reason::Earlier, Reason::Unknown];

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method has one lifetime, the column takes any"
)]
const COLUMNS: &[Column<SliceId>] = &[
    Column::trace(),
    Column::worker(|source, id| source.worker_of(source.lane_of(id))),
    Column::new("slice", "Number of the slice in the trace", Value::Int(|_, id| i64::from(id.get()))),
    Column::new(
        "lane",
        "Number of the slice's lane",
        Value::Int(|source, id| i64::from(source.lane_of(id).get())),
    ),
    Column::new(
        "parent",
        "Number of the innermost slice around it, on the same lane",
        Value::MaybeInt(|source, id| Some(i64::from(source.trace.slices.parent(id)?.get()))),
    ),
    Column::new("name", "Name of the slice", Value::String(|source, id| Some(source.trace.slices.name[id]))),
    Column::new(
        "category",
        "Kind of activity, such as Operator, CudaRuntime, Kernel, Memcpy or UserDefined",
        Value::OneOf(
            || Category::ALL.iter().map(|category| category.name()).collect(),
            |source, id| Some(source.trace.slices.category(id) as usize),
        ),
    ),
    Column::new(
        "work",
        "Kind of device work: computation, communication (a kernel of a communication library), memory (a \
         copy or memset); missing for other slices",
        Value::OneOf(
            || WorkKind::ALL.iter().map(|kind| kind.name()).collect(),
            |source, id| kind(source.trace, id).map(|kind| kind as usize),
        ),
    ),
    Column::new(
        "start_ns",
        "Start, in ns after time 0 of the trace",
        Value::Int(|source, id| source.trace.slices.start[id]),
    ),
    Column::new("duration_ns", "Length, in ns", Value::Int(|source, id| source.trace.slices.dur[id])),
    Column::new(
        "counted_ns",
        "Time by which the slice adds to sums by name, in ns: its length, but 0 if it lies in a slice of \
         the same kind and name, or on a lane that repeats others; without what lies outside of the \
         trace's time",
        Value::Int(|source, id| source.counted(id)),
    ),
    Column::new(
        "self_ns",
        "Time that no slice inside it covers, in ns",
        Value::Int(|source, id| source.self_time(id)),
    ),
    Column::new(
        "own_ns",
        "Of an operator, time in it and in no operator inside it, in ns",
        Value::MaybeInt(|source, id| Some(own(source, id)?.time)),
    ),
    Column::new(
        "own_runtime_ns",
        "Of an operator, the part of own_ns in calls of the runtime or driver, in ns",
        Value::MaybeInt(|source, id| Some(own(source, id)?.calls)),
    ),
    Column::new(
        "own_waiting_ns",
        "Of an operator, the part of own_ns in calls that wait for the device, in ns",
        Value::MaybeInt(|source, id| Some(own(source, id)?.waiting)),
    ),
    Column::new(
        "step",
        "Number of the step of its worker in which the slice begins",
        Value::MaybeInt(|source, id| Some(source.step_of(id)?.number.cast_signed())),
    ),
    Column::new(
        "correlation",
        "Correlation number of a launch or of device work",
        Value::MaybeInt(|source, id| {
            Some(i64::from(source.trace.slices.correlation[id])).filter(|&number| number != 0)
        }),
    ),
    Column::new(
        "launch",
        "Of device work, number of the slice that launched it",
        Value::MaybeInt(|source, id| Some(i64::from(source.trace.links.launch_of(id)?.get()))),
    ),
    Column::new(
        "operator",
        "Of device work, name of the operator that it counts for: the innermost around its launch, or that \
         in its graph",
        Value::String(|source, id| match owner(source, id)? {
            Owner::Operator(name) | Owner::InGraph(name, _) => Some(name),
            Owner::None(_) => None,
        }),
    ),
    Column::new(
        "module",
        "Of device work in a graph, class of its operator's module, as far as known",
        Value::String(|source, id| match owner(source, id)? {
            Owner::InGraph(_, class) => Some(class).filter(|&class| class != StrId::EMPTY),
            Owner::Operator(_) | Owner::None(_) => None,
        }),
    ),
    Column::new(
        "no_operator",
        "Of device work without an operator, the reason",
        Value::OneOf(
            || REASONS.iter().map(|reason| reason.title()).collect(),
            |source, id| match owner(source, id)? {
                Owner::None(reason) => REASONS.iter().position(|one| *one == reason),
                Owner::Operator(_) | Owner::InGraph(..) => None,
            },
        ),
    ),
    Column::new(
        "bytes",
        "Of a copy or memset, bytes moved or set, where stated",
        Value::MaybeInt(|source, id| source.trace.copied(id).map(u64::cast_signed)),
    ),
    Column::new(
        "is_open",
        "True if the end of the slice was not recorded and is assumed",
        Value::Bool(|source, id| source.trace.slices.flags[id].has(SliceFlags::OPEN)),
    ),
];

/// What device work counts for; `None` for other slices.
fn owner(source: &Source<'_>, id: SliceId) -> Option<Owner> {
    let is_work = source.trace.slices.category(id).is_device_work();
    is_work.then(|| source.owners().owner(id, source.trace.links.launch_of(id)))
}

/// The own time of an operator; `None` for other slices.
fn own(source: &Source<'_>, id: SliceId) -> Option<Own> {
    source.trace.slices.category(id).is_operator().then_some(())?;
    let piece = source.part.piece(id)?;
    Some(source.own_times().own(source.trace, source.lane_of(id), piece, Role::Operator))
}
