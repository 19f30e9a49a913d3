//! Visiting many events of one text again, in one pass from its start.
//!
//! The text comes in chunks and is discarded up to the current event, so memory is bounded for any file. Must
//! not know the meaning of the events, nor where the text comes from.

use std::borrow::Cow;
use std::thread::Scope;

use crate::import::bytes::chunk::{CHUNK, Chunks, Filler};
use crate::import::bytes::inflate::Stop;
use crate::import::bytes::source::Feed;
use crate::import::progress::Progress;
use crate::model::Origin;

use super::lookahead::LookaheadBuffer;
use super::parallel::SequentialReader;
use super::raw::{Members, RawEvent};
use super::scan::{Fault, Scanner};

/// Number of bytes from an event's start at which an event that is still incomplete is given up.
pub(in crate::import) const LIMIT: usize = 64 << 20;

/// Which events of one text are to be read.
pub(in crate::import) struct Wanted<'a> {
    /// Origins of events of all texts of the trace.
    pub origins: &'a [Origin],
    /// Indices in `origins` of the wanted events of this text, in order of their origins.
    pub indices: &'a [u32],
}

/// Reads `feed` once and calls `each` with every wanted event that can be read, and its index in `origins`.
/// Returns how many could not be read, and why the text ended, if known.
pub(in crate::import) fn pass<'scope, 'p: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    wanted: &Wanted<'_>,
    feed: Feed<'p>,
    progress: &'p Progress,
    to_json: impl Fn(&[u8]) -> Result<Cow<'_, [u8]>, Fault>,
    each: &mut dyn FnMut(usize, &RawEvent<'_, '_>),
) -> (u64, Option<Stop>) {
    // Inflating takes longer than reading events, and reading a file nearly as long, so both run ahead.
    let chunks = Chunks::ahead(scope, Filler::new(feed, CHUNK, progress));
    let mut lookahead = LookaheadBuffer::new(SequentialReader::new(chunks), 0);
    let mut missing = 0;
    let mut members = Members::default();
    for &at in wanted.indices {
        if !move_to(&mut lookahead, wanted.origins[at as usize].offset()) {
            missing += 1;
            continue;
        }
        loop {
            let json = to_json(lookahead.rest());
            let mut found = members.recycle();
            let read = json.as_ref().map_err(|fault| *fault).and_then(|json| {
                let is_whole = lookahead.is_last() || matches!(json, Cow::Owned(_));
                found.read(&mut Scanner::new(json, is_whole))
            });
            if read.is_ok() {
                each(at as usize, &found.event());
            }
            members = found.recycle();
            let is_short = read == Err(Fault::End) && lookahead.rest().len() < LIMIT;
            if is_short && !lookahead.is_last() {
                // At the end of the text `more` returns false, and the event is read once more: a number may
                // end with the bytes.
                lookahead.more();
                continue;
            }
            missing += u64::from(read.is_err());
            break;
        }
    }
    let stop = lookahead.take_stop();
    (missing, stop)
}

/// Moves forward to byte `offset` of the text; false when the text lacks that byte or the buffer is past it.
fn move_to(lookahead: &mut LookaheadBuffer<SequentialReader<'_>>, offset: u64) -> bool {
    loop {
        let Some(ahead) = offset.checked_sub(lookahead.offset()) else { return false };
        let there = lookahead.rest().len();
        lookahead.advance(there.min(usize::try_from(ahead).unwrap_or(usize::MAX)));
        if ahead < there as u64 {
            return true;
        }
        if !lookahead.more() {
            return false;
        }
    }
}
