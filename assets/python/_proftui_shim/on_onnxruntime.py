"""ONNX Runtime: a session's run is a forward, and a program that only runs sessions has these, or requests of several sessions, as steps."""
from .installed import WORK
from .wrappers import forwarding, never, wrapped

# The methods of a session that run its model.
_RUNS = "run", "run_with_iobinding", "run_with_ort_values", "run_with_ortvaluevector"


def install(module, is_timer_only):
    """Hooks the class of sessions in `onnxruntime.capi.onnxruntime_inference_collection`."""
    wrap = forwarding(never, lambda session: session, lambda session: False, not is_timer_only)
    for name in _RUNS:
        if hasattr(module.Session, name):
            wrapped(module.Session, name, wrap, WORK)
