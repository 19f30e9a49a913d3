//! The verdict: the answer in a few clauses, each a finding, then how busy the devices were, or where the
//! thread of the steps was without devices, which devices are not used, and what lies outside of the run.
//!
//! Must not know how a finding is made.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{GroupId, Trace};

use super::context::Context;
use super::finding::{Finding, Severity};
use super::found::Insights;
use super::unused;
use crate::analysis::ledger::{Cause, DeviceSums, Whole};
use crate::analysis::part::{Part, processor};
use crate::analysis::thresholds::{MOSTLY_BUSY, NOTE, OUTSIDE, SPREAD, WARNING};

/// The most findings that the verdict names.
const CLAUSES: usize = 3;

/// Rules whose findings are about time that other findings have, too: the verdict leaves them out.
const BESIDE: [&str; 4] = ["small_kernels", "low_occupancy", "serial_streams", "allocator_retries"];

/// What shares are of, in words: `steps 3–9 (1.210 s)`, `step 6 (382.5 ms)`, `this stretch (3.100 ms)`, or
/// only a length.
pub(super) fn denominator(context: &Context<'_>) -> String {
    let part = &context.part;
    let length = fmt::duration(run(part).len());
    match (context.periods.range(), is_of_steps(part)) {
        (Some((first, last)), true) if first == last => format!("step {first} ({length})"),
        (Some((first, last)), true) => format!("steps {first}–{last} ({length})"),
        _ if part.scope().span.is_some() => format!("this stretch ({length})"),
        _ => length,
    }
}

/// The time from the start of the first worker's run in a part to the end of the last's.
pub(super) fn run(part: &Part<'_>) -> Span {
    let of_workers = part.workers().iter().flat_map(|&worker| part.run(worker));
    of_workers.copied().reduce(Span::union).unwrap_or(part.span())
}

/// True if the part is chosen by steps, or is a whole trace with marked steps.
fn is_of_steps(part: &Part<'_>) -> bool {
    let steps = part.steps().map(|step| step.span).reduce(Span::union);
    match part.scope().span {
        Some(span) => steps.is_some_and(|steps| span.start <= steps.start && steps.end <= span.end),
        None => steps.is_some() && part.trace().meta.inferred.is_none(),
    }
}

/// What a part has outside of the run, if that is much of the recording: how much, and what the host did
/// there; empty if it is little.
pub(super) fn outside(context: &Context<'_>) -> String {
    let part = &context.part;
    let outside = sum(part.workers().iter().map(|&worker| part.outside(worker)));
    let all = part.run_of_workers().saturating_add(outside);
    if (outside as f64) < all as f64 * OUTSIDE || outside == 0 {
        return String::new();
    }
    let sums: Vec<DeviceSums> =
        context.devices.iter().map(|(device, _)| device.outside(part.span())).collect();
    let of = |cause: Cause| sum(sums.iter().map(|sums| sums.of(cause).ns));
    let work = sum(sums.iter().map(|sums| sums.work));
    let cause = Cause::ALL.iter().copied().max_by_key(|&cause| (of(cause), std::cmp::Reverse(cause)));
    let most = match cause {
        Some(cause) if of(cause) > work && cause != Cause::NotAttributable => {
            format!(", mostly {}", cause.title())
        }
        _ if work > 0 && work as f64 * 2.0 >= sum(sums.iter().map(|sums| sums.span)) as f64 => {
            format!(", mostly {} work", context.subject())
        }
        _ => String::new(),
    };
    format!(
        "{} of the recording ({}) is outside the steps{most}.",
        percent(outside, all),
        fmt::duration(outside)
    )
}

/// Where the thread of the steps was while it was not on a processor, if it was measured and is much of the
/// steps' time; empty otherwise, and where devices are judged: beside these, the thread may well wait.
pub(super) fn processor(context: &Context<'_>) -> String {
    let steps: Vec<_> = context.part.steps().collect();
    let found = processor::find(context.part.trace(), &steps).filter(|_| context.is_host);
    let Some(found) = found else { return String::new() };
    let is_much = |time: &Ns| *time as f64 >= found.total as f64 * NOTE;
    let share = |time: Ns| percent(time, found.total);
    let ready = found.ready.filter(is_much);
    let ready = ready.map(|time| format!("was ready without a processor for {}", share(time)));
    let waited = Some(found.waiting()).filter(is_much).map(|time| format!("waited for {}", share(time)));
    let states: Vec<String> = ready.into_iter().chain(waited).collect();
    if states.is_empty() {
        String::new()
    } else {
        format!("In the steps their thread {} of the time.", states.join(" and "))
    }
}

