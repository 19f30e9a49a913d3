//! Memory events: what Kineto and Paddle write as instants, and the curves drawn from them.

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::{Ns, parse_scaled};
use crate::import::chrome::dialect;
use crate::import::chrome::event::Event;
use crate::import::chrome::scan::Token;
use crate::model::counter::CounterUnit;
use crate::model::{Counter, GroupKind, LaneKind, MaybeBytes, MemoryKind, Origin};

use super::batch::Track;
use super::clerk::Clerk;
use super::stage::Stage;

/// A memory event before lanes exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct StagedMemory {
    pub ts: Ns,
    pub kind: MemoryKind,
    pub bytes: i64,
    pub address: u64,
    pub allocated: MaybeBytes,
    pub reserved: MaybeBytes,
    pub peak_allocated: MaybeBytes,
    pub peak_reserved: MaybeBytes,
    pub origin: Origin,
    pub track: u32,
    pub place: StrId,
    /// Device number as text, when the place is a device.
    pub device: Option<StrId>,
}

impl Clerk {
    /// The memory event that an instant is, if it is one.
    pub(super) fn memory_event(
        &mut self,
        event: &Event<'_>,
        ts: Ns,
        track: u32,
        origin: Origin,
    ) -> Option<StagedMemory> {
        if event.name?.text != b"[memory]" || !event.has_args {
            return None;
        }
        let integer = |token: Option<Token<'_>>| token?.key().and_then(|text| parse_scaled(text, 0));
        let hits = &event.hits;
        let (kind, number) = (integer(hits.device_type), integer(hits.device_id));
        let place = hits.place.map(|place| place.text);
        let bytes = integer(hits.bytes).unwrap_or_default();
        let mut memory = StagedMemory {
            ts,
            track,
            kind: dialect::memory_kind(event.cat.and_then(|cat| cat.key()).unwrap_or_default(), bytes),
            bytes,
            address: integer(hits.address).unwrap_or_default() as u64,
            place: 0,
            device: None,
            allocated: integer(hits.allocated).into(),
            reserved: integer(hits.reserved).into(),
            peak_allocated: integer(hits.peak_allocated).into(),
            peak_reserved: integer(hits.peak_reserved).into(),
            origin,
        };
        let device = match place {
            Some(place) => dialect::place_device(place),
            None => number.filter(|&n| n >= 0 && kind != Some(0)),
        };
        if let (None, Some(number)) = (place, device)
            && let Some(&(place, device)) = self.device_places.get(&number)
        {
            (memory.place, memory.device) = (place, Some(device));
            return Some(memory);
        }
        let shown = match (place, device) {
            (Some(place), _) => String::from_utf8_lossy(place).into_owned(),
            (None, Some(device)) => format!("device {device}"),
            (None, None) => "CPU".into(),
        };
        memory.place = self.strings.intern(shown.as_bytes());
        memory.device = device.map(|n| self.strings.intern(n.to_string().as_bytes()));
        if let (None, Some(number), Some(device)) = (place, device, memory.device) {
            self.device_places.insert(number, (memory.place, device));
        }
        Some(memory)
    }
}

impl Stage {
    /// A curve of allocated and one of reserved bytes for each place, each with the track it lies on.
    pub(super) fn memory_curves(&mut self) -> Vec<(u32, Counter)> {
        self.memory.sort_by_key(|memory| memory.ts);
        let mut curves: FxHashMap<(u16, StrId, GroupKind, StrId, &str), usize> = FxHashMap::default();
        let mut out: Vec<(u32, Counter)> = Vec::new();
        let mut sums: Vec<i64> = Vec::new();
        let events = std::mem::take(&mut self.memory);
        for memory in &events {
            let owner = self.tracks[memory.track as usize].track;
            let (pid, group) = match memory.device {
                Some(device) => (device, GroupKind::Device),
                None => (owner.pid, GroupKind::Process),
            };
            let totals = [("allocated", memory.allocated.get()), ("reserved", memory.reserved.get())];
            for (series, value) in totals {
                let key = (owner.file, pid, group, memory.place, series);
                let at = *curves.entry(key).or_insert_with(|| {
                    out.push(self.new_curve(
                        Track { file: owner.file, pid, tid: 0, group, kind: LaneKind::Counter },
                        memory.place,
                        series,
                    ));
                    sums.push(0);
                    out.len() - 1
                });
                let value = match value {
                    Some(value) => value,
                    // Old traces give no totals: the sum since the window opened takes their place.
                    None if series == "allocated" => {
                        sums[at] = sums[at].saturating_add(memory.bytes);
                        sums[at]
                    }
                    None => continue,
                };
                out[at].1.ts.push(memory.ts);
                out[at].1.value.push(value as f64);
            }
        }
        self.memory = events;
        // A curve of nothing but zeros says nothing.
        out.retain(|(_, curve)| curve.value.iter().any(|&value| value != 0.0));
        out
    }

    /// An empty curve for a place, and the track that it lies on: `track` with the curve's name.
    fn new_curve(&mut self, track: Track, place: StrId, series: &str) -> (u32, Counter) {
        let title = if series == "allocated" { "memory" } else { series };
        let title = format!("{title} · {}", self.strings.text(place));
        let tid = self.strings.intern(title.as_bytes());
        let name = self.strings.intern(b"memory");
        let series = self.strings.intern(series.as_bytes());
        let counter = Counter::new(name, series, CounterUnit::Bytes);
        (self.track_number(Track { tid, ..track }), counter)
    }
}
