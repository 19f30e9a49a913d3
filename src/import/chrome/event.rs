//! One event: its fields as tokens of the text, nothing interpreted yet.
//!
//! Must not know dialects or keep state: any thread may parse any event.

use super::scan::{Fault, Kind, Oddities, Scanner, Token};

/// The fields of an event. A field that occurs twice counts as its last.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one field of the format")]
pub(crate) struct Event<'a> {
    /// Phase letter; 0 when missing or not a single letter.
    pub phase: u8,
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
    /// `"bp":"e"`: a flow's end binds to the slice around it.
    pub binds_enclosing: bool,
    /// The whole value of `args`.
    pub args: Option<Token<'a>>,
    /// What an import needs of `args`.
    pub hits: Hits<'a>,
    /// True for `{}`, which some producers write as a terminator.
    pub is_empty: bool,
    pub odd: Oddities,
}

/// Arguments that the import itself needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hits<'a> {
    pub correlation: Option<Token<'a>>,
    /// Paddle's start relative to the trace, `"12.345 us"`.
    pub start_time: Option<Token<'a>>,
}

/// What the text at the scanner turned out to be.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "lives on the stack for one event; a box would cost more")]
pub(crate) enum Element<'a> {
    Event(Event<'a>),
    /// A value that is no event.
    Other,
    /// An object with `traceEvents`: a document, not an event. The scanner stands after that key.
    Document,
}

/// Reads the array element at the scanner.
#[inline]
pub(crate) fn element<'a>(scan: &mut Scanner<'a>) -> Result<Element<'a>, Fault> {
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
                let start = {
                    scan.peek()?;
                    scan.pos
                };
                let kind = arguments(scan, &mut event.hits)?;
                event.args = Some(Token { kind, text: &scan.buf[start..scan.pos] });
            }
            b"traceEvents" => return Ok(Element::Document),
            _ => {
                let value = scan.value()?;
                field(&mut event, key, value);
            }
        }
        scan.after_member()?;
    }
    event.odd = scan.odd;
    Ok(Element::Event(event))
}

#[inline]
fn field<'a>(event: &mut Event<'a>, key: &[u8], value: Token<'a>) {
    match key {
        b"ph" => {
            event.phase = match value {
                Token { kind: Kind::String, text: &[letter] } => letter,
                _ => 0,
            }
        }
        b"name" => event.name = Some(value),
        b"cat" => event.cat = Some(value),
        b"ts" => event.ts = Some(value),
        b"dur" => event.dur = Some(value),
        b"pid" => event.pid = Some(value),
        b"tid" => event.tid = Some(value),
        b"id" => event.id = Some(value),
        b"id2" => event.id2 = Some(value),
        b"scope" => event.scope = Some(value),
        b"bind_id" => event.bind_id = Some(value),
        b"flow_in" => event.flow_in = value.text == b"true",
        b"flow_out" => event.flow_out = value.text == b"true",
        b"bp" => event.binds_enclosing = value.text == b"e",
        _ => {}
    }
}

#[inline]
fn arguments<'a>(scan: &mut Scanner<'a>, hits: &mut Hits<'a>) -> Result<Kind, Fault> {
    if scan.buf[scan.pos] != b'{' {
        return Ok(scan.value()?.kind);
    }
    scan.pos += 1;
    while let Some(key) = scan.next_key()? {
        let value = scan.value()?;
        match key {
            b"correlation" | b"correlation id" => hits.correlation = Some(value),
            b"start_time" => hits.start_time = Some(value),
            _ => {}
        }
        scan.after_member()?;
    }
    Ok(Kind::Object)
}

/// Calls `each` with every member of an object's text, such as [`Event::args`].
pub(crate) fn members<'a>(object: Token<'a>, mut each: impl FnMut(&'a [u8], Token<'a>)) {
    if object.kind != Kind::Object {
        return;
    }
    let mut scan = Scanner::new(object.text, true);
    scan.pos = 1;
    // The text was scanned whole before, so a fault cannot happen; if it did, the rest would be left out.
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
        assert_eq!(event.phase, b'X');
        assert_eq!(event.ts.and_then(|t| t.key()), Some(b"1.5".as_slice()));
        assert_eq!(event.hits.correlation.map(|t| t.text), Some(b"42".as_slice()));
        let mut keys = Vec::new();
        members(event.args.expect("args"), |key, _| keys.push(key.to_vec()));
        assert_eq!(keys, [b"stream".to_vec(), b"correlation".to_vec(), b"grid".to_vec()]);
        assert!(!event.odd.any());
    }

    #[test]
    fn the_last_of_two_counts() {
        let Ok(Element::Event(event)) = parse(r#"{"ph":"B","ph":"X","name":"a","name":"b"}"#) else {
            panic!("no event")
        };
        assert_eq!((event.phase, event.name.map(|t| t.text)), (b'X', Some(b"b".as_slice())));
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
