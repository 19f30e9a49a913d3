//! Kernels and copies that only bring tensors into another layout.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::vocabulary::kernel_names::KERNELS;
use proftui_base::intern::StrId;
use proftui_base::time::sum;
use proftui_trace::model::{Category, GroupId, SliceId};
use rustc_hash::FxHashMap;

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "layout_conversion",
    definition: "Kernels that only convert layouts (nchwToNhwc and their like), and copies on the device \
        that convolutions make, run for 5 % of the time and more.",
    source: "Names of kernels (assets/kernels.toml); copies launched in operators with conv in their name.",
    caveats: &["a conversion once, for many convolutions, may be worth its time"],
    advice: "Keep tensors in the layout that the kernels need: channels_last \
        (model.to(memory_format=torch.channels_last), the inputs, too).",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    let mut kernels: FxHashMap<StrId, bool> = FxHashMap::default();
    let mut operators: FxHashMap<StrId, bool> = FxHashMap::default();
    let mut is_convolution = |launch: SliceId| {
        let around = trace.slices.ancestors(launch).filter(|&id| trace.slices.category(id).is_operator());
        let mut names = around.map(|id| trace.slices.name[id]);
        names.any(|name| {
            let of_name = || memchr::memmem::find(trace.strings.bytes(name), b"conv").is_some();
            *operators.entry(name).or_insert_with(of_name)
        })
    };
    let mut found: Vec<(GroupId, SliceId)> = Vec::new();
    for device in context.work() {
        for work in &device.work {
            let name = trace.slices.name[work.id];
            let is_layout = match trace.slices.category(work.id) {
                Category::Kernel => {
                    let of_name = || KERNELS.layout.has(trace.strings.bytes(name));
                    *kernels.entry(name).or_insert_with(of_name)
                }
                Category::Memcpy => {
                    let is_inner = memchr::memmem::find(trace.strings.bytes(name), b"DtoD").is_some();
                    is_inner && work.launch.is_some_and(|launch| is_convolution(launch.id))
                }
                _ => false,
            };
            if is_layout {
                found.push((device.group, work.id));
            }
        }
    }
    let time = beyond::covered(context, &found);
    let share = context.share(time);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let names = beyond::names(context, &found, 4);
    let of_kernels = sum(found.iter().map(|&(_, id)| trace.slices.dur[id]));
    Draft {
        severity,
        title: title("layout conversions: X", beyond::main(&names)),
        time: Some(time),
        what: "is conversion of layouts".into(),
        saves: time,
        basis: "time of the conversions, which no kernel needs if tensors keep its layout",
        share,
        numbers: vec![Number::ns("time", of_kernels), Number::count("conversions", found.len() as u64)],
        seen: names,
        of: found,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}
