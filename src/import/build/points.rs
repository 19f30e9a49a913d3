//! What has a time but no duration, put on its lanes: counters, instants, memory events.

use crate::model::counter::CounterUnit;
use crate::model::{Counter, Instant, MemoryEvent, Trace};

use super::stage::Stage;

/// Counter series from samples, and curves from memory events, each with its track.
pub(super) fn counters(stage: &mut Stage) -> Vec<(u32, Counter)> {
    let mut samples = std::mem::take(&mut stage.samples);
    samples.sort_by_key(|sample| (sample.track, sample.ts));
    let mut out: Vec<(u32, Counter)> = Vec::new();
    for series in samples.chunk_by(|a, b| a.track == b.track) {
        let first = series[0];
        let mut counter = Counter::new(first.name, first.series, CounterUnit::Number);
        counter.ts = series.iter().map(|sample| sample.ts).collect();
        counter.value = series.iter().map(|sample| sample.value).collect();
        out.push((first.track, counter));
    }
    out.extend(stage.memory_curves());
    out
}

/// Places counters, instants and memory events on their lanes.
pub(super) fn place_points(
    stage: &mut Stage,
    counters: Vec<(u32, Counter)>,
    lane_of_track: &[u32],
    trace: &mut Trace,
) {
    // Cycles of one worker share a lane: their samples follow each other.
    for (track, counter) in counters {
        let lane = &mut trace.lanes[lane_of_track[track as usize] as usize];
        match lane.counter {
            None => {
                lane.counter = Some(trace.counters.len() as u32);
                trace.counters.push(counter);
            }
            Some(at) => {
                let known = &mut trace.counters[at as usize];
                let mut all: Vec<_> = known.ts.iter().copied().zip(known.value.iter().copied()).collect();
                all.extend(counter.ts.into_iter().zip(counter.value));
                all.sort_by_key(|&(ts, _)| ts);
                (known.ts, known.value) = all.into_iter().unzip();
            }
        }
    }
    trace.counters.iter_mut().for_each(Counter::seal);
    let instants = std::mem::take(&mut stage.instants);
    trace.instants = instants
        .into_iter()
        .map(|i| Instant { ts: i.ts, lane: lane_of_track[i.track as usize], name: i.name, origin: i.origin })
        .collect();
    trace.instants.sort_by_key(|instant| (instant.lane, instant.ts));
    let mut at = 0;
    for chunk in trace.instants.chunk_by(|a, b| a.lane == b.lane) {
        trace.lanes[chunk[0].lane as usize].instants = at..at + chunk.len() as u32;
        at += chunk.len() as u32;
    }
    let memory = std::mem::take(&mut stage.memory);
    trace.memory = memory
        .into_iter()
        .map(|m| MemoryEvent {
            ts: m.ts,
            lane: lane_of_track[m.track as usize],
            kind: m.kind,
            bytes: m.bytes,
            address: m.address,
            place: m.place,
            allocated: m.allocated,
            reserved: m.reserved,
            peak_allocated: m.peak_allocated,
            peak_reserved: m.peak_reserved,
            origin: m.origin,
        })
        .collect();
    // What was staged took more room, and the room is not given back by itself.
    trace.memory.shrink_to_fit();
    trace.instants.shrink_to_fit();
}
