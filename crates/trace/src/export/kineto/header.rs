//! The members of the document around its events.

use serde_json::{Map, Value, json};

use super::anonymous;
use crate::model::Trace;
use proftui_base::time::Ns;

/// The base of times is a multiple of this length, ns: a quarter of a year, as Kineto has it.
const PERIOD: Ns = 7_889_238_000_000_000;
/// The member with the base of times.
const BASE: &str = "baseTimeNanoseconds";

/// The beginning of the document up to its first event, and the time of the trace from which its times count,
/// ns. The header of the trace's first file is kept; `excerpt` is added if only a part is written. If
/// `is_anonymous`, what may name something is left out, and times count from the first event.
pub(super) fn of(trace: &Trace, excerpt: Option<Value>, is_anonymous: bool) -> (String, Ns) {
    let mut head = Map::new();
    for (key, text) in &trace.meta.members {
        if let Ok(value) = serde_json::from_str(text) {
            head.insert(key.clone(), value);
        }
    }
    let zero = if is_anonymous { trace.span.start } else { base(trace, &mut head) };
    // Paddle's is a text.
    if !head.get("schemaVersion").is_some_and(Value::is_number) {
        head.insert("schemaVersion".into(), json!(1));
    }
    match head.get_mut("deviceProperties") {
        Some(stated) => name_units(stated),
        None => drop(head.insert("deviceProperties".into(), devices(trace))),
    }
    if !head.contains_key("distributedInfo") {
        head.extend(ranks(&head).map(|ranks| ("distributedInfo".to_owned(), ranks)));
    }
    head.extend(excerpt.map(|excerpt| ("excerpt".to_owned(), excerpt)));
    head.insert("displayTimeUnit".into(), json!("ms"));
    if is_anonymous {
        anonymous::header(&mut head);
    }
    let head = Value::Object(head).to_string();
    // The closing brace follows after the events.
    (format!("{},\"traceEvents\":[\n", head.strip_suffix('}').unwrap_or(&head)), zero)
}

/// States the base of times in the header, where the time of the day is known, and returns the time of the
/// trace from which times are to count, ns.
fn base(trace: &Trace, head: &mut Map<String, Value>) -> Ns {
    let Some(epoch) = trace.meta.epoch else { return 0 };
    let stated = head.get(BASE).and_then(Value::as_i64).filter(|&stated| stated > 0);
    let first = epoch.saturating_add(trace.span.start);
    let base = stated.unwrap_or_else(|| first.div_euclid(PERIOD).saturating_mul(PERIOD));
    head.insert(BASE.into(), json!(base));
    base.saturating_sub(epoch)
}

/// The devices with Kineto's keys.
fn devices(trace: &Trace) -> Value {
    let device = |device: &crate::model::Device| {
        let (major, minor) = device.capability.split_once('.').unwrap_or_default();
        json!({
            "id": device.id,
            "name": device.name,
            "totalGlobalMem": device.memory,
            "computeMajor": major.parse::<u64>().unwrap_or_default(),
            "computeMinor": minor.parse::<u64>().unwrap_or_default(),
            "numSms": device.multiprocessors,
        })
    };
    trace.devices.iter().map(device).collect()
}

/// Gives the number of multiprocessors of each device the name that it has in Kineto's traces, too.
fn name_units(devices: &mut Value) {
    for device in devices.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(units) = device.get("smCount").cloned() {
            device.entry("numSms").or_insert(units);
        }
    }
}

/// Kineto's entry for the ranks, if a recording of proftui states them.
fn ranks(head: &Map<String, Value>) -> Option<Value> {
    let extra = head.get("ExtraInfo")?;
    let number = |key: &str| extra.get(key)?.as_str()?.parse::<u64>().ok();
    let (rank, world) = (number("proftui.RANK")?, number("proftui.WORLD_SIZE"));
    Some(json!({"rank": rank, "world_size": world.unwrap_or(rank + 1)}))
}
