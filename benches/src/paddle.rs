//! Writes the workload as Paddle 3.3 with a GPU does: its line breaks and blanks, names that end in a
//! duration, whole microseconds in `ts`, times from the start as strings of `float32`, numbers for device and
//! stream, the `{}` at the end.

use std::io::{self, Write};

use super::breadth::Node;
use super::names;
use super::stream::Stream;
use super::workload::{Event, START, What};

const PROCESS: u32 = 4321;
const STREAMS: [u32; 3] = [7, 20, 13];
/// Unix time of the first event, in ns.
const EPOCH: u64 = 1_700_000_000_000_000_000;

const HEAD: &str = r#"
  {
    "displayTimeUnit": "ms",
    "schemaVersion": "1.0.2",
    "span_index": "0",
    "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85899345920,
      "computeMajor": 8, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "regsPerMultiprocessor": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "sharedMemPerMultiprocessor": 167936,
      "smCount": 108, "sharedMemPerBlockOptin": 166912
    }
    ],
    "traceEvents": [
"#;

const TAIL: &str = r#"
  {}
  ],
  
  "ExtraInfo": {
     "4321": "MainThread",
   
     "Process Cpu Utilization": "0.771300",
   
     "System Cpu Utilization": "0.259900"
   
  }
  }
  "#;

/// Writes a workload's events.
pub(super) struct Paddle<W> {
    pub out: Stream<W>,
    operators: Vec<&'static str>,
    kernels: Vec<String>,
}

/// Nanoseconds printed as Paddle prints microseconds.
fn us(ns: u64) -> f32 {
    (ns as f64 / 1e3) as f32
}

/// The duration that Paddle appends to an event's name.
fn length(ns: u64) -> String {
    let us = us(ns);
    let ms = us / 1e3;
    if ms > 1.0 { format!("[{ms:.3} ms]") } else { format!("[{us:.3} us]") }
}

fn ts(ns: u64) -> u64 {
    (EPOCH + ns - START) / 1000
}

impl<W: Write> Paddle<W> {
    pub(super) fn open(mut out: Stream<W>) -> io::Result<Self> {
        out.write_all(HEAD.as_bytes())?;
        out.pass()?;
        let kernels = names::kernels().iter().map(|name| name.replace("at::native", "phi::funcs")).collect();
        Ok(Self { out, operators: names::paddle_operators(), kernels })
    }

    /// Writes one event with its flow, if it has one.
    pub(super) fn event(&mut self, node: &Node<'_>) -> io::Result<()> {
        let event = node.event;
        let operator = self.operators[event.name % self.operators.len()];
        match event.what {
            What::Memory => self.memory(event),
            What::Step => {
                let name = format!("ProfileStep#{}", event.name);
                self.host(event, "Python", "ProfileStep", &name, "")
            }
            What::Range => {
                let (kind, name) = names::PADDLE_RANGES[event.name];
                self.host(event, "Python", kind, name, "")
            }
            What::Frame => match event.name % 4 {
                0 => self.host(event, "Python", "Forward", names::LAYERS[event.name / 4 % 8], ""),
                3 => {
                    self.host(event, "C++", "UserDefined", &format!("{operator} pybind_imperative_func"), "")
                }
                _ => {
                    let name = names::LAYERS[event.name / 4 % 8];
                    self.host(event, "Python", "PythonUserDefined", &format!("{name}.forward"), "")
                }
            },
            What::Operator | What::Gradient => self.operator(node, operator),
            What::Call => self.call(event),
            What::Kernel | What::Collective | What::Copy => self.device(event),
        }
    }

