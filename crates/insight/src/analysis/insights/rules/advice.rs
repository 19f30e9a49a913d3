//! What helps against a finding, chosen by what the trace shows.
//!
//! Must not know how time is charged.

use memchr::memmem::find;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::reason::{Reason, Seen};
use crate::analysis::insights::rule::Rule;
use crate::analysis::ledger::Cause;
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::union;
use crate::analysis::thresholds::MANY_STEPS;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{SliceId, Trace};
use rustc_hash::FxHashSet;

/// The beginnings of the names of ranges and operators around calls of compiled code.
const COMPILED: [&[u8]; 4] =
    [b"Torch-Compiled Region", b"## Call CompiledFxGraph", b"CompiledFunction", b"CompiledFxGraph"];

/// The operators that only allocate memory.
const ALLOCATING: [&str; 5] =
    ["aten::empty", "aten::empty_strided", "aten::new_empty", "aten::empty_like", "aten::resize_"];

/// True if a name is of a kernel that a compiler generated.
fn has_fused_kernels(trace: &Trace) -> bool {
    trace.strings.ids().iter().any(|id| trace.strings.bytes(id).starts_with(b"triton_"))
}

/// True if graphs were captured in most of these pieces' time: from a call that begins a capture to the next
/// that ends one.
pub(super) fn is_capture(context: &Context<'_>, pieces: &[(usize, Span)]) -> bool {
    let trace = context.trace;
    let called = |part: &[u8]| -> Vec<Span> {
        let has = |id: StrId| find(trace.strings.bytes(id), part).is_some();
        let names: FxHashSet<StrId> = trace.strings.ids().iter().filter(|&id| has(id)).collect();
        let slices = &trace.slices;
        let is_one = |&id: &SliceId| !names.is_empty() && names.contains(&slices.name[id]);
        slices.ids().iter().filter(is_one).map(|id| slices.span(id)).collect()
    };
    let begins = called(b"StreamBeginCapture");
    if begins.is_empty() {
        return false;
    }
    let mut ends: Vec<Ns> = called(b"StreamEndCapture").into_iter().map(|span| span.end).collect();
    ends.sort_unstable();
    let captured = begins.into_iter().filter_map(|begin| {
        let end = ends[ends.partition_point(|&end| end < begin.start)..].first()?;
        Some(Span { start: begin.start, end: *end })
    });
    let captured = Lengths::of(union(captured.collect()));
    let within = pieces.iter().map(|&(_, piece)| captured.within(piece));
    sum(within) * 2 > sum(pieces.iter().map(|(_, piece)| piece.len()))
}

/// What helps where the time is that of captures.
pub(super) const CAPTURE: &str = "A graph is captured once, and no work of it runs meanwhile: record later \
    steps, or leave the captures out (--steps, --from).";

fn is_allocating(name: &str) -> bool {
    ALLOCATING.contains(&name)
}

/// What helps against the time of a cause with this reason; `seen` is what the threads did in it, `once` is
/// true if it comes once.
pub(super) fn of(
    context: &Context<'_>,
    rule: &Rule,
    cause: Cause,
    (reason, seen): (&Reason, &Seen),
    once: bool,
) -> String {
    let is_compiled = || {
        let is_of = |name: &[u8]| COMPILED.iter().any(|prefix| name.starts_with(prefix));
        seen.share_of(context.trace, is_of) >= MANY_STEPS
    };
    let own = match cause {
        _ if once => {
            "It comes once, at the start: summarize later steps (--steps, --steady) to see the loop. Warm up \
             before measuring; caches of compilers and of cuDNN make it shorter."
        }
        Cause::HostPython if reason.has_stacks => {
            "Move the work out of the loop or to another thread; between the model's own operators, fewer \
             and larger ones (torch.compile) leave less Python."
        }
        Cause::DataLoading if find(reason.text.as_bytes(), b"_MultiProcessing").is_some() => {
            "The loader has worker processes: give it more of them (num_workers, prefetch_factor), or less \
             to do for each sample."
        }
        Cause::CpuOperator if is_allocating(&reason.name) => {
            "It only allocates memory: the first allocation, and that of pinned memory, is slow; keep the \
             tensors, or allocate them once."
        }
        Cause::LaunchBound if context.kind() != "GPU" => {
            "Larger batches, graphs or fused operators launch less for the same work."
        }
        Cause::LaunchBound if is_compiled() && !has_fused_kernels(context.trace) => {
            "The code is compiled, but launches the operators one by one (no kernel of Triton): use a \
             backend that fuses them (inductor), or CUDA graphs."
        }
        Cause::LaunchBound if is_compiled() => {
            "The code is compiled already: larger batches, or CUDA graphs (mode=\"reduce-overhead\"), launch \
             less for the same work."
        }
        Cause::NotAttributable if reason.has_stacks => {
            "Begin the recording earlier, in case older work held up the device, or put a range around that \
             part of the script."
        }
        _ => rule.advice,
    };
    of_device(context.trace, own)
}

/// An advice in the words of the trace's devices: AMD has no CUDA graphs.
fn of_device(trace: &Trace, advice: &str) -> String {
    let is_hip = |id| trace.strings.bytes(id).starts_with(b"hip");
    let names_cuda = find(advice.as_bytes(), b"CUDA graph").is_some();
    if names_cuda && trace.strings.ids().iter().any(is_hip) {
        advice.replace("CUDA graph", "HIP graph")
    } else {
        advice.to_owned()
    }
}
