"""Decides what ends a step, from the reports of the hooks, and ends steps.

Knows no framework: an optimizer is an object that steps, a batch an object that may have a shape.

The rule `auto` goes by the best evidence there has been. From best to least:

| source | a step ends with | chosen when |
| --- | --- | --- |
| profiler | the script's own `Profiler.step()`, until that profiler stops | it is called |
| optimizer | the return of the first optimizer that stepped, or the scaler's update that skipped it | one steps |
| dataloader | the request for the batch after the step's own | the third batch is asked for, and nothing learns |
| forward | the return of the outermost forward | the fourth returns, no loader was asked, and nothing learns |

One optimizer is followed, the first, so that two that step in each iteration (a critic and a generator) end one step.
Another one replaces it when it is gone, or when two of three signs say that it is out of use: it stepped eight times
in a row before, so others have no part in its iterations; a batch has come since; it was passed over three times in a row.
"""
import os
import sys
import threading
import weakref
from itertools import islice

from _proftui import note

from . import facts, intervals
from .harmless import harmless

FORWARD, LOADER, OPTIMIZER, PROFILER, FUNCTION, NOBODY = range(1, 7)
_RULES = {"forward": FORWARD, "dataloader": LOADER, "optimizer": OPTIMIZER, "profiler": PROFILER}
LEADER = "PROFTUI_LEADER"

# Batches that are asked for before the loader is believed to be all there is; more where gradients are
# computed, since they may be added up over many batches before the optimizer steps.
_PATIENCE, _LEARNING_PATIENCE = 3, 16
# Steps in a row that are a sign that the followed optimizer is out of use: its own before, those of others since; and
# such a number of the latter that no sign is needed.
_ALONE, _PASSED_OVER, _FORGOTTEN = 8, 3, 100

# Parts of a batch that are looked at.
_MOST_PARTS = 8

# The rule of this process.
rule = None


