//! The function events one by one (torch's `events()`), as JSON for the Python module.
//!
//! The keys are mostly those of torch's `FunctionEvent`; events refer to one another by their index in the
//! list.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use proftui_base::text::SafeText;
use proftui_trace::export::nearest_category;
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{Origin, SliceId, Trace};

use super::event::{Event, FileEvents, Kind, NO_EVENT, micros};
use super::options::{Grouping, Rules};
use super::sums::Sums;
use super::tree::Tree;
use super::{nested, read};
use crate::analysis::Scope;

/// Lists the events of the whole trace, by start, by the rules of the version that the file shows.
///
/// # Errors
/// When a file has changed, cannot be read, or its text is not kept.
pub fn list(trace: &Trace, texts: &Texts) -> Result<Vec<Value>, VisitError> {
    let grouping = Grouping { by_shape: true, by_stack: usize::MAX };
    let scope = Scope::default();
    let (mut read, rules) = read::read(trace, texts, &scope, (Rules::of(trace), grouping))?;
    let arguments = arguments(trace, texts, &read.files)?;
    let mut all = Vec::new();
    for mut file in std::mem::take(&mut read.files) {
        nested::link_file(trace, &read, rules, &mut file);
        let operators = operators(&file.events);
        let tree = nested::nest(&mut file, grouping);
        let listed = Listed { trace, read: &read, file: &file, tree: &tree, sums: Sums::new(&file, &tree) };
        all.extend(listed.all(all.len(), &operators, &arguments));
    }
    Ok(all)
}

/// The category and the arguments of each event with a slice, as in the file.
fn arguments(
    trace: &Trace,
    texts: &Texts,
    files: &[FileEvents],
) -> Result<FxHashMap<SliceId, Value>, VisitError> {
    let events = files.iter().flat_map(|file| &file.events);
    let mut wanted: Vec<(Origin, SliceId)> = events
        .filter(|event| event.slice != SliceId::NONE)
        .map(|event| (trace.slices.origin[event.slice], event.slice))
        .collect();
    wanted.sort_unstable_by_key(|&(origin, _)| origin);
    let origins: Vec<Origin> = wanted.iter().map(|&(origin, _)| origin).collect();
    let mut found = FxHashMap::default();
    texts.visit(&origins, |at, raw| drop(found.insert(wanted[at].1, object(raw))))?;
    Ok(found)
}

fn object(raw: &RawEvent<'_, '_>) -> Value {
    let category = raw.field(b"cat").map(RawValue::text).unwrap_or_default();
    let member = |&(key, value): &(&[u8], RawValue<'_>)| {
        let mut text = String::new();
        value.push_json(&mut text);
        let value = serde_json::from_str(&text).unwrap_or(Value::Null);
        (String::from_utf8_lossy(key).into_owned(), value)
    };
    let arguments: Map<_, _> = raw.arguments.iter().map(member).collect();
    let category = String::from_utf8_lossy(&category);
    let category = nearest_category(&category).unwrap_or(&category);
    json!({"activity_type": category, "arguments": arguments})
}

/// The slice of the operator of each call and of device work, by their slices.
fn operators(events: &[Event]) -> FxHashMap<SliceId, SliceId> {
    let linked = events.iter().filter(|event| event.operator != NO_EVENT);
    linked.map(|event| (event.slice, events[event.operator as usize].slice)).collect()
}

/// The events of one file.
struct Listed<'a> {
    trace: &'a Trace,
    read: &'a read::Read,
    file: &'a FileEvents,
    tree: &'a Tree,
    sums: Sums<'a>,
}

