//! The reason of idle time, at the depth at which one name explains it: the deepest operator, module or frame
//! of the launching thread that has most of the time, not the many small ones inside.
//!
//! Must not know rules.

use rustc_hash::{FxHashMap, FxHashSet};

use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, SliceFlags, SliceId, Trace};

use super::context::Context;
use super::evidence::{gap_around, lanes_of_thread, stacks};
use crate::analysis::ledger::{DeviceLedger, activity};
use crate::analysis::part::run::Run;
use crate::analysis::part::time::{length, union};
use crate::analysis::thresholds::{MENTIONED, NAMED, SPANNING};
use crate::analysis::vocabulary::address;
use crate::analysis::vocabulary::script_line::Frame;

/// The time of a name in the idle time that was looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    /// The time in which a slice of the name was around, ns.
    around: Ns,
    /// The time in which such a slice was the innermost, ns.
    innermost: Ns,
    /// The sum over `around` of how many slices are around the name's slice.
    depth: f64,
    /// The length of the longest of its slices, ns.
    longest: Ns,
}

/// The ends of the names of functions that only call another one.
const WRAPPERS: [&[u8]; 5] =
    [b": _call_impl", b": _wrapped_call_impl", b": decorate_context", b": _fn", b": wrapper"];

/// What the threads did in idle time, by the names of their slices.
#[derive(Debug, Default)]
pub(super) struct Seen {
    by_name: FxHashMap<StrId, Held>,
    /// What other threads did while the thread waited for one.
    of_others: FxHashMap<StrId, Held>,
    /// The time in which the thread waited for another one, ns.
    waited: Ns,
    /// The time in which another thread ran Python, too, ns; only of host threads.
    beside: Ns,
    /// Which names are of frames in which a thread waits.
    waits: FxHashMap<StrId, bool>,
    /// The stacks, the root first: each node is a name within those above it.
    tree: Vec<Node>,
    /// All idle time that was looked at, ns.
    pub(super) total: Ns,
}

/// A name within the names around it.
#[derive(Debug, Default)]
struct Node {
    name: StrId,
    time: Ns,
    below: FxHashMap<StrId, usize>,
}

/// The reason of idle time in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reason {
    /// The name or names that stand as the reason, such as `preprocess: normalize 53 %`; empty if none is
    /// known.
    pub(super) text: String,
    /// The one name that has most of the time; empty if there is none.
    pub(super) name: String,
    /// The string of `name`, where it is of a slice of the thread that launches; `None` for that of another.
    id: Option<StrId>,
    /// True if the trace has the stacks of that time: to record them is no advice.
    pub(super) has_stacks: bool,
}

impl Reason {
    /// The same without names.
    pub(super) fn without_name(self) -> Self {
        Self { has_stacks: self.has_stacks, ..Self::default() }
    }

    /// True if most of a piece of the idle time of the context's device with this index is in slices of the
    /// reason's name, or if there is no such name.
    pub(super) fn is_around(&self, context: &Context<'_>, device: usize, piece: Span) -> bool {
        let (trace, device) = (context.trace, context.devices[device].0);
        let Some(name) = self.id else { return true };
        let Some(lanes) = lanes_asked(trace, device, piece) else { return false };
        let mut around: Ns = 0;
        stacks(trace, &lanes, piece, |time, stack| {
            let is_in = stack.iter().any(|&id| trace.slices.name[id] == name);
            around += if is_in { time.len() } else { 0 };
        });
        around * 2 >= piece.len()
    }
}

impl Seen {
    /// Looks at pieces of the context's idle time; each comes with the index of its device in
    /// `context.devices`.
    pub(super) fn of(context: &Context<'_>, pieces: &[(usize, Span)]) -> Self {
        let mut seen = Self { tree: vec![Node::default()], ..Self::default() };
        for &(device, piece) in pieces {
            context.part.check();
            seen.add(context.trace, context.devices[device].0, piece);
        }
        seen
    }

    /// The sum over the names for which `is_wanted` is true of the share of the time in which they were
    /// around, at most 1.
    pub(super) fn share_of(&self, trace: &Trace, is_wanted: impl Fn(&[u8]) -> bool) -> f64 {
        let wanted = self.by_name.iter().filter(|(name, _)| is_wanted(trace.strings.bytes(**name)));
        wanted.map(|(_, held)| self.share(held.around)).sum::<f64>().min(1.0)
    }

