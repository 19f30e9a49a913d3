//! Our engine under the rules of Holistic Trace Analysis gives that tool's own numbers, where a collection of
//! traces with what it printed for them stands beside the checkout.

mod rules;

use std::collections::BTreeMap;
use std::path::PathBuf;

use proftui_base::time::Span;
use proftui_insight::analysis::part::device_time::{DeviceTime, overlap};
use proftui_insight::analysis::part::work::{Device, Work, WorkKind};
use proftui_insight::analysis::views::gpu::{idle, kinds, launches, queue};
use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::{Category, LaneId, SliceId, Trace};
use serde_json::Value;

use crate::tally::Tally;
use rules::{HtaRules, Times};

/// Alike within a tolerance; nothing is like no number.
fn same(tally: &mut Tally, what: &str, ours: f64, theirs: &Value, tolerance: f64) {
    let is_same = match theirs.as_f64() {
        Some(theirs) => (ours - theirs).abs() <= tolerance,
        None => theirs.is_null() && ours.is_nan(),
    };
    tally.compare(is_same, what, ours, theirs);
}

fn us(ns: i64) -> f64 {
    ns as f64 / 1e3
}

fn rows<'a>(results: &'a Value, name: &str) -> &'a [Value] {
    results[name]["rows"].as_array().map_or(&[], Vec::as_slice)
}

/// HTA takes every event with an argument `stream` for device work; Triton gives one to its operators on the
/// host.
fn add_operators_with_streams(device: &mut Device, trace: &Trace) {
    let is_one = |id: &SliceId| {
        trace.slices.category(*id) == Category::Operator && trace.name(*id).as_str().starts_with("triton_")
    };
    let lane = device.work[0].lane;
    for id in trace.slices.ids().iter().filter(is_one) {
        let kind = Some(WorkKind::Computation);
        device.work.push(Work { id, lane, span: trace.slices.span(id), begins: true, kind, launch: None });
    }
    device.work.sort_by_key(|work| work.span.start);
}

/// What holds for one rank, with its number in the first column.
fn of_rank<'a>(results: &'a Value, name: &str, rank: u64) -> impl Iterator<Item = &'a Value> {
    rows(results, name).iter().filter(move |row| row[0] == rank)
}

/// Sums of doubles in HTA and of whole nanoseconds here differ by less than one nanosecond a term.
fn slack(device: &Device, is_exact: bool) -> f64 {
    if is_exact { 1e-6 } else { device.work.len() as f64 * 1e-3 + 1e-6 }
}

fn breakdowns(
    tally: &mut Tally,
    name: &str,
    device: &Device,
    results: &Value,
    is_exact: bool,
    has_all: bool,
) {
    let slack = slack(device, is_exact);
    let whole = device.spans(|_| true).into_iter().reduce(Span::union).expect("work");
    let time = DeviceTime::of(device, &[whole]);
    let row = of_rank(results, "temporal_breakdown", 0).next().expect("a row");
    let ours = [time.between, time.compute, time.other(), time.span];
    for (column, ours) in (1..).zip(ours) {
        same(tally, &format!("{name} temporal {column}"), us(ours), &row[column], slack);
    }
    let time_span = time.span.max(1) as f64;
    for (column, ours) in (5..).zip([time.between, time.compute, time.other()]) {
        same(
            tally,
            &format!("{name} temporal {column}"),
            ours as f64 * 100.0 / time_span,
            &row[column],
            0.0051,
        );
    }

    let time = overlap(device);
    let row = of_rank(results, "comm_comp_overlap", 0).next().expect("a row");
    let share = if time.communication == 0 {
        f64::NAN
    } else {
        time.shared as f64 * 100.0 / time.communication as f64
    };
    same(tally, &format!("{name} overlap"), share, &row[1], 0.0051);

    if has_all {
        // HTA cuts each piece down to whole microseconds.
        let mut sums = [0_i64; kinds::SETS];
        kinds::intervals(device, |set, dur| sums[usize::from(set)] += dur / 1_000);
        let rows = results["gpu_kernel_breakdown"][0]["rows"].as_array().expect("rows");
        for row in rows {
            let theirs = row[0].as_str().expect("a name");
            let set = WorkKind::ALL
                .into_iter()
                .filter(|kind| theirs.contains(&kind.name().to_uppercase()))
                .fold(0, |set, kind| set | kind.bit());
            let slack = if is_exact { 0.0 } else { 3.0 };
            same(tally, &format!("{name} {theirs}"), sums[usize::from(set)] as f64, &row[1], slack);
        }
        let known = sums.iter().skip(1).filter(|&&sum| sum > 0).count();
        same(tally, &format!("{name} kinds"), known as f64, &Value::from(known.min(rows.len())), 0.0);
    }
}

