//! Writes JSON by the rules of Paddle's `export_chrome_tracing`, with its losses: `ts` floored to
//! microseconds, relative times in single precision, names without escapes, an empty object at the end. Must
//! not know who reads it.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fmt::Write;

use proftui_trace::model::nodetree as pb;

/// Where a slice is shown: a process or device, and a lane of it as JSON.
type Lane = (u64, String);

fn shown(bytes: Option<&Vec<u8>>) -> String {
    String::from_utf8_lossy(bytes.map_or(&[], Vec::as_slice)).into_owned()
}

/// Single precision with three decimals, µs.
fn us(ns: i64) -> String {
    format!("{:.3}", ns as f32 / 1000.0)
}

struct Writer {
    out: String,
    /// Start of the trace, ns.
    zero: u64,
}

impl Writer {
    fn slice(&mut self, name: &str, category: &str, lane: &Lane, (start, end): (u64, u64), args: &str) {
        let (dur, from) = ((end - start) as i64, start as i64 - self.zero as i64);
        let label = if dur > 1_000_000 {
            format!("{:.3} ms", dur as f32 / 1e6)
        } else {
            format!("{:.3} us", dur as f32 / 1e3)
        };
        let _ = write!(
            self.out,
            "\n  {{\n    \"name\": \"{name}[{label}]\", \"pid\": {}, \"tid\": {},\n    \"ts\": {}, \"dur\": {},\n    \"ph\": \"X\", \
             \"cat\": \"{category}\",\n    \"args\": {{\n      \"start_time\": \"{} us\",\n      \"end_time\": \"{} us\"{args}\n    }}\n  }},",
            lane.0,
            lane.1,
            start / 1000,
            us(dur),
            us(from),
            us(from + dur),
        );
    }

    fn flow(&mut self, phase: &str, correlation: u32, lane: &Lane, at: u64) {
        let _ = write!(
            self.out,
            "\n  {{\"name\": \"launch\", \"id\": {correlation}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"ph\": \"{phase}\", \
             \"cat\": \"async\"}},",
            lane.0,
            lane.1,
            at / 1000,
        );
    }

