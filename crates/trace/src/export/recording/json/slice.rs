//! Formats events as JSON text, and writes the text in blocks.

use std::fmt::{self, Display, Formatter, Write as _};
use std::io::Write;

use serde_json::Value;

use super::super::content::Recording;
use crate::export::ExportError;
use crate::export::kineto::OWN_CATEGORY;
use crate::export::kineto::category::nearest;
use crate::export::time::{Relative, Us};
use crate::model::nodetree::{PADDLE_STEP, PROFILE_STEP, TORCH_STEP};

/// Length of the gathered text, bytes, beyond which it is written out.
const BLOCK: usize = 64 << 10;

/// Formats events as JSON, gathers the text and writes it to `to` block by block.
pub(super) struct Out<'a> {
    to: &'a mut dyn Write,
    pub recording: &'a Recording,
    times: Times,
    /// True for the form of PyTorch's profiler.
    pub is_kineto: bool,
    /// Formatted events that are not written yet.
    text: String,
    /// True until the first event, which no comma precedes.
    is_first: bool,
    /// The recording's names, escaped for JSON.
    names: Vec<String>,
}

/// How times are written in JSON: in proftui's own form or in Paddle's.
#[derive(Clone, Copy, Debug)]
pub(super) enum Times {
    /// In our own form: `ts` counts from this time, ns since 1970.
    Since(u64),
    /// In Paddle's form: `ts` counts from 1970, and times in arguments from this time, ns since 1970.
    Paddle(u64),
}

impl Times {
    /// The time that `ts` counts from, ns since 1970; 0 in Paddle's form.
    fn base(self) -> u64 {
        match self {
            Self::Since(base) => base,
            Self::Paddle(_) => 0,
        }
    }
}

/// The lane on which an event is shown: a layer of a thread, a stream of a device, or the unified memory of a
/// device.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    /// The `pid`: id of the process, or number of the device.
    pub pid: u32,
    /// The `tid`, displayed as JSON: a number or a quoted text.
    pub tid: &'a dyn Display,
}

/// An event with a length.
#[derive(Clone, Copy)]
pub(super) struct Slice<'a> {
    /// The event's name, in the form of [`Range::name`](super::super::content::Range::name).
    pub name: u32,
    /// Category: the name of the event's kind.
    pub cat: &'a str,
    /// Colour, as a colour name (`cname`) of Chrome's trace viewer.
    pub colour: &'a str,
    /// The lane on which the slice is shown.
    pub lane: Lane<'a>,
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970.
    pub end: u64,
}

impl<'a> Out<'a> {
    pub(super) fn new(
        recording: &'a Recording,
        (times, is_kineto): (Times, bool),
        to: &'a mut dyn Write,
    ) -> Self {
        let names = recording.names.iter().map(|name| escaped(&String::from_utf8_lossy(name))).collect();
        let text = String::with_capacity(2 * BLOCK);
        Self { to, recording, times, is_kineto, text, is_first: true, names }
    }

