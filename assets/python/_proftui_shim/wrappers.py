"""Wrappers for functions of frameworks: they record ranges, and report to the rule that ends steps.

Knows no framework: `on_torch` and `on_paddle` choose the functions and names. Each wrapper calls the wrapped function exactly once, and
passes on its result or exception.
"""
from functools import wraps

from _proftui import begin, end

from . import installed, process, steps
from .harmless import harmless
from .ranges import BACKWARD, DATALOADER, FORWARD, OPTIMIZATION, OTHER, USER, Tags, here

_loads, _forwards, _backwards = Tags(DATALOADER), Tags(FORWARD), Tags(BACKWARD)
_optimizations, _reads = Tags(OPTIMIZATION), Tags(OTHER)
user = Tags(USER)


def has_phases():
    """True if the process has reported any phase."""
    return any((_loads, _forwards, _backwards, _optimizations))


def wrapped(owner, name, wrap, purpose=installed.ALWAYS, changed=None):
    """Replaces the function `name` of a class or module by `wrap` of it, while `purpose` needs that."""
    installed.install(owner, name, wrap, purpose, changed)


def never():
    """Always False; for frameworks without a compiler."""
    return False


def loading(next_batch):
    """Wraps a data loader's `__next__`: the outermost call is a range, and its batch is reported."""
    rule = steps.rule

    @wraps(next_batch)
    def __next__(self):
        if here.loading:
            return next_batch(self)
        rule.batch_asked()
        try:
            here.loading = True
            begin(_loads.of_class(self))
            batch = next_batch(self)
        except StopIteration:
            rule.batches_ended()
            raise
        finally:
            here.loading = False
            end()
        rule.batch_given(batch, self)
        return batch

    return __next__


def fetching(fetch):
    """Wraps the function that reads a batch from the data set: a range if called outside of a loader's `__next__`, as in its workers.

    The range is not a phase: a step waits for the loader, not for its workers.
    """

    @wraps(fetch)
    def call(self, *args, **kwargs):
        if here.loading:
            return fetch(self, *args, **kwargs)
        try:
            here.loading = True
            process.name_loader_worker()
            begin(_reads.of_class(getattr(self, "dataset", self)))
            return fetch(self, *args, **kwargs)
        finally:
            here.loading = False
            end()

    return call


def forwarding(is_compiling, named_by, gradients_of, is_recorded=True):
    """A wrapper for a module's `__call__`: the outermost call on a thread is a range, named by the class of `named_by(module)`.

    `gradients_of(module)` is true if gradients are recorded in the call, and None if the call is part of one on another thread. The
    wrapper also runs for each inner module, at little cost. With `is_recorded` false there is no range, only the report.
    """
    rule = steps.rule

    def wrap(forward):
        @wraps(forward)
        def __call__(self, *args, **kwargs):
            # This comes first: while compiling, the compiler then traces only this call.
            if is_compiling() or here.forward:
                return forward(self, *args, **kwargs)
            # A backward pass may recompute a forward (activation checkpointing).
            is_seen = rule.looks_at_forwards and not here.backward
            what = rule.forward_begins(self, gradients_of) if is_seen else None
            try:
                here.forward = True
                if is_recorded:
                    begin(_forwards.of_class(named_by(self)))
                result = forward(self, *args, **kwargs)
            finally:
                here.forward = False
                if is_recorded:
                    end()
            if is_seen:
                rule.has_worked = True
                if what:
                    rule.forward_returned(what)
            return result

        return __call__

    return wrap


def backwarding(name, is_compiling, is_recorded=True):
    """A wrapper for functions that compute gradients: the outermost call on a thread is a range, and reported."""
    rule = steps.rule

    def wrap(backward):
        @wraps(backward)
        def call(*args, **kwargs):
            if is_compiling() or here.backward:
                return backward(*args, **kwargs)
            rule.gradients_computed()
            try:
                here.backward = True
                if is_recorded:
                    begin(_backwards[name])
                return backward(*args, **kwargs)
            finally:
                here.backward = False
                if is_recorded:
                    end()
                rule.gradients_returned()

        return call

    return wrap


@harmless
def optimizer_begins(optimizer):
    """An optimizer's step begins; that of the outermost optimizer is a range."""
    if here.optimizers and any(other is optimizer for other in here.optimizers):
        # Its last step raised an exception, after which no hook ran.
        optimizer_fails()
    if here.optimizers:
        steps.rule.optimizer_is_part(optimizer)
    else:
        if not steps.rule.count.has_begun:
            steps.rule.function_begins()
        begin(_optimizations.of_class(optimizer, ".step"))
    here.optimizers += (optimizer,)


@harmless
def optimizer_ends(optimizer):
    """An optimizer's step ended; that of the outermost optimizer is reported."""
    stepping = here.optimizers
    while stepping and stepping[-1] is not optimizer:
        stepping = stepping[:-1]
    if stepping:
        here.optimizers = stepping[:-1]
    elif not here.optimizers:
        # It began while the hooks were removed.
        steps.rule.optimizer_stepped(optimizer)
    if len(stepping) == 1:
        end()
        if here.around:
            here.stepped = optimizer
        else:
            steps.rule.optimizer_stepped(optimizer)


def around_optimizer():
    """A framework's own range around an optimizer's step begins: the current step is not to end within it."""
    here.around += 1


@harmless
def after_optimizer(has_failed):
    """The framework's own range around an optimizer's step ended; `has_failed`: by an exception."""
    here.around -= 1
    if here.around:
        return
    if has_failed:
        optimizer_fails()
    if here.stepped is not None:
        optimizer, here.stepped = here.stepped, None
        steps.rule.optimizer_stepped(optimizer)


@harmless
def optimizer_fails():
    """An optimizer raised an exception: its range ends, the step does not."""
    if here.optimizers:
        here.optimizers = ()
        end()


def followed(report):
    """A wrapper for a method: calls `report` after it has returned."""

    def wrap(method):
        @wraps(method)
        def call(*args, **kwargs):
            result = method(*args, **kwargs)
            report()
            return result

        return call

    return wrap


def preceded(report):
    """A wrapper for a method: calls `report` before it, with the same arguments."""

    def wrap(method):
        @wraps(method)
        def call(*args, **kwargs):
            report(*args, **kwargs)
            return method(*args, **kwargs)

        return call

    return wrap
