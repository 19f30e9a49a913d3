//! Visiting many events again, in one pass over each file's text from its front.
//!
//! What is no JSON is made it, event by event. The text comes in chunks and is let go behind the event at hand, so memory is bounded whatever a file holds. Must not
//! know what the events mean.

use std::borrow::Cow;
use std::thread::Scope;

use thiserror::Error;

use crate::import::chunk::{CHUNK, Chunk, Chunks, Filler};
use crate::import::error::{ImportError, show};
use crate::import::inflate::Stop;
use crate::import::progress::Progress;
use crate::import::source::{self, Feed};
use crate::import::text::{LIMIT, Place, Text};
use crate::model::Origin;

use super::raw::{Members, RawEvent};
use super::run::Piece;
use super::scan::{Fault, Scanner};
use super::window::{Supply, Window};

/// Why events cannot be visited.
#[derive(Debug, Error)]
pub enum VisitError {
    /// The file is no longer the one that was read.
    #[error("{path}: the file has changed on disk since it was read; run it again")]
    Changed {
        /// The file.
        path: String,
    },
    /// Its text is not kept.
    #[error("the arguments of the events cannot be had: {why}")]
    Gone {
        /// Why not.
        why: &'static str,
    },
    /// Reading failed.
    #[error("the file cannot be read again: {0}")]
    Read(#[from] ImportError),
    /// Reading failed on the way.
    #[error("{path}: the file cannot be read again: {what}")]
    Io {
        /// The file.
        path: String,
        /// What failed.
        what: String,
    },
}

/// Calls `each` with the place of an event in `origins` and the event, in the files' order; how many could not be read.
pub(in crate::import) fn visit(
    texts: &[Text],
    origins: &[Origin],
    each: &mut dyn FnMut(usize, &RawEvent<'_, '_>),
) -> Result<u64, VisitError> {
    let mut order: Vec<u32> = (0..origins.len() as u32).collect();
    if !origins.is_sorted() {
        order.sort_by_key(|&at| origins[at as usize]);
    }
    let mut missing = 0;
    for wanted in order.chunk_by(|&a, &b| origins[a as usize].file() == origins[b as usize].file()) {
        let file = origins[wanted[0] as usize].file();
        match texts.get(file) {
            Some(text) => missing += visit_text(text, wanted, origins, each)?,
            None => missing += wanted.len() as u64,
        }
    }
    Ok(missing)
}

fn visit_text(
    text: &Text,
    wanted: &[u32],
    origins: &[Origin],
    each: &mut dyn FnMut(usize, &RawEvent<'_, '_>),
) -> Result<u64, VisitError> {
    let progress = Progress::default();
    let changed = |path| VisitError::Changed { path: show(path) };
    let place = text.place();
    let (feed, path) = match place {
        Place::Gone(why) => return Err(VisitError::Gone { why }),
        Place::Kept(bytes) => (Feed::Plain(Box::new(bytes.as_slice())), None),
        Place::File { path, .. } | Place::Inflate { path, .. } => {
            if place.has_changed() {
                return Err(changed(path));
            }
            (source::open(path, &progress)?.feed, Some(path))
        }
    };
    let (missing, stop) =
        std::thread::scope(|scope| pass(scope, text, feed, &progress, wanted, origins, each));
    match (stop, path) {
        (_, Some(path)) if place.has_changed() => Err(changed(path)),
        (Some(Stop::Failed(error)), Some(path)) => {
            Err(VisitError::Io { path: show(path), what: error.to_string() })
        }
        _ => Ok(missing),
    }
}

/// One pass: how many events could not be read, and why the text ended if it did.
fn pass<'scope, 'p: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    text: &Text,
    feed: Feed<'p>,
    progress: &'p Progress,
    wanted: &[u32],
    origins: &[Origin],
    each: &mut dyn FnMut(usize, &RawEvent<'_, '_>),
) -> (u64, Option<Stop>) {
    // Inflating takes longer than reading events, and reading a file a good part of that, so both run ahead.
    let chunks = Chunks::ahead(scope, Filler::new(feed, CHUNK, progress));
    let mut window = Window::new(Plain { chunks, spare: Vec::new() }, 0);
    let mut missing = 0;
    let mut members = Members::default();
    for &at in wanted {
        if !reach(&mut window, origins[at as usize].offset()) {
            missing += 1;
            continue;
        }
        loop {
            let json = text.json(window.rest());
            let mut found = members.recycle();
            let read = json.as_ref().map_err(|fault| *fault).and_then(|json| {
                let is_whole = window.is_last() || matches!(json, Cow::Owned(_));
                found.read(&mut Scanner::new(json, is_whole))
            });
            if read.is_ok() {
                each(at as usize, &found.event());
            }
            members = found.recycle();
            let is_short = read == Err(Fault::End) && window.rest().len() < LIMIT;
            if is_short && !window.is_last() {
                // False at the end of the text: then a number may end where the bytes do, and is read once more.
                window.more();
                continue;
            }
            missing += u64::from(read.is_err());
            break;
        }
    }
    let stop = window.take_stop();
    (missing, stop)
}