fn percent(part: Ns, whole: Ns) -> String {
    format!("{:.0} %", part as f64 / whole.max(1) as f64 * 100.0)
}

/// A piece of the verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The text.
    pub text: String,
    /// True if the text is of names from the trace.
    pub is_name: bool,
    /// The number of the finding, from 1, that the text before is about; the piece has no text then.
    pub finding: Option<usize>,
}

impl Words {
    fn of(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

impl Insights {
    /// The verdict in a few sentences: what limits the part, how busy the devices were (without devices, for
    /// how much of the steps their thread waited) and which are not used, and what lies outside of the run,
    /// if that is much.
    pub fn verdict(&self) -> String {
        self.verdict_words().into_iter().map(|words| words.text).collect()
    }

    /// The [`verdict`](Self::verdict) in pieces, which follow each other without spaces between.
    pub fn verdict_words(&self) -> Vec<Words> {
        let mut words = Vec::new();
        for (number, sentence) in self.sentences().into_iter().enumerate() {
            if number > 0 {
                words.push(Words::of(" "));
            }
            words.extend(sentence);
        }
        words
    }

    fn sentences(&self) -> Vec<Vec<Words>> {
        let one = |text: String| vec![Words { text, ..Words::default() }];
        if self.devices.is_empty() {
            let nothing = "No device work, operators or Python functions in this part: what limits it is not \
                           known.";
            return vec![one(nothing.into())];
        }
        let whole = self.whole();
        if whole.is_empty() {
            return vec![one("No time of this part was recorded.".into())];
        }
        // Where no finding is large and the devices are busy, that they are is the answer.
        let is_busy = !self.is_host && whole.share(whole.busy) >= MOSTLY_BUSY && self.largest() < WARNING;
        let clauses = self.clauses(!is_busy);
        let has_clause = clauses.is_some();
        let mut sentences = vec![one(self.busy(whole, has_clause && !is_busy))];
        sentences.splice(if is_busy { 1..1 } else { 0..0 }, clauses);
        sentences.extend((!self.processor_text.is_empty()).then(|| one(self.processor_text.clone())));
        sentences.extend(unused::sentence(&self.unused).map(one));
        let once = self.once();
        let is_nothing = !has_clause && once.is_none();
        sentences.extend(once);
        sentences.extend(is_nothing.then(|| one(format!("No finding of {:.0} % or more.", NOTE * 100.0))));
        sentences.extend((!self.outside_text.is_empty()).then(|| one(self.outside_text.clone())));
        sentences
    }

    /// The findings that a sentence can name.
    fn named(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| {
            finding.time.is_some() && !BESIDE.contains(&finding.rule) && !(finding.once && self.has_steps)
        })
    }

    /// The largest share of the findings that a sentence can name; 0 without any.
    fn largest(&self) -> f64 {
        self.named().map(|finding| finding.share).fold(0.0, f64::max)
    }

    /// The findings that matter most as one sentence, which says of what the shares are if `says_of`; `None`
    /// without findings about time.
    fn clauses(&self, says_of: bool) -> Option<Vec<Words>> {
        let mut found: Vec<&Finding> = self.named().collect();
        // Missing records first; that a host computes is last, if it is no fault.
        let rank = |finding: &Finding| match finding.rule {
            "not_recorded" => 0,
            "cpu_operator" if self.is_host && finding.severity == Severity::Note => 2,
            _ => 1,
        };
        found.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.share.total_cmp(&a.share)));
        let mut words = Vec::new();
        for (number, finding) in found.iter().take(CLAUSES).enumerate() {
            let share = format!("{:.0} %", finding.share * 100.0);
            let of = if number == 0 && says_of { format!(" of {}", self.denominator) } else { String::new() };
            let between = if number == 0 { "" } else { "; " };
            let lock = if finding.detail.contains("(GIL)") { " beside another thread (GIL)" } else { "" };
            words.push(Words::of(&format!("{between}{share}{of} {}{lock}", finding.what)));
            if !finding.because.is_empty() {
                words.push(Words::of(": "));
                words.push(Words { text: without_folders(&finding.because), is_name: true, finding: None });
            }
            let number = self.findings.iter().position(|other| std::ptr::eq(other, *finding));
            words.extend(number.map(|at| Words { finding: Some(at + 1), ..Words::default() }));
            if let Some(when) = finding.when.as_ref().filter(|when| when.is_notable()) {
                words.push(Words::of(&format!(", {}", when.phrase())));
            }
        }
        words.push(Words::of("."));
        (words.len() > 1).then_some(words)
    }

    /// A sentence on the costs that come once; `None` if there are none, or the answer names them.
    fn once(&self) -> Option<Vec<Words>> {
        let once: Vec<&Finding> =
            self.findings.iter().filter(|finding| finding.once && self.has_steps).collect();
        let share: f64 = once.iter().map(|finding| finding.share).sum();
        let titles: Vec<&str> = once.iter().map(|finding| finding.title.as_str()).take(CLAUSES).collect();
        let before = format!("{:.0} % comes once, at the start: ", share * 100.0);
        let names = Words { text: titles.join(", "), is_name: true, finding: None };
        (!once.is_empty()).then(|| vec![Words::of(&before), names, Words::of(".")])
    }

    /// How busy the devices were; of the part, unless `has_clause` says so already.
    fn busy(&self, whole: Whole, has_clause: bool) -> String {
        let of = if has_clause { String::new() } else { format!(" of {}", self.denominator) };
        let share = |sums: &DeviceSums| {
            let whole = sums.whole();
            whole.share(whole.busy) * 100.0
        };
        let busy = whole.share(whole.busy) * 100.0;
        if self.is_host {
            return format!("{busy:.0} %{of} the host is in operators.");
        }
        let shares: Vec<f64> = self.devices.iter().map(|(_, sums)| share(sums)).collect();
        let least = shares.iter().copied().fold(f64::MAX, f64::min);
        let most = shares.iter().copied().fold(0.0, f64::max);
        match self.devices.len() {
            1 => format!("{} {busy:.0} % busy{of}.", self.only.as_deref().unwrap_or(self.kind)),
            number if most - least >= SPREAD * 100.0 => {
                format!("{number} {}s {least:.0} to {most:.0} % busy{of}, {busy:.0} % on average.", self.kind)
            }
            number => format!("{number} {}s {busy:.0} % busy on average{of}.", self.kind),
        }
    }
}

