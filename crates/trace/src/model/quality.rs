//! Counts of lost, repaired and odd data in the files, per warning, with the first example of each.
//!
//! No event may be dropped without being counted here. Must not know formats.

use std::collections::BTreeMap;

use proftui_base::fmt;
use proftui_base::text::SafeText;

macro_rules! warnings {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $damage:literal, $title:literal;)+) => {
        /// A kind of damage or oddity in the files, or of data that was not recorded or not loaded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Warning { $($(#[$doc])* $name),+ }

        impl Warning {
            /// All warnings, in the order in which the enum declares them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The warning's code, such as `W_SYNTAX`.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code),+ }
            }

            /// True if the warning counts as damage to the trace, false if it is a note.
            pub fn is_damage(self) -> bool {
                match self { $(Self::$name => $damage),+ }
            }

            /// The warning's title for people, such as `invalid JSON`.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }
        }
    };
}

warnings! {
    /// The end of a file is missing or unreadable, for example because the file is cut off.
    Truncated = "W_TRUNCATED", true, "the end of a file is missing or unreadable";
    /// Part of the text is not valid JSON, or not as a trace in JSON should be.
    Syntax = "W_SYNTAX", true, "invalid JSON";
    /// Part of the document outside the events is damaged; reading goes on behind the damage.
    Header = "W_HEADER", true, "the header is damaged";
    /// Part of the data is not valid protobuf, or not as Paddle's format requires.
    Protobuf = "W_PROTOBUF", true, "invalid protobuf";
    /// Unescaped control characters inside strings.
    Control = "W_CONTROL", true, "data with unescaped control characters in strings";
    /// Bytes in JSON strings that are not UTF-8, or escapes of lone surrogates.
    Utf8 = "W_UTF8", true, "text that is not valid Unicode";
    /// `NaN` or infinity as a number.
    NonFinite = "W_NONFINITE", true, "events with numbers that are NaN or infinite";
    /// Arguments of events whose values are no JSON, such as `N/A` or `0x10`; the values are lost, the events
    /// are read.
    Value = "W_VALUE", true, "events with arguments whose values are not JSON";
    /// Events that need a timestamp but have no valid one; they are dropped.
    BadTs = "W_BAD_TS", true, "events without a valid timestamp";
    /// Slices without a valid duration, which get a replacement such as 0.
    BadDur = "W_BAD_DUR", true, "slices without a valid duration";
    /// Data beyond a limit of the reader, such as a very long event, that was cut or left out.
    Limit = "W_LIMIT", true, "data beyond a limit, cut or left out";
    /// The compressed data is invalid, or the inflated text does not match its checksum.
    Checksum = "W_CHECKSUM", true, "compressed data found damaged, not read further";
    /// Events without a known type (`ph`); they are dropped.
    UnknownEventType = "W_UNKNOWN_PH", false, "events without a known type (ph)";
    /// Events of the operating system (`systemTraceEvents`), which are not read.
    Unread = "W_UNREAD", false, "events of the operating system, not read";
    /// Slices of one lane that overlap without nesting; both are kept whole.
    Overlap = "W_OVERLAP", false, "slices overlap without nesting";
    /// Begin events without an end event, end events without a begin event, or pairs of different names.
    Unmatched = "W_UNMATCHED", false, "begin and end events that do not match";
    /// Flow events that lack their counterpart or a slice.
    Flow = "W_FLOW", false, "faults of flow events: unpaired, or without a slice";
    /// Kernels, copies and memsets that cannot be as they are recorded, such as one that outlasts many later
    /// ones of its stream. They are left out of sums of device work.
    Impossible = "W_IMPOSSIBLE", true, "device work that cannot be as it is recorded, not counted";
    /// Device work that begins before its launch: the clocks of host and device differ.
    Early = "W_EARLY", true, "device work that begins before its launch";
    /// Device work that its stream ran out of the order of the launches: times or numbers are wrong.
    Order = "W_ORDER", true, "device work that its stream ran out of the order of the launches";
    /// Device work that launches of several processes may have launched: files merged from several processes
    /// repeat correlation numbers.
    Link = "W_LINK", true, "device work whose launch is uncertain: several processes have its number";
    /// No event of any file has a time, or no event of a protobuf file was read.
    Empty = "W_EMPTY", false, "no event has a timestamp";
    /// Few slices far from all others in time.
    Outlier = "W_OUTLIER", false, "slices far from most others in time";
    /// Counter events with missing or invalid values.
    Counter = "W_COUNTER", false, "counter events with missing or invalid values";
    /// JSON values (lists, objects) nested more than 200 levels deep; they are read all the same.
    Depth = "W_DEPTH", false, "JSON values nested more than 200 levels deep";
    /// Several JSON documents, one after the other in one file.
    Concat = "W_CONCAT", false, "several JSON documents in one file";
    /// Unread data at the end of a file.
    Trailing = "W_TRAILING", false, "unread data at the end of the file";
    /// Events left out because of the time range asked for or the memory limit.
    PartialLoad = "W_PART", false, "events outside the loaded part";
    /// A recording of proftui was cut short, for example because the program was killed during a cycle.
    Incomplete = "W_INCOMPLETE", true, "the recording is incomplete";
    /// A process was not wholly recorded from some step on, for example for want of room.
    Stopped = "W_STOPPED", true, "a process was not wholly recorded from some step on";
    /// Events that were lost while recording, for example because a buffer was full.
    Lost = "W_LOST", true, "events lost while recording";
    /// GPU work may be missing from a recording of proftui.
    NoGpu = "W_NO_GPU", false, "GPU work may be missing from the recording";
    /// Files that could not be loaded, or folders that were not searched.
    FileSkipped = "W_FILE_SKIPPED", true, "files or folders that were skipped";
    /// A file of a directory was left out, since by its name it repeats another.
    FileCopy = "W_FILE_COPY", false, "files left out that, by their names, repeat others";
    /// Events that two recordings of the same process have; one copy was left out.
    Repeated = "W_REPEATED", false, "events left out because another recording of the process has them";
    /// Names of work inside graphs could not be read.
    Capture = "W_CAPTURE", false, "files not used for names of work inside graphs";
}

