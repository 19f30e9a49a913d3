//! Removes the margins of ranges on devices. Kineto widens these ranges in its files, to enclose their
//! kernels in a viewer; torch's own tables use the true times.

use rustc_hash::FxHashSet;

use super::event::{Event, Kind};

/// Removes the margins that Kineto's exporter has probably added to the ranges on devices: of the known
/// margins, those whose removal makes the most starts and ends equal those of device work.
pub(super) fn narrow(events: &mut [Event], has_decimals: bool) {
    if !events.iter().any(|event| event.kind == Kind::DeviceRange) {
        return;
    }
    let work = || events.iter().filter(|event| event.kind == Kind::Device);
    let starts: FxHashSet<i64> = work().map(|event| event.start).collect();
    let ends: FxHashSet<i64> = work().map(|event| event.end).collect();
    let tick = if has_decimals { 1 } else { 1000 };
    let ranges = || events.iter().filter(|event| event.kind == Kind::DeviceRange);
    let matches = |&(before, after): &(i64, i64)| {
        let edges = ranges().map(|event| {
            usize::from(starts.contains(&event.start.saturating_add(before)))
                + usize::from(ends.contains(&event.end.saturating_sub(after)))
        });
        edges.sum::<usize>()
    };
    // At the start and at the end: no margins, the exporter's from April 2024, before that, since June 2024.
    // Of several best pairs the last wins: without any match, the newest exporter's margins.
    let margins = [(0, 0), (1000, 500), (tick, 0), (1, 1)];
    let Some((before, after)) = margins.into_iter().max_by_key(matches) else { return };
    for event in events.iter_mut().filter(|event| event.kind == Kind::DeviceRange) {
        if event.end - event.start >= before + after {
            event.start += before;
            event.end -= after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_that_matches_the_work_is_removed() {
        for (before, after) in [(1, 1), (1000, 500), (1, 0), (0, 0)] {
            let at = |kind, start, end| Event { kind, start, end, ..Event::default() };
            let mut events = vec![
                at(Kind::Device, 5_003, 6_007),
                at(Kind::Device, 7_001, 9_011),
                at(Kind::DeviceRange, 5_003 - before, 9_011 + after),
            ];
            narrow(&mut events, true);
            assert_eq!((events[2].start, events[2].end), (5_003, 9_011), "{before} {after}");
        }
    }
}
