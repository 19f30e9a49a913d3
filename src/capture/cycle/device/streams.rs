//! Maps the devices, contexts and streams of each process to devices and streams of the recording.
//!
//! Devices with the same UUID are one device. If two processes use one number for different devices, the
//! later device is renumbered. A stream becomes a lane of its device.

use std::collections::{BTreeMap, HashMap, HashSet};

use proftui_base::saturate::saturate;
use proftui_wire::device::record;

use proftui_trace::export::recording::device::{Device, Stream};

/// Identity of a stream: index of its process, device id, context id, stream id.
type Key = (usize, u32, u32, u32);

/// The streams and devices of a cycle's processes, with their descriptions and names.
#[derive(Debug, Default)]
pub struct StreamTable {
    /// Index of each stream in `order`.
    streams: HashMap<Key, u32>,
    /// All streams, in the order in which they were first seen.
    order: Vec<Key>,
    /// Descriptions of devices, by the index of the process and the device's id in it.
    devices: BTreeMap<(usize, u32), record::Device>,
    /// Descriptions of streams, by the index of the process, context id and stream id.
    facts: HashMap<(usize, u32, u32), record::Stream>,
    /// Names of contexts and streams, by the index of the process, context id, and stream id (`None` for the
    /// context itself): numbers in the process's list of names.
    names: HashMap<(usize, u32, Option<u32>), u32>,
}

/// Devices and streams as numbered in the recording.
#[derive(Debug, Default)]
pub struct Numbered {
    /// The devices that processes described, sorted by their number.
    pub devices: Vec<Device>,
    /// All streams, by the index that [`StreamTable::stream`] returned.
    pub streams: Vec<Stream>,
    /// Numbers of described devices in the recording, by the process's index and the device's id in that
    /// process.
    pub numbers: HashMap<(usize, u32), u32>,
}

impl Numbered {
    /// A device's number in the recording, by its id in the process with index `of`; the id itself if the
    /// number is unknown.
    pub fn device(&self, of: usize, id: u32) -> u32 {
        self.numbers.get(&(of, id)).copied().unwrap_or(id)
    }

    /// The description of a stream's device, found by the device's number; `None` if there is none.
    pub fn device_of(&self, stream: u32) -> Option<&Device> {
        let number = self.streams.get(stream as usize)?.device;
        self.devices.iter().find(|device| device.id == number)
    }
}

impl StreamTable {
    /// Index, in the recording's list of streams, of a stream of the process with index `of`; adds the stream
    /// when it is first seen.
    pub fn stream(&mut self, of: usize, device: u32, context: u32, id: u32) -> u32 {
        let key = (of, device, context, id);
        let next = saturate::<u32>(self.order.len());
        let number = *self.streams.entry(key).or_insert(next);
        if number == next {
            self.order.push(key);
        }
        number
    }

    /// Number of streams, of all processes.
    pub fn streams(&self) -> u32 {
        saturate::<u32>(self.order.len())
    }

    /// Index of the process that the stream with this index belongs to; 0 for an unknown stream.
    pub fn owner(&self, stream: u32) -> usize {
        self.order.get(stream as usize).map_or(0, |key| key.0)
    }

    /// Stores the description of a device of the process with index `of`, for [`StreamTable::number`].
    pub fn learn_device(&mut self, of: usize, device: record::Device) {
        self.devices.insert((of, device.id), device);
    }

    /// Lowest id among the devices that the process with index `of` described; `None` if it described none.
    pub fn first_device(&self, of: usize) -> Option<u32> {
        self.devices.range((of, 0)..=(of, u32::MAX)).next().map(|(&(_, id), _)| id)
    }

    /// Stores the description of a stream of the process with index `of`, for [`StreamTable::number`].
    pub fn learn_stream(&mut self, of: usize, stream: record::Stream) {
        self.facts.insert((of, stream.context, stream.id), stream);
    }

    /// Stores the name of a context or a stream of the process with index `of`; ignores names of other
    /// objects.
    pub fn learn_name(&mut self, of: usize, name: &record::Name) {
        match name.object {
            4 => drop(self.names.insert((of, name.thread_or_context, None), name.name)),
            5 => drop(self.names.insert((of, name.thread_or_context, Some(name.stream)), name.name)),
            _ => {}
        }
    }

