//! Where reading goes on in a document whose structure is damaged: at the next entry of its header that is
//! known by name, or at its events.
//!
//! The policy: a damaged byte costs the header entry in which it stands. Used only after a fault, so that a
//! nested `traceEvents` of an undamaged document is never taken for its events. Must not move in the text.

use memchr::memchr2_iter;

use super::event::{Element, element};
use super::scan::{Fault, Scanner, blank};

/// The key of the array of events in a document.
pub(super) const EVENTS: &[u8] = b"traceEvents";
/// What stands before the first event of a document, without white space: the key of its events, a colon and
/// a bracket.
const OPENING: &[u8] = b"\"traceEvents\":[";

/// Keys of a document's outermost object at which reading can go on after damage.
const KEYS: [&[u8]; 25] = [
    EVENTS,
    b"schemaVersion",
    b"deviceProperties",
    b"distributedInfo",
    b"displayTimeUnit",
    b"baseTimeNanoseconds",
    b"traceName",
    b"trace_id",
    b"profile_memory",
    b"with_stack",
    b"with_flops",
    b"with_modules",
    b"cuda_runtime_version",
    b"cuda_driver_version",
    b"cupti_version",
    b"host_name",
    b"span_indx",
    b"span_index",
    b"ExtraInfo",
    b"viztracer_metadata",
    b"file_info",
    b"systemTraceEvents",
    b"stackFrames",
    b"otherData",
    b"metadata",
];

/// How many bytes before the text that is searched stay in memory: they decide what a brace in it begins.
pub(super) const CONTEXT: usize = 256;
/// Roughly how many bytes the searches of a text may parse in vain, besides [`VAIN_RATE`] for each byte of
/// the text so far.
const VAIN: u64 = 1 << 20;
const VAIN_RATE: u64 = 16;

/// Where reading goes on after damage to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landmark {
    /// Reading goes on at a known key of the document.
    Member,
    /// Reading goes on at the first element of the document's array of events.
    Array,
    /// Reading goes on at an event that is not directly behind the key of the events.
    Event,
}

/// The outcome of a search for a landmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// The first landmark, and the index at which reading goes on.
    Found(usize, Landmark),
    /// The text breaks off inside what begins at this index: it may be a landmark, or an array to skip.
    Open(usize),
    Nothing,
}

/// A search for a landmark: where reading goes on after damage to a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// True when the known keys of a document are landmarks, too, and not only its events.
    pub members: bool,
    /// True when an event counts only behind text that may stand before an event of a document, such as `},`.
    pub is_strict: bool,
    /// Number of bytes parsed in vain so far.
    pub vain: u64,
}

impl Search {
    /// Searches `text`, at `offset` of the file's text, for the first landmark from index `from` on.
    /// `is_last` is true when nothing follows `text`.
    pub(super) fn find(&mut self, text: &[u8], from: usize, offset: u64, is_last: bool) -> Sought {
        let mut next = from;
        for at in memchr2_iter(b'"', b'{', text.get(from..).unwrap_or_default()).map(|at| from + at) {
            if at < next {
                continue;
            }
            let found = match text[at] {
                b'"' => self.member(text, at, is_last),
                _ => self.event(text, at, offset, is_last),
            };
            match found {
                Next::Nothing => {}
                Next::Skip(to) => next = to,
                Next::Sought(sought) => return sought,
            }
        }
        Sought::Nothing
    }

    /// Decides whether a landmark begins at the quote at index `at`: a known key if `members` is set, else
    /// the key of the events with its bracket.
    fn member(self, text: &[u8], at: usize, is_last: bool) -> Next {
        // A quote inside a string is escaped.
        if at > 0 && text[at - 1] == b'\\' {
            return Next::Nothing;
        }
        let rest = &text[at + 1..];
        let Some(key) = KEYS.iter().find(|key| rest.starts_with(key) || key.starts_with(rest)) else {
            return Next::Nothing;
        };
        let open = if is_last { Next::Nothing } else { Next::Sought(Sought::Open(at)) };
        match rest.get(key.len()) {
            None => return open,
            Some(b'"') => {}
            Some(_) => return Next::Nothing,
        }
        let colon = blank(text, at + key.len() + 2);
        let value = blank(text, colon + 1);
        match (text.get(colon), text.get(value)) {
            (Some(b':'), Some(b'[')) if *key == EVENTS && !self.members => {
                Next::Sought(Sought::Found(value + 1, Landmark::Array))
            }
            (Some(b':'), Some(_)) if self.members => Next::Sought(Sought::Found(at, Landmark::Member)),
            (None, _) | (Some(b':'), None) => open,
            _ => Next::Nothing,
        }
    }

