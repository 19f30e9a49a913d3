//! Visiting many events again, in one pass over each file, where their arguments are needed.
//!
//! Events are found by their offsets, in the file's order, in chunks that are released after use. Events of
//! protobuf are converted to the JSON that Paddle writes, so that the caller knows one form. Most views visit
//! no events; those that need arguments do, such as operators by input shape and kernels by launch
//! configuration.

use thiserror::Error;

use crate::model::Origin;
use proftui_base::cancel;
use proftui_base::saturate::saturate;

use super::bytes::inflate::Stop;
use super::bytes::source::{self, Feed};
use super::chrome::raw::RawEvent;
use super::chrome::visit::{self, Wanted};
use super::error::{ImportError, show};
use super::progress::Progress;
use super::text::{Backing, Text, Texts};

/// Why events cannot be visited.
#[derive(Debug, Error)]
pub enum VisitError {
    /// A file has changed since it was loaded, or is gone.
    #[error("{path}: the file has changed on disk since it was loaded (load it again), or is gone")]
    Changed {
        /// The file's path, safe to show.
        path: String,
    },
    /// The text of a file cannot be read again, for the reason in `why`.
    #[error("the arguments of the events cannot be read again: {why}")]
    Gone {
        /// Why the text cannot be read again, in words.
        why: &'static str,
    },
    /// A file could not be opened again.
    #[error("the file cannot be read again: {0}")]
    Read(#[from] ImportError),
    /// Reading failed in the middle of a file.
    #[error("{path}: the file cannot be read again: {what}")]
    Io {
        /// The file's path, safe to show.
        path: String,
        /// The error, in words.
        what: String,
    },
}

impl Texts {
    /// Reads the events at `origins` again, in the files' order: calls `each` with an event and its index in
    /// `origins`. Returns how many events could not be read.
    ///
    /// # Errors
    /// When a file has changed or cannot be read again; `each` may have been called before.
    pub fn visit(
        &self,
        origins: &[Origin],
        mut each: impl FnMut(usize, &RawEvent<'_, '_>),
    ) -> Result<u64, VisitError> {
        visit(self.as_slice(), origins, &mut each)
    }
}

/// Does what [`Texts::visit`] does, with `texts` by file number.
pub(super) fn visit(
    texts: &[Text],
    origins: &[Origin],
    each: &mut dyn FnMut(usize, &RawEvent<'_, '_>),
) -> Result<u64, VisitError> {
    let mut order: Vec<u32> = (0..saturate::<u32>(origins.len())).collect();
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
    let backing = text.backing();
    let (feed, path) = match backing {
        Backing::Gone(why) => return Err(VisitError::Gone { why }),
        // Their events have no arguments that views ask for.
        Backing::Rows(_) => return Ok(wanted.len() as u64),
        Backing::Kept(bytes) => (Feed::Plain(Box::new(bytes.as_slice())), None),
        Backing::File { path, .. } | Backing::Inflate { path, .. } => {
            if backing.has_changed() {
                return Err(changed(path));
            }
            (source::open_regular(path, &progress)?.feed, Some(path))
        }
    };
    let wanted = Wanted { origins, indices: wanted };
    let mut each = |at: usize, event: &RawEvent<'_, '_>| {
        cancel::check();
        each(at, event);
    };
    let (missing, stop) = std::thread::scope(|scope| {
        // The thread that reads ahead ends, too, where a check unwinds.
        let _ended = CancelOnDrop(&progress);
        visit::pass(scope, &wanted, feed, &progress, |bytes| text.json(bytes), &mut each)
    });
    match (stop, path) {
        (_, Some(path)) if backing.has_changed() => Err(changed(path)),
        (Some(Stop::Failed(error)), Some(path)) => {
            Err(VisitError::Io { path: show(path), what: error.to_string() })
        }
        _ => Ok(missing),
    }
}

/// Cancels reading when it is dropped.
struct CancelOnDrop<'a>(&'a Progress);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::import::bytes::sniff::Format;

    /// A text of many events, and the origin of each.
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
        Text::new(Backing::file(path), Format::Chrome)
    }

    fn kept(text: &[u8]) -> Text {
        Text::new(Backing::Kept(std::sync::Arc::new(text.to_vec())), Format::Chrome)
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
    fn missing_events_are_counted() {
        let text = || kept(b"[{\"args\":{\"n\":1}},{\"args\":{\"n\":2");
        let at = |offset| Origin::new(0, offset);
        assert_eq!(numbers(&[text()], &[at(1), at(18), at(900)]).expect("readable"), (vec![1], 2));
        assert_eq!(numbers(&[text()], &[Origin::new(3, 1)]).expect("readable"), (vec![], 1));
        let gone = numbers(&[Text::new(Backing::Gone("why"), Format::Chrome)], &[at(1)]);
        assert!(matches!(gone, Err(VisitError::Gone { why: "why" })));
    }
}
