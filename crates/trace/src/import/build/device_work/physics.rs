//! Device work that cannot be as it is recorded.
//!
//! A stream runs one kernel, copy or memset after the other, in the order of their launches: later work may
//! begin a little before earlier work ends (programmatic dependent launch), but work that outlasts many later
//! ones was recorded with a wrong end. No work runs twice at once, and no bus copies faster than its limit.
//! Must not know what is summed up: such work gets a category that is no device work.

mod order;
mod overrun;
mod repeated;
mod speed;

use rustc_hash::FxHashSet;

use crate::model::{Category, Lane, LaneKind, SliceFlags, SliceId, Trace, Warning};
use proftui_base::fmt;
use proftui_base::heap::{self, NoMemory};
use proftui_base::time::{Ns, Span};

use crate::import::build::builder::TraceBuilder;

/// Where more than one in so many kernels, copies and memsets contradicts the launches, clocks differ.
const FEW: usize = 20;
/// Work may run outside of all other slices by one in so many parts of their time.
const OUTSIDE: Ns = 100;

/// Gives device work that cannot be the category [`Category::Impossible`], and counts it as damage: what
/// another event repeats, copies that no bus can make, and what overruns the later work of its stream. The
/// bytes of copies must be known.
///
/// # Errors
/// When there is no memory to compare the work of a stream.
pub(crate) fn mark(builder: &mut TraceBuilder, trace: &mut Trace) -> Result<(), NoMemory> {
    let mut found: Vec<(SliceId, String)> = Vec::new();
    for lane in trace.lanes.iter().filter(|lane| is_stream(builder, trace, lane)) {
        let slices = &trace.slices;
        found.extend(speed::too_fast(builder, trace, lane));
        // Without work beside each other, a stream has one row.
        if lane.rows.len() < 2 {
            continue;
        }
        let is_work = |id: &SliceId| slices.category(*id).is_device_work() && slices.dur[*id] > 0;
        let mut work: Vec<SliceId> = heap::try_collect(lane.slices.iter().filter(is_work))?;
        // Two files may state the work of one process with clocks of their own.
        let is_one_file = builder.files.len() == 1;
        let file = |id: SliceId| if is_one_file { 0 } else { slices.origin[id].file() };
        heap::try_sort_by_key(&mut work, |&id| (file(id), slices.start[id]))?;
        for of_file in work.chunk_by(|&one, &other| file(one) == file(other)) {
            let repeated = repeated::repeated(builder, trace, of_file);
            let once = heap::try_collect(of_file.iter().copied().filter(|id| !repeated.contains(id)))?;
            found.extend(repeated.into_iter().map(|id| (id, "is recorded twice".to_owned())));
            found.extend(overrun::overruns(trace, &once)?.into_iter().map(|(id, outlasted)| {
                let lasts = slices.dur[id] as f64 / 1e6;
                (id, format!("lasts {lasts:.3} ms and outlasts {outlasted} later ones of its stream"))
            }));
        }
    }
    set(builder, trace, found);
    Ok(())
}

/// Counts the device work that begins before its launch by more than the coarsest resolution of times, and
/// that which its stream runs out of the order of the launches. If `marks`, gives the category
/// [`Category::Impossible`] to what is recorded a second time by that, and to what is far from all else, and
/// removes its links. The links must be known.
///
/// # Errors
/// When there is no memory to compare the work of a stream.
pub(crate) fn judge_launches(
    builder: &mut TraceBuilder,
    trace: &mut Trace,
    marks: bool,
) -> Result<(), NoMemory> {
    let early = order::early(trace)?;
    let mut late: Vec<SliceId> = Vec::new();
    let mut is_graph = order::GraphLaunches::new(&builder.strings);
    for lane in trace.lanes.iter().filter(|lane| is_stream(builder, trace, lane)) {
        late.append(&mut order::out_of_order(trace, lane, &mut is_graph)?);
    }
    if early.is_empty() && late.is_empty() {
        return Ok(());
    }
    let mut found: Vec<(SliceId, String)> = Vec::new();
    if marks {
        let again = order::again(trace, &late).into_iter();
        let why = "is recorded again, after work that was launched later";
        found.extend(again.map(|id| (id, why.to_owned())));
        if (early.len() + late.len()) * FEW <= trace.links.len() {
            let suspects: FxHashSet<SliceId> = early.iter().chain(&late).copied().collect();
            found.extend(outside(trace, &suspects));
        }
        found.sort_by_key(|&(id, _)| id);
        found.dedup_by_key(|&mut (id, _)| id);
    }
    let is_counted = |id: &&SliceId| found.binary_search_by_key(*id, |&(id, _)| id).is_err();
    count(builder, trace, Warning::Early, early.iter().filter(is_counted), |launch, work| {
        let by = launch.saturating_sub(work) as f64 / 1e3;
        format!("begins {by:.1} µs before its launch")
    });
    count(builder, trace, Warning::Order, late.iter().filter(is_counted), |launch, work| {
        let by = fmt::duration(work.saturating_sub(launch));
        format!("begins {by} after its launch, beside work that was launched at other times")
    });
    if !found.is_empty() {
        set(builder, trace, found);
        let slices = &trace.slices;
        trace.links.retain(|work| slices.category(work) != Category::Impossible);
    }
    Ok(())
}

