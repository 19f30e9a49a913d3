//! Device work that cannot be as it is recorded.
//!
//! A stream runs one kernel, copy or memset after the other: later work may begin a little before earlier
//! work ends (programmatic dependent launch), but work that outlasts many later ones was recorded with a
//! wrong end. No work runs twice at once, and no bus copies faster than its limit. Must not know what is
//! summed up: such work gets a category that is no device work.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Category, Lane, LaneKind, SliceId, Trace, Warning};
use proftui_base::fmt;
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use crate::import::build::builder::TraceBuilder;

/// How many later kernels, copies or memsets of other launches work may outlast. In real traces it is 1.
const OUTLASTED: usize = 4;
/// How long work may outlast the start of later work, ns. In real traces it is 13 µs.
const OVERRUN: Ns = 50_000;
/// With how many later ones work is compared, so that no input takes time by the square of its events.
const COMPARED: usize = 1_000;
/// A lane of which more than one in so many kernels, copies and memsets overruns is no stream.
const FEW: usize = 20;
/// By how much the times of a file may be rounded, ns.
const RESOLUTION: Ns = 1_000;

/// Gives device work that cannot be the category [`Category::Impossible`], and counts it as damage: what
/// another event repeats, copies that no bus can make, and what overruns the later work of its stream. The
/// bytes of copies must be known.
///
/// # Errors
/// When there is no memory to compare the work of a stream.
pub(crate) fn mark(builder: &mut TraceBuilder, trace: &mut Trace) -> Result<(), NoMemory> {
    let mut found: Vec<(SliceId, String)> = Vec::new();
    for lane in trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream) {
        let slices = &trace.slices;
        let first = lane.slices.iter().next().map(|id| slices.origin[id].file());
        // A stream of Ascend has tasks of several engines side by side.
        if first.and_then(|file| builder.files.get(file)).is_some_and(|file| file.header.is_ascend) {
            continue;
        }
        found.extend(too_fast(builder, trace, lane));
        // Without work beside each other, a stream has one row.
        if lane.rows.len() < 2 {
            continue;
        }
        let is_work = |id: &SliceId| slices.category(*id).is_device_work() && slices.dur[*id] > 0;
        let mut work: Vec<SliceId> = heap::try_collect(lane.slices.iter().filter(is_work))?;
        heap::try_sort_by_key(&mut work, |&id| slices.start[id])?;
        let repeated = repeated(trace, &work);
        work.retain(|id| !repeated.contains(id));
        found.extend(repeated.into_iter().map(|id| (id, "is recorded twice".to_owned())));
        found.extend(overruns(trace, &work)?.into_iter().map(|(id, outlasted)| {
            let lasts = slices.dur[id] as f64 / 1e6;
            (id, format!("lasts {lasts:.3} ms and outlasts {outlasted} later ones of its stream"))
        }));
    }
    found.sort_unstable_by_key(|&(id, _)| id);
    for (id, why) in found {
        let name = || builder.strings.text(trace.slices.name[id]).to_string();
        builder.quality.note(Warning::Impossible, Some(trace.slices.origin[id].offset()), || {
            format!("{} {why}", name())
        });
        trace.slices.category[id] = Category::Impossible as u8;
    }
    Ok(())
}

/// The work of a stream, in order of start, that equals other work in all: name, start, length and launch. Of
/// equal ones the first is kept. Launches with other work in the stream, such as those of graphs, are left
/// out: their work may run side by side.
fn repeated(trace: &Trace, work: &[SliceId]) -> FxHashSet<SliceId> {
    let slices = &trace.slices;
    let key = |id: SliceId| (slices.start[id], slices.name[id], slices.dur[id], slices.correlation[id]);
    let mut found = FxHashSet::default();
    for same in work.chunk_by(|&a, &b| slices.start[a] == slices.start[b]).filter(|same| same.len() > 1) {
        let mut known: FxHashSet<(Ns, StrId, Ns, u32)> = FxHashSet::default();
        found
            .extend(same.iter().copied().filter(|&id| slices.correlation[id] != 0 && !known.insert(key(id))));
    }
    if !found.is_empty() {
        let launches: FxHashSet<u32> = found.iter().map(|&id| slices.correlation[id]).collect();
        let mut first: FxHashMap<u32, (Ns, StrId, Ns, u32)> = FxHashMap::default();
        let mut several: FxHashSet<u32> = FxHashSet::default();
        for &id in work.iter().filter(|&&id| launches.contains(&slices.correlation[id])) {
            if *first.entry(slices.correlation[id]).or_insert(key(id)) != key(id) {
                several.insert(slices.correlation[id]);
            }
        }
        found.retain(|&id| !several.contains(&slices.correlation[id]));
    }
    found
}

