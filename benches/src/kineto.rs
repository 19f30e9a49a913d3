//! Writes the workload as Kineto does: its key order, its line breaks, its arguments, microseconds with three
//! digits.

use std::io::{self, Write};

use super::names;
use super::stream::Stream;
use super::workload::{Event, What};

const PROCESS: u32 = 4242;
const THREADS: [u32; 2] = [4242, 4310];
const STREAMS: [u32; 3] = [7, 20, 24];

/// Writes a workload's events.
pub(super) struct Kineto<W> {
    pub sheet: Sheet<W>,
    operators: Vec<String>,
    gradients: Vec<String>,
    kernels: Vec<String>,
    frames: Vec<String>,
}

/// The JSON of each kind of event.
pub(super) struct Sheet<W> {
    pub out: Stream<W>,
}

/// Nanoseconds as decimal microseconds.
struct Us(u64);

impl std::fmt::Display for Us {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

fn pick(names: &[String], number: usize) -> &str {
    &names[number % names.len()]
}

impl<W: Write> Kineto<W> {
    /// Writes the header and the metadata.
    pub(super) fn open(mut out: Stream<W>) -> io::Result<Self> {
        out.write_all(
            b"{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\", \
              \"totalGlobalMem\": 85051834368, \"numSms\": 108\n    }\n  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \
              \"rank\": 0, \"world_size\": 8},\n  \"record_shapes\": 1, \"profile_memory\": 1, \"with_stack\": 1,\n  \
              \"baseTimeNanoseconds\": 1712016000000000000,\n  \"traceEvents\": [",
        )?;
        out.pass()?;
        for pid in [PROCESS, 0] {
            write!(
                out,
                "\n  {{\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": {pid}, \"tid\": 0,\n    \
                 \"args\": {{\n      \"name\": \"python\"\n    }}\n  }},"
            )?;
            out.events += 1;
            out.pass()?;
        }
        Ok(Self {
            sheet: Sheet { out },
            operators: names::operators(),
            gradients: names::gradients(),
            kernels: names::kernels(),
            frames: names::frames(),
        })
    }

    /// Writes one event, and the start or end of the flow that belongs to it.
    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        let (sheet, number) = (&mut self.sheet, event.name);
        match event.what {
            What::Memory => return sheet.memory(event),
            What::Step => sheet.slice(event, "user_annotation", &format!("ProfilerStep#{number}"))?,
            What::Range => sheet.slice(event, "user_annotation", names::RANGES[number])?,
            What::Call => sheet.slice(event, "cuda_runtime", names::CALLS[number])?,
            What::Collective => sheet.slice(event, "kernel", names::COLLECTIVES[number % 2])?,
            What::Copy => {
                let category = if number < 2 { "gpu_memcpy" } else { "gpu_memset" };
                sheet.slice(event, category, names::COPIES[number])?;
            }
            What::Frame => sheet.slice(event, "python_function", pick(&self.frames, number))?,
            What::Operator => sheet.slice(event, "cpu_op", pick(&self.operators, number))?,
            What::Gradient => sheet.slice(event, "cpu_op", pick(&self.gradients, number))?,
            What::Kernel => sheet.slice(event, "kernel", pick(&self.kernels, number))?,
        }
        match event.what {
            What::Call if event.launches => sheet.flow(event, "s", ""),
            What::Kernel | What::Collective | What::Copy | What::Call => {
                sheet.flow(event, "f", ", \"bp\": \"e\"")
            }
            _ => Ok(()),
        }
    }

    /// Writes the event that ends Kineto's traces, and the end of the document.
    pub(super) fn close(&mut self, now: u64) -> io::Result<()> {
        let end = Us(now);
        write!(
            self.sheet.out,
            "\n  {{\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \
             \"pid\": \"\", \"tid\": \"\", \"ts\": {end}\n  }}\n  ],\n  \"traceName\": \"generated.pt.trace.json\"\n}}\n"
        )?;
        self.sheet.out.events += 1;
        self.sheet.out.pass()
    }
}

impl<W: Write> Sheet<W> {
    fn thread(event: &Event) -> (u32, u32) {
        match event.what {
            What::Kernel | What::Collective | What::Copy => (0, STREAMS[event.lane]),
            _ => (PROCESS, THREADS[event.lane]),
        }
    }

