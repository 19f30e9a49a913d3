//! Mutations of a text that mostly keep it a trace: events of real producers are added, removed, repeated and
//! damaged.

use std::ops::Range;

use crate::Rng;
use crate::output::OPTIONS;

/// Events in the form of real producers; `#` is replaced by a number, `@` by a name.
const EVENTS: &[&str] = &[
    r##"{"ph": "X", "cat": "cpu_op", "name": "aten::@", "pid": 7, "tid": 7, "ts": #.#, "dur": #.#, "args": {"External id": #,"Record function id": 0, "Ev Idx": #}}"##,
    r##"{
    "ph": "X", "cat": "kernel", "name": "void @<4>(float*)", "pid": 0, "tid": 7,
    "ts": 1712170298000#.#, "dur": #,
    "args": {
      "External id": #, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": #,
      "registers per thread": 16, "grid": [#, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": #
    }
  }"##,
    r##"{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": #.#, "dur": #, "args": {"cbid": 211, "correlation": #}}"##,
    r##"{"ph": "s", "id": #, "pid": 7, "tid": 7, "ts": #.#, "cat": "ac2g", "name": "ac2g"}"##,
    r##"{"ph": "f", "id": #, "pid": 0, "tid": 7, "ts": #.#, "cat": "ac2g", "name": "ac2g", "bp": "e"}"##,
    r##"{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 7, "tid": 7, "ts": #.#, "args": {"Total Reserved": #, "Total Allocated": #, "Bytes": -#, "Addr": #, "Device Id": 0, "Device Type": 1, "Ev Idx": #}}"##,
    r##"{"name": "process_name", "ph": "M", "ts": #, "pid": 7, "tid": 0, "args": {"name": "@"}}"##,
    r##"{"name":"thread_sort_index","ph":"M","pid":7,"tid":"7(Python)","args":{"sort_index":#}}"##,
    r##"{"name":"@[#.### us]","pid":7,"tid":"7(C++)","ts":#,"dur":#.#,"ph":"X","cat":"Operator","cname":"good","args":{"start_time":"#.### us","end_time":"#.### us"}}"##,
    r##"{"name":"@","pid":"GPU 0","tid":"stream 7","ts":#,"dur":#,"ph":"X","cat":"Kernel","args":{"start_time":"#.### us","end_time":"#.### us","correlation id":#,"grid":[#,1,1]}}"##,
    r##"{"name":"@","ph":"B","pid":1,"tid":1,"ts":#}"##,
    r##"{"ph":"E","pid":1,"tid":1,"ts":#,"args":{"a":"@"}}"##,
    r##"{"cat":"c","id":"0x#","name":"@","ph":"b","pid":1,"tid":2,"ts":#,"scope":"s"}"##,
    r##"{"cat":"c","id":"0x#","name":"@","ph":"e","pid":1,"tid":2,"ts":#,"scope":"s"}"##,
    r##"{"ph":"n","cat":"c","id2":{"local":"#"},"name":"@","pid":1,"tid":2,"ts":#}"##,
    r##"{"ph":"C","name":"@","pid":1,"ts":#,"args":{"a":#,"b":#.#}}"##,
    r##"{"ph":"X","name":"@","ts":#,"dur":#}"##,
    r##"{"ph":"X","name":"@","ts":#,"dur":#,"bind_id":"0x#","flow_in":true,"flow_out":true,"pid":1,"tid":1}"##,
    r##"{"args":{"detail":{"a":[{"b":"@"},[#,"x",null]]}},"dur":#,"ts":#,"name":"@","tid":1,"pid":1,"ph":"X"}"##,
    r##"{"ph":"R","name":"@","ts":#}"##,
    "{}",
];

