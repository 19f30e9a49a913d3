//! Arbitrary events, written as JSON text in the variants that producers use.

use arbitrary::Arbitrary;

use crate::expect::Expect;

/// A time: near the other times of the trace, or anywhere in the range of `i64`.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Time {
    Small(u8),
    Near(u16),
    Wide(i32),
    Epoch(u32),
    Any(i64),
    /// Distance from the lowest (here) or highest (below) time that `i64` holds, ns.
    Lowest(u8),
    Highest(u8),
    /// No time: a missing field, or a value that is no time.
    Bad(u8),
}

impl Time {
    /// The time in ns; `None` for no time.
    pub fn ns(self) -> Option<i64> {
        Some(match self {
            Self::Small(n) => i64::from(n) * 500,
            Self::Near(n) => i64::from(n),
            Self::Wide(n) => i64::from(n) * 1000,
            Self::Epoch(n) => 1_700_000_000_000_000_000 + i64::from(n),
            Self::Any(n) => n.max(-i64::MAX),
            Self::Lowest(n) => -i64::MAX + i64::from(n),
            Self::Highest(n) => i64::MAX - i64::from(n),
            Self::Bad(_) => return None,
        })
    }

    /// The time as the text of a JSON value, in one of several notations chosen by `form`; `None` for a
    /// missing field.
    pub fn text(self, form: u8) -> Option<String> {
        const BAD: [&str; 8] = ["null", "NaN", "\"\"", "\"soon\"", "{}", "[1]", "true", "1e99"];
        let Some(ns) = self.ns() else {
            let Self::Bad(n) = self else { return None };
            return BAD.get(usize::from(n) % 10).map(|text| (*text).to_owned());
        };
        let sign = if ns < 0 { "-" } else { "" };
        let (whole, part) = (ns.unsigned_abs() / 1000, ns.unsigned_abs() % 1000);
        let plain = format!("{sign}{whole}.{part:03}");
        Some(match form % 12 {
            0 if part == 0 => format!("{sign}{whole}"),
            1 => format!("\"{plain}\""),
            2 => format!("\" {plain} \""),
            3 => format!("{sign}{}e-3", ns.unsigned_abs()),
            4 => format!("{plain}000"),
            5 => format!("{plain}4"),
            6 if ns > 0 => format!("+{plain}"),
            7 if ns != 0 => format!("{sign}{}0E-0004", ns.unsigned_abs()),
            8 if part == 0 => format!("{sign}{whole}."),
            9 if whole == 0 => format!("{sign}.{part:03}"),
            10 if part % 10 == 0 => format!("{sign}{whole}.{:02}", part / 10),
            _ => plain,
        })
    }
}

/// One event. Small numbers choose among few values, so many events share names, threads and ids.
#[derive(Arbitrary, Clone, Debug)]
pub struct Event {
    pub event_type: u8,
    pub ts: Time,
    pub dur: Time,
    pub form: u8,
    pub pid: u8,
    pub tid: u8,
    pub name: u8,
    pub cat: u8,
    pub id: u8,
    pub correlation: u8,
    pub args: Vec<(u8, u8)>,
    pub extra: u8,
}

/// A trace to be written as JSON.
#[derive(Arbitrary, Debug)]
pub struct Case {
    pub header: u8,
    /// True for complete events (`X`) only, as most producers write.
    pub is_plain: bool,
    pub events: Vec<Event>,
    /// How many times each event is repeated, a little later each time.
    pub again: u8,
    pub seed: u64,
}

