//! Reading a document's members other than `traceEvents` into the file's header.

use crate::import::header::{Header, SHOWN};
use crate::model::Device;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::parse_scaled;

use super::args;
use super::escapes::unescape;
use super::event::members;
use super::scan::{Kind, Scanner, Token};

/// Adds the entry `key` of a document (a member other than its events) to `header`, shortened for display,
/// and sets the facts that loading takes from it.
pub(super) fn read_entry(header: &mut Header, key: &[u8], value: Token<'_>) {
    let text = args::text(value.text);
    match key {
        b"deviceProperties" => {
            header.is_kineto = true;
            elements(value, |device| header.devices.push(read_device(device)));
        }
        b"baseTimeNanoseconds" => {
            header.is_kineto = true;
            header.base = value.key().and_then(|text| parse_scaled(text, 0));
        }
        b"traceName" => header.is_kineto = true,
        b"schemaVersion" => {
            header.is_kineto |= value.kind == Kind::Number;
            header.schema = (value.kind == Kind::String).then(|| text.to_string());
        }
        b"span_indx" | b"span_index" => header.span_index = Some(text.to_string()),
        b"profiler" => header.is_fluid = text.as_str() == "fluid",
        // Each of these becomes an entry of its own; the other members are threads' names.
        b"ExtraInfo" => members(value, |key, value| {
            if key.ends_with(b"Utilization") || key.starts_with(b"proftui.") {
                header.add(key, args::text(value.text).as_str().as_bytes());
            }
        }),
        b"host_name" => header.host = Some(text.to_string()),
        b"distributedInfo" => members(value, |key, value| {
            if key == b"rank" {
                header.rank = value.key().and_then(|text| parse_scaled(text, 0));
            }
        }),
        b"viztracer_metadata" => {
            header.viztracer = Some(String::new());
            members(value, |key, value| {
                if key == b"version" {
                    header.viztracer = Some(args::text(value.text).to_string());
                }
            });
        }
        _ => {}
    }
    header.members.push((String::from_utf8_lossy(&unescape(key).0).into_owned(), as_json(value)));
    header.entries.push((args::text(key).to_string(), text.elide_end(SHOWN).to_string()));
}

/// A value as JSON; what is no JSON becomes a string.
fn as_json(value: Token<'_>) -> String {
    let text = String::from_utf8_lossy(value.text);
    if value.kind != Kind::String && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        return text.into_owned();
    }
    serde_json::Value::from(String::from_utf8_lossy(&unescape(value.text).0)).to_string()
}

/// Calls `each` with every element of an array; not at all for any other value.
pub(super) fn elements<'a>(array: Token<'a>, mut each: impl FnMut(Token<'a>)) {
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

/// Reads a device from an element of Kineto's `deviceProperties`; facts that the element does not state are 0
/// or empty.
fn read_device(token: Token<'_>) -> Device {
    let mut device = Device::default();
    let (mut major, mut minor) = (None, None);
    members(token, |key, value| {
        let number = value.key().and_then(|text| parse_scaled(text, 0));
        match key {
            b"id" => device.id = number.unwrap_or_default(),
            b"name" => device.name = SafeText::from_bytes(value.text).to_string(),
            b"totalGlobalMem" => device.memory = saturate::<u64>(number.unwrap_or_default()),
            b"numSms" | b"smCount" | b"maxComputeUnits" => {
                device.multiprocessors = saturate::<u64>(number.unwrap_or_default());
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
        members(object, |key, value| read_entry(&mut header, key, value));
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
