//! The header of a file: facts beside its events, about its producer, machine, devices and zero of time.
//!
//! Readers fill the header in, and the trace builder keeps one per file. Must not know whether a file is JSON
//! or protobuf.

use proftui_wire::processor::{self, ProcessorTime};

use crate::model::Device;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, parse_scaled};

/// The width, in columns of the terminal, beyond which a header value is cut at its end for display.
pub(super) const SHOWN: usize = 200;

/// Facts about one file, most of them from its header.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact that stands in a file by itself")]
pub(super) struct Header {
    /// Names and values of header entries, in the file's order; long values are cut at the end for display.
    pub entries: Vec<(String, String)>,
    /// The members of the document as keys and values in JSON; empty for a protobuf.
    pub members: Vec<(String, String)>,
    /// The entries of a protobuf's `extra_info`, whole.
    pub extra: Vec<(String, String)>,
    pub devices: Vec<Device>,
    /// The time that the file's zero stands for, ns since the Unix epoch; `None` when not stated.
    pub base: Option<Ns>,
    pub rank: Option<i64>,
    pub host: Option<String>,
    /// The version of the file's schema where it is stated as text, as by Paddle.
    pub schema: Option<String>,
    pub span_index: Option<String>,
    /// The version of the proftui that recorded the file; `None` for files of other producers.
    recorder: Option<String>,
    /// Why a recording of proftui is incomplete, in words; `None` if the file does not say that it is.
    pub incomplete: Option<String>,
    /// Since which step a recording of proftui, or a process in it, lacks events, and why, in words; `None`
    /// if not stated.
    pub stopped: Option<String>,
    /// Numbers of records that a recording of proftui lost: ranges of the host, device records, and device
    /// records that the device's tracing dropped.
    pub lost: [u64; 3],
    /// Why a recording of proftui lacks GPU events, in words; `None` if the file does not say so.
    pub no_gpu: Option<String>,
    /// Processor time of the steps of a recording of proftui.
    pub processor: Vec<ProcessorTime>,
    /// VizTracer's version, empty when not stated; `None` for files of other producers.
    pub viztracer: Option<String>,
    /// True for a binary profile of Paddle's old profiler, which is converted to JSON text while it is read.
    pub is_fluid: bool,
    pub is_kineto: bool,
    /// True for a memory snapshot of PyTorch.
    pub is_memory_history: bool,
    /// True for files of Ascend's profiler that have a device's streams. Known once the file was read to its
    /// end.
    pub is_ascend: bool,
    /// True if the file's slices state their offsets from the trace's start, as Paddle's JSON does. Known
    /// once the file was read to its end.
    pub has_float_offsets: bool,
    /// True if the file's times are known to be exact to the nanosecond.
    pub is_exact: bool,
}

impl Header {
    /// The name of the file's producer, with a version where known. `has_operators` and `has_dipu` state
    /// whether the trace has operators, and names that only DeepLink gives.
    pub(super) fn producer(&self, has_operators: bool, has_dipu: bool) -> String {
        if let Some(version) = &self.viztracer {
            return format!("viztracer {version}").trim_end().into();
        }
        if let Some(version) = &self.recorder {
            return format!("proftui {version}");
        }
        if self.is_paddle() {
            return format!("paddle {}", self.schema.as_deref().unwrap_or("")).trim_end().into();
        }
        if self.is_fluid {
            return "fluid".into();
        }
        if self.is_memory_history {
            return "torch memory snapshot".into();
        }
        if self.is_ascend {
            return "ascend (experimental)".into();
        }
        match (has_dipu, self.is_kineto || has_operators) {
            (true, _) => "deeplink".into(),
            (false, true) => "kineto".into(),
            (false, false) => "chrome".into(),
        }
    }

    /// True if the header looks like Paddle's: it has a span index or a schema version such as Paddle's, but
    /// no base time and no entry of VizTracer.
    fn is_paddle(&self) -> bool {
        let is_schema = |schema: &String| schema.starts_with("1.0.");
        self.viztracer.is_none()
            && self.base.is_none()
            && (self.span_index.is_some() || self.schema.as_ref().is_some_and(is_schema))
    }

    /// True if proftui recorded the file.
    pub(super) fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// True if the file's times are probably rounded as in Paddle's JSON: starts to microseconds, offsets
    /// from the trace's start to float32.
    pub(super) fn is_rounded(&self) -> bool {
        !self.is_exact && (self.has_float_offsets || self.is_paddle())
    }

    /// Takes the members of the document, as keys and values in JSON; of a protobuf `ExtraInfo` alone.
    pub(super) fn take_members(&mut self) -> Vec<(String, String)> {
        let mut members = std::mem::take(&mut self.members);
        if !self.extra.is_empty() {
            let extra: serde_json::Map<String, serde_json::Value> =
                std::mem::take(&mut self.extra).into_iter().map(|(key, text)| (key, text.into())).collect();
            members.push(("ExtraInfo".into(), serde_json::Value::from(extra).to_string()));
        }
        members
    }

    /// The number of ranks in the job, as proftui's or Kineto's header entry states it; `None` if neither
    /// does.
    pub(super) fn world_size(&self) -> Option<i64> {
        let entry =
            |name: &str| self.entries.iter().find(|(key, _)| key == name).map(|(_, text)| text.as_str());
        let of_kineto = || entry("distributedInfo")?.split_once("\"world_size\":").map(|(_, rest)| rest);
        let text = entry("proftui.WORLD_SIZE").or_else(of_kineto)?.trim_start();
        text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// Adds a header entry, its value shortened for display; some keys also set a field of the header.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        let text = SafeText::from_bytes(value);
        if key == processor::KEY.as_bytes() {
            // One element for each step: nobody reads them as text.
            self.processor = processor::read(text.as_str());
            return;
        }
        let count = || text.as_str().parse().unwrap_or_default();
        match key {
            b"schemaVersion" => self.schema = Some(text.to_string()),
            b"span_index" => self.span_index = Some(text.to_string()),
            b"proftui.version" => self.recorder = Some(text.to_string()),
            b"proftui.incomplete" => self.incomplete = Some(text.to_string()),
            b"proftui.stopped" => self.stopped = Some(text.to_string()),
            b"proftui.lost" => self.lost[0] = count(),
            b"proftui.gpu.lost" => self.lost[1] = count(),
            b"proftui.gpu.dropped" => self.lost[2] = count(),
            b"proftui.gpu.why" => self.no_gpu = Some(text.to_string()),
            b"proftui.RANK" => self.rank = parse_scaled(value, 0),
            _ => {}
        }
        self.entries.push((SafeText::from_bytes(key).to_string(), text.elide_end(SHOWN).to_string()));
    }
}
