//! Matrix products in float32 without tensor cores, on a device that has them.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Unit, title};
use crate::analysis::thresholds::SIMT;
use crate::analysis::vocabulary::tensor_cores::tensor_cores;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::vocabulary::kernel_names::KERNELS;

pub(super) const RULE: Rule = Rule {
    id: "no_tensor_cores",
    definition: "Float32 matrix products and convolutions without tensor cores have 15 % of the kernels' \
        time and 5 % of all time, and more, and a device of the trace has tensor cores.",
    source: "Names of kernels; compute capability 7.0 and later counts as having tensor cores (also the \
        GTX 16 series, which has none).",
    caveats: &["a model may need float32; tensor cores compute float32 products as TF32, with fewer bits"],
    advice: "Use bfloat16 (autocast), or allow TF32, for matrix products by \
        torch.set_float32_matmul_precision(\"high\").",
    look: Look::Work(find),
};

/// What helps before Ampere, whose tensor cores were the first to take bfloat16 and TF32.
const FLOAT16: &str = "Use float16 (autocast with a GradScaler): the tensor cores of this device take \
    neither bfloat16 nor TF32.";

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    // Each name is looked at once.
    let mut names: FxHashMap<StrId, (bool, Option<bool>)> = FxHashMap::default();
    let mut kind = |name: StrId| {
        let of_name = || (KERNELS.simt.has(trace.strings.bytes(name)), tensor_cores(trace, name));
        *names.entry(name).or_insert_with(of_name)
    };
    let (mut total, mut slow, mut unknown): (Ns, Ns, Ns) = (0, 0, 0);
    let mut found = Vec::new();
    for (device, work) in beyond::kernels(context) {
        total = total.saturating_add(work.dur());
        match kind(trace.slices.name[work.id]) {
            (true, Some(false)) => {
                slow = slow.saturating_add(work.dur());
                found.push((device.group, work.id));
            }
            (_, None) => unknown = unknown.saturating_add(work.dur()),
            _ => {}
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
    let time = beyond::covered(context, &found);
    let of_part = context.share(time);
    let Some(severity) = Context::severity(of_part) else { return Outcome::Nothing };
    let names = beyond::names(context, &found, 4);
    let least = if unknown > 0 { "at least " } else { "" };
    Draft {
        severity,
        title: title("float32 without tensor cores: X", beyond::main(&names)),
        time: Some(time),
        what: "is float32 matrix work without tensor cores".into(),
        detail: format!("{has}; it is {least}{:.0} % of the kernels' time", share * 100.0),
        saves: 0,
        basis: "how much faster tensor cores are is not known from the trace",
        advice: (capability < 8.0).then_some(FLOAT16),
        share: of_part,
        numbers: vec![
            Number::ns("simt", slow),
            Number::ratio("share_of_kernels", share),
            Number::ns("not_judged", unknown),
            Number { name: "capability", value: capability, unit: Unit::Count },
        ],
        seen: names,
        of: found,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}