    /// Writes an operator: by its depth an `Operator`, or one of its parts (`OperatorInner` and the like), as
    /// Paddle nests them.
    fn operator(&mut self, node: &Node<'_>, name: &str) -> io::Result<()> {
        let event = node.event;
        let name = if event.what == What::Gradient { format!("{name}_grad") } else { name.into() };
        match (node.inside % 3, event.bits % 3) {
            (0, _) => {
                let (rows, columns) = (1 << (event.bits % 13), 64 * (1 + (event.bits >> 8) % 64));
                let more = format!(
                    ",\n      \"input_shapes\": {{\"X\":[[{rows}, {columns}]], \"Y\":[[{columns}, {rows}]]}},\n      \
                     \"input_dtypes\": {{\"X\":[\"float32\"], \"Y\":[\"float32\"]}},\n      \"callstack\": \"\""
                );
                self.host(event, "C++", "Operator", &format!("{name} dygraph"), &more)
            }
            (1, 0) => self.host(event, "C++", "OperatorInner", &format!("{name}::infer_shape"), ""),
            (1, 1) => self.host(event, "C++", "OperatorInner", &format!("{name}::compute"), ""),
            (1, _) => self.host(event, "C++", "DygraphKernelLaunch", &format!("{name} kernel launch"), ""),
            _ => self.host(event, "C++", "OperatorInner", &format!("{name} infer_meta"), ""),
        }
    }

    /// The beginning of a slice, up to its first arguments.
    fn begin(&mut self, event: &Event, thread: &str, name: &str, kinds: [&str; 2]) -> io::Result<()> {
        let (ts, long, dur, [kind, colour]) = (ts(event.start), length(event.dur), us(event.dur), kinds);
        write!(
            self.out,
            "  \n  {{\n    \"name\": \"{name}{long}\", {thread},\n    \"ts\": {ts}, \"dur\": {dur:.3},\n    \
             \"ph\": \"X\", \"cat\": \"{kind}\",\n    \"cname\": \"{colour}\",\n    \"args\": {{\n      "
        )
    }

    /// Start and end of a slice, the rest of its arguments, its end.
    fn end(&mut self, event: &Event, more: &str) -> io::Result<()> {
        let (start, end) = (us(event.start - START), us(event.start + event.dur - START));
        write!(
            self.out,
            "\"start_time\": \"{start:.3} us\",\n      \"end_time\": \"{end:.3} us\"{more}\n    }}\n  }},\n"
        )?;
        self.out.event()
    }

    fn host(&mut self, event: &Event, side: &str, kind: &str, name: &str, more: &str) -> io::Result<()> {
        let thread = format!("\"pid\": {PROCESS}, \"tid\": \"{PROCESS}({side})\"");
        self.begin(event, &thread, name, [kind, "thread_state_runnable"])?;
        self.end(event, more)
    }

    fn call(&mut self, event: &Event) -> io::Result<()> {
        let (thread, id) = (format!("\"pid\": {PROCESS}, \"tid\": \"{PROCESS}(C++)\""), event.correlation);
        self.begin(event, &thread, names::CALLS[event.name], ["CudaRuntime", "thread_state_running"])?;
        write!(self.out, "\"correlation id\": {id},\n      ")?;
        self.end(event, "")?;
        self.flow(event, &thread, "s", "", event.start + event.dur / 2)
    }

    fn device(&mut self, event: &Event) -> io::Result<()> {
        let stream = STREAMS[event.lane];
        let thread = format!("\"pid\": 0, \"tid\": {stream}");
        let (id, columns) = (event.correlation, 64 * (1 + (event.bits >> 8) % 64));
        let bytes = 4 << (event.bits % 20);
        let joined = format!("\"stream\": {stream}, \"correlation id\": {id}");
        let (kind, name, more) = match (event.what, event.name) {
            (What::Copy, 2) => {
                let more = format!(
                    "\"device\": 0, \"context\": 1,\n      {joined},\n      \"bytes\": {bytes}, \"value\": 0"
                );
                ("Memset", "MEMSET".into(), more)
            }
            (What::Copy, number) => {
                let speed = bytes as f64 / event.dur as f64;
                let more =
                    format!("{joined},\n      \"bytes\": {bytes}, \"memory bandwidth (GB/s)\": {speed:.3}");
                ("Memcpy", ["MEMCPY_HtoD", "MEMCPY_DtoD"][number % 2].into(), more)
            }
            (what, number) => {
                let waves = columns as f64 / 108.0;
                let more = format!(
                    "\"device\": 0, \"context\": 1,\n      {joined},\n      \"registers per thread\": {},\n      \
                     \"shared memory\": {},\n      \"blocks per SM\": {waves:.6},\n      \"warps per SM\": {:.6},\n      \
                     \"grid\": [{columns}, 1, 1],\n      \"block\": [128, 1, 1],\n      \
                     \"theoretical achieved occupancy %\": {:.3}",
                    16 + event.bits % 240,
                    bytes % 49_152,
                    waves * 4.0,
                    (event.bits % 100) as f64,
                );
                let name = match what {
                    What::Collective => "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)".into(),
                    _ => self.kernels[number % self.kernels.len()].clone(),
                };
                ("Kernel", name, more)
            }
        };
        self.begin(event, &thread, &name, [kind, "cq_build_failed"])?;
        self.end(event, &format!(",\n      {more}"))?;
        let (more, ns) = if event.dur < 1000 {
            ("", event.start)
        } else {
            (", \"bp\": \"e\"", event.start + event.dur / 2)
        };
        self.flow(event, &thread, "f", more, ns)
    }

