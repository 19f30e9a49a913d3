//! The log: the events of a process in order, each entry written by one system call.
//!
//! An entry is 64 bytes, little endian: kind u32, a u32 whose meaning depends on the kind, time u64, then six
//! numbers u64. Texts are given by their numbers in the list of names. A process that is killed leaves whole
//! entries, and perhaps an incomplete last one.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are parts of words, whose widths the format fixes"
)]

use crate::chunk::{u32_at, u64_at};
use crate::process_key::ProcessKey;

/// Length of an entry of the log, bytes.
pub const ENTRY: usize = 64;

/// Key of the fact that states a process's name, such as the name of a pool's worker.
pub const TITLE: &str = "process";

/// An event in the life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The process has made its folder. This is the first entry of each log.
    Hello {
        /// Id of the parent process.
        ppid: u64,
        /// The key of the process that this process follows, or descends from by a fork, when its folder is
        /// made; `None` in a leader.
        leader: Option<ProcessKey>,
        /// The inode of the process's PID namespace; 0 if not known.
        namespace: u64,
    },
    /// The wall clock was read at the time of the log's entry.
    Clock {
        /// The wall clock's time: ns since 1970.
        wall: u64,
    },
    /// A step ended that the process's own scheduler recorded. Not logged while the process's files are a
    /// ring.
    Step {
        /// The step's number, from 0.
        step: u64,
        /// How long the step took, ns.
        batch: u64,
        /// For how long the step waited for data, ns.
        reader: u64,
        /// How many samples the step processed; 0 if not known.
        samples: u64,
    },
    /// A cycle of the process's own began.
    Begin {
        /// The cycle's number, from 1.
        cycle: u64,
        /// The number of the first step recorded in the cycle, from 0.
        step: u64,
    },
    /// A cycle of the process's own ended.
    End {
        /// The cycle's number, from 1.
        cycle: u64,
        /// Usually the number of the last step that ended in the cycle, from 0.
        step: u64,
        /// False for a cycle that was cut short, such as by the end of the process.
        is_whole: bool,
    },
    /// The process began a cycle for its leader, whose steps it ends.
    BeginFor {
        /// The cycle's number, from 1.
        cycle: u64,
        /// The number of the first step recorded in the cycle, from 0.
        step: u64,
    },
    /// The process ended a cycle for its leader, whose steps it ends.
    EndFor {
        /// The cycle's number, from 1.
        cycle: u64,
        /// The number of the last step recorded in the cycle, from 0.
        step: u64,
        /// False for a cycle that was cut short.
        is_whole: bool,
    },
    /// A thread was given a name.
    Thread {
        /// The thread's id, as the operating system numbers threads.
        tid: u64,
        /// The thread's name, as a number in the list of names.
        name: u32,
    },
    /// A message for the user, or a fact about the process.
    Note {
        /// The kind of note.
        kind: NoteKind,
        /// The note's text, as a number in the list of names.
        text: u32,
    },
    /// The process has closed its recorder, usually because it exits.
    Bye,
    /// A cycle lost ranges that no chunk's header counts.
    Lost {
        /// The cycle's number, from 1.
        cycle: u64,
        /// How many further ranges the cycle lost that no chunk's header counts.
        ranges: u64,
    },
    /// All device records of a cycle are in their files or counted as lost.
    Device(DeviceCounts),
    /// Steps are counted from 0 again, beginning with the current step.
    Restart {
        /// When the current step, which has number 0 from now on, began, ns.
        began: u64,
        /// The number of the cycle that was open at this event, from 1; 0 if none was open or the cycle was
        /// paused.
        cycle: u64,
        /// True if the open cycle ends at this event and no trace of it is to be written.
        is_dropped: bool,
    },
    /// The process makes no further chunk for a cycle.
    Full {
        /// The cycle's number, from 1.
        cycle: u64,
        /// The number of the current step, from 0; usually the leader's in a process that follows a leader.
        step: u64,
        /// The cause, as the number of a text in the list of names.
        why: u32,
    },
    /// A step took longer than the factor of `--slow-step` times the median of the last steps before it.
    Slow {
        /// The step's number, from 0.
        step: u64,
        /// How long the step took, ns.
        batch: u64,
        /// The median length of the last steps before the slow step, ns.
        median: u64,
        /// When the first of the steps that a ring of steps keeps began, counting the slow step, ns; 0 if
        /// there are fewer steps or no such ring.
        since: u64,
    },
}

