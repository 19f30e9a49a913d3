"""Wrappers for functions of frameworks: they record ranges, and report to the rule that ends steps.

Knows no framework: `on_torch` and `on_paddle` choose the functions and names. The wrappers are hooks (`hooks`), which have no frame.
"""
from _proftui import begin, end

from . import installed, process, steps, threads
from .harmless import harmless
from .hooks import Phase, hooked
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


def loading():
    """A wrapper for a data loader's `__next__`: the outermost call is a range, and its batch is reported."""
    rule = steps.rule

    def before(iterator):
        if here.tracer is not threads.tracer:
            threads.follow()
        rule.batch_asked()
        begin(_loads.of_class(iterator))
        return iterator

    def after(iterator, is_done, batch):
        end()
        if is_done:
            rule.batch_given(batch, iterator)
        elif batch is StopIteration:
            rule.batches_ended()

    return hooked(before, after, Phase.LOADING)


def fetching():
    """A wrapper for the function that reads a batch from the data set: a range if called outside of a loader's `__next__`, as in its workers.

    The range is not a phase: a step waits for the loader, not for its workers.
    """

    def before(fetcher, *args, **kwargs):
        process.name_loader_worker()
        begin(_reads.of_class(getattr(fetcher, "dataset", fetcher)))
        return True

    def after(begun, is_done, batch):
        end()

    return hooked(before, after, Phase.LOADING)


def forwarding(is_compiling, named_by, gradients_of, is_recorded=True):
    """A wrapper for a module's `__call__`: the outermost call on a thread is a range, named by the class of `named_by(module)`.

    `gradients_of(module)` is true if gradients are recorded in the call, and None if the call is part of one on another thread. With
    `is_recorded` false there is no range, only the report.
    """
    rule = steps.rule

    def before(module, *args, **kwargs):
        if is_compiling():
            return None
        if here.tracer is not threads.tracer:
            threads.follow()
        # A backward pass may recompute a forward (activation checkpointing).
        is_seen = rule.looks_at_forwards and not here.backward
        what = rule.forward_begins(module, gradients_of) if is_seen else None
        if is_recorded:
            begin(_forwards.of_class(named_by(module)))
        return is_seen, what

    def after(begun, is_done, result):
        if is_recorded:
            end()
        is_seen, what = begun
        if is_done and is_seen:
            rule.work.is_done = True
            if what:
                rule.forward_returned(what)

    return hooked(before, after, Phase.FORWARD)


def backwarding(name, is_compiling, is_recorded=True):
    """A wrapper for functions that compute gradients: the outermost call on a thread is a range, and reported."""
    rule = steps.rule

    def before(*args, **kwargs):
        if is_compiling():
            return None
        if here.tracer is not threads.tracer:
            threads.follow()
        rule.gradients_computed()
        here.backward = True
        if is_recorded:
            begin(_backwards[name])
        return True

    def after(begun, is_done, result):
        here.backward = False
        if is_recorded:
            end()
        rule.gradients_returned()

    return hooked(before, after, Phase.BACKWARD)


@harmless
def optimizer_begins(optimizer):
    """An optimizer's step begins; that of the outermost optimizer is a range."""
    if here.tracer is not threads.tracer:
        threads.follow()
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

