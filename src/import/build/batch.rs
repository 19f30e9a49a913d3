//! What a clerk made of one stretch of text: records whose numbers mean something in that clerk's tables only.
//!
//! Plain data, handed from the thread that parsed to the one that gathers. Must not know how either works.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, GroupKind, LaneKind, Origin, Quality, SliceFlags};

use super::memory::StagedMemory;
use super::pair::{AsyncPoint, BeginEnd};

/// A slice before it has a place; its track is known from where it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staged {
    pub start: Ns,
    pub dur: Ns,
    pub origin: Origin,
    pub name: StrId,
    /// The correlation number, 0 without one; on an asynchronous track the family: slices of one family nest in each other.
    pub tie: u32,
    pub category: Category,
    pub flags: SliceFlags,
    /// True while `start` counts from the start of Paddle's trace (see `clock`).
    pub is_relative: bool,
}

/// Where events of one file pile up before lanes exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Track {
    pub file: u16,
    pub pid: StrId,
    pub tid: StrId,
    pub group: GroupKind,
    pub kind: LaneKind,
}

impl Staged {
    /// The order of slices on a lane: what encloses comes first; of two equal slices the first in the file is around the
    /// other.
    pub(super) fn order(&self) -> (Ns, Reverse<Ns>, Origin) {
        (self.start, Reverse(self.dur), self.origin)
    }

    /// When it starts, `zero` being the start of Paddle's trace.
    pub(super) fn ts(&self, zero: Ns) -> Ns {
        if self.is_relative { zero.saturating_add(self.start) } else { self.start }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StagedInstant {
    pub ts: Ns,
    pub track: u32,
    pub name: StrId,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub ts: Ns,
    pub track: u32,
    pub name: StrId,
    pub series: StrId,
    pub value: f64,
}

/// What joins the ends of a flow or of an asynchronous slice: a number, or a text interned among ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FlowId(u64);

impl FlowId {
    const HEX: u64 = 1 << 62;
    const TEXT: u64 = 1 << 63;

    /// An id that is a plain decimal number, or `0x` and lower-case digits: nearly all are, and each occurs only a few times,
    /// so a table of them would be as long as the file.
    pub(super) fn number(text: &[u8]) -> Option<Self> {
        let (digits, radix, mark) = match text.strip_prefix(b"0x") {
            Some(digits) => (digits, 16, Self::HEX),
            None => (text, 10, 0),
        };
        let is_canonical = matches!(digits, [b'0'] | [b'1'..=b'9' | b'a'..=b'f', ..]) && digits.len() <= 15;
        let is_plain = digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = || u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok();
        if is_canonical && is_plain { number().map(|number| Self(number | mark)) } else { None }
    }

    /// A text's number among interned ids.
    pub(super) fn text(number: u32) -> Self {
        Self(u64::from(number) | Self::TEXT)
    }

    /// The same id in tables that number texts by `of`.
    pub(super) fn renumbered(self, of: &[u32]) -> Self {
        if self.0 & Self::TEXT == 0 { self } else { Self::text(of[(self.0 ^ Self::TEXT) as usize]) }
    }
}

/// One end of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowPoint {
    pub ts: Ns,
    pub id: FlowId,
    /// Flows of one file, category, name and id belong together; those that a slice carries itself have [`StrId::MAX`] for
    /// both strings.
    pub cat: StrId,
    pub name: StrId,
    pub pid: StrId,
    pub tid: StrId,
    pub file: u16,
    /// `s`, `t` or `f`.
    pub phase: u8,
    /// An `f` that binds to the slice around it instead of the next one.
    pub encloses: bool,
    pub kind: PointKind,
    /// The slice that carries this end itself, or [`Origin::NONE`].
    pub carrier: Origin,
}

impl FlowPoint {
    /// The same for all ends of one flow.
    pub(super) fn key(&self) -> (u16, StrId, StrId, FlowId) {
        (self.file, self.cat, self.name, self.id)
    }
}

/// What a flow's category says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointKind {
    Launch,
    ForwardBackward,
    Generic,
}