/// The copies of a lane that are faster than any bus, each with what is wrong.
fn too_fast(builder: &TraceBuilder, trace: &Trace, lane: &Lane) -> Vec<(SliceId, String)> {
    let slices = &trace.slices;
    let mut found = Vec::new();
    for id in lane.slices.iter().filter(|&id| slices.category(id) == Category::Memcpy) {
        let Some(bytes) = trace.copied.bytes(id) else { continue };
        let limit = limit(builder.strings.bytes(slices.name[id]));
        let longest = saturate::<u64>(slices.dur[id].saturating_add(RESOLUTION));
        if bytes > limit.saturating_mul(longest) {
            let bytes = fmt::bytes(saturate::<i64>(bytes));
            found.push((id, format!("copies {bytes} in {}", fmt::duration(slices.dur[id]))));
        }
    }
    found
}

/// The bytes per ns that no copy of this name can exceed: many times what today's links between host and
/// device, links between devices, and memories and caches of devices give.
fn limit(name: &[u8]) -> u64 {
    let has = |part: &str| memchr::memmem::find(name, part.as_bytes()).is_some();
    match () {
        () if has("HtoD") || has("DtoH") || has("HtoH") => 4_000,
        () if has("PtoP") => 8_000,
        () => 50_000,
    }
}

/// The work of a stream that overruns later work of other launches, each with how many of the next
/// [`COMPARED`] it outlasts; empty if the lane seems to be no stream. `work` is in order of start. Names of
/// which half and more overruns stand for what runs beside the stream.
fn overruns(trace: &Trace, work: &[SliceId]) -> Result<Vec<(SliceId, usize)>, NoMemory> {
    let slices = &trace.slices;
    let is_other = |one: SliceId, other: SliceId| {
        slices.correlation[one] == 0 || slices.correlation[one] != slices.correlation[other]
    };
    let mut found: Vec<(SliceId, usize)> = Vec::new();
    for (at, (&id, &next)) in work.iter().zip(work.iter().skip(1)).enumerate() {
        let end = slices.end(id);
        if end.saturating_sub(slices.start[next]) <= OVERRUN {
            continue;
        }
        let later = &work[at + 1..];
        let outlasted = later[..later.partition_point(|&later| slices.start[later] < end)]
            .iter()
            .take(COMPARED)
            .filter(|&&later| slices.end(later) <= end && is_other(id, later))
            .count();
        if outlasted > OUTLASTED {
            heap::try_push(&mut found, (id, outlasted))?;
        }
    }
    if found.len() * FEW > work.len() {
        found.clear();
    }
    let mut counts: FxHashMap<StrId, [usize; 2]> = FxHashMap::default();
    found.iter().for_each(|&(id, _)| counts.entry(slices.name[id]).or_default()[0] += 1);
    if !found.is_empty() {
        for &id in work {
            if let Some(count) = counts.get_mut(&slices.name[id]) {
                count[1] += 1;
            }
        }
    }
    found.retain(|&(id, _)| {
        counts.get(&slices.name[id]).is_none_or(|[over, all]| *over < 2 || 2 * over < *all)
    });
    Ok(found)
}

/// Counts the device work that begins before its launch by more than the coarsest resolution of times.
pub(crate) fn count_early(builder: &mut TraceBuilder, trace: &Trace) {
    let slices = &trace.slices;
    let early = |&&(launch, work): &&(SliceId, SliceId)| {
        slices.start[work].saturating_add(RESOLUTION) < slices.start[launch]
    };
    let mut all = trace.links.all().iter().filter(early).peekable();
    let Some(&&(launch, work)) = all.peek() else { return };
    let offset = slices.origin[work].offset();
    let by = slices.start[launch].saturating_sub(slices.start[work]) as f64 / 1e3;
    let name = builder.strings.text(slices.name[work]).to_string();
    builder.quality.note_many(Warning::Early, all.count() as u64, Some(offset), || {
        format!("{name} begins {by:.1} µs before its launch")
    });
}

#[cfg(test)]
mod tests {
    use crate::import::{Progress, Request, load_bytes};

    use super::*;

