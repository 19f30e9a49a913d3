//! Events as text: what all of them have, and the pieces in which they are handed on.

use std::fmt::{Display, Write as _};
use std::io::Write;

use serde_json::Value;

use super::super::Recording;
use crate::export::ExportError;
use crate::export::time::{Relative, Us};

/// Text is handed on in pieces of about this many bytes.
const PIECE: usize = 64 << 10;

/// Where events go.
pub(super) struct Out<'a> {
    to: &'a mut dyn Write,
    pub recording: &'a Recording,
    pub text: String,
    /// Names as they stand between quotes.
    names: Vec<String>,
    /// The recording's start.
    zero: u64,
}

/// Where an event lies: a process or a device, and how its thread or stream is written.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub pid: u32,
    pub tid: &'a dyn Display,
}

/// An event with a length.
#[derive(Clone, Copy)]
pub(super) struct Slice<'a> {
    pub name: u32,
    pub cat: &'a str,
    /// The colour of its kind, in the words of Chrome's viewer.
    pub colour: &'a str,
    pub spot: Spot<'a>,
    pub start: u64,
    pub end: u64,
}

impl<'a> Out<'a> {
    pub(super) fn new(recording: &'a Recording, to: &'a mut dyn Write) -> Self {
        let names = recording.names.iter().map(|name| inner(&String::from_utf8_lossy(name))).collect();
        let (text, zero) = (String::with_capacity(2 * PIECE), recording.zero());
        Self { to, recording, text, names, zero }
    }

    /// A slice with its times under Paddle's keys, then the arguments that `more` adds, each behind a comma.
    pub(super) fn slice(
        &mut self,
        slice: &Slice<'_>,
        more: impl FnOnce(&mut String),
    ) -> Result<(), ExportError> {
        let Slice { cat, colour, spot, start, end, .. } = *slice;
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
            spot.pid,
            spot.tid,
            Us(start),
            Us(dur),
            Relative(start, self.zero),
            Relative(end, self.zero),
        );
        more(&mut self.text);
        self.text.push_str("}},\n");
        self.hand_on()
    }

    /// One end of the arrow from a launch to its work.
    pub(super) fn arrow(
        &mut self,
        phase: char,
        id: u32,
        spot: Spot<'_>,
        ts: u64,
        more: &str,
    ) -> Result<(), ExportError> {
        let (pid, tid, ts) = (spot.pid, spot.tid, Us(ts));
        let _ = writeln!(
            self.text,
            "{{\"name\":\"launch\",\"ph\":\"{phase}\",\"cat\":\"async\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts}{more}}},"
        );
        self.hand_on()
    }

    /// One end of the arrow from an operator to its backward, bound to the slice that starts then.
    pub(super) fn backward_arrow(
        &mut self,
        phase: char,
        id: u32,
        spot: Spot<'_>,
        start: u64,
    ) -> Result<(), ExportError> {
        let (pid, tid, ts) = (spot.pid, spot.tid, Us(start));
        let _ = writeln!(
            self.text,
            "{{\"name\":\"fwdbwd\",\"ph\":\"{phase}\",\"cat\":\"fwdbwd\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts},\"bp\":\"e\"}},"
        );
        self.hand_on()
    }

    /// An event without a length, and its arguments that `more` adds.
    pub(super) fn instant(
        &mut self,
        (name, cat): (&str, &str),
        spot: Spot<'_>,
        time: u64,
        more: impl FnOnce(&mut String),
    ) -> Result<(), ExportError> {
        let (pid, tid, ts) = (spot.pid, spot.tid, Us(time));
        let _ = write!(
            self.text,
            "{{\"ph\":\"i\",\"name\":\"{name}\",\"cat\":\"{cat}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"args\":{{"
        );
        more(&mut self.text);
        self.text.push_str("}},\n");
        self.hand_on()
    }

    /// An event without a time.
    pub(super) fn value(&mut self, event: &Value) -> Result<(), ExportError> {
        let _ = writeln!(self.text, "{event},");
        self.hand_on()
    }

    /// A time as arguments have it.
    pub(super) fn time(&self, ns: u64) -> Relative {
        Relative(ns, self.zero)
    }

    pub(super) fn hand_on(&mut self) -> Result<(), ExportError> {
        if self.text.len() > PIECE {
            self.to.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), ExportError> {
        // As Paddle ends its list.
        self.text.push_str("{}\n]}\n");
        self.to.write_all(self.text.as_bytes())?;
        Ok(())
    }
}

/// A text as it stands between the quotes.
pub(super) fn inner(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
