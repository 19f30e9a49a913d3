"""Decides what ends a step, from the reports of the hooks, and ends steps.

Knows no framework: an optimizer is an object that steps, a batch an object that may have a shape.

The rule `auto` uses the best source of evidence seen so far, from best to worst:

| source | a step ends with | chosen when |
| --- | --- | --- |
| profiler | the script's own `Profiler.step()`, until that profiler stops | it is called |
| optimizer | the return of `step()` of the followed optimizer, or of the scaler's `update()` that skipped it | an optimizer steps |
| dataloader | the request for the next batch | the third batch is requested, and no gradient or optimizer was seen |
| forward | the return of the outermost forward | the fourth returns, and no loader, gradient or optimizer was seen |

Only one optimizer is followed, the first that stepped: if two step in each iteration (a critic and a generator), one of them ends the
step. Another one replaces it when it is deleted, or when two of these three signs show that it is no longer used: it stepped eight
times in a row before, which means that iterations had no other optimizer; a batch was loaded since its last step; others stepped three
times in a row without it.
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

# Number of requested batches after which the loader is chosen as the source; more if gradients are computed, since they may be
# accumulated over many batches before the optimizer steps.
_PATIENCE, _LEARNING_PATIENCE = 3, 16
# Numbers of consecutive steps that show that the followed optimizer is no longer used: its own before, and those of others since; and
# the number of steps of others that suffices alone.
_ALONE, _PASSED_OVER, _FORGOTTEN = 8, 3, 100

# Most parts of a batch that are searched for a shape.
_MOST_PARTS = 8

# The rule of this process.
rule = None


class Steps:
    """The rule that ends steps, and its state from the reports of the hooks."""

    def __init__(self, rule, batch_size, is_child):
        self.function = rule if ":" in rule else None
        self._fixed = FUNCTION if self.function else _RULES.get(rule)
        if rule != "auto" and self._fixed is None:
            note(2, "unknown value of --step-on: %s; auto is used" % rule)
        self._batch_size = batch_size
        self.forget(is_child)

    def forget(self, is_child):
        """Resets the state to that of a process that has ended no step."""
        self.has_ended = False
        self.is_child = is_child
        self._main = threading.main_thread().ident
        # False once forwards need not be reported any more.
        self.looks_at_forwards = self._fixed == FORWARD or (self._fixed is None and not is_child)
        self._is_aside = False
        self._source = None
        self._text = self._said = ""
        self._before_profiler = None, ""
        self._optimizer = None
        # Consecutive steps: of the followed optimizer before others stepped, and of others since.
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
        """A gradient scaler's `update` returned: if the scaler skipped the optimizer's step, this ends the step instead."""
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
        """Gradients were computed, so an optimizer is expected to step."""
        self._learns = True

    @harmless
    def profiler_stepped(self, what, count=0):
        """The script's own profiler stepped; `count` is the number of samples (0: unknown)."""
        if count:
            self._samples = count
        self._end_by(PROFILER, "profiler: " + what)

    @harmless
    def profiler_stopped(self):
        """The script's own profiler stopped: the source that ended steps before it does so again."""
        if self._source == PROFILER and not self._fixed:
            # The source is reported when it ends a step again, which may never happen.
            self._source, self._text = self._before_profiler
            self.looks_at_forwards = self._source in (None, FORWARD)

    @harmless
    def function_returned(self):
        """The function that `--step-on` names returned."""
        self._end_by(FUNCTION, "function: " + self.function)

    def hand_over_to(self, what):
        """From now on `control` ends steps instead of the rule; `what` is the text reported as their source."""
        self._fixed = NOBODY
        self.looks_at_forwards = False
        if self._text != what:
            self._say(what)
        self.step_reported()

    def step_reported(self):
        """A step that `control` ends has ended, or the first one has begun."""
        if not self.has_ended:
            self.has_ended = True
            facts.gather_rank()
        self._become_leader()

    # The decision.

    def _end_by(self, source, text, thing=None):
        """Ends the step if `source` is, or becomes, the source that ends steps. `text` and the class of `thing`, if given, describe it."""
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
            # The previous source has already ended this iteration's step.
            if previous == FORWARD or (previous == OPTIMIZER and source == PROFILER):
                return
        self._end()

    def _say(self, text):
        self._text = self._said = text
        note(1, "step_on=" + text)

    def _may_choose(self, source):
        if self._fixed:
            return source == self._fixed
        # The work of a child is part of its parent's step, unless the child has an optimizer of its own.
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
            # The process now has steps of its own, and the processes that it starts follow it.
            self.is_child = False
            self.become_leader()
            facts.report_all()


def samples(batch, depth=3):
    """First dimension of the first object in a batch that has a shape; 0 if there is none."""
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
        # A batch of the script's own class may raise any exception.
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
    """True in a worker process of a data loader, whose work is part of its parent's steps."""
    for name in ("torch.utils.data", "paddle.io"):
        info = getattr(sys.modules.get(name), "get_worker_info", None)
        if info is not None and info() is not None:
            return True
    return False


def _folder():
    """Path of this process's folder in the run folder."""
    with open("/proc/self/stat", "rb") as file:
        # The second field is the command's name in parentheses, which may contain any character.
        fields = file.read().rpartition(b")")[2].split()
    return os.path.join(os.environ["PROFTUI_RUN"], "%d-%d" % (os.getpid(), int(fields[19])))


def _after_fork():
    if rule is not None:
        rule.forget(True)
        facts.stop_reporting()


os.register_at_fork(after_in_child=_after_fork)
