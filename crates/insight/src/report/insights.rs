//! Insights as JSON and as text for people. The fields of the JSON are a contract:
//! `docs/insights.schema.json`.
//!
//! Must not know the command line.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::analysis::insights::{Finding, Insights, Rule, rules};
use crate::analysis::ledger::Cause;
use crate::analysis::part::location::{Location, Subject, device_number};
use crate::analysis::thresholds::THRESHOLDS;
use proftui_base::fmt;
use proftui_base::shell::CommandLine;
use proftui_base::time::Span;
use proftui_trace::model::Trace;

use super::markdown;

/// The size that the JSON has at most unless all of it is asked for, bytes.
pub const MOST: usize = 8_000;

/// The longest command in the JSON, characters.
const LONGEST_COMMAND: usize = 400;

/// What the report says beside the insights.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The numbers of the steps that were asked for: half-open.
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

    /// The command that prints a view of the part. One of more than [`LONGEST_COMMAND`] characters has `PATH`
    /// for the paths: a part of them would name other files.
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

/// How much of the insights the JSON has.
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

/// The insights as JSON; without `is_all` it is at most [`MOST`] bytes long, and says what was left out.
pub fn json(trace: &Trace, insights: &Insights, about: About<'_>, is_all: bool) -> Json {
    let whole = of(trace, insights, about, EVERYTHING);
    if is_all || whole.to_string().len() <= MOST {
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
    shorter.find(|json| json.to_string().len() <= MOST).unwrap_or_else(|| {
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
    let devices: Vec<Json> =
        insights.devices.iter().take(extent.devices).map(|(group, sums)| {
            let causes = Cause::ALL.iter().map(|&cause| (cause, sums.of(cause))).filter(|(_, sum)| sum.ns > 0);
            let causes: Vec<Json> = causes
                .map(|(cause, sum)| {
                    let span = Span { start: sum.longest_at, end: sum.longest_at.saturating_add(sum.longest) };
                    let at = Location { span, at: Some(Subject::Device(*group)) }.text(trace);
                    json!({"cause": cause.id(), "ns": sum.ns, "gaps": sum.gaps, "longest_ns": sum.longest, "at": at})
                })
                .collect();
            json!({
                "device": number_of(trace, *group),
                "name": trace.group_title(&trace.groups[*group as usize]),
                "span_ns": sums.span, "work_ns": sums.work, "idle_ns": sums.idle, "causes": causes,
            })
        })
        .collect();
    let findings: Vec<Json> = insights
        .findings
        .iter()
        .take(extent.findings)
        .enumerate()
        .map(|(number, finding)| self::finding(trace, finding, number, about, extent))
        .collect();
    let abstained: Vec<Json> =
        insights.abstained.iter().map(|rule| json!({"rule": rule.rule, "why": rule.why})).collect();
    let mut out = json!({
        "schema": "proftui.insights/1",
        "scope": {
            "start_ns": insights.span.start.saturating_sub(start),
            "end_ns": insights.span.end.saturating_sub(start),
            "steps": about.steps.map(|(from, to)| [from, to]),
        },
        "verdict": cut(&insights.verdict(), 400),
        "incomplete": insights.incomplete.iter().map(|what| cut(what, 200)).collect::<Vec<_>>(),
        "devices": devices,
        "findings": findings,
        "abstained": if extent.abstained { abstained } else { Vec::new() },
    });
    if !insights.serving.is_empty() {
        let kinds = insights.serving.iter().map(|(kind, [steps, requests, tokens])| {
            (kind.to_string(), json!({"steps": steps, "requests": requests, "tokens": tokens}))
        });
        out["steps_by_kind"] = Json::Object(kinds.collect());
    }
    let left_out = json!({
        "devices": insights.devices.len().saturating_sub(extent.devices),
        "findings": insights.findings.len().saturating_sub(extent.findings),
        "abstained": if extent.abstained { 0 } else { insights.abstained.len() },
    });
    if extent.locations < usize::MAX {
        out["left_out"] = left_out;
    }
    out
}

/// The number of a device, or its text where the file has no number.
fn number_of(trace: &Trace, group: u32) -> Json {
    let text = device_number(trace, &trace.groups[group as usize]);
    text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
}

/// A text of at most `most` characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.to_owned()
    } else {
        text.chars().take(most - 1).chain(['…']).collect()
    }
}

fn finding(trace: &Trace, finding: &Finding, number: usize, about: About<'_>, extent: Extent) -> Json {
    let numbers: Vec<Json> = finding
        .numbers
        .iter()
        .map(|number| {
            let is_whole = number.value.fract() == 0.0 && number.value.abs() < 9e15;
            let value = if is_whole { json!(number.value as i64) } else { json!(number.value) };
            json!({"name": number.name, "value": value, "unit": number.unit})
        })
        .collect();
    let at: Vec<String> = finding.at.iter().take(extent.locations).map(|at| at.text(trace)).collect();
    let seen: Vec<Json> = finding
        .seen
        .iter()
        .take(extent.names)
        .map(|(name, share)| json!({"name": cut(name, 120), "share": (share * 1e4).round() / 1e4}))
        .collect();
    json!({
        "id": format!("{}-{number}", finding.rule),
        "rule": finding.rule,
        "severity": finding.severity.name(),
        "title": cut(&finding.title(), 400),
        "headroom_ns": finding.headroom,
        "basis": finding.basis,
        "share": (finding.share * 1e6).round() / 1e6,
        "numbers": numbers,
        "seen": seen,
        "at": at,
        "command": about.summary(finding.view).to_string(),
        "caveats": if extent.caveats { finding.caveats.clone() } else { Vec::new() },
    })
}

/// The rule of a finding.
fn rule(id: &str) -> Option<&'static Rule> {
    rules::all().find(|rule| rule.id == id)
}