impl Warning {
    /// True for warnings that count as missing data, such as [`Warning::Lost`]. Events that could not be read
    /// are counted in [`Quality::unread`].
    pub fn is_missing_data(self) -> bool {
        use Warning as W;
        matches!(
            self,
            W::Truncated
                | W::Protobuf
                | W::Checksum
                | W::Incomplete
                | W::Stopped
                | W::Lost
                | W::NoGpu
                | W::FileSkipped
        )
    }
}

/// The count and the first example of one kind of warning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// How often the warning occurred.
    pub count: u64,
    /// The first example, safe to show; may be empty.
    pub first: String,
    /// The byte offset of the first example in its file's text; `None` where there is none.
    pub offset: Option<u64>,
}

/// Counts of the warnings of a trace, and of its dropped events.
#[derive(Clone, Debug, Default)]
pub struct Quality {
    entries: BTreeMap<Warning, Entry>,
    /// How many events are missing from the trace because they were unusable, for example without a valid
    /// time.
    pub dropped: u64,
    /// How many of the dropped events count as unread: all but ends without a begin and events of an unknown
    /// type.
    pub unread: u64,
}

/// The greatest width of an example, in columns of the terminal; a longer one is cut.
const EXAMPLE: usize = 240;

impl Quality {
    /// Counts `warning` once. The first time, `offset` and the text that `example` makes are kept.
    pub fn note(&mut self, warning: Warning, offset: Option<u64>, example: impl FnOnce() -> String) {
        self.note_many(warning, 1, offset, example);
    }