/// All known event types (`ph`), and some unknown ones.
pub const EVENT_TYPES: &[u8] = b"XXXXXXXXBEBEbenbeSTpFiIRCCMMsftstfPNODVvc()Zq?";
pub const NAMES: &[&str] = &[
    "gemm", "", "aten::mm", "ProfilerStep#7", "ncclKernel", "[memory]", "a\\u00e9", "process_name", "thread_name",
    "thread_sort_index", "process_sort_index", "dipu_x", "x\\n", "Optimizer.step#1", "long_name_that_goes_on_and_on",
];
pub const CATS: &[&str] = &[
    "kernel", "cuda_runtime", "cpu_op", "gpu_memcpy", "cuda_driver", "python_function", "user_annotation",
    "gpu_user_annotation", "Operator", "ac2g", "fwdbwd", "whatever", "cuda_sync", "ProfileStep", "", "memset",
];
/// Process and thread ids as JSON, and the id that the model must have.
pub const IDS: &[(&str, &str)] = &[
    ("1", "1"), ("\"1\"", "1"), ("2", "2"), ("\"1(C++)\"", "1"), ("\"1(Python)\"", "1"), ("\"stream 7\"", "stream 7"),
    ("-1", "-1"), ("null", ""), ("\"\"", ""), ("true", "true"), ("{}", ""), ("7.50", "7.50"), ("\"\\u0031\"", "1"),
];
/// Ids of flows and asynchronous events as JSON, and the id as text.
pub const FLOWS: &[(&str, &str)] = &[
    ("1", "1"), ("\"1\"", "1"), ("\"0x1\"", "0x1"), ("2", "2"), ("\"a\"", "a"), ("01.50", ""), ("1.50", "1.50"),
    ("\"0x01\"", "0x01"), ("123456789012345678", "123456789012345678"), ("\"0xffffffffffffffff\"", "0xffffffffffffffff"),
];
pub const CORRELATIONS: &[(&str, u64)] = &[
    ("0", 0), ("1", 1), ("2", 2), ("\"1\"", 1), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
    ("9223372036854775807", i64::MAX as u64), ("-1", 0), ("9223372036854775808", 0), ("null", 0), ("1.0", 1), ("3", 3),
];
/// Values of counters as JSON, and whether each is a finite number.
pub const VALUES: &[(&str, bool)] = &[
    ("1", true), ("-2.5", true), ("\"3\"", true), ("\" 4 \"", true), ("1e300", true), ("1e999", false), ("NaN", false),
    ("null", false), ("\"x\"", false), ("[1]", false), ("{\"value\":1}", false), ("0.0", true), ("+5", true),
];
const KEYS: &[&str] = &["value", "a", "b", "gemm", "correlation", "name", "Bytes", "Total Allocated", "Addr"];

impl Case {
    /// The trace as text, and the contents that the model must have.
    pub fn write(&self) -> (String, Expect) {
        let mut out = String::from(match self.header % 4 {
            0 => "[",
            1 => "{\"schemaVersion\":1,\"traceName\":\"t\",\"baseTimeNanoseconds\":5,\"traceEvents\":[",
            2 => "{\"schemaVersion\":\"1.0.2\",\"span_indx\":\"0\",\"traceEvents\":[\n",
            _ => "{\"traceEvents\": [ ",
        });
        let comma = [",", ",\n", " , ", ", "][usize::from(self.header >> 2) % 4];
        let mut expect = Expect::new(self.header % 4 == 2);
        let again = if self.again < 200 { 1 } else { usize::from(self.again - 198) };
        let mut is_first = true;
        for round in 0..again {
            for event in self.events.iter().take(300 / again) {
                if !std::mem::take(&mut is_first) {
                    out.push_str(comma);
                }
                let mut event = event.clone();
                if let (Time::Near(ts), true) = (event.ts, round > 0) {
                    event.ts = Time::Near(ts.wrapping_add(round as u16 * 321));
                }
                if self.is_plain {
                    event.event_type = 0;
                }
                let at = out.len();
                self.event(&mut out, &event);
                expect.add(at, &event);
            }
        }
        out.push_str(if self.header % 4 == 0 { "]" } else { "]}" });
        (out, expect)
    }

