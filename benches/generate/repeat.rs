//! Writes a real Kineto trace repeatedly: the values that must differ between repetitions are changed in the
//! text, all else stays byte for byte. Knows Kineto's keys; must not know how the trace is loaded.
//!
//! Changed are times (by the length of the trace, as decimal text), ids (so that each repetition has its
//! own), the numbers of steps, and in names of kernels a digit of the template's arguments (eight variants,
//! cyclically). Metadata is written once.

use std::error::Error;
use std::io::{self, Write};
use std::ops::Range;

use sonic_rs::{LazyValue, get, to_array_iter, to_object_iter};

type Failure = Box<dyn Error>;

/// Keys of ids among the arguments. `id` itself, a flow's, lies beside the name.
const IDS: [&str; 4] = ["External id", "correlation", "Python id", "Python parent id"];
const STEP: &str = "\"ProfilerStep#";

/// How a value in the text changes from one repetition to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Time,
    Id,
    Step,
    Digit,
}

struct Event {
    /// The text between the previous event and this one.
    gap: Range<usize>,
    text: Range<usize>,
    /// Changes and the byte ranges they apply to, in ascending order.
    changes: Vec<(Range<usize>, Change)>,
    is_metadata: bool,
    is_slice: bool,
}

/// A trace prepared for repetition.
pub struct Repeat<'a> {
    text: &'a str,
    events: Vec<Event>,
    /// The increment of each number per repetition.
    us: u64,
    ids: u64,
    steps: u64,
}

/// Counts of what was written.
#[derive(Debug)]
pub struct Repeated {
    pub repetitions: u64,
    pub bytes: u64,
    pub events: u64,
    pub slices: u64,
}

/// The byte range of `part` within `text`.
fn range_of(text: &str, part: &str) -> Result<Range<usize>, Failure> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let range = start.map(|start| start..start + part.len()).filter(|range| range.end <= text.len());
    range.ok_or_else(|| "the parser copied the text".into())
}

/// Decimal microseconds in whole nanoseconds, rounded up.
fn ns(us: &str) -> Option<u64> {
    let (whole, part) = us.split_once('.').unwrap_or((us, ""));
    let part = if part.is_empty() { 0 } else { format!("{part:0<3}")[..3].parse::<u64>().ok()? + 1 };
    Some(whole.parse::<u64>().ok()? * 1000 + part)
}

impl<'a> Repeat<'a> {
    /// Parses the trace and finds the values to change.
    pub fn new(text: &'a str) -> Result<Self, Failure> {
        let array = if text.trim_start().starts_with('[') {
            text.trim()
        } else {
            &text[range_of(text, get(text, &["traceEvents"])?.as_raw_str())?]
        };
        let mut all = Self { text, events: Vec::new(), us: 0, ids: 0, steps: 0 };
        let mut end = range_of(text, array)?.start + 1;
        let (mut first, mut last) = (u64::MAX, 0);
        for event in to_array_iter(array) {
            let part = range_of(text, event?.as_raw_str())?;
            let (event, span) = all.read(end..part.start, part.clone())?;
            if let (Some(span), false) = (span, event.is_metadata) {
                (first, last) = (first.min(span.start), last.max(span.end));
            }
            end = part.end;
            all.events.push(event);
        }
        if all.events.len() < 2 || first >= last {
            return Err("not two events in it".into());
        }
        // Up to the next millisecond: fractions of a microsecond stay as they are.
        all.us = ((last - first) / 1_000_000 + 1) * 1000;
        (all.ids, all.steps) = (all.ids + 1, all.steps + 1);
        Ok(all)
    }

    /// Parses an event and notes its changes; returns it with its start and end in ns, if it has a time.
    fn read(
        &mut self,
        gap: Range<usize>,
        part: Range<usize>,
    ) -> Result<(Event, Option<Range<u64>>), Failure> {
        let text = self.text;
        let mut event =
            Event { gap, text: part.clone(), changes: Vec::new(), is_metadata: false, is_slice: false };
        let (mut start, mut dur, mut is_kernel, mut name) = (None, 0, false, 0..0);
        for member in to_object_iter(&text[part]) {
            let (key, value) = member?;
            let raw = value.as_raw_str();
            match &*key {
                "ts" => {
                    let time = ns(raw).ok_or_else(|| format!("cannot shift the time {raw}"))?;
                    start = Some(time);
                    let whole = range_of(text, raw.split('.').next().unwrap_or(raw))?;
                    event.changes.push((whole, Change::Time));
                }
                "dur" => dur = ns(raw).unwrap_or(0),
                "id" => self.id(raw, &mut event)?,
                "ph" => (event.is_metadata, event.is_slice) = (raw == "\"M\"", raw == "\"X\""),
                "cat" => is_kernel = raw == "\"kernel\"",
                "name" => name = range_of(text, raw)?,
                "args" => self.arguments(&value, &mut event)?,
                _ => {}
            }
        }
        self.name(&mut event, name, is_kernel);
        event.changes.sort_unstable_by_key(|(at, _)| at.start);
        Ok((event, start.map(|start| start..start + dur)))
    }