/// How many device records of a cycle one process wrote, lost and left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounts {
    /// The cycle's number, from 1.
    pub cycle: u64,
    /// How many records were written into the files, including files that a ring has removed since.
    pub kept: u64,
    /// How many records were lost, such as because no chunk could be made for them.
    pub lost: u64,
    /// How many records CUPTI itself dropped, by its own count.
    pub dropped: u64,
    /// How many records that CUPTI delivered are of device work that began before or after the cycle; they
    /// are not written.
    pub outside: u64,
    /// How many records CUPTI delivered of kinds that the recorder does not decode; these are not written.
    pub unknown: u64,
    /// How often CUPTI asked for a buffer for records and got none.
    pub refused: u32,
}

/// The kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum NoteKind {
    /// A fact about the process, `key=value`.
    Fact = 1,
    /// A warning for the user.
    Warning = 2,
    /// An error: what failed, and why. Shown even with `--quiet`.
    Failure = 3,
    /// The reason why no step ended in the process.
    NoStep = 4,
}

/// An entry of the log: an event with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When the event happened, ns of the monotonic clock.
    pub time: u64,
    /// The event that happened.
    pub event: Event,
}

impl Entry {
    /// Encodes the entry as it stands in the log.
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
            Event::Restart { began, cycle, is_dropped } => {
                (11, 0, [began, cycle, u64::from(is_dropped), 0, 0, 0])
            }
            Event::BeginFor { cycle, step } => (12, 0, [cycle, step, 0, 0, 0, 0]),
            Event::EndFor { cycle, step, is_whole } => (13, 0, [cycle, step, u64::from(is_whole), 0, 0, 0]),
            Event::Full { cycle, step, why } => (14, why, [cycle, step, 0, 0, 0, 0]),
            Event::Slow { step, batch, median, since } => (15, 0, [step, batch, median, since, 0, 0]),
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

    /// Decodes an entry; `None` for an unknown kind of event or note.
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
            12 => Event::BeginFor { cycle: number(0), step: number(1) },
            13 => Event::EndFor { cycle: number(0), step: number(1), is_whole: number(2) != 0 },
            11 => Event::Restart { began: number(0), cycle: number(1), is_dropped: number(2) != 0 },
            14 => Event::Full { cycle: number(0), step: number(1), why: own },
            15 => Event::Slow { step: number(0), batch: number(1), median: number(2), since: number(3) },
            _ => return None,
        };
        Some(Self { time: u64_at(bytes, 8), event })
    }
}

impl NoteKind {
    /// The kind of note with this number in the log; `None` for an unknown number.
    pub fn of(number: u64) -> Option<Self> {
        [Self::Fact, Self::Warning, Self::Failure, Self::NoStep]
            .into_iter()
            .find(|kind| *kind as u64 == number)
    }
}

/// Returns a log's complete entries of known kinds, and how many bytes all its complete entries take.
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
            Event::Restart { began: 2, cycle: 1, is_dropped: true },
            Event::BeginFor { cycle: 2, step: 3 },
            Event::EndFor { cycle: 2, step: 3, is_whole: true },
            Event::Full { cycle: 1, step: 2, why: 3 },
            Event::Slow { step: 1, batch: 2, median: 3, since: 4 },
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
        assert_eq!(used, end + ENTRY, "an unknown kind is left out, an incomplete entry waits");
    }
}
