//! The log: what happened to a process, entry after entry, each written whole by one call.
//!
//! An entry is 64 bytes, little endian: kind u32, a u32 of its own, the time u64, then six numbers u64. What follows a text has
//! the text's number in the list of names. A process that is killed leaves whole entries, and perhaps a torn last one.

use crate::chunk::{u32_at, u64_at};
use crate::process_key::ProcessKey;

/// Bytes of an entry.
pub const ENTRY: usize = 64;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The process is there.
    Hello {
        /// Parent.
        ppid: u64,
        /// The process whose cycles it follows; none when it has its own.
        leader: Option<ProcessKey>,
        /// The process numbers that its own is one of: containers have others. 0 when not known.
        namespace: u64,
    },
    /// The wall clock's time at the entry's own, ns since 1970.
    Clock {
        /// ns.
        wall: u64,
    },
    /// A step ended.
    Step {
        /// Its number.
        step: u64,
        /// How long it took, ns.
        batch: u64,
        /// How long of that data was waited for, ns.
        reader: u64,
        /// Samples; 0 when not known.
        samples: u64,
    },
    /// A cycle began.
    Begin {
        /// Its number, from 1.
        cycle: u64,
        /// The first step recorded.
        step: u64,
    },
    /// A cycle ended.
    End {
        /// Its number.
        cycle: u64,
        /// The last step recorded.
        step: u64,
        /// False for one that was cut short.
        is_whole: bool,
    },
    /// A thread has a name.
    Thread {
        /// Thread.
        tid: u64,
        /// The name's number.
        name: u32,
    },
    /// Something to be told: a text's number.
    Note {
        /// What kind of note.
        kind: NoteKind,
        /// The text's number.
        text: u32,
    },
    /// The process ends in order.
    Bye,
    /// Ranges that a cycle lost where there was no chunk to count them. What [`crate::live::Word::Lost`] has beyond the sum of
    /// these, the process's last cycle lost.
    Lost {
        /// Its number.
        cycle: u64,
        /// How many.
        ranges: u64,
    },
    /// What became of a cycle's records of devices: all that there will be are in their files. Before the cycle's end where
    /// steps end it; where time does, after.
    Device(DeviceCounts),
}

/// A cycle's records of devices, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Its number.
    pub cycle: u64,
    /// Records that are in the files.
    pub kept: u64,
    /// Records that there was no room for in the files.
    pub lost: u64,
    /// Records that CUPTI dropped, as far as it tells.
    pub dropped: u64,
    /// Work that came with the cycle's, but began before or after it.
    pub outside: u64,
    /// Records of kinds that were not asked for, or are not known.
    pub unknown: u64,
    /// Times that CUPTI was refused memory for records.
    pub refused: u32,
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum NoteKind {
    /// A fact about the process, `key=value`.
    Fact = 1,
    /// Something odd that the person should know.
    Warning = 2,
    /// Something that cannot be captured, and why.
    Failure = 3,
    /// Why no step was seen in the process: worth knowing where no other one saw any.
    NoStep = 4,
}

/// An event and when it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// ns.
    pub time: u64,
    /// What happened.
    pub event: Event,
}