/// JSON values of all kinds, valid and invalid.
const VALUES: &[&str] = &[
    "0", "1", "-1", "1.5", "0.001", "12345678.123", "123456789", "1234567890123456", "12345678901234567",
    "9223372036854775807", "9223372036854775.807", "-9223372036854775.807", "9223372036854775808", "1e3", "1E-3",
    "1.", ".5", "-.5", "-", "+1", "01", "-0", "00", "0x1", "1_0", "1e", "1e+", "NaN", "-Infinity", "nan", "true",
    "false", "null", "tru", "nul", "None", "\"\"", "\"a\"", "\"1\"", "\" 1 \"", "\"\\u0041\"", "\"\\ud800\"",
    "\"\\udc00\\ud800\"", "\"\\u12\"", "\"\\x\"", "\"\\\"", "\"\\\\\"", "\"a\\\"b\"", "\"\u{e9}\"", "\"\u{7f}\"", "\"\t\"",
    "\"\n\"", "\"}, {\"", "\"},\\n{\\\"ph\\\":\\\"X\\\"\"", "\"abcdefg\"", "\"abcdefgh\"", "\"abcdefghi\"", "{}", "[]", "[1]", "[[]]",
    "[1,2,3]", "[ 1 , \"a\" ]", "[1,]", "[,1]", "{\"a\":1}", "{\"a\":1,}", "{,\"a\":1}", "{\"a\":[{}]}", "{\"name\":\"n\"}", "\"X\"",
    "\"B\"", "\"E\"", "\"XX\"", "\"s\"", "\"7(C++)\"", "\"(Python)\"", "[{\"ph\":\"X\",\"ts\":1}]", "[[[[[[[[[[[[[[[[[[[[[[[[",
    "123456789012345678901234567890", "0.0000000000000000000000001", "1e-400", "\"5.5 us\"", "\"kernel\"",
];
const KEYS: &[&str] = &[
    "ph", "name", "cat", "ts", "dur", "pid", "tid", "id", "id2", "scope", "bind_id", "flow_in", "flow_out", "bp", "args",
    "correlation", "start_time", "Bytes", "Addr", "Total Allocated", "Device Id", "place", "traceEvents", "s", "p\\u0068", "",
];
/// Texts between two events, valid and damaged.
const GAPS: &[&str] = &[
    ",", ",\n", ", ", " , ", "\n,", ",\n  ", ",\r\n", ",\t", "", " ", "\n", ",,", ", ,", "]", "]}", "\n]", "[", ",[", "{", "}", "\0",
    "x", "x,\n", ",null,", ",1,", ",[],", ",\"a\",", ",[{}],", "]\n[", "]}{\"traceEvents\":[", "],\"traceEvents\":[", "],\"a\":[",
    "],\"deviceProperties\":[{\"id\":0,\"name\":\"d\"}],\"traceEvents\":[", ",{\"traceEvents\":[", "},", "\n},\n{", "\u{feff}",
    ", \"ph\":\"X\"}, ", "\"}, {\"", "\"", "\\",
];
const HEADS: &[&str] = &[
    "[", "{\"traceEvents\":[", "[\n", "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n  ],\n  \"traceName\": \"t\",\n  \"traceEvents\": [\n  ",
    "{\"schemaVersion\":\"1.0.2\",\"span_indx\":\"0\",\"traceEvents\":[", "\u{feff}[", "", " \n[ ", "{\"a\":{\"traceEvents\":[",
    "{\"traceEvents\":{\"traceEvents\":[", "{\"baseTimeNanoseconds\":#,\"distributedInfo\":{\"rank\":#},\"traceEvents\":[",
];
const TAILS: &[&str] = &["]", "]}", "\n]\n", "", ",", ",]", "\n  ],\"traceName\": \"x\",\"displayTimeUnit\": \"ms\"\n}", "]}]", "]}\0\0", "] x", "}"];
const NAMES: &[&str] = &["gemm", "mm", "nccl", "ProfilerStep#3", "a", "relu", "a b", "\\n", "\u{5377}", "x\\\"y", "dipu_", "[memory]"];

