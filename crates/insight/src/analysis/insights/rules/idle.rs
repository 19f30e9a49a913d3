//! What the rules about a cause of idle time have in common.
//!
//! Must not know any one cause.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::evidence;
use crate::analysis::insights::finding::{Finding, Number, Outcome};
use crate::analysis::insights::thresholds::NAMED;
use crate::analysis::ledger::Cause;

use crate::analysis::insights::rule::Rule;

/// Pieces that evidence is taken from.
const LOOKED_AT: usize = 64;

/// Locations that are listed.
const LOCATIONS: usize = 5;

/// Reports the idle time of a cause, where its share is large enough. `says` is the sentence after "The GPU", such as "waits for data
/// loading".
pub(super) fn find(context: &Context<'_>, rule: &Rule, cause: Cause, says: &str) -> Outcome {
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
        caveats.push(format!("names were taken from the {} longest times ({of:.0} % of it)", pieces.len()));
    }
    let device = if context.devices.len() > 1 { "GPUs" } else { "GPU" };
    let verb = if context.devices.len() > 1 { says.replacen("is ", "are ", 1) } else { says.to_owned() };
    Outcome::Found(Box::new(Finding {
        rule: rule.id,
        severity,
        time: Some(ns),
        what: format!("the {device} {verb}"),
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