    /// Adds a piece of a device's idle time, with what the thread did in that time that launched the next
    /// work, or, after the last work, that one; if known.
    fn add(&mut self, trace: &Trace, device: &DeviceLedger, piece: Span) {
        self.total = self.total.saturating_add(piece.len());
        let Some(lanes) = lanes_asked(trace, device, piece) else { return };
        if device.is_host {
            self.add_beside(trace, &lanes, piece);
        }
        let mut waited: Vec<Span> = Vec::new();
        stacks(trace, &lanes, piece, |time, stack| {
            add(trace, &mut self.by_name, time, stack);
            grow(trace, &mut self.tree, time, stack);
            if stack.last().is_some_and(|&id| is_waiting(trace, &mut self.waits, id)) {
                waited.push(time);
            }
        });
        for time in union(waited) {
            self.waited = self.waited.saturating_add(time.len());
            for other in threads_beside(trace, &lanes) {
                stacks(trace, &other, time, |time, stack| {
                    if stack.last().is_some_and(|&id| !is_waiting(trace, &mut self.waits, id)) {
                        add(trace, &mut self.of_others, time, stack);
                    }
                });
            }
        }
    }

    /// Adds the time of a piece in which another thread than that of `lanes` is in a Python frame and does
    /// not wait.
    fn add_beside(&mut self, trace: &Trace, lanes: &[LaneId], piece: Span) {
        let mut spans: Vec<Span> = Vec::new();
        for other in threads_beside(trace, lanes) {
            stacks(trace, &other, piece, |time, stack| {
                let is_python = |&&id: &&SliceId| trace.slices.category(id) == Category::PythonFunction;
                let innermost = stack.last().filter(is_python);
                if innermost.is_some_and(|&id| !is_waiting(trace, &mut self.waits, id)) {
                    spans.push(time);
                }
            });
        }
        self.beside = self.beside.saturating_add(length(&union(spans)));
    }

    /// The share (0 to 1) of the time that was looked at in which another thread ran Python, too.
    pub(super) fn beside(&self) -> f64 {
        self.share(self.beside)
    }

    fn share(&self, ns: Ns) -> f64 {
        ns as f64 / self.total.max(1) as f64
    }

    /// The `most` names that were innermost for the largest shares (0 to 1) of all time that was looked at,
    /// the largest first.
    pub(super) fn shares(&self, trace: &Trace, most: usize) -> Vec<(String, f64)> {
        let mut all: FxHashMap<String, Ns> = FxHashMap::default();
        for (&name, held) in self.by_name.iter().filter(|(_, held)| held.innermost > 0) {
            *all.entry(shown(trace, name)).or_default() += held.innermost;
        }
        let mut all: Vec<(String, Ns)> = all.into_iter().collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        all.into_iter().take(most).map(|(name, ns)| (name, self.share(ns))).collect()
    }

    /// The parts of the time, the largest first: below the names that have most of it, each part is the
    /// deepest name that has most of its branch, with its own time.
    fn parts(&self, trace: &Trace) -> Vec<(StrId, Ns)> {
        let Some(mut at) = self.tree.first().map(|_| 0_usize) else { return Vec::new() };
        let is_wrapper =
            |name: StrId| WRAPPERS.iter().any(|wrapper| trace.strings.bytes(name).ends_with(wrapper));
        let below = |at: usize| self.tree[at].below.values().copied();
        let main =
            |at: usize, of: Ns| below(at).find(|&child| self.tree[child].time as f64 >= of as f64 * NAMED);
        while let Some(child) = main(at, self.total) {
            at = child;
        }
        let mut parts: FxHashMap<StrId, Ns> = FxHashMap::default();
        for mut child in below(at) {
            let whole = self.tree[child].time;
            if self.share(whole) < MENTIONED {
                continue;
            }
            let mut named = child;
            while let Some(inner) = main(child, whole) {
                child = inner;
                named = if is_wrapper(self.tree[inner].name) { named } else { inner };
            }
            *parts.entry(self.tree[named].name).or_default() += self.tree[named].time;
        }
        let mut parts: Vec<(StrId, Ns)> = parts.into_iter().collect();
        parts.sort_by_key(|&(name, ns)| (std::cmp::Reverse(ns), name));
        parts
    }

