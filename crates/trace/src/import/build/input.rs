//! The builder's inputs: the plain structs to which every reader converts the events of its format.
//!
//! They are stored as they are given. The strings, lanes and ids in them are numbers that the reader's own
//! [`EventBuilder`](super::EventBuilder) hands out; the trace's numbers replace them when batches are
//! absorbed. Must not know any format.

use std::cmp::Reverse;

use crate::model::{Category, GroupKind, LaneKind, MaybeBytes, MemoryKind, Origin, SliceFlags, StackId};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::bound::Key;

/// The first correlation number that does not fit 31 bits; slices hold such numbers as substitutes counted
/// from here.
pub(super) const FIRST_WIDE: u64 = 0x8000_0000;

/// The identity of a lane of one file, such as one layer of a thread, a stream of a device, or a memory
/// curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::import) struct LaneKey {
    /// The file's number among those loaded.
    pub file: u16,
    /// The process id as text; on devices a number or title of the device.
    pub pid: StrId,
    /// The thread or stream id as text, or another text that names the lane.
    pub tid: StrId,
    pub group: GroupKind,
    pub kind: LaneKind,
}

/// An event with a duration, stored lane by lane.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Slice {
    pub start: Ns,
    /// Length in ns, at least 0; `start + dur` must not overflow.
    pub dur: Ns,
    pub origin: Origin,
    pub name: StrId,
    /// A number from [`EventBuilder::correlation`](super::EventBuilder::correlation); 0 without one.
    pub correlation: u32,
    /// The group within which an asynchronous slice nests; readers give 0.
    pub async_group: u32,
    pub category: Category,
    pub flags: SliceFlags,
    /// True while `start` counts from the start of Paddle's trace, false when it is a time of the file.
    pub is_relative: bool,
}

impl Slice {
    /// Sort key of slices on a lane, by which enclosing slices come first.
    pub(super) fn order(&self) -> (Ns, Reverse<Ns>, Origin) {
        (self.start, Reverse(self.dur), self.origin)
    }

    /// True when the slice's correlation number has more than 31 bits.
    pub(super) fn is_wide(&self) -> bool {
        u64::from(self.correlation) >= FIRST_WIDE
    }

    /// True when the slice is a step.
    pub(super) fn is_step(&self) -> bool {
        self.category == Category::ProfileStep
    }

    /// The start as a time of the file, ns; `zero` is the start of Paddle's trace.
    pub(super) fn ts(&self, zero: Ns) -> Ns {
        if self.is_relative { zero.saturating_add(self.start) } else { self.start }
    }
}

/// The bytes that a copy moved or a memset wrote.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct CopiedBytes {
    /// The start of the slice's event, ns.
    pub ts: Ns,
    /// The origin of the slice's event.
    pub origin: Origin,
    pub bytes: u64,
}

/// The begin or the end of a slice of a thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct BeginEnd {
    pub ts: Ns,
    pub is_begin: bool,
    pub lane: u32,
    /// The event's name; `None` when it has none.
    pub name: Option<StrId>,
    pub category: Category,
    pub origin: Origin,
    /// True when the event has arguments.
    pub has_args: bool,
}

/// One event of an asynchronous slice, which may start on one thread and end on another.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct AsyncPoint {
    pub ts: Ns,
    pub kind: AsyncKind,
    /// The category, which all events of an asynchronous slice share, as they do `key_name`, `id` and
    /// `scope`.
    pub category: StrId,
    pub key_name: StrId,
    pub id: FlowId,
    pub scope: StrId,
    pub lane: u32,
    pub name: StrId,
    pub origin: Origin,
}

/// The kind of one event of an asynchronous slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum AsyncKind {
    Begin,
    /// A moment; becomes an instant of the trace.
    Instant,
    End,
}

impl AsyncPoint {
    /// Key that all events of one asynchronous slice have in common.
    pub(super) fn group_key(&self) -> (StrId, StrId, FlowId, StrId) {
        (self.category, self.key_name, self.id, self.scope)
    }
}

/// An event with a time and no length.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Instant {
    pub ts: Ns,
    pub lane: u32,
    pub name: StrId,
    pub origin: Origin,
}

/// One value of a counter's series at one time.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct CounterSample {
    pub ts: Ns,
    /// The series' lane, of kind [`LaneKind::Counter`].
    pub lane: u32,
    /// The counter's name, followed by its id if it has one.
    pub name: StrId,
    pub series: StrId,
    pub value: f64,
    /// True for the first of the values that one event states, so that the event counts once.
    pub is_first: bool,
}

/// One end of a flow.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Flow {
    pub ts: Ns,
    pub id: FlowId,
    /// The flow's category, by which, with `name` and `id`, its ends are joined; [`StrId::NONE`] where the id
    /// alone counts.
    pub category: StrId,
    pub name: StrId,
    /// The process id of the slice that this end binds to; `tid` is the id of its thread.
    pub pid: StrId,
    pub tid: StrId,
    pub origin: Origin,
    pub end: FlowEnd,
    /// True to bind to the innermost slice around `ts`, false to bind to the next slice.
    pub encloses: bool,
    /// True when the event at `origin` is itself the slice to bind to.
    pub is_carried: bool,
    pub role: FlowRole,
}

