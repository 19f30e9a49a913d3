//! One event: its fields as tokens of the text, not yet interpreted.
//!
//! Must not know dialects or keep state: any thread may parse any event.

use proftui_base::time::Ns;

use super::scan::{Fault, Kind, Oddities, Scanner, Token};

/// An event, as far as loading needs it.
#[derive(Clone, Copy, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "each is one field of the format"
)]
pub(super) struct Event<'a> {
    /// The event type, the value of `ph`; 0 when that is not a string of one byte.
    pub event_type: u8,
    pub name: Option<Token<'a>>,
    pub cat: Option<Token<'a>>,
    pub ts: Option<Token<'a>>,
    pub dur: Option<Token<'a>>,
    pub pid: Option<Token<'a>>,
    pub tid: Option<Token<'a>>,
    pub id: Option<Token<'a>>,
    pub id2: Option<Token<'a>>,
    pub scope: Option<Token<'a>>,
    pub bind_id: Option<Token<'a>>,
    pub flow_in: bool,
    pub flow_out: bool,
    /// True for `"bp":"e"`: the end of a flow binds to the slice around it, not to the next slice.
    pub binds_enclosing: bool,
    /// The whole value of `args`; `None` if it is missing or was not needed.
    pub args: Option<Token<'a>>,
    pub has_args: bool,
    /// True if the event's arguments have the number of a step.
    pub is_step: bool,
    /// The members of `args` that loading needs, except those of counters and metadata.
    pub hits: Hits<'a>,
    /// True for the object `{}`, which some producers write at the end of the array of events.
    pub is_empty: bool,
    pub odd: Oddities,
    /// What reading by template yields besides the fields; `None` for events that the general parser read.
    pub quick: Option<Quick>,
}

/// What reading an event by template yields besides the tokens of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quick {
    /// The number of the template's last node, which identifies the template.
    pub template: u32,
    /// Value of `ts` in ns.
    pub ts: Ns,
    /// Value of `dur` in ns; `None` when the event has none.
    pub dur: Option<Ns>,
    /// True when `ts`, or the `dur` of an `X` event, is written with a decimal point.
    pub has_point: bool,
}

/// The arguments of an event that loading needs, except those of counters and metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits<'a> {
    pub correlation: Option<Token<'a>>,
    /// Paddle's `start_time`: the event's start relative to that of the trace, such as `"12.345 us"`.
    pub start_time: Option<Token<'a>>,
    /// The number of bytes that a memory event allocates (negative: releases), a copy moves or a memset sets.
    pub bytes: Option<Token<'a>>,
    /// The rate of a copy or memset, in GB/s, which are bytes per ns.
    pub bandwidth: Option<Token<'a>>,
    /// The address of the memory that a memory event allocates or releases.
    pub address: Option<Token<'a>>,
    pub allocated: Option<Token<'a>>,
    pub reserved: Option<Token<'a>>,
    pub peak_allocated: Option<Token<'a>>,
    pub peak_reserved: Option<Token<'a>>,
    /// Kineto's number for the type of a memory event's device: 0 is the CPU.
    pub device_type: Option<Token<'a>>,
    pub device_id: Option<Token<'a>>,
    /// The place of a memory event's memory; the stream that a kernel, copy or memset ran on; the number of
    /// the step that XLA's event is ([`Event::is_step`]). One field, since each costs time for every event.
    pub detail: Option<Token<'a>>,
}

/// A field of an event, or of its arguments, that a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    EventType,
    Name,
    Cat,
    Ts,
    Dur,
    Pid,
    Tid,
    Id,
    Id2,
    Scope,
    BindId,
    FlowIn,
    FlowOut,
    BindingPoint,
    Correlation,
    StartTime,
    Bytes,
    Bandwidth,
    Address,
    Allocated,
    Reserved,
    PeakAllocated,
    PeakReserved,
    DeviceType,
    DeviceId,
    Place,
    Step,
    Stream,
    /// Any other field or argument.
    Other,
}

