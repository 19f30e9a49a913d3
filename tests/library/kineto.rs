//! A trace that is written in the form of PyTorch's profiler and read again is the same trace: slices, links,
//! flows, steps, counters, instants, memory, to the nanosecond.
//!
//! Over the demo traces and, where a collection stands beside the checkout, its traces of Kineto.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proftui_base::intern::StrId;
use proftui_base::time::Span;
use proftui_insight::ask;
use proftui_trace::import::{Loaded, Progress, Request, load, load_bytes};
use proftui_trace::model::{GroupKind, LaneId, LaneKind, SliceId, Trace};

use crate::real_traces::{all, large};

/// What is compared: lines that name everything by its content.
type Portrait = Vec<String>;

/// A trace and its times since 1970, or since its own zero where that is not known.
struct Of<'a>(&'a Trace, i64);

impl Of<'_> {
    fn text(&self, id: StrId) -> String {
        String::from_utf8_lossy(self.0.strings.bytes(id)).into_owned()
    }

    fn lane(&self, id: LaneId) -> String {
        let lane = &self.0.lanes[id];
        let group = &self.0.groups[lane.group];
        let [pid, title, tid, name] = [group.pid, group.name, lane.tid, lane.name].map(|id| self.text(id));
        format!("{:?} {pid} {title} {:?} {tid} {name}", group.kind, lane.kind)
    }

    fn span(&self, span: Span) -> String {
        format!("{}..{}", self.1 + span.start, self.1 + span.end)
    }

    fn slice(&self, id: SliceId) -> String {
        let slices = &self.0.slices;
        let (category, correlation) = (slices.category(id), slices.correlation[id]);
        let name = self.text(slices.name[id]);
        format!(
            "{} {name} {category:?} {correlation} {}",
            self.lane(self.0.lane_of(id)),
            self.span(slices.span(id))
        )
    }

    fn portrait(&self) -> Portrait {
        let trace = self.0;
        let mut lines = Vec::new();
        for id in trace.slices.ids() {
            let parent = trace.slices.parent(id).map(|parent| self.slice(parent));
            lines.push(format!("slice {} {:?} in {parent:?}", self.slice(id), trace.copied(id)));
        }
        for &(launch, work) in trace.links.all() {
            lines.push(format!("link {} to {}", self.slice(launch), self.slice(work)));
        }
        for flow in &trace.flows {
            lines.push(format!("flow {:?} {} to {}", flow.kind, self.slice(flow.from), self.slice(flow.to)));
        }
        for step in &trace.steps {
            lines.push(format!("step {} {} {:?}", step.number, self.span(step.span), step.serving));
        }
        for counter in &trace.counters {
            let (name, series) = (self.text(counter.name), self.text(counter.series));
            let times: Vec<i64> = counter.ts.iter().map(|ts| self.1 + ts).collect();
            lines.push(format!("counter {name} {series} {times:?} {:?}", counter.value));
        }
        for instant in &trace.instants {
            let (lane, name) = (self.lane(instant.lane), self.text(instant.name));
            lines.push(format!("instant {lane} {} {name}", self.1 + instant.ts));
        }
        for memory in &trace.memory {
            let (lane, of) = (self.lane(memory.lane), self.text(memory.place));
            let numbers = (memory.kind, memory.bytes, memory.address, memory.allocated, memory.reserved);
            lines.push(format!("memory {lane} {of} {} {numbers:?}", self.1 + memory.ts));
        }
        for device in &trace.devices {
            lines.push(format!("device {device:?}"));
        }
        lines.push(format!(
            "outside {:?}",
            trace.outside.iter().map(|one| (one.kind, self.span(one.span))).collect::<Vec<_>>()
        ));
        lines.push(format!("processor {:?}", trace.processor));
        lines.push(format!("span {} {}", self.span(trace.span), self.span(trace.main_span)));
        lines.sort();
        lines
    }
}

fn portrait(loaded: &Loaded) -> Portrait {
    Of(&loaded.trace, loaded.trace.meta.epoch.unwrap_or_default()).portrait()
}

