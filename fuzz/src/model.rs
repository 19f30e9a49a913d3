//! Checks of a loaded model: rules for all models, and comparison with the written events.

use std::collections::{HashMap, HashSet};

use proftui::app::Session;
use proftui_insight::analysis::Scope;
use proftui_insight::analysis::table::Value;
use proftui_insight::analysis::views::overview::overview;
use proftui_trace::import::{EventText, Texts};
use proftui_trace::model::{GroupKind, LaneId, LaneKind, Links, RowId, SliceFlags, SliceId, Trace};

use crate::case::Case;
use crate::expect::Expect;

/// Writes the case, loads it, and checks everything.
pub fn check(case: &Case) {
    let (text, mut expect) = case.write();
    expect.close();
    let loaded = crate::load(text.as_bytes());
    let is_refused = expect.elements > 0 && expect.event_types.is_empty();
    assert_eq!(loaded.is_err(), is_refused, "{:?} {text}", loaded.as_ref().err());
    let Ok(loaded) = loaded else { return };
    let again = crate::load_with(text.as_bytes(), 1, Some(1000), true).expect("it loaded before");
    assert_eq!(loaded.trace.digest(), again.trace.digest(), "{text}");
    holds(&loaded.trace);
    conserves(&loaded.trace, &loaded.texts, &expect, &text);
    nests(&loaded.trace, expect.tolerance());
    links(&loaded.trace, &expect);
    let session = Session::new(loaded);
    let table = overview(&session.trace, &Scope::default());
    let counted = table.rows.iter().map(|row| match row.cells[1] {
        Value::Count(count) => count as usize,
        _ => 0,
    });
    let trace = &session.trace;
    // Host ranges that the profiler repeats on a device count on the host, and the profiler's own spans
    // nowhere.
    let is_counted = |&id: &SliceId| {
        let is_repeated = trace.lanes[trace.lane_of(id)].kind.repeats();
        !is_repeated && !trace.slices.flags[id].has(SliceFlags::PROFILER)
    };
    let slices = trace.slices.ids().iter().filter(is_counted).count();
    assert_eq!(counted.sum::<usize>(), slices, "the overview counts every slice");
    assert_eq!(session.name_counts.iter().map(|&n| n as usize).sum::<usize>(), session.trace.slices.len());
    crate::index::check(&session.trace, &session.index, case.seed);
}