    fn arguments(&mut self, args: &LazyValue<'_>, event: &mut Event) -> Result<(), Failure> {
        let args = &self.text[range_of(self.text, args.as_raw_str())?];
        if args.starts_with('{') {
            for member in to_object_iter(args) {
                let (key, value) = member?;
                if IDS.contains(&&*key) {
                    self.id(value.as_raw_str(), event)?;
                }
            }
        }
        Ok(())
    }

    /// Notes an id to change, if it is a number other than 0 (0 means none).
    fn id(&mut self, raw: &str, event: &mut Event) -> Result<(), Failure> {
        if let Some(id) = raw.parse::<u64>().ok().filter(|&id| id > 0) {
            self.ids = self.ids.max(id);
            event.changes.push((range_of(self.text, raw)?, Change::Id));
        }
        Ok(())
    }

    fn name(&mut self, event: &mut Event, name: Range<usize>, is_kernel: bool) {
        let raw = &self.text[name.clone()];
        if let Some(number) = raw.strip_prefix(STEP).and_then(|rest| rest.strip_suffix('"'))
            && let Ok(number) = number.parse::<u64>()
        {
            self.steps = self.steps.max(number);
            event.changes.push((name.start + STEP.len()..name.end - 1, Change::Step));
        } else if let Some(open) = raw.find('<').filter(|_| is_kernel) {
            let bytes = raw.as_bytes();
            let is_word = |at: usize| bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
            let digit = (open + 1..bytes.len()).find(|&at| bytes[at].is_ascii_digit() && !is_word(at - 1));
            event.changes.extend(digit.map(|at| (name.start + at..name.start + at + 1, Change::Digit)));
        }
    }

    /// Writes repetitions until at least `bytes` bytes are written.
    pub fn write(&self, mut out: impl Write, bytes: u64) -> io::Result<Repeated> {
        let (first, last) = (&self.events[0], &self.events[self.events.len() - 1]);
        let mut done = Repeated { repetitions: 0, bytes: 0, events: 0, slices: 0 };
        let mut text = self.text.as_bytes()[..first.gap.start].to_vec();
        while done.bytes < bytes || done.repetitions == 0 {
            for (at, event) in self.events.iter().enumerate() {
                if event.is_metadata && done.repetitions > 0 {
                    continue;
                }
                let between = if at == 0 && done.repetitions > 0 { &self.events[1].gap } else { &event.gap };
                text.extend_from_slice(&self.text.as_bytes()[between.clone()]);
                self.event(event, done.repetitions, &mut text)?;
                done.events += 1;
                done.slices += u64::from(event.is_slice);
            }
            done.repetitions += 1;
            done.bytes += text.len() as u64;
            out.write_all(&text)?;
            text.clear();
        }
        let rest = &self.text[last.text.end..];
        done.bytes += rest.len() as u64;
        out.write_all(rest.as_bytes())?;
        Ok(done)
    }

    fn event(&self, event: &Event, repetition: u64, out: &mut Vec<u8>) -> io::Result<()> {
        let mut at = event.text.start;
        for (range, change) in &event.changes {
            out.extend_from_slice(&self.text.as_bytes()[at..range.start]);
            at = range.end;
            let old = &self.text[range.clone()];
            let number = |add: u64| old.parse::<u64>().map_or(0, |old| old + add * repetition);
            match change {
                Change::Time => write!(out, "{}", number(self.us))?,
                Change::Id => write!(out, "{}", number(self.ids))?,
                Change::Step => write!(out, "{}", number(self.steps))?,
                Change::Digit => write!(out, "{}", (number(0) + repetition % 8) % 10)?,
            }
        }
        out.extend_from_slice(&self.text.as_bytes()[at..event.text.end]);
        Ok(())
    }
}
