//! The header of a file: facts beside its events, about its producer, machine, devices and zero of time.
//!
//! Readers fill the header in, and the trace builder keeps one per file. Must not know whether a file is JSON
//! or protobuf.

use crate::model::Device;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, parse_scaled};

/// Most columns of a header value that are kept for display; the rest is cut off.
pub(super) const SHOWN: usize = 200;

/// The facts from one file's header that loading uses.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact that stands in a file by itself")]
pub(super) struct Header {
    /// Name and value of every header entry, in the file's order, shortened for display.
    pub entries: Vec<(String, String)>,
    pub devices: Vec<Device>,
    /// The time that the file's zero stands for, ns since the Unix epoch; `None` when not stated.
    pub base: Option<Ns>,
    pub rank: Option<i64>,
    pub host: Option<String>,
    /// The version of the schema, where it is a text: Paddle's is, Kineto's is a number.
    pub schema: Option<String>,
    pub span_index: Option<String>,
    /// The version of the proftui that recorded the file; `None` for files of other producers.
    recorder: Option<String>,
    /// Why a recording of proftui is incomplete, in words; `None` for a complete one.
    pub incomplete: Option<String>,
    /// Since which step a recording of proftui has nothing, for want of room, and why; `None` for one that
    /// went on to its end.
    pub stopped: Option<String>,
    /// Number of events that a recording lost: ranges, device records for which there was no room, records
    /// that the device's tracing dropped.
    pub lost: [u64; 3],
    /// Why a recording of proftui has no GPU events, or not all, in words; `None` when it does not say so.
    pub no_gpu: Option<String>,
    /// VizTracer's version, empty when not stated; `None` for files of other producers.
    pub viztracer: Option<String>,
    /// True for the text made from the binary profile of Paddle's old profiler.
    pub is_fluid: bool,
    pub is_kineto: bool,
    /// True for files of Ascend's profiler.
    pub is_ascend: bool,
    /// True when slices state their offsets from the trace's start, as Paddle's float32.
    pub has_float_offsets: bool,
    /// True when the file's times are exact to the nanosecond.
    pub is_exact: bool,
}

impl Header {
    /// The producer's name and version: from the header, else inferred from the events. `has_operators` is
    /// true if the trace has operators, as Kineto's have. DeepLink writes Kineto's format, with its own names
    /// for kernels: `has_dipu` is true if there are any.
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
        if self.is_ascend {
            return "ascend (experimental)".into();
        }
        match (has_dipu, self.is_kineto || has_operators) {
            (true, _) => "deeplink".into(),
            (false, true) => "kineto".into(),
            (false, false) => "chrome".into(),
        }
    }

    /// True for files in Paddle's form, whichever producer wrote them. Paddle states no base of its times;
    /// our own form does.
    fn is_paddle(&self) -> bool {
        let is_schema = |schema: &String| schema.starts_with("1.0.");
        self.viztracer.is_none()
            && self.base.is_none()
            && (self.span_index.is_some() || self.schema.as_ref().is_some_and(is_schema))
    }

    /// True when our own recorder wrote the file.
    pub(super) fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// True when the file's times are rounded twice, as in Paddle's JSON.
    pub(super) fn is_rounded(&self) -> bool {
        !self.is_exact && (self.has_float_offsets || self.is_paddle())
    }

    /// The number of ranks in the job; `None` when not stated. Kineto's stands in an object that is kept as a
    /// text.
    pub(super) fn world_size(&self) -> Option<i64> {
        let entry =
            |name: &str| self.entries.iter().find(|(key, _)| key == name).map(|(_, text)| text.as_str());
        let of_kineto = || entry("distributedInfo")?.split_once("\"world_size\":").map(|(_, rest)| rest);
        let text = entry("proftui.WORLD_SIZE").or_else(of_kineto)?.trim_start();
        text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// Adds a header entry whose value is a text. Sets the field of the header that belongs to `key`, too, if
    /// it is a key of Paddle or proftui that loading uses.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        let text = SafeText::from_bytes(value);
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