impl Listed<'_> {
    /// The events that are left in the tree. `first` is the index of the first one in the list.
    fn all(
        &self,
        first: usize,
        operators: &FxHashMap<SliceId, SliceId>,
        arguments: &FxHashMap<SliceId, Value>,
    ) -> Vec<Value> {
        let events = &self.file.events;
        let kept: Vec<usize> = (0..events.len()).filter(|&at| self.tree.has(at)).collect();
        let indices: FxHashMap<usize, usize> = kept.iter().copied().zip(first..).collect();
        // What was removed, since it repeats its parent, counts for that.
        let survivor = |at: usize| {
            let around = std::iter::successors(Some(at), |&at| self.tree.parent(at));
            around.into_iter().find(|&at| self.tree.has(at))
        };
        let of_slice: FxHashMap<SliceId, usize> = (0..events.len())
            .filter_map(|at| Some((events[at].slice, *indices.get(&survivor(at)?)?)))
            .collect();
        let of_event = |&at: &usize| {
            let mut event = self.event(at);
            let slice = events[at].slice;
            event["parent"] = json!(self.tree.parent(at).and_then(|parent| indices.get(&parent)));
            event["operator"] = json!(operators.get(&slice).and_then(|operator| of_slice.get(operator)));
            let of_file = arguments.get(&slice);
            for key in ["activity_type", "arguments"] {
                event[key] = of_file.map_or(Value::Null, |of_file| of_file[key].clone());
            }
            event
        };
        kept.iter().map(of_event).collect()
    }

    fn event(&self, at: usize) -> Value {
        let (event, zero) = (&self.file.events[at], self.file.zero());
        let strings = &self.read.strings;
        let is_device = event.kind.is_device();
        let frames =
            strings.bytes(event.stack).split(|&byte| byte == b'\n').filter(|frame| !frame.is_empty());
        let stack: Vec<String> = frames.map(|frame| SafeText::from_bytes(frame).to_string()).collect();
        let name = if event.slice == SliceId::NONE {
            strings.text(event.name)
        } else {
            self.trace.name(event.slice)
        };
        let lane = match event.slice {
            SliceId::NONE => self.read.thread_lanes[event.thread as usize],
            slice => self.trace.lane_of(slice),
        };
        let lane = &self.trace.lanes[lane];
        let [self_cpu_memory, self_device_memory] =
            if is_device || event.is_async() { [0; 2] } else { self.sums.self_memory(at) };
        json!({
            "name": name.to_string(),
            "key": strings.text(event.name).to_string(),
            "is_device": is_device,
            "is_user_annotation": event.kind.is_annotation(),
            "is_python_function": event.kind == Kind::Python,
            "is_async": event.is_async(),
            "start": micros(event.start, zero),
            "end": micros(event.end, zero),
            "thread": self.trace.strings.text(lane.tid).to_string(),
            "process": self.trace.strings.text(self.trace.groups[lane.group].pid).to_string(),
            "cpu_time_total": self.sums.cpu(at),
            "self_cpu_time_total": if is_device { 0.0 } else { self.sums.self_cpu(at) },
            "device_time_total": self.sums.device(at),
            "self_device_time_total": self.sums.self_device(at),
            "cpu_memory_usage": event.memory[0],
            "self_cpu_memory_usage": self_cpu_memory,
            "device_memory_usage": event.memory[1],
            "self_device_memory_usage": self_device_memory,
            "flops": event.flops,
            "stack": stack,
        })
    }
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use super::*;

    const TRACE: &str = r#"{"schemaVersion":1,"traceEvents":[
        {"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":7,"ts":0,"dur":100.5},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":7,"ts":10,"dur":30,
         "args":{"External id":4,"Input Dims":[[2,3],[3,2]],"Concrete Inputs":["",""],"Call stack":"f;g"}},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":7,"ts":20,"dur":5,
         "args":{"correlation":9}},
        {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":5,"ts":50,"dur":8,
         "args":{"correlation":9,"device":0,"stream":5}},
        {"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":7,"ts":15,
         "args":{"Bytes":64,"Device Type":0,"Device Id":-1}}]}"#;

    #[test]
    fn events_are_listed_with_their_times_memory_and_links() {
        let loaded =
            load_bytes(TRACE.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let events = list(&loaded.trace, &loaded.texts).expect("read again");
        let column = |key: &str| events.iter().map(|event| event[key].clone()).collect::<Vec<_>>();
        assert_eq!(column("key"), ["ProfilerStep*", "aten::mm", "cudaLaunchKernel", "gemm"]);
        assert_eq!(column("name")[0], "ProfilerStep#3");
        assert_eq!(column("parent"), [json!(null), json!(0), json!(1), json!(null)]);
        assert_eq!(column("operator"), [json!(null), json!(null), json!(1), json!(1)]);
        assert_eq!(column("cpu_time_total"), [100.5, 30.0, 5.0, 0.0]);
        assert_eq!(column("self_cpu_time_total"), [70.5, 25.0, 5.0, 0.0]);
        assert_eq!(column("device_time_total"), [8.0, 8.0, 0.0, 8.0]);
        assert_eq!(column("self_device_time_total"), [0.0, 8.0, 0.0, 8.0]);
        assert_eq!(column("cpu_memory_usage"), [64, 64, 0, 0]);
        assert_eq!(column("self_cpu_memory_usage"), [0, 64, 0, 0]);
        assert_eq!(column("thread"), ["7", "7", "7", "5"]);
        assert_eq!(events[1]["stack"], json!(["f", "g"]));
        assert_eq!(events[1]["arguments"]["Input Dims"], json!([[2, 3], [3, 2]]));
        assert_eq!(events[3]["activity_type"], "kernel");
        let flags = ["is_device", "is_user_annotation"].map(column);
        assert_eq!(flags[0], [false, false, false, true]);
        assert_eq!(flags[1], [true, false, false, false]);
    }

    #[test]
    fn work_of_an_operator_that_repeats_its_parent_is_the_parents() {
        let text = TRACE.replace(
            r#"{"ph":"X","cat":"cuda_runtime""#,
            r#"{"ph":"X","cat":"Operator","name":"aten::mm","pid":1,"tid":7,"ts":12,"dur":20,
             "args":{"External id":5}},{"ph":"X","cat":"cuda_runtime""#,
        );
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let events = list(&loaded.trace, &loaded.texts).expect("read again");
        let column = |key: &str| events.iter().map(|event| event[key].clone()).collect::<Vec<_>>();
        assert_eq!(column("key"), ["ProfilerStep*", "aten::mm", "cudaLaunchKernel", "gemm"]);
        assert_eq!(column("operator"), [json!(null), json!(null), json!(1), json!(1)]);
        assert_eq!(column("process"), ["1", "1", "1", "0"]);
    }

    #[test]
    fn categories_are_those_of_pytorch() {
        let text = TRACE.replace("\"cpu_op\"", "\"Operator\"");
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let events = list(&loaded.trace, &loaded.texts).expect("read again");
        assert_eq!(events[1]["activity_type"], "cpu_op");
    }
}