/// The insights as text, or as Markdown: the verdict, the findings, the rules that cannot know.
pub fn text(trace: &Trace, insights: &Insights, about: About<'_>, is_markdown: bool) -> String {
    let mut out = String::new();
    // Sentences, names and commands as they are, or as Markdown.
    let form = |text: &str, markdown: fn(&str) -> String| {
        if is_markdown { markdown(text) } else { text.to_owned() }
    };
    let prose = |text: &str| form(text, markdown::prose);
    let (heading, strong) = if is_markdown { ("## ", "**") } else { ("", "") };
    let _ = writeln!(out, "{heading}{}\n", prose(&insights.verdict()));
    for what in &insights.incomplete {
        let _ = writeln!(out, "incomplete: {}", prose(what));
    }
    if !insights.incomplete.is_empty() {
        out.push('\n');
    }
    if insights.findings.is_empty() && !insights.devices.is_empty() {
        out.push_str("No finding: no cause holds 5 % of the time.\n\n");
    }
    for (number, finding) in insights.findings.iter().enumerate() {
        let severity = finding.severity.name();
        let _ = write!(out, "{}. {strong}{severity}{strong}: {}", number + 1, prose(&finding.sentence()));
        if !finding.because.is_empty() {
            let _ = write!(out, ": {}", form(&finding.because, markdown::name));
        }
        out.push('\n');
        if finding.headroom > 0 {
            let basis = prose(finding.basis);
            let _ = writeln!(out, "   saves at most {} ({basis})", fmt::duration(finding.headroom));
        }
        if let Some(rule) = rule(finding.rule) {
            let _ = writeln!(out, "   what helps: {}", prose(rule.advice));
        }
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
    let mut out = String::from("Causes of idle time of a device:\n");
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
            "share" => format!("{:.0} %", threshold.value * 100.0),
            "ns" => fmt::duration(threshold.value as i64),
            "bytes" => format!("{} bytes", threshold.value),
            _ => threshold.value.to_string(),
        };
        let _ = writeln!(out, "  {}: {value}: {}", threshold.rule, threshold.what);
    }
    out
}