impl Flow {
    /// Key that all ends of one flow have in common. A backward operator runs in the process of its forward
    /// operator, and merged files repeat ids.
    pub(super) fn flow_key(&self) -> (usize, StrId, StrId, StrId, FlowId) {
        let pid = if self.role == FlowRole::ForwardBackward { self.pid } else { StrId::EMPTY };
        (self.origin.file(), pid, self.category, self.name, self.id)
    }
}

/// Which end of a flow an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum FlowEnd {
    Start,
    /// A point in the middle of a flow: one arrow ends here and the next one starts.
    Step,
    Finish,
}

/// The kinds of slices that a flow connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum FlowRole {
    /// From a launch, or an operator, to its device work.
    Launch,
    /// From a call of the runtime to its device work, in Ascend's files.
    RuntimeLaunch,
    /// From where work enters a queue of the host to where it is taken out.
    Queue,
    /// From a forward operator to the operator of its backward pass.
    ForwardBackward,
    /// Any other flow.
    Generic,
}

impl FlowRole {
    /// True for flows to device work.
    pub(in crate::import) fn is_launch(self) -> bool {
        matches!(self, Self::Launch | Self::RuntimeLaunch)
    }
}

/// The id that a file gives a flow or an asynchronous slice, as a number or an interned text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::import) struct FlowId(u64);

impl FlowId {
    /// Bit that is set in the ids of numbers written with `0x`.
    const HEX: u64 = 1 << 62;
    /// Bit that is set when the id is the number of an interned text.
    const TEXT: u64 = 1 << 63;

    /// The id of a number of at most 15 digits, decimal or with `0x`, in canonical form; `None` for any other
    /// text.
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

    /// The id of a text that is interned under `number`.
    pub(super) fn text(number: StrId) -> Self {
        Self(u64::from(number.get()) | Self::TEXT)
    }

    /// The number of the interned text that the id stands for; `None` when the id is a number itself.
    pub(super) fn as_text(self) -> Option<StrId> {
        (self.0 & Self::TEXT != 0).then(|| StrId::new(saturate::<u32>(self.0 ^ Self::TEXT)))
    }

    /// The id after renumbering the interned texts: `of` gives the new number of a text by its old one.
    pub(super) fn renumbered(self, of: impl FnOnce(StrId) -> StrId) -> Self {
        self.as_text().map_or(self, |text| Self::text(of(text)))
    }

    /// As [`FlowId::renumbered`], but `of` may fail: its error is then returned.
    pub(super) fn try_renumbered<E>(self, of: impl FnOnce(StrId) -> Result<StrId, E>) -> Result<Self, E> {
        self.as_text().map_or(Ok(self), |text| of(text).map(Self::text))
    }
}

/// An allocation or a release of memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Allocation {
    pub ts: Ns,
    pub kind: MemoryKind,
    /// Size in bytes; negative for a release.
    pub bytes: i64,
    pub address: u64,
    /// Total of allocated bytes after the event; unknown where the producer does not state it.
    pub allocated: MaybeBytes,
    pub reserved: MaybeBytes,
    pub peak_allocated: MaybeBytes,
    pub peak_reserved: MaybeBytes,
    pub origin: Origin,
    pub lane: u32,
    /// The text shown for the memory's device: Paddle's place, or a name that the reader makes.
    pub place: StrId,
    /// The device's number as text; `None` without one, as for memory of the host.
    pub device: Option<StrId>,
    /// The call stack that the file states, by its number in the trace builder's stacks.
    pub stack: StackId,
}

/// A name or a sort order for a process or a thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct ThreadMeta {
    pub pid: StrId,
    /// The thread or stream, and its one layer (`None` for all layers); `None` for the process itself.
    pub thread: Option<(StrId, Option<LaneKind>)>,
    pub value: MetaValue,
}

/// The value of a [`ThreadMeta`]: a name or a sort order.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) enum MetaValue {
    Name(StrId),
    /// The sort order, smaller numbers first; `None` where it cannot be read.
    SortIndex(Option<i64>),
}

/// Gives each record type `key`, its position in the order in which events are kept, and `is_event`, whether
/// dropping a record counts as leaving out an event.
macro_rules! placed {
    ($($record:ident: $key:expr, $is_event:expr;)+) => {$(
        impl $record {
            #[inline]
            pub(super) fn key(&self) -> Key {
                let key: fn(&Self) -> Key = $key;
                key(self)
            }

            pub(super) fn is_event(&self) -> bool {
                let is_event: fn(&Self) -> bool = $is_event;
                is_event(self)
            }
        }
    )+};
}

placed! {
    BeginEnd: |p| Key::new(p.ts, p.origin), |_| true;
    AsyncPoint: |p| Key::new(p.ts, p.origin), |_| true;
    Instant: |i| Key::new(i.ts, i.origin), |_| true;
    CounterSample: |s| Key::behind(s.ts), |s| s.is_first;
    Flow: |f| Key::new(f.ts, f.origin), |f| !f.is_carried && !f.role.is_launch();
    Allocation: |a| Key::new(a.ts, a.origin), |_| true;
    CopiedBytes: |c| Key::new(c.ts, c.origin), |_| false;
}
