//! More memory is in use at the end of each step.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Severity, Unit, title};
use crate::analysis::part::location::Location;
use crate::analysis::thresholds::{GROWTH, OUTLIER_STEPS};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_trace::model::MemoryEvent;

use super::beyond::Draft;
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "memory_growth",
    definition: "In a part of at least five steps, the memory in use at the ends of steps rises by \
        32 MB and more from the third step where it is known to the last, and never falls.",
    source: "The last memory event of each step that states the memory in use; PyTorch's memory of the CPU \
        does not count.",
    caveats: &["a cache that fills up grows, too, until it is full"],
    advice: "Look for tensors that are kept over steps: losses that are added up with their graph, lists of \
        outputs.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    if trace.memory.is_empty() {
        return Outcome::Abstained("no memory events were loaded".into());
    }
    let steps: Vec<_> = context.part.steps().collect();
    if (steps.len() as f64) < OUTLIER_STEPS {
        return Outcome::Abstained("fewer than five steps in this part".into());
    }
    let mut ends: Vec<(i64, usize)> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let from = trace.memory.partition_point(|event| event.ts < step.span.start);
        let to = trace.memory.partition_point(|event| event.ts <= step.span.end).max(from);
        let on_device =
            |event: &&MemoryEvent| !trace.strings.bytes(event.place).to_ascii_lowercase().starts_with(b"cpu");
        let in_use = |event: &MemoryEvent| event.allocated.get();
        ends.extend(
            trace.memory[from..to]
                .iter()
                .rev()
                .filter(on_device)
                .find_map(in_use)
                .map(|bytes| (bytes, number)),
        );
    }
    let ends = ends.get(2..).unwrap_or(&[]);
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else { return Outcome::Nothing };
    let growth = last.0 - first.0;
    if !ends.is_sorted() || (growth as f64) < GROWTH {
        return Outcome::Nothing;
    }
    let each = growth / (saturate::<i64>(ends.len()) - 1).max(1);
    Draft {
        severity: Severity::Warning,
        title: title("memory grows X a step", &fmt::bytes(each)),
        what: format!(
            "the memory in use at the ends of {} steps never falls and grows by {}: {} a step on \
                 average",
            ends.len(),
            fmt::bytes(growth),
            fmt::bytes(each)
        ),
        saves: 0,
        basis: "memory, no time",
        share: 0.0,
        numbers: vec![
            Number { name: "growth", value: growth as f64, unit: Unit::Bytes },
            Number { name: "growth_per_step", value: each as f64, unit: Unit::Bytes },
            Number::count("steps", ends.len() as u64),
        ],
        seen: Vec::new(),
        at: vec![Location { span: steps[last.1].span, at: None }],
        view: "memory",
        ..Draft::default()
    }
    .of(context, rule)
}
