//! The trace: everything that was imported from the files, immutable, and the look-ups that need more than
//! one of its parts.
//!
//! Must not know how it was made.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use proftui_base::fmt;
use proftui_base::ids::{Column, Ids};
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};

use super::{
    Category, Copied, Counter, Cycle, Device, Flow, GraphNames, Group, GroupId, GroupKind, Instant, Kept,
    Lane, LaneId, LaneKind, Lineage, Links, MemoryEvent, Origin, Outside, ProcessorUse, Quality, Row, RowId,
    SliceId, Slices, Stacks, Step, Warning, WorkerId,
};

/// Facts about the files, and about which of their events were loaded.
#[derive(Debug, Default)]
pub struct Meta {
    /// The program that wrote the first file, such as `paddle 1.0.2` or `kineto`; `chrome` if it is not
    /// known.
    pub producer: String,
    /// The paths of the files, safe to show; a file's number is its index here.
    pub files: Vec<String>,
    /// The names of the workers (ranks, or else other processes that recorded), safe to show.
    pub workers: Column<WorkerId, String>,
    /// The trace's time 0 as ns since the Unix epoch; `None` where it is not known.
    pub epoch: Option<Ns>,
    /// Entries of the first file's header, as keys and values that are safe to show.
    pub header: Vec<(String, String)>,
    /// The members of the first file's document except its events, as keys and values in JSON; of a protobuf
    /// `ExtraInfo` alone. Values of more than 1 MiB are left out.
    pub members: Vec<(String, String)>,
    /// A text for people on the repeating launches from which steps were inferred; `None` where no step was
    /// inferred.
    pub inferred: Option<String>,
    /// Counts of events by the type that their format gives them: in JSON the letter `ph`, in a memory
    /// snapshot the action.
    pub event_types: BTreeMap<String, u64>,
    /// What the requested time range or the memory limit left out of the trace; `None` if no event counts as
    /// left out. If `is_cut`, an end event whose begin event is missing counts, too.
    pub partial: Option<PartialLoad>,
    /// True if a time range was requested, or the memory limit left events out.
    pub is_cut: bool,
}

/// What a time range or the memory limit left out of the files when they were loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartialLoad {
    /// How many events were left out.
    pub outside: u64,
    /// The memory limit in bytes, if it left events out; `None` if only a time range did.
    pub limit: Option<u64>,
    /// The extent of the events in the files, loaded or left out, ns by the files' own clocks.
    pub whole: Span,
    /// The time from which on the memory limit left events out, ns by the files' own clocks; `None` if only a
    /// time range did.
    pub until: Option<Ns>,
}

/// A trace: one file, or several loaded together.
#[derive(Debug, Default)]
pub struct Trace {
    /// Facts about the files, and about which of their events were loaded.
    pub meta: Meta,
    /// All strings of the trace, by number.
    pub strings: Interner,
    /// The names that rules of the user gave to device work.
    pub renamed: FxHashSet<StrId>,
    /// The slices of all lanes, stored as columns.
    pub slices: Slices,
    /// The slices whose end event (`E`) has arguments, ascending, each with the end event's origin.
    pub ends: Vec<(SliceId, Origin)>,
    /// The bytes of copies and memsets.
    pub copied: Copied,
    /// Processes and devices, in the order in which they are shown.
    pub groups: Column<GroupId, Group>,
    /// Lanes, group by group, in the order in which they are shown.
    pub lanes: Column<LaneId, Lane>,
    /// The rows of all lanes, in the order of the lanes.
    pub rows: Column<RowId, Row>,
    /// The links between launches and device work.
    pub links: Links,
    /// The names of device work that graphs launched, added after loading.
    pub graph_names: GraphNames,
    /// The parents that files state for their events, which form trees; empty where no file states any.
    pub lineage: Lineage,
    /// Flows, sorted by the slice that they start from.
    pub flows: Vec<Flow>,
    /// Indices into `flows`, sorted by the slice that the flow ends at.
    pub flows_in: Vec<u32>,
    /// Counters; `Lane::counter` is an index into them.
    pub counters: Vec<Counter>,
    /// Instants, ordered by lane, then by time.
    pub instants: Vec<Instant>,
    /// Memory events, in order of time.
    pub memory: Vec<MemoryEvent>,
    /// The call stacks that files state for memory events.
    pub stacks: Stacks,
    /// The steps of training or inference, in order of start.
    pub steps: Vec<Step>,
    /// The ranges that mark start-up, validation passes and teardown, in order of start.
    pub outside: Vec<Outside>,
    /// Processor time of steps, as the files' headers state it.
    pub processor: Vec<ProcessorUse>,
    /// The cycles, ordered by worker, then by start.
    pub cycles: Vec<Cycle>,
    /// The devices that the files' headers describe, without repetitions.
    pub devices: Vec<Device>,
    /// The extent of the trace's slices, instants, memory events and counter samples, ns.
    pub span: Span,
    /// The trace's length: usually the time from the first start to the last end of the program's slices that
    /// have a length, ns.
    pub main_span: Span,
    /// The warnings about the files and their data, with counts.
    pub quality: Quality,
    /// Values computed from the trace, kept for summaries that need them again.
    pub kept: Kept,
}

