"""Decides what ends a step, from the reports of the hooks, and has `count` end steps.

Knows no framework: an optimizer is an object that steps, a batch an object that may have a shape, a module one that may be in training
mode. The rule `auto` uses the best source of evidence seen so far, from best to worst:

| source | a step ends with |
| --- | --- |
| profiler | the script's own `Profiler.step()`, until that profiler stops |
| loop | the end of an iteration of a library that runs the loop itself (`iterations`) |
| optimizer | the return of `step()` of the followed optimizer (`optimizers`), or of the scaler's `update()` that skipped it |
| annotation | the end of an outermost range by which a serving engine annotates a step; such steps may overlap |
| dataloader, forward | see `unoptimized`: only where no optimizer steps |
| fit | the return of an estimator's outermost fit: only where nothing else ends steps |

- If an optimizer steps first, or an annotation begins, after weaker ends have counted (evaluate, then train), the count begins anew at 0.
- Validation between steps is no step, nor is the start-up before the first one (`beginnings`).
- A step in which nothing was forwarded is none, where others have forwards (`work`).
- Batches and the order of forwards count on one thread: the one that trains, or the main thread where none does.
- In a child, forwards and batches are part of its parent's steps (`part`). The forwards of a forked child are steps only if its parent
  neither trains, infers nor has ended a step: a server that forks for each request.

Once 16 steps have ended in the same way (`settled`), only what ends them is looked at while the schedule is closed, until something else
happens to an optimizer, a loader or the script's profiler.
"""
import os
import threading

from _proftui import begin_call, cycle, note

from . import batches, facts, followed, installed, intervals
from .beginnings import Beginnings
from .count import Count, now
from .harmless import failed, harmless
from .optimizers import DECIDED, END, NO_END, Optimizers
from .part import Part
from .settled import Settled
from .sources import ANNOTATION, FIT, FORWARD, FUNCTION, LOADER, LOOP, NOBODY, OPTIMIZER, PROFILER, RULES
from .unoptimized import Unoptimized
from .work import Work

# The sources beside which a forward in training mode says nothing new.
_PLAIN = ANNOTATION, OPTIMIZER, LOOP, PROFILER
# After so many fits in a row, they are the steps.
_FITS = 8
# What a forward is.
INFERENCE, TRAINING, VALIDATION = 1, 2, 3

# The rule of this process.
rule = None


