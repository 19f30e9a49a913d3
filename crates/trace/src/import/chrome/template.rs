//! Reading events by template: a producer repeats the same bytes around changing values.
//!
//! Templates are learned from events in which the general parser found nothing odd. They form a tree: a node
//! holds the constant bytes up to the next value, its children the bytes that may follow that value. Reading
//! compares the constant bytes and steps over the values by the general parser's own rules; at the first
//! difference it gives up, and the general parser reads the event. So both ways give the same events. Must
//! not know dialects.

use proftui_base::saturate::saturate;
use proftui_base::time::scan_us;

use super::event::{Event, Field, Quick};
use super::scan::{Kind, MAX_DEPTH, Scanner, Token, blank, plain_end, plain_number};

/// Number of nodes in the tree from which on no more templates are learned.
const MAX_NODES: usize = 4096;
/// Number of nodes from which on new templates leave process and thread ids variable, to serve all threads.
const MAX_WITH_IDS: usize = 512;
/// Length in bytes beyond which an event is not learned.
const MAX_EVENT: usize = 1 << 16;
/// The event types for which templates are learned, one letter each.
const EVENT_TYPES: &[u8] = b"XBEistf";
const ROOT: usize = 0;
const NONE: u32 = u32::MAX;

/// What follows the constant bytes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    /// The value of this field, which may differ between events.
    Value(Field),
    /// The end of the event.
    End,
}

/// A field whose value is part of a node's constant bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fixed {
    field: Field,
    kind: Kind,
    /// Index in the node's bytes at which the value's text begins.
    from: u32,
    to: u32,
}

/// A node of the tree: constant bytes of an event, and what follows them.
#[derive(Debug)]
struct Node {
    bytes: Box<[u8]>,
    fixed: Vec<Fixed>,
    hole: Hole,
    has_args: bool,
    children: Vec<u32>,
    /// The child that matched last, or [`NONE`]; not used in the root.
    hot: u32,
}

/// The templates learned so far, as one tree.
#[derive(Debug)]
pub(crate) struct Templates {
    nodes: Vec<Node>,
    /// By the node that begins an event: the node that began the next event the last time, or [`NONE`].
    after: Vec<u32>,
    /// The node that last matched the beginning of an event; [`ROOT`] at first.
    last: u32,
}

impl Default for Templates {
    fn default() -> Self {
        let root = Node {
            bytes: Box::default(),
            fixed: Vec::new(),
            hole: Hole::End,
            has_args: false,
            children: Vec::new(),
            hot: NONE,
        };
        Self { nodes: vec![root], after: vec![NONE], last: saturate::<u32>(ROOT) }
    }
}

