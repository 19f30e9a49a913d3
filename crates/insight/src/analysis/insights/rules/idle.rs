//! The rules about a cause of idle time, a row each, and how each of them looks for its cause.
//!
//! Must not know the rules about device work.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Finding, Number, Outcome, Severity, title};
use crate::analysis::insights::reason::{Reason, Seen, short};
use crate::analysis::ledger::Cause;
use crate::analysis::thresholds::{NAMED, SAMPLED, SHARED_LOCK};

use super::advice;
use proftui_base::time::{Ns, Span};
use proftui_trace::index::idle::CauseSum;

use crate::analysis::insights::rule::{Look, Rule};

/// The rules that only report the idle time of one cause each, in the order in which they are explained.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "data_loading",
        definition: "The host waits for or prepares input data while the device has nothing to do.",
        source: "ICSE 2024, 706 issues of low utilization in 400 jobs: nearly half are of data operations.",
        caveats: &[
            "loading that leaves no gap in the device's work costs nothing and is not counted",
            "a loader right after a synchronization gets its own time, although without the synchronization \
             queued work might have hidden it",
        ],
        advice: "Give the DataLoader workers (num_workers), pinned memory and prefetching, or move \
            preprocessing out of the loop.",
        look: Look::Idle {
            cause: Cause::DataLoading,
            title: "data loading: X",
            says: "waits for data loading",
            host: "the host loads data or waits for it",
        },
    },
    Rule {
        id: "blocking_sync",
        definition: "The host waits for the device, and afterwards refills its queue.",
        source: "Definition of this program: the waits, and the refilling after them until the next \
            launch, up to the length of the waits.",
        caveats: &["a synchronization at the end of a step, after long kernels, usually costs little"],
        advice: "Synchronize and read values (.item(), .cpu(), print) less often, or after the next work has \
            been launched.",
        look: Look::Idle {
            cause: Cause::BlockingSync,
            title: "synchronization: X",
            says: "waits after a synchronization",
            host: "the host waits in a synchronization",
        },
    },
    Rule {
        id: "blocking_copy",
        definition: "The host is in a copy that returns after its data has arrived, or refills the queue \
            after it.",
        source: "Decided for each call, not by its name: it blocks if its copy on the device has ended when \
            it returns.",
        caveats: &["blocking copies known to be of up to 1 KiB count as synchronizations"],
        advice: "Use pinned memory and non_blocking=True, and launch other work before the data is needed.",
        look: Look::Idle {
            cause: Cause::BlockingCopy,
            title: "copy that waits: X",
            says: "waits after a copy that waits",
            host: "the host waits in a copy",
        },
    },
    Rule {
        id: "launch_bound",
        definition: "The host is in operators and calls before the next work, or for less than 100 µs \
            between these or other activities.",
        source: "Definition of this program; HTA's host wait is similar.",
        caveats: &["profiling makes dispatch slower, more so with stacks or shapes"],
        advice: "Larger batches, CUDA graphs, torch.compile or fused operators launch less for the same \
            work.",
        look: Look::Idle {
            cause: Cause::LaunchBound,
            title: "dispatch of operators: GPU waits",
            says: "waits for dispatch of operators",
            host: "",
        },
    },
    Rule {
        id: "host_python",
        definition: "The host is in Python or a range, outside of operators and calls for 100 µs and more.",
        source: "Definition of this program.",
        caveats: &[
            "a range or a step that covers the time does not say what the script did in it; record stacks to \
             know the functions",
        ],
        advice: "Record with stacks to see the functions, and move the work out of the loop or to \
            another thread.",
        look: Look::Idle {
            cause: Cause::HostPython,
            title: "Python between operators: X",
            says: "waits for the script's Python",
            host: "the host is in the script's Python",
        },
    },
    Rule {
        id: "cpu_operator",
        definition: "The host is in an operator of 200 µs and more that launches nothing, or for 200 µs and \
            more in one itself before, between or after its launches.",
        source: "Of 9,800 operators without a launch in public traces, the 7 of 200 µs and more hold 58 % \
            of the time of all 9,800.",
        caveats: &["an operator that waits for another thread looks the same"],
        advice: "Move the tensors or what is computed to the device. Where the operator launches later, its \
            first calls for new shapes tune, allocate or load, and come once.",
        look: Look::Idle {
            cause: Cause::CpuOperator,
            title: "X computes on the CPU",
            says: "waits for operators on the CPU",
            host: "",
        },
    },
    Rule {
        id: "allocator",
        definition: "The host is in a call of the runtime or driver that manages memory.",
        source: "Calls by name: cudaMalloc, cudaFree, cudaHostAlloc, cuMemAlloc and their like.",
        caveats: &["the first steps of a run often allocate; leave them out"],
        advice: "Let the framework's caching allocator keep memory: no empty_cache() in the loop, stable \
            shapes, expandable segments.",
        look: Look::Idle {
            cause: Cause::Allocator,
            title: "memory allocation: X",
            says: "waits for memory allocation",
            host: "the host allocates memory",
        },
    },
    Rule {
        id: "garbage_collection",
        definition: "The host is in a garbage collection of Python.",
        source: "torchtitan#148: collecting at fixed steps saved 1.5 % of a step on 512 GPUs.",
        caveats: &["collections are only known if the trace records them"],
        advice: "Call gc.disable() once and gc.collect() at fixed steps, or gc.freeze() after start-up.",
        look: Look::Idle {
            cause: Cause::GarbageCollection,
            title: "garbage collection",
            says: "waits for garbage collection",
            host: "Python collects garbage",
        },
    },
    Rule {
        id: "compile",
        definition: "The host compiles, tunes or loads code (also in a launching call of 1 ms and more), or \
            captures or prepares a graph.",
        source: "Events by name (assets/activities.toml) or category.",
        caveats: &["the first steps of a run often compile; leave them out"],
        advice: "Warm up before measuring; avoid recompiling for new shapes (dynamic=True, padding), and \
            keep the caches of Triton and Inductor.",
        look: Look::Idle {
            cause: Cause::Compile,
            title: "compiling: X",
            says: "waits for compiling and loading",
            host: "code is compiled, tuned or loaded",
        },
    },
    Rule {
        id: "checkpoint",
        definition: "The host saves a checkpoint.",
        source: "Events by name or category; activation checkpointing does not count.",
        caveats: &[],
        advice: "Save asynchronously, or less often.",
        look: Look::Idle {
            cause: Cause::Checkpoint,
            title: "saving a checkpoint: X",
            says: "waits for the saving of a checkpoint",
            host: "a checkpoint is saved",
        },
    },
    Rule {
        id: "waits_for_stream",
        definition: "Work waits for an event of another stream; or the host is in a collective of 200 µs and \
            more that launches nothing.",
        source: "Charged only where the trace has a record of the wait: a collective that has not begun \
            waits for no rank.",
        caveats: &["a collective's wait is only seen from its own rank"],
        advice: "For a collective, compare the ranks: the last to arrive decides; for an event, look at the \
            stream that records it.",
        look: Look::Idle {
            cause: Cause::WaitsForStream,
            title: "waits for another stream: X",
            says: "waits for another stream or a collective",
            host: "the host waits in a collective",
        },
    },
    Rule {
        id: "no_requests",
        definition: "A server's thread waits for its next request, and no other thread has anything to do.",
        source: "Frames in which servers wait: a queue's get, poll, select; only in traces without training.",
        caveats: &["a client that is too slow looks the same"],
        advice: "Nothing to mend in the server: record while requests come.",
        look: Look::Idle {
            cause: Cause::NoRequests,
            title: "waits for requests",
            says: "waits for requests",
            host: "the server waits for requests",
        },
    },
    Rule {
        id: "not_attributable",
        definition: "The device has nothing to do, and the trace does not say why.",
        source: "Time that no other cause has.",
        caveats: &[],
        advice: "Record with stacks (with_stack=True, proftui capture --stacks), or put a range around that \
            part of the script.",
        look: Look::Idle {
            cause: Cause::NotAttributable,
            title: "idle, cause not known",
            says: "is idle and the trace does not say why",
            host: "nothing is recorded on the thread of the steps",
        },
    },
    Rule {
        id: "launch_delay",
        definition: "The device is idle, up to a bound, until work begins that was launched or whose launch \
            is not known.",
        source: "Definition of this program.",
        caveats: &["work launched to an idle device has a delay that no program can avoid"],
        advice: "Launch work before the device is empty, so that delays are hidden: wait less often, use \
            CUDA graphs.",
        look: Look::Idle {
            cause: Cause::LaunchDelay,
            title: "kernels start slowly",
            says: "is idle until launched kernels start",
            host: "",
        },
    },
    Rule {
        id: "within_call",
        definition: "The device has nothing to do between two pieces of work of one launch that is not known \
            to be of a graph.",
        source: "Definition of this program; the work before and after the hole is of one launch.",
        caveats: &["a graph whose launch was not recorded is not known to be one"],
        advice: "A library launches several kernels by one call there: look for a variant in one kernel.",
        look: Look::Idle {
            cause: Cause::WithinCall,
            title: "gaps between the kernels of one call",
            says: "is idle between kernels of one call",
            host: "",
        },
    },
    Rule {
        id: "graph",
        definition: "The device has nothing to do between two pieces of work of one launch of a graph.",
        source: "Definition of this program; the work before and after the hole is of one launch.",
        caveats: &["a graph node whose record was lost may look like idle time"],
        advice: "Fewer and larger kernels in the graph: fused operators, larger batches; programmatic \
            dependent launch.",
        look: Look::Idle {
            cause: Cause::Graph,
            title: "gaps between the nodes of graphs",
            says: "is idle within graphs",
            host: "",
        },
    },
];