    /// The trace of kernels of one stream, by starts and lengths, µs.
    fn load(kernels: &[(u32, u32)], request: &Request) -> Trace {
        let of = |(at, &(start, dur)): (usize, &(u32, u32))| {
            format!(r#"{{"ph":"X","cat":"kernel","name":"k{at}","pid":0,"tid":7,"ts":{start},"dur":{dur}}}"#)
        };
        let events: Vec<String> = kernels.iter().enumerate().map(of).collect();
        let text = format!("[{}]", events.join(","));
        load_bytes(text.as_bytes(), request, &Progress::default()).expect("a trace").trace
    }

    fn impossible(trace: &Trace) -> Vec<String> {
        let ids = trace.slices.ids().iter().filter(|&id| trace.slices.category(id) == Category::Impossible);
        ids.map(|id| trace.name(id).to_string()).collect()
    }

    #[test]
    fn work_that_outlasts_many_later_ones_is_impossible() {
        let mut kernels: Vec<(u32, u32)> = (0..100).map(|at| (at * 100, 90)).collect();
        kernels[30].1 = 4000;
        // Two later ones are outlasted by work that a GPU may have run.
        kernels[80].1 = 290;
        let trace = load(&kernels, &Request::default());
        assert_eq!(impossible(&trace), ["k30"]);
        assert_eq!(trace.quality.count(Warning::Impossible), 1);
        let keeping = Request { keeps_impossible: true, ..Request::default() };
        assert!(impossible(&load(&kernels, &keeping)).is_empty());
    }

    #[test]
    fn work_before_its_launch_is_counted() {
        let of = |begin: u32| {
            let call = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":100,"dur":5,"args":{"correlation":3}}"#;
            let text = format!(
                r#"[{call},{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{begin},"dur":9,"args":{{"correlation":3}}}}]"#
            );
            let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default());
            let quality = loaded.expect("a trace").trace.quality;
            let early = quality.entries().find(|(warning, _)| *warning == Warning::Early);
            early.map(|(_, entry)| (entry.count, entry.first.clone()))
        };
        assert_eq!(of(94), Some((1, "k begins 6.0 µs before its launch".to_owned())));
        assert_eq!(of(99), None, "the times of a file may be whole µs");
    }

    /// The names of impossible work among these events of stream 7 of a device.
    fn of_events(events: &[(&str, u32, u32, u32, &str)]) -> Vec<String> {
        let event = |&(name, start, dur, number, args): &(&str, u32, u32, u32, &str)| {
            let cat = if name.starts_with("Memcpy") { "gpu_memcpy" } else { "kernel" };
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"correlation":{number}{args}}}}}"#
            )
        };
        let events: Vec<String> = events.iter().map(event).collect();
        let text = format!("[{}]", events.join(","));
        impossible(
            &load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace,
        )
    }

    #[test]
    fn work_that_is_recorded_twice_counts_once() {
        assert_eq!(of_events(&[("a", 10, 5, 1, ""), ("a", 10, 5, 1, ""), ("b", 20, 5, 2, "")]), ["a"]);
        // Two branches of a graph may be alike; other work of the launch shows it.
        assert!(of_events(&[("a", 10, 5, 1, ""), ("a", 10, 5, 1, ""), ("b", 20, 5, 1, "")]).is_empty());
        assert!(of_events(&[("a", 10, 5, 1, ""), ("a", 10, 5, 2, "")]).is_empty(), "of two launches");
    }

    #[test]
    fn no_copy_is_faster_than_any_bus() {
        let gigabyte = r#","bytes":1000000000"#;
        assert_eq!(of_events(&[("Memcpy HtoD (Pinned -> Device)", 10, 1, 1, gigabyte)]).len(), 1);
        assert!(of_events(&[("Memcpy HtoD (Pinned -> Device)", 10, 10_000, 1, gigabyte)]).is_empty());
        assert!(of_events(&[("Memcpy HtoD (Pinned -> Device)", 10, 0, 1, r#","bytes":1024"#)]).is_empty());
    }

    #[test]
    fn the_work_of_one_launch_may_run_side_by_side() {
        // 40 replays of a graph whose first kernel runs beside 25 others: fewer than one in 20 overrun.
        let mut events = Vec::new();
        for at in 0..40 {
            events.push(("branch", at * 1_000, 260, at + 1, ""));
            events.extend((0..25).map(|node| ("node", at * 1_000 + 1 + node * 10, 9, at + 1, "")));
        }
        assert!(of_events(&events).is_empty());
        // The same kernels of launches of their own are half and more of their name.
        (0..).zip(events.iter_mut()).for_each(|(at, event)| event.3 = at + 1);
        assert!(of_events(&events).is_empty());
        // One of many of its name is none that runs beside the stream.
        events.iter_mut().skip(26).filter(|event| event.0 == "branch").for_each(|event| event.2 = 1);
        assert_eq!(of_events(&events), ["branch"]);
    }

    #[test]
    fn a_lane_whose_work_overlaps_throughout_is_no_stream() {
        // Every second kernel outlasts ten later ones.
        let kernels: Vec<(u32, u32)> =
            (0..100).map(|at| (at * 100, if at % 2 == 0 { 2000 } else { 50 })).collect();
        assert!(impossible(&load(&kernels, &Request::default())).is_empty());
    }
}
