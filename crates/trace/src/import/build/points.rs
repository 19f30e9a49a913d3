//! Writing counters, instants and memory events into the trace.

use crate::model::{Counter, Instant, LaneId, MemoryEvent, Trace};
use proftui_base::heap::{self, NoMemory};
use proftui_base::saturate::saturate;

use super::builder::TraceBuilder;

/// Moves `counters`, each with its lane in the builder, and the builder's instants and memory events into
/// `trace`. `trace_lanes` has the trace's lane for each lane of the builder.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn write_points(
    builder: &mut TraceBuilder,
    counters: Vec<(u32, Counter)>,
    trace_lanes: &[LaneId],
    trace: &mut Trace,
) -> Result<(), NoMemory> {
    // Cycles of one worker share a lane: their samples follow each other.
    for (lane, counter) in counters {
        let lane = &mut trace.lanes[trace_lanes[lane as usize]];
        match lane.counter {
            None => {
                lane.counter = Some(saturate::<u32>(trace.counters.len()));
                trace.counters.push(counter);
            }
            Some(at) => {
                let known = &mut trace.counters[at as usize];
                let both = known.ts.iter().copied().zip(known.value.iter().copied());
                let mut all = heap::try_collect(both.chain(counter.ts.into_iter().zip(counter.value)))?;
                heap::try_sort_by_key(&mut all, |&(ts, _)| ts)?;
                known.ts = heap::try_collect(all.iter().map(|sample| sample.0))?;
                known.value = heap::try_collect(all.iter().map(|sample| sample.1))?;
            }
        }
    }
    trace.counters.iter_mut().for_each(Counter::seal);
    let instants = std::mem::take(&mut builder.instants);
    trace.instants = heap::reuse(instants.into_iter().map(|i| Instant {
        ts: i.ts,
        lane: trace_lanes[i.lane as usize],
        name: i.name,
        origin: i.origin,
    }));
    heap::try_sort_by_key(&mut trace.instants, |instant| (instant.lane, instant.ts))?;
    let mut at = 0;
    for chunk in trace.instants.chunk_by(|a, b| a.lane == b.lane) {
        trace.lanes[chunk[0].lane].instants = at..at + saturate::<u32>(chunk.len());
        at += saturate::<u32>(chunk.len());
    }
    let allocations = std::mem::take(&mut builder.allocations);
    trace.memory = heap::reuse(allocations.into_iter().map(|a| MemoryEvent {
        ts: a.ts,
        lane: trace_lanes[a.lane as usize],
        kind: a.kind,
        bytes: a.bytes,
        address: a.address,
        place: a.place,
        allocated: a.allocated,
        reserved: a.reserved,
        peak_allocated: a.peak_allocated,
        peak_reserved: a.peak_reserved,
        origin: a.origin,
        stack: a.stack,
    }));
    heap::shrink(&mut trace.memory);
    heap::shrink(&mut trace.instants);
    Ok(())
}