/// Changes `data[..size]`, in a buffer of `max_size` bytes, and returns the new size; `plain` is a mutator
/// that does not know traces.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    mut plain: impl FnMut(&mut [u8], usize) -> usize,
) -> usize {
    let mut random = Rng::new(u64::from(seed) ^ (size as u64) << 32);
    if random.below(5) < 2 {
        return plain(data, size);
    }
    let max_size = max_size.min(data.len());
    let mut text = data[..size].to_vec();
    for _ in 0..=random.below(3) {
        text = change(&text, &mut random);
    }
    if text.len() > max_size {
        text.truncate(max_size);
    }
    if text == data[..size] {
        return plain(data, size);
    }
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

/// Changes an input of `output::check`: the text of a trace behind the bytes that choose options, or else any
/// bytes.
pub fn with_options(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    plain: impl Fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let is_text = size > OPTIONS && data[0] % 2 == 0;
    if !is_text || seed % 8 == 0 {
        return plain(data, size, max_size);
    }
    let (text, max) = (&mut data[OPTIONS..], max_size.saturating_sub(OPTIONS));
    OPTIONS + mutate(text, size - OPTIONS, max, seed / 8, |text, size| plain(text, size, max))
}

fn change(text: &[u8], random: &mut Rng) -> Vec<u8> {
    let events = events(text);
    if events.is_empty() {
        let count = 1 + random.below(4);
        let mut out = HEADS[random.below(HEADS.len())].as_bytes().to_vec();
        for i in 0..count {
            out.extend_from_slice(if i > 0 { b",\n" } else { b"" });
            out.extend(fresh(random));
        }
        out.extend_from_slice(random.pick(TAILS).as_bytes());
        return out;
    }
    let one = random.pick(&events).clone();
    let other = random.pick(&events).clone();
    match random.below(16) {
        0 | 1 => splice(text, one.end..one.end, &[gap(random), fresh(random)].concat()),
        2 | 3 => {
            let mut copies = Vec::new();
            let gap = gap(random);
            for _ in 0..1 + random.below(6) {
                copies.extend_from_slice(&gap);
                copies.extend(renumbered(&text[one.clone()], random));
            }
            splice(text, one.end..one.end, &copies)
        }
        4 => {
            let end = text[one.end..].iter().position(|&byte| byte == b'{').map_or(one.end, |at| one.end + at);
            splice(text, one.start..end, b"")
        }
        5 => splice(text, one, &text[other]),
        6 | 7 => value(text, one, random),
        8 => {
            let at = [one.start + 1, one.end - 1][random.below(2)];
            let (key, value) = (random.pick(KEYS), random.pick(VALUES));
            let member = if at == one.end - 1 { format!(",\"{key}\":{value}") } else { format!("\"{key}\":{value},") };
            splice(text, at..at, member.as_bytes())
        }
        9 => {
            let next = text[one.end..].iter().position(|&byte| byte == b'{').map_or(one.end, |at| one.end + at);
            let damage = random.pick(GAPS).as_bytes();
            splice(text, one.end..if random.below(2) == 0 { next } else { one.end }, damage)
        }
        10 => text[..one.start + random.below(text.len() + 1 - one.start)].to_vec(),
        11 => {
            let at = one.start + random.below(one.len());
            splice(text, at..(at + random.below(3)).min(text.len()), random.pick(GAPS).as_bytes())
        }
        12 => {
            let (from, to) = (one.start.min(other.start), one.end.max(other.end));
            splice(text, to..to, &[b",", &text[from..to]].concat())
        }
        13 => {
            let first = events[0].start;
            splice(text, 0..first, random.pick(HEADS).as_bytes())
        }
        14 => {
            let last = events.iter().map(|event| event.end).max().unwrap_or(text.len());
            splice(text, last..text.len(), random.pick(TAILS).as_bytes())
        }
        _ => splice(text, one.clone(), &renumbered(&text[one], random)),
    }
}

/// Replaces one number, word or text of the event.
fn value(text: &[u8], event: Range<usize>, random: &mut Rng) -> Vec<u8> {
    let colons: Vec<_> = event.clone().filter(|&at| text[at] == b':').collect();
    if colons.is_empty() {
        return splice(text, event, &fresh(random));
    }
    let mut from = random.pick(&colons) + 1;
    while from < event.end && text[from] == b' ' {
        from += 1;
    }
    let mut to = from;
    let is_text = text.get(from) == Some(&b'"');
    to += usize::from(is_text);
    while to < event.end && if is_text { text[to] != b'"' } else { !matches!(text[to], b',' | b'}') } {
        to += 1;
    }
    to = (to + usize::from(is_text)).min(text.len());
    splice(text, from..to, random.pick(VALUES).as_bytes())
}

fn gap(random: &mut Rng) -> Vec<u8> {
    let good = random.below(4) > 0;
    GAPS[random.below(if good { 8 } else { GAPS.len() })].as_bytes().to_vec()
}

/// A new event in the form of a random producer.
fn fresh(random: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in random.pick(EVENTS).bytes() {
        match byte {
            b'#' => out.extend(number(random).into_bytes()),
            b'@' => out.extend_from_slice(random.pick(NAMES).as_bytes()),
            _ => out.push(byte),
        }
    }
    out
}

fn number(random: &mut Rng) -> String {
    let digits = [1, 1, 2, 3, 3, 4, 8, 9][random.below(8)];
    let number = random.next() % 10_u64.pow(digits);
    number.to_string()
}

/// The event with other digits in its numbers: the same template with other values.
fn renumbered(event: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut out = event.to_vec();
    for at in 0..out.len() {
        let is_inner = at > 0 && (out[at - 1].is_ascii_digit() || out[at - 1] == b'.');
        if out[at].is_ascii_digit() && (is_inner || out[at] != b'0') && random.below(3) == 0 {
            out[at] = b'1' + random.below(9) as u8;
        }
    }
    out
}

fn splice(text: &[u8], range: Range<usize>, new: &[u8]) -> Vec<u8> {
    [&text[..range.start], new, &text[range.end.max(range.start)..]].concat()
}

/// The ranges of objects with an event type (`ph`), found by their braces, which may be damaged.
fn events(text: &[u8]) -> Vec<Range<usize>> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < text.len() && found.len() < 200 {
        match text[at] {
            b'"' => {
                at += 1;
                while at < text.len() && text[at] != b'"' {
                    at += 1 + usize::from(text[at] == b'\\');
                }
            }
            b'{' => open.push(at),
            b'}' => {
                if let Some(from) = open.pop()
                    && text[from..at].windows(4).any(|four| four == b"\"ph\"")
                    && at - from < 4096
                {
                    found.push(from..at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}
