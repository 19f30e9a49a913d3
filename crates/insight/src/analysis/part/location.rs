//! A part of a trace as text: `FROM..TO@WHERE`, which findings state and `proftui open --at` takes.
//!
//! FROM and TO are times after the trace's start, with a unit; without `..TO` the location is an instant.
//! WHERE is a device by its number in the file (`gpu0`), or a lane by its number (`lane12`); `1:gpu0` is a
//! device of the worker with index 1 (the first has index 0). Where the file's number of a device is no plain
//! word, or names another device, the device has the index of its group in the trace (`device3`). So a
//! location is one word for every shell, whatever the file says. `docs/locations.md` states the grammar. Must
//! not know findings.

use proftui_base::time::{Ns, Span, parse_scaled};
use proftui_trace::model::{Group, GroupId, GroupKind, LaneId, Trace, WorkerId};

/// A time or a time range of a trace, and the device or lane that it is about, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The time on the clock of the trace's slices, ns; of no length for an instant.
    pub span: Span,
    /// The device or lane; `None` for a time on no device or lane in particular.
    pub at: Option<Subject>,
}

/// The device or lane of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A device, by the index of its group in `Trace::groups`.
    Device(GroupId),
    /// A lane, by its index in `Trace::lanes`.
    Lane(LaneId),
}

/// Why a text is no location of a trace, displayed as one sentence for the user.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum LocationError {
    /// A time of the location is no number with a unit, or is too large.
    #[error(
        "\"{text}\" is no time in ns, us, µs, ms or s, such as 12.5ms, or too large; a location: \
         1ms..2ms@gpu0"
    )]
    NoTime {
        /// The text where a time is expected.
        text: String,
    },
    /// The end of the time is before its start.
    #[error("the location {text} ends before it begins")]
    Reversed {
        /// The text of the whole location.
        text: String,
    },
    /// What stands after `lane` is not the number of a lane of the trace.
    #[error("the trace has no lane {number}; lanes are numbered from 0, and it has {lanes} of them")]
    NoLane {
        /// The text where the number of a lane is expected.
        number: String,
        /// How many lanes the trace has.
        lanes: usize,
    },
    /// The trace has no device with this name.
    #[error("the trace has no device {name}; it has {known}")]
    NoDevice {
        /// The text where the name of a device is expected.
        name: String,
        /// The names of the trace's devices, separated by commas; "none" if it has no device.
        known: String,
    },
}

/// The number of a device as its file states it, without the words that some producers put around it.
pub fn device_number(trace: &Trace, group: &Group) -> String {
    let pid = trace.strings.text(group.pid).to_string();
    pid.trim_start_matches("GPU ").trim_end_matches(" Counters").to_owned()
}

impl Location {
    /// The location as text, which [`parse`](Self::parse) reads; nothing is rounded.
    pub fn text(&self, trace: &Trace) -> String {
        let start = trace.main_span.start;
        let mut text = exact(self.span.start.saturating_sub(start));
        if !self.span.is_empty() {
            text.push_str(&format!("..{}", exact(self.span.end.saturating_sub(start))));
        }
        match self.at {
            None => {}
            Some(Subject::Lane(lane)) => text.push_str(&format!("@lane{}", lane.get())),
            Some(Subject::Device(number)) => text.push_str(&format!("@{}", device(trace, number))),
        }
        text
    }

    /// Reads a location of a trace from text, such as `2us..5.001us@gpu0`.
    ///
    /// # Errors
    /// When a time cannot be read, the end is before the start, or the trace has no such device or lane.
    pub fn parse(text: &str, trace: &Trace) -> Result<Self, LocationError> {
        let (times, on) = text.split_once('@').map_or((text, None), |(times, on)| (times, Some(on)));
        let (from, to) = times.split_once("..").map_or((times, times), |both| both);
        let time = |text: &str| time(text).ok_or_else(|| LocationError::NoTime { text: text.to_owned() });
        let start = trace.main_span.start;
        let (from, to) = (time(from)?, time(to)?);
        if to < from {
            return Err(LocationError::Reversed { text: text.to_owned() });
        }
        let span = Span { start: start.saturating_add(from), end: start.saturating_add(to) };
        let at = on.map(|on| subject(on, trace)).transpose()?;
        Ok(Self { span, at })
    }
}

