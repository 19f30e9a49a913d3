//! What lanes are for, by which they are labelled: `main` is the thread of the steps, `NCCL` a stream of
//! collectives. A lane that shows no role keeps the name that the file gives it.
//!
//! Must not know lines, or how a label is cut.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use proftui_base::ids::Column;
use proftui_base::time::Ns;
use proftui_trace::model::{
    Category, GroupId, GroupKind, Lane, LaneId, LaneKind, SliceFlags, SliceId, Trace,
};

use crate::app::session::order::Order;

/// The least share of a stream's work that makes it a stream of that kind of work.
const MOSTLY: f64 = 0.8;
/// How many events of a lane are looked at for what its thread runs.
const LOOKED_AT: usize = 64;

/// The roles of lanes, by the lane.
#[derive(Debug, Default)]
pub struct Roles {
    of: Column<LaneId, Option<String>>,
}

/// How long a stream had work of each kind, ns.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    all: Ns,
    collectives: Ns,
    to_device: Ns,
    to_host: Ns,
    copies: Ns,
}

impl Roles {
    /// Finds the roles of a trace's lanes. Of several lanes of a group with the same role, all but the first
    /// in `order` have a number.
    pub fn of(trace: &Trace, order: &Order) -> Self {
        let mut roles = Self { of: vec![None; trace.lanes.len()].into() };
        let mains = mains(trace);
        for &group in &order.groups {
            let mut counts: HashMap<String, u32> = HashMap::new();
            for &lane in order.lanes(trace, group) {
                let Some(role) = role(trace, group, lane, &mains) else { continue };
                let count = counts.entry(role.clone()).or_default();
                *count += 1;
                roles.of[lane] = Some(if *count == 1 { role } else { format!("{role} {count}") });
            }
        }
        roles
    }

    /// The role of a lane, such as `main` or `compute 2`; none if nothing shows it.
    pub fn get(&self, lane: LaneId) -> Option<&str> {
        self.of.get(lane)?.as_deref()
    }
}

/// A lane of each worker's main thread: the one that runs its steps, else of those that run no backward
/// functions the one that launches most, else has most events.
fn mains(trace: &Trace) -> Vec<LaneId> {
    let mut of_workers: HashMap<_, LaneId> = HashMap::new();
    for step in trace.steps.iter().filter(|step| step.slice != SliceId::NONE) {
        of_workers.entry(step.worker).or_insert_with(|| trace.lane_of(step.slice));
    }
    let launches = |lane: &Lane| trace.links.within(lane.slices).len();
    let mut most: HashMap<_, ((bool, usize, usize), LaneId)> = HashMap::new();
    for (id, lane) in trace.lanes.iter_with_ids() {
        let worker = trace.groups[lane.group].worker;
        let is_process = trace.groups[lane.group].kind == GroupKind::Process;
        if is_process && lane.kind == LaneKind::Thread && !lane.slices.is_empty() {
            let rank = (!runs_backward(trace, id), launches(lane), lane.slices.len());
            let most = most.entry(worker).or_insert((rank, id));
            if rank > most.0 {
                *most = (rank, id);
            }
        }
    }
    // Without launches anywhere, no thread is known to be the one that matters.
    let launching: HashSet<_> = trace
        .lanes
        .iter()
        .filter(|lane| launches(lane) > 0)
        .map(|lane| trace.groups[lane.group].worker)
        .collect();
    for (worker, (_, lane)) in most.into_iter().filter(|(worker, _)| launching.contains(worker)) {
        of_workers.entry(worker).or_insert(lane);
    }
    of_workers.into_values().collect()
}

fn role(trace: &Trace, group: GroupId, id: LaneId, mains: &[LaneId]) -> Option<String> {
    let lane = &trace.lanes[id];
    match (trace.groups[group].kind, lane.kind) {
        (GroupKind::Device, LaneKind::Stream) => stream(trace, id),
        // Below its heading the device need not be named again.
        (GroupKind::Device, LaneKind::Counter) => {
            trace.lane_title(lane).starts_with("memory · ").then(|| "memory".to_owned())
        }
        (GroupKind::Process, LaneKind::Thread | LaneKind::Python) => {
            let is_main = mains
                .iter()
                .any(|&main| trace.lanes[main].group == group && trace.lanes[main].tid == lane.tid);
            let name = trace.strings.text(lane.name);
            let of_thread = if is_main {
                "main"
            } else if name.as_str().contains("autograd") || runs_backward(trace, id) {
                "autograd"
            } else if name.as_str().contains("DataLoader") {
                "loader"
            } else {
                return None;
            };
            Some(match lane.kind {
                LaneKind::Python if is_main => "Python".to_owned(),
                LaneKind::Python => format!("Python of {of_thread}"),
                _ => of_thread.to_owned(),
            })
        }
        _ => None,
    }
}