    /// Counts `warning` `n` times. The first time, `offset` and the text that `example` makes are kept.
    pub(crate) fn note_many(
        &mut self,
        warning: Warning,
        n: u64,
        offset: Option<u64>,
        example: impl FnOnce() -> String,
    ) {
        if n == 0 {
            return;
        }
        let entry = self.entries.entry(warning).or_default();
        if entry.count == 0 {
            entry.first = SafeText::new(&example()).elide_end(EXAMPLE).to_string();
            entry.offset = offset;
        }
        entry.count += n;
    }

    /// Adds the counts of `other`, and its examples for warnings that had not occurred here.
    pub fn merge(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.unread += other.unread;
        for (warning, entry) in other.entries {
            self.note_many(warning, entry.count, entry.offset, || entry.first);
        }
    }

    /// All warnings that occurred, in the order of [`Warning::ALL`].
    pub fn entries(&self) -> impl Iterator<Item = (Warning, &Entry)> {
        self.entries.iter().map(|(&warning, entry)| (warning, entry))
    }

    /// How often `warning` occurred.
    pub fn count(&self, warning: Warning) -> u64 {
        self.entries.get(&warning).map_or(0, |entry| entry.count)
    }

    /// The sum of the counts of all warnings that are damage.
    pub fn damage(&self) -> u64 {
        self.entries().filter(|(warning, _)| warning.is_damage()).map(|(_, entry)| entry.count).sum()
    }

    /// A text for people on all damage, such as `the end of a file is missing or unreadable
    /// (W_TRUNCATED, 1)`; `None` without damage.
    pub fn damage_title(&self) -> Option<String> {
        let damage = self.entries().filter(|(warning, _)| warning.is_damage());
        let texts: Vec<String> = damage
            .map(|(warning, entry)| format!("{} ({}, {})", warning.title(), warning.code(), entry.count))
            .collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// A text for people for each kind of missing data; empty if no data is known to be missing.
    pub fn missing(&self) -> Vec<String> {
        let missing = self.entries().filter(|(warning, _)| warning.is_missing_data());
        let mut texts: Vec<String> = missing
            .map(|(warning, entry)| match warning {
                Warning::Lost => format!("{}: {}", warning.title(), entry.count),
                _ if entry.first.is_empty() => warning.title().to_owned(),
                _ => format!("{}: {}", warning.title(), entry.first),
            })
            .collect();
        if self.unread > 0 {
            texts.push(format!("{} could not be read", fmt::counted(self.unread, "event")));
        }
        texts
    }

    /// The sum of the counts of all warnings that are no damage.
    pub fn notes(&self) -> u64 {
        self.entries().filter(|(warning, _)| !warning.is_damage()).map(|(_, entry)| entry.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_example_stays() {
        let mut quality = Quality::default();
        quality.note(Warning::BadTs, Some(7), || "one\x1b".into());
        quality.note(Warning::BadTs, Some(9), || unreachable!("only the first example is made"));
        quality.note(Warning::Flow, None, || "arrow".into());
        let entry = &quality.entries[&Warning::BadTs];
        assert_eq!((entry.count, entry.first.as_str(), entry.offset), (2, "one\\x1b", Some(7)));
        assert_eq!((quality.damage(), quality.notes()), (2, 1));
    }

    #[test]
    fn repairs_are_no_missing_data() {
        let mut quality = Quality::default();
        for repaired in [
            Warning::Control,
            Warning::Utf8,
            Warning::NonFinite,
            Warning::Value,
            Warning::Syntax,
            Warning::Overlap,
        ] {
            quality.note(repaired, None, String::new);
        }
        assert_eq!(quality.missing(), [""; 0]);
        quality.note(Warning::Truncated, None, || "inside an event".into());
        quality.note_many(Warning::Lost, 7, None, || "a.json".into());
        quality.unread = 1;
        let want = [
            "the end of a file is missing or unreadable: inside an event",
            "events lost while recording: 7",
            "1 event could not be read",
        ];
        assert_eq!(quality.missing(), want);
    }

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = Warning::ALL.iter().map(|w| w.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Warning::ALL.len());
    }
}