/// A metadata event: a name or an order for a process, or for a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameTag {
    pub pid: StrId,
    /// The thread and the layer of it that its id names; none for a process.
    pub thread: Option<(StrId, Option<LaneKind>)>,
    pub what: TagValue,
}

/// What a metadata event gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum TagValue {
    Name(StrId),
    Sort(Option<i64>),
}

/// What Paddle's events say about the start of its trace (see `clock`), ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockBounds {
    /// By the first event.
    pub first: Ns,
    /// The latest lower and the earliest upper bound.
    pub low: Ns,
    pub high: Ns,
    /// True when some time has digits below a microsecond: it was not floored.
    pub is_fine: bool,
}

/// The slices of one track within a batch: they end at `end`, in order of (start, longer first).
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub track: u32,
    pub end: usize,
    pub has_steps: bool,
}

/// How often each phase letter occurred.
#[derive(Clone, Debug)]
pub(super) struct PhaseCounts(pub [u64; 256]);

impl Default for PhaseCounts {
    fn default() -> Self {
        Self([0; 256])
    }
}

/// Strings one after the other, in the order of a table that they continue.
#[derive(Debug, Default)]
pub(super) struct Strings {
    pub bytes: Vec<u8>,
    /// Where each ends in `bytes`.
    pub ends: Vec<usize>,
}

impl Strings {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.bytes[from..to])
    }
}

/// The records, and what the clerk's tables gained since its last batch.
#[derive(Debug, Default)]
pub(in crate::import) struct Batch {
    /// The clerk's number.
    pub(super) clerk: usize,
    /// Its place among all of the clerk's batches, from 0.
    pub(super) number: u64,
    /// True for the first one since the tables began anew: it needs nothing of those before it.
    pub(super) is_first: bool,
    pub(super) strings: Strings,
    pub(super) ids: Strings,
    pub(super) tracks: Vec<Track>,
    /// Correlation numbers beyond 31 bits.
    pub(super) wide: Vec<u64>,

    pub(super) slices: Vec<Staged>,
    pub(super) runs: Vec<Run>,
    pub(super) begin_ends: Vec<BeginEnd>,
    pub(super) async_points: Vec<AsyncPoint>,
    pub(super) instants: Vec<StagedInstant>,
    pub(super) samples: Vec<Sample>,
    pub(super) memory: Vec<StagedMemory>,
    pub(super) flows: Vec<FlowPoint>,
    pub(super) tags: Vec<NameTag>,

    pub(super) quality: Quality,
    pub(super) phases: PhaseCounts,
    /// First and last instant, ns; none when nothing has a time.
    pub(super) reach: Option<(Ns, Ns)>,
    /// True when some time has digits below a microsecond.
    pub(super) is_fine: bool,
    /// True when device work carries correlation numbers: launches are then joined by them alone.
    pub(super) has_correlations: bool,
    pub(super) clock: Option<ClockBounds>,
    /// Events that were not let in.
    pub(super) outside: u64,
}

impl Batch {
    /// An empty batch with the room that this one had. Memory that is let go and taken again for every chunk costs more than
    /// filling it.
    pub(super) fn emptied(mut self) -> Self {
        fn empty<T>(room: &mut Vec<T>) -> Vec<T> {
            room.clear();
            std::mem::take(room)
        }
        Self {
            slices: empty(&mut self.slices),
            runs: empty(&mut self.runs),
            begin_ends: empty(&mut self.begin_ends),
            async_points: empty(&mut self.async_points),
            instants: empty(&mut self.instants),
            samples: empty(&mut self.samples),
            memory: empty(&mut self.memory),
            flows: empty(&mut self.flows),
            ..Self::default()
        }
    }
}

/// Emptied batches, for whoever fills one next.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Spares(Arc<Mutex<Vec<Batch>>>);

impl Spares {
    pub(super) fn put(&self, batch: Batch) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(batch.emptied());
    }

    pub(super) fn take(&self) -> Batch {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}
