//! The fields of the JSON of `proftui insights`: their names, types and meanings.
//!
//! Fields are a contract: a new one is added here, and none is changed without a new version. After a change
//! `PROFTUI_UPDATE=1 cargo test -p proftui-insight schema` writes `docs/insights.schema.json`. Must not know
//! where the values come from.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::analysis::insights::{Severity, Unit};
use crate::analysis::ledger::Cause;

use super::declared::{AtLeast, Declared, Name, Named, Number, NumberOrText, OrNull, Share, declare};

/// The version of the JSON's fields, whose only value is named `proftui.insights/2`.
#[derive(Clone, Copy)]
pub(super) struct Version;

impl Named for Version {
    const ALL: &'static [Self] = &[Self];

    fn name(self) -> &'static str {
        "proftui.insights/2"
    }
}

impl Named for Cause {
    const ALL: &'static [Self] = Self::ALL;

    fn name(self) -> &'static str {
        self.id()
    }
}

impl Named for Severity {
    const ALL: &'static [Self] = Self::ALL;

    fn name(self) -> &'static str {
        Self::name(self)
    }
}

impl Named for Unit {
    const ALL: &'static [Self] = Self::ALL;

    fn name(self) -> &'static str {
        Self::name(self)
    }
}

declare! {
    /// The answer about one trace.
    Answer {
        /// the version of these fields
        schema: Name<Version>,
        /// the part of the trace that the answer is about
        scope: Scope,
        /// the answer in a few sentences
        verdict: String,
        /// what shares are of, in words, such as `steps 3–9 (1.210 s)`
        of: String,
        /// what data the trace lacks: the file is cut off or damaged, the memory limit left events out, the
        /// recorder lost some; all figures are of the rest. Empty for a whole trace
        incomplete: Vec<String>,
        /// steps of a serving engine in the part, by kind; missing without such steps
        steps_by_kind: Option<BTreeMap<String, Serving>>,
        /// the devices with their time by cause; empty for a part without device work
        devices: Vec<OfDevice>,
        /// in a part without device work, the thread of each process that runs the steps, with its time in
        /// operators as `work_ns`, and the rest by cause; else missing
        hosts: Option<Vec<OfDevice>>,
        /// devices with next to no work, which are in no sum and no finding; missing without such devices
        unused_devices: Option<Vec<UnusedDevice>>,
        /// what was found: missing records first, costs that come once last, and else by what they save, then
        /// by share
        findings: Vec<Finding>,
        /// the rules that abstain, each with the reason
        abstained: Vec<Abstained>,
        /// how much was left out so that the answer has at most 8,000 bytes; missing if nothing was
        left_out: Option<LeftOut>,
    }

    /// The part of the trace that the answer is about.
    Scope {
        /// start, ns after the trace's start
        start_ns: i64,
        /// end, ns after the trace's start
        end_ns: i64,
        /// the run, which shares are of: with marked steps, from the first to the end of the last or of the
        /// device work launched in steps; of a chosen part, all of it
        run: Run,
        /// recorded time of the part that is outside of the run, of all processes added up, ns
        outside_ns: AtLeast<0>,
        /// the number of the first step that was asked for, and that after the last one; null if the part was
        /// not chosen by steps
        steps: OrNull<Vec<u64>>,
    }

    /// The time of the part that shares are of.
    Run {
        /// start, ns after the trace's start
        start_ns: i64,
        /// end, ns after the trace's start
        end_ns: i64,
    }

    /// The steps of a serving engine that are of one kind, such as `decode`.
    Serving {
        /// number of the steps
        steps: u64,
        /// number of the requests in the steps, added up
        requests: u64,
        /// number of the tokens in the steps, added up, as far as known
        tokens: u64,
    }

    /// A device with next to no work in the part.
    UnusedDevice {
        /// the device's number in the file; a text if it is no number
        device: NumberOrText,
        /// the title of the device
        name: String,
        /// time in which the device worked, ns
        work_ns: AtLeast<0>,
        /// number of its kernels, copies and memsets
        pieces: u64,
    }

    /// A device, with its time by cause.
    OfDevice {
        /// the device's number in the file; a text if it is no number
        device: NumberOrText,
        /// the title of the device
        name: String,
        /// the sum of work and idle time, ns
        span_ns: AtLeast<0>,
        /// time in which the device worked, ns
        work_ns: AtLeast<0>,
        /// the idle time: the sum of the times of all causes, ns
        idle_ns: AtLeast<0>,
        /// the causes of idle time that the device has
        causes: Vec<CauseSum>,
    }

    /// The idle time of a device with one cause.
    CauseSum {
        /// the cause; proftui insights --explain says what it means
        cause: Name<Cause>,
        /// the idle time with the cause, ns
        ns: AtLeast<1>,
        /// number of the gaps (times without work) that have time of the cause
        gaps: AtLeast<1>,
        /// the longest unbroken time of the cause, ns
        longest_ns: AtLeast<1>,
        /// the longest unbroken time of the cause, as a location for proftui open --at
        at: String,
    }

    /// A finding: what a rule reports about the part.
    Finding {
        /// the rule, a hyphen, and the finding's number in the answer, from 0
        id: String,
        /// the rule; proftui insights --explain says what it means
        rule: &'static str,
        /// how much the finding matters
        severity: Name<Severity>,
        /// the finding in at most 44 columns
        title: String,
        /// the finding in one sentence, with its share, its time and the reason
        sentence: String,
        /// what helps
        advice: String,
        /// when the finding shows: once, only step, first step, every step, every 4th, step 10, steps 7, 9,
        /// 3 of 12, no steps (the part has none); null where that has no meaning
        when: OrNull<String>,
        /// true if the cost comes once, at the start of the run: it is no finding about the loop
        once: bool,
        /// the device that the finding is about, where several are used and it is about one; else null
        device: OrNull<String>,
        /// the time, of all devices added up, that mending it would save at most, ns; 0 where other findings
        /// count that time, or it is not known
        saves_ns: AtLeast<0>,
        /// the time that it would likely save, by a replay of the recorded launches without it, ns; null
        /// where that is not known
        likely_ns: OrNull<i64>,
        /// how `saves_ns` was computed, or why it is 0
        basis: &'static str,
        /// the time that the finding is about, as a share of the run; more than 1 where work that ran at the
        /// same time is added up
        share: Share,
        /// the numbers of the finding
        numbers: Vec<NumberOf>,
        /// names that explain the finding, usually the largest share first
        seen: Vec<Seen>,
        /// locations for proftui open --at, each one plain word
        at: Vec<String>,
        /// the command that prints the numbers of the finding, as words for a shell; with PATH for the paths
        /// where it would be longer than 400 characters
        command: String,
        /// what could make the finding wrong
        caveats: Vec<String>,
    }

    /// A number of a finding.
    NumberOf {
        /// the name of the number, which says what it states
        name: &'static str,
        /// the number, in its unit
        value: Number,
        /// the unit of the number
        unit: Name<Unit>,
    }

    /// A name that explains a finding.
    Seen {
        /// the name, usually of a slice or an operator; a name of more than 120 characters is cut
        name: String,
        /// the name's share of the time that was looked at
        share: Share,
    }

    /// A rule that cannot judge the part, and why.
    Abstained {
        /// the rule
        rule: &'static str,
        /// why the rule abstains, such as what is not known
        why: String,
    }

    /// How many devices, findings and rules that abstain were left out of the answer.
    LeftOut {
        /// number of devices that were left out
        devices: u64,
        /// number of findings that were left out
        findings: u64,
        /// number of rules that abstain and were left out
        abstained: u64,
    }
}

/// The JSON Schema of what `proftui insights --format json` prints; `docs/insights.schema.json` is a copy of
/// it.
pub fn schema() -> Json {
    let mut schema = Answer::schema();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(Version.name());
    schema["description"] = json!(
        "What `proftui insights --format json` prints: one object per trace. Times that are \
         numbers are whole nanoseconds; times of locations count from the trace's start."
    );
    schema
}