impl Templates {
    /// Reads the event at index `at` of `buf` into the new `event`, and returns the index behind it. `None`
    /// where the general parser must read it; `event` must then not be used.
    #[inline]
    pub(crate) fn read<'a>(&mut self, buf: &'a [u8], mut at: usize, event: &mut Event<'a>) -> Option<usize> {
        let mut quick = Quick { template: 0, ts: 0, dur: None, has_point: false };
        let (mut has_ts, mut dur_has_point) = (false, false);
        let mut from = ROOT;
        loop {
            let hot = if from == ROOT { self.after[self.last as usize] } else { self.nodes[from].hot };
            let is_hot = hot != NONE && starts_with(&buf[at..], &self.nodes[hot as usize].bytes);
            let node = if is_hot { hot } else { self.child(from, hot, &buf[at..])? };
            if node != hot {
                if from == ROOT {
                    self.after[self.last as usize] = node;
                } else {
                    self.nodes[from].hot = node;
                }
            }
            if from == ROOT {
                self.last = node;
            }
            from = node as usize;
            let node = &self.nodes[from];
            let text = &buf[at..at + node.bytes.len()];
            for fixed in &node.fixed {
                let text = &text[fixed.from as usize..fixed.to as usize];
                event.set(fixed.field, Token { kind: fixed.kind, text });
            }
            at += text.len();
            match node.hole {
                Hole::End => {
                    event.has_args = node.has_args;
                    quick.has_point |= dur_has_point && event.event_type == b'X';
                    quick.template = saturate::<u32>(from);
                    event.quick = has_ts.then_some(quick);
                    return has_ts.then_some(at);
                }
                Hole::Value(field @ (Field::Ts | Field::Dur)) => {
                    let (time, len, has_point) = scan_us(&buf[at..])?;
                    if field == Field::Ts {
                        (quick.ts, has_ts) = (time, true);
                        quick.has_point |= has_point;
                    } else {
                        quick.dur = Some(time);
                        dur_has_point = has_point;
                    }
                    event.set(field, Token { kind: Kind::Number, text: &buf[at..at + len] });
                    at += len;
                }
                Hole::Value(field) => {
                    let (value, end) = value(buf, at)?;
                    if field == Field::Name && value.kind != Kind::String {
                        return None;
                    }
                    event.set(field, value);
                    at = end;
                }
            }
        }
    }

    /// The first child of node `from` whose bytes `rest` begins with, except `hot`, which was tried already.
    #[cold]
    fn child(&self, from: usize, hot: u32, rest: &[u8]) -> Option<u32> {
        let children = self.nodes[from].children.iter().copied();
        children
            .filter(|&child| child != hot)
            .find(|&child| starts_with(rest, &self.nodes[child as usize].bytes))
    }

    /// Learns a template from an event that the general parser read, if the event suits and the tree is not
    /// full; `text` is the event from `{` to `}`.
    pub(crate) fn learn(&mut self, text: &[u8], event: &Event<'_>) {
        let is_wanted = EVENT_TYPES.contains(&event.event_type) && !event.odd.any() && event.id2.is_none();
        if !is_wanted || text.len() > MAX_EVENT || self.nodes.len() >= MAX_NODES {
            return;
        }
        let Some(parts) = parts(text, self.nodes.len() < MAX_WITH_IDS) else { return };
        let mut at = ROOT;
        for part in parts {
            let is_same = |&&child: &&u32| {
                let node = &self.nodes[child as usize];
                *node.bytes == *part.bytes && node.hole == part.hole
            };
            let known = self.nodes[at].children.iter().find(is_same).copied();
            at = known.unwrap_or_else(|| self.add(at, part)) as usize;
        }
    }

    fn add(&mut self, parent: usize, part: Part<'_>) -> u32 {
        let number = saturate::<u32>(self.nodes.len());
        self.nodes[parent].children.push(number);
        self.after.push(NONE);
        self.nodes.push(Node {
            bytes: part.bytes.into(),
            fixed: part.fixed,
            hole: part.hole,
            has_args: part.has_args,
            children: Vec::new(),
            hot: NONE,
        });
        number
    }
}

/// A node for an event that is being learned; added to the tree unless an equal node exists.
struct Part<'a> {
    bytes: &'a [u8],
    fixed: Vec<Fixed>,
    hole: Hole,
    has_args: bool,
}

/// Cuts an event into constant bytes and values; `None` when it can be no template.
///
/// With `with_ids`, short process and thread ids become part of the constant bytes.
fn parts(text: &[u8], with_ids: bool) -> Option<Vec<Part<'_>>> {
    let mut scan = Scanner::new(text, true);
    let mut cutter =
        Cutter { text, parts: Vec::new(), fixed: Vec::new(), from: 0, has_args: false, with_ids };
    scan.pos = 1;
    while let Some(key) = scan.next_key().ok()? {
        scan.peek().ok()?;
        if key == b"args" {
            if cutter.has_args || text[scan.pos] != b'{' {
                return None;
            }
            cutter.has_args = true;
            scan.pos += 1;
            while let Some(key) = scan.next_key().ok()? {
                cutter.value(&mut scan, Field::of_argument(key))?;
                scan.after_member().ok()?;
            }
        } else {
            cutter.value(&mut scan, Field::of(key))?;
        }
        scan.after_member().ok()?;
    }
    cutter.cut(scan.pos, Hole::End);
    Some(cutter.parts)
}

struct Cutter<'a> {
    text: &'a [u8],
    parts: Vec<Part<'a>>,
    fixed: Vec<Fixed>,
    /// Index in `text` of the first constant byte of the next part.
    from: usize,
    has_args: bool,
    with_ids: bool,
}

impl<'a> Cutter<'a> {
    /// Reads the value of `field`, and makes it part of the constant bytes or a hole. `None` when it is not
    /// JSON.
    fn value(&mut self, scan: &mut Scanner<'a>, field: Field) -> Option<()> {
        scan.peek().ok()?;
        let start = scan.pos;
        let token = scan.value().ok()?;
        let is_fixed = match field {
            Field::EventType | Field::Cat | Field::FlowIn | Field::FlowOut | Field::BindingPoint => true,
            Field::Pid | Field::Tid => self.with_ids && token.key().is_some_and(|text| text.len() < 32),
            _ => false,
        };
        if is_fixed {
            let quote = usize::from(token.kind == Kind::String);
            let from = saturate::<u32>(start + quote - self.from);
            let to = from + saturate::<u32>(token.text.len());
            self.fixed.push(Fixed { field, kind: token.kind, from, to });
        } else {
            self.cut(start, Hole::Value(field));
            self.from = scan.pos;
        }
        Some(())
    }