/// Checks the rules that every trace must satisfy.
pub fn holds(trace: &Trace) {
    let slices = &trace.slices;
    let end = slices.ids().end;
    let columns = [
        slices.dur.len(),
        slices.name.len(),
        slices.category.len(),
        slices.flags.len(),
        slices.parent.len(),
        slices.correlation.len(),
        slices.origin.len(),
    ];
    assert!(columns.iter().all(|&len| len == slices.len()), "columns are of one length");
    let (mut next_row, mut next_slice, mut next_lane) = (RowId::default(), SliceId::default(), LaneId::default());
    for (number, group) in trace.groups.iter_with_ids() {
        assert_eq!(group.lanes.start, next_lane, "lanes follow each other");
        next_lane = group.lanes.end;
        let lanes = &trace.lanes[group.lanes];
        assert!(!lanes.is_empty() && lanes.iter().all(|lane| lane.group == number));
        let is_device = |kind| matches!(kind, LaneKind::Stream | LaneKind::StreamRanges);
        let is_own = |kind| kind == LaneKind::Counter || is_device(kind) == (group.kind == GroupKind::Device);
        assert!(lanes.iter().all(|lane| is_own(lane.kind)), "a group holds lanes of its kind");
    }
    assert_eq!(next_lane.index(), trace.lanes.len());
    let mut instants = 0;
    for (number, lane) in trace.lanes.iter_with_ids() {
        if !lane.slices.is_empty() {
            assert_eq!((lane.rows.start, lane.slices.start), (next_row, next_slice), "lanes partition");
            (next_row, next_slice) = (lane.rows.end, lane.slices.end);
            assert!(lane.depth >= 1 && lane.depth <= lane.rows.len() as u32);
        } else {
            assert!(lane.rows.is_empty());
        }
        let mut first = lane.slices.start;
        for row in &trace.rows[lane.rows] {
            assert_eq!((row.lane, row.first), (number, first), "rows partition");
            assert!(row.len > 0, "no row is empty");
            first = first + row.len;
            let ids = row.slices();
            assert!(slices.start[ids].is_sorted(), "rows are sorted");
        }
        assert_eq!(first, lane.slices.end);
        let marks = &trace.instants[lane.instants.start as usize..lane.instants.end as usize];
        instants += marks.len();
        assert!(marks.iter().all(|mark| mark.lane == number) && marks.is_sorted_by_key(|mark| mark.ts));
        if let Some(counter) = lane.counter {
            assert_eq!(lane.kind, LaneKind::Counter);
            assert!((counter as usize) < trace.counters.len());
        }
    }
    assert_eq!((next_row, next_slice), (trace.rows.ids().end, end));
    assert_eq!(instants, trace.instants.len(), "every instant lies on its lane");
    assert_eq!(trace.lanes.iter().filter(|lane| lane.counter.is_some()).count(), trace.counters.len());
    for counter in &trace.counters {
        assert!(counter.ts.is_sorted() && counter.ts.len() == counter.value.len() && !counter.ts.is_empty());
        let (low, high) = counter.range().expect("it has samples");
        assert!(low <= high && counter.value.iter().all(|value| (low..=high).contains(value)));
        assert_eq!(counter.peak(0, counter.value.len()), Some(high));
    }
    for id in slices.ids() {
        let span = slices.span(id);
        assert!(slices.dur[id] >= 0);
        assert!(trace.span.start <= span.start && span.end <= trace.span.end, "the span holds all");
        let own = trace.self_time(id);
        assert!(0 <= own && own <= slices.dur[id], "self time {own} of {id:?}");
        let row = trace.rows[trace.row_of(id)];
        assert!(row.slices().contains(id));
    }
    assert!(trace.span.start <= trace.main_span.start && trace.main_span.end <= trace.span.end);
    assert!(trace.main_span.start <= trace.main_span.end);
    assert!(trace.steps.is_sorted_by_key(|step| step.span.start));
    assert!(trace.memory.is_sorted_by_key(|memory| memory.ts));
    assert!(trace.ends.is_sorted_by_key(|end| end.0) && trace.ends.iter().all(|event| event.0 < end));
    assert!(trace.flows.is_sorted() && trace.flows.iter().all(|flow| flow.from < end && flow.to < end));
    let mut seen: Vec<_> = trace.flows_in.clone();
    assert!(seen.is_sorted_by_key(|&flow| trace.flows[flow as usize].to));
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..trace.flows.len() as u32));
    for &(launch, work) in trace.links.all() {
        assert!(
            launch < end && work < end && slices.category(work).is_device_work(),
            "links join launches and device work"
        );
        assert_eq!(trace.links.launch_of(work), Some(launch));
        assert!(trace.links.work_of(launch).any(|other| other == work));
    }
}