    /// Numbers the devices and streams for the recording. `text(process, n)` returns name n of the process
    /// with that index, `pid(process)` its process id.
    pub fn number(&self, text: impl Fn(usize, u32) -> String, pid: impl Fn(usize) -> u32) -> Numbered {
        let mut numbered = Numbered::default();
        let mut taken: HashMap<u32, [u32; 4]> = HashMap::new();
        for (&(of, id), device) in &self.devices {
            let has_uuid = device.uuid != [0; 4];
            let same = taken.iter().find(|known| has_uuid && *known.1 == device.uuid).map(|known| *known.0);
            let free = || (id..=u32::MAX).find(|number| !taken.contains_key(number)).unwrap_or(id);
            let number = same.unwrap_or_else(free);
            if same.is_none() {
                taken.insert(number, device.uuid);
                numbered.devices.push(described(device, number, text(of, device.name)));
            }
            numbered.numbers.insert((of, id), number);
        }
        numbered.devices.sort_by_key(|device| device.id);
        let mut lanes: HashSet<(u32, u32)> = HashSet::new();
        for &(of, device, context, id) in &self.order {
            let device = numbered.device(of, device);
            // Greater than any stream's own id.
            let others = (1..=u32::MAX).map(|n| id.wrapping_add(n.wrapping_mul(1_000_000)));
            let lane = std::iter::once(id).chain(others).find(|&lane| lanes.insert((device, lane)));
            let facts = self.facts.get(&(of, context, id));
            let name = |part| self.names.get(&(of, context, part)).map(|&name| text(of, name));
            let name = name(Some(id)).or_else(|| name(None)).unwrap_or_default();
            numbered.streams.push(Stream {
                device,
                lane: lane.unwrap_or(id),
                id,
                context,
                pid: pid(of),
                priority: facts.map(|stream| stream.priority.cast_signed()),
                name,
            });
        }
        numbered
    }
}

/// Converts the description of a device to the recording's form, with the number `id` and the product name
/// `name`.
fn described(device: &record::Device, id: u32, name: String) -> Device {
    Device {
        id,
        name,
        processors: device.processors,
        capability: (device.major, device.minor),
        warp: device.warp,
        warps: device.warps,
        blocks: device.blocks,
        registers: device.registers,
        shared: device.shared,
        block_threads: device.block_threads,
        block_registers: device.block_registers,
        block_shared: device.block_shared,
        memory: device.memory,
        bandwidth: device.bandwidth,
        uuid: uuid(device),
    }
}

/// A device's UUID as `nvidia-smi` writes it (`GPU-…`, `MIG-…`); empty if unknown.
fn uuid(device: &record::Device) -> String {
    if device.uuid == [0; 4] {
        return String::new();
    }
    let mut text = String::from(if device.is_mig == 0 { "GPU" } else { "MIG" });
    for (at, byte) in device.uuid.iter().flat_map(|word| word.to_le_bytes()).enumerate() {
        if matches!(at, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(id: u32, uuid: u32) -> record::Device {
        record::Device { id, uuid: [uuid, 0, 0, 1], name: 1, ..record::Device::default() }
    }

    #[test]
    fn a_device_is_one_by_its_uuid_and_a_stream_by_its_process_and_context() {
        let mut table = StreamTable::default();
        table.learn_device(0, device(0, 7));
        table.learn_device(1, device(0, 8));
        table.learn_device(1, device(1, 7));
        let all = [(0, 0, 1, 7), (0, 0, 2, 7), (1, 1, 1, 7), (1, 0, 1, 7), (2, 0, 1, 9)];
        for (number, (of, device, context, id)) in (0..).zip(all) {
            assert_eq!(table.stream(of, device, context, id), number);
            assert_eq!(table.stream(of, device, context, id), number, "each stream once");
        }
        let high =
            record::Stream { id: 7, context: 1, priority: (-5_i32).cast_unsigned(), ..Default::default() };
        table.learn_stream(0, high);
        table.learn_name(
            0,
            &record::Name { name: 3, object: 5, thread_or_context: 2, stream: 7, ..Default::default() },
        );
        let numbered = table.number(|_, name| format!("name {name}"), |of| of as u32 + 40);
        let devices: Vec<u32> = numbered.devices.iter().map(|device| device.id).collect();
        assert_eq!(devices, [0, 1], "process 1 has the first one's as its second");
        assert_eq!(numbered.devices[0].uuid, "GPU-07000000-0000-0000-0000-000001000000");
        let lanes: Vec<(u32, u32)> = numbered.streams.iter().map(|s| (s.device, s.lane)).collect();
        assert_eq!(lanes, [(0, 7), (0, 1_000_007), (0, 2_000_007), (1, 7), (0, 9)]);
        let titles: Vec<String> = numbered.streams.iter().map(Stream::title).collect();
        assert_eq!(titles[0], "stream 7, priority -5");
        assert_eq!(titles[1], "stream 1000007, 7 of context 2 of process 40, name 3");
    }
}
