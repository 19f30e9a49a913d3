//! The operator to which each runtime call and each piece of device work belongs, and the device time of each
//! operator.
//!
//! Files state the operator by External ids. Older versions of Kineto wrote other numbers there; in their
//! files it is the operator around the launching call.

use rustc_hash::FxHashMap;

use proftui_trace::model::SliceId;

use super::event::{Event, FileEvents, Kind, NO_EVENT, elapsed};
use super::options::Rules;
use super::span_index::SpanIndex;

/// Sets [`Event::operator`] of a file's calls and device work, by External ids if these can be trusted, else
/// by the operators around the calls. `launch_of` gives the launching call of device work.
pub(super) fn link(events: &mut [Event], launch_of: impl Fn(SliceId) -> Option<SliceId>) {
    let mut operators: FxHashMap<i64, u32> = FxHashMap::default();
    for (at, event) in (0..).zip(&*events) {
        if event.kind == Kind::Operator && event.id != 0 {
            operators.entry(event.id).or_insert(at);
        }
    }
    // Where Kineto had no operator it wrote the event's own correlation, which equals an operator's id by
    // chance only.
    let by_id = |event: &Event| {
        let can = matches!(event.kind, Kind::Call | Kind::Device) && event.id != event.correlation;
        if can { operators.get(&event.id).copied() } else { None }
    };
    let found: Vec<u32> = events.iter().map(|event| by_id(event).unwrap_or(NO_EVENT)).collect();
    if are_trusted(events, &found) {
        events.iter_mut().zip(found).for_each(|(event, operator)| event.operator = operator);
    } else {
        link_by_calls(events, launch_of);
    }
}

/// True if at least one event has an operator in `found`, and at least half of the calls with an operator
/// start while the operator runs.
fn are_trusted(events: &[Event], found: &[u32]) -> bool {
    let mut linked = events.iter().zip(found).filter(|&(_, &operator)| operator != NO_EVENT).peekable();
    if linked.peek().is_none() {
        return false;
    }
    let (mut calls, mut inside) = (0_u64, 0_u64);
    for (call, &operator) in linked.filter(|(event, _)| event.kind == Kind::Call) {
        let around = &events[operator as usize];
        calls += 1;
        inside += u64::from(around.start <= call.start && call.start <= around.end);
    }
    2 * inside >= calls
}

/// Sets the operator of a call to the innermost one around the call, or its start, on its thread, and the
/// operator of device work to that of its launching call.
fn link_by_calls(events: &mut [Event], launch_of: impl Fn(SliceId) -> Option<SliceId>) {
    let mut threads: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (at, event) in (0..).zip(&*events) {
        if event.kind == Kind::Operator {
            threads.entry(event.thread).or_default().push(at);
        }
    }
    let around: FxHashMap<u32, (SpanIndex, Vec<u32>)> = threads
        .into_iter()
        .map(|(thread, mut list)| {
            list.sort_by_key(|&at| events[at as usize].start);
            let spans: Vec<_> =
                list.iter().map(|&at| (events[at as usize].start, events[at as usize].end)).collect();
            (thread, (SpanIndex::new(&spans), list))
        })
        .collect();
    let operator_of = |call: &Event| {
        let (spans, list) = around.get(&call.thread)?;
        let at = spans
            .last_enclosing(call.start, call.end)
            .or_else(|| spans.last_enclosing(call.start, call.start))?;
        Some(list[at])
    };
    let mut by_correlation: FxHashMap<i64, u32> = FxHashMap::default();
    let mut by_slice: FxHashMap<SliceId, u32> = FxHashMap::default();
    for call in events.iter_mut().filter(|event| event.kind == Kind::Call) {
        call.operator = operator_of(call).unwrap_or(NO_EVENT);
        by_slice.insert(call.slice, call.operator);
        if call.correlation != 0 {
            by_correlation.entry(call.correlation).or_insert(call.operator);
        }
    }
    for event in events.iter_mut().filter(|event| event.kind == Kind::Device) {
        let launch = by_correlation.get(&event.correlation).copied();
        let by_link = || launch_of(event.slice).and_then(|launch| by_slice.get(&launch).copied());
        event.operator = launch.or_else(by_link).unwrap_or(NO_EVENT);
    }
}