/// A finding's names are taken from at most this many pieces of idle time, the longest.
const LOOKED_AT: usize = 64;

/// The most locations that a finding about a cause lists.
const LOCATIONS: usize = 5;

/// The words of a rule about a cause.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) cause: Cause,
    pub(super) title: &'static str,
    pub(super) says: &'static str,
    pub(super) host: &'static str,
}

/// Reports the time that is charged to a cause, if its share is at least 5 %: that which comes once, at the
/// start, apart from the other.
pub(super) fn find(context: &Context<'_>, rule: &Rule, words: Words) -> Outcome {
    let cause = words.cause;
    let says = if context.is_host { words.host } else { words.says };
    let (all, gaps) = context.idle(cause);
    if Context::severity(context.share(all)).is_none() || says.is_empty() {
        return Outcome::Nothing;
    }
    if cause == Cause::LaunchDelay && context.mostly_without_launch() {
        return Outcome::Abstained("most of the device work has no known launch".into());
    }
    let once = context.once(cause);
    let times = context.devices.iter().zip(&once).map(|((device, _), once)| {
        let sum = once.map_or(CauseSum::default(), |span| device.idle.sums(span)[cause as usize]);
        (sum.ns, u64::from(sum.gaps))
    });
    let (first, first_gaps) =
        times.fold((0, 0), |all, (ns, gaps)| (Ns::saturating_add(all.0, ns), all.1 + gaps));
    let part = |ns: Ns, gaps: u64, is_once: bool| {
        let share = context.share(ns);
        let severity = Context::severity(share)?;
        let is_wanted =
            |device: usize, span: Span| once[device].is_some_and(|once| once.contains(span.start)) == is_once;
        let pieces = context.pieces(cause, LOOKED_AT, is_wanted);
        // What comes once, what is not known, and a server without work are no faults.
        let held: Ns = pieces.iter().map(|(_, span)| span.len()).sum();
        let is_all = held as f64 >= ns as f64 * NAMED;
        let sample = (!is_all).then(|| context.sampled(cause, ns, SAMPLED, is_wanted));
        let is_note = is_once || matches!(cause, Cause::NotAttributable | Cause::NoRequests);
        let severity = if is_note { Severity::Note } else { severity };
        let looked_at = sample.as_deref();
        Some(draft(context, rule, (words, says), (ns, gaps.max(1)), severity, (&pieces, looked_at), is_once))
    };
    let found: Vec<Finding> =
        [part(all - first, gaps.saturating_sub(first_gaps), false), part(first, first_gaps, true)]
            .into_iter()
            .flatten()
            .collect();
    if found.is_empty() { Outcome::Nothing } else { Outcome::Found(found) }
}

