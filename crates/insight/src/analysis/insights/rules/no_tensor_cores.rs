//! Matrix products in float32 without tensor cores, on a device that has them.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Unit};
use crate::analysis::thresholds::SIMT;
use crate::analysis::vocabulary::tensor_cores::uses_tensor_cores;
use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

use super::beyond::{self, Draft};
use super::kernel_names::KERNELS;
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "no_tensor_cores",
    definition: "Float32 matrix products and convolutions without tensor cores have 15 % of the kernels' \
        time and 5 % of all time, and more, and a device of the trace has tensor cores.",
    source: "Names of kernels; compute capability 7.0 and later counts as having tensor cores (also the \
        GTX 16 series, which has none).",
    caveats: &["a model may need float32; tensor cores compute float32 products as TF32, with fewer bits"],
    advice: "Use bfloat16 (autocast), or allow TF32, for matrix products by \
        torch.set_float32_matmul_precision(\"high\"); before Ampere (8.0) only float16 helps.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    // Each name is looked at once.
    let mut names: FxHashMap<StrId, bool> = FxHashMap::default();
    let mut is_simt = |name: StrId| {
        let of_name = || KERNELS.simt.has(trace.strings.bytes(name)) && !uses_tensor_cores(trace, name);
        *names.entry(name).or_insert_with(of_name)
    };
    let (mut total, mut slow): (Ns, Ns) = (0, 0);
    let mut found = Vec::new();
    for (device, work) in beyond::kernels(context) {
        total = total.saturating_add(work.dur());
        if is_simt(trace.slices.name[work.id]) {
            slow = slow.saturating_add(work.dur());
            found.push((device.group, work.id));
        }
    }
    let share = slow as f64 / total.max(1) as f64;
    if share < SIMT {
        return Outcome::Nothing;
    }
    let capability =
        trace.devices.iter().filter_map(|device| device.capability.parse::<f64>().ok()).reduce(f64::max);
    let Some(capability) = capability else {
        return Outcome::Abstained("the trace does not state the device's compute capability".into());
    };
    if capability < 7.0 {
        return Outcome::Nothing;
    }
    // TF32 and bfloat16 came with 8.0.
    let has = if capability < 8.0 {
        ", which a device of the trace has for float16"
    } else {
        ", which a device of the trace has"
    };
    let of_part = context.share(slow);
    let Some(severity) = Context::severity(of_part) else { return Outcome::Nothing };
    Outcome::Found(
        Draft {
            severity,
            time: None,
            what: format!(
                "{:.0} % of the kernels' time ({}) is float32 matrix products and convolutions without \
                 tensor cores{has}",
                share * 100.0,
                fmt::duration(slow)
            ),
            headroom: 0,
            basis: "how much faster tensor cores are is not known from the trace",
            share: of_part,
            numbers: vec![
                Number::ns("simt", slow),
                Number::ratio("share_of_kernels", share),
                Number { name: "capability", value: capability, unit: Unit::Count },
            ],
            seen: beyond::names(context, &found, 4),
            at: beyond::longest(context, found),
            view: "kernel",
        }
        .of(rule),
    )
}
