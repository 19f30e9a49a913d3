"""Libraries that run the loop themselves, and say when an iteration begins and ends: Keras, fastai, XGBoost, LightGBM.

An iteration of training ends a step, when the library has called what it calls after each. Iterations of a test or of predictions end
steps only in a process that has not trained in such a loop; beside training, a test is a validation. What a version lacks is left out.
Knows the names of libraries' functions, and no more of them.
"""
from time import monotonic_ns

from _proftui import validation

from . import imports, steps
from .harmless import harmless
from .hooks import followed, hooked, preceded
from .wrappers import wrapped

# When the test began that goes on; 0 in none.
_tested_from = 0


def watch():
    """Looks at the iterations of the libraries from now on, of those that are imported already, too."""
    imports.watch("keras.src.callbacks.callback_list", _keras)
    imports.watch("fastai.learner", _fastai)
    imports.watch("xgboost.callback", _xgboost)
    imports.watch("lightgbm.basic", _lightgbm)


def _keras(module):
    lists = module.CallbackList
    for what in ("train", "test", "predict"):
        begins, ends = _iteration("loop: Keras" if what == "train" else "loop: Keras, " + what, what == "train")
        _wrap(lists, "on_%s_batch_begin" % what, preceded(begins))
        _wrap(lists, "on_%s_batch_end" % what, followed(ends))
    _wrap(lists, "on_epoch_begin", followed(_pauses))
    _wrap(lists, "on_test_begin", preceded(_test_begins))
    _wrap(lists, "on_test_end", followed(_test_ended))


def _xgboost(module):
    begins, ends = _iteration("loop: XGBoost", True)
    _wrap(module.CallbackContainer, "before_training", followed(_pauses))
    _wrap(module.CallbackContainer, "before_iteration", preceded(begins))
    _wrap(module.CallbackContainer, "after_iteration", followed(ends))


def _lightgbm(module):
    begins, ends = _iteration("loop: LightGBM", True)
    _wrap(module.Booster, "__init__", followed(_pauses))
    _wrap(module.Booster, "update", _around(lambda booster: (begins, ends)))


def _fastai(module):
    trains, tests = _iteration("loop: fastai", True), _iteration("loop: fastai, test", False)
    _wrap(module.Learner, "one_batch", _around(lambda learner: trains if getattr(learner, "training", True) else tests))
    _wrap(module.Learner, "_do_epoch_validate", _around(lambda learner: (_test_begins, _test_ended)))


def _iteration(text, trains):
    """What is to be called at the beginning and at the end of an iteration, of training or not; `text` names the loop."""

    def begins(*args, **kwargs):
        steps.rule.iteration_begins(text, trains)

    def ends():
        steps.rule.iteration_ended(text, trains)

    return begins, ends


def _around(chosen):
    """A wrapper for methods: calls one function before and another one after; `chosen(thing)` are both."""

    def before(thing, *args, **kwargs):
        begins, ends = chosen(thing)
        begins()
        return ends

    def after(ends, is_done, result):
        if is_done:
            ends()

    return hooked(before, after)


def _pauses():
    steps.rule.loop_pauses()


@harmless
def _test_begins(*args, **kwargs):
    global _tested_from
    _tested_from = monotonic_ns()


@harmless
def _test_ended():
    global _tested_from
    if _tested_from and steps.rule.loop_trains:
        validation(_tested_from, monotonic_ns())
        steps.rule.loop_pauses()
    _tested_from = 0


def _wrap(owner, name, wrap):
    if hasattr(owner, name):
        wrapped(owner, name, wrap)
