//! The rules about a cause of idle time, a row each, and how each of them looks for its cause.
//!
//! Must not know the rules about device work.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::evidence;
use crate::analysis::insights::finding::{Finding, Number, Outcome};
use crate::analysis::ledger::Cause;
use crate::analysis::thresholds::NAMED;

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
        look: Look::Idle { cause: Cause::DataLoading, says: "waits for data loading" },
    },
    Rule {
        id: "blocking_sync",
        definition: "The host waits for the device, and afterwards refills its queue.",
        source: "Definition of this program: the waits, and the refilling after them until the next \
            launch, up to the length of the waits.",
        caveats: &["a synchronization at the end of a step, after long kernels, usually costs little"],
        advice: "Synchronize and read values (.item(), .cpu(), print) less often, or after the next work has \
            been launched.",
        look: Look::Idle { cause: Cause::BlockingSync, says: "is emptied by a synchronization" },
    },
    Rule {
        id: "blocking_copy",
        definition: "The host is in a copy that returns after its data has arrived, or refills the queue \
            after it.",
        source: "Decided for each call, not by its name: it blocks if its copy on the device has ended when \
            it returns.",
        caveats: &["blocking copies known to be of up to 1 KiB count as synchronizations"],
        advice: "Use pinned memory and non_blocking=True, and launch other work before the data is needed.",
        look: Look::Idle { cause: Cause::BlockingCopy, says: "waits because a copy blocked the host" },
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
            says: "waits while the host dispatches operators or calls",
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
        look: Look::Idle { cause: Cause::HostPython, says: "waits while the host is in Python or a range" },
    },
    Rule {
        id: "cpu_operator",
        definition: "The host is in an operator of 200 µs and more that launches nothing.",
        source: "Of 9,800 operators without a launch in public traces, the 7 of 200 µs and more hold 58 % \
            of the time of all 9,800.",
        caveats: &["an operator that waits for another thread looks the same"],
        advice: "Move the tensors to the device, or the operators to another thread.",
        look: Look::Idle { cause: Cause::CpuOperator, says: "waits for operators that run on the CPU" },
    },
    Rule {
        id: "allocator",
        definition: "The host is in a call of the runtime or driver that manages memory.",
        source: "Calls by name: cudaMalloc, cudaFree, cudaHostAlloc, cuMemAlloc and their like.",
        caveats: &["the first steps of a run often allocate; leave them out"],
        advice: "Let the framework's caching allocator keep memory: no empty_cache() in the loop, stable \
            shapes, expandable segments.",
        look: Look::Idle { cause: Cause::Allocator, says: "waits for calls that manage memory" },
    },
    Rule {
        id: "garbage_collection",
        definition: "The host is in a garbage collection of Python.",
        source: "torchtitan#148: collecting at fixed steps saved 1.5 % of a step on 512 GPUs.",
        caveats: &["collections are only known if the trace records them"],
        advice: "Call gc.disable() once and gc.collect() at fixed steps, or gc.freeze() after start-up.",
        look: Look::Idle { cause: Cause::GarbageCollection, says: "waits for Python's garbage collection" },
    },
    Rule {
        id: "compile",
        definition: "The host compiles, tunes or loads code (also in a launching call of 1 ms and more), or \
            captures or prepares a graph.",
        source: "Events by name (assets/activities.toml) or category.",
        caveats: &["the first steps of a run often compile; leave them out"],
        advice: "Warm up before measuring; avoid recompiling for new shapes (dynamic=True, padding), and \
            keep the caches of Triton and Inductor.",
        look: Look::Idle { cause: Cause::Compile, says: "waits while code or graphs are prepared" },
    },
    Rule {
        id: "checkpoint",
        definition: "The host saves a checkpoint.",
        source: "Events by name or category; activation checkpointing does not count.",
        caveats: &[],
        advice: "Save asynchronously, or less often.",
        look: Look::Idle { cause: Cause::Checkpoint, says: "waits while a checkpoint is saved" },
    },
    Rule {
        id: "waits_for_stream",
        definition: "Work waits for an event of another stream, or is a collective that may wait for other \
            ranks; or the host is in a collective of 200 µs and more that launches nothing.",
        source: "Charged only where the trace has a record of the wait, or a collective.",
        caveats: &["a collective's wait is only seen from its own rank"],
        advice: "For a collective, compare the ranks: the last to arrive decides; for an event, look at the \
            stream that records it.",
        look: Look::Idle { cause: Cause::WaitsForStream, says: "waits for another stream or a collective" },
    },
    Rule {
        id: "launch_delay",
        definition: "The device is idle, up to a bound, until work begins that was launched or whose launch \
            is not known.",
        source: "Definition of this program.",
        caveats: &["work launched to an idle device has a delay that no program can avoid"],
        advice: "Launch work before the device is empty, so that delays are hidden: wait less often, use \
            CUDA graphs.",
        look: Look::Idle { cause: Cause::LaunchDelay, says: "is idle until launched work begins" },
    },
    Rule {
        id: "within_call",
        definition: "The device has nothing to do between two pieces of work of one launch that is not known \
            to be of a graph.",
        source: "Definition of this program; the work before and after the hole is of one launch.",
        caveats: &["a graph whose launch was not recorded is not known to be one"],
        advice: "A library launches several kernels by one call there: look for a variant in one kernel.",
        look: Look::Idle { cause: Cause::WithinCall, says: "is idle between kernels of one call" },
    },
    Rule {
        id: "graph",
        definition: "The device has nothing to do between two pieces of work of one launch of a graph.",
        source: "Definition of this program; the work before and after the hole is of one launch.",
        caveats: &["a graph node whose record was lost may look like idle time"],
        advice: "Fewer and larger kernels in the graph: fused operators, larger batches; programmatic \
            dependent launch.",
        look: Look::Idle { cause: Cause::Graph, says: "is idle within graphs" },
    },
];