/// True if one of a lane's first events is of PyTorch's engine that runs backward functions, or one of these.
fn runs_backward(trace: &Trace, lane: LaneId) -> bool {
    let slices = trace.lanes[lane].slices;
    slices.iter().take(LOOKED_AT).any(|id| {
        let name = trace.name(id);
        let name = name.as_str();
        let is_operator = trace.slices.category(id).is_operator();
        name.starts_with("autograd::engine")
            || is_operator && name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("Backward")
    })
}

/// The role of a device's stream by what most of its work is; none for a stream without work.
fn stream(trace: &Trace, lane: LaneId) -> Option<String> {
    let slices = &trace.slices;
    let ids = trace.lanes[lane].slices.indices();
    let work = ids.into_par_iter().map(|at| {
        let id = SliceId::from_index(at);
        let ns = slices.dur[id];
        let is_collective = slices.flags[id].has(SliceFlags::COMMUNICATION);
        let is_copy = slices.category(id) == Category::Memcpy;
        let (to_device, to_host) = if is_copy {
            let name = trace.name(id);
            (name.as_str().contains("HtoD"), name.as_str().contains("DtoH"))
        } else {
            (false, false)
        };
        let only = |is_it: bool| if is_it { ns } else { 0 };
        Work {
            all: ns,
            collectives: only(is_collective),
            to_device: only(to_device),
            to_host: only(to_host),
            copies: only(is_copy),
        }
    });
    let work = work.reduce(Work::default, |a, b| Work {
        all: a.all.saturating_add(b.all),
        collectives: a.collectives.saturating_add(b.collectives),
        to_device: a.to_device.saturating_add(b.to_device),
        to_host: a.to_host.saturating_add(b.to_host),
        copies: a.copies.saturating_add(b.copies),
    });
    if work.all == 0 {
        return None;
    }
    let is_most = |part: Ns| part as f64 >= work.all as f64 * MOSTLY;
    let first = trace.lanes[lane].slices.iter().take(LOOKED_AT);
    let is_nccl = || first.clone().any(|id| trace.name(id).as_str().starts_with("nccl"));
    let role = match () {
        () if is_most(work.collectives) && is_nccl() => "NCCL",
        () if is_most(work.collectives) => "collectives",
        () if is_most(work.to_device) => "copies to GPU",
        () if is_most(work.to_host) => "copies to host",
        () if is_most(work.copies) => "copies",
        () => "compute",
    };
    Some(role.to_owned())
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use crate::app::session::Session;

    #[test]
    fn lanes_are_named_after_what_they_do() {
        let slice = |cat: &str, name: &str, (pid, tid): (u32, u32), dur: u32, correlation: u32| {
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{correlation}0,"dur":{dur},
                "args":{{"device":{pid},"stream":{tid},"correlation":{correlation}}}}}"#
            )
        };
        let thread = |tid: u32, name: &str| {
            format!(r#"{{"ph":"M","name":"thread_name","pid":9,"tid":{tid},"args":{{"name":"{name}"}}}}"#)
        };
        let events = [
            slice("cuda_runtime", "cudaLaunchKernel", (9, 20), 5, 1),
            slice("cpu_op", "aten::mm", (9, 21), 5, 2),
            slice("cpu_op", "autograd::engine::evaluate_function: Mm", (9, 22), 5, 3),
            slice("cpu_op", "read", (9, 23), 5, 4),
            thread(23, "DataLoader"),
            slice("kernel", "gemm", (0, 7), 60, 1),
            slice("kernel", "add", (0, 8), 50, 5),
            slice("kernel", "ncclDevKernel_AllReduce", (0, 9), 9, 6),
            slice("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", (0, 10), 3, 7),
            slice("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", (0, 11), 2, 8),
        ];
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let session = Session::new(loaded);
        let trace = &session.trace;
        let role = |tid: &str| {
            let lanes = trace.lanes.iter_with_ids();
            let mut of_thread = lanes.filter(|(_, lane)| trace.strings.text(lane.tid).as_str() == tid);
            of_thread.next().and_then(|(id, _)| session.roles.get(id)).unwrap_or("-").to_owned()
        };
        let found = ["20", "21", "22", "23", "7", "8", "9", "10", "11"].map(role);
        let wanted = [
            "main",
            "-",
            "autograd",
            "loader",
            "compute",
            "compute 2",
            "NCCL",
            "copies to GPU",
            "copies to host",
        ];
        assert_eq!(found, wanted);
    }
}