    fn cut(&mut self, to: usize, hole: Hole) {
        let (bytes, fixed) = (&self.text[self.from..to], std::mem::take(&mut self.fixed));
        self.parts.push(Part { bytes, fixed, hole, has_args: self.has_args });
    }
}

/// The value at index `at` of `buf`, and the index behind it; `None` where the general parser must decide.
#[inline]
fn value(buf: &[u8], at: usize) -> Option<(Token<'_>, usize)> {
    match *buf.get(at)? {
        b'"' => {
            let mut is_high = false;
            let end = plain_end(buf, at + 1, &mut is_high);
            let text = &buf[at + 1..end];
            let is_plain = buf.get(end) == Some(&b'"') && (!is_high || std::str::from_utf8(text).is_ok());
            is_plain.then_some((Token { kind: Kind::String, text }, end + 1))
        }
        b'-' | b'0'..=b'9' => {
            let len = plain_number(&buf[at..])?;
            Some((Token { kind: Kind::Number, text: &buf[at..at + len] }, at + len))
        }
        b'[' if let Some(end) = plain_array(buf, at) => {
            Some((Token { kind: Kind::Array, text: &buf[at..end] }, end))
        }
        b'[' | b'{' | b't' | b'f' | b'n' => {
            let mut scan = Scanner::new(buf, false);
            scan.pos = at;
            let value = scan.value().ok()?;
            (!scan.odd.any()).then_some((value, scan.pos))
        }
        _ => None,
    }
}

/// The index behind the array at index `at` of simple numbers and texts, nested or not, such as dimensions;
/// `None` where the general parser must decide.
fn plain_array(buf: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match *buf.get(at)? {
            b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return None;
                }
                at = blank(buf, at + 1);
                if buf.get(at) != Some(&b']') {
                    continue;
                }
            }
            b'"' => {
                let mut is_high = false;
                at = plain_end(buf, at + 1, &mut is_high);
                if buf.get(at) != Some(&b'"') || is_high {
                    return None;
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => at += plain_number(&buf[at..])?,
            _ => return None,
        }
        loop {
            at = blank(buf, at);
            match *buf.get(at)? {
                b',' => {
                    at = blank(buf, at + 1);
                    break;
                }
                b']' => {
                    at += 1;
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => return None,
            }
        }
        if buf.get(at) == Some(&b']') {
            return None;
        }
    }
}