/// True for a trace with devices that get numbers: those of XLA, of Ascend.
fn is_numbered(trace: &Trace) -> bool {
    let devices = trace.groups.iter().filter(|group| group.kind == GroupKind::Device);
    devices.into_iter().any(|group| trace.strings.bytes(group.pid).iter().any(|byte| !byte.is_ascii_digit()))
}

/// How many slices of each category of work and calls there are, for how long, and how many links and steps.
fn sums_of(loaded: &Loaded) -> Portrait {
    let trace = &loaded.trace;
    let mut sums = BTreeMap::new();
    for id in trace.slices.ids() {
        let category = trace.slices.category(id);
        let is_range = trace.lanes[trace.lane_of(id)].kind == LaneKind::StreamRanges;
        if category.is_device_work() && !is_range || category.is_runtime() || category.is_operator() {
            let (count, time) = sums.entry(category).or_insert((0, 0));
            (*count, *time) = (*count + 1, *time + trace.slices.dur[id]);
        }
    }
    let steps: Vec<_> = trace.steps.iter().map(|step| (step.number, step.span.len())).collect();
    let links = trace.links.all().len();
    vec![format!("{sums:?}"), format!("{links} links"), format!("{steps:?}")]
}

/// What a trace is after it was written in Kineto's form and read again.
fn again(loaded: &Loaded) -> Loaded {
    let mut text = Vec::new();
    ask::write_kineto(loaded, None, false, &mut text).expect("written");
    serde_json::from_slice::<serde::de::IgnoredAny>(&text).expect("valid JSON");
    // Ascend's times are not judged, as those of PyTorch are.
    let keeps_impossible = loaded.trace.meta.producer.starts_with("ascend");
    let request = Request { keeps_impossible, ..Request::default() };
    load_bytes(&text, &request, &Progress::default()).expect("a trace")
}

/// The lines of each that the other one lacks, or has less often; both are sorted.
fn differences(before: &Portrait, after: &Portrait) -> Vec<String> {
    let (mut lines, mut before, mut after) = (Vec::new(), before.as_slice(), after.as_slice());
    loop {
        let (sign, line) = match (before.split_first(), after.split_first()) {
            (None, None) => return lines,
            (Some((one, rest)), Some((other, others))) if one == other => {
                (before, after) = (rest, others);
                continue;
            }
            (Some((one, rest)), other) if other.is_none_or(|(other, _)| one < other) => {
                before = rest;
                ('-', one)
            }
            (_, Some((other, rest))) => {
                after = rest;
                ('+', other)
            }
            (Some((one, rest)), None) => {
                before = rest;
                ('-', one)
            }
        };
        lines.push(format!("{sign} {line}"));
    }
}

/// Writes and reads each trace again; returns how many were compared, and how many differ.
fn compare(paths: Vec<PathBuf>) -> (usize, usize) {
    let mut compared = 0;
    let mut wrong = 0;
    for path in paths {
        let Ok(loaded) = load(&Request::new([&path]), &Progress::default()) else { continue };
        let again = again(&loaded);
        let sums = is_numbered(&loaded.trace);
        let portrait = if sums { sums_of } else { portrait };
        let (before, after) = (portrait(&loaded), portrait(&again));
        let lines = differences(&before, &after);
        compared += 1;
        if before != after {
            wrong += 1;
            eprintln!(
                "{} ({}): {} lines differ of {}",
                path.display(),
                loaded.trace.meta.producer,
                lines.len(),
                before.len()
            );
            lines.iter().take(4).for_each(|line| eprintln!("   {line}"));
        }
    }
    println!("{compared} traces, {wrong} differ");
    (compared, wrong)
}

const WHAT: &str = "writing real traces in Kineto's form";

#[test]
fn what_is_written_in_the_form_of_pytorch_is_the_same_trace() {
    let (compared, wrong) = compare(all(WHAT, &[".json", ".json.gz", ".pb"]));
    assert!(compared > 3 && wrong == 0, "{wrong} of {compared} traces differ");
}

#[test]
#[ignore = "long"]
fn what_is_written_of_large_traces_is_the_same() {
    let (compared, wrong) = compare(large(WHAT, &[".json", ".json.gz", ".pb"]));
    assert_eq!(wrong, 0, "of {compared} traces");
}