fn streams(device: &Device, trace: &Trace) -> BTreeMap<u64, Vec<Work>> {
    let number = |lane: LaneId| {
        trace
            .strings
            .text(trace.lanes[lane].tid)
            .as_str()
            .trim_start_matches("stream ")
            .parse()
            .expect("a number")
    };
    device.streams().into_iter().map(|(lane, work)| (number(lane), work)).collect()
}

fn idle_reasons(
    tally: &mut Tally,
    name: &str,
    device: &Device,
    trace: &Trace,
    results: &Value,
    is_exact: bool,
) {
    let streams = streams(device, trace);
    for row in of_rank(results, "idle_time_breakdown", 0) {
        let stream = row[1].as_u64().expect("a stream");
        let wait = match row[2].as_str().expect("a category") {
            "host_wait" => idle::Wait::Host,
            "kernel_wait" => idle::Wait::Kernel,
            _ => idle::Wait::Other,
        };
        let work: Vec<Work> = streams[&stream].iter().filter(|work| work.kind.is_some()).copied().collect();
        let gaps = idle::gaps(&work, true);
        let ours = gaps.iter().filter(|gap| gap.wait == wait).map(|gap| gap.dur).sum();
        let what = format!("{name} stream {stream} {wait:?}");
        same(tally, &what, us(ours), &row[3], slack(device, is_exact) + 0.0051);
    }
}

fn launch_rows(
    tally: &mut Tally,
    name: &str,
    device: &Device,
    trace: &Trace,
    results: &Value,
    is_exact: bool,
) {
    let theirs = &results["launch_stats"]["0"];
    let known = |work: &&Work| {
        work.launch.is_some_and(|launch| rules::is_known_launch(trace.name(launch.id).as_str()))
    };
    let by_correlation: BTreeMap<u64, &Work> = device
        .work
        .iter()
        .filter(known)
        .map(|work| (u64::from(trace.slices.correlation[work.id]), work))
        .collect();
    same(tally, &format!("{name} launches"), by_correlation.len() as f64, &theirs["nrows"], 0.0);
    let slack = if is_exact { 1e-6 } else { 2e-3 };
    for row in theirs["rows"].as_array().expect("rows") {
        let what = format!("{name} launch {}", row[0]);
        let Some(work) = by_correlation.get(&row[0].as_u64().expect("a number")) else {
            same(tally, &what, 0.0, &Value::from("there"), 0.0);
            continue;
        };
        let launch = work.launch.expect("a launch");
        let ours =
            [launch.span.end - launch.span.start, work.dur(), launches::delay(work).expect("a launch")];
        for (column, ours) in (1..).zip(ours) {
            same(tally, &format!("{what} column {column}"), us(ours), &row[column], slack);
        }
    }
}

/// The value below which a share of sorted values lies, between neighbours in proportion, as pandas does it.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (low, part) = (at as usize, at.fract());
    sorted[low] + (sorted[(low + 1).min(sorted.len() - 1)] - sorted[low]) * part
}

fn queues(tally: &mut Tally, name: &str, device: &Device, trace: &Trace, results: &Value) {
    let streams = streams(device, trace);
    for row in of_rank(results, "queue_length_summary", 0) {
        let stream = row[1].as_u64().expect("a stream");
        let is_queued = |work: &&Work| {
            work.launch.is_some_and(|launch| rules::is_queued_launch(trace.name(launch.id).as_str()))
        };
        let work: Vec<Work> = streams[&stream].iter().filter(is_queued).copied().collect();
        let lengths = queue::lengths(&work);
        // HTA sorts by time alone and by a method that leaves what comes at one instant in any order; one
        // such pair moves one length by two.
        let ties = lengths.windows(2).filter(|pair| pair[0].0 == pair[1].0).count() as f64;
        let slack = 1e-9 + 2.0 * ties / lengths.len() as f64;
        let mut sorted: Vec<f64> = lengths.iter().map(|&(_, length)| length as f64).collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let variance = sorted.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let ours = [
            count,
            mean,
            variance.sqrt(),
            quantile(&sorted, 0.0),
            quantile(&sorted, 0.25),
            quantile(&sorted, 0.5),
            quantile(&sorted, 0.75),
            quantile(&sorted, 1.0),
        ];
        for (column, ours) in (2..).zip(ours) {
            same(tally, &format!("{name} queue {stream} column {column}"), ours, &row[column], slack);
        }
    }
}