impl Field {
    /// The field that a key of an event names; [`Field::Other`] for all other keys, such as `args`.
    #[inline]
    pub(super) fn of(key: &[u8]) -> Self {
        match key {
            b"ph" => Self::EventType,
            b"name" => Self::Name,
            // In Kineto's form, a category that Kineto does not have comes after the nearest one of Kineto.
            b"cat" | b"proftui" => Self::Cat,
            b"ts" => Self::Ts,
            b"dur" => Self::Dur,
            b"pid" => Self::Pid,
            b"tid" => Self::Tid,
            b"id" => Self::Id,
            b"id2" => Self::Id2,
            b"scope" => Self::Scope,
            b"bind_id" => Self::BindId,
            b"flow_in" => Self::FlowIn,
            b"flow_out" => Self::FlowOut,
            b"bp" => Self::BindingPoint,
            _ => Self::Other,
        }
    }

    /// The field that a key of an event's arguments names; [`Field::Other`] for all other keys.
    #[inline]
    pub(super) fn of_argument(key: &[u8]) -> Self {
        match key {
            b"correlation" | b"correlation id" | b"correlation_id" => Self::Correlation,
            b"start_time" => Self::StartTime,
            b"bytes" | b"size(B)" | b"Bytes" | b"increase_bytes" | b"memcpy_details" | b"memset_details"
            | b"Memset_details" => Self::Bytes,
            b"memory bandwidth (GB/s)" => Self::Bandwidth,
            b"Addr" | b"addr" => Self::Address,
            b"Total Allocated" | b"current_allocated" => Self::Allocated,
            b"Total Reserved" | b"current_reserved" => Self::Reserved,
            b"peak_allocated" => Self::PeakAllocated,
            b"peak_reserved" => Self::PeakReserved,
            b"Device Type" => Self::DeviceType,
            b"Device Id" => Self::DeviceId,
            b"place" => Self::Place,
            b"step_num" => Self::Step,
            b"stream" => Self::Stream,
            _ => Self::Other,
        }
    }
}

impl<'a> Event<'a> {
    /// Sets a field of the event to `value`; does nothing for [`Field::Other`].
    #[allow(clippy::inline_always, reason = "called for every event; measured")]
    #[inline(always)]
    pub(super) fn set(&mut self, field: Field, value: Token<'a>) {
        let hits = &mut self.hits;
        match field {
            Field::EventType => {
                self.event_type = match value {
                    Token { kind: Kind::String, text: &[letter] } => letter,
                    _ => 0,
                }
            }
            Field::Name => self.name = Some(value),
            Field::Cat => self.cat = Some(value),
            Field::Ts => self.ts = Some(value),
            Field::Dur => self.dur = Some(value),
            Field::Pid => self.pid = Some(value),
            Field::Tid => self.tid = Some(value),
            Field::Id => self.id = Some(value),
            Field::Id2 => self.id2 = Some(value),
            Field::Scope => self.scope = Some(value),
            Field::BindId => self.bind_id = Some(value),
            Field::FlowIn => self.flow_in = value.text == b"true",
            Field::FlowOut => self.flow_out = value.text == b"true",
            Field::BindingPoint => self.binds_enclosing = value.text == b"e",
            Field::Correlation => hits.correlation = Some(value),
            Field::StartTime => hits.start_time = Some(value),
            Field::Bytes => hits.bytes = Some(value),
            Field::Bandwidth => hits.bandwidth = Some(value),
            Field::Address => hits.address = Some(value),
            Field::Allocated => hits.allocated = Some(value),
            Field::Reserved => hits.reserved = Some(value),
            Field::PeakAllocated => hits.peak_allocated = Some(value),
            Field::PeakReserved => hits.peak_reserved = Some(value),
            Field::DeviceType => hits.device_type = Some(value),
            Field::DeviceId => hits.device_id = Some(value),
            Field::Place | Field::Stream => hits.detail = Some(value),
            Field::Step => (hits.detail, self.is_step) = (Some(value), true),
            Field::Other => {}
        }
    }
}

