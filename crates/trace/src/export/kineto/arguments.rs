//! The arguments of an event under Kineto's keys, as the text of a JSON object's members.
//!
//! Arguments of Paddle's profiler and of proftui's recordings whose values Kineto has under another key get
//! that key; what Kineto lacks stays as it is.

use serde_json::Value;

use super::again::ReadAgain;
use super::anonymous;
use super::text::push;
use crate::model::{MemoryEvent, Trace};

/// Kineto's key for each that has another name in traces of Paddle or of proftui.
const NAMES: &[(&str, &str)] = &[
    ("correlation id", "correlation"),
    ("callstack", "Call stack"),
    ("theoretical achieved occupancy %", "est. achieved occupancy %"),
    ("addr", "Addr"),
    ("increase_bytes", "Bytes"),
    ("current_allocated", "Total Allocated"),
    ("current_reserved", "Total Reserved"),
];
/// Arguments that repeat an event's time, as rounded texts.
const TIMES: &[&str] = &["start_time", "end_time"];
/// Paddle's shapes and types of an operator's inputs by the inputs' names, and Kineto's lists of them.
const INPUTS: &[(&str, &str)] = &[("input_shapes", "Input Dims"), ("input_dtypes", "Input type")];

/// The arguments of one event.
pub(super) struct Arguments {
    text: String,
    /// True for events of other profilers than Kineto.
    is_foreign: bool,
    /// True if arguments that may name something are left out.
    is_anonymous: bool,
    /// The keys that were added, if the event is foreign.
    keys: Vec<String>,
    external: Option<String>,
}

impl Arguments {
    pub(super) fn new(is_foreign: bool, is_anonymous: bool) -> Self {
        Self { text: String::new(), is_foreign, is_anonymous, keys: Vec::new(), external: None }
    }

    /// Adds the members of another event, as [`Self::into_text`] returned them.
    pub(super) fn append(&mut self, members: &str) {
        if !(self.text.is_empty() || members.is_empty()) {
            self.text.push(',');
        }
        self.text.push_str(members);
    }

    /// Adds all arguments of an event.
    pub(super) fn add_all(&mut self, read: &dyn ReadAgain) {
        read.arguments(&mut |key, value| self.add(key, value));
    }

    /// The value of `External id`, as JSON; `None` without one.
    pub(super) fn external_id(&self) -> Option<&str> {
        self.external.as_deref()
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds an argument; `value` appends its value as JSON.
    fn add(&mut self, key: &str, value: &dyn Fn(&mut String)) {
        if self.is_anonymous {
            let mut text = String::new();
            value(&mut text);
            if let Some(kept) = anonymous::argument(key, &text) {
                self.add_kept(key, &|out: &mut String| out.push_str(&kept));
            }
            return;
        }
        self.add_kept(key, value);
    }

    fn add_kept(&mut self, key: &str, value: &dyn Fn(&mut String)) {
        if !self.is_foreign {
            self.open(key);
            value(&mut self.text);
            return;
        }
        if TIMES.contains(&key) {
            return;
        }
        let mut text = String::new();
        value(&mut text);
        let named = NAMES.iter().find(|(name, _)| *name == key).map_or(key, |&(_, kineto)| kineto);
        if let Some((_, kineto)) = INPUTS.iter().find(|(name, _)| *name == key) {
            if !self.has(kineto) {
                self.push(key, &text);
                flat(&text).iter().for_each(|list| self.push(kineto, list));
            }
            return;
        }
        self.push_new(named, &text);
    }

    /// Adds an argument with this JSON as its value.
    pub(super) fn push(&mut self, key: &str, value: &str) {
        self.open(key);
        self.text.push_str(value);
        if key == "External id" {
            self.external = Some(value.to_owned());
        }
        self.keys.push(key.to_owned());
    }

    /// Adds an argument, unless there is one with this key.
    pub(super) fn push_new(&mut self, key: &str, value: &str) {
        if !self.has(key) {
            self.push(key, value);
        }
    }

    /// Adds what Kineto says of a memory event, as far as it was not added.
    pub(super) fn memory(&mut self, memory: &MemoryEvent, trace: &Trace) {
        let device = trace.strings.bytes(memory.place).iter().rev().skip_while(|byte| !byte.is_ascii_digit());
        let mut device: Vec<u8> = device.take_while(|byte| byte.is_ascii_digit()).copied().collect();
        device.reverse();
        // Kineto's numbers: 0 is the CPU, 1 CUDA.
        let of_device = String::from_utf8(device).unwrap_or_default();
        let (kind, number) = if of_device.is_empty() { ("0", "-1") } else { ("1", of_device.as_str()) };
        let stated = [
            ("Addr", Some(memory.address.to_string())),
            ("Bytes", Some(memory.bytes.to_string())),
            ("Total Allocated", memory.allocated.get().map(|bytes| bytes.to_string())),
            ("Total Reserved", memory.reserved.get().map(|bytes| bytes.to_string())),
            ("Device Type", Some(kind.to_owned())),
            ("Device Id", Some(number.to_owned())),
        ];
        for (key, value) in stated {
            value.iter().for_each(|value| self.push_new(key, value));
        }
    }

    fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }

    fn open(&mut self, key: &str) {
        let comma = if self.text.is_empty() { "" } else { "," };
        push(&mut self.text, format_args!("{comma}\"{key}\":"));
    }
}

/// The values of an object whose members are lists, one after the other in one list, as JSON: Kineto's form
/// of `{"X":[[8,4]],"Y":[[4,2]]}` is `[[8,4],[4,2]]`. `None` for any other value.
fn flat(object: &str) -> Option<String> {
    let Ok(Value::Object(members)) = serde_json::from_str(object) else { return None };
    let mut all = Vec::new();
    for (_, member) in members {
        match member {
            Value::Array(values) => all.extend(values),
            _ => return None,
        }
    }
    Some(Value::Array(all).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::kineto::again::TakeArgument;
    use crate::export::kineto::text::json;

    struct Read(&'static [(&'static str, &'static str)]);

    impl ReadAgain for Read {
        fn category(&self) -> Option<String> {
            None
        }

        fn arguments(&self, each: &mut TakeArgument<'_>) {
            for (name, value) in self.0 {
                let quoted = json(name.as_bytes());
                each(&quoted[1..quoted.len() - 1], &|out: &mut String| out.push_str(value));
            }
        }
    }

    fn written(is_foreign: bool, read: &'static [(&'static str, &'static str)]) -> String {
        let mut arguments = Arguments::new(is_foreign, false);
        arguments.add_all(&Read(read));
        arguments.into_text()
    }

    #[test]
    fn what_kineto_wrote_stays() {
        let read = &[("correlation id", "7"), ("start_time", "\"1.0 us\""), ("a\"b", "[1]")];
        assert_eq!(written(false, read), r#""correlation id":7,"start_time":"1.0 us","a\"b":[1]"#);
    }

    #[test]
    fn what_paddle_wrote_has_the_keys_of_kineto() {
        let read = &[
            ("start_time", "\"1.0 us\""),
            ("correlation id", "7"),
            ("input_shapes", r#"{"X":[[8,4]],"Y":[[4,2],[]]}"#),
            ("Call stack", "\"a\""),
            ("callstack", "\"b\""),
        ];
        assert_eq!(
            written(true, read),
            r#""correlation":7,"input_shapes":{"X":[[8,4]],"Y":[[4,2],[]]},"Input Dims":[[8,4],[4,2],[]],"Call stack":"a""#
        );
    }
}