class Steps:
    """The rule that ends steps, and its state from the reports of the hooks."""

    def __init__(self, rule, batch_size, is_child):
        self.function = rule if ":" in rule else None
        self.fixed = FUNCTION if self.function else RULES.get(rule)
        if rule != "auto" and self.fixed is None:
            note(2, "unknown value of --step-on: %s; auto is used" % rule)
        self.count = Count(batch_size)
        self.optimizers = Optimizers()
        self.forget(Part(is_child))

    def forget(self, part):
        """Resets the state to that of a process that has ended no step, with this part in the run."""
        # Held while a step ends: forwards of several threads end steps.
        self.lock = threading.RLock()
        self.count.forget()
        self._beginnings = Beginnings(self.count)
        self._unoptimized = Unoptimized(self)
        self.part = part
        # The thread of the loop.
        self._loop = followed.Followed(self._beginnings.moved, self._loop_ended)
        # False once forwards need not be reported any more.
        self.looks_at_forwards = self.fixed not in (FUNCTION, NOBODY)
        self.looks_at_annotations = self.fixed in (None, ANNOTATION)
        self.work = Work(self._unsettle)
        self._settled = Settled()
        self.source = None
        self._text = self._said = self._fits = ""
        # The moment when the first fit began.
        self._first_fit = None
        # True once an iteration of training has begun in a library's own loop; and if the next one begins a step anew.
        self.loop_trains = self._loop_pauses = False
        # Source, text and class of what ended a step last.
        self._described = None
        self._before_profiler = None, ""
        # True where one of `_PLAIN` ends steps.
        self.is_plain = False
        self._has_stepped = False
        # True if a batch was given since the last request.
        self._has_batch = False
        # Another process decides what is recorded, as long as this one has no steps.
        installed.follow(None)
        installed.need(installed.COUNTING)

    def begin_as_fork(self):
        """Resets the state to that of a forked child. Forwards end its steps only if its parent neither trains, infers nor has ended a step."""
        self.forget(Part(True, serves=not (self.optimizers or self.part.has_ended or self._unoptimized.has_inferred)))

    # The reports of the hooks.

    @harmless
    def optimizer_made(self, optimizer):
        """An optimizer was made: what was loaded and forwarded before is no part of the training."""
        self.optimizers.made(optimizer)
        self._unsettle()
        self._loop.trains_here(followed.MADE)
        if not self.is_plain and self.looks_at_forwards:
            self._beginnings.forget()

    @harmless
    def optimizer_is_part(self, optimizer):
        """An optimizer steps within another one's step."""
        self.optimizers.is_part(optimizer)

    @harmless
    def optimizer_stepped(self, optimizer):
        """An optimizer's outermost `step` returned."""
        with self.lock:
            self._has_stepped = True
            if self._beginnings.passes.start:
                self._beginnings.trains()
            found = self.optimizers.stepped(optimizer)
            if found != END and self.optimizers.are_unusual:
                self._unsettle()
            if found == NO_END or not self._may_end(OPTIMIZER):
                return
            if found == END:
                self._loop.trains_here(followed.STEPPED)
                self._end_by(OPTIMIZER, "optimizer: ", self.optimizers.followed)
            else:
                self.count.wait(OPTIMIZER)
                if found == DECIDED:
                    self._settle_optimizers()

    def optimizer_passed(self, optimizer):
        """An optimizer's `step` returned while hooks are removed."""
        if id(optimizer) == self._settled.only:
            # As `optimizer_stepped`, in short.
            self._has_stepped = True
            self.count.end_unrecorded()
            if not installed.are_removed:
                self._look_again()
        elif self.fixed not in (FUNCTION, NOBODY):
            self.optimizer_stepped(optimizer)

    @harmless
    def scaler_updated(self):
        """A gradient scaler's `update` returned: if the scaler skipped the optimizer's step, this ends the step instead."""
        with self.lock:
            if not self._has_stepped and self.count.source != OPTIMIZER:
                self._end_by(OPTIMIZER, "optimizer: GradScaler")
            self._has_stepped = False

    @harmless
    def batch_asked(self):
        """A loader's outermost `next` is called."""
        if not self._loop.is_here():
            return
        self._unoptimized.batch_asked()
        self._beginnings.batch_asked()
        if self._has_batch and self._may_end(LOADER):
            self._unoptimized.may_end(LOADER)
        self._has_batch = False

    @harmless
    def batch_given(self, batch, iterator=None):
        """A loader's outermost `next` returned a batch."""
        self.count.add(batches.samples(batch))
        if not self._loop.is_here() or self.fixed in (FUNCTION, NOBODY):
            return
        self._has_batch = self.optimizers.has_batch_since = True
        self._beginnings.batch_given(iterator)

    @harmless
    def batches_ended(self):
        """A loader's outermost `next` found no further batch."""
        if self.source == LOADER:
            # The program may go on without a loader.
            self._unsettle()

    def forward_begins(self, module, gradients_of):
        """The outermost forward of a thread begins, outside of a backward pass; returns what it is, or None if it says nothing new.

        `gradients_of(module)` is true if gradients are recorded, and None if the forward is a part of another thread's.
        """
        try:
            is_training = getattr(module, "training", True)
            if is_training and self.is_plain and not self._beginnings.passes.start:
                self._beginnings.is_unused = False
                return None
            return self._forward_begins(module, is_training, gradients_of(module))
        except Exception as error:
            return failed("forward_begins", error)

    def _forward_begins(self, module, is_training, has_gradients):
        if has_gradients is None:
            return None
        what = TRAINING if is_training and has_gradients else INFERENCE
        if self._loop.is_here():
            self._unoptimized.forward_begins(module, what == INFERENCE)
            trains = bool(self.optimizers) or self._unoptimized.learns
            may_validate = trains and not is_training and self.fixed not in (LOADER, FORWARD)
            if self._beginnings.forward_begins(module, is_training, has_gradients, may_validate):
                what = VALIDATION
        else:
            self.function_begins()
        return what

    @harmless
    def forward_returned(self, what):
        """The outermost forward of a thread returned; `what` is what `forward_begins` returned."""
        if what == VALIDATION:
            self._beginnings.validated()
        if self._may_end(FORWARD):
            self._unoptimized.forward_returned(what != TRAINING)

    @harmless
    def frame_is_compiled(self):
        """A function that the program calls is about to be compiled."""
        if self.looks_at_forwards and self._loop.is_here():
            self._beginnings.work_begins()

    @harmless
    def gradients_computed(self):
        """Gradients are about to be computed, so an optimizer is expected to step."""
        intervals.begin_loop()
        if self.looks_at_forwards and self._loop.is_here():
            self._beginnings.work_begins()
        self.work.is_done = True
        self._loop.trains_here(followed.LEARNED)
        if self._beginnings.passes.start:
            self._beginnings.trains()
        if not self.is_plain:
            self._unoptimized.gradients_computed()

    @harmless
    def gradients_returned(self):
        """Gradients were computed."""
        if not self.is_plain:
            self._unoptimized.learned = now()

    @harmless
    def profiler_stepped(self, what, count=0):
        """The script's own profiler stepped; `count` is the number of samples (0: unknown)."""
        with self.lock:
            if count:
                self.count.samples = count
            self._end_by(PROFILER, "profiler: " + what)

    @harmless
    def profiler_stopped(self):
        """The script's own profiler stopped: the source that ended steps before it does so again."""
        if self.source == PROFILER and not self.fixed:
            # The source is reported when it ends a step again, which may never happen.
            self.source, self._text = self._before_profiler
            self.is_plain = self.source in _PLAIN
            self._unsettle()

    @harmless
    def function_begins(self):
        """What ends a step begins: the function that `--step-on` names, or a step that the script marks."""
        if not self.count.has_begun:
            self.count.begin()

    def annotation_begins(self):
        """An engine's outermost annotation begins on a thread; returns True if its end may end a step."""
        with self.lock:
            if not self._may_end(ANNOTATION):
                return False
            if self.source != ANNOTATION:
                # What waits, and what is forwarded within it, ends no step.
                self.count.drop()
                self._follow(ANNOTATION)
                self.count.begin()
            return True

    @harmless
    def iteration_begins(self, text, trains):
        """An iteration begins in a library's own loop, of training or of a test or predictions; `text` says which."""
        with self.lock:
            if not self._may_iterate(trains):
                return
            if self.source != LOOP:
                # What waits, and what is forwarded within it, ends no step.
                self.count.drop()
                self._follow(LOOP)
            elif trains and not self.loop_trains and self.count.ended:
                self._begin_anew()
            elif not self._loop_pauses:
                return
            self.loop_trains, self._loop_pauses = trains, False
            self.choose(LOOP, text)
            self.count.begin()

    @harmless
    def iteration_ended(self, text, trains):
        """An iteration has ended in a library's own loop."""
        with self.lock:
            if self._may_iterate(trains):
                self._end_by(LOOP, text)

    @harmless
    def loop_pauses(self):
        """A library's own loop does something else than an iteration: the next one begins a step anew."""
        self._loop_pauses = True

    @harmless
    def fit_begins(self):
        """The outermost fit of an estimator begins."""
        with self.lock:
            if self.fixed == FIT:
                self.function_begins()
            elif self._first_fit is None:
                self._first_fit = now()

    @harmless
    def fit_returned(self, text):
        """The outermost fit of an estimator returned. Such ends wait, as something else may end the steps: a fit may prepare data."""
        with self.lock:
            if not self._may_end(FIT) or self.count.source not in (None, FIT):
                return
            self._fits = self._fits or "fit: " + text
            if self.source == FIT or self.fixed:
                self._end_by(FIT, self._fits)
                return
            self.count.wait(FIT)
            if len(self.count.waiting) >= _FITS:
                self._settle_fits()

    def _settle_fits(self):
        if not self.count.has_begun and self._first_fit is not None:
            self.count.begin(self._first_fit)
        self.settle_as(FIT, self._fits)

    @harmless
    def call_ended(self, source, text, call):
        """A call or range has ended that ends a step by `source`; `call`: when it began and in which cycle, if the step began with it."""
        with self.lock:
            if not self._may_end(source):
                return
            if call is not None:
                now_in = cycle()
                if now_in and now_in != call[1]:
                    # It was not recorded from its beginning, and does not count in the schedule.
                    return
                begin_call(*call)
            self._end_by(source, text)

    @harmless
    def settle(self):
        """The process ends: what waits for a decision is decided."""
        with self.lock:
            if self.count.source == OPTIMIZER:
                if self.optimizers.decide():
                    self._settle_optimizers()
            elif self.count.source == FIT:
                self._settle_fits()
            elif not (self.is_plain or self.fixed) and self.part.may_end_by(FORWARD):
                self._unoptimized.settle()
            self._beginnings.finish(self.is_plain)

    def hand_over_to(self, what):
        """From now on `control` ends steps instead of the rule; `what` is the text reported as their source."""
        self.fixed = NOBODY
        self.looks_at_forwards = False
        installed.need(())
        self.count.drop()
        self.count.has_begun = True
        if self._text != what:
            self._say(what)
        self.part.has_step()

    @harmless
    def _loop_ended(self):
        """The thread ends whose loop was followed: what it validated last is recorded on it."""
        self._beginnings.finish(self.is_plain)

    # The decision.

    def _may_end(self, source):
        """True if `source` ends steps, or may be chosen to do so."""
        # Ends by annotations would mix with those by optimizers that wait.
        if source == ANNOTATION and self.count.source == OPTIMIZER:
            return False
        return source == self.source or self._may_choose(source)

    def _may_iterate(self, trains):
        """True if an iteration of a library's own loop, of training or not, may end a step."""
        return self._may_end(LOOP) and (trains or not self.loop_trains)

    def _may_choose(self, source):
        if self.fixed:
            return source == self.fixed
        return source > (self.source or 0) and self.part.may_end_by(source)

    def _end_by(self, source, text, thing=None):
        """Ends the step if `source` is, or becomes, the source that ends steps. `text` and the class of `thing`, if given, describe it."""
        if self._may_end(source):
            previous, described = self.source, (source, text, type(thing))
            if previous != source or described != self._described:
                self.choose(source, text, thing)
                self._described = described
            # The optimizer, or the engine, has already ended this iteration's step.
            if not (previous in (OPTIMIZER, ANNOTATION, LOOP) and source == PROFILER):
                self.end()

    def choose(self, source, text, thing=None):
        """From now on `source` ends steps."""
        if thing is not None:
            text += facts.class_path(thing)
        if source != self.source:
            self._follow(source)
        if self._said != text:
            self._say(text)

    def _follow(self, source):
        """From now on `source` ends steps, another one than before."""
        previous = self.source
        if source == PROFILER:
            self._before_profiler = previous, self._text
        self.source = source
        self.is_plain = source in _PLAIN
        self._unsettle()
        is_weaker = source in (ANNOTATION, OPTIMIZER, LOOP) and previous in range(FIT, min(source, OPTIMIZER))
        if (is_weaker or (previous == FIT and source != PROFILER)) and self.count.ended:
            self._begin_anew()
        if self.is_plain:
            self._beginnings.record()

    def _begin_anew(self):
        """The steps that ended so far were none of the program's training."""
        facts.learn("step_on_before", "%s, %d" % (self._text, self.count.ended))
        self.count.restart()

    def settle_as(self, source, text, ends=None):
        """The ends that wait are ends of steps, by `source`; with `ends` only those with these indices."""
        self.choose(source, text)
        if self.part.has_steps():
            self.count.settle(ends)
            self._is_empty()
            self.part.become_leader()

    def _settle_optimizers(self):
        optimizer = self.optimizers.followed
        self.settle_as(OPTIMIZER, "optimizer: " + (facts.class_path(optimizer) if optimizer else "deleted"), self.optimizers.ends)

    def _say(self, text):
        self._text = self._said = text
        note(1, "step_on=" + text)

    def end(self):
        """Ends the step, unless nothing was forwarded in it."""
        if self.part.has_steps() and not self._is_empty():
            were_removed = installed.are_removed
            self.count.end()
            if were_removed and not installed.are_removed:
                self._look_again()
            self.part.become_leader()
            self._settled.step_ended(self.source, self.optimizers)

    def _unsettle(self):
        """Something else happened than in the steps before: from now on everything is looked at again."""
        if self._settled.undo(self.fixed):
            # The current step may have had a forward.
            self.work.is_done = True
            self._look_again()

    def _look_again(self):
        """Batches and forwards, which were not looked at for some steps, are looked at again."""
        self._has_batch = False
        self._beginnings.look_again()

    def _is_empty(self):
        return self.work.is_missing(installed.are_removed, not self.fixed and self.source in (LOADER, OPTIMIZER))


def _after_fork():
    if rule is not None:
        rule.begin_as_fork()
        facts.follow()


os.register_at_fork(after_in_child=_after_fork)
