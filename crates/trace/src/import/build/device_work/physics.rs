//! Device work that cannot be as it is recorded.
//!
//! A stream runs one kernel, copy or memset after the other: later work may begin a little before earlier
//! work ends (programmatic dependent launch), but work that outlasts many later ones was recorded with a
//! wrong end. Must not know what is summed up: such work gets a category that is no device work.

use crate::model::{Category, Lane, LaneKind, SliceId, Trace, Warning};
use proftui_base::heap::{self, NoMemory};
use proftui_base::time::Ns;

use crate::import::build::builder::TraceBuilder;

/// How many later kernels, copies or memsets of a stream work may outlast. In real traces it is 2.
const OUTLASTED: usize = 4;
/// How long work may outlast the start of later work, ns. In real traces it is 11 µs.
const OVERRUN: Ns = 50_000;
/// A lane of which more than one in so many kernels, copies and memsets overruns is no stream.
const FEW: usize = 20;

/// Gives device work that overruns the later work of its stream the category [`Category::Impossible`], and
/// counts it as damage.
///
/// # Errors
/// When there is no memory to compare the work of a stream.
pub(crate) fn mark(builder: &mut TraceBuilder, trace: &mut Trace) -> Result<(), NoMemory> {
    let mut found = Vec::new();
    for lane in trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream && lane.rows.len() > 1) {
        found.append(&mut overruns(trace, lane)?);
    }
    for &(id, outlasted) in &found {
        let name = || builder.strings.text(trace.slices.name[id]).to_string();
        let lasts = trace.slices.dur[id] as f64 / 1e6;
        builder.quality.note(Warning::Impossible, Some(trace.slices.origin[id].offset()), || {
            format!("{} lasts {lasts:.3} ms and outlasts {outlasted} later ones of its stream", name())
        });
        trace.slices.category[id] = Category::Impossible as u8;
    }
    Ok(())
}

/// The work of a stream that overruns later work, each with how many it outlasts; empty if the lane seems to
/// be no stream.
fn overruns(trace: &Trace, lane: &Lane) -> Result<Vec<(SliceId, usize)>, NoMemory> {
    let slices = &trace.slices;
    let is_work = |id: &SliceId| slices.category(*id).is_device_work() && slices.dur[*id] > 0;
    let mut work: Vec<SliceId> = heap::try_collect(lane.slices.iter().filter(is_work))?;
    heap::try_sort_by_key(&mut work, |&id| slices.start[id])?;
    let mut found = Vec::new();
    for (at, (&id, &next)) in work.iter().zip(work.iter().skip(1)).enumerate() {
        let end = slices.end(id);
        if end.saturating_sub(slices.start[next]) <= OVERRUN {
            continue;
        }
        let later = &work[at + 1..];
        let outlasted = later[..later.partition_point(|&later| slices.start[later] < end)]
            .iter()
            .filter(|&&later| slices.end(later) <= end)
            .count();
        if outlasted > OUTLASTED {
            heap::try_push(&mut found, (id, outlasted))?;
        }
    }
    if found.len() * FEW > work.len() {
        found.clear();
    }
    Ok(found)
}

/// Counts the device work that begins before its launch by more than the coarsest resolution of times.
pub(crate) fn count_early(builder: &mut TraceBuilder, trace: &Trace) {
    const RESOLUTION: Ns = 1_000;
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

    #[test]
    fn a_lane_whose_work_overlaps_throughout_is_no_stream() {
        // Every second kernel outlasts ten later ones.
        let kernels: Vec<(u32, u32)> =
            (0..100).map(|at| (at * 100, if at % 2 == 0 { 2000 } else { 50 })).collect();
        assert!(impossible(&load(&kernels, &Request::default())).is_empty());
    }
}