/// A finding's names are taken from at most this many pieces of idle time, the longest.
const LOOKED_AT: usize = 64;

/// The most locations that a finding about a cause lists.
const LOCATIONS: usize = 5;

/// Reports the time that is charged to a cause, if its share is at least 5 %. `says` states what the GPU
/// does, such as "waits for data loading".
pub(in crate::analysis::insights) fn find(
    context: &Context<'_>,
    rule: &Rule,
    cause: Cause,
    says: &str,
) -> Outcome {
    let (ns, gaps) = context.idle(cause);
    let share = context.share(ns);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let pieces = context.pieces(cause, LOOKED_AT);
    let seen = evidence::seen(context, &pieces);
    let names = seen.shares(context.trace, 4);
    let looked_at = seen.total;
    let because = match names.first() {
        Some((name, held)) if *held >= NAMED => name.clone(),
        Some(_) => {
            let list = names.iter().take(3).map(|(name, held)| format!("{name} {:.0} %", held * 100.0));
            list.collect::<Vec<_>>().join(", ")
        }
        None => String::new(),
    };
    let mut caveats: Vec<String> = rule.caveats.iter().map(|&text| text.to_owned()).collect();
    if looked_at < ns {
        let of = looked_at as f64 / ns as f64 * 100.0;
        let longest = pieces.len();
        caveats.push(format!(
            "only the {longest} longest idle times were searched for names ({of:.0} % of the time of this \
             cause)"
        ));
    }
    let what = match context.devices.len() {
        0 | 1 => format!("the {} {says}", context.kind()),
        _ => format!("the {}s {}", context.kind(), plural(says)),
    };
    Outcome::Found(Box::new(Finding {
        rule: rule.id,
        advice: rule.advice,
        severity,
        time: Some(ns),
        what,
        because,
        headroom: ns,
        basis: "idle time of this cause in the part, all devices added up",
        share,
        numbers: vec![
            Number::ns("idle", ns),
            Number::count("gaps", gaps),
            Number::ns("longest", pieces.first().map_or(0, |(_, span)| span.len())),
        ],
        seen: names,
        at: pieces.iter().take(LOCATIONS).map(|&(device, span)| context.location(device, span)).collect(),
        view: "idle",
        caveats,
    }))
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
        assert_eq!(plural("is emptied by a synchronization"), "are emptied by a synchronization");
        for rule in RULES {
            let Look::Idle { says, .. } = rule.look else { unreachable!("a rule about idle time") };
            assert!(says.split(' ').next().is_some_and(|verb| verb.ends_with('s')), "{says}");
        }
    }
}
