"""Paddle: wraps the calls that are phases, ends of steps and named ranges.

Paddle's optimizers have no hooks, so `step` and `minimize` of each class are wrapped.
"""
import sys

from _proftui import begin, end, note

from . import gpu_profilers, imports, installed, steps
from .harmless import harmless
from .hooks import followed, hooked, preceded
from .installed import BATCHES, RECORDING, WORK
from .ranges import here
from .wrappers import (
    backwarding,
    fetching,
    forwarding,
    loading,
    never,
    optimizer_begins,
    optimizer_ends,
    optimizer_fails,
    user,
    wrapped,
)


def install(paddle, is_timer_only):
    """Installs all hooks; writes a note for each hook whose function this version of Paddle lacks."""
    is_compiling = _is_compiling(paddle)
    parts = [
        ("data loading", _loaders),
        ("optimizer steps", lambda: _optimizers(paddle)),
        ("gradient scalers", lambda: _scaler(paddle)),
        ("the steps of the script's profiler", lambda: _profiler(paddle)),
        ("GPU work beside the script's profiler", lambda: gpu_profilers.paddle(paddle.profiler.Profiler)),
    ]
    if not is_timer_only:
        parts += [
            ("data loader workers", _workers),
            ("named ranges", lambda: _record_event(paddle)),
        ]
    if not is_timer_only or steps.rule.looks_at_forwards:
        parts.append(("backward passes", lambda: _backward(paddle, is_compiling, not is_timer_only)))
        has_gradients = getattr(paddle, "is_grad_enabled", lambda: True)
        forward = forwarding(is_compiling, lambda layer: layer, lambda layer: has_gradients(), not is_timer_only)
        parts.append(("forward passes", lambda: wrapped(paddle.nn.Layer, "__call__", forward, WORK)))
    for what, hook in parts:
        try:
            hook()
        except Exception as error:
            note(2, "paddle %s: cannot record %s: %r" % (paddle.__version__, what, error))


def _is_compiling(paddle):
    """A function that is True while Paddle compiles the script's code by one of its two compilers: such calls compute nothing."""
    base = sys.modules.get("paddle.base.dygraph.base")
    traces = getattr(base, "in_sot_simulation_mode", never)
    converts = getattr(base, "in_to_static_mode", never)

    def is_compiling():
        return traces() or converts()

    return is_compiling


def _first(names):
    """The first of these modules that is imported; the module has different names in different versions."""
    for name in names:
        if name in sys.modules:
            return sys.modules[name]
    raise ImportError("not found: " + ", ".join(names))


def _loaders():
    module = _first(("paddle.io.dataloader.dataloader_iter", "paddle.fluid.dataloader.dataloader_iter"))
    for iterator in (module._DataLoaderIterSingleProcess, module._DataLoaderIterMultiProcess):
        wrapped(iterator, "__next__", loading(), BATCHES)


def _workers():
    module = _first(("paddle.io.dataloader.fetcher", "paddle.fluid.dataloader.fetcher"))
    for fetcher in (module._MapDatasetFetcher, module._IterableDatasetFetcher):
        wrapped(fetcher, "fetch", fetching(), RECORDING)


def _backward(paddle, is_compiling, is_recorded):
    for owner, name, text in (
        (paddle.Tensor, "backward", "Tensor.backward"),
        (paddle.autograd, "backward", "autograd.backward"),
        (paddle, "grad", "grad"),
    ):
        wrapped(owner, name, backwarding(text, is_compiling, is_recorded), WORK)


def _optimizers(paddle):
    optimizer = paddle.optimizer.Optimizer
    is_dynamic = paddle.in_dynamic_mode
    done = set()

    def before(self, *args, **kwargs):
        # In static mode the call only adds operators to the graph; and a subclass in the script may call the method that it overrides.
        if not is_dynamic() or any(other is self for other in here.optimizers):
            return None
        if not installed.are_removed:
            optimizer_begins(self)
            return True, self
        return False, self

    def after(begun, is_done, result):
        is_range, self = begun
        if not is_range:
            if is_done:
                steps.rule.optimizer_passed(self)
        elif is_done:
            optimizer_ends(self)
        else:
            optimizer_fails()

    stepping = hooked(before, after)

    def cover(kind):
        for parent in kind.__mro__:
            if parent not in done and issubclass(parent, optimizer):
                done.add(parent)
                for name in ("step", "minimize"):
                    if name in vars(parent):
                        wrapped(parent, name, stepping)

    def making(self, *args, **kwargs):
        # The script may define optimizer classes of its own.
        if type(self) not in done:
            cover_safely(type(self))
        return self

    def made(self, is_done, result):
        if is_done:
            steps.rule.optimizer_made(self)

    cover_safely = harmless(cover)
    for name in paddle.optimizer.__all__:
        kind = getattr(paddle.optimizer, name)
        if isinstance(kind, type):
            cover(kind)
    wrapped(optimizer, "__init__", hooked(making, made))


def _scaler(paddle):
    wrapped(paddle.amp.GradScaler, "update", followed(steps.rule.scaler_updated))
    wrapped(paddle.amp.GradScaler, "minimize", followed(steps.rule.scaler_updated))


def _profiler(paddle):
    @harmless
    def stepped(profiler, num_samples=None):
        steps.rule.profiler_stepped("paddle.profiler.Profiler", num_samples or 0)

    wrapped(paddle.profiler.Profiler, "step", preceded(stepped))
    wrapped(paddle.profiler.Profiler, "stop", followed(steps.rule.profiler_stopped))


def _record_event(paddle):
    event = paddle.profiler.RecordEvent
    own = paddle.base.core.TracerEventType.PythonUserDefined

    @harmless
    def begun(self):
        # Paddle itself opens events of the other types, around phases that the hooks record.
        if self.event_type == own:
            begin(user[self.name])
            here.events += 1

    @harmless
    def ended(self):
        if self.event_type == own and here.events:
            here.events -= 1
            end()

    wrapped(event, "begin", preceded(begun), RECORDING)
    wrapped(event, "end", preceded(ended), RECORDING)