/// What is said, and the title, where the time of compiling and loading is that of captures.
const CAPTURES: (&str, &str) = ("waits while a graph is captured", "capturing a graph: X");

/// Idle times, each with the index of its device.
type Pieces<'a> = &'a [(usize, Span)];

/// Makes the finding about the time `ns` of a cause in so many gaps, of which the longest are given, and a
/// sample of its time where the longest do not stand for it; `once` is true if it comes once.
fn draft(
    context: &Context<'_>,
    rule: &Rule,
    (words, says): (Words, &str),
    (ns, gaps): (Ns, u64),
    severity: Severity,
    (pieces, sample): (Pieces<'_>, Option<Pieces<'_>>),
    once: bool,
) -> Finding {
    let cause = words.cause;
    let is_capture = cause == Cause::Compile && advice::is_capture(context, pieces);
    let (says, named) = if is_capture { CAPTURES } else { (says, words.title) };
    let seen = Seen::of(context, sample.unwrap_or(pieces));
    let mut reason = if cause.is_of_device() { Reason::default() } else { seen.reason(context) };
    if cause == Cause::NotAttributable {
        // What the host did beside work that did not begin is not why.
        reason = reason.without_name();
    }
    let mut caveats: Vec<String> = rule.caveats.iter().map(|&text| text.to_owned()).collect();
    if let Some(sample) = sample {
        caveats.push(format!("names are of {} points of its time, chosen evenly", sample.len()));
    }
    let what = match context.devices.len() {
        _ if context.is_host => says.to_owned(),
        0 | 1 => format!("the {} {says}", context.kind()),
        _ => format!("the {}s {}", context.kind(), plural(says)),
    };
    let when = context.when(cause, once);
    // The replay leaves all of a cause out, also what comes once.
    let is_whole = ns == context.idle(cause).0;
    let likely = is_whole.then(|| context.likely(cause)).flatten();
    // Two threads cannot run Python at the same time.
    let is_shared = cause == Cause::HostPython && seen.beside() >= SHARED_LOCK;
    let detail = if is_shared {
        let share = seen.beside() * 100.0;
        format!(
            "; in {share:.0} % of it another thread runs Python, too: they share the interpreter's lock (GIL)"
        )
    } else {
        String::new()
    };
    let is_around = |&&(device, span): &&(usize, Span)| reason.is_around(context, device, span);
    let mut at: Vec<&(usize, Span)> = pieces.iter().filter(is_around).take(LOCATIONS).collect();
    if at.is_empty() {
        at = pieces.iter().take(LOCATIONS).collect();
    }
    Finding {
        rule: rule.id,
        advice: if is_capture {
            advice::CAPTURE.to_owned()
        } else {
            advice::of(context, rule, cause, (&reason, &seen), once)
        },
        severity,
        title: title(named, short(&reason.name)),
        time: Some(ns),
        what,
        detail,
        because: reason.text,
        saves: if matches!(cause, Cause::NoRequests | Cause::NotAttributable) { 0 } else { ns },
        basis: "idle time of this cause in the run, all devices added up",
        likely,
        share: context.share(ns),
        when: Some(when),
        once,
        device: context.only_device(|at| context.devices[at].1.of(cause).ns),
        numbers: vec![
            Number::ns("idle", ns),
            Number::count("gaps", gaps),
            Number::ns("longest", pieces.first().map_or(0, |(_, span)| span.len())),
        ],
        seen: seen.shares(context.trace, 4),
        at: at.into_iter().map(|&(device, span)| context.location(device, span)).collect(),
        view: "idle",
        caveats,
    }
}

/// The plural of a text such as "waits for data loading": "wait for data loading".
fn plural(says: &str) -> String {
    let (verb, rest) = says.split_once(' ').unwrap_or((says, ""));
    let verb = if verb == "is" { "are" } else { verb.strip_suffix('s').unwrap_or(verb) };
    format!("{verb} {rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_devices_have_a_verb_of_their_own() {
        assert_eq!(plural("waits for data loading"), "wait for data loading");
        assert_eq!(plural("is idle within graphs"), "are idle within graphs");
        for rule in RULES {
            let Look::Idle { says, .. } = rule.look else { unreachable!("a rule about idle time") };
            assert!(says.split(' ').next().is_some_and(|verb| verb.ends_with('s')), "{says}");
        }
    }
}