/// Checks that every event is exactly one of these: a slice, an instant, a sample, a name, an end, or counted
/// as dropped.
fn conserves(trace: &Trace, texts: &Texts, expect: &Expect, text: &str) {
    let slices = &trace.slices;
    assert_eq!(slices.len(), expect.slices.len(), "slices of {text}");
    assert_eq!(trace.quality.dropped, expect.dropped, "dropped of {text}");
    assert_eq!(trace.meta.event_types, expect.event_types);
    assert_eq!(trace.memory.len() as u64, expect.memory, "memory events of {text}");
    assert_eq!((trace.memory.len() + trace.instants.len()) as u64, expect.marks, "instants of {text}");
    let samples: usize = trace.counters.iter().map(|counter| counter.ts.len()).sum();
    if expect.memory == 0 {
        assert_eq!(samples as u64, expect.samples, "samples of {text}");
    }
    let mut seen = HashSet::new();
    let (mut numbers, mut raw_numbers) = (HashMap::new(), HashMap::new());
    for id in slices.ids() {
        let at = slices.origin[id].offset();
        assert!(seen.insert(at), "one slice an event");
        let want = expect.slices.get(&at).unwrap_or_else(|| panic!("no slice begins at {at} of {text}"));
        let name = trace.strings.bytes(slices.name[id]);
        assert_eq!(name, want.name.as_bytes(), "the name at {at} of {text}");
        if want.is_exact {
            let got = (slices.start[id], slices.dur[id]);
            assert_eq!(got, (want.start, want.dur), "the time at {at} of {text}");
        }
        let flags = slices.flags[id];
        assert_eq!(flags.has(SliceFlags::OPEN), want.is_open, "open at {at} of {text}");
        let number = slices.correlation[id];
        assert_eq!(number == 0, want.correlation == 0, "correlation at {at} of {text}");
        assert_eq!(*numbers.entry(want.correlation).or_insert(number), number);
        assert_eq!(*raw_numbers.entry(number).or_insert(want.correlation), want.correlation);
        if id.get() % 16 == 0 {
            let EventText::Members(members) = texts.read(slices.origin[id]) else {
                panic!("the event at {at} cannot be read again: {text}")
            };
            assert!(members.iter().any(|member| member.name.as_str() == "ph"));
        }
    }
}

/// Checks that slices of a row follow one another, and that a slice's parent is one row up and contains it.
fn nests(trace: &Trace, tolerance: i64) {
    let slices = &trace.slices;
    for lane in &trace.lanes {
        let is_async = lane.kind == LaneKind::Async;
        for number in lane.rows {
            let row = trace.rows[number];
            for id in row.slices() {
                let span = slices.span(id);
                if id + 1 < row.slices().end {
                    let next = slices.span(id + 1);
                    let over = span.end.saturating_sub(next.start);
                    assert!(over <= 2 * tolerance, "{id:?} extends {over} ns into the next of its row");
                }
                let is_overflow = !is_async && number - lane.rows.start >= lane.depth;
                assert_eq!(slices.flags[id].has(SliceFlags::OVERFLOW), is_overflow);
                let Some(around) = slices.parent(id) else { continue };
                assert!(around < id && lane.slices.contains(around), "parents come first");
                assert_eq!(trace.row_of(around) + 1, number, "one row up");
                let outer = slices.span(around);
                assert!(outer.start <= span.start, "a parent starts first");
                let over = span.end.saturating_sub(outer.end);
                assert!(over <= tolerance, "{id:?} extends {over} ns beyond its parent");
            }
        }
    }
}

/// Checks that device work is linked to the first call with its correlation number.
fn links(trace: &Trace, expect: &Expect) {
    let slices = &trace.slices;
    let ids = slices.ids();
    let number = |id: SliceId| slices.correlation[id];
    let is_work = |id: SliceId| slices.category(id).is_device_work();
    let work = ids.iter().filter(|&id| is_work(id)).count() as u64;
    let Links { orphan_work, idle_calls, .. } = trace.links;
    assert_eq!(orphan_work + trace.links.len() as u64, work, "work is launched or orphaned");
    let mut calls: HashMap<u32, SliceId> = HashMap::new();
    for id in ids.iter().filter(|&id| number(id) != 0 && slices.category(id).is_runtime()) {
        let first = calls.entry(number(id)).or_insert(id);
        let order = |id: SliceId| (slices.start[id], id);
        *first = if order(id) < order(*first) { id } else { *first };
    }
    if !ids.iter().any(|id| number(id) != 0 && is_work(id)) {
        return;
    }
    for id in ids.iter().filter(|&id| is_work(id)) {
        assert_eq!(trace.links.launch_of(id), calls.get(&number(id)).copied(), "the launch of {id:?}");
    }
    let is_idle = |launch: &&SliceId| trace.links.work_of(**launch).next().is_none();
    assert_eq!(idle_calls, calls.values().filter(is_idle).count() as u64, "calls that start nothing");
    assert!(expect.elements > 0);
}
