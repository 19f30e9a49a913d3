//! Writes Paddle's node trees as Chrome Trace Event JSON, event by event as Paddle does.
//!
//! Each event of a tree carries its whole protobuf message among its arguments; the header, which has the
//! events of unified memory, and trees and roots go into metadata events, which viewers skip. So the
//! conversion loses nothing. Readers of Paddle's JSON find all keys they look for; the key of the span's
//! number is written in both of Paddle's spellings (`span_indx`, `span_index`).

mod metadata;

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::model::nodetree::args::{self, shown};
use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, DeviceTraceEventNodeProto, HostTraceEventNodeProto, HostTraceEventProto,
    MemTraceEventNodeProto, NodeTreesProto, STAND_IN, ThreadNodeTreeProto, UNIFIED_MEMORY,
    UNIFIED_MEMORY_LANE, UnifiedMemoryProto, is_python, kind_name,
};

use super::ExportError;
use super::time::{Relative, Us};

/// Writes `trees` as one JSON document in the form of Paddle's profiler, with the protobuf messages among the
/// events' arguments.
///
/// # Errors
/// When writing to `to` fails.
pub fn write_json(trees: &NodeTreesProto, to: &mut dyn Write) -> Result<(), ExportError> {
    let span = trees.span_index().to_string();
    let head = json!({
        "displayTimeUnit": "ms",
        "schemaVersion": shown(trees.version()),
        "span_indx": span,
        "span_index": span,
        "deviceProperties": metadata::devices(trees),
        "ExtraInfo": metadata::extra_info(trees),
    });
    // The header is written without its closing brace: the array of events follows as its last member.
    let head = head.to_string();
    to.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
    to.write_all(b",\"traceEvents\":[\n")?;
    let mut writer = Writer { to, is_first: true, zero: metadata::zero(trees), lanes: BTreeSet::new() };
    let header = NodeTreesProto {
        version: trees.version.clone(),
        span_index: trees.span_index,
        thread_trees: Vec::new(),
        extra_info: trees.extra_info.clone(),
        device_property: trees.device_property.clone(),
        streams: trees.streams.clone(),
        unified_memory: trees.unified_memory.clone(),
    };
    writer.event(&json!({"ph": "M", "name": "nodetree", "args": {"nodetree": header}}))?;
    for tree in &trees.thread_trees {
        writer.tree(tree)?;
    }
    for event in &trees.unified_memory {
        writer.unified(event)?;
    }
    writer.names(trees)?;
    writer.to.write_all(b"\n]}\n")?;
    Ok(())
}

/// Writes events, and collects the host threads and streams that they are on, to be named at the end.
struct Writer<'a> {
    to: &'a mut dyn Write,
    /// True until an event was written.
    is_first: bool,
    /// The time that relative times count from, ns.
    zero: u64,
    /// The threads and streams to name, each as true for a stream, the number of its process or device, and
    /// its own number.
    lanes: BTreeSet<(bool, u64, u64)>,
}

