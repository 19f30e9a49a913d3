//! Communication between devices that computation does not hide.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome};
use crate::analysis::part::work::WorkKind;
use crate::analysis::thresholds::HIDDEN;
use proftui_base::time::Ns;

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "communication",
    definition: "Communication runs beside no other work for 5 % of the time and more, and less than 70 % of \
        its time is hidden.",
    source: "HTA's overlap of communication and computation, but copies hide communication, too; the limits \
        are of this program.",
    caveats: &["a rank that arrives early waits inside its collectives: compare the ranks"],
    advice: "Overlap communication with the backward pass (buckets, prefetching), communicate less, or look \
        for the late rank.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let (mut exposed, mut all) = (0, 0);
    let mut kernels = Vec::new();
    for device in context.work() {
        let is = |work: &crate::analysis::part::work::Work| work.kind == Some(WorkKind::Communication);
        let (alone, total) = beyond::alone(device.spans(is), device.spans(|work| !is(work)));
        (exposed, all) = (Ns::saturating_add(exposed, alone), Ns::saturating_add(all, total));
        kernels.extend(device.work.iter().filter(|work| is(work)).map(|work| (device.group, work.id)));
    }
    let share = context.share(exposed);
    let hidden = (all - exposed) as f64 / all.max(1) as f64;
    let Some(severity) = Context::severity(share).filter(|_| hidden < HIDDEN) else {
        return Outcome::Nothing;
    };
    Outcome::Found(
        Draft {
            severity,
            time: Some(exposed),
            what: format!(
                "some communication runs alone; {:.0} % of all communication time is hidden behind other \
                 work",
                hidden * 100.0
            ),
            headroom: exposed,
            basis: "time in which a device runs only communication; none of it is idle time",
            share,
            numbers: vec![
                Number::ns("exposed", exposed),
                Number::ns("communication_total", all),
                Number::ratio("hidden", hidden),
                Number::count("kernels", kernels.len() as u64),
            ],
            seen: beyond::names(context, &kernels, 4),
            at: beyond::longest(context, kernels),
            view: "distributed",
        }
        .of(rule),
    )
}
