//! What stands beside the events: who wrote the file, on which machine, with which devices, from which zero of time.

use crate::base::text::SafeText;
use crate::base::time::{Ns, parse_scaled};
use crate::import::chrome::args;
use crate::import::chrome::event::members;
use crate::import::chrome::scan::{Kind, Scanner, Token};
use crate::model::Device;

/// Longest header value kept for display, in columns.
const SHOWN: usize = 200;

/// The header of one file, as far as it matters.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact that stands in a file by itself")]
pub(super) struct Header {
    /// Every entry, shortened for display.
    pub entries: Vec<(String, String)>,
    pub devices: Vec<Device>,
    /// Nanoseconds of the Unix epoch at the file's zero.
    pub base: Option<Ns>,
    pub rank: Option<i64>,
    pub host: Option<String>,
    schema: Option<String>,
    span_index: Option<String>,
    /// The version of proftui that recorded it.
    recorder: Option<String>,
    /// Why a recording is not whole.
    pub incomplete: Option<String>,
    /// Events that a recording lost: ranges, records of devices for which there was no room, such that the device's tracing dropped.
    pub lost: [u64; 3],
    /// Why a recording has nothing of GPUs, or not all.
    pub no_gpu: Option<String>,
    viztracer: Option<String>,
    /// True for the text made from the binary profile of Paddle's old profiler.
    is_fluid: bool,
    is_kineto: bool,
    /// True when Paddle's float32 offsets were found.
    pub has_float_offsets: bool,
    /// True when the file gives its times to the nanosecond.
    pub is_exact: bool,
}

impl Header {
    pub(super) fn take(&mut self, key: &[u8], value: Token<'_>) {
        let shown = args::text(value.text);
        match key {
            b"deviceProperties" => {
                self.is_kineto = true;
                elements(value, |device| self.devices.push(read_device(device)));
            }
            b"baseTimeNanoseconds" => {
                self.is_kineto = true;
                self.base = value.key().and_then(|text| parse_scaled(text, 0));
            }
            b"traceName" => self.is_kineto = true,
            b"schemaVersion" => {
                self.is_kineto |= value.kind == Kind::Number;
                self.schema = (value.kind == Kind::String).then(|| shown.to_string());
            }
            b"span_indx" | b"span_index" => self.span_index = Some(shown.to_string()),
            b"profiler" => self.is_fluid = shown.as_str() == "fluid",
            // Each of these is a figure of its own; the rest are threads' names.
            b"ExtraInfo" => members(value, |key, value| {
                if key.ends_with(b"Utilization") || key.starts_with(b"proftui.") {
                    self.add(key, args::text(value.text).as_str().as_bytes());
                }
            }),
            b"host_name" => self.host = Some(shown.to_string()),
            b"distributedInfo" => members(value, |key, value| {
                if key == b"rank" {
                    self.rank = value.key().and_then(|text| parse_scaled(text, 0));
                }
            }),
            b"viztracer_metadata" => {
                self.viztracer = Some(String::new());
                members(value, |key, value| {
                    if key == b"version" {
                        self.viztracer = Some(args::text(value.text).to_string());
                    }
                });
            }
            _ => {}
        }
        self.entries.push((args::text(key).to_string(), shown.elide_end(SHOWN).to_string()));
    }