impl Writer<'_> {
    /// Writes an event that has no time, as it is.
    fn event(&mut self, event: &Value) -> Result<(), ExportError> {
        if !std::mem::take(&mut self.is_first) {
            self.to.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *self.to, event).map_err(io::Error::from)?;
        Ok(())
    }

    /// Writes the tree of a thread: a metadata event, then all nodes.
    fn tree(&mut self, tree: &ThreadNodeTreeProto) -> Result<(), ExportError> {
        let head = ThreadNodeTreeProto { thread_id: tree.thread_id, host_nodes: Vec::new() };
        self.event(&json!({"ph": "M", "name": "nodetree_thread", "args": {"thread_tree": head}}))?;
        tree.host_nodes.iter().try_for_each(|node| self.host(node))
    }

    /// Writes an event with its time `ns` (since 1970) as `ts`, in microseconds with all digits.
    fn timed(&mut self, event: &Value, ns: u64) -> Result<(), ExportError> {
        let separator = if std::mem::take(&mut self.is_first) { "" } else { ",\n" };
        let text = event.to_string();
        let open = text.strip_suffix('}').unwrap_or(&text);
        write!(self.to, "{separator}{open},\"ts\":{}}}", Us(ns))?;
        Ok(())
    }

    /// Makes the JSON of a slice except `cat`, `pid`, `tid` and `ts`, and moves `arguments` and the relative
    /// times into it. `span` is start and end, ns.
    fn slice(&self, name: &[u8], span: (u64, u64), arguments: &mut Value) -> Value {
        let (start, end) = span;
        let dur = end.saturating_sub(start);
        let label = if dur > 1_000_000 {
            format!("{:.3} ms", dur as f64 / 1e6)
        } else {
            format!("{:.3} us", dur as f64 / 1e3)
        };
        arguments["start_time"] = json!(Relative(start, self.zero).to_string());
        arguments["end_time"] = json!(Relative(end, self.zero).to_string());
        json!({
            "ph": "X",
            "name": format!("{}[{label}]", shown(name)),
            "dur": dur as f64 / 1e3,
            "args": arguments.take(),
        })
    }

    /// Writes a host node as an event, then its calls with their device work, and its memory events.
    fn host(&mut self, node: &HostTraceEventNodeProto) -> Result<(), ExportError> {
        let own = HostTraceEventNodeProto {
            id: node.id,
            parentid: node.parentid,
            host_trace_event: node.host_trace_event.clone(),
            op_supplement_nodes: node.op_supplement_nodes.clone(),
            ..HostTraceEventNodeProto::default()
        };
        let event = node.host_trace_event.as_ref();
        let is_stand_in = event.is_some_and(|event| event.r#type() == STAND_IN);
        let is_root = node.parentid() < 0 || event.is_none() || is_stand_in;
        let mut arguments = json!({ "host_node": own });
        if let (Some(event), false) = (event, is_root) {
            args::operator(node, &mut arguments);
            args::wait(event, &mut arguments);
            args::own(event.arguments.as_ref(), &mut arguments);
            let is_python = is_python(event.r#type());
            let mut slice = self.slice(event.name(), (event.start_ns(), event.end_ns()), &mut arguments);
            slice["cat"] = json!(kind_name(event.r#type()).unwrap_or("Other"));
            slice["cname"] = json!("thread_state_runnable");
            self.set_lane(&mut slice, event.process_id(), event.thread_id(), is_python);
            self.timed(&slice, event.start_ns())?;
            self.link(event, is_python)?;
        } else {
            self.event(&json!({"ph": "M", "name": "nodetree_root", "args": arguments}))?;
        }
        node.runtime_nodes.iter().try_for_each(|call| self.runtime(call))?;
        node.mem_nodes.iter().try_for_each(|event| self.memory(event))
    }

    /// Writes an operator's own ends of the flows to its backward and from its forward operator, if any.
    fn link(&mut self, event: &HostTraceEventProto, is_python: bool) -> Result<(), ExportError> {
        let ends = [("s", event.forward_link), ("f", event.backward_link)];
        for (event_type, id) in ends.into_iter().filter_map(|(event_type, id)| Some((event_type, id?))) {
            let mut flow = json!({"ph": event_type, "cat": "fwdbwd", "name": "fwdbwd", "id": id, "bp": "e"});
            self.set_lane(&mut flow, event.process_id(), event.thread_id(), is_python);
            self.timed(&flow, event.start_ns())?;
        }
        Ok(())
    }

    /// Sets the `pid` and `tid` of an event to the Python or the native lane of a thread, and adds the thread
    /// to `lanes`.
    fn set_lane(&mut self, event: &mut Value, pid: u64, tid: u64, is_python: bool) {
        self.lanes.insert((false, pid, tid));
        event["pid"] = json!(pid);
        event["tid"] = json!(metadata::thread(tid, is_python));
    }

    /// Writes a runtime call and the device work below it.
    fn runtime(&mut self, node: &CudaRuntimeTraceEventNodeProto) -> Result<(), ExportError> {
        let own = CudaRuntimeTraceEventNodeProto {
            runtime_trace_event: node.runtime_trace_event.clone(),
            device_nodes: Vec::new(),
        };
        let event = node.runtime_trace_event.clone().unwrap_or_default();
        let correlation = event.correlation_id();
        let mut arguments = json!({"correlation id": correlation, "runtime_node": own});
        if event.is_stand_in() {
            self.event(&json!({"ph": "M", "name": "nodetree_call", "args": arguments}))?;
            return node.device_nodes.iter().try_for_each(|work| self.device(work));
        }
        let mut slice = self.slice(event.name(), (event.start_ns(), event.end_ns()), &mut arguments);
        slice["cat"] = json!("CudaRuntime");
        slice["cname"] = json!("thread_state_running");
        self.set_lane(&mut slice, event.process_id(), event.thread_id(), false);
        self.timed(&slice, event.start_ns())?;
        let mut flow = json!({"ph": "s", "cat": "async", "name": "launch", "id": correlation});
        self.set_lane(&mut flow, event.process_id(), event.thread_id(), false);
        self.timed(&flow, event.start_ns().midpoint(event.end_ns()))?;
        node.device_nodes.iter().try_for_each(|work| self.device(work))
    }

    /// Writes a piece of device work with its flow end, and adds its lane to `lanes`.
    fn device(&mut self, node: &DeviceTraceEventNodeProto) -> Result<(), ExportError> {
        let event = node.device_event.clone().unwrap_or_default();
        let mut arguments = args::device(&event);
        arguments["device_node"] = json!(node);
        let (start, end) = (event.start_ns(), event.end_ns());
        let mut slice = self.slice(event.name(), (start, end), &mut arguments);
        slice["cat"] = json!(kind_name(event.r#type()).unwrap_or("Kernel"));
        slice["cname"] = json!("cq_build_failed");
        let mut flow = json!({"ph": "f", "cat": "async", "name": "launch", "id": event.correlation_id()});
        let mut middle = start;
        if end.saturating_sub(start) >= 1000 {
            middle = start.midpoint(end);
            flow["bp"] = json!("e");
        }
        self.lanes.insert((true, event.device_id(), event.stream_id()));
        for (mut event_json, ns) in [(slice, start), (flow, middle)] {
            event_json["pid"] = json!(event.device_id());
            event_json["tid"] = json!(event.stream_id());
            self.timed(&event_json, ns)?;
        }
        Ok(())
    }

    /// Writes an event of unified memory on the lane that its device has for such events.
    fn unified(&mut self, event: &UnifiedMemoryProto) -> Result<(), ExportError> {
        let mut arguments = json!({});
        args::own(event.arguments.as_ref(), &mut arguments);
        let mut slice = self.slice(event.name(), (event.start_ns(), event.end_ns()), &mut arguments);
        slice["cat"] = json!(UNIFIED_MEMORY);
        slice["pid"] = json!(event.device());
        slice["tid"] = json!(UNIFIED_MEMORY_LANE);
        self.timed(&slice, event.start_ns())
    }

    /// Writes a memory event as an instant event on its thread's native lane.
    fn memory(&mut self, node: &MemTraceEventNodeProto) -> Result<(), ExportError> {
        let event = node.mem_event.clone().unwrap_or_default();
        let mut arguments = args::memory(&event);
        arguments["mem_node"] = json!(node);
        let mut instant = json!({
            "ph": "i",
            "name": "[memory]",
            "cat": args::memory_kind(event.r#type()),
            "args": arguments,
        });
        self.set_lane(&mut instant, event.process_id(), event.thread_id(), false);
        self.timed(&instant, event.timestamp_ns())
    }

    /// Writes the metadata events that name and order the processes, devices, threads and streams of `lanes`,
    /// which is empty afterwards.
    fn names(&mut self, trees: &NodeTreesProto) -> Result<(), ExportError> {
        for (is_device, pid, tid) in std::mem::take(&mut self.lanes) {
            let (process, sort) = if is_device {
                (format!("Device {pid} (GPU)"), pid.saturating_add(0x1000_0000))
            } else {
                (format!("Process {pid} (CPU)"), pid)
            };
            let threads = if is_device {
                vec![(json!(tid), format!("stream {tid}"), tid)]
            } else {
                let name = metadata::thread_name(trees, tid);
                let layer = |is_python: bool| {
                    let own = metadata::thread(tid, is_python);
                    let label = own.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
                    let order = tid.saturating_mul(2).saturating_add(u64::from(!is_python));
                    (json!(own), format!("thread {tid}:{name}{label}"), order)
                };
                vec![layer(true), layer(false)]
            };
            for (tid, name, order) in threads {
                for (what, args) in [
                    ("process_name", json!({"name": process})),
                    ("process_sort_index", json!({"sort_index": sort})),
                    ("thread_name", json!({"name": name})),
                    ("thread_sort_index", json!({"sort_index": order})),
                ] {
                    self.event(&json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args}))?;
                }
            }
        }
        Ok(())
    }
}