    /// Decides whether an event of the document begins at the brace at index `at`.
    fn event(&mut self, text: &[u8], at: usize, offset: u64, is_last: bool) -> Next {
        let before = Before::of(text, at);
        if before == Before::Nested || self.is_strict && before == Before::Damage {
            return Next::Nothing;
        }
        match self.is_event(text, at, offset, is_last) {
            None => Next::Sought(Sought::Open(at)),
            Some(false) => Next::Nothing,
            Some(true) => match before {
                Before::Other(bracket) => self.skip(text, bracket, offset, is_last),
                Before::Key => Next::Sought(Sought::Found(at, Landmark::Array)),
                _ => Next::Sought(Sought::Found(at, Landmark::Event)),
            },
        }
    }

    /// Whether an event begins at index `at`; `None` when `text` breaks off inside the value there and more
    /// may follow. False without parsing once too many bytes were parsed in vain.
    fn is_event(&mut self, text: &[u8], at: usize, offset: u64, is_last: bool) -> Option<bool> {
        if self.vain > VAIN + VAIN_RATE * (offset + at as u64) {
            return Some(false);
        }
        let mut scan = Scanner::new(text, is_last);
        scan.pos = at;
        match element(&mut scan) {
            Ok(Element::Event(event)) if event.event_type != 0 => return Some(true),
            Err(Fault::End) => {
                self.vain += (text.len() - at) as u64;
                return if is_last { Some(false) } else { None };
            }
            _ => self.vain += (scan.pos - at) as u64,
        }
        Some(false)
    }

    /// Skips the array at index `bracket` if it can be read whole. Else the search goes on in it, or, if
    /// `text` breaks off in it and more may follow, ends with [`Sought::Open`].
    fn skip(&mut self, text: &[u8], bracket: usize, offset: u64, is_last: bool) -> Next {
        if self.vain > VAIN + VAIN_RATE * (offset + bracket as u64) {
            return Next::Nothing;
        }
        let mut scan = Scanner::new(text, is_last);
        scan.pos = bracket;
        match scan.value() {
            Ok(_) => Next::Skip(scan.pos),
            Err(Fault::End) => {
                self.vain += (text.len() - bracket) as u64;
                if is_last { Next::Nothing } else { Next::Sought(Sought::Open(bracket)) }
            }
            Err(Fault::Bad(at)) => {
                self.vain += (at - bracket) as u64;
                Next::Nothing
            }
        }
    }
}

/// What a search does after looking at one quote or brace.
enum Next {
    Nothing,
    /// The search goes on at this index: nothing before it can be a landmark.
    Skip(usize),
    Sought(Sought),
}

/// What seems to stand before an object, by the last bytes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// The key of the events with its colon and bracket, of which one byte may be damaged.
    Key,
    /// Nothing, or a comma that may stand between two events.
    Event,
    /// The opening bracket, at this index, of an array that is the value of another key than that of the
    /// events.
    Other(usize),
    /// A colon, or a comma that cannot stand between two events: the object is nested in something else.
    Nested,
    /// Any other bytes.
    Damage,
}

impl Before {
    fn of(text: &[u8], at: usize) -> Self {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        // The last bytes that are no white space, and their indices; the last of all first.
        let mut last = [0; OPENING.len() + 1];
        let mut indices = [0; 2];
        let mut count = 0;
        for index in (0..at).rev().filter(|&index| !is_blank(&text[index])).take(last.len()) {
            if let Some(slot) = indices.get_mut(count) {
                *slot = index;
            }
            last[count] = text[index];
            count += 1;
        }
        last[..count].reverse();
        let last = &last[..count];
        let lengths = OPENING.len() - 1..=OPENING.len() + 1;
        if lengths.rev().any(|len| last.len() >= len && is_near(&last[last.len() - len..], OPENING)) {
            return Self::Key;
        }
        match (count.checked_sub(2).map(|i| last[i]), last.last()) {
            (_, None) | (None | Some(b'}'), Some(b',')) => Self::Event,
            (_, Some(b',')) if text[indices[0]..at].contains(&b'\n') => Self::Event,
            (Some(b':' | b'"'), Some(b'[')) => Self::Other(indices[0]),
            (_, Some(b':' | b',')) => Self::Nested,
            _ => Self::Damage,
        }
    }
}

