//! Insights as JSON and as text for people. `fields` has the fields of the JSON, which are a contract, and
//! `declared` the types that they are declared by.
//!
//! Must not know how the command line is read; it only writes commands to copy.

mod declared;
mod fields;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::analysis::insights::when::When;
use crate::analysis::insights::{Finding, Insights, Unused, rules};
use crate::analysis::ledger::{Cause, DeviceSums};
use crate::analysis::part::location::{Location, Subject, device_number};
use crate::analysis::thresholds::{DIFFERS, THRESHOLDS};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::shell::CommandLine;
use proftui_base::time::Span;
use proftui_trace::model::{GroupId, Trace};

use super::markdown;
use declared::{AtLeast, Name, Number, NumberOrText, OrNull, Share};
use fields::{
    Abstained, Answer, CauseSum, LeftOut, NumberOf, OfDevice, Run, Scope, Seen, Serving, UnusedDevice,
    Version,
};

pub use fields::schema;

/// The size to which [`json()`] shortens the JSON unless all of it is asked for, bytes.
pub const MOST_BYTES: usize = 8_000;

/// A command that prints a view has `PATH` for the paths if it would have more characters than this.
const LONGEST_COMMAND: usize = 400;

/// What the report needs beside the insights: how the part was chosen, and the words of its commands.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The number of the first step that was asked for, and the number after that of the last one; `None` if
    /// the part was not chosen by steps.
    pub steps: Option<(u64, u64)>,
    /// The paths that were loaded, for commands to copy.
    pub paths: &'a [PathBuf],
    /// The options of `proftui summary` that select the part, as words of a command line.
    pub options: &'a [String],
}

impl About<'_> {
    /// The command that opens the trace at a location.
    fn open(self, at: &str) -> CommandLine {
        self.with_paths(CommandLine::new("proftui open --at").word(at))
    }

    /// The command that prints a view of the part. A command of more than [`LONGEST_COMMAND`] characters has
    /// `PATH` for the paths: with only some of them it would be about another trace.
    fn summary(self, view: &str) -> CommandLine {
        let options = self.options.iter().map(String::as_str);
        let command = CommandLine::new("proftui summary --view").word(view).words(options);
        let whole = self.with_paths(command.clone());
        if whole.to_string().chars().count() <= LONGEST_COMMAND { whole } else { command.word("PATH") }
    }

    fn with_paths(self, command: CommandLine) -> CommandLine {
        command.paths(self.paths.iter().map(PathBuf::as_path))
    }
}

/// How much of the insights the JSON has: of lists at most so many items (of `locations` and `names` for each
/// finding), of `caveats` and `abstained` all or none.
#[derive(Clone, Copy)]
struct Extent {
    locations: usize,
    names: usize,
    caveats: bool,
    findings: usize,
    devices: usize,
    abstained: bool,
}

const EVERYTHING: Extent = Extent {
    locations: usize::MAX,
    names: usize::MAX,
    caveats: true,
    findings: usize::MAX,
    devices: usize::MAX,
    abstained: true,
};

/// The insights as JSON. Without `is_all`, more and more is left out until it has at most [`MOST_BYTES`]
/// bytes, or of all devices, findings and rules that abstain only the first finding is left; `left_out` then
/// says how many of these are missing.
pub fn json(trace: &Trace, insights: &Insights, about: About<'_>, is_all: bool) -> Json {
    let whole = of(trace, insights, about, EVERYTHING);
    if is_all || whole.to_string().len() <= MOST_BYTES {
        return whole;
    }
    let steps = [
        Extent { locations: 2, names: 3, ..EVERYTHING },
        Extent { locations: 1, names: 2, caveats: false, ..EVERYTHING },
        Extent { locations: 1, names: 1, caveats: false, devices: 8, ..EVERYTHING },
        Extent { locations: 1, names: 0, caveats: false, devices: 4, findings: 8, abstained: true },
        Extent { locations: 1, names: 0, caveats: false, devices: 2, findings: 5, abstained: false },
        Extent { locations: 1, names: 0, caveats: false, devices: 1, findings: 3, abstained: false },
    ];
    let mut shorter = steps.iter().map(|&extent| of(trace, insights, about, extent));
    shorter.find(|json| json.to_string().len() <= MOST_BYTES).unwrap_or_else(|| {
        of(
            trace,
            insights,
            about,
            Extent { locations: 0, names: 0, caveats: false, devices: 0, findings: 1, abstained: false },
        )
    })
}