/// True for the lane of a stream that runs one work after the other. A stream of Ascend has tasks of several
/// engines side by side.
fn is_stream(builder: &TraceBuilder, trace: &Trace, lane: &Lane) -> bool {
    let first = lane.slices.iter().next().map(|id| trace.slices.origin[id].file());
    lane.kind == LaneKind::Stream
        && !first.and_then(|file| builder.files.get(file)).is_some_and(|file| file.header.is_ascend)
}

/// Gives the work in `found` the category [`Category::Impossible`], and counts it; each with why.
fn set(builder: &mut TraceBuilder, trace: &mut Trace, mut found: Vec<(SliceId, String)>) {
    found.sort_by_key(|&(id, _)| id);
    found.dedup_by_key(|&mut (id, _)| id);
    for (id, why) in found {
        let name = || builder.strings.text(trace.slices.name[id]).to_string();
        builder.quality.note(Warning::Impossible, Some(trace.slices.origin[id].offset()), || {
            format!("{} {why}", name())
        });
        trace.slices.category[id] = Category::Impossible as u8;
    }
}

/// Counts work as a warning; `example` makes the text behind the first one's name of the starts (ns) of its
/// launch and of itself.
fn count<'a>(
    builder: &mut TraceBuilder,
    trace: &Trace,
    warning: Warning,
    all: impl Iterator<Item = &'a SliceId>,
    example: impl FnOnce(Ns, Ns) -> String,
) {
    let mut all = all.peekable();
    let Some(&&work) = all.peek() else { return };
    let slices = &trace.slices;
    let launch = trace.links.launch_of(work).map_or(slices.start[work], |launch| slices.start[launch]);
    let text = example(launch, slices.start[work]);
    let name = builder.strings.text(slices.name[work]).to_string();
    let offset = Some(slices.origin[work].offset());
    builder.quality.note_many(warning, all.count() as u64, offset, || format!("{name} {text}"));
}

/// The `suspects` that run outside of all other slices by more than one in [`OUTSIDE`] parts of their time,
/// each with why.
fn outside(trace: &Trace, suspects: &FxHashSet<SliceId>) -> Vec<(SliceId, String)> {
    let slices = &trace.slices;
    let is_other = |id: &SliceId| {
        slices.dur[*id] > 0
            && !slices.flags[*id].has(SliceFlags::PROFILER)
            && !(slices.category(*id).is_device_work() && suspects.contains(id))
    };
    let others = slices.ids().iter().filter(is_other).map(|id| slices.span(id)).reduce(Span::union);
    let Some(others) = others else { return Vec::new() };
    let beyond = |id: SliceId| {
        let before = others.start.saturating_sub(slices.end(id));
        before.max(slices.start[id].saturating_sub(others.end))
    };
    let is_far = |id: &SliceId| beyond(*id) > others.len() / OUTSIDE;
    let far = suspects.iter().copied().filter(is_far);
    far.map(|id| (id, format!("runs {} away from all else", fmt::duration(beyond(id))))).collect()
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

    /// The trace of 100 launches, 10 µs apart, each with a kernel 1 ms later; then with what `change` makes
    /// of the starts (µs) and the numbers of the kernels.
    fn of_launches(change: impl Fn(&mut Vec<(u32, u32)>)) -> Trace {
        let mut kernels: Vec<(u32, u32)> =
            (1..=100).map(|number| (2_000_000 + number * 10, number)).collect();
        change(&mut kernels);
        let call = |number: u32| {
            let start = 1_999_000 + number * 10;
            format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{start},"dur":5,"args":{{"correlation":{number}}}}}"#
            )
        };
        let kernel = |(start, number): (u32, u32)| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"k{number}","pid":0,"tid":7,"ts":{start},"dur":9,"args":{{"correlation":{number}}}}}"#
            )
        };
        let events: Vec<String> = (1..=100).map(call).chain(kernels.into_iter().map(kernel)).collect();
        let text = format!("[{}]", events.join(","));
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
    }

    fn counts(trace: &Trace) -> [u64; 3] {
        [Warning::Early, Warning::Order, Warning::Impossible].map(|warning| trace.quality.count(warning))
    }

    #[test]
    fn a_stream_runs_its_work_in_the_order_of_the_launches() {
        assert_eq!(counts(&of_launches(|_| ())), [0; 3]);
        // The kernel of launch 30 runs among those of launches 60 and 61.
        let late = of_launches(|kernels| kernels[29].0 = 2_000_605);
        assert_eq!(counts(&late), [0, 1, 0]);
        let again = of_launches(|kernels| kernels.push((2_000_605, 30)));
        assert_eq!((counts(&again), impossible(&again)), ([0, 0, 1], vec!["k30".to_owned()]));
        assert_eq!(again.links.len(), 100, "the copy has no launch");
        let many = of_launches(|kernels| kernels.iter_mut().step_by(2).for_each(|kernel| kernel.0 += 300));
        assert_eq!(counts(&many), [0; 3], "a lane whose work is out of order throughout is no stream");
    }

    #[test]
    fn work_far_from_all_else_takes_no_time() {
        let of = |start: u32| {
            let trace = of_launches(|kernels| kernels[29].0 = start);
            (counts(&trace), trace.main_span.len() / 1_000)
        };
        assert_eq!(of(1_000_000), ([0, 0, 1], 1_999), "a second before all else");
        assert_eq!(of(2_900_000), ([0, 0, 1], 1_999), "nearly a second after it");
        assert_eq!(of(1_999_005), ([1, 0, 0], 2_004), "a little before it");
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