impl Entry {
    /// Its bytes.
    pub fn bytes(&self) -> [u8; ENTRY] {
        let (kind, own, numbers): (u32, u32, [u64; 6]) = match self.event {
            Event::Hello { ppid, leader, namespace } => {
                // No process has the number 0.
                let ProcessKey { pid, start, programs } =
                    leader.unwrap_or(ProcessKey { pid: 0, start: 0, programs: 0 });
                (1, 0, [ppid, pid.into(), start, programs.into(), namespace, 0])
            }
            Event::Clock { wall } => (2, 0, [wall, 0, 0, 0, 0, 0]),
            Event::Step { step, batch, reader, samples } => (3, 0, [step, batch, reader, samples, 0, 0]),
            Event::Begin { cycle, step } => (4, 0, [cycle, step, 0, 0, 0, 0]),
            Event::End { cycle, step, is_whole } => (5, 0, [cycle, step, u64::from(is_whole), 0, 0, 0]),
            Event::Thread { tid, name } => (6, name, [tid, 0, 0, 0, 0, 0]),
            Event::Note { kind, text } => (7, text, [kind as u64, 0, 0, 0, 0, 0]),
            Event::Bye => (8, 0, [0; 6]),
            Event::Lost { cycle, ranges } => (9, 0, [cycle, ranges, 0, 0, 0, 0]),
            Event::Device(DeviceCounts { cycle, kept, lost, dropped, outside, unknown, refused }) => {
                (10, refused, [cycle, kept, lost, dropped, outside, unknown])
            }
        };
        let mut bytes = [0; ENTRY];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&own.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.time.to_le_bytes());
        for (number, slot) in numbers.iter().zip(bytes[16..].chunks_exact_mut(8)) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads one; none for bytes of a kind that is not known here.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (own, number) = (u32_at(bytes, 4), |at: usize| u64_at(bytes, 16 + 8 * at));
        let event = match u32_at(bytes, 0) {
            1 => {
                let leader =
                    ProcessKey { pid: number(1) as u32, start: number(2), programs: number(3) as u32 };
                let leader = (leader.pid != 0).then_some(leader);
                Event::Hello { ppid: number(0), leader, namespace: number(4) }
            }
            2 => Event::Clock { wall: number(0) },
            3 => Event::Step { step: number(0), batch: number(1), reader: number(2), samples: number(3) },
            4 => Event::Begin { cycle: number(0), step: number(1) },
            5 => Event::End { cycle: number(0), step: number(1), is_whole: number(2) != 0 },
            6 => Event::Thread { tid: number(0), name: own },
            7 => Event::Note { kind: NoteKind::of(number(0))?, text: own },
            8 => Event::Bye,
            9 => Event::Lost { cycle: number(0), ranges: number(1) },
            10 => Event::Device(DeviceCounts {
                cycle: number(0),
                kept: number(1),
                lost: number(2),
                dropped: number(3),
                outside: number(4),
                unknown: number(5),
                refused: own,
            }),
            _ => return None,
        };
        Some(Self { time: u64_at(bytes, 8), event })
    }
}

impl NoteKind {
    /// The one of this number.
    pub fn of(number: u64) -> Option<Self> {
        [Self::Fact, Self::Warning, Self::Failure, Self::NoStep]
            .into_iter()
            .find(|kind| *kind as u64 == number)
    }
}

/// The whole entries at the beginning of `bytes`, and how many bytes they take. Kinds that are not known are passed over.
pub fn entries(bytes: &[u8]) -> (Vec<Entry>, usize) {
    let whole = bytes.chunks_exact(ENTRY);
    (whole.filter_map(Entry::read).collect(), bytes.len() / ENTRY * ENTRY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read_back() {
        let events = [
            Event::Hello { ppid: 1, leader: None, namespace: 3 },
            Event::Hello {
                ppid: 1,
                leader: Some(ProcessKey { pid: 2, start: 4, programs: 1 }),
                namespace: 0,
            },
            Event::Clock { wall: u64::MAX },
            Event::Step { step: 3, batch: 4, reader: 5, samples: 6 },
            Event::Begin { cycle: 1, step: 2 },
            Event::End { cycle: 1, step: 5, is_whole: true },
            Event::Thread { tid: 9, name: 10 },
            Event::Note { kind: NoteKind::Failure, text: 3 },
            Event::Bye,
            Event::Lost { cycle: 1, ranges: 7 },
            Event::Device(DeviceCounts {
                cycle: 1,
                kept: 2,
                lost: 3,
                dropped: 4,
                outside: 5,
                unknown: 6,
                refused: 7,
            }),
        ];
        let mut bytes = Vec::new();
        for event in events {
            bytes.extend(Entry { time: 42, event }.bytes());
        }
        let end = bytes.len();
        bytes.extend([0xff; ENTRY + 3]);
        let (read, used) = entries(&bytes);
        assert_eq!(read.iter().map(|entry| entry.event).collect::<Vec<_>>(), events);
        assert!(read.iter().all(|entry| entry.time == 42));
        assert_eq!(used, end + ENTRY, "a kind that is not known is passed over, a torn entry waits");
    }
}