/// Whether `text` equals `whole`, or differs from it by one byte that is changed, missing or added.
pub(super) fn is_near(text: &[u8], whole: &[u8]) -> bool {
    let head = text.iter().zip(whole).take_while(|(a, b)| a == b).count();
    let most = text.len().min(whole.len()) - head;
    let tail = text.iter().rev().zip(whole.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    text.len().max(whole.len()) - head - tail <= 1
}

/// Whether the text of an object holds what may be a known key or an event of a document.
pub(super) fn holds_member(object: &[u8]) -> bool {
    let mut search = Search { members: true, is_strict: false, vain: 0 };
    matches!(search.find(object, 1, 0, true), Sought::Found(..))
}

/// Whether a member with a known key begins at index `at` of `text`; `None` when the bytes end too early to
/// decide.
pub(super) fn is_member(text: &[u8], at: usize, is_last: bool) -> Option<bool> {
    if text.get(at) != Some(&b'"') {
        return Some(false);
    }
    let search = Search { members: true, is_strict: false, vain: 0 };
    match search.member(text, at, is_last) {
        Next::Sought(Sought::Open(_)) => None,
        Next::Sought(_) => Some(true),
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = r#"{"ph":"X","ts":1}"#;

    fn find(text: &str, members: bool) -> Sought {
        Search { members, is_strict: false, vain: 0 }.find(text.as_bytes(), 0, 0, true)
    }

    #[test]
    fn the_events_are_found_by_what_is_left_of_their_key() {
        for opening in [
            r#""traceEvents": ["#,
            r#"xtraceEvents": ["#,
            r#""trace"vents": ["#,
            r#""traceEvents\: ["#,
            r#""traceEvents"x ["#,
            r#""traceEvents": x"#,
            r#""traceEvents": "#,
            "\"traceEvents\":\nx[ ",
        ] {
            let text = format!("\"rank\": 0 {opening}{EVENT},{EVENT}]");
            let start = text.find('{').expect("an event");
            assert_eq!(find(&text, false), Sought::Found(start, Landmark::Array), "{text}");
        }
    }

    #[test]
    fn events_of_other_keys_are_passed_over() {
        let own = format!(r#""traceEvents":[{EVENT}]"#);
        let before = format!(r#""events":[{EVENT},{EVENT}],"first":{EVENT},"#);
        assert_eq!(find(&format!("{before}{own}"), false), Sought::Found(before.len() + 15, Landmark::Array));
        assert_eq!(find(&before, false), Sought::Nothing);
        assert_eq!(find(&own.replace('"', "\\\""), false), Sought::Nothing, "in a string");
    }

    #[test]
    fn known_members_are_landmarks() {
        let text = r#"0,"name":"x"],"distributedInfo" : {"rank":1}"#;
        assert_eq!(find(text, true), Sought::Found(14, Landmark::Member));
        assert_eq!(find(text, false), Sought::Nothing);
        let mut search = Search { members: true, is_strict: false, vain: 0 };
        assert_eq!(search.find(&text.as_bytes()[..20], 0, 0, false), Sought::Open(14));
    }

    #[test]
    fn one_byte_apart() {
        for near in
            ["traceEvents", "tracEvents", "traceEventsx", "xtraceEvents", "traceExents", "trraceEvents"]
        {
            assert!(is_near(near.as_bytes(), EVENTS), "{near}");
        }
        for far in ["traceEven", "systemTraceEvents", "tarceEvents", "", "events"] {
            assert!(!is_near(far.as_bytes(), EVENTS), "{far}");
        }
    }

    #[test]
    fn deep_nesting_costs_no_quadratic_time() {
        for part in
            [r#"[{"a":"#, r#"{"a":[{"a":[{"#, r#"},{"a":"#, r#"{"ph":"X","b":[{"#, r#"["a":[{"ph":"X"},"#]
        {
            let text = part.repeat(50_000);
            let mut search = Search { members: false, is_strict: false, vain: 0 };
            let mut from = 0;
            while let Sought::Open(at) | Sought::Found(at, _) = search.find(text.as_bytes(), from, 0, true) {
                from = at + 1;
            }
            assert!(search.vain <= VAIN + (VAIN_RATE + 2) * text.len() as u64, "{part}: {}", search.vain);
        }
    }
}