    fn flow(&mut self, event: &Event, thread: &str, event_type: &str, more: &str, ns: u64) -> io::Result<()> {
        write!(
            self.out,
            "  \n  {{\n    \"name\": \"launch\", \"id\": {}, {thread},\n    \"ts\": {},\n    \
             \"ph\": \"{event_type}\", \"cat\": \"async\"{more}\n  }},\n",
            event.correlation,
            ts(ns)
        )?;
        self.out.event()
    }

    fn memory(&mut self, event: &Event) -> io::Result<()> {
        let (kind, sign) = if event.bits & 1 == 0 { ("Allocate", "") } else { ("Free", "-") };
        let (bytes, address) = (512 * (1 + event.bits % 4096), 0x7f00_0000_0000 + (event.bits >> 30) * 512);
        let (now, all) = ((1 << 30) + bytes, 2_u64 << 30);
        write!(
            self.out,
            "  \n  {{\n    \"name\": \"[memory]\", \"pid\": {PROCESS}, \"tid\": \"{PROCESS}(C++)\",\n    \"ts\": {},\n    \
             \"ph\": \"i\", \"cat\": \"{kind}\",\n    \"args\": {{\n      \"place\": \"Place(gpu:0)\",\n      \
             \"addr\": \"{address}\",\n      \"increase_bytes\": {sign}{bytes},\n      \"current_allocated\": {now},\n      \
             \"current_reserved\": {all},\n      \"peak_allocated\": {all},\n      \"peak_reserved\": {all}\n    }}\n  }},\n",
            ts(event.start)
        )?;
        self.out.event()
    }

    /// Writes the metadata and the end.
    pub(super) fn close(&mut self) -> io::Result<()> {
        for side in ["Python", "C++"] {
            let tid = format!("\"{PROCESS}({side})\"");
            self.meta("process_name", PROCESS, &tid, &format!("\"name\": \"Process {PROCESS} (CPU)\""))?;
            let name = format!("\"name\": \"thread {PROCESS}:MainThread({side})\"");
            self.meta("thread_name", PROCESS, &tid, &name)?;
            let sort = 2 * PROCESS + u32::from(side != "Python");
            self.meta("thread_sort_index", PROCESS, &tid, &format!("\"sort_index\": {sort}"))?;
        }
        for stream in STREAMS {
            let tid = stream.to_string();
            self.meta("process_name", 0, &tid, "\"name\": \"Device 0 (GPU)\"")?;
            self.meta("thread_name", 0, &tid, &format!("\"name\": \"stream {stream}\""))?;
            self.meta("process_sort_index", 0, &tid, "\"sort_index\": 268435456")?;
            self.meta("thread_sort_index", 0, &tid, &format!("\"sort_index\": {stream}"))?;
        }
        self.out.write_all(TAIL.as_bytes())?;
        self.out.pass()
    }

    fn meta(&mut self, name: &str, pid: u32, tid: &str, value: &str) -> io::Result<()> {
        write!(
            self.out,
            "  {{\n    \"name\": \"{name}\", \"pid\": {pid}, \"tid\": {tid},\n    \"ph\": \"M\",\n    \
             \"args\": {{\n      {value}\n    }}\n  }},\n"
        )?;
        self.out.events += 1;
        self.out.pass()
    }
}
