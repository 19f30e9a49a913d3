from jax._src.profiler import StepTraceAnnotation, TraceAnnotation, start_trace, stop_trace, trace  # noqa: F401
