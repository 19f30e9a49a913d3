//! Findings about how well kernels use a device: products far below the peaks, few warps, streams one after
//! the other.

use proftui_insight::analysis::insights::{Finding, Insights, insights};
use proftui_insight::analysis::{Arguments, Scope};
use proftui_trace::import::{Progress, Request, load_bytes};

const A100: &str = r#"{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85000000000, "computeMajor": 8, "computeMinor": 0}"#;

/// A trace with these devices and events.
fn judged(device: &str, events: &[String]) -> Insights {
    let text = format!(r#"{{"deviceProperties": [{device}], "traceEvents": [{}]}}"#, events.join(","));
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    let (trace, scope) = (&loaded.trace, Scope::default());
    insights(trace, &scope, &Arguments::of_findings(trace, &loaded.texts, &scope))
}

fn found<'a>(insights: &'a Insights, rule: &str) -> Option<&'a Finding> {
    insights.findings.iter().find(|finding| finding.rule == rule)
}

fn abstained<'a>(insights: &'a Insights, rule: &str) -> Option<&'a str> {
    insights.abstained.iter().find(|abstained| abstained.rule == rule).map(|abstained| abstained.why.as_str())
}

/// Ten products of bfloat16 matrices of 4096 x 4096, one after the other without a gap, with the shapes
/// given; each kernel takes `us`. The least time on this device is 2 * 4096^3 / 271.2e12 s = 506.78 µs.
fn products(us: u64, shapes: &str, kernel: &str) -> Vec<String> {
    let one = |n: u64| {
        let (at, start) = (n * 20, 1_000 + n * us);
        [
            format!(
                r#"{{"ph":"X","cat":"cpu_op","name":"aten::matmul","pid":1,"tid":1,"ts":{at},"dur":16}}"#
            ),
            format!(
                r#"{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{},"dur":12,"args":{{{shapes}}}}}"#,
                at + 2
            ),
            format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"correlation":{}}}}}"#,
                at + 4,
                n + 1
            ),
            format!(
                r#"{{"ph":"X","cat":"kernel","name":"ampere_bf16_s16816gemm","pid":0,"tid":7,"ts":{start},"dur":{us},"args":{{"device":0,"stream":7,"correlation":{}{kernel}}}}}"#,
                n + 1
            ),
        ]
    };
    (0..10).flat_map(one).collect()
}

const SHAPES: &str =
    r#""Input Dims":[[4096,4096],[4096,4096]],"Input type":["c10::BFloat16","c10::BFloat16"]"#;
const FULL: &str = r#","est. achieved occupancy %":50,"blocks per SM":4.0"#;

#[test]
fn products_far_below_the_peaks_are_found_with_their_numbers() {
    let insights = judged(A100, &products(1_500, SHAPES, FULL));
    let finding = found(&insights, "under_the_roof").expect("a finding");
    let number = |name: &str| finding.numbers.iter().find(|number| number.name == name).expect(name).value;
    let whole = |name: &str| number(name) as i64;
    assert_eq!(whole("kernels"), 15_000_000);
    // Ten times 506.78 µs and 5 µs for each kernel to start and end.
    assert_eq!(whole("least"), 5_117_808);
    assert!((number("attained") - 0.3412).abs() < 1e-4);
    assert_eq!((whole("launched"), whole("judged")), (10, 1));
    assert_eq!(finding.saves, 15_000_000 - 5_117_809, "{finding:?}");
    assert_eq!(finding.seen[0].0, "aten::mm [[4096, 4096], [4096, 4096]], bfloat16: 34 % of the peak");
    assert!(found(&insights, "low_occupancy").is_none());
}

