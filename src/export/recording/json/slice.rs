//! Formats events as JSON text, and writes the text in blocks.

use std::fmt::{Display, Write as _};
use std::io::Write;

use serde_json::Value;

use super::super::content::Recording;
use crate::export::ExportError;
use crate::export::time::{Relative, Us};

/// Length at which the text is written out, bytes.
const BLOCK: usize = 64 << 10;

/// Formats events and writes them to `to`.
pub(super) struct Out<'a> {
    to: &'a mut dyn Write,
    pub recording: &'a Recording,
    /// Text that is not written yet.
    text: String,
    /// The recording's names, escaped for JSON.
    names: Vec<String>,
    /// The time that relative times count from, ns since 1970.
    zero: u64,
}

/// The lane on which an event is shown: a thread of a process, or a stream of a device.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    /// The `pid`: id of the process, or number of the device.
    pub pid: u32,
    /// The `tid` as JSON: the thread's id with a suffix, or the number of the stream's lane.
    pub tid: &'a dyn Display,
}

/// An event with a length.
#[derive(Clone, Copy)]
pub(super) struct Slice<'a> {
    /// Index into the recording's names, or the value that stands for details; see [`Range::name`](super::super::content::Range::name).
    pub name: u32,
    /// Category: Paddle's name of the event's kind.
    pub cat: &'a str,
    /// Colour, as a colour name (`cname`) of Chrome's trace viewer.
    pub colour: &'a str,
    /// The thread or stream that the slice is on.
    pub lane: Lane<'a>,
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970.
    pub end: u64,
}

impl<'a> Out<'a> {
    pub(super) fn new(recording: &'a Recording, to: &'a mut dyn Write) -> Self {
        let names = recording.names.iter().map(|name| escaped(&String::from_utf8_lossy(name))).collect();
        let (text, zero) = (String::with_capacity(2 * BLOCK), recording.zero());
        Self { to, recording, text, names, zero }
    }

    /// Writes a slice with its times under Paddle's keys; `more` appends further arguments, each after a comma.
    pub(super) fn slice(
        &mut self,
        slice: &Slice<'_>,
        more: impl FnOnce(&mut String),
    ) -> Result<(), ExportError> {
        let Slice { cat, colour, lane, start, end, .. } = *slice;
        let name = self.recording.details.name(slice.name);
        let name = self.names.get(name as usize).map_or("", String::as_str);
        let dur = end.saturating_sub(start);
        let (whole, part, unit) = if dur > 1_000_000 {
            (dur / 1_000_000, dur / 1000 % 1000, "ms")
        } else {
            (dur / 1000, dur % 1000, "us")
        };
        // Writing into a text cannot fail.
        let _ = write!(
            self.text,
            "{{\"name\":\"{name}[{whole}.{part:03} {unit}]\",\"ph\":\"X\",\"cat\":\"{cat}\",\"pid\":{},\
             \"tid\":{},\"ts\":{},\"dur\":{},\"cname\":\"{colour}\",\"args\":{{\"start_time\":\"{}\",\
             \"end_time\":\"{}\"",
            lane.pid,
            lane.tid,
            Us(start),
            Us(dur),
            Relative(start, self.zero),
            Relative(end, self.zero),
        );
        more(&mut self.text);
        self.text.push_str("}},\n");
        self.flush_block()
    }

    /// Writes one end of the flow from a launch to its device work: `event_type` is `s` (start) or `f` (end), `id` the correlation number,
    /// `ts` a time in ns, `more` further members of the JSON object, each after a comma.
    pub(super) fn launch_flow(
        &mut self,
        event_type: char,
        id: u32,
        lane: Lane<'_>,
        ts: u64,
        more: &str,
    ) -> Result<(), ExportError> {
        let (pid, tid, ts) = (lane.pid, lane.tid, Us(ts));
        let _ = writeln!(
            self.text,
            "{{\"name\":\"launch\",\"ph\":\"{event_type}\",\"cat\":\"async\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts}{more}}},"
        );
        self.flush_block()
    }

    /// Writes one end of the flow from an operator to its backward, bound to the slice that begins at `start` (ns): `event_type` is `s`
    /// (start) or `f` (end), `id` the number of the link.
    pub(super) fn backward_flow(
        &mut self,
        event_type: char,
        id: u32,
        lane: Lane<'_>,
        start: u64,
    ) -> Result<(), ExportError> {
        let (pid, tid, ts) = (lane.pid, lane.tid, Us(start));
        let _ = writeln!(
            self.text,
            "{{\"name\":\"fwdbwd\",\"ph\":\"{event_type}\",\"cat\":\"fwdbwd\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts},\"bp\":\"e\"}},"
        );
        self.flush_block()
    }

    /// Writes an instant event at `time` (ns); `more` appends its arguments, without a comma before the first.
    pub(super) fn instant(
        &mut self,
        (name, cat): (&str, &str),
        lane: Lane<'_>,
        time: u64,
        more: impl FnOnce(&mut String),
    ) -> Result<(), ExportError> {
        let (pid, tid, ts) = (lane.pid, lane.tid, Us(time));
        let _ = write!(
            self.text,
            "{{\"ph\":\"i\",\"name\":\"{name}\",\"cat\":\"{cat}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"args\":{{"
        );
        more(&mut self.text);
        self.text.push_str("}},\n");
        self.flush_block()
    }

    /// Writes an event whose JSON is complete.
    pub(super) fn value(&mut self, event: &Value) -> Result<(), ExportError> {
        let _ = writeln!(self.text, "{event},");
        self.flush_block()
    }

    /// Converts a time (ns since 1970) to the form that times have in arguments: relative to the start of the recording.
    pub(super) fn time(&self, ns: u64) -> Relative {
        Relative(ns, self.zero)
    }

    /// Writes the text, and empties it, once it is longer than [`BLOCK`].
    fn flush_block(&mut self) -> Result<(), ExportError> {
        if self.text.len() > BLOCK {
            self.to.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    /// Ends the array and the document, and writes the remaining text.
    pub(super) fn finish(mut self) -> Result<(), ExportError> {
        // As Paddle ends its list.
        self.text.push_str("{}\n]}\n");
        self.to.write_all(self.text.as_bytes())?;
        Ok(())
    }
}

/// Escapes a text for JSON, without the quotes.
pub(super) fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
