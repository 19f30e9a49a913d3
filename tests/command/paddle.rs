//! Paddle's protobuf through the program: a file made here is described, summed up, converted and converted
//! back.

use std::path::Path;

use proftui_trace::export::encode;
use proftui_trace::model::nodetree as pb;

use crate::binary::{printed, proftui};
use crate::scratch::Scratch;

fn host(id: i64, name: &str, kind: u32, span: (u64, u64)) -> pb::HostTraceEventNodeProto {
    pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(id - 1),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(name.into()),
            r#type: Some(kind),
            start_ns: Some(span.0),
            end_ns: Some(span.1),
            process_id: Some(42),
            thread_id: Some(7),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn sample() -> Vec<u8> {
    let nodes = vec![
        host(0, "root node", 7, (0, u64::MAX)),
        host(1, "ProfileStep#1", 2, (1_000, 11_000)),
        host(2, "forward", 9, (2_000, 6_000)),
        host(3, "matmul dygraph", 0, (3_000, 5_500)),
        host(4, "matmul kernel launch", 15, (4_000, 5_000)),
    ];
    encode(pb::NodeTreesProto {
        version: Some("1.0.2".into()),
        span_index: Some(0),
        thread_trees: vec![pb::ThreadNodeTreeProto { thread_id: Some(7), host_nodes: nodes }],
        extra_info: vec![pb::ExtraInfoMap {
            key: Some("Process Cpu Utilization".into()),
            value: Some("1.5".into()),
        }],
        ..Default::default()
    })
}

#[test]
fn tables_are_as_paddle_prints_them() {
    let scratch = Scratch::new("paddle-tables");
    let file = scratch.file("a.paddle_trace.pb", sample());
    let summary = ["summary", "--layout", "paddle", "--time-unit", "us", "--view"];
    let model = printed(&[&summary[..], &["model", &file]].concat());
    let rows: Vec<&str> = model.lines().skip(5).take(3).map(str::trim_end).collect();
    assert_eq!(
        rows,
        [
            "ProfileStep      1       10.00 / 10.00 / 10.00 / 10.00 / 100.00    0.00 / 0.00 / 0.00 / 0.00 / 0.00",
            "  Forward        1       4.00 / 4.00 / 4.00 / 4.00 / 40.00         0.00 / 0.00 / 0.00 / 0.00 / 0.00",
            "  Others         -       6.00 / - / - / - / 60.00                  0.00 / - / - / - / 0.00",
        ]
    );
    let overview = printed(&[&summary[..], &["overview", &file]].concat());
    assert!(overview.contains("DygraphKernelLaunch"), "a kind beyond the schema\n{overview}");
    let operator = [&summary[..], &["operator", "--thread-sep", "--no-op-detail", &file]].concat();
    let operator = printed(&operator);
    assert!(operator.contains("-Thread: 7-") && !operator.contains("kernel launch"), "{operator}");
    let device = printed(&[&summary[..], &["device", &file]].concat());
    assert!(device.contains("CPU(Process)                    150.00"), "{device}");
}

#[test]
fn the_options_of_a_layout_are_checked() {
    let scratch = Scratch::new("paddle-options");
    let file = scratch.file("a.pb", sample());
    for wrong in [
        ["summary", "--layout", "paddle", "--sorted-by", "time", &file],
        ["summary", "--layout", "paddle", "--view", "quality", &file],
        ["summary", "--layout", "proftui", "--view", "nonsense", &file],
    ] {
        assert_eq!(proftui(&wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn there_and_back_without_loss() {
    let scratch = Scratch::new("paddle-convert");
    let file = scratch.file("a.pb", sample());
    for ending in ["json", "json.gz", "json.zst"] {
        let (json, back) = (scratch.path(&format!("b.{ending}")), scratch.path(&format!("{ending}.pb")));
        printed(&["convert", &file, &json]);
        assert!(!proftui(&["convert", &file, &json]).status.success(), "not over a file that exists");
        printed(&["convert", &json, &back]);
        assert_eq!(std::fs::read(&back).expect("written"), sample());
        let tables = |file: &str| printed(&["summary", "--layout", "paddle", "--thread-sep", file]);
        assert_eq!(tables(&json), tables(&file));
    }
}

/// The same with a kernel that an operator of known shapes launched.
fn with_arguments() -> Vec<u8> {
    use pb::operator_supplement_event_proto::{InputShapes, Shape, ShapeVector};
    let shape = |size: &[u64]| Shape { size: size.to_vec() };
    let shapes = InputShapes {
        key: vec!["X".into(), "Y".into()],
        shape_vecs: vec![
            ShapeVector { shapes: vec![shape(&[32, 64])] },
            ShapeVector { shapes: vec![shape(&[64, 10]), shape(&[])] },
        ],
    };
    let kernel = pb::DeviceTraceEventProto {
        name: Some("gemm".into()),
        r#type: Some(4),
        start_ns: Some(6_000),
        end_ns: Some(9_000),
        correlation_id: Some(5),
        kernel_info: Some(pb::KernelEventInfoProto {
            grid_x: Some(80),
            grid_y: Some(2),
            grid_z: Some(1),
            block_x: Some(256),
            block_y: Some(1),
            block_z: Some(1),
            registers_per_thread: Some(40),
            static_shared_memory: Some(1024),
            dynamic_shared_memory: Some(24),
            blocks_per_sm: Some(1.25),
            occupancy: Some(0.5),
            ..Default::default()
        }),
        ..Default::default()
    };
    let call = pb::CudaRuntimeTraceEventProto {
        name: Some("cudaLaunchKernel".into()),
        start_ns: Some(4_100),
        end_ns: Some(4_900),
        process_id: Some(42),
        thread_id: Some(7),
        correlation_id: Some(5),
        ..Default::default()
    };
    let mut operator = host(3, "matmul dygraph", 0, (3_000, 5_500));
    operator.op_supplement_nodes = vec![pb::OperatorSupplementEventNodeProto {
        op_supplement_event: Some(pb::OperatorSupplementEventProto {
            input_shapes: Some(shapes),
            ..Default::default()
        }),
    }];
    operator.runtime_nodes = vec![pb::CudaRuntimeTraceEventNodeProto {
        runtime_trace_event: Some(call),
        device_nodes: vec![pb::DeviceTraceEventNodeProto { device_event: Some(kernel) }],
    }];
    let nodes = vec![
        host(0, "root node", 7, (0, u64::MAX)),
        host(1, "ProfileStep#1", 2, (1_000, 11_000)),
        host(2, "forward", 9, (2_000, 6_000)),
        operator,
    ];
    encode(pb::NodeTreesProto {
        version: Some("1.0.2".into()),
        span_index: Some(0),
        thread_trees: vec![pb::ThreadNodeTreeProto { thread_id: Some(7), host_nodes: nodes }],
        ..Default::default()
    })
}

#[test]
fn arguments_are_read_in_bulk_from_protobuf_as_from_its_json() {
    let scratch = Scratch::new("paddle-arguments");
    let file = scratch.file("a.pb", with_arguments());
    let json = scratch.path("b.json");
    printed(&["convert", &file, &json]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &with_arguments()).expect("written");
    let packed = scratch.file("a.pb.gz", packed.finish().expect("written"));
    let tables = |file: &str| printed(&["summary", "--layout", "visualdl", "--format", "csv", file]);
    let all = tables(&file);
    for stated in ["[80,2,1]", "[256,1,1]", ",40,1048", "1.25,0.5,", "X:[[32, 64]] Y:[[64, 10], []]"] {
        assert!(all.contains(stated), "{stated}\n{all}");
    }
    assert_eq!(tables(&json), all);
    assert_eq!(tables(&packed), all);
}

#[test]
fn what_cannot_be_converted_is_said() {
    let scratch = Scratch::new("paddle-refused");
    let file = scratch.file("a.pb", sample());
    let other = scratch.file("other.json", b"{\"traceEvents\":[{\"ph\":\"X\"}]}");
    let cut = scratch.file("cut.pb", &sample()[..100]);
    for (from, to, what) in [
        (&file, "x.txt", "unknown file ending"),
        (&other, "x.pb", "neither JSON that Paddle's profiler wrote"),
        (&cut, "x.json", "cannot be read as Paddle's protobuf"),
    ] {
        let to = scratch.path(to);
        let out = proftui(&["convert", from, &to]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(1) && said.contains(what), "{said}");
        assert!(!Path::new(&to).exists());
    }
}

#[test]
fn ranges_outside_of_steps_are_not_paddles() {
    let folder = Scratch::new("paddle-outside");
    let path = folder.path("trace.json");
    let range = |name: &str, ts: u32| {
        format!(r#"{{"ph":"X","cat":"PythonUserDefined","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":5}}"#)
    };
    let events = ["proftui: start-up", "mine", "proftui: recorder", "proftui: teardown"];
    let events: Vec<String> = (0..).step_by(10).zip(events).map(|(ts, name)| range(name, ts)).collect();
    std::fs::write(&path, format!("[{}]", events.join(","))).expect("a file");
    let table = printed(&["summary", "--layout", "paddle", "--view", "userdefined", &path]);
    assert!(table.contains("mine") && !table.contains("proftui:"), "{table}");
}
