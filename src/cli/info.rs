//! `proftui info`: prints what is in a trace, for people or as one line of JSON.
//!
//! Must not know how a trace is read.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde::Serialize;

use proftui_base::fmt;
use proftui_base::ids::Ids;
use proftui_base::saturate::saturate;
use proftui_trace::model::repeating::{Repeating, repeating};
use proftui_trace::model::{Device, GroupKind, LaneId, ServingKind, Trace};

use super::load::{load, traces};
use crate::cli::load::graph_counts::{GraphCounts, launches};
use crate::cli::options::select::SelectArgs;
use crate::cli::output::streams::{Failure, print};

#[derive(Debug, clap::Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text, one line per fact
    #[default]
    Text,
    /// One line of JSON
    Json,
}

pub(super) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let traces = traces(&args.select.request())?;
    for (at, files) in traces.iter().enumerate() {
        let trace = load(&files.request)?.trace;
        let among = (traces.len() > 1).then_some(Among { number: at + 1, of: traces.len() });
        match args.format {
            Format::Text => print(&text(&trace, among))?,
            Format::Json => print(&(serde_json::to_string(&Info::of(&trace, among))? + "\n"))?,
        }
    }
    Ok(())
}

/// What `proftui info` prints of a single trace, as text and as JSON without the end of the line.
///
/// # Errors
/// When the JSON cannot be written.
pub fn outputs(trace: &Trace) -> Result<(String, String), serde_json::Error> {
    Ok((text(trace, None), serde_json::to_string(&Info::of(trace, None))?))
}

/// Which of the traces of a directory is printed.
#[derive(Clone, Copy)]
struct Among {
    /// The number of the trace, from 1.
    number: usize,
    /// The number of traces in the directory.
    of: usize,
}

/// The JSON that `proftui info` prints of a trace; its fields are a contract (see `docs/info.md`).
#[derive(Serialize)]
struct Info<'a> {
    /// Which of the traces of a directory this is; missing if it is the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Numbered<'a>>,
    producer: &'a str,
    span_ns: [i64; 2],
    /// The first start and the last end of all slices, instants, memory events and counter samples, ns.
    all_ns: [i64; 2],
    events: BTreeMap<String, u64>,
    slices: usize,
    dropped: u64,
    steps: usize,
    /// The clearly repeating launches of workers without steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repeating: Vec<Repeated>,
    /// How the steps were inferred; missing unless `--steps-from launches` inferred them.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_inferred: Option<&'a str>,
    cycles: usize,
    workers: &'a [String],
    processes: usize,
    lanes: usize,
    devices: &'a [Device],
    categories: BTreeMap<&'static str, u64>,
    links: LinkCounts,
    /// The whole numbers about GPU recording in the trace's header, by key without `proftui.gpu.`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    gpu: BTreeMap<&'a str, u64>,
    /// Counts of the names of device work inside graphs; missing where names were neither found nor searched
    /// for.
    #[serde(skip_serializing_if = "Option::is_none")]
    graph_names: Option<GraphCounts<'a>>,
    flows: usize,
    counters: usize,
    instants: usize,
    memory_events: usize,
    warn: Vec<&'static str>,
    quality: BTreeMap<&'static str, Noted<'a>>,
}

#[derive(Serialize)]
struct Numbered<'a> {
    number: usize,
    of: usize,
    files: &'a [String],
}

#[derive(Serialize)]
struct Repeated {
    thread: String,
    repetitions: usize,
    launches: usize,
    launches_of_thread: usize,
}

impl Repeated {
    fn of(trace: &Trace, found: &Repeating) -> Self {
        Self {
            thread: trace.lane_title(&trace.lanes[found.lane]),
            repetitions: found.repetitions.len(),
            launches: found.launches,
            launches_of_thread: found.of,
        }
    }
}

#[derive(Serialize)]
struct LinkCounts {
    found: usize,
    orphan: u64,
    calls_without_work: u64,
}

#[derive(Serialize)]
struct Noted<'a> {
    n: u64,
    damage: bool,
    first: &'a str,
    offset: Option<u64>,
}

impl<'a> Info<'a> {
    fn of(trace: &'a Trace, among: Option<Among>) -> Self {
        let noted = trace.quality.entries().map(|(warning, entry)| {
            let noted = Noted {
                n: entry.count,
                damage: warning.is_damage(),
                first: &entry.first,
                offset: entry.offset,
            };
            (warning.code(), noted)
        });
        Self {
            trace: among.map(|Among { number, of }| Numbered { number, of, files: &trace.meta.files }),
            producer: &trace.meta.producer,
            span_ns: [trace.main_span.start, trace.main_span.end],
            all_ns: [trace.span.start, trace.span.end],
            events: trace.meta.event_types.clone(),
            slices: trace.slices.len(),
            dropped: trace.quality.dropped,
            steps: trace.steps.len(),
            repeating: repeating(trace).iter().map(|found| Repeated::of(trace, found)).collect(),
            steps_inferred: trace.meta.inferred.as_deref(),
            cycles: trace.cycles.len(),
            workers: &trace.meta.workers,
            processes: processes(trace),
            lanes: trace.lanes.iter().filter(|lane| !lane.is_empty()).count(),
            devices: &trace.devices,
            categories: trace.category_counts().into_iter().map(|(c, n)| (c.name(), n)).collect(),
            links: LinkCounts {
                found: trace.links.len(),
                orphan: trace.links.orphan_work,
                calls_without_work: trace.links.idle_calls,
            },
            gpu: gpu(trace).collect(),
            graph_names: GraphCounts::of(&trace.graph_names),
            flows: trace.flows.len(),
            counters: trace.counters.len(),
            instants: trace.instants.len(),
            memory_events: trace.memory.len(),
            warn: trace.quality.entries().map(|(warning, _)| warning.code()).collect(),
            quality: noted.collect(),
        }
    }
}