/// Moves the window to `offset`; false when the text ends before.
fn reach(window: &mut Window<Plain<'_>>, offset: u64) -> bool {
    loop {
        let Some(ahead) = offset.checked_sub(window.offset()) else { return false };
        let there = window.rest().len();
        window.advance(there.min(usize::try_from(ahead).unwrap_or(usize::MAX)));
        if ahead < there as u64 {
            return true;
        }
        if !window.more() {
            return false;
        }
    }
}

/// Chunks without pieces: nobody has read them before.
struct Plain<'p> {
    chunks: Chunks<'p>,
    spare: Vec<u8>,
}

impl Supply for Plain<'_> {
    fn next(&mut self) -> Option<(Chunk, Option<Piece>)> {
        self.chunks.next(std::mem::take(&mut self.spare)).map(|chunk| (chunk, None))
    }

    fn reuse(&mut self, buffer: Vec<u8>) {
        self.spare = buffer;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::import::source::Format;

    /// A text of many events, and where they stand.
    fn many() -> (String, Vec<Origin>) {
        let mut text = String::from("[");
        let mut origins = Vec::new();
        for i in 0..5000 {
            origins.push(Origin::new(0, text.len() as u64));
            text.push_str(&format!(
                "{{\"ph\":\"X\",\"args\":{{\"n\":{i},\"pad\":\"{}\"}}}},\n",
                "x".repeat(i % 700)
            ));
        }
        (text, origins)
    }

    fn numbers(texts: &[Text], origins: &[Origin]) -> Result<(Vec<i64>, u64), VisitError> {
        let mut seen = Vec::new();
        let mut each = |at: usize, event: &RawEvent<'_, '_>| {
            let n = event.argument(b"n").and_then(crate::import::RawValue::integer).unwrap_or(-1);
            assert!(at == n as usize || origins.len() < 5000);
            seen.push(n);
        };
        let missing = visit(texts, origins, &mut each)?;
        Ok((seen, missing))
    }

    fn on_disk(path: &std::path::Path) -> Text {
        Text::new(Place::file(path), Format::Chrome)
    }

    fn kept(text: &[u8]) -> Text {
        Text::new(Place::Kept(std::sync::Arc::new(text.to_vec())), Format::Chrome)
    }

    #[test]
    fn every_kind_of_text_is_visited_in_its_order() {
        let (text, origins) = many();
        let path = std::env::temp_dir().join(format!("proftui-visit-{}", std::process::id()));
        let plain = path.with_extension("json");
        let packed = path.with_extension("json.gz");
        std::fs::write(&plain, &text).expect("a file");
        let file = std::fs::File::create(&packed).expect("a file");
        let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("written");
        gzip.finish().expect("written");
        let all: Vec<i64> = (0..5000).collect();
        for kind in [on_disk(&plain), on_disk(&packed), kept(text.as_bytes())] {
            assert_eq!(numbers(&[kind], &origins).expect("readable"), (all.clone(), 0));
        }
        let some = [origins[4000], origins[3], origins[4001]];
        assert_eq!(numbers(&[on_disk(&plain)], &some).expect("readable"), (vec![3, 4000, 4001], 0));
        let before = on_disk(&plain);
        std::fs::write(&plain, "[]").expect("written");
        assert!(matches!(numbers(&[before], &origins), Err(VisitError::Changed { .. })));
        std::fs::remove_file(plain).expect("removed");
        std::fs::remove_file(packed).expect("removed");
    }

    #[test]
    fn what_is_not_there_is_counted() {
        let text = || kept(b"[{\"args\":{\"n\":1}},{\"args\":{\"n\":2");
        let at = |offset| Origin::new(0, offset);
        assert_eq!(numbers(&[text()], &[at(1), at(18), at(900)]).expect("readable"), (vec![1], 2));
        assert_eq!(numbers(&[text()], &[Origin::new(3, 1)]).expect("readable"), (vec![], 1));
        let gone = numbers(&[Text::new(Place::Gone("why"), Format::Chrome)], &[at(1)]);
        assert!(matches!(gone, Err(VisitError::Gone { why: "why" })));
    }
}
