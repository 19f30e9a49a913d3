//! What helps against idle time of a cause, chosen by what the trace shows.
//!
//! Must not know how time is charged.

use memchr::memmem::find;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::reason::Reason;
use crate::analysis::insights::rule::Rule;
use crate::analysis::ledger::Cause;

/// Names of ranges and operators around calls of compiled code.
const COMPILED: [&[u8]; 2] = [b"Torch-Compiled Region", b"CompiledFxGraph"];

/// What helps against the time of a cause for which `reason` stands; `once` is true if it comes once.
pub(super) fn of(context: &Context<'_>, rule: &Rule, cause: Cause, reason: &Reason, once: bool) -> String {
    let is_compiled = || COMPILED.iter().any(|name| find(reason.text.as_bytes(), name).is_some());
    let strings = &context.trace.strings;
    let has_compiled = || {
        is_compiled()
            || strings.ids().iter().any(|id| COMPILED.iter().any(|name| strings.bytes(id).starts_with(name)))
    };
    let own = match cause {
        _ if once => {
            "It comes once, at the start: summarize later steps (--steps, --steady) to see the loop. Warm up \
             before measuring; caches of compilers and of cuDNN make it shorter."
        }
        Cause::HostPython if reason.has_stacks => "Move the work out of the loop or to another thread.",
        Cause::LaunchBound if context.kind() != "GPU" => {
            "Larger batches, graphs or fused operators launch less for the same work."
        }
        Cause::LaunchBound if has_compiled() => {
            "The code is compiled already: larger batches, or CUDA graphs (mode=\"reduce-overhead\"), launch \
             less for the same work."
        }
        Cause::NotAttributable if reason.has_stacks => {
            "Put a range around that part of the script, or record calls of the runtime, too."
        }
        _ => rule.advice,
    };
    own.to_owned()
}
