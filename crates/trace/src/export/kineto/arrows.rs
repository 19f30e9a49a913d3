//! Links and flows as Kineto writes them: an arrow's start (`s`) is at the start of the slice that it leaves,
//! its end (`f`) at the start of the slice to which it points.

use crate::model::{FlowKind, SliceId, Trace};

/// The first number of arrows that have no correlation number; these have at most 32 bits.
const FIRST: u64 = 1 << 32;

/// The number that joins a launch with its work where the file has no correlation numbers.
pub(super) fn number(launch: SliceId) -> u64 {
    u64::from(launch.get()) + 1
}

/// True if all links without a correlation number begin at calls of a runtime: only those are joined by
/// number, and in a file that has numbers all are.
pub(super) fn may_have_numbers(trace: &Trace) -> bool {
    let slices = &trace.slices;
    let unnumbered = trace.links.all().iter().filter(|link| slices.correlation[link.1] == 0);
    unnumbered.into_iter().all(|&(launch, _)| slices.category(launch).is_runtime())
}

/// Passes all links and flows between slices that `has` keeps to `write`, end by end: the event type (`s`,
/// `f`), the category, the arrow's number, and the slice at whose start the end is.
pub(super) fn all(
    trace: &Trace,
    has: impl Fn(SliceId) -> bool,
    mut write: impl FnMut(char, &str, u64, SliceId),
) {
    let mut used = rustc_hash::FxHashSet::default();
    let mut next = FIRST;
    let mut arrow = |name: &str, number: u64, from: SliceId, to: SliceId| {
        write('s', name, number, from);
        write('f', name, number, to);
    };
    for &(launch, work) in trace.links.all().iter().filter(|link| has(link.0) && has(link.1)) {
        let stated = u64::from(trace.slices.correlation[work]);
        let correlation = if stated == 0 { number(launch) } else { stated };
        // Kineto's number; another one where it is taken: by work of the same launch, or by a launch of
        // another process.
        let is_free = used.insert(correlation);
        next += u64::from(!is_free);
        arrow("ac2g", if is_free { correlation } else { next }, launch, work);
    }
    for flow in trace.flows.iter().filter(|flow| has(flow.from) && has(flow.to)) {
        next += 1;
        let name = match flow.kind {
            FlowKind::ForwardBackward => "fwdbwd",
            FlowKind::Generic => "flow",
        };
        arrow(name, next, flow.from, flow.to);
    }
}
