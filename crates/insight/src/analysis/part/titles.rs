//! Lanes and ranks by the names that people use for them.
//!
//! Must not know what is summarized.

use proftui_trace::model::{LaneId, Trace, WorkerId};

/// The most names that a text lists.
const LISTED: usize = 12;

/// Joins names by commas; after twelve of them, ends with how many more there are.
pub fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The title of a lane's process or device, then ` · ` and the title of the lane.
pub fn title(trace: &Trace, lane: LaneId) -> String {
    let lane = &trace.lanes[lane];
    format!("{} · {}", trace.group_title(&trace.groups[lane.group]), trace.lane_title(lane))
}

/// True if a worker has the rank; without ranks, if it has that index, counted on from the `before` workers
/// of the traces before this one.
pub fn has_rank(trace: &Trace, worker: WorkerId, rank: usize, before: usize) -> bool {
    let name = trace.meta.workers.get(worker).map_or("", String::as_str);
    match name.strip_prefix("rank ") {
        Some(number) => number.split(' ').next() == Some(rank.to_string().as_str()),
        None => before + worker.index() == rank,
    }
}
