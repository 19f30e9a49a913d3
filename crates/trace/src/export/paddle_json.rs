//! Makes protobuf of the JSON that Paddle's profiler wrote (`export_chrome_tracing`), with zeros and empty
//! texts for what it lacks.
//!
//! - [`document`] is the JSON; `repair` mends names that Paddle wrote without escaping them
//! - `clock` finds the times, `messages` makes the message of each event
//! - `thread` finds the tree of each thread, `settle` corrects what rounding moved
//! - `lacks` counts what the JSON does not have
//!
//! Must not know the JSON that proftui itself writes.

mod clock;
mod document;
mod lacks;
mod messages;
mod node;
mod repair;
mod settle;
mod thread;

use rustc_hash::FxHashMap;

use crate::model::nodetree::{
    CudaRuntimeTraceEventNodeProto, CudaRuntimeTraceEventProto, DeviceTraceEventNodeProto,
    DeviceTraceEventProto, ExtraInfoMap, HostTraceEventNodeProto, KIND_NAMES, MemTraceEventNodeProto,
    NodeTreesProto,
};

use clock::{Bounds, Clock, Times};
use document::{Document, Event};
use lacks::Lacks;
use messages::ThreadId;
use thread::Thread;

pub(super) use repair::repair;

/// Number of the kind `CudaRuntime`: calls of the runtime.
const CALL: u32 = 3;
/// Number of the kind `UserDefined`, which host events of unknown kinds get.
const USER_DEFINED: u32 = 7;
/// Names of the kinds of memory events, by number.
const MEMORY_KINDS: [&str; 4] = ["Allocate", "Free", "ReservedAllocate", "ReservedFree"];
/// Types (`ph`) of events that are skipped: metadata and flows.
const REPEATS: [&str; 3] = ["M", "s", "f"];

/// Reads Paddle's JSON; returns the trees, and lines for the user that say what the JSON lacks and what of it
/// is left out.
///
/// # Errors
/// When the text is no JSON, or no JSON of this structure.
pub(super) fn read(text: &[u8]) -> Result<(NodeTreesProto, Vec<String>), serde_json::Error> {
    let document: Document = serde_json::from_slice(text)?;
    let clock = Clock::of(document.events.iter().filter(|event| event.ph == "X").filter_map(Times::of));
    let mut reader = Reader {
        clock,
        threads: Vec::new(),
        numbers: FxHashMap::default(),
        calls: FxHashMap::default(),
        last: None,
        early: Vec::new(),
        lacks: Lacks::default(),
    };
    reader.lacks.error = clock.error;
    document.rest.keys().for_each(|key| reader.lacks.left_out(format!("header field {key}")));
    let span = document.span_index.or(document.span_indx).unwrap_or_default();
    let span = span.as_u64().or_else(|| span.as_str()?.parse().ok());
    let mut trees = NodeTreesProto {
        version: Some(document.version.into_bytes()),
        span_index: Some(u32::try_from(span.unwrap_or_default()).unwrap_or_default()),
        ..Default::default()
    };
    for device in &document.devices {
        device.rest.keys().for_each(|key| reader.lacks.left_out(format!("device property {key}")));
        trees.device_property.push(messages::property(device));
    }
    for (key, value) in document.extra.0 {
        let (key, value) = (Some(key.into_bytes()), Some(value.into_bytes()));
        trees.extra_info.push(ExtraInfoMap { key, value });
    }
    for event in &document.events {
        reader.event(event);
    }
    drop(document.events);
    let mut lacks = reader.finish(&mut trees);
    lacks.has_devices = !trees.device_property.is_empty();
    Ok((trees, lacks.lines()))
}

/// Indices of a call: of its thread, of the node in the thread that holds it, and of the call in the node's
/// `calls`.
type CallAt = (usize, usize, usize);

/// Reads events in the order of the file.
struct Reader {
    clock: Clock,
    threads: Vec<Thread>,
    /// The index of each thread in `threads`.
    numbers: FxHashMap<ThreadId, usize>,
    /// The position of the last call so far with each correlation number; a call that states none has 0.
    calls: FxHashMap<u32, CallAt>,
    /// The correlation number of the last call so far; 0 if that call states none, `None` before the first
    /// call.
    last: Option<u32>,
    /// Device work that is put aside until all calls are read.
    early: Vec<DeviceTraceEventNodeProto>,
    lacks: Lacks,
}

/// The thread's number from a `tid` such as `123` or `123(C++)`; `None` without a number.
fn thread_number(tid: &serde_json::Value) -> Option<u64> {
    let digits = |text: &str| text.split('(').next()?.parse().ok();
    tid.as_u64().or_else(|| digits(tid.as_str()?))
}

impl Reader {
    fn event(&mut self, event: &Event) {
        if REPEATS.contains(&event.ph.as_str()) {
            return;
        }
        let is_used = match event.ph.as_str() {
            "X" => self.slice(event),
            "i" => self.memory(event),
            _ => None,
        };
        let is_empty = event.ph.is_empty() && event.name.is_empty() && event.rest.0.is_empty();
        if is_used.is_some() {
            let keys = event.rest.keys().chain(event.args.rest.keys());
            keys.for_each(|key| self.lacks.left_out(format!("argument {key}")));
        } else if !is_empty {
            self.lacks
                .left_out(format!("event of ph {:?}, cat {:?} that cannot be used", event.ph, event.cat));
        }
    }