    /// The reason: the deepest name that has most of the time and does not span all of it; with the name
    /// inside that has most of that, if it is another. Else up to three parts of the time, with their shares.
    pub(super) fn reason(&self, context: &Context<'_>) -> Reason {
        let trace = context.trace;
        // Of the whole trace: a function may last for all of a chosen stretch.
        let runs = context.part.workers().iter().map(|&worker| length(&Run::of(trace, worker).run));
        let run = runs.max().unwrap_or_default();
        let spans_all = |held: &Held| held.longest as f64 >= run as f64 * SPANNING;
        // A step of a serving engine is a range like others.
        let steps: FxHashSet<StrId> = trace.steps.iter().map(|step| trace.slices.name[step.slice]).collect();
        let names = self.shares(trace, 3);
        let depth = |held: &Held| held.depth / held.around.max(1) as f64;
        // The names that have most of a time, the deepest first.
        let deepest_of = |names: &FxHashMap<StrId, Held>, all: Ns| {
            let has_most = |held: &Held| held.around as f64 >= all as f64 * NAMED && all > 0;
            let is_wrapper = |name: StrId| {
                let name = trace.strings.bytes(name);
                WRAPPERS.iter().any(|wrapper| name.ends_with(wrapper))
            };
            let mut deep: Vec<(StrId, Held)> = names
                .iter()
                .filter(|&(&name, held)| has_most(held) && !spans_all(held) && !steps.contains(&name))
                .filter(|&(&name, _)| !is_wrapper(name))
                .map(|(&name, held)| (name, *held))
                .collect();
            deep.sort_by(|one, other| depth(&other.1).total_cmp(&depth(&one.1)).then(one.0.cmp(&other.0)));
            deep
        };
        let deep = deepest_of(&self.by_name, self.total);
        let has_stacks =
            self.by_name.keys().any(|&name| Frame::of(trace.strings.bytes(name)) != Frame::Other);
        let list = || {
            let parts = self.parts(trace).into_iter().take(3);
            let shown =
                parts.map(|(name, ns)| format!("{} {:.0} %", shown(trace, name), self.share(ns) * 100.0));
            shown.collect::<Vec<_>>().join(", ")
        };
        let Some(&(deepest, held)) = deep.first() else {
            return Reason { text: list(), has_stacks, ..Reason::default() };
        };
        let name = shown(trace, deepest);
        // The reason of a wait for another thread is what that one did.
        if self.share(self.waited) >= NAMED
            && let Some(&(other, _)) = deepest_of(&self.of_others, self.waited).first()
        {
            let other = shown(trace, other);
            let text = format!("{other}, for which {name} waits");
            return Reason { text, name: other, has_stacks, ..Reason::default() };
        }
        let frame = |name: StrId| Frame::of(trace.strings.bytes(name));
        // A function of a library is known to the user by the function of the script that calls it.
        let own = deep.iter().map(|(name, _)| *name).find(|&name| frame(name) == Frame::User);
        let own = own.filter(|&own| own != deepest && frame(deepest) != Frame::User);
        // Two names are stated together only where that share is of both.
        let around = |name: StrId| self.share(self.by_name.get(&name).map_or(0, |held| held.around));
        let has_both = own.is_none_or(|own| around(own) + self.share(held.around) - 1.0 >= NAMED);
        let inside = names.first().filter(|(inner, share)| *inner != name && *share >= 0.5);
        let text = match (own, inside) {
            (Some(own), _) if !has_both => shown(trace, own),
            (Some(own), _) => {
                format!("{}: {name} {:.0} %", shown(trace, own), self.share(held.around) * 100.0)
            }
            (None, Some((inner, share))) => format!("{name}: {inner} {:.0} %", share * 100.0),
            (None, None) => name.clone(),
        };
        let id = own.unwrap_or(deepest);
        Reason { text, name: shown(trace, id), id: Some(id), has_stacks }
    }
}