/// Length in bytes up to which an event's texts are kept whole.
pub(super) const LONGEST_WHOLE_EVENT: usize = 8 << 20;
/// Most bytes that are kept of a text that is cut short.
const KEPT: usize = 1 << 20;

/// How many bytes to keep at the beginning of `text`: at most [`KEPT`], without cutting an escape or a
/// character's UTF-8 in two.
pub(super) fn kept(text: &[u8]) -> usize {
    let cut = text.len().min(KEPT);
    if cut == text.len() {
        return cut;
    }
    // The longest escape has six bytes; an odd number of backslashes begins one.
    let near = cut.saturating_sub(6);
    if let Some(slash) = memchr::memrchr(b'\\', &text[near..cut]).map(|at| near + at) {
        let run = text[..=slash].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if run % 2 == 1 {
            return slash;
        }
    }
    (0..4).map(|back| cut - back).find(|&at| text[at] & 0xc0 != 0x80).unwrap_or(cut)
}

impl Event<'_> {
    /// Cuts the event's name, category, process id and thread id to at most [`KEPT`] bytes each; true when
    /// one was cut.
    pub(super) fn shorten(&mut self) -> bool {
        let mut is_cut = false;
        for token in [&mut self.name, &mut self.cat, &mut self.pid, &mut self.tid].into_iter().flatten() {
            let kept = kept(token.text);
            is_cut |= kept < token.text.len();
            token.text = &token.text[..kept];
        }
        is_cut
    }
}

/// An element of an array of events.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "lives on the stack for one event; a box would cost more")]
pub(super) enum Element<'a> {
    Event(Event<'a>),
    /// An element that is no object, so no event.
    Other,
    /// An object with `traceEvents` or `systemTraceEvents`, which is a document and no event. The scanner is
    /// left behind that key and its colon.
    Document,
}

/// Reads the element at the scanner and, unless it is a document, moves past it.
///
/// # Errors
/// When the element is not JSON, or the bytes end inside it.
#[inline]
pub(super) fn element<'a>(scan: &mut Scanner<'a>) -> Result<Element<'a>, Fault> {
    if scan.peek()? != b'{' {
        scan.value()?;
        return Ok(Element::Other);
    }
    scan.pos += 1;
    let mut event = Event { is_empty: true, ..Event::default() };
    while let Some(key) = scan.next_key()? {
        event.is_empty = false;
        match key {
            b"args" => {
                event.hits = Hits::default();
                scan.peek()?;
                let start = scan.pos;
                let kind = arguments(scan, &mut event)?;
                event.args = Some(Token { kind, text: &scan.buf[start..scan.pos] });
                event.has_args = true;
            }
            b"traceEvents" | b"systemTraceEvents" => return Ok(Element::Document),
            _ => {
                let value = scan.value()?;
                event.set(Field::of(key), value);
            }
        }
        scan.after_member()?;
    }
    event.odd = scan.odd;
    Ok(Element::Event(event))
}

/// Reads the value of `args` at the scanner, moves past it, and sets the fields of `event` that its members
/// name; returns the kind of the value.
#[inline]
fn arguments<'a>(scan: &mut Scanner<'a>, event: &mut Event<'a>) -> Result<Kind, Fault> {
    if scan.buf[scan.pos] != b'{' {
        return Ok(scan.value()?.kind);
    }
    scan.pos += 1;
    scan.takes_words = true;
    while let Some(key) = scan.next_key()? {
        let value = scan.value()?;
        event.set(Field::of_argument(key), value);
        scan.after_member()?;
    }
    scan.takes_words = false;
    Ok(Kind::Object)
}