/// The whole numbers about GPU recording in the trace's header, each with its key without the prefix
/// `proftui.gpu.`.
fn gpu(trace: &Trace) -> impl Iterator<Item = (&str, u64)> {
    let header = trace.meta.header.iter();
    header.filter_map(|(key, value)| Some((key.strip_prefix("proftui.gpu.")?, value.parse().ok()?)))
}

/// Counts the groups other than devices that have a lane with a slice, an instant or a counter.
fn processes(trace: &Trace) -> usize {
    let has_events = |lanes: Ids<LaneId>| trace.lanes[lanes].iter().any(|lane| !lane.is_empty());
    let hosts = trace.groups.iter().filter(|group| group.kind == GroupKind::Process);
    hosts.filter(|group| has_events(group.lanes)).count()
}

/// The number of steps as text, followed by how they were inferred, or by the kinds of serving steps, if any.
fn steps(trace: &Trace) -> String {
    let count = trace.steps.len();
    if let Some(inferred) = &trace.meta.inferred {
        return format!("{count}; among them, inferred from repeating launches: {inferred}");
    }
    let mut kinds: BTreeMap<ServingKind, u64> = BTreeMap::new();
    for serving in trace.steps.iter().filter_map(|step| step.serving) {
        *kinds.entry(serving.kind).or_default() += 1;
    }
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, count)| format!("{} {}", fmt::count(count), kind.name())).collect();
    if kinds.is_empty() { count.to_string() } else { format!("{count} ({})", kinds.join(", ")) }
}

fn text(trace: &Trace, among: Option<Among>) -> String {
    // An empty line parts the traces of a directory.
    let mut out = if among.is_some_and(|among| among.number > 1) { "\n".into() } else { String::new() };
    let mut line = |label: &str, value: String| {
        if !value.is_empty() {
            out += &format!("{label:<12} {value}\n");
        }
    };
    line(
        "trace",
        among.map_or_else(String::new, |Among { number, of }| {
            format!("{number} of {of} traces in the directory")
        }),
    );
    line("file", trace.title());
    line("producer", trace.meta.producer.clone());
    let length = fmt::duration(trace.main_span.len());
    let marks = trace.marks_title().map_or(String::new(), |marks| format!("; not counted: {marks}"));
    line("length", length + &marks);
    let counts = [
        fmt::counted(trace.slices.len() as u64, "slice"),
        fmt::counted(trace.instants.len() as u64, "instant"),
        fmt::counted(trace.memory.len() as u64, "memory event"),
    ];
    line("events", counts.join(", "));
    line("dropped", fmt::count(trace.quality.dropped));
    line("steps", steps(trace));
    for found in repeating(trace) {
        let offer = "perhaps steps: --steps-from launches takes the repetitions for steps";
        line("repeating", format!("{}, {offer}", found.title(trace)));
    }
    if trace.cycles.len() > 1 {
        line(
            "cycles",
            format!("{} of {}", trace.cycles.len(), fmt::counted(trace.meta.workers.len() as u64, "worker")),
        );
    }
    for (key, value) in trace.meta.header.iter().filter(|(key, _)| key != "deviceProperties") {
        line("header", format!("{key}: {value}"));
    }
    for device in &trace.devices {
        let mut facts = vec![format!("GPU {}", device.id), device.name.clone()];
        facts.retain(|fact| !fact.trim().is_empty());
        if device.memory > 0 {
            facts.push(fmt::bytes(saturate::<i64>(device.memory)));
        }
        if device.multiprocessors > 0 {
            facts.push(format!("{} SM", device.multiprocessors));
        }
        line("device", facts.join(", "));
    }
    let (links, without) = (trace.links.len(), fmt::counted(trace.links.orphan_work, "event"));
    line("links", format!("{links} from launches to device work, {without} of it without a launch"));
    if let Some(counts) = GraphCounts::of(&trace.graph_names) {
        line("graph names", counts.title());
        for (why, &count) in &counts.refused {
            line("", format!("{} without names: {why}", launches(count)));
        }
        counts.files.iter().for_each(|file| line("capture", file.clone()));
    }
    for (category, count) in trace.category_counts() {
        line("category", format!("{:<18} {:>12}", category.name(), fmt::count(count)));
    }
    for group in &trace.groups {
        let lanes = &trace.lanes[group.lanes];
        if lanes.iter().all(proftui_trace::model::Lane::is_empty) {
            continue;
        }
        line("group", trace.group_title(group));
        for lane in lanes.iter().filter(|lane| !lane.is_empty()) {
            let title = trace.lane_title(lane);
            line(
                "  lane",
                format!(
                    "{title:<40} {:>17}, {}",
                    fmt::counted(lane.slices.len() as u64, "slice"),
                    fmt::counted(lane.rows.len() as u64, "row")
                ),
            );
        }
    }
    for (warning, entry) in trace.quality.entries() {
        let kind = if warning.is_damage() { "damage" } else { "note" };
        let at = entry.offset.map_or(String::new(), |offset| format!(" at byte {offset}"));
        line(kind, format!("{} ×{}, first{at}: {}", warning.title(), fmt::count(entry.count), entry.first));
    }
    out
}