/// Reads a time with a unit (ns, µs, us, ms or s), such as `12.5ms`, rounded to whole ns; `None` if it cannot
/// be read.
pub fn time(text: &str) -> Option<Ns> {
    let units = [("ns", 0), ("µs", 3), ("us", 3), ("ms", 6), ("s", 9)];
    let (unit, shift) = units.iter().find(|(unit, _)| text.ends_with(unit))?;
    parse_scaled(text.strip_suffix(unit)?.as_bytes(), *shift)
}

/// The name of a device in a location, such as `gpu0`, `1:gpu0` or `device3`.
fn device(trace: &Trace, number: GroupId) -> String {
    let Some(group) = trace.groups.get(number) else { return format!("{OWN}{}", number.get()) };
    let own = device_number(trace, group);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let worker =
        if trace.meta.workers.len() > 1 { format!("{}:", group.worker.get()) } else { String::new() };
    let text = format!("{worker}gpu{own}");
    let comes_back = find(&text, trace) == Some(Subject::Device(number));
    if !own.is_empty() && own.chars().all(is_plain) && comes_back {
        text
    } else {
        format!("{OWN}{}", number.get())
    }
}

/// The prefix of a device's name by the index of its group, as in `device3`.
const OWN: &str = "device";

fn subject(text: &str, trace: &Trace) -> Result<Subject, LocationError> {
    if let Some(found) = find(text, trace) {
        return Ok(found);
    }
    if let Some(number) = text.strip_prefix("lane") {
        return Err(LocationError::NoLane { number: number.to_owned(), lanes: trace.lanes.len() });
    }
    let all: Vec<String> = devices(trace).map(|(number, _)| device(trace, number)).collect();
    let known = if all.is_empty() { "none".into() } else { all.join(", ") };
    Err(LocationError::NoDevice { name: text.to_owned(), known })
}

/// The lane or the first device that a text such as `lane3`, `gpu0` or `1:gpu0` names; `None` if the trace
/// does not have it.
fn find(text: &str, trace: &Trace) -> Option<Subject> {
    if let Some(number) = text.strip_prefix("lane") {
        let lane = number.parse().ok().map(LaneId::new).filter(|&lane| trace.lanes.get(lane).is_some());
        return lane.map(Subject::Lane);
    }
    let own = text.strip_prefix(OWN).and_then(|number| number.parse().ok()).map(GroupId::new);
    if let Some(number) = own.filter(|own| devices(trace).any(|(number, _)| number == *own)) {
        return Some(Subject::Device(number));
    }
    let (worker, device) = text
        .split_once(':')
        .map_or((None, text), |(worker, device)| (worker.parse().ok().map(WorkerId::new), device));
    let number = device.strip_prefix("gpu").unwrap_or(device);
    let is_wanted = |group: &Group| {
        device_number(trace, group) == number && worker.is_none_or(|worker: WorkerId| worker == group.worker)
    };
    devices(trace).find(|(_, group)| is_wanted(group)).map(|(number, _)| Subject::Device(number))
}

fn devices(trace: &Trace) -> impl Iterator<Item = (GroupId, &Group)> {
    trace.groups.iter_with_ids().filter(|(_, group)| group.kind == GroupKind::Device)
}