#[test]
fn products_near_the_peaks_are_no_finding() {
    let insights =
        judged(A100, &products(600, SHAPES, r#","est. achieved occupancy %":6,"blocks per SM":1.0"#));
    assert!(found(&insights, "under_the_roof").is_none() && abstained(&insights, "under_the_roof").is_none());
    // Few warps are no fault of fast kernels.
    assert!(found(&insights, "low_occupancy").is_none() && abstained(&insights, "low_occupancy").is_none());
}

#[test]
fn more_than_the_peak_is_not_believed() {
    let insights = judged(A100, &products(400, SHAPES, FULL));
    let why = abstained(&insights, "under_the_roof").expect("abstained");
    assert!(why.contains("in bfloat16 got 127 % of the peak that is known"), "{why}");
}

#[test]
fn what_is_missing_is_named() {
    let of = |device: &str, shapes: &str| {
        let insights = judged(device, &products(1_500, shapes, FULL));
        assert!(found(&insights, "under_the_roof").is_none());
        assert!(
            abstained(&insights, "low_occupancy")
                .expect("abstained")
                .contains("occupancy alone says nothing")
        );
        abstained(&insights, "under_the_roof").expect("abstained").to_owned()
    };
    assert!(of(A100, "").contains("record_shapes=True"));
    assert_eq!(of(r#"{"id": 0, "name": "Toaster"}"#, SHAPES), "the peaks of Toaster are not known");
    assert!(of("", SHAPES).contains("does not name its devices"));
    let whole = SHAPES.replace("c10::BFloat16", "long int");
    assert!(of(A100, &whole).contains("by the recorded inputs, types and kernels"));
    // A table without arguments says so.
    let text = format!(
        r#"{{"deviceProperties": [{A100}], "traceEvents": [{}]}}"#,
        products(1_500, SHAPES, FULL).join(",")
    );
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    let bare = insights(&loaded.trace, &Scope::default(), &Arguments::default());
    assert!(abstained(&bare, "under_the_roof").expect("abstained").contains("not read for this table"));
}

#[test]
fn a_device_that_its_records_number_otherwise_is_known_by_its_name() {
    let other = A100.replace(r#""id": 0"#, r#""id": 5"#);
    assert!(found(&judged(&other, &products(1_500, SHAPES, FULL)), "under_the_roof").is_some());
    let unlike = format!(r#"{other}, {{"id": 6, "name": "NVIDIA L4"}}"#);
    assert!(found(&judged(&unlike, &products(1_500, SHAPES, FULL)), "under_the_roof").is_none());
}

#[test]
fn few_warps_are_found_beside_time_below_the_peaks_only() {
    let few = r#","est. achieved occupancy %":12,"blocks per SM":0.3"#;
    let insights = judged(A100, &products(1_500, SHAPES, few));
    let finding = found(&insights, "low_occupancy").expect("a finding");
    assert_eq!((finding.saves, finding.time), (0, Some(15_000_000)));
    assert!(
        finding.detail.contains("12 % of those") && finding.detail.contains("fewer blocks"),
        "{}",
        finding.detail
    );
    let unstated = judged(A100, &products(1_500, SHAPES, ""));
    assert!(abstained(&unstated, "low_occupancy").expect("abstained").contains("is not known"));
    // A kernel of many blocks has warps: 0 is no measure of it.
    let zero =
        judged(A100, &products(1_500, SHAPES, r#","est. achieved occupancy %":0,"blocks per SM":8.0"#));
    assert!(found(&zero, "low_occupancy").is_none());
}

/// Kernels that alternate between two streams, each of 100 µs, all launched before the first began; `wait`
/// are the events of a wait before the kernel that begins at a time on a stream.
fn streams(blocks: &str, wait: impl Fn(u64, u64) -> Option<String>) -> Vec<String> {
    let one = |n: u64| {
        let (stream, start) = (7 + n % 2, 1_000 + n * 100);
        let launch = format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"correlation":{}}}}}"#,
            n * 10,
            n + 1
        );
        let kernel = format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":{stream},"ts":{start},"dur":100,"args":{{"device":0,"stream":{stream},"correlation":{}{blocks}}}}}"#,
            n + 1
        );
        [Some(launch), wait(stream, start), Some(kernel)]
    };
    // The record of one wait, so that waits are known to be recorded.
    let recorded = r#"{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":9,"ts":900,"dur":1,"args":{"device":0,"stream":9}}"#;
    (0..20).flat_map(one).flatten().chain([recorded.to_owned()]).collect()
}

#[test]
fn streams_that_could_overlap_are_found_where_waits_are_recorded() {
    let small = r#","blocks per SM":0.4"#;
    let insights = judged(A100, &streams(small, |_, _| None));
    let finding = found(&insights, "serial_streams").expect("a finding");
    assert_eq!((finding.saves, finding.time), (0, Some(19 * 100_000)));
    let waits = |stream: u64, start: u64| {
        Some(format!(
            r#"{{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":{stream},"ts":{},"dur":99,"args":{{"device":0,"stream":{stream}}}}}"#,
            start - 99
        ))
    };
    assert!(
        found(&judged(A100, &streams(small, waits)), "serial_streams").is_none(),
        "each waited for the other"
    );
    let full = judged(A100, &streams(r#","blocks per SM":8.0"#, |_, _| None));
    assert!(found(&full, "serial_streams").is_none() && abstained(&full, "serial_streams").is_none());
    let unstated = judged(A100, &streams("", |_, _| None));
    assert!(
        abstained(&unstated, "serial_streams").expect("abstained").contains("multiprocessor are not known")
    );
    let mut events = streams(small, |_, _| None);
    events.pop();
    assert!(
        abstained(&judged(A100, &events), "serial_streams").expect("abstained").contains("not in the trace")
    );
}
