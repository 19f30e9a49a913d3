//! JSON as Paddle's `export_chrome_tracing` writes it becomes protobuf with the same tables, and what it
//! lacks is said.

use proftui_trace::export::encode;
use proftui_trace::model::nodetree as pb;

use crate::binary::{printed, proftui, said};
use crate::paddle_writer::paddle_json;
use crate::scratch::Scratch;

/// Start of the trace, ns.
const ZERO: u64 = 1_790_000_000_123_456_789;
/// Process of all threads.
const PID: u64 = 42;

/// Numbers that look random, always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Makes the trees of a profile with two devices.
struct Maker {
    random: Random,
    tid: u64,
    correlation: u32,
    /// When the last work of each device ends.
    busy: [u64; 2],
    nodes: Vec<pb::HostTraceEventNodeProto>,
}

fn host(name: &str, kind: u32, (start, end): (u64, u64), tid: u64) -> pb::HostTraceEventProto {
    pb::HostTraceEventProto {
        name: Some(name.into()),
        r#type: Some(kind),
        start_ns: Some(start),
        end_ns: Some(end),
        process_id: Some(PID),
        thread_id: Some(tid),
        ..Default::default()
    }
}

impl Maker {
    fn call(&mut self, (start, end): (u64, u64)) -> pb::CudaRuntimeTraceEventNodeProto {
        self.correlation += 1;
        let device = self.random.below(2);
        let from = self.busy[device as usize].max(end);
        let until = from + 300 + self.random.below(30_000);
        self.busy[device as usize] = until;
        let kind = 4 + self.random.below(3) as u32;
        let kernel = pb::KernelEventInfoProto {
            block_x: Some(256),
            block_y: Some(1),
            block_z: Some(1),
            grid_x: Some(80),
            grid_y: Some(2),
            grid_z: Some(1),
            registers_per_thread: Some(40),
            static_shared_memory: Some(1024),
            occupancy: Some(0.5),
            blocks_per_sm: Some(1.25),
            warps_per_sm: Some(10.0),
            ..Default::default()
        };
        let copy = pb::MemcpyEventInfoProto { num_bytes: Some(5_000_000_123), ..Default::default() };
        let memset = pb::MemsetEventInfoProto { num_bytes: Some(77), value: Some(1), ..Default::default() };
        let work = pb::DeviceTraceEventProto {
            name: Some(["gemm<float>(int)", "MEMCPY_HtoD", "MEMSET"][kind as usize - 4].into()),
            r#type: Some(kind),
            start_ns: Some(from),
            end_ns: Some(until),
            device_id: Some(device),
            context_id: Some(1),
            stream_id: Some(7 + device),
            correlation_id: Some(self.correlation),
            kernel_info: (kind == 4).then_some(kernel),
            memcpy_info: (kind == 5).then_some(copy),
            memset_info: (kind == 6).then_some(memset),
            ..Default::default()
        };
        let event = pb::CudaRuntimeTraceEventProto {
            name: Some("cudaLaunchKernel".into()),
            start_ns: Some(start),
            end_ns: Some(end),
            process_id: Some(PID),
            thread_id: Some(self.tid),
            correlation_id: Some(self.correlation),
            callback_id: Some(0),
            ..Default::default()
        };
        pb::CudaRuntimeTraceEventNodeProto {
            runtime_trace_event: Some(event),
            device_nodes: vec![pb::DeviceTraceEventNodeProto { device_event: Some(work) }],
        }
    }

    fn memory(&mut self, time: u64) -> pb::MemTraceEventNodeProto {
        let kind = self.random.below(4) as u32;
        let place = ["Place(gpu:0)", "Place(gpu:1)", "Place(cpu)"][self.random.below(3) as usize];
        let event = pb::MemTraceEventProto {
            timestamp_ns: Some(time),
            r#type: Some(kind),
            addr: Some(4096),
            process_id: Some(PID),
            thread_id: Some(self.tid),
            increase_bytes: Some(if kind.is_multiple_of(2) { 256 } else { -256 }),
            place: Some(place.into()),
            current_allocated: Some(256),
            current_reserved: Some(512),
            peak_allocated: Some(512),
            peak_reserved: Some(1024),
            ..Default::default()
        };
        pb::MemTraceEventNodeProto { mem_event: Some(event) }
    }