    fn event(&self, out: &mut String, event: &Event) {
        let event_type = event.event_type() as char;
        let pick = |from: &[(&'static str, &'static str)], n: u8| from[usize::from(n) % from.len()].0;
        let mut members = vec![format!("\"ph\":\"{event_type}\"")];
        if let Some(name) = event.name() {
            members.push(format!("\"name\":\"{name}\""));
        }
        members.push(format!("\"pid\":{}", pick(IDS, event.pid)));
        members.push(format!("\"tid\":{}", pick(IDS, event.tid)));
        members.push(format!("\"cat\":\"{}\"", event.cat()));
        if let Some(ts) = event.ts.text(event.form) {
            members.push(format!("\"ts\":{ts}"));
        }
        if let (true, Some(dur)) = (event_type == 'X', event.dur.text(event.form >> 4)) {
            members.push(format!("\"dur\":{dur}"));
        }
        if event_type != 'X' && event_type != 'C' {
            let id = pick(FLOWS, event.id);
            match event.id >> 6 {
                0 | 1 if id != "01.50" => members.push(format!("\"id\":{id}")),
                2 if id != "01.50" => members.push(format!("\"id2\":{{\"local\":{id}}}")),
                3 if id != "01.50" => members.push(format!("\"id2\":{{\"global\":{id}}},\"id\":5")),
                _ => {}
            }
            if event.extra & 1 == 1 {
                members.push("\"scope\":\"s\"".into());
            }
            if event.extra & 2 == 2 {
                members.push("\"bp\":\"e\"".into());
            }
        } else if event.extra & 4 == 4 && event_type == 'X' {
            let id = pick(FLOWS, event.id).replace("01.50", "7");
            let (to, from) = (event.extra & 1 == 1, event.extra & 2 == 2);
            members.push(format!("\"bind_id\":{id},\"flow_in\":{to},\"flow_out\":{from}"));
        }
        let args = event.args();
        if !args.is_empty() || event.extra & 8 == 8 {
            let args: Vec<_> = args.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            members.push(format!("\"args\":{{{}}}", args.join(",")));
        }
        let from = usize::from(event.extra >> 6) % members.len();
        members.rotate_left(from);
        let gap = if event.extra & 16 == 16 { ", " } else { "," };
        out.push('{');
        out.push_str(&members.join(gap));
        out.push('}');
    }
}

impl Event {
    pub fn event_type(&self) -> u8 {
        EVENT_TYPES[usize::from(self.event_type) % EVENT_TYPES.len()]
    }

    pub fn name(&self) -> Option<&'static str> {
        NAMES.get(usize::from(self.name) % (NAMES.len() + 1)).copied()
    }

    pub fn cat(&self) -> &'static str {
        CATS[usize::from(self.cat) % CATS.len()]
    }

    /// The correlation number as JSON and as the model must have it; `None` for an event without one.
    pub fn correlation(&self) -> Option<(&'static str, u64)> {
        (self.correlation & 128 == 128).then(|| CORRELATIONS[usize::from(self.correlation) % CORRELATIONS.len()])
    }

    /// The keys and values of the arguments.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        let mut out = Vec::new();
        for &(key, value) in self.args.iter().take(4) {
            let (key, value) = (KEYS[usize::from(key) % KEYS.len()], VALUES[usize::from(value) % VALUES.len()].0);
            if key != "correlation" || self.event_type() != b'X' {
                out.push((key, value.to_owned()));
            }
        }
        if let (b'X', Some((text, _))) = (self.event_type(), self.correlation()) {
            out.push(("correlation", text.to_owned()));
        }
        if self.event_type() == b'M' {
            out.push(("name", format!("\"n{}\"", self.id % 5)));
        }
        if self.has_offset() {
            out.push(("start_time", format!("\"{}.{:03} us\"", self.id, self.correlation)));
        }
        out
    }

    /// True when the event has its start in Paddle's form, too: as an offset from the trace's start.
    pub fn has_offset(&self) -> bool {
        self.event_type() == b'X' && self.extra & 32 == 32 && self.args.len() > 3
    }
}
