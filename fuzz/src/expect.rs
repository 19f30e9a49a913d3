//! The model that must result from written events: a second, slow and simple implementation of the format's
//! rules.

use std::collections::{BTreeMap, HashMap};

use crate::case::{CORRELATIONS, Event, FLOWS, IDS, VALUES};

/// A slice that the model must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub start: i64,
    pub dur: i64,
    pub name: String,
    /// The correlation number in the file; 0 without one.
    pub correlation: u64,
    pub cat: &'static str,
    /// False when the model's start comes from Paddle's offset, and may differ from `start`.
    pub is_exact: bool,
    pub is_open: bool,
}

/// A begin or end event.
#[derive(Clone, Debug)]
struct Point {
    at: u64,
    ts: i64,
    is_begin: bool,
    key: String,
    name: String,
    cat: &'static str,
}

/// The expected contents of a model.
#[derive(Debug)]
pub struct Expect {
    pub is_paddle: bool,
    /// The expected slices, by the byte offset of their event.
    pub slices: HashMap<u64, Slice>,
    pub dropped: u64,
    /// Number of instants and memory events together.
    pub marks: u64,
    pub memory: u64,
    pub samples: u64,
    pub event_types: BTreeMap<String, u64>,
    pub has_offsets: bool,
    /// True when some time is written with a decimal point.
    pub is_fine: bool,
    pub elements: u64,
    /// The last time of what has a length, and of begins and ends.
    last: Option<i64>,
    threads: Vec<Point>,
    asyncs: Vec<Point>,
}

/// The known event types (`ph`).
const KNOWN: &[u8] = b"XBEbneiIRCMsftSTpFPNODVvc()";

/// A name with its escapes resolved, as the model stores it.
fn unescaped(name: &str) -> String {
    name.replace("\\u00e9", "é").replace("\\n", "\n")
}

impl Expect {
    pub fn new(is_paddle: bool) -> Self {
        Self {
            is_paddle,
            slices: HashMap::new(),
            dropped: 0,
            marks: 0,
            memory: 0,
            samples: 0,
            event_types: BTreeMap::new(),
            has_offsets: false,
            is_fine: false,
            elements: 0,
            last: None,
            threads: Vec::new(),
            asyncs: Vec::new(),
        }
    }

    fn extend(&mut self, to: i64) {
        self.last = self.last.max(Some(to));
    }

    /// Adds the event at byte offset `at`.
    pub fn add(&mut self, at: usize, event: &Event) {
        let (at, event_type) = (at as u64, event.event_type());
        self.elements += 1;
        if !KNOWN.contains(&event_type) {
            self.dropped += 1;
            return;
        }
        *self.event_types.entry(char::from(event_type).into()).or_default() += 1;
        if event_type == b'M' {
            return;
        }
        let has_point = |text: Option<String>| text.is_some_and(|text| text.contains('.'));
        self.is_fine |= has_point(event.ts.text(event.form));
        let Some(ts) = event.ts.ns() else {
            self.dropped += 1;
            return;
        };
        let name = unescaped(event.name().unwrap_or_default());
        let id = |n: u8| IDS[usize::from(n) % IDS.len()].1;
        let cat = event.cat();
        match event_type {
            b'X' => {
                let dur = match event.dur.ns() {
                    Some(dur) if dur >= 0 && ts.checked_add(dur).is_some() => dur,
                    Some(dur) if dur > 0 => i64::MAX - ts,
                    _ => 0,
                };
                if event.dur.ns() == Some(dur) && dur > 0 {
                    self.extend(ts + dur);
                }
                self.is_fine |= has_point(event.dur.text(event.form >> 4));
                self.has_offsets |= event.has_offset();
                let correlation = event.args().iter().rev().find(|(key, _)| *key == "correlation").map_or(0, |(_, text)| {
                    CORRELATIONS.iter().find(|(known, _)| known == text).map_or(0, |(_, number)| *number)
                });
                let is_exact = !event.has_offset();
                self.slices.insert(at, Slice { start: ts, dur, name, correlation, cat, is_exact, is_open: false });
            }
            b'i' | b'I' | b'R' => {
                self.marks += 1;
                self.memory += u64::from(name == "[memory]" && (!event.args().is_empty() || event.extra & 8 == 8));
            }
            b'n' | b'T' | b'p' => self.marks += 1,
            b'B' | b'E' => {
                self.extend(ts);
                let key = format!("{}|{}", IDS[usize::from(event.pid) % IDS.len()].0, id(event.tid));
                let key = if event.pid_is_plain() { format!("{}|{}", id(event.pid), id(event.tid)) } else { key };
                self.threads.push(Point { at, ts, is_begin: event_type == b'B', key, name, cat });
            }
            b'b' | b'e' | b'S' | b'F' => {
                self.extend(ts);
                let is_begin = matches!(event_type, b'b' | b'S');
                let key = event.async_key(&name);
                self.asyncs.push(Point { at, ts, is_begin, key, name, cat });
            }
            b'C' => {
                let good = |(_, value): &&(&str, String)| {
                    VALUES.iter().any(|(text, is_number)| text == value && *is_number)
                };
                self.samples += event.args().iter().filter(good).count() as u64;
            }
            _ => {}
        }
    }

    /// The longest overhang of a slice beyond the slice around it, ns.
    pub fn tolerance(&self) -> i64 {
        if self.is_fine && !self.is_paddle && !self.has_offsets { 1 } else { 1000 }
    }

    /// Pairs all begin and end events; slices without an end event last to the last time of what has a
    /// length, begins or ends.
    pub fn close(&mut self) {
        let end = self.last.unwrap_or(0);
        for mut points in [std::mem::take(&mut self.threads), std::mem::take(&mut self.asyncs)] {
            points.sort_by_key(|point| point.ts);
            let mut stacks: HashMap<String, Vec<Point>> = HashMap::new();
            for point in points {
                let stack = stacks.entry(point.key.clone()).or_default();
                if point.is_begin {
                    stack.push(point);
                } else if let Some(begin) = stack.pop() {
                    self.close_one(begin, point.ts, false);
                } else {
                    self.dropped += 1;
                }
            }
            for begin in stacks.into_values().flatten() {
                self.close_one(begin, end, true);
            }
        }
    }

    fn close_one(&mut self, begin: Point, end: i64, is_open: bool) {
        let Point { at, ts: start, name, cat, .. } = begin;
        let dur = end.saturating_sub(start).max(0);
        self.slices.insert(at, Slice { start, dur, name, correlation: 0, cat, is_exact: true, is_open });
    }
}

impl Event {
    /// True when the process id has no layer suffix: loading removes it from thread ids only.
    fn pid_is_plain(&self) -> bool {
        !IDS[usize::from(self.pid) % IDS.len()].0.contains('(')
    }

    /// The key that all events of one asynchronous slice share.
    fn async_key(&self, name: &str) -> String {
        let (text, id) = FLOWS[usize::from(self.id) % FLOWS.len()];
        let pid = if self.pid_is_plain() {
            IDS[usize::from(self.pid) % IDS.len()].1
        } else {
            IDS[usize::from(self.pid) % IDS.len()].0.trim_matches('"')
        };
        let mut scope = if self.extra & 1 == 1 { "s" } else { "" };
        let id = if text == "01.50" { "" } else { id };
        if self.id >> 6 == 2 && text != "01.50" {
            scope = pid;
        }
        let is_legacy = matches!(self.event_type(), b'S' | b'F');
        format!("{}|{}|{id}|{scope}", self.cat(), if is_legacy { name } else { "" })
    }
}