    /// Adds what lies inside of a node of the given kind.
    fn fill(
        &mut self,
        node: &mut pb::HostTraceEventNodeProto,
        kind: u32,
        (start, end): (u64, u64),
    ) -> Vec<(u32, (u64, u64))> {
        let mut inside = Vec::new();
        let mut at = start;
        loop {
            // Some events touch, some are empty.
            let from = at + self.random.below(4) * 400;
            let until = from + self.random.below(8) * (end - start) / 24;
            if until >= end {
                return inside;
            }
            match self.random.below(6) {
                0 => node.runtime_nodes.push(self.call((from, until))),
                1 => node.mem_nodes.push(self.memory(from)),
                _ if end - start < 4_000 => {}
                2 if kind == 0 => inside.push((8, (from, until))),
                3 if kind == 2 => inside.push((9, (from, until))),
                4 => inside.push((14, (from, until))),
                _ => inside.push((0, (from, until))),
            }
            at = until;
        }
    }

    /// The tree of a thread, breadth first, with three steps.
    fn tree(&mut self, tid: u64) -> pb::ThreadNodeTreeProto {
        self.tid = tid;
        let start = ZERO + tid * 1_000;
        let root = pb::HostTraceEventNodeProto {
            id: Some(0),
            parentid: Some(-1),
            host_trace_event: Some(host("root node", 7, (0, u64::MAX), 0)),
            runtime_nodes: vec![self.call((start + 10, start + 500))],
            ..Default::default()
        };
        self.nodes = vec![root];
        let mut queue: std::collections::VecDeque<(i64, u32, (u64, u64), String)> = (0..3)
            .map(|step| {
                let from = start + 1_000 + step * 400_000;
                (0, 2, (from, from + 400_000 - step), format!("ProfileStep#{step}"))
            })
            .collect();
        while let Some((parent, kind, span, name)) = queue.pop_front() {
            let id = self.nodes.len() as i64;
            let mut node = pb::HostTraceEventNodeProto {
                id: Some(id),
                parentid: Some(parent),
                host_trace_event: Some(host(&name, kind, span, tid)),
                ..Default::default()
            };
            for (kind, span) in self.fill(&mut node, kind, span) {
                queue.push_back((id, kind, span, format!("event {kind} {}", self.random.below(3))));
            }
            self.nodes.push(node);
        }
        pb::ThreadNodeTreeProto { thread_id: Some(tid), host_nodes: std::mem::take(&mut self.nodes) }
    }
}

fn profile(seed: u64) -> pb::NodeTreesProto {
    let mut maker = Maker { random: Random(seed), tid: 0, correlation: 0, busy: [0; 2], nodes: Vec::new() };
    let entry =
        |key: &str, value: &str| pb::ExtraInfoMap { key: Some(key.into()), value: Some(value.into()) };
    let device = |id| pb::DevicePropertyProto {
        id: Some(id),
        name: Some("H200".into()),
        total_global_memory: Some(150_000_000_000),
        compute_major: Some(9),
        compute_minor: Some(0),
        sm_count: Some(132),
        ..Default::default()
    };
    pb::NodeTreesProto {
        version: Some("1.0.2".into()),
        span_index: Some(3),
        thread_trees: vec![maker.tree(50), maker.tree(70)],
        extra_info: vec![
            entry("50", "main"),
            entry("Process Cpu Utilization", "1.5"),
            entry("System Cpu Utilization", "0.25"),
        ],
        device_property: vec![device(0), device(1)],
        ..Default::default()
    }
}

/// The tables that are made of both files, times in ns.
fn tables(layout: &str, file: &str) -> String {
    printed(&["summary", "--layout", layout, "--time-unit", "ns", file])
}

