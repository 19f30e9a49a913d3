//! Writes the text of traces, event after event: as PyTorch writes them, and as Paddle does. Must not know
//! shapes.

use std::fmt::Write;

/// The process of the host's events, and the thread of those that need no other.
pub const PID: usize = 100;

/// The text of a trace that grows by events.
#[derive(Default)]
pub struct Events(String);

impl Events {
    /// Adds an event from the text of its members, without braces.
    pub fn raw(&mut self, members: &str) {
        if !self.0.is_empty() {
            self.0.push_str(",\n");
        }
        write!(self.0, "{{{members}}}").expect("a text");
    }

    /// An event of the host with a length, on a thread; `args` are the members of its arguments.
    pub fn slice(&mut self, cat: &str, name: &str, tid: usize, span: (usize, usize), args: &str) {
        let (ts, dur) = span;
        self.raw(&format!(
            r#""ph":"X","cat":"{cat}","name":"{name}","pid":{PID},"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}"#
        ));
    }

    /// An operator on thread 1.
    pub fn operator(&mut self, name: &str, span: (usize, usize)) {
        self.slice("cpu_op", name, 1, span, r#""External id":1"#);
    }

    /// A call of `cudaLaunchKernel` on thread 1.
    pub fn launch(&mut self, correlation: usize, span: (usize, usize)) {
        self.slice("cuda_runtime", "cudaLaunchKernel", 1, span, &format!(r#""correlation":{correlation}"#));
    }

    /// Device work of a category on a stream of a device.
    pub fn work(
        &mut self,
        cat: &str,
        name: &str,
        (device, stream): (usize, usize),
        correlation: usize,
        span: (usize, usize),
    ) {
        let (ts, dur) = span;
        self.raw(&format!(
            r#""ph":"X","cat":"{cat}","name":"{name}","pid":{device},"tid":{stream},"ts":{ts},"dur":{dur},"args":{{"device":{device},"stream":{stream},"correlation":{correlation},"grid":[{ts},1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0,"bytes":4096,"memory bandwidth (GB/s)":1.5}}"#
        ));
    }

    /// An event of a type without a length, on thread 1.
    pub fn point(&mut self, ph: char, name: &str, ts: usize, members: &str) {
        self.raw(&format!(r#""ph":"{ph}","name":"{name}","pid":{PID},"tid":1,"ts":{ts}{members}"#));
    }

    /// The trace in PyTorch's form.
    pub fn torch(&self) -> String {
        format!(
            "{{\"schemaVersion\":1,\"deviceProperties\":[{{\"id\":0,\"name\":\"GPU\",\"numSms\":8}}],\"traceEvents\":[\n{}\n]}}",
            self.0
        )
    }

    /// The trace in Paddle's form.
    pub fn paddle(&self) -> String {
        format!(
            "{{\"schemaVersion\":\"1.0.2\",\"span_index\":\"0\",\"traceEvents\":[\n{}\n],\"ExtraInfo\":{{}}}}",
            self.0
        )
    }
}
