//! Traces with hostile names wherever tables show them: names, categories, stacks, shapes, threads, devices.
//!
//! Must not know the tables.

use arbitrary::{Arbitrary, Unstructured};

use crate::text::{Text, quote};

/// One event. Its numbers choose among few values, so many events share names, threads and correlations.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Event {
    event_type: u8,
    start: u16,
    dur: u16,
    scale: u8,
    lane: u8,
    name: u8,
    cat: u8,
    correlation: u8,
    extra: u8,
}

/// A trace.
#[derive(Arbitrary, Debug)]
pub struct Named {
    is_raw: bool,
    header: u8,
    /// How long one of the names is: most of them end in repetitions of their last characters from 250 on.
    long: u8,
    names: Vec<Text>,
    events: Vec<Event>,
}

const EVENT_TYPES: &[&str] = &["X", "X", "X", "X", "X", "X", "X", "X", "B", "B", "E", "b", "e", "i", "C", "M"];
const CATS: &[&str] = &[
    "cpu_op", "kernel", "cuda_runtime", "user_annotation", "python_function", "gpu_memcpy", "gpu_user_annotation", "ac2g",
    "Operator", "OperatorInner", "ProfileStep", "Forward", "Backward", "Optimization", "Dataloader", "Communication",
    "PythonUserDefined", "UserDefined", "Kernel", "Memcpy", "Memset", "CudaRuntime", "PythonOp", "cpu_instant_event",
    "overhead", "cuda_driver", "Allocate", "Free", "ReservedAllocate",
];
/// Names by which tables recognise events.
const KNOWN: &[&str] = &[
    "compute", "conv2d::compute", "matmul infer_shape", "GpuMemcpyAsync", "cudaMemcpyAsync", "Memcpy HtoD", "nccl", "[memory]",
    "ProfileStep#", "ProfilerStep#12", "[OutOfMemory]", "autograd::engine::evaluate_function: X",
];

impl Named {
    fn name(&self, number: u8) -> &str {
        self.names.get(usize::from(number) % self.names.len().max(1)).map_or("gemm", |text| &text.0)
    }

    /// The trace as JSON text.
    pub fn json(&self) -> String {
        let mut out = String::from("{");
        for (bit, key) in (0..).zip(["deviceName", "with_flops", "profile_memory", "schemaVersion", "proftui.ops.asked"]) {
            if self.header & 1 << bit != 0 {
                quote(&mut out, key, false);
                out.push(':');
                quote(&mut out, self.name(self.header >> bit), self.is_raw);
                out.push(',');
            }
        }
        if self.header & 32 != 0 {
            out.push_str("\"deviceProperties\":[{\"id\":0,\"numSms\":4,\"totalGlobalMem\":85000000000,\"name\":");
            quote(&mut out, self.name(self.header), self.is_raw);
            out.push_str("}],");
        }
        out.push_str("\"traceEvents\":[");
        for (at, event) in self.events.iter().take(300).enumerate() {
            if at > 0 {
                out.push(',');
            }
            self.event(&mut out, *event);
        }
        out.push_str("]}");
        out
    }

    /// The name of an event: one that tables know, one with digits after it, a very long one, or a hostile
    /// one.
    fn event_name(&self, number: u8) -> String {
        let own = self.name(number);
        match number {
            0..=30 => KNOWN[usize::from(number) % KNOWN.len()].to_owned(),
            31..=60 => format!("{own}{number}"),
            61..=80 => format!("{}{own}", KNOWN[usize::from(number) % KNOWN.len()]),
            81..=84 if self.long > 250 => own.repeat(70_000 / own.len().max(1)).chars().take(66_000).collect(),
            _ => own.to_owned(),
        }
    }

    fn event(&self, out: &mut String, event: Event) {
        let Event { event_type, start, dur, scale, lane, name, cat, correlation, extra } = event;
        let event_type = EVENT_TYPES[usize::from(event_type) % EVENT_TYPES.len()];
        let unit = [1_u64, 1000, 1_000_000, 40_000_000_000][usize::from(scale) % 4];
        let base = if scale & 16 == 16 { 1_700_000_000_000_000 } else { 0 };
        let sign = if scale & 32 == 32 && base == 0 { "-" } else { "" };
        let (start, dur) = (base + u64::from(start) * unit, u64::from(dur) * unit);
        out.push_str(&format!("{{\"ph\":\"{event_type}\",\"ts\":{sign}{start}.{scale:03},\"dur\":{dur},"));
        for (key, number) in [("pid", lane), ("tid", lane >> 3)] {
            out.push_str(&format!("\"{key}\":"));
            match number % 8 {
                7 => quote(out, self.name(number >> 3), self.is_raw),
                n => out.push_str(&(n % 3).to_string()),
            }
            out.push(',');
        }
        out.push_str("\"cat\":");
        match CATS.get(usize::from(cat) % 32) {
            Some(cat) => quote(out, cat, self.is_raw),
            None => quote(out, self.name(cat >> 5), self.is_raw),
        }
        out.push_str(&format!(",\"id\":{},\"name\":", correlation % 4));
        if event_type == "M" {
            let tag = ["process_name", "thread_name", "process_labels"][usize::from(cat) % 3];
            out.push_str(&format!("\"{tag}\",\"args\":{{\"name\":"));
            quote(out, self.name(name), self.is_raw);
            out.push_str("}}");
            return;
        }
        quote(out, &self.event_name(name), self.is_raw);
        out.push_str(&format!(",\"args\":{{\"correlation\":{},\"External id\":{}", correlation % 8, extra % 8));
        for (bit, key) in (0..).zip(["Call stack", "place", "Input type", "Concrete Inputs", "grid"]) {
            if extra & 1 << bit != 0 {
                out.push_str(&format!(",\"{key}\":"));
                quote(out, &format!("{};{}", self.name(name >> bit), self.name(correlation)), self.is_raw);
            }
        }
        if extra & 32 != 0 {
            out.push_str(&format!(",\"Input Dims\":[[{dur},{start}],[],[[1]]],\"Sequence number\":{}", correlation % 4));
        }
        if extra & 64 != 0 {
            out.push_str(&format!(",\"Bytes\":{dur},\"Device Type\":1,\"Device Id\":0,\"Addr\":{}", correlation % 4));
            out.push_str(&format!(",\"Fwd thread id\":{}", extra % 2));
        }
        out.push_str("}}");
    }
}

/// A trace made of any bytes.
pub fn json(bytes: &[u8]) -> Option<String> {
    Some(Named::arbitrary(&mut Unstructured::new(bytes)).ok()?.json())
}
