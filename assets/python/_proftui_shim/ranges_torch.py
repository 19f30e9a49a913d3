"""PyTorch's named ranges, `record_function` and `torch.cuda.nvtx`: records them, and reports those that are steps of serving engines.

PyTorch itself reports some ranges to NVTX or ITT (those pushed there, and all under `emit_nvtx` or `emit_itt`); the agent gets these
reports. A hook announces the range to the agent before, asks it after whether the range was reported, and does not report it again.
PyTorch's own profiler, if the shim has it on, does not see the script's `record_function` ranges: it may stop before they end.
"""
import sys
from functools import wraps

from _proftui import announce, begin, end, was_reported

from . import installed, operators_torch, steps, threads
from .annotations import BEGINNINGS
from .calls import annotation_begins
from .installed import ANNOTATIONS, RECORDING
from .ranges import here
from .wrappers import after_optimizer, around_optimizer, user, wrapped

# The range that PyTorch opens around an optimizer's step and its hooks.
_STEP = "Optimizer.step#"
# Names of ranges that PyTorch itself opens, most of them around phases that the hooks record.
_PHASES = (
    _STEP,
    "Optimizer.zero_grad#",
    "enumerate(DataLoader)#",
    "DataParallel.forward",
    "DistributedDataParallel.forward",
    "FullyShardedDataParallel.forward",
    "ProfilerStep#",
)
_KNOWN = _PHASES + BEGINNINGS


def record_function(module, is_read, is_recorded):
    """Wraps `record_function`, whose ranges are recorded only if `is_recorded`; `is_read()` is true while a compiler reads Python code."""

    def entering(enter):
        @wraps(enter)
        def __enter__(self):
            if is_read():
                return enter(self)
            if not is_recorded or installed.is_closed:
                result = enter(self)
                if self.name.startswith(BEGINNINGS):
                    self._proftui_after = annotation_begins(self.name)
                return result
            if here.tracer is not threads.tracer:
                threads.follow()
            is_phase = is_annotation = False
            if self.name.startswith(_KNOWN):
                is_annotation = self.name.startswith(BEGINNINGS)
                is_phase = not is_annotation
                if self.name.startswith(_STEP):
                    self._proftui_after = after_optimizer
                    around_optimizer()
            tag = user[self.name]
            announce(tag)
            if is_phase:
                result = enter(self)
            else:
                with operators_torch.unseen():
                    result = enter(self)
            self._proftui = not (was_reported() or is_phase)
            if is_annotation:
                self._proftui_after = annotation_begins(self.name)
            if self._proftui:
                begin(tag)
            return result

        return __enter__

    def leaving(leave):
        @wraps(leave)
        def __exit__(self, *error):
            if is_read():
                return leave(self, *error)
            if getattr(self, "_proftui", False):
                self._proftui = False
                end()
            try:
                return leave(self, *error)
            finally:
                after = getattr(self, "_proftui_after", None)
                if after is not None:
                    self._proftui_after = None
                    after(bool(error and error[0]))

        return __exit__

    wrapped(module.record_function, "__enter__", entering, _purpose())
    wrapped(module.record_function, "__exit__", leaving, _purpose())


def nvtx(module, is_read, is_recorded):
    """Wraps the functions of `torch.cuda.nvtx` that push and pop ranges, as `record_function` does."""

    def pushing(push):
        @wraps(push)
        def range_push(msg):
            if is_read():
                return push(msg)
            is_ours = False
            if not is_recorded or installed.is_closed:
                result = push(msg)
            else:
                tag = user[msg]
                announce(tag)
                result = push(msg)
                is_ours = not was_reported()
            after = annotation_begins(msg) if msg.startswith(BEGINNINGS) else None
            if is_ours:
                begin(tag)
            here.pushed = (is_ours, after, after and _handled(), here.pushed)
            return result

        return range_push

    def popping(pop):
        @wraps(pop)
        def range_pop():
            after = None
            if not is_read() and here.pushed:
                is_ours, after, handled, here.pushed = here.pushed
                if is_ours:
                    end()
            result = pop()
            if after is not None:
                # `torch.cuda.nvtx.range` pops where an exception leaves it.
                after(_handled() not in (0, handled))
            return result

        return range_pop

    wrapped(module, "range_push", pushing, _purpose())
    wrapped(module, "range_pop", popping, _purpose())


def _purpose():
    return ANNOTATIONS if steps.rule.looks_at_annotations else RECORDING


def _handled():
    """The `id` of the exception that this thread handles; 0 for none."""
    error = sys.exc_info()[1]
    return 0 if error is None else id(error)