/// A text with the folders before the files of Python's frames left out: `pipeline.py(311): forward`.
fn without_folders(text: &str) -> String {
    let word = |word: &str| match word.rsplit_once('/') {
        Some((_, file)) if file.contains(".py(") => file.to_owned(),
        _ => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The title of the only used device beside unused ones, without its model; `None` otherwise.
pub(super) fn only(trace: &Trace, devices: &[(GroupId, DeviceSums)], has_unused: bool) -> Option<String> {
    match devices {
        [(group, _)] if has_unused => Some(unused::title(trace, *group)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use crate::analysis::arguments::Arguments;
    use crate::analysis::insights::insights;
    use crate::analysis::part::scope::Scope;

    /// The verdict on two steps of 10 ms with an operator of 1 ms each, and these facts in the header.
    fn verdict(facts: &str) -> String {
        let event = |cat: &str, name: &str, ts: u32, dur: u32| {
            format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":"1","ts":{ts},"dur":{dur}}}"#)
        };
        let events = [0, 1].map(|step| {
            let at = step * 10_000;
            let marked = event("ProfileStep", &format!("ProfileStep#{step}"), at, 10_000);
            format!("{marked},{}", event("Operator", "aten::mm", at, 1_000))
        });
        let text = format!(
            r#"{{"schemaVersion":"1.0.2","ExtraInfo":{{{facts}}},"traceEvents":[{}]}}"#,
            events.join(",")
        );
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        insights(&loaded.trace, &Scope::default(), &Arguments::default()).verdict()
    }

    #[test]
    fn a_thread_that_waits_does_not_only_compute() {
        let bare = verdict("");
        assert!(bare.contains("the host is") && !bare.contains("In the steps"), "{bare}");
        let of = |times: &str| verdict(&format!(r#""proftui.processor":"0:{times},0,9 1:{times},0,9""#));
        let waits = of("1000000,100000");
        assert!(waits.contains(" In the steps their thread waited for 89 % of the time."), "{waits}");
        let starves = of("1000000,6000000");
        let both = " In the steps their thread was ready without a processor for 60 % and waited for 30 % of the \
                    time.";
        assert!(starves.contains(both), "{starves}");
        assert_eq!(of("9900000,0"), bare);
    }
}
