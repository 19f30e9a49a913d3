//! Communication between devices that computation does not hide.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::part::device_time::overlap;
use crate::analysis::part::work::WorkKind;
use crate::analysis::thresholds::{HIDDEN, NAMED};
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{GroupId, SliceId};
use std::collections::BTreeMap;

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "communication",
    definition: "Communication runs beside no kernel that computes for 5 % of the time and more, and less \
        than 70 % of its time is hidden.",
    source: "HTA's overlap of communication and computation; the limits are of this program.",
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
        if !device.work.iter().any(is) {
            continue;
        }
        let time = overlap(device);
        exposed = Ns::saturating_add(exposed, time.exposed());
        all = Ns::saturating_add(all, time.communication);
        kernels.extend(device.work.iter().filter(|work| is(work)).map(|work| (device.group, work.id)));
    }
    let share = context.share(exposed);
    let hidden = (all - exposed) as f64 / all.max(1) as f64;
    let Some(severity) = Context::severity(share).filter(|_| hidden < HIDDEN) else {
        return Outcome::Nothing;
    };
    let names = beyond::names(context, &kernels, 4);
    Draft {
        severity,
        title: {
            let (name, runs) = collective(context, &kernels);
            title(&format!("X {runs} alone, {:.0} % hidden", hidden * 100.0), &name)
        },
        time: Some(exposed),
        what: "communication runs alone".into(),
        detail: format!("; {:.0} % of its time is hidden behind computation", hidden * 100.0),
        saves: exposed,
        basis: "time in which a device communicates and computes nothing; none of it is idle time",
        share,
        numbers: vec![
            Number::ns("exposed", exposed),
            Number::ns("communication_total", all),
            Number::ratio("hidden", hidden),
            Number::count("kernels", kernels.len() as u64),
        ],
        seen: names,
        of: kernels,
        view: "distributed",
        ..Draft::default()
    }
    .of(context, rule)
}

/// The name of the collective that most of the kernels' time is of, in PyTorch's words: by the range around
/// the launch, such as `nccl:all_to_all`, else by the kernel's name; `communication` where several are. With
/// it the verb: `and others run` where the kernels are not all of that collective.
fn collective(context: &Context<'_>, kernels: &[(GroupId, SliceId)]) -> (String, &'static str) {
    let trace = context.trace;
    let slices = &trace.slices;
    let of_range = |id: SliceId| {
        let launch = trace.links.launch_of(id)?;
        let mut names = slices.ancestors(launch).map(|around| trace.strings.bytes(slices.name[around]));
        let name = names.find_map(|name| name.strip_prefix(b"nccl:"))?;
        let word: Vec<u8> = name.iter().copied().take_while(|&byte| byte != b' ').collect();
        Some(String::from_utf8_lossy(&word).trim_start_matches('_').to_owned())
    };
    let mut times: BTreeMap<String, Ns> = BTreeMap::new();
    for &(_, id) in kernels {
        let name = of_range(id).unwrap_or_else(|| of_kernel(trace.name(id).as_str()).to_owned());
        let time = times.entry(name).or_default();
        *time = time.saturating_add(slices.dur[id]);
    }
    let all = sum(times.values().copied());
    let most = times.into_iter().max_by_key(|(_, ns)| *ns);
    let named = most.filter(|(_, ns)| *ns as f64 >= all as f64 * NAMED);
    named.map_or(("communication".to_owned(), "runs"), |(name, ns)| {
        (name, if ns == all { "runs" } else { "and others run" })
    })
}

/// The name of a collective, in PyTorch's words, by that of its kernel.
fn of_kernel(kernel: &str) -> &'static str {
    const NAMES: [(&str, &str); 7] = [
        ("allreduce", "all_reduce"),
        ("allgather", "all_gather"),
        ("reducescatter", "reduce_scatter"),
        ("alltoall", "all_to_all"),
        ("broadcast", "broadcast"),
        ("sendrecv", "send and receive"),
        ("reduce", "reduce"),
    ];
    let bare: String = kernel.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    NAMES.iter().find(|(part, _)| bare.contains(part)).map_or("communication", |(_, name)| name)
}