    fn slice(&mut self, event: &Event) -> Option<()> {
        let times = Times::of(event)?;
        let span = self.clock.span(times);
        let bounds = self.clock.bounds(times);
        let kind = (0..).zip(KIND_NAMES).find(|(_, name)| *name == event.cat).map(|(kind, _)| kind);
        if let Some(kind @ 4..=6) = kind {
            self.lacks.work(kind);
            let node = DeviceTraceEventNodeProto { device_event: Some(messages::device(event, kind, span)) };
            self.work(node, event.args.correlation);
            return Some(());
        }
        let thread = self.thread(event)?;
        let id = self.threads[thread].id;
        let name = messages::name(event);
        // Cambricon's runtime has a name of its own.
        if kind == Some(CALL) || event.cat == "MluRuntime" {
            self.lacks.calls += 1;
            let correlation = event.args.correlation.unwrap_or_default();
            let message = messages::call(name, correlation, id, span);
            let call = CudaRuntimeTraceEventNodeProto {
                runtime_trace_event: Some(message),
                device_nodes: Vec::new(),
            };
            let (holder, node) = self.threads[thread].last();
            node.calls.push((bounds, call));
            self.calls.insert(correlation, (thread, holder, node.calls.len() - 1));
            self.last = Some(correlation);
            return Some(());
        }
        if kind.is_none() {
            self.lacks.unknown_kind(&event.cat);
        }
        let kind = kind.unwrap_or(USER_DEFINED);
        let supplement = messages::supplement(&event.args, id, span.0);
        self.lacks.supplements += u64::from(supplement.is_some());
        let node = HostTraceEventNodeProto {
            host_trace_event: Some(messages::host(name, kind, id, span)),
            op_supplement_nodes: supplement.into_iter().collect(),
            ..Default::default()
        };
        self.threads[thread].host(node, bounds);
        Some(())
    }

    /// The index of the event's thread in `threads`, to which a new thread is added; `None` where the event
    /// states no process or no number of a thread.
    fn thread(&mut self, event: &Event) -> Option<usize> {
        let id = (event.pid?, thread_number(&event.tid)?);
        let next = self.threads.len();
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.threads.push(Thread::new(id));
        }
        Some(number)
    }

    /// Adds device work to the last call of the file so far, if they have the same correlation number; else
    /// puts it aside for [`Reader::finish`].
    fn work(&mut self, work: DeviceTraceEventNodeProto, correlation: Option<u32>) {
        let call = correlation.and_then(|correlation| self.calls.get(&correlation));
        match call.filter(|_| self.last == correlation) {
            Some(&(thread, holder, call)) => {
                self.threads[thread].nodes[holder].calls[call].1.device_nodes.push(work);
            }
            None => self.early.push(work),
        }
    }

    fn memory(&mut self, event: &Event) -> Option<()> {
        let kind = (0..).zip(MEMORY_KINDS).find(|(_, name)| *name == event.cat)?.0;
        let times = Times::of(event)?;
        let thread = self.thread(event)?;
        let thread = &mut self.threads[thread];
        let message = messages::memory(&event.args, kind, thread.id, Clock::instant(times))?;
        let node = MemTraceEventNodeProto { mem_event: Some(message) };
        thread.last().1.memory.push((self.clock.floored(times), node));
        self.lacks.memory += 1;
        Some(())
    }

    /// Assigns the device work that was put aside to calls, adds the threads' trees to `trees`, and returns
    /// the counts.
    fn finish(mut self, trees: &mut NodeTreesProto) -> Lacks {
        let early = std::mem::take(&mut self.early);
        for work in early {
            let correlation = work.device_event.as_ref().map(DeviceTraceEventProto::correlation_id);
            let call = correlation.filter(|&number| number != 0).and_then(|number| self.calls.get(&number));
            if let Some(&(thread, holder, call)) = call {
                self.threads[thread].nodes[holder].calls[call].1.device_nodes.push(work);
            } else {
                self.without_call(work);
            }
        }
        self.threads.sort_by_key(|thread| (thread.id.1, thread.id.0));
        let tolerance = self.clock.tolerance();
        for thread in self.threads {
            let (tree, is_by_time) = thread.finish(tolerance);
            self.lacks.by_time += u64::from(is_by_time);
            trees.thread_trees.push(tree);
        }
        let nodes = trees.thread_trees.iter_mut().flat_map(|tree| &mut tree.host_nodes);
        let calls = nodes.flat_map(|node| &mut node.runtime_nodes);
        let work = calls.flat_map(|call| &mut call.device_nodes);
        settle::streams(work.filter_map(|work| work.device_event.as_mut()), tolerance);
        self.lacks
    }

    /// Adds device work whose call is not known, below one stand-in call in the root of a main
    /// thread, or of the first thread.
    fn without_call(&mut self, work: DeviceTraceEventNodeProto) {
        self.lacks.without_call += 1;
        let main = self.threads.iter().position(|thread| thread.id.0 == thread.id.1).unwrap_or_default();
        if self.threads.is_empty() {
            self.threads.push(Thread::new((0, 0)));
        }
        let thread = &mut self.threads[main];
        let start = work.device_event.as_ref().map_or(0, DeviceTraceEventProto::start_ns);
        let root = &mut thread.nodes[0].calls;
        let is_stand_in = |call: &CudaRuntimeTraceEventNodeProto| {
            call.runtime_trace_event.as_ref().is_some_and(CudaRuntimeTraceEventProto::is_stand_in)
        };
        if !root.last().is_some_and(|(_, call)| is_stand_in(call)) {
            let mut event = messages::call("(launch not recorded)", 0, thread.id, (start, start));
            event.is_stand_in = Some(true);
            let call =
                CudaRuntimeTraceEventNodeProto { runtime_trace_event: Some(event), device_nodes: Vec::new() };
            root.push((Bounds::ALL, call));
        }
        if let Some((_, call)) = root.last_mut() {
            call.device_nodes.push(work);
        }
    }
}