#[test]
fn tables_of_json_and_of_its_protobuf_are_those_of_the_profile() {
    let scratch = Scratch::new("paddle-json");
    for seed in 0..6 {
        let trees = profile(seed);
        let json = scratch.file(&format!("{seed}.json"), paddle_json(&trees, ZERO + 51_000));
        let original = scratch.file(&format!("{seed}.pb"), encode(trees));
        let made = scratch.path(&format!("{seed}.made.pb"));
        printed(&["convert", &json, &made]);
        let paddle = ["summary", "--layout", "paddle", "--thread-sep", "--time-unit", "ns"];
        let of = |file: &str| printed(&[&paddle[..], &[file]].concat());
        assert_eq!(of(&made), of(&original), "seed {seed}");
        assert_eq!(tables("visualdl", &made).lines().count(), tables("visualdl", &original).lines().count());
        let info = |file: &str| crate::binary::json(&["info", "--format", "json", file]);
        let (made, original) = (info(&made), info(&original));
        for key in ["slices", "lanes", "links", "memory_events", "categories", "devices", "warn"] {
            assert_eq!(made[key], original[key], "seed {seed}: {key}");
        }
    }
}

#[test]
fn what_the_json_lacks_is_said() {
    let scratch = Scratch::new("paddle-json-lacks");
    let trees = profile(1);
    let text = paddle_json(&trees, ZERO).replace("\"ph\": \"X\", \"cat\": \"Forward\"", "\"ph\": \"C\"");
    let json = scratch.file("a.json", &text);
    let made = scratch.path("a.pb");
    let out = proftui(&["convert", &json, &made]);
    let lines = said(&out);
    for part in
        ["callback number", "local memory", "kinds of memory", "whole microseconds", "left out", "\"C\""]
    {
        assert_eq!(lines.lines().filter(|line| line.contains(part)).count(), 1, "{part}: {lines}");
    }
    assert!(lines.lines().all(|line| line.starts_with("proftui: ") && line.contains("a.json: ")), "{lines}");
    assert!(!proftui(&["convert", &json, &made]).status.success(), "not over a file that exists");
    assert!(proftui(&["convert", "--force", &json, &made]).status.success());
}

#[test]
fn other_orders_and_unescaped_names_are_read() {
    let scratch = Scratch::new("paddle-json-order");
    let event = |name: &str, cat: &str, tid: &str, start: u64, dur: u64| {
        format!(
            "{{\"name\": \"{name}[{dur}.000 us]\", \"pid\": 1, \"tid\": \"1({tid})\", \"ts\": {start}, \"dur\": {dur}, \"ph\": \"X\", \
             \"cat\": \"{cat}\", \"args\": {{\"start_time\": \"{start}.000 us\", \"end_time\": \"{}.000 us\"}}}}",
            start + dur
        )
    };
    let events = [
        event("say \"hi\" \\ \t", "PythonUserDefined", "Python", 20, 5),
        event("inner", "OperatorInner", "C++", 22, 2),
        event("ProfileStep#0", "ProfileStep", "Python", 0, 100),
        event("strange", "Strange", "C++", 50, 5),
    ];
    let json = scratch.file(
        "a.json",
        format!(
            "{{\"schemaVersion\": \"1.0.2\", \"span_indx\": \"0\", \"traceEvents\": [{}, {{}}], \"ExtraInfo\": {{}}}}",
            events.join(",")
        ),
    );
    let made = scratch.path("a.pb");
    let out = proftui(&["convert", &json, &made]);
    let lines = said(&out);
    assert!(out.status.success(), "{lines}");
    for part in ["not escaped", "nested by time", "\"Strange\""] {
        assert!(lines.contains(part), "{part}: {lines}");
    }
    let table = printed(&["summary", "--layout", "paddle", "--view", "userdefined", &made]);
    assert!(table.contains(r#"say "hi" \ \t"#), "{table}");
}

#[test]
fn other_json_is_refused() {
    let scratch = Scratch::new("paddle-json-other");
    let recorded =
        r#"{"schemaVersion":"1.0.2","span_index":"0","ExtraInfo":{"proftui.version":"1"},"traceEvents":[]}"#;
    let kineto =
        r#"{"schemaVersion":1,"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}"#;
    let broken = r#"{"schemaVersion":"1.0.2","span_index":"0","traceEvents":[{"ph":"#;
    for (text, part) in [(recorded, "--format pb"), (kineto, "neither"), (broken, "EOF")] {
        let file = scratch.file("a.json", text);
        let out = proftui(&["convert", &file, &scratch.path("a.pb")]);
        assert_eq!(out.status.code(), Some(1));
        assert!(said(&out).contains(part), "{}", said(&out));
        assert!(!std::path::Path::new(&scratch.path("a.pb")).exists());
    }
}