fn of(trace: &Trace, insights: &Insights, about: About<'_>, extent: Extent) -> Json {
    let start = trace.main_span.start;
    let findings = insights.findings.iter().take(extent.findings).enumerate();
    let abstained =
        insights.abstained.iter().map(|rule| Abstained { rule: rule.rule, why: rule.why.clone() });
    let serving = insights
        .serving
        .iter()
        .map(|(kind, &[steps, requests, tokens])| ((*kind).to_owned(), Serving { steps, requests, tokens }));
    let devices = insights.devices.iter().take(extent.devices);
    let devices = devices.map(|(group, sums)| device(trace, *group, sums));
    let left = |all: usize, taken: usize| all.saturating_sub(taken) as u64;
    json!(Answer {
        schema: Name(Version),
        scope: Scope {
            start_ns: insights.span.start.saturating_sub(start),
            end_ns: insights.span.end.saturating_sub(start),
            run: Run {
                start_ns: insights.run.start.saturating_sub(start),
                end_ns: insights.run.end.saturating_sub(start),
            },
            outside_ns: AtLeast(insights.outside),
            steps: OrNull(about.steps.map(|(from, to)| vec![from, to])),
        },
        verdict: cut(&insights.verdict(), 400),
        of: insights.denominator.clone(),
        incomplete: insights.incomplete.iter().map(|what| cut(what, 200)).collect(),
        steps_by_kind: (!insights.serving.is_empty()).then(|| serving.collect()),
        devices: if insights.is_host { Vec::new() } else { devices.clone().collect() },
        hosts: insights.is_host.then(|| devices.clone().collect()),
        unused_devices: (!insights.unused.is_empty()).then(|| insights
            .unused
            .iter()
            .take(extent.devices)
            .map(|of| unused(trace, of))
            .collect()),
        findings: findings.map(|(number, of)| finding(trace, of, number, about, extent)).collect(),
        abstained: if extent.abstained { abstained.collect() } else { Vec::new() },
        left_out: (extent.locations < usize::MAX).then(|| LeftOut {
            devices: left(insights.devices.len(), extent.devices),
            findings: left(insights.findings.len(), extent.findings),
            abstained: if extent.abstained { 0 } else { insights.abstained.len() as u64 },
        }),
    })
}

/// The number of a device in its file.
fn number(trace: &Trace, group: GroupId) -> NumberOrText {
    let number = device_number(trace, &trace.groups[group]);
    number.parse().map_or(NumberOrText::Text(number), NumberOrText::Number)
}

fn unused(trace: &Trace, of: &Unused) -> UnusedDevice {
    UnusedDevice {
        device: number(trace, of.group),
        name: trace.group_title(&trace.groups[of.group]),
        work_ns: AtLeast(of.work),
        pieces: of.counts.iter().sum::<usize>() as u64,
    }
}

fn device(trace: &Trace, group: GroupId, sums: &DeviceSums) -> OfDevice {
    let causes = Cause::ALL.iter().map(|&cause| (cause, sums.of(cause))).filter(|(_, sum)| sum.ns > 0);
    let causes = causes.map(|(cause, sum)| {
        let span = Span { start: sum.longest_at, end: sum.longest_at.saturating_add(sum.longest) };
        CauseSum {
            cause: Name(cause),
            ns: AtLeast(sum.ns),
            gaps: AtLeast(sum.gaps as i64),
            longest_ns: AtLeast(sum.longest),
            at: Location { span, at: Some(Subject::Device(group)) }.text(trace),
        }
    });
    OfDevice {
        device: number(trace, group),
        name: trace.group_title(&trace.groups[group]),
        span_ns: AtLeast(sums.span),
        work_ns: AtLeast(sums.work),
        idle_ns: AtLeast(sums.idle),
        causes: causes.collect(),
    }
}

/// A text of at most `most` characters; a longer one is cut and ends with `…`.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.to_owned()
    } else {
        text.chars().take(most - 1).chain(['…']).collect()
    }
}

fn finding(
    trace: &Trace,
    finding: &Finding,
    number: usize,
    about: About<'_>,
    extent: Extent,
) -> fields::Finding {
    let numbers = finding.numbers.iter().map(|number| NumberOf {
        name: number.name,
        value: Number(number.value),
        unit: Name(number.unit),
    });
    let seen = finding.seen.iter().take(extent.names);
    let seen = seen.map(|(name, share)| Seen { name: cut(name, 120), share: Share::rounded(*share, 4) });
    fields::Finding {
        id: format!("{}-{number}", finding.rule),
        rule: finding.rule,
        severity: Name(finding.severity),
        title: finding.title.clone(),
        sentence: cut(&finding.sentence(), 400),
        advice: finding.advice.clone(),
        when: OrNull(finding.when.as_ref().map(When::short)),
        once: finding.once,
        device: OrNull(finding.device.map(|group| trace.device_title(&trace.groups[group]).0)),
        saves_ns: AtLeast(finding.saves),
        likely_ns: OrNull(finding.likely),
        basis: finding.basis,
        share: Share::rounded(finding.share, 6),
        numbers: numbers.collect(),
        seen: seen.collect(),
        at: finding.at.iter().take(extent.locations).map(|at| at.text(trace)).collect(),
        command: about.summary(finding.view).to_string(),
        caveats: if extent.caveats { finding.caveats.clone() } else { Vec::new() },
    }
}