class Steps:
    """The rule in force, and the state that it keeps of the reports."""

    def __init__(self, rule, batch_size, is_child):
        self.function = rule if ":" in rule else None
        self._fixed = FUNCTION if self.function else _RULES.get(rule)
        if rule != "auto" and self._fixed is None:
            note(2, "no such rule for the end of a step: %s; auto it is" % rule)
        self._batch_size = batch_size
        self.forget(is_child)

    def forget(self, is_child):
        """Resets the state to that of a process that has ended no step."""
        self.has_ended = False
        self.is_child = is_child
        self._main = threading.main_thread().ident
        # False once it is of no use to report them.
        self.looks_at_forwards = self._fixed == FORWARD or (self._fixed is None and not is_child)
        self._is_aside = False
        self._source = None
        self._text = self._said = ""
        self._before_profiler = None, ""
        self._optimizer = None
        # Steps in a row: of the followed one before others stepped, and of others since.
        self._alone = 0
        self._others = 0
        self._has_batch_since = False
        self._has_stepped = False
        self._learns = False
        self._asked = 0
        self._forwards = 0
        self._has_batch = False
        self._samples = 0

    @staticmethod
    def become_leader():
        """Makes processes that multiprocessing starts from now on follow this one."""
        os.environ[LEADER] = _folder()

    # The reports of the hooks.

    @harmless
    def optimizer_stepped(self, optimizer):
        """An optimizer's outermost `step` returned."""
        self._learns = self._has_stepped = True
        mine = self._optimizer and self._optimizer()
        if mine is optimizer:
            self._alone = 1 if self._others else self._alone + 1
        else:
            self._others += 1
            if mine is not None and not self._is_out_of_use():
                return
            self._optimizer = _reference(optimizer)
            self._alone = 1
            if self._source == OPTIMIZER:
                self._say("optimizer: " + _class_path(optimizer))
        self._others = 0
        self._has_batch_since = False
        self._end_by(OPTIMIZER, "optimizer: ", optimizer)

    def _is_out_of_use(self):
        signs = (self._alone >= _ALONE) + self._has_batch_since + (self._others >= _PASSED_OVER)
        return signs > 1 or self._others >= _FORGOTTEN

    @harmless
    def scaler_updated(self):
        """A gradient scaler's `update` returned: where it skipped the optimizer's step, it ends the step instead."""
        if not self._has_stepped:
            self._end_by(OPTIMIZER, "optimizer: GradScaler")
        self._has_stepped = False

    @harmless
    def batch_asked(self):
        """A loader's outermost `next` is called."""
        if threading.get_ident() != self._main:
            return
        self._asked += 1
        is_due = self._source == LOADER or self._asked >= (_LEARNING_PATIENCE if self._learns else _PATIENCE)
        if self._has_batch and (is_due or self._fixed == LOADER):
            self._end_by(LOADER, "dataloader")
        self._has_batch = False

    @harmless
    def batch_given(self, batch):
        """A loader's outermost `next` returned a batch."""
        if not self._batch_size:
            self._samples += samples(batch)
        if threading.get_ident() == self._main:
            self._has_batch = self._has_batch_since = True

    @harmless
    def forward_returned(self):
        """The outermost forward of a thread returned, outside of a backward pass."""
        if threading.get_ident() != self._main:
            return
        self._forwards += 1
        if self._source == FORWARD or self._fixed or (self._forwards > _PATIENCE and not (self._asked or self._learns)):
            self._end_by(FORWARD, "forward")

    @harmless
    def gradients_computed(self):
        """Gradients were computed: an optimizer may be expected to step."""
        self._learns = True

    @harmless
    def profiler_stepped(self, what, count=0):
        """The script's own profiler stepped; `count` samples, where it says so."""
        if count:
            self._samples = count
        self._end_by(PROFILER, "profiler: " + what)

    @harmless
    def profiler_stopped(self):
        """The script's own profiler stopped: what ended steps before it does again."""
        if self._source == PROFILER and not self._fixed:
            # It is reported once it ends a step again: the profiler may have lasted until the script's end.
            self._source, self._text = self._before_profiler
            self.looks_at_forwards = self._source in (None, FORWARD)

    @harmless
    def function_returned(self):
        """The function that the user named returned."""
        self._end_by(FUNCTION, "function: " + self.function)

    def hand_over_to(self, what):
        """From now on `control` ends steps, not the rule; `what` is reported as what ends them."""
        self._fixed = NOBODY
        self.looks_at_forwards = False
        if self._text != what:
            self._say(what)
        self.step_reported()

    def step_reported(self):
        """A step that the rule did not end has ended, or the first one begun."""
        if not self.has_ended:
            self.has_ended = True
            facts.gather_rank()
        self._become_leader()

    # The decision.

    def _end_by(self, source, text, thing=None):
        """Ends the step if `source` is what ends steps. `text` reports the source, with the class of `thing` where there is one."""
        if source != self._source:
            if not self._may_choose(source):
                return
            if thing is not None:
                text += _class_path(thing)
            previous = self._source
            if source == PROFILER:
                self._before_profiler = previous, self._text
            self._source = source
            self.looks_at_forwards = source == FORWARD
            self._say(text)
            # The lesser source has ended this very iteration already.
            if previous == FORWARD or (previous == OPTIMIZER and source == PROFILER):
                return
        self._end()

    def _say(self, text):
        self._text = self._said = text
        note(1, "step_on=" + text)

    def _may_choose(self, source):
        if self._fixed:
            return source == self._fixed
        # A child's loading and computing is part of its parent's step, unless it has an optimizer of its own.
        if self.is_child and source < OPTIMIZER:
            return False
        return source > (self._source or 0)

    def _end(self):
        if not self.has_ended:
            self.has_ended = True
            self._is_aside = self.is_child and _is_loader_worker()
            if not self._is_aside:
                facts.gather_rank()
        if self._is_aside:
            return
        if self._said != self._text:
            self._say(self._text)
        count, self._samples = self._batch_size or self._samples, 0
        intervals.end_step(count)
        self._become_leader()

    def _become_leader(self):
        if self.is_child:
            # It has steps of its own now, and the processes that it starts follow it.
            self.is_child = False
            self.become_leader()
            facts.report_all()


def samples(batch, depth=3):
    """The first dimension of the first thing in a batch that has a shape; 0 where there is none."""
    try:
        if depth and isinstance(batch, (list, tuple)):
            parts = batch
        else:
            shape = getattr(batch, "shape", None)
            if shape is not None:
                return int(shape[0]) if len(shape) else 0
            parts = batch.values() if depth and hasattr(batch, "values") else ()
        for part in islice(parts, _MOST_PARTS):
            count = samples(part, depth - 1)
            if count:
                return count
    except Exception:
        # A batch of the script's own class may raise anything.
        pass
    return 0


def _reference(thing):
    try:
        return weakref.ref(thing)
    except TypeError:
        return thing


def _class_path(thing):
    """`torch.optim.SGD` for `torch.optim.sgd.SGD`."""
    module, name = type(thing).__module__, type(thing).__qualname__
    parent, _, own = module.rpartition(".")
    return "%s.%s" % (parent if own.lower() == name.lower() else module, name)


def _is_loader_worker():
    """True in a process that a data loader started: its work is part of its parent's steps."""
    for name in ("torch.utils.data", "paddle.io"):
        info = getattr(sys.modules.get(name), "get_worker_info", None)
        if info is not None and info() is not None:
            return True
    return False


def _folder():
    """The folder of this process in the run."""
    with open("/proc/self/stat", "rb") as file:
        # The command's name stands in brackets, and may hold anything.
        fields = file.read().rpartition(b")")[2].split()
    return os.path.join(os.environ["PROFTUI_RUN"], "%d-%d" % (os.getpid(), int(fields[19])))


def _after_fork():
    if rule is not None:
        rule.forget(True)
        facts.stop_reporting()


os.register_at_fork(after_in_child=_after_fork)