impl Trace {
    /// A slice's name, safe to show; `(unnamed)` when it has none.
    pub fn name(&self, id: SliceId) -> SafeText<'_> {
        self.string_or(self.slices.name[id], "(unnamed)")
    }

    /// The string with number `id`, safe to show, or `fallback` when it is empty.
    pub fn string_or<'a>(&'a self, id: StrId, fallback: &'a str) -> SafeText<'a> {
        let text = self.strings.text(id);
        if text.is_empty() { SafeText::new(fallback) } else { text }
    }

    /// The origin of the end event (`E`) of a slice; `None` without an end event that has arguments.
    pub fn end_origin(&self, id: SliceId) -> Option<Origin> {
        let at = self.ends.binary_search_by_key(&id, |end| end.0).ok()?;
        Some(self.ends[at].1)
    }

    /// The bytes that a copy moved or a memset wrote; `None` where they are not known.
    pub fn copied(&self, id: SliceId) -> Option<u64> {
        self.copied.bytes(id)
    }

    /// The numbers of the workers; at least one, also in a trace that names none.
    pub fn workers(&self) -> Ids<WorkerId> {
        Ids::below(self.meta.workers.len().max(1))
    }

    /// The number of the row that a slice is in.
    pub fn row_of(&self, id: SliceId) -> RowId {
        RowId::from_index(self.rows.partition_point(|row| row.first + row.len <= id))
    }

    /// The number of the lane that a slice is on.
    pub fn lane_of(&self, id: SliceId) -> LaneId {
        self.rows[self.row_of(id)].lane
    }

    /// The number of slices of each category; categories without slices are left out.
    pub fn category_counts(&self) -> BTreeMap<Category, u64> {
        let mut counts = [0_u64; 256];
        for &category in &self.slices.category {
            counts[category as usize] += 1;
        }
        let all = Category::ALL.iter().map(|&category| (category, counts[category as usize]));
        all.filter(|&(_, count)| count > 0).collect()
    }

    /// The innermost operator that a slice is or is nested in; `None` without one.
    pub fn operator_of(&self, id: SliceId) -> Option<SliceId> {
        std::iter::once(id)
            .chain(self.slices.ancestors(id))
            .find(|&id| self.slices.category(id).is_operator())
    }

    /// The self time of a slice, ns: its time that none of its children covers.
    pub fn self_time(&self, id: SliceId) -> Ns {
        let span = self.slices.span(id);
        let lane = &self.lanes[self.lane_of(id)];
        let mut children: Vec<SliceId> = Vec::new();
        // A child that overlaps another one lies in a row below that of its siblings.
        for row in Ids::from(self.row_of(id) + 1..lane.rows.end) {
            let ids = self.rows[row].slices();
            let starts = &self.slices.start[ids];
            let from = ids.start + saturate::<u32>(starts.partition_point(|&start| start < span.start));
            let inside =
                Ids::from(from..ids.end).iter().take_while(|&child| self.slices.start[child] < span.end);
            children.extend(inside.filter(|&child| self.slices.parent[child] == id));
        }
        children.sort_by_key(|&child| self.slices.start[child]);
        // Time in which several children run counts once.
        let mut covered_until = span.start;
        let mut own = span.len();
        for child in children {
            let (start, end) =
                (self.slices.start[child].max(covered_until), self.slices.end(child).min(span.end));
            own -= (end - start).max(0);
            covered_until = covered_until.max(end);
        }
        own
    }

    /// The flows that start from a slice.
    pub fn flows_from(&self, id: SliceId) -> impl Iterator<Item = &Flow> {
        let from = self.flows.partition_point(|flow| flow.from < id);
        self.flows[from..].iter().take_while(move |flow| flow.from == id)
    }

    /// The flows that end at a slice.
    pub fn flows_to(&self, id: SliceId) -> impl Iterator<Item = &Flow> {
        let from = self.flows_in.partition_point(|&flow| self.flows[flow as usize].to < id);
        self.flows_in[from..]
            .iter()
            .map(|&flow| &self.flows[flow as usize])
            .take_while(move |flow| flow.to == id)
    }

    /// The worker of a group as the beginning of a title; empty if the trace has only one.
    fn worker_title(&self, group: &Group) -> String {
        match self.meta.workers.as_slice() {
            [] | [_] => String::new(),
            _ => format!("{} · ", self.meta.workers[group.worker]),
        }
    }

    /// The title of a device without its model, which takes room, and the model if it is known: `GPU 0` and
    /// `NVIDIA H100`.
    pub fn device_title(&self, group: &Group) -> (String, Option<&str>) {
        let (pid, name) = (self.strings.text(group.pid), self.strings.text(group.name));
        let worker = self.worker_title(group);
        let number = pid.as_str().trim_start_matches("GPU ").trim_end_matches(" Counters");
        if let Some(kind) = [number, name.as_str()].into_iter().find(|title| has_kind(title)) {
            return (format!("{worker}{kind}"), None);
        }
        let device = number.parse().ok().and_then(|id: i64| self.devices.iter().find(|d| d.id == id));
        let model = device.map(|device| device.name.as_str()).filter(|name| !name.trim().is_empty());
        (format!("{worker}GPU {number}"), model)
    }

    /// The title of a process or device, such as `python 4242` or `GPU 0 · NVIDIA H100`.
    pub fn group_title(&self, group: &Group) -> String {
        let pid = self.strings.text(group.pid);
        let worker = self.worker_title(group);
        match group.kind {
            GroupKind::Device => match self.device_title(group) {
                (device, Some(model)) => format!("{device} · {model}"),
                (device, None) => device,
            },
            GroupKind::Process => {
                let name = self.strings.text(group.name).to_string();
                let pid = if pid.is_empty() { "(no pid)".into() } else { pid.to_string() };
                match () {
                    () if name.contains(&pid) => format!("{worker}{name}"),
                    () if !name.is_empty() => format!("{worker}{name} {pid}"),
                    () if pid.bytes().all(|b| b.is_ascii_digit()) => format!("{worker}process {pid}"),
                    () => format!("{worker}{pid}"),
                }
            }
        }
    }

    /// The title of a lane, such as `main 4242`, `thread 4242 · Python` or `stream 7`.
    pub fn lane_title(&self, lane: &Lane) -> String {
        let tid = self.strings.text(lane.tid);
        let name = self.strings.text(lane.name);
        let thread = || {
            let tid = if tid.is_empty() { "(no tid)" } else { tid.as_str() };
            if name.is_empty() {
                format!("thread {tid}")
            } else if name.as_str().contains(tid) {
                name.to_string()
            } else {
                format!("{name} {tid}")
            }
        };
        match lane.kind {
            LaneKind::Python => format!("{} · Python", thread()),
            LaneKind::Thread => thread(),
            LaneKind::Async => format!("async · {}", self.string_or(lane.tid, "(no category)")),
            // Recordings of proftui append context, priority and name to the title; other names repeat the
            // number only.
            LaneKind::Stream => {
                let title = stream_title(tid.as_str());
                let says_more = name.as_str().strip_prefix(&title).is_some_and(|more| more.starts_with(", "));
                if says_more { name.to_string() } else { title }
            }
            LaneKind::StreamRanges if tid.as_str().contains(' ') => tid.to_string(),
            LaneKind::StreamRanges => format!("{} · ranges", stream_title(tid.as_str())),
            LaneKind::Counter => self.string_or(lane.tid, "(counter)").to_string(),
        }
    }

    /// A text for people on what a time range or the memory limit left out of the trace; `None` without
    /// [`Meta::partial`].
    pub fn partial_title(&self) -> Option<String> {
        let partial = self.meta.partial?;
        let shown = match (partial.limit, partial.until) {
            (Some(_), Some(until)) => until.saturating_sub(partial.whole.start),
            _ => self.main_span.len(),
        };
        let (shown, whole) = (fmt::duration(shown), fmt::duration(partial.whole.len()));
        let left_out = fmt::counted(partial.outside, "event");
        Some(match partial.limit {
            None => format!("loaded {shown} of {whole}, as requested; {left_out} left out"),
            Some(limit) => format!(
                "loaded up to {shown} of {whole}, as not all fit into {}: {left_out} left out; raise the \
                 limit with --max-memory, or choose another time range with --from and --to",
                fmt::bytes(saturate::<i64>(limit))
            ),
        })
    }

    /// Texts for people on the data that counts as missing, such as lost records or events beyond the memory
    /// limit.
    pub fn missing(&self) -> Vec<String> {
        let is_limited = self.meta.partial.is_some_and(|partial| partial.limit.is_some());
        let partial = self.partial_title().filter(|_| is_limited);
        self.quality.missing().into_iter().chain(partial).collect()
    }

    /// A text for people on the times by which `span` extends beyond `main_span`; `None` if there are none,
    /// if the trace is cut, or with a warning of outliers.
    pub fn marks_title(&self) -> Option<String> {
        if self.quality.entries().any(|(warning, _)| warning == Warning::Outlier) || self.meta.is_cut {
            return None;
        }
        let before = self.main_span.start.saturating_sub(self.span.start);
        let after = self.span.end.saturating_sub(self.main_span.end);
        let sides =
            [(before, "before the first event with a length"), (after, "after the last event with a length")];
        let given = sides.iter().filter(|(time, _)| *time > 0);
        let texts: Vec<String> =
            given.map(|(time, side)| format!("{} {side}", fmt::duration(*time))).collect();
        let texts = texts.join(" and ");
        (!texts.is_empty())
            .then(|| format!("{texts}, with only events without a length or the profiler's own span"))
    }

    /// The trace's title: the path of its first file, and how many more files there are, if any.
    pub fn title(&self) -> String {
        match self.meta.files.as_slice() {
            [one] => one.clone(),
            [first, ..] => format!("{first} and {} more", self.meta.files.len() - 1),
            [] => String::new(),
        }
    }
}

/// True for the title of a device that is no GPU: its kind and its number.
fn has_kind(title: &str) -> bool {
    const KINDS: [&str; 5] = ["NPU ", "TPU ", "HPU ", "XPU ", "MTIA "];
    KINDS.iter().any(|kind| title.starts_with(kind))
}

/// The title of the stream that the producer calls `tid`, such as `stream 7` or `no stream`.
fn stream_title(tid: &str) -> String {
    match tid {
        "-1" | "" => "no stream".into(),
        _ if tid.starts_with("stream") || tid.contains(' ') => tid.into(),
        _ => format!("stream {tid}"),
    }
}