#[test]
fn hta_cuts_off_the_last_step_and_rounds() {
    let step = |number: u32, ts: u32| {
        format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number}","pid":9,"tid":9,"ts":{ts},"dur":90}}"#
        )
    };
    let pair = |correlation: u32, call: &str, work: &str| {
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{call},"dur":5,"args":{{"correlation":{correlation}}}}},
            {{"ph":"X","cat":"kernel","name":"k{correlation}","pid":0,"tid":7,"ts":{work},"dur":7.8,"args":{{"correlation":{correlation}}}}}"#
        )
    };
    let orphan =
        r#"{"ph":"X","cat":"kernel","name":"lost","pid":0,"tid":7,"ts":1,"dur":1,"args":{"correlation":99}}"#;
    let text = format!(
        "[{},{},{},{},{orphan}]",
        step(1, 0),
        step(2, 100),
        pair(1, "10", "20.5"),
        pair(2, "110", "120.5")
    );
    let trace =
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
    let devices = rules::devices(&trace, HtaRules::default());
    let [device] = devices.as_slice() else { panic!("{devices:?}") };
    let names: Vec<_> = device.work.iter().map(|work| trace.name(work.id).to_string()).collect();
    assert_eq!(names, ["k1"], "not launched in the last step, nor before the trace");
    assert_eq!(device.work[0].span, Span { start: 21_000, end: 28_000 }, "up and down to whole microseconds");
}

/// Names of the device work that HTA keeps of a trace with two steps of the host, and of the second an
/// annotation on a device.
fn kept_with_annotation(args: &str) -> Vec<String> {
    let slice = |cat: &str, name: &str, pid: u32, (ts, dur): (u32, u32), args: &str| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":7,"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        )
    };
    let mut events = vec![
        slice("user_annotation", "ProfilerStep#1", 9, (0, 90), ""),
        slice("user_annotation", "ProfilerStep#2", 9, (100, 90), ""),
        slice("gpu_user_annotation", "ProfilerStep#2", 0, (130, 90), args),
    ];
    for (id, at) in [(1, 10), (2, 110), (3, 150)] {
        let link = format!(r#""correlation":{id}"#);
        events.push(slice("cuda_runtime", "cudaLaunchKernel", 9, (at, 5), &link));
        events.push(slice("kernel", &format!("k{id}"), 0, (at + 60, 7), &format!(r#""stream":7,{link}"#)));
    }
    let text = format!("[{}]", events.join(","));
    let trace =
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
    let devices = rules::devices(&trace, HtaRules::default());
    let [device] = devices.as_slice() else { panic!("{devices:?}") };
    device.work.iter().map(|work| trace.name(work.id).to_string()).collect()
}

/// The annotation starts 30 us after the host's step, so what is launched in between stays.
#[test]
fn htas_cut_takes_annotations_of_devices() {
    for args in [r#""External id":5"#, r#""External id":5,"stream":7"#] {
        assert_eq!(kept_with_annotation(args), ["k1", "k2"], "{args}");
    }
}

#[test]
fn hta_rules_give_htas_numbers() {
    let Some(shared) = crate::skip::shared("", "HTA's numbers") else { return };
    let mut tally = Tally::with("HTA");
    // Times with decimals were kept as doubles when HTA ran; whole microseconds need no rounding.
    for (name, is_exact) in [
        ("amd_mi250_toy", true),
        ("dlrm_8rank", true),
        ("event_sync", true),
        ("event_sync_multi_stream", true),
        ("b200", false),
        ("h100_qwen", false),
        ("mi300_qwen", false),
        ("ns_resolution", false),
    ] {
        let text = std::fs::read(shared.join(format!("oracles/hta/{name}.json"))).expect("what HTA printed");
        let oracle: Value = serde_json::from_slice(&text).expect("JSON");
        let file = shared.join("traces").join(oracle["files"]["0"].as_str().expect("a path"));
        let file = if file.exists() { file } else { PathBuf::from(format!("{}.gz", file.display())) };
        let trace = load(&Request::new([file]), &Progress::default()).expect("a trace").trace;
        let results = &oracle["r"];
        let times = if is_exact { Times::Rounded } else { Times::Doubles };
        let mut devices = rules::devices(&trace, HtaRules { times });
        let device = devices.first_mut().expect("a device");
        if name == "b200" {
            add_operators_with_streams(device, &trace);
        }
        let has_all = oracle["files"].as_object().is_some_and(|files| files.len() == 1);
        breakdowns(&mut tally, name, device, results, is_exact, has_all);
        idle_reasons(&mut tally, name, device, &trace, results, is_exact);
        launch_rows(&mut tally, name, device, &trace, results, is_exact);
        queues(&mut tally, name, device, &trace, results);
    }
    tally.finish();
}