/// A time (ns) as text in ms, us or ns, not rounded.
fn exact(t: Ns) -> String {
    let (unit, decimals) = match t.unsigned_abs() {
        1_000_000.. => ("ms", 6),
        1_000.. => ("us", 3),
        _ => ("ns", 0),
    };
    let one = 10_u64.pow(decimals);
    let (whole, rest) = (t.unsigned_abs() / one, t.unsigned_abs() % one);
    let sign = if t < 0 { "-" } else { "" };
    let rest = format!(".{rest:0width$}", width = decimals as usize);
    format!("{sign}{whole}{}{unit}", rest.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};

    /// A trace with a kernel on each of these devices.
    fn with_devices(ids: &[&str]) -> Trace {
        let kernel = |(at, id): (usize, &&str)| {
            format!(r#"{{"ph":"X","cat":"kernel","name":"k","pid":{id:?},"tid":7,"ts":{at},"dur":1}}"#)
        };
        let events: Vec<String> = ids.iter().enumerate().map(kernel).collect();
        let text = format!("[{}]", events.join(","));
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
    }

    #[test]
    fn any_device_is_one_plain_word_that_is_read_back() {
        let ids =
            ["0", "0;touch x # ", "$(id)", "", "a b", "GPU 0", "device1", "-1", "é", "0@lane1", "1:gpu0"];
        let trace = with_devices(&ids);
        let devices = trace.groups.iter_with_ids().filter(|(_, group)| group.kind == GroupKind::Device);
        let devices: Vec<GroupId> = devices.map(|(id, _)| id).collect();
        assert!(devices.len() + 1 >= ids.len(), "{devices:?}");
        for number in devices {
            let location = Location { span: Span { start: 0, end: 9 }, at: Some(Subject::Device(number)) };
            let text = location.text(&trace);
            assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "@._-:".contains(c)), "{text}");
            assert_eq!(Location::parse(&text, &trace), Ok(location), "{text}");
        }
    }

    #[test]
    fn a_location_is_read_as_it_is_written() {
        let text = br#"[
            {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":10,"dur":5},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":12,"dur":90,"args":{"device":0,"stream":7}}
        ]"#;
        let trace = load_bytes(text, &Request::default(), &Progress::default()).expect("a trace").trace;
        let (group, _) = devices(&trace).next().expect("a device");
        for (location, want) in [
            (
                Location { span: Span { start: 12_000, end: 15_001 }, at: Some(Subject::Device(group)) },
                "2us..5.001us@gpu0",
            ),
            (
                Location {
                    span: Span { start: 12_000, end: 12_000 },
                    at: Some(Subject::Lane(LaneId::new(1))),
                },
                "2us@lane1",
            ),
            (Location { span: Span { start: 12_000, end: 12_500 }, at: None }, "2us..2.5us"),
        ] {
            assert_eq!(location.text(&trace), want);
            assert_eq!(Location::parse(want, &trace), Ok(location));
        }
        assert_eq!(
            Location::parse("2µs..5.001us@gpu0", &trace).expect("read").text(&trace),
            "2us..5.001us@gpu0"
        );
        for (ns, text) in [(0, "0ns"), (-999, "-999ns"), (-1_000_001, "-1.000001ms"), (12_300_000, "12.3ms")]
        {
            assert_eq!(exact(ns), text);
        }
        for (wrong, why) in [
            (
                "",
                "\"\" is no time in ns, us, µs, ms or s, such as 12.5ms, or too large; a location: \
                 1ms..2ms@gpu0",
            ),
            (
                "2",
                "\"2\" is no time in ns, us, µs, ms or s, such as 12.5ms, or too large; a location: \
                 1ms..2ms@gpu0",
            ),
            (
                "x@gpu0",
                "\"x\" is no time in ns, us, µs, ms or s, such as 12.5ms, or too large; a location: \
                 1ms..2ms@gpu0",
            ),
            ("5ms..2ms", "the location 5ms..2ms ends before it begins"),
            ("2ms@gpu7", "the trace has no device gpu7; it has gpu0"),
            ("2ms@lane99", "the trace has no lane 99; lanes are numbered from 0, and it has 2 of them"),
        ] {
            let error = Location::parse(wrong, &trace).expect_err(wrong);
            assert_eq!(error.to_string(), why, "{wrong}");
        }
    }
}