/// True if `text` starts with `bytes`. Faster for the usual lengths than the library's comparison.
#[inline]
fn starts_with(text: &[u8], bytes: &[u8]) -> bool {
    let Some(text) = text.get(..bytes.len()) else { return false };
    // The last block overlaps the one before, so no odd end is left.
    if let (Some(end), Some(text_end)) = (bytes.last_chunk::<16>(), text.last_chunk::<16>()) {
        let is_same =
            |one: &[u8; 16], other: &[u8; 16]| u128::from_ne_bytes(*one) == u128::from_ne_bytes(*other);
        let mut blocks = bytes.as_chunks::<16>().0.iter().zip(text.as_chunks::<16>().0);
        return blocks.all(|(one, other)| is_same(one, other)) && is_same(end, text_end);
    }
    if let (Some(end), Some(text_end)) = (bytes.last_chunk::<8>(), text.last_chunk::<8>()) {
        return bytes.first_chunk::<8>() == text.first_chunk::<8>() && end == text_end;
    }
    if let (Some(end), Some(text_end)) = (bytes.last_chunk::<4>(), text.last_chunk::<4>()) {
        return bytes.first_chunk::<4>() == text.first_chunk::<4>() && end == text_end;
    }
    bytes.iter().zip(text).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::chrome::event::{Element, element};
    use crate::import::chrome::scan::Fault;

    const EVENTS: [&str; 8] = [
        r#"{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 8, "ts": 5312345678901.123, "dur": 12.5, "args": {"External id": 3, "Input Dims": [[1, 2], [], ["a"]], "ok": true}}"#,
        r#"{"ph": "X", "cat": "cpu_op", "name": "a\u00e9 name", "pid": 7, "tid": 8, "ts": 1.0, "dur": 2, "args": {"External id": 3}}"#,
        r#"{"ph":"X","cat":"kernel","name":"void k<float>(T)","pid":0,"tid":24,"ts":17.25,"dur":1,"args":{"correlation":42,"grid":[1,1,1],"est":0.5}}"#,
        r#"{"ph":"f","id":1,"pid":0,"tid":"stream 7","ts":17.25,"cat":"ac2g","name":"ac2g","bp":"e"}"#,
        r#"{"ts":1,"name":"[memory]","ph":"i","s":"t","pid":1,"tid":1,"args":{"Bytes":512,"Addr":99,"Device Id":0,"Total Allocated":7}}"#,
        r#"{"name":"B","ph":"B","pid":1,"tid":1,"ts":3,"args":{}}"#,
        r#"{"ph":"X","ts":4,"dur":1,"name":"twice","name":"again","cat":"x","cat":"y","pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"no args","pid":-1,"tid":1,"ts":-4.5,"dur":-1}"#,
    ];

    /// The fields that both parsers must agree on.
    fn facts<'a>(event: &Event<'a>) -> impl PartialEq + std::fmt::Debug + use<'a> {
        let tokens =
            [event.name, event.cat, event.ts, event.dur, event.pid, event.tid, event.id, event.bind_id];
        let flags = (event.flow_in, event.flow_out, event.binds_enclosing, event.has_args, event.is_empty);
        (event.event_type, tokens, event.scope, flags, event.hits, event.odd)
    }

    fn learned() -> Templates {
        let mut templates = Templates::default();
        for text in EVENTS {
            let Ok(Element::Event(event)) = element(&mut Scanner::new(text.as_bytes(), true)) else {
                panic!("no event: {text}")
            };
            templates.learn(text.as_bytes(), &event);
        }
        templates
    }

    /// Asserts that an event read by template equals the general parser's; true when a template fits.
    fn agrees(templates: &mut Templates, text: &[u8]) -> bool {
        let mut quick = Event::default();
        let Some(end) = templates.read(text, 0, &mut quick) else { return false };
        let mut scan = Scanner::new(text, false);
        let general: Result<_, Fault> = element(&mut scan);
        let Ok(Element::Event(event)) = general else {
            panic!("{general:?} by the general parser: {}", String::from_utf8_lossy(text))
        };
        assert_eq!(facts(&quick), facts(&event), "{}", String::from_utf8_lossy(text));
        assert_eq!(end, scan.pos);
        let times = quick.quick.expect("its times");
        let us = |token: Option<Token<'_>>| token.and_then(|t| proftui_base::time::parse_us(t.text));
        assert_eq!((Some(times.ts), times.dur), (us(event.ts), us(event.dur)));
        true
    }

    #[test]
    fn what_was_learned_is_read() {
        let mut templates = learned();
        for text in EVENTS {
            let follows = format!("{text},\n  {{ \"ph\"");
            // Escapes are left to the general parser.
            assert_eq!(agrees(&mut templates, follows.as_bytes()), !text.contains("\\u"), "{text}");
        }
        let other =
            EVENTS[0].replace("aten::mm", "other").replace("12.5", "0.001").replace("[1, 2]", "[[-5]]");
        assert!(
            agrees(&mut templates, format!("{other},        ").as_bytes()),
            "other values, same template"
        );
    }

    #[test]
    fn any_one_byte_changed_gives_what_the_general_parser_gives() {
        let mut templates = learned();
        let mut found = 0;
        for text in EVENTS {
            let text = format!("{text},        ").into_bytes();
            for at in 0..text.len() - 9 {
                for byte in *b"\"\\\0\x1f\x80 ,:.-{}[]0eEnx" {
                    let mut changed = text.clone();
                    changed[at] = byte;
                    found += usize::from(agrees(&mut templates, &changed));
                    changed.remove(at);
                    found += usize::from(agrees(&mut templates, &changed));
                }
            }
        }
        assert!(found > 1000, "{found}: templates fit at all");
    }

    #[test]
    fn the_end_of_the_bytes_is_no_event() {
        let mut templates = learned();
        for text in EVENTS {
            for len in 0..text.len() {
                assert!(!agrees(&mut templates, &text.as_bytes()[..len]));
            }
        }
    }
}