    fn slice(&mut self, event: &Event, category: &str, name: &str) -> io::Result<()> {
        let ((pid, tid), ts, dur) = (Self::thread(event), Us(event.start), Us(event.dur));
        write!(
            self.out,
            "\n  {{\n    \"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"pid\": {pid}, \"tid\": {tid},\n    \
             \"ts\": {ts}, \"dur\": {dur},\n    \"args\": {{\n      "
        )?;
        self.arguments(event)?;
        self.out.write_all(b"\n    }\n  },")?;
        self.out.event()
    }

    fn arguments(&mut self, event: &Event) -> io::Result<()> {
        let (Event { number, correlation, bits, .. }, out) = (*event, &mut self.out);
        let (rows, columns) = (1 << (bits % 13), 64 * (1 + (bits >> 8) % 64));
        match event.what {
            What::Frame => write!(out, "\"Python parent id\": {}, \"Python id\": {number}", number - 1),
            What::Operator | What::Gradient => {
                write!(out, "\"External id\": {number},\"Record function id\": 0, ")?;
                if event.what == What::Gradient {
                    write!(out, "\"Sequence number\": {}, \"Fwd thread id\": 1, ", bits >> 40)?;
                }
                if bits & 3 > 0 {
                    write!(
                        out,
                        "\"Concrete Inputs\": [\"\", \"\", \"1\"], \"Input type\": [\"float\", \"c10::Half\", \"Scalar\"], \
                         \"Input Strides\": [[{columns}, 1], [1, {columns}], []], \
                         \"Input Dims\": [[{rows}, {columns}], [{columns}, {rows}], []], "
                    )?;
                }
                write!(out, "\"Ev Idx\": {number}")
            }
            What::Call => {
                write!(out, "\"External id\": {number},\n      \"cbid\": 211, \"correlation\": {correlation}")
            }
            What::Kernel | What::Collective => {
                let (stream, waves) = (STREAMS[event.lane], columns as f64 / 108.0);
                write!(
                    out,
                    "\"External id\": {number},\n      \"queued\": 0, \"device\": 0, \"context\": 1,\n      \
                     \"stream\": {stream}, \"correlation\": {correlation},\n      \"registers per thread\": {},\n      \
                     \"shared memory\": {},\n      \"blocks per SM\": {waves:.6},\n      \"warps per SM\": {:.6},\n      \
                     \"grid\": [{columns}, 1, 1],\n      \"block\": [128, 1, 1],\n      \
                     \"est. achieved occupancy %\": {}",
                    16 + bits % 240,
                    rows * 4,
                    waves * 4.0,
                    bits % 100
                )
            }
            What::Copy => {
                let (stream, speed) = (STREAMS[event.lane], rows as f64 / event.dur as f64);
                write!(
                    out,
                    "\"External id\": {number},\n      \"device\": 0, \"context\": 1,\n      \"stream\": {stream}, \
                     \"correlation\": {correlation},\n      \"bytes\": {rows}, \"memory bandwidth (GB/s)\": {speed:.9}"
                )
            }
            _ => write!(out, "\"External id\": {number}, \"Ev Idx\": {number}"),
        }
    }

    fn flow(&mut self, event: &Event, phase: &str, more: &str) -> io::Result<()> {
        let ((pid, tid), ts, id) = (Self::thread(event), Us(event.start), event.correlation);
        write!(
            self.out,
            "\n  {{\n    \"ph\": \"{phase}\", \"id\": {id}, \"pid\": {pid}, \"tid\": {tid}, \"ts\": {ts},\n    \
             \"cat\": \"ac2g\", \"name\": \"ac2g\"{more}\n  }},"
        )?;
        self.out.event()
    }

    fn memory(&mut self, event: &Event) -> io::Result<()> {
        let ((pid, tid), ts) = (Self::thread(event), Us(event.start));
        let (bytes, address) = (512 * (1 + event.bits % 4096), 0x7f00_0000_0000 + (event.bits >> 30) * 512);
        let (allocated, reserved) = ((1 << 30) + bytes, 2_u64 << 30);
        write!(
            self.out,
            "\n  {{\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \
             \"pid\": {pid}, \"tid\": {tid},\n    \"ts\": {ts},\n    \"args\": {{\n      \
             \"Total Reserved\": {reserved}, \"Total Allocated\": {allocated}, \"Bytes\": {bytes}, \"Addr\": {address}, \
             \"Device Id\": 0, \"Device Type\": 1, \"Ev Idx\": {}\n    }}\n  }},",
            event.number
        )?;
        self.out.event()
    }
}