    /// The key of the argument with the number that a call and its device work have in common.
    pub(super) fn correlation_key(&self) -> &'static str {
        if self.is_kineto { "correlation" } else { "correlation id" }
    }

    /// An event's category, displayed as members of it: in Kineto's form its nearest one, and our own beside
    /// it.
    fn category<'c>(&self, own: &'c str) -> Category<'c> {
        Category { own, nearest: if self.is_kineto { nearest(own) } else { None } }
    }

    /// An event's colour, displayed as a member of it; as nothing in Kineto's form, which has none.
    fn colour<'c>(&self, name: &'c str) -> Colour<'c> {
        Colour(Some(name).filter(|_| !self.is_kineto))
    }

    /// True if events are written in Paddle's form.
    pub(super) fn is_paddle(&self) -> bool {
        matches!(self.times, Times::Paddle(_))
    }

    /// Appends a comma and a line break, unless the next event is the first.
    fn begin(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.text.push_str(",\n");
        }
    }

    /// A time (ns since 1970) as the value of `ts`: µs from the time that `ts` counts from.
    fn ts(&self, ns: u64) -> Us {
        Us(ns.saturating_sub(self.times.base()))
    }

    /// Writes a slice; `more` appends its arguments, each after a comma.
    pub(super) fn slice(
        &mut self,
        slice: &Slice<'_>,
        more: impl FnOnce(&mut String),
    ) -> Result<(), ExportError> {
        self.begin();
        let Slice { cat, colour, lane: Lane { pid, tid }, start, end, .. } = *slice;
        let name = self.recording.details.name(slice.name);
        let name = self.names.get(name as usize).map_or("", String::as_str);
        let (ts, dur) = (self.ts(start), end.saturating_sub(start));
        let label = Label(self.is_paddle().then_some(dur));
        let (step, name) = match name.strip_prefix(PADDLE_STEP) {
            Some(number) if cat == PROFILE_STEP && !self.is_paddle() => (TORCH_STEP, number),
            _ => ("", name),
        };
        let (cat, colour) = (self.category(cat), self.colour(colour));
        // Writing into a text cannot fail.
        let _ = write!(
            self.text,
            "{{\"name\":\"{step}{name}{label}\",\"ph\":\"X\",{cat},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts},\"dur\":{}{colour},\"args\":{{",
            Us(dur),
        );
        if let Times::Paddle(zero) = self.times {
            let (start, end) = (Relative(start, zero), Relative(end, zero));
            let _ = write!(self.text, "\"start_time\":\"{start}\",\"end_time\":\"{end}\"");
        }
        let before = self.text.len();
        more(&mut self.text);
        if !self.is_paddle() && self.text[before..].starts_with(',') {
            self.text.remove(before);
        }
        self.text.push_str("}}");
        self.flush_block()
    }

    /// Writes the start (`s`) or the end (`f`) of the flow from a launch to its device work. `id` is the
    /// correlation number; `ts` is in ns since 1970; `more` has further members of the event.
    pub(super) fn launch_flow(
        &mut self,
        event_type: char,
        id: u32,
        lane: Lane<'_>,
        ts: u64,
        more: &str,
    ) -> Result<(), ExportError> {
        self.begin();
        let (pid, tid, ts) = (lane.pid, lane.tid, self.ts(ts));
        let (name, cat) = if self.is_kineto { ("ac2g", "ac2g") } else { ("launch", "async") };
        let _ = write!(
            self.text,
            "{{\"name\":\"{name}\",\"ph\":\"{event_type}\",\"cat\":\"{cat}\",\"id\":{id},\"pid\":{pid},\
             \"tid\":{tid},\"ts\":{ts}{more}}}"
        );
        self.flush_block()
    }

    /// Writes the start (`s`) or the end (`f`) of the flow from an operator to its backward. `id` is the
    /// link's number; `start` is in ns since 1970.
    pub(super) fn backward_flow(
        &mut self,
        event_type: char,
        id: u32,
        lane: Lane<'_>,
        start: u64,
    ) -> Result<(), ExportError> {
        self.begin();
        let (pid, tid, ts) = (lane.pid, lane.tid, self.ts(start));
        let _ = write!(
            self.text,
            "{{\"name\":\"fwdbwd\",\"ph\":\"{event_type}\",\"cat\":\"fwdbwd\",\"id\":{id},\"pid\":{pid},\
             \"tid\":{tid},\"ts\":{ts},\"bp\":\"e\"}}"
        );
        self.flush_block()
    }

    /// Writes an instant event at `time` (ns since 1970); `more` appends its arguments, without a comma
    /// before the first.
    pub(super) fn instant(
        &mut self,
        (name, cat): (&str, &str),
        lane: Lane<'_>,
        time: u64,
        more: impl FnOnce(&mut String),
    ) -> Result<(), ExportError> {
        self.begin();
        let (pid, tid, ts) = (lane.pid, lane.tid, self.ts(time));
        let (cat, scope) = (self.category(cat), if self.is_kineto { ",\"s\":\"t\"" } else { "" });
        let _ = write!(
            self.text,
            "{{\"ph\":\"i\",\"name\":\"{name}\",{cat},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts}{scope},\"args\":{{"
        );
        more(&mut self.text);
        self.text.push_str("}}");
        self.flush_block()
    }

    /// Writes an event that is a complete JSON object already, such as a metadata event.
    pub(super) fn value(&mut self, event: &Value) -> Result<(), ExportError> {
        self.begin();
        let _ = write!(self.text, "{event}");
        self.flush_block()
    }

    /// A time (ns since 1970) as an argument of an event, in JSON: a number of µs, or in Paddle's form a text
    /// such as `"12.345 us"`.
    pub(super) fn time(&self, ns: u64) -> String {
        match self.times {
            Times::Since(_) => self.ts(ns).to_string(),
            Times::Paddle(zero) => format!("\"{}\"", Relative(ns, zero)),
        }
    }

    /// Writes out the gathered text, and empties it, once it is longer than [`BLOCK`].
    fn flush_block(&mut self) -> Result<(), ExportError> {
        if self.text.len() > BLOCK {
            self.to.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    /// Ends the array (in Paddle's form with an empty event) and the document, and writes out the remaining
    /// text.
    pub(super) fn finish(mut self) -> Result<(), ExportError> {
        if self.is_paddle() {
            // As Paddle ends its list.
            self.begin();
            self.text.push_str("{}");
        }
        self.text.push_str("\n]}\n");
        self.to.write_all(self.text.as_bytes())?;
        Ok(())
    }
}

/// A category of our own, and the nearest one of Kineto where that is written.
struct Category<'a> {
    own: &'a str,
    nearest: Option<&'static str>,
}

impl Display for Category<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.nearest {
            Some(nearest) => write!(f, "\"cat\":\"{nearest}\",\"{OWN_CATEGORY}\":\"{}\"", self.own),
            None => write!(f, "\"cat\":\"{}\"", self.own),
        }
    }
}

/// A colour name (`cname`) of Chrome's trace viewer; `None` displays as nothing.
struct Colour<'a>(Option<&'a str>);

impl Display for Colour<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, ",\"cname\":\"{name}\""))
    }
}

/// The duration (ns) that Paddle appends to a name: `[12.345 us]`, or `[1.250 ms]` above 1 ms; `None`
/// displays as nothing.
struct Label(Option<u64>);

impl Display for Label {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(dur) if dur > 1_000_000 => write!(f, "[{} ms]", Us(dur / 1000)),
            Some(dur) => write!(f, "[{} us]", Us(dur)),
        }
    }
}

/// Escapes a text for a JSON string; adds no quotes around it.
pub(super) fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
