//! What a stretch of time has in one sentence: its length, how busy devices were, and why they were not.
//!
//! Must not know how the stretch was chosen.

use proftui_base::fmt;
use proftui_base::time::Ns;
use proftui_trace::model::{LaneId, Trace};

use crate::analysis::ledger::{Cause, DeviceLedger, Ledger};
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;

/// How many causes of a device's idle time [`headline`] names at most.
const CAUSES: usize = 3;
/// How many devices [`headline`] names at most.
const DEVICES: usize = 2;

/// A line on the time of `scope`: its length, how busy its lane, if it has only one, and its first devices
/// were, main causes of these devices' idle time; empty if the scope has no time range.
pub fn headline(trace: &Trace, scope: &Scope) -> String {
    let Some(span) = scope.span else { return String::new() };
    let ledger = Ledger::of(trace);
    let mut parts = vec![fmt::duration(span.len())];
    let lanes = scope.lanes.as_deref();
    if let Some(&[lane]) = lanes {
        let busy = lane_time(trace, scope, lane);
        let title = trace.lane_title(&trace.lanes[lane]);
        parts.push(format!("{title} busy {}", fmt::share(busy, span.len())));
    }
    // Only devices with a lane in the scope: a scope of host lanes alone names none.
    let is_wanted =
        |device: &&DeviceLedger| device.lanes.iter().any(|&lane| scope.has_lane(lane)) || lanes.is_none();
    let devices: Vec<&DeviceLedger> = ledger.devices.iter().filter(is_wanted).collect();
    parts.extend(devices.iter().take(DEVICES).map(|device| of_device(trace, device, scope)));
    if devices.len() > DEVICES {
        parts.push(format!("{} more devices", devices.len() - DEVICES));
    }
    parts.join(" · ")
}

/// The time within the scope in which the first row of a lane had a slice, ns.
fn lane_time(trace: &Trace, scope: &Scope, lane: LaneId) -> Ns {
    let part = Part::new(trace, scope);
    let first = trace.lanes[lane].rows.start;
    let is_outer = |id| trace.row_of(id) == first && trace.slices.parent(id).is_none();
    part.pieces(lane).filter(|piece| is_outer(piece.id)).map(|piece| piece.dur()).fold(0, Ns::saturating_add)
}

fn of_device(trace: &Trace, device: &DeviceLedger, scope: &Scope) -> String {
    let (title, _) = trace.device_title(&trace.groups[device.group]);
    let Some(span) = scope.span else { return String::new() };
    let sums = device.sums(span);
    let mut causes: Vec<_> = Cause::ALL.iter().map(|&cause| (cause, sums.of(cause))).collect();
    causes.retain(|(_, sum)| sum.ns > 0);
    causes.sort_by_key(|&(cause, sum)| (std::cmp::Reverse(sum.ns), cause));
    let texts = causes.iter().take(CAUSES).map(|(cause, sum)| {
        format!("{} {} in {}", cause.title(), fmt::duration(sum.ns), fmt::counted(sum.gaps.into(), "gap"))
    });
    let texts: Vec<String> = texts.collect();
    let why = if texts.is_empty() { String::new() } else { format!(", idle: {}", texts.join(", ")) };
    format!("{title} busy {}{why}", fmt::share(sums.work, sums.span))
}

#[cfg(test)]
mod tests {
    use proftui_trace::model::SliceId;

    use super::*;
    use proftui_base::time::Span;
    use proftui_trace::import::{Progress, Request, load_bytes};

    #[test]
    fn a_stretch_is_its_length_and_the_time_of_devices_and_lanes() {
        let kernel = |ts: u32, dur: u32| {
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
            )
        };
        let text = format!("[{},{}]", kernel(0, 10), kernel(30, 10));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let trace = loaded.trace;
        let mut scope = Scope { span: Some(Span { start: 5_000, end: 35_000 }), lanes: None };
        let all = headline(&trace, &scope);
        assert!(
            all.starts_with("30.00 µs · GPU 0 busy 33.3%, idle: ") && all.ends_with(" 10.00 µs in 1 gap"),
            "{all}"
        );
        scope.lanes = Some(vec![trace.lane_of(SliceId::new(0))]);
        assert!(headline(&trace, &scope).starts_with("30.00 µs · stream 7 busy 33.3% · GPU 0"));
        assert_eq!(headline(&trace, &Scope::default()), "");
    }

    #[test]
    fn only_a_graphs_launch_has_idle_time_of_a_graph() {
        let of = |call: &str| {
            let kernel = |ts: u32| {
                format!(
                    r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":10,"args":{{"device":0,"stream":7,"correlation":5}}}}"#
                )
            };
            let text = format!(
                r#"[{{"ph":"X","cat":"cuda_runtime","name":"{call}","pid":1,"tid":1,"ts":0,"dur":5,"args":{{"correlation":5}}}},{},{}]"#,
                kernel(10),
                kernel(30)
            );
            let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default());
            let trace = loaded.expect("loads").trace;
            let span = Span { start: 10_000, end: 40_000 };
            headline(&trace, &Scope { span: Some(span), lanes: None })
        };
        assert!(
            of("cudaGraphLaunch").ends_with("idle: inside a graph 10.00 µs in 1 gap"),
            "{}",
            of("cudaGraphLaunch")
        );
        assert!(!of("cudaLaunchKernel").contains("graph"), "{}", of("cudaLaunchKernel"));
    }
}