/// The lanes of the thread that launched the next work after a piece of a device's idle time, or, after the
/// last work, that one; of the host's ledger those of its thread. `None` if the thread is not known.
fn lanes_asked(trace: &Trace, device: &DeviceLedger, piece: Span) -> Option<Vec<LaneId>> {
    let call = gap_around(trace, device, piece).and_then(|sides| sides.asked(trace));
    match call {
        Some(call) => Some(lanes_of_thread(trace, call)),
        None => device.is_host.then(|| device.lanes.clone()),
    }
}

/// False for a step and for the profiler's own span, which are around everything.
fn is_reason(trace: &Trace, id: SliceId) -> bool {
    !trace.slices.flags[id].has(SliceFlags::PROFILER) && trace.slices.category(id) != Category::ProfileStep
}

/// Adds the names of a stack for a piece of time.
fn add(trace: &Trace, names: &mut FxHashMap<StrId, Held>, time: Span, stack: &[SliceId]) {
    for (depth, &id) in stack.iter().enumerate().filter(|(_, id)| is_reason(trace, **id)) {
        let name = trace.slices.name[id];
        // A name counts once, where it is outermost.
        if stack[..depth].iter().any(|&around| trace.slices.name[around] == name) {
            continue;
        }
        let held = names.entry(name).or_default();
        held.around = held.around.saturating_add(time.len());
        held.depth += depth as f64 * time.len() as f64;
        held.longest = held.longest.max(trace.slices.dur[id]);
    }
    if let Some(&id) = stack.last().filter(|id| is_reason(trace, **id)) {
        let held = names.entry(trace.slices.name[id]).or_default();
        held.innermost = held.innermost.saturating_add(time.len());
    }
}

/// Adds the names of a stack for a piece of time to the tree of stacks.
fn grow(trace: &Trace, tree: &mut Vec<Node>, time: Span, stack: &[SliceId]) {
    let mut at = 0;
    for &id in stack.iter().filter(|&&id| is_reason(trace, id)) {
        let name = trace.slices.name[id];
        let next = tree.len();
        let child = *tree[at].below.entry(name).or_insert(next);
        if child == next {
            tree.push(Node { name, ..Node::default() });
        }
        at = child;
        tree[at].time = tree[at].time.saturating_add(time.len());
    }
}

/// True if a thread waits in this slice, such as for another thread.
fn is_waiting(trace: &Trace, known: &mut FxHashMap<StrId, bool>, id: SliceId) -> bool {
    let name = trace.slices.name[id];
    *known.entry(name).or_insert_with(|| activity::is_waiting(trace.strings.bytes(name)))
}

/// The lanes of each other host thread of the process of a thread with these lanes.
fn threads_beside(trace: &Trace, lanes: &[LaneId]) -> Vec<Vec<LaneId>> {
    let Some(&first) = lanes.first() else { return Vec::new() };
    let group = trace.lanes[first].group;
    let others = trace.groups[group].lanes.iter().filter(|lane| !lanes.contains(lane));
    let mut threads: Vec<(StrId, Vec<LaneId>)> = Vec::new();
    for lane in others.filter(|&lane| trace.lanes[lane].kind.is_host()) {
        let tid = trace.lanes[lane].tid;
        match threads.iter_mut().find(|(known, _)| *known == tid) {
            Some((_, lanes)) => lanes.push(lane),
            None => threads.push((tid, vec![lane])),
        }
    }
    threads.into_iter().map(|(_, lanes)| lanes).collect()
}

/// A name as it is shown as a reason: without the address of an object.
fn shown(trace: &Trace, name: StrId) -> String {
    let text = trace.string_or(name, "(unnamed)").to_string();
    if address::is_in(text.as_bytes()) {
        String::from_utf8_lossy(&address::around(text.as_bytes()).concat()).into_owned()
    } else {
        text
    }
}

/// A name in few columns: of a frame of Python the function, of a module its name.
pub(super) fn short(name: &str) -> &str {
    let function =
        name.split_once("): ").filter(|(file, _)| file.contains('(')).map(|(_, function)| function);
    function.or_else(|| name.strip_prefix("nn.Module: ")).unwrap_or(name)
}
