//! Makes a trace with events of every common type, laid out as several producers do, and the byte range of
//! each: damage is tried on it. Must not know who reads it.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::ops::Range;

/// A trace and the byte ranges of its events.
pub(crate) struct Mixed {
    pub(crate) text: Vec<u8>,
    /// Byte range of each event, from its opening brace to behind its closing one, in the text's order.
    pub(crate) events: Vec<Range<usize>>,
    /// Event type of each event: the letter of its `ph`, the phase in the words of the format.
    pub(crate) phases: Vec<u8>,
    /// Start and duration of each event, ns; meaningful for complete events (`X`).
    pub(crate) times: Vec<(i64, i64)>,
}

/// Separators between events; the file uses each of them for [`STRETCH`] events.
const BETWEEN: [&str; 4] = [",\n  ", ",", ", ", ",\r\n"];
/// Entries in the header and footer together.
pub(crate) const ENTRIES: usize = 4;
/// Number of events after which the layout changes.
const STRETCH: usize = 50;
/// The cycle of kinds of events: event types, and `L` for a launch, `K` for its kernel, `m` for a memory
/// instant.
const KINDS: &[u8; 20] = b"XXXXXXXXLKsfmCBXEbei";

/// A trace of `count` events.
pub(crate) fn mixed(count: usize) -> Mixed {
    let mut all = Mixed { text: Vec::new(), events: Vec::new(), phases: Vec::new(), times: Vec::new() };
    all.text.extend_from_slice(
        b"{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": \"GPU\", \"numSms\": 108}],\n  \
          \"baseTimeNanoseconds\": 1712016000000000000,\n  \"traceEvents\": [\n  ",
    );
    for number in 0..count {
        if number > 0 {
            all.text.extend_from_slice(BETWEEN[number / STRETCH % BETWEEN.len()].as_bytes());
        }
        let (event_type, time, event) = event(number);
        let start = all.text.len();
        all.text.extend_from_slice(event.as_bytes());
        all.events.push(start..all.text.len());
        all.phases.push(event_type);
        all.times.push(time);
    }
    all.text.extend_from_slice(b"\n  ],\n  \"traceName\": \"mixed.pt.trace.json\"\n}\n");
    all
}

/// Event type, (start, duration) in ns, and text of one event.
fn event(number: usize) -> (u8, (i64, i64), String) {
    let is_wide = (number / STRETCH).is_multiple_of(BETWEEN.len());
    let (tid, id, ts) = (100 + number / 1000 % 3, number / 20, 5_000_000 + 10 * number);
    let op = ["aten::mm", "aten::add_", "void gemm<float, 4>(int, char*)", "nn.Module: Linear_7", "卷积"]
        [number % 5];
    if number < 2 {
        let text = format!(
            r#"{{"ph": "M", "name": "thread_name", "pid": 42, "tid": {}, "args": {{"name": "main {number}"}}}}"#,
            100 + number
        );
        return (b'M', (0, 0), text);
    }
    let kind = KINDS[number % KINDS.len()];
    let event_type = match kind {
        b'L' | b'K' => b'X',
        b'm' => b'i',
        other => other,
    };
    let ph = char::from(event_type);
    let time = match kind {
        b'X' if is_wide => (1000 * ts + number % 1000, 8125),
        b'L' => (1000 * ts + 500, 4001),
        b'K' => (1000 * ts + 500, 9001),
        _ => (1000 * ts, 8000),
    };
    let text = match kind {
        b'X' if is_wide => format!(
            "{{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{op}\", \"pid\": 42, \"tid\": {tid},\n    \
             \"ts\": {ts}.{:03}, \"dur\": 8.125,\n    \"args\": {{\n      \"External id\": {number}, \
             \"Input Dims\": [[{tid}, 64], []], \"Input type\": [\"float\", \"\"], \"Ev Idx\": {number}\n    }}\n  }}",
            number % 1000
        ),
        // As a printer with indents breaks arrays: their ends look like the end of all events.
        b'X' if number.is_multiple_of(3) => format!(
            "{{\n    \"ph\": \"X\",\n    \"cat\": \"cpu_op\",\n    \"name\": \"{op}\",\n    \"args\": {{\n      \
             \"shapes\": [\n        [\n          {tid},\n          64\n        ]\n      ],\n      \"kinds\": [\n        \
             \"float\"\n      ]\n    }},\n    \"pid\": 42,\n    \"tid\": {tid},\n    \"ts\": {ts},\n    \"dur\": 8\n  }}"
        ),
        b'X' => {
            format!(r#"{{"name":"{op}","cat":"cpu_op","ph":"X","ts":{ts},"dur":8,"pid":42,"tid":{tid}}}"#)
        }
        b'L' => format!(
            "{{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 42, \
             \"tid\": {tid},\n    \"ts\": {ts}.500, \"dur\": 4.001,\n    \"args\": {{\n      \
             \"External id\": {number}, \"cbid\": 211, \"correlation\": {id}\n    }}\n  }}"
        ),
        b'K' => format!(
            "{{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{op}\", \"pid\": 0, \"tid\": 7,\n    \
             \"ts\": {ts}.500, \"dur\": 9.001,\n    \"args\": {{\n      \"device\": 0, \"stream\": 7, \
             \"correlation\": {id}, \"grid\": [64, 1, 1],\n      \"blocks per SM\": 0.592593\n    }}\n  }}"
        ),
        b's' | b'f' => format!(
            r#"{{"ph": "{ph}", "id": {id}, "pid": 42, "tid": {tid}, "ts": {ts}, "cat": "fwdbwd", "name": "fwdbwd"}}"#
        ),
        b'm' => format!(
            "{{\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \
             \"pid\": 42, \"tid\": {tid},\n    \"ts\": {ts}.250,\n    \"args\": {{\n      \"Total Allocated\": {number}, \
             \"Bytes\": 512, \"Addr\": {id}, \"Device Id\": 0, \"Device Type\": 1\n    }}\n  }}"
        ),
        b'C' => {
            format!(r#"{{"ph":"C","name":"load","pid":42,"ts":{ts},"args":{{"busy":{}.5}}}}"#, number % 100)
        }
        b'B' => format!(
            r#"{{"ph":"B","name":"begun","cat":"c","pid":42,"tid":{tid},"ts":{ts},"args":{{"a":"\"\\"}}}}"#
        ),
        b'E' => format!(r#"{{"ph":"E","pid":42,"tid":{tid},"ts":{ts}}}"#),
        b'b' | b'e' => {
            format!(
                r#"{{"ph":"{ph}","cat":"request","id":"0x{id:x}","name":"req","pid":42,"tid":{tid},"ts":{ts}}}"#
            )
        }
        _ => format!(r#"{{"ph":"i","s":"t","name":"mark","pid":42,"tid":{tid},"ts":{ts}}}"#),
    };
    (event_type, (time.0 as i64, time.1), text)
}
