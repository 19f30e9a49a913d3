//! What a user of JAX can do, where the texts of views and findings name PyTorch's or Paddle's means.
//!
//! Sources: JAX's documentation (profiling, asynchronous dispatch, GPU performance tips, GPU memory
//! allocation, persistent compilation cache, buffer donation). Must not know what was found.

use proftui_trace::model::Trace;

/// True if XLA's profiler wrote the trace, as under JAX.
pub(crate) fn is_jax(trace: &Trace) -> bool {
    trace.meta.producer == "xla"
}

/// What fills the view of this name under JAX; `None` where the view's own text holds.
pub(crate) fn filled_by(view: &str) -> Option<&'static str> {
    find(&FILLED_BY, view)
}

/// What helps against what the rule of this id finds under JAX; `None` where the rule's own text holds.
pub(crate) fn advice(rule: &str) -> Option<&'static str> {
    find(&ADVICE, rule)
}

fn find(texts: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    texts.iter().find(|(names, _)| names.contains(&name)).map(|&(_, text)| text)
}

/// Views with what fills them.
const FILLED_BY: [(&[&str], &str); 7] = [
    (
        &["verdict", "device", "kernel", "memcpy", "busy", "waits", "kinds", "idle"],
        "jax.profiler records the work of GPUs and TPUs. On a CPU, the operations are on the \
         threads tf_XLA…: --view names lists them; jax.devices() says which devices JAX has.",
    ),
    (
        &["calls", "launches", "queue"],
        "On a GPU, jax.profiler records the calls that launch work; a trace of a TPU has none.",
    ),
    (
        &["model", "stages", "steps", "perf"],
        "jax.profiler.StepTraceAnnotation(\"train\", step_num=i) around a step marks it.",
    ),
    (
        &["userdefined"],
        "jax.profiler.TraceAnnotation and annotate_function name ranges, which --view names \
         lists.",
    ),
    (
        &["memory", "allocations"],
        "JAX's trace has no memory events: jax.profiler.save_device_memory_profile(FILE) writes a \
         profile of the memory.",
    ),
    (
        &["operator", "host"],
        "XLA's operations are the kernels of a GPU, the work of a TPU, and on a CPU events of the \
         threads tf_XLA…: --view names lists them.",
    ),
    (
        &["distributed"],
        "Collectives are kernels of NCCL or RCCL on a GPU, and operations such as all-reduce on a \
         TPU.",
    ),
];

/// Rules with what helps.
const ADVICE: [(&[&str], &str); 15] = [
    (
        &["data_loading"],
        "Prepare batches ahead, such as by tf.data with prefetch, and jax.device_put the next \
         batch before the step needs it.",
    ),
    (
        &["blocking_sync"],
        "Do not wait for results within the loop (block_until_ready, float(x), np.asarray(x), \
         jax.device_get, print), or only every N steps.",
    ),
    (
        &["blocking_copy", "exposed_copy"],
        "jax.device_put the next batch before the step needs it, and keep state on the device.",
    ),
    (
        &["launch_bound", "graph", "small_kernels"],
        "Put the whole step under one jax.jit, or several steps into jax.lax.scan: XLA fuses more \
         and launches less.",
    ),
    (
        &["launch_delay"],
        "Do not wait for results within the loop, so that launches stay ahead of the device.",
    ),
    (
        &["host_python"],
        "Put the whole step under one jax.jit. python_tracer_level=1 in \
         jax.profiler.ProfileOptions records Python.",
    ),
    (&["cpu_operator"], "Keep arrays on the device: jax.device_put, and jax.numpy instead of numpy."),
    (
        &["allocator", "allocator_retries"],
        "XLA_PYTHON_CLIENT_MEM_FRACTION and XLA_PYTHON_CLIENT_PREALLOCATE set how memory is \
         reserved; donate_argnums of jax.jit reuses the memory of inputs, jax.checkpoint saves \
         memory of the backward pass.",
    ),
    (
        &["compile"],
        "Keep shapes and static arguments the same; jax_compilation_cache_dir keeps compiled \
         programs, and JAX_EXPLAIN_CACHE_MISSES=1 says why a function is compiled again.",
    ),
    (
        &["communication"],
        "XLA overlaps collectives with computation: compare with \
         XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true on a GPU, or another sharding.",
    ),
    (&["unfused_attention"], "jax.nn.dot_product_attention fuses attention."),
    (&["no_tensor_cores"], "bfloat16 inputs, or the option jax_default_matmul_precision."),
    (&["unfused_optimizer"], "Update the parameters within the jitted step."),
    (&["under_the_roof"], "bfloat16, and sizes in multiples of 128 on a TPU."),
    (
        &["memory_growth"],
        "Do not keep arrays of earlier steps in lists; donate_argnums of jax.jit reuses the \
         memory of inputs.",
    ),
];

#[cfg(test)]
mod tests {
    use crate::analysis::insights::rules;
    use crate::analysis::views::View;

    use super::*;

    #[test]
    fn texts_are_of_views_and_rules() {
        for name in FILLED_BY.iter().flat_map(|(names, _)| *names) {
            assert!(View::named(name).is_some(), "{name}");
        }
        for name in ADVICE.iter().flat_map(|(names, _)| *names) {
            assert!(rules::all().any(|rule| rule.id == *name), "{name}");
        }
    }
}