    /// Who wrote the file: what it says of itself, else what its events show. DeepLink writes as Kineto does, with kernels
    /// of its own names.
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
        match (has_dipu, self.is_kineto || has_operators) {
            (true, _) => "deeplink".into(),
            (false, true) => "kineto".into(),
            (false, false) => "chrome".into(),
        }
    }

    /// True for Paddle's way of writing, whoever wrote it.
    fn is_paddle(&self) -> bool {
        let is_schema = |schema: &String| schema.starts_with("1.0.");
        self.viztracer.is_none() && (self.span_index.is_some() || self.schema.as_ref().is_some_and(is_schema))
    }

    /// True for JSON as Paddle writes it: its times are rounded twice.
    pub(super) fn is_rounded(&self) -> bool {
        !self.is_exact && (self.has_float_offsets || self.is_paddle())
    }

    /// Adds an entry for display, and what it says of Paddle's version.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        let shown = SafeText::from_bytes(value);
        match key {
            b"schemaVersion" => self.schema = Some(shown.to_string()),
            b"span_index" => self.span_index = Some(shown.to_string()),
            b"proftui.version" => self.recorder = Some(shown.to_string()),
            b"proftui.incomplete" => self.incomplete = Some(shown.to_string()),
            b"proftui.lost" => self.lost[0] = count(&shown),
            b"proftui.gpu.lost" => self.lost[1] = count(&shown),
            b"proftui.gpu.dropped" => self.lost[2] = count(&shown),
            b"proftui.gpu.why" => self.no_gpu = Some(shown.to_string()),
            b"proftui.RANK" => self.rank = parse_scaled(value, 0),
            _ => {}
        }
        self.entries.push((SafeText::from_bytes(key).to_string(), shown.elide_end(SHOWN).to_string()));
    }
}

fn count(text: &SafeText) -> u64 {
    text.as_str().parse().unwrap_or_default()
}

/// Calls `each` with every element of an array's text.
fn elements<'a>(array: Token<'a>, mut each: impl FnMut(Token<'a>)) {
    if array.kind != Kind::Array {
        return;
    }
    let mut scan = Scanner::new(array.text, true);
    scan.pos = 1;
    while let Ok(byte) = scan.peek() {
        match byte {
            b']' => return,
            b',' => scan.pos += 1,
            _ => match scan.value() {
                Ok(value) => each(value),
                Err(_) => return,
            },
        }
    }
}

fn read_device(token: Token<'_>) -> Device {
    let mut device = Device::default();
    let (mut major, mut minor) = (None, None);
    members(token, |key, value| {
        let number = value.key().and_then(|text| parse_scaled(text, 0));
        match key {
            b"id" => device.id = number.unwrap_or_default(),
            b"name" => device.name = SafeText::from_bytes(value.text).to_string(),
            b"totalGlobalMem" => device.memory = number.unwrap_or_default() as u64,
            b"numSms" | b"smCount" | b"maxComputeUnits" => {
                device.multiprocessors = number.unwrap_or_default() as u64;
            }
            b"computeMajor" => major = number,
            b"computeMinor" => minor = number,
            _ => {}
        }
    });
    if let (Some(major), Some(minor)) = (major, minor) {
        device.capability = format!("{major}.{minor}");
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Header {
        let mut header = Header::default();
        let object = Token { kind: Kind::Object, text: text.as_bytes() };
        members(object, |key, value| header.take(key, value));
        header
    }

    #[test]
    fn producers() {
        assert_eq!(header(r#"{"schemaVersion":1,"traceName":"x"}"#).producer(false, false), "kineto");
        assert_eq!(
            header(r#"{"schemaVersion":"1.0.2","span_indx":"0"}"#).producer(true, false),
            "paddle 1.0.2"
        );
        assert_eq!(
            header(r#"{"viztracer_metadata":{"version":"0.16.1"}}"#).producer(false, false),
            "viztracer 0.16.1"
        );
        assert_eq!(header("{}").producer(false, false), "chrome");
        assert_eq!(header("{}").producer(true, false), "kineto");
        assert_eq!(header("{}").producer(true, true), "deeplink");
    }

    #[test]
    fn devices_and_rank() {
        let header = header(
            r#"{"deviceProperties":[{"id":1,"name":"H100","totalGlobalMem":85,"computeMajor":9,"computeMinor":0,"numSms":132}],
                "distributedInfo":{"backend":"nccl","rank":3},"baseTimeNanoseconds":1790857026000000000}"#,
        );
        let device = &header.devices[0];
        assert_eq!((device.id, device.name.as_str(), device.memory), (1, "H100", 85));
        assert_eq!((device.multiprocessors, device.capability.as_str()), (132, "9.0"));
        assert_eq!((header.rank, header.base), (Some(3), Some(1_790_857_026_000_000_000)));
    }
}