/// Sets [`Event::work`] of operators to the summed times of their device work. With DeepLink's rules, work
/// that ends no later than work counted before it is left out.
pub(super) fn sum_work(file: &mut FileEvents, rules: Rules) {
    let zero = file.zero();
    let events = &mut file.events;
    let is_work = |event: &Event| event.kind == Kind::Device && event.operator != NO_EVENT;
    let mut work: Vec<(u32, u32)> = (0..)
        .zip(&*events)
        .filter(|(_, event)| is_work(event))
        .map(|(at, event)| (event.operator, at))
        .collect();
    if rules.is_deeplink() {
        work.sort_by_key(|pair| (pair.0, events[pair.1 as usize].start));
    } else {
        work.sort_by_key(|pair| pair.0);
    }
    for of_one in work.chunk_by(|a, b| a.0 == b.0) {
        let mut sum = 0.0;
        let mut last_end = None;
        for &(_, at) in of_one {
            let event = &events[at as usize];
            // DeepLink's records nest the vendor's kernels: one that ends before the last one counted is part
            // of it.
            if !rules.is_deeplink() || last_end.is_none_or(|last_end| event.end > last_end) {
                sum += elapsed(event, zero);
                last_end = Some(event.end);
            }
        }
        events[of_one[0].0 as usize].work = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: Kind, start: i64, end: i64, id: i64, correlation: i64) -> Event {
        Event { kind, start, end, id, correlation, ..Event::default() }
    }

    fn linked(mut events: Vec<Event>) -> Vec<u32> {
        link(&mut events, |_| None);
        events.iter().map(|event| event.operator).collect()
    }

    #[test]
    fn ids_count_unless_they_are_correlations() {
        let operator = event(Kind::Operator, 0, 100, 7, 0);
        let call = event(Kind::Call, 10, 20, 7, 3);
        let work = event(Kind::Device, 50, 90, 7, 3);
        let range = event(Kind::DeviceRange, 50, 90, 7, 0);
        assert_eq!(linked(vec![operator, call, work, range]), [NO_EVENT, 0, 0, NO_EVENT]);
        let chance = event(Kind::Device, 50, 90, 7, 7);
        assert_eq!(linked(vec![operator, call, chance])[2], NO_EVENT, "the file says nothing else of it");
    }

    #[test]
    fn else_the_innermost_operator_around_the_call() {
        let outer = event(Kind::Operator, 0, 100, 1, 0);
        let inner = event(Kind::Operator, 10, 40, 2, 0);
        let call = event(Kind::Call, 15, 30, 55, 55);
        let late = event(Kind::Call, 35, 60, 56, 56);
        let work = event(Kind::Device, 50, 90, 55, 55);
        let lost = event(Kind::Device, 50, 90, 9, 9);
        assert_eq!(linked(vec![outer, inner, call, late, work, lost])[2..], [1, 0, 1, NO_EVENT]);
    }

    #[test]
    fn numbers_of_launches_are_no_ids() {
        let first = event(Kind::Operator, 0, 100, 1, 0);
        let second = event(Kind::Operator, 200, 300, 2, 0);
        let call = event(Kind::Call, 210, 220, 1, 0);
        assert_eq!(
            linked(vec![first, second, call])[2],
            1,
            "its operator ran, the one of that number did not"
        );
    }

    #[test]
    fn nested_device_records_count_once_in_deeplink() {
        let mut file = FileEvents { span_start: Some(0), ..FileEvents::default() };
        file.events.push(event(Kind::Operator, 0, 1000, 1, 0));
        for (start, end) in [(100, 200), (5000, 9000), (6000, 8000), (8500, 9500)] {
            file.events.push(Event { operator: 0, ..event(Kind::Device, start, end, 1, 0) });
        }
        sum_work(&mut file, Rules::DeepLink);
        assert!((file.events[0].work - 5.1).abs() < 1e-9);
        sum_work(&mut file, Rules::default());
        assert!((file.events[0].work - 7.1).abs() < 1e-9);
    }
}