    fn device(&mut self, event: &pb::DeviceTraceEventProto) {
        let (start, end) = (event.start_ns(), event.end_ns());
        let mut args = format!(
            ",\n      \"device\": {}, \"context\": {},\n      \"stream\": {}, \"correlation id\": {}",
            event.device_id(),
            event.context_id(),
            event.stream_id(),
            event.correlation_id(),
        );
        if let Some(kernel) = &event.kernel_info {
            let _ = write!(
                args,
                ", \"registers per thread\": {}, \"shared memory\": {}, \"blocks per SM\": {:.6}, \"warps per SM\": {:.6}, \
                 \"grid\": [{}, {}, {}], \"block\": [{}, {}, {}], \"theoretical achieved occupancy %\": {:.3}",
                kernel.registers_per_thread(),
                kernel.static_shared_memory() + kernel.dynamic_shared_memory(),
                kernel.blocks_per_sm(),
                kernel.warps_per_sm(),
                kernel.grid_x(),
                kernel.grid_y(),
                kernel.grid_z(),
                kernel.block_x(),
                kernel.block_y(),
                kernel.block_z(),
                kernel.occupancy() * 100.0,
            );
        }
        if let Some(copy) = &event.memcpy_info {
            let bandwidth = copy.num_bytes() as f64 / (end - start) as f64;
            let printed = copy.num_bytes() as u32 as i32;
            let _ = write!(args, ", \"bytes\": {printed}, \"memory bandwidth (GB/s)\": {bandwidth:.3}");
        }
        if let Some(memset) = &event.memset_info {
            let _ = write!(args, ", \"bytes\": {}, \"value\": {}", memset.num_bytes(), memset.value());
        }
        let lane = (event.device_id(), event.stream_id().to_string());
        let category = pb::kind_name(event.r#type()).expect("a kind");
        self.slice(&shown(event.name.as_ref()), category, &lane, (start, end), &args);
        self.flow("f", event.correlation_id(), &lane, start.midpoint(end));
    }

    fn memory(&mut self, event: &pb::MemTraceEventProto, lane: &Lane) {
        let kind = pb::args::memory_kind(event.r#type());
        let _ = write!(
            self.out,
            "\n  {{\n    \"name\": \"[memory]\", \"pid\": {}, \"tid\": {},\n    \"ts\": {},\n    \"ph\": \"i\", \"cat\": \"{kind}\",\n    \
             \"args\": {{\"place\": \"{}\", \"addr\": \"{}\", \"increase_bytes\": {}, \"current_allocated\": {}, \
             \"current_reserved\": {}, \"peak_allocated\": {}, \"peak_reserved\": {}}}\n  }},",
            lane.0,
            lane.1,
            event.timestamp_ns() / 1000,
            shown(event.place.as_ref()),
            event.addr(),
            event.increase_bytes(),
            event.current_allocated(),
            event.current_reserved(),
            event.peak_allocated(),
            event.peak_reserved(),
        );
    }

    fn node(&mut self, node: &pb::HostTraceEventNodeProto) {
        if let Some(event) = node.host_trace_event.as_ref().filter(|_| node.parentid() >= 0) {
            let layer = if pb::is_python(event.r#type()) { "Python" } else { "C++" };
            let lane = (event.process_id(), format!("\"{}({layer})\"", event.thread_id()));
            let mut args = serde_json::json!({});
            pb::args::operator(node, &mut args);
            let members = args.as_object().into_iter().flatten();
            let args: Vec<String> =
                members.map(|(key, value)| format!(",\n      \"{key}\": {value}")).collect();
            let args = args.concat();
            let category = pb::kind_name(event.r#type()).expect("a kind");
            self.slice(
                &shown(event.name.as_ref()),
                category,
                &lane,
                (event.start_ns(), event.end_ns()),
                &args,
            );
        }
        for call in &node.runtime_nodes {
            let event = call.runtime_trace_event.as_ref().expect("a call");
            let lane = (event.process_id(), format!("\"{}(C++)\"", event.thread_id()));
            let (span, correlation) = ((event.start_ns(), event.end_ns()), event.correlation_id());
            let args = format!(",\n      \"correlation id\": {correlation}");
            self.slice(&shown(event.name.as_ref()), "CudaRuntime", &lane, span, &args);
            self.flow("s", correlation, &lane, span.0.midpoint(span.1));
            call.device_nodes
                .iter()
                .filter_map(|work| work.device_event.as_ref())
                .for_each(|work| self.device(work));
        }
        for event in node.mem_nodes.iter().filter_map(|node| node.mem_event.as_ref()) {
            self.memory(event, &(event.process_id(), format!("\"{}(C++)\"", event.thread_id())));
        }
    }
}

/// The trees as JSON. The trace starts at `zero` (ns).
pub(crate) fn paddle_json(trees: &pb::NodeTreesProto, zero: u64) -> String {
    let version = shown(trees.version.as_ref());
    let devices: Vec<String> = trees
        .device_property
        .iter()
        .map(|device| {
            format!(
                "{{\"id\": {}, \"name\": \"{}\", \"totalGlobalMem\": {}, \"computeMajor\": {}, \"computeMinor\": {}, \"smCount\": {}}}",
                device.id(),
                shown(device.name.as_ref()),
                device.total_global_memory(),
                device.compute_major(),
                device.compute_minor(),
                device.sm_count(),
            )
        })
        .collect();
    let head = format!(
        "\n  {{\n    \"displayTimeUnit\": \"ms\",\n    \"schemaVersion\": \"{version}\",\n    \"span_index\": \"{}\",\n    \
         \"deviceProperties\": [{}],\n    \"traceEvents\": [\n",
        trees.span_index(),
        devices.join(", "),
    );
    let mut writer = Writer { out: head, zero };
    trees.thread_trees.iter().flat_map(|tree| &tree.host_nodes).for_each(|node| writer.node(node));
    let extra: Vec<String> = trees
        .extra_info
        .iter()
        .map(|entry| format!("\"{}\": \"{}\"", shown(entry.key.as_ref()), shown(entry.value.as_ref())))
        .collect();
    format!("{}\n  {{}}\n  ],\n  \"ExtraInfo\": {{{}}}\n  }}\n", writer.out, extra.join(", "))
}