/// The insights as text for people, or with `is_markdown` as Markdown: the verdict, what data the trace
/// lacks, the findings, and the rules that abstained.
pub fn text(trace: &Trace, insights: &Insights, about: About<'_>, is_markdown: bool) -> String {
    let mut out = String::new();
    // Sentences, names and commands as they are, or as Markdown.
    let form = |text: &str, markdown: fn(&str) -> String| {
        if is_markdown { markdown(text) } else { text.to_owned() }
    };
    let prose = |text: &str| form(text, markdown::prose);
    let (heading, strong) = if is_markdown { ("## ", "**") } else { ("", "") };
    let _ = write!(out, "{heading}");
    for words in insights.verdict_words() {
        out.push_str(&if words.is_name { form(&words.text, markdown::name) } else { prose(&words.text) });
    }
    out.push_str("\n\n");
    if insights.is_host {
        out.push_str("No device work is recorded: this is about the thread that runs the steps.\n\n");
    }
    for what in &insights.incomplete {
        let _ = writeln!(out, "incomplete: {}", prose(what));
    }
    if !insights.incomplete.is_empty() {
        out.push('\n');
    }
    // Costs that come once stand below the others.
    let first_once = insights.findings.iter().position(|finding| finding.once);
    for (number, finding) in insights.findings.iter().enumerate() {
        if first_once == Some(number) {
            let _ = writeln!(out, "{strong}once, at the start:{strong}\n");
        }
        let severity = finding.severity.name();
        let _ = write!(out, "{}. {strong}{severity}{strong}: {}", number + 1, prose(&finding.statement()));
        if !finding.because.is_empty() {
            let _ = write!(out, ": {}", form(&finding.because, markdown::name));
        }
        out.push('\n');
        if let Some(device) = finding.device {
            let _ = writeln!(out, "   on: {}", prose(&trace.device_title(&trace.groups[device]).0));
        }
        if finding.saves > 0 {
            let basis = prose(finding.basis);
            let most = fmt::duration(finding.saves);
            let differs =
                |likely: &i64| (finding.saves - likely).abs() as f64 > finding.saves as f64 * DIFFERS;
            let _ = match finding.likely.filter(differs) {
                // Time that the host would not have is saved, too, beyond the idle time.
                Some(likely) if likely > finding.saves => {
                    writeln!(out, "   saves {}, {most} of it idle time", fmt::duration(likely))
                }
                Some(likely) => writeln!(out, "   saves {}, at most {most} ({basis})", fmt::duration(likely)),
                None => writeln!(out, "   saves at most {most} ({basis})"),
            };
        }
        let _ = writeln!(out, "   what helps: {}", prose(&finding.advice));
        if let Some(at) = finding.at.first() {
            let open = about.open(&at.text(trace)).to_string();
            let _ = writeln!(out, "   see it: {}", form(&open, markdown::code));
        }
        out.push('\n');
    }
    for rule in &insights.abstained {
        let _ = writeln!(out, "not judged: {}: {}", prose(rule.rule), prose(&rule.why));
    }
    if !insights.abstained.is_empty() {
        out.push('\n');
    }
    out
}

/// All rules, causes and thresholds with their meanings, as text.
pub fn explain() -> String {
    let mut out =
        String::from("Causes of idle time of a device, or of a host thread in a trace without devices:\n");
    for cause in Cause::ALL {
        let _ = writeln!(out, "  {}: {}", cause.id(), cause.meaning());
    }
    out.push_str("\nRules:\n");
    for rule in rules::all() {
        let _ = writeln!(out, "  {}: {}\n    source: {}", rule.id, rule.definition, rule.source);
        if !rule.caveats.is_empty() {
            let _ = writeln!(out, "    could be wrong: {}", rule.caveats.join("; "));
        }
        let _ = writeln!(out, "    what helps: {}", rule.advice);
    }
    out.push_str("\nThresholds:\n");
    for threshold in THRESHOLDS {
        let value = match threshold.unit {
            "share" => format!("{} %", (threshold.value * 1000.0).round() / 10.0),
            "ns" => fmt::duration(saturate::<i64>(threshold.value)),
            "bytes" => format!("{} bytes", threshold.value),
            _ => threshold.value.to_string(),
        };
        let _ = writeln!(out, "  {}: {value}: {}", threshold.rule, threshold.what);
    }
    out
}