/// Calls `each` with the key and value of every member of an object, such as [`Event::args`]; not at all for
/// any other value.
pub(super) fn members<'a>(object: Token<'a>, mut each: impl FnMut(&'a [u8], Token<'a>)) {
    if object.kind != Kind::Object {
        return;
    }
    let mut scan = Scanner::again(object.text);
    scan.pos = 1;
    // The text was scanned to its end before, so a fault cannot happen; after one, the rest would be left
    // out.
    while let Ok(Some(key)) = scan.next_key() {
        let Ok(value) = scan.value() else { return };
        each(key, value);
        if scan.after_member().is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Element<'_>, Fault> {
        element(&mut Scanner::new(text.as_bytes(), true))
    }

    #[test]
    fn fields_and_needed_arguments() {
        let text = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1.5,"dur":2,"args":{"stream":7,"correlation":42,"grid":[1,2,3]}}"#;
        let Ok(Element::Event(event)) = parse(text) else { panic!("no event") };
        assert_eq!(event.event_type, b'X');
        assert_eq!(event.ts.and_then(|t| t.key()), Some(b"1.5".as_slice()));
        assert_eq!(event.hits.correlation.map(|t| t.text), Some(b"42".as_slice()));
        let mut keys = Vec::new();
        members(event.args.expect("args"), |key, _| keys.push(key.to_vec()));
        assert_eq!(keys, [b"stream".to_vec(), b"correlation".to_vec(), b"grid".to_vec()]);
        assert!(!event.odd.any());
    }

    #[test]
    fn an_odd_argument_does_not_cost_the_event() {
        let text = r#"{"ph":"X","args":{"warps per SM":N/A,"correlation":-nan(ind),"grid":[None,1]},"ts":5}"#;
        let Ok(Element::Event(event)) = parse(text) else { panic!("no event") };
        assert!(event.odd.has(Oddities::WORD));
        assert_eq!(event.ts.and_then(|ts| ts.key()), Some(b"5".as_slice()));
        assert_eq!(event.hits.correlation.and_then(|number| number.key()), None, "the value alone is lost");
        assert!(matches!(parse(r#"{"ph":"X","args":{},"ts":N/A}"#), Err(Fault::Bad(_))), "not an argument");
    }

    #[test]
    fn kept_text_ends_between_characters() {
        let of = |end: &str| {
            let text = [&vec![b'x'; KEPT - 4], end.as_bytes()].concat();
            KEPT as isize - kept(&text) as isize
        };
        assert_eq!(of("abcdefgh"), 0);
        assert_eq!(of(r"abc\nefgh"), 1, "before the escape");
        assert_eq!(of(r"ab\\efgh"), 0, "behind it");
        assert_eq!(of(r"a\u00e9bc"), 3);
        assert_eq!(of("abcéfgh"), 1);
        assert_eq!(kept(&vec![0x80; 2 * KEPT]), KEPT, "no characters at all");
        assert_eq!(kept(b"short\\"), 6);
    }

    #[test]
    fn the_last_of_two_counts() {
        let Ok(Element::Event(event)) = parse(r#"{"ph":"B","ph":"X","name":"a","name":"b"}"#) else {
            panic!("no event")
        };
        assert_eq!((event.event_type, event.name.map(|t| t.text)), (b'X', Some(b"b".as_slice())));
    }

    #[test]
    fn other_elements() {
        assert!(matches!(parse("[1]"), Ok(Element::Other)));
        assert!(matches!(parse(r#"{"a":1,"traceEvents":["#), Ok(Element::Document)));
        assert!(matches!(parse("{}"), Ok(Element::Event(Event { is_empty: true, .. }))));
        assert!(matches!(parse(r#"{"ph":"X""#), Err(Fault::End)));
        assert!(matches!(parse(r#"{"ph":"X" "#), Err(Fault::End)));
        assert!(matches!(parse(r#"{"ph":"X" x"#), Err(Fault::Bad(10))));
    }
}
