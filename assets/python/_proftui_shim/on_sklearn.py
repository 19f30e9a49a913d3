"""scikit-learn: the outermost fit of an estimator on a thread is a range, and a step of a program in which nothing else ends steps.

scikit-learn (from 1.3 on) decorates what trains an estimator, such as `fit` and `partial_fit`, of nearly all its estimators, and reports no
iterations within.
"""
from _proftui import begin, end

from . import steps
from .hooks import Phase, hooked
from .wrappers import user, wrapped


def install(module, is_timer_only):
    """Hooks the decorator of such methods in `sklearn.base`, before any estimator is defined."""
    if not hasattr(module, "_fit_context"):
        return

    def fits(decorate):
        def _fit_context(*args, **kwargs):
            decorator = decorate(*args, **kwargs)
            return lambda method: hooked(_before(method.__name__), _after, Phase.FIT)(decorator(method))

        return _fit_context

    def _before(name):
        def before(estimator, *args, **kwargs):
            text = "%s.%s" % (type(estimator).__name__, name)
            steps.rule.fit_begins()
            if not is_timer_only:
                begin(user[text])
            return text

        return before

    def _after(text, is_done, result):
        if not is_timer_only:
            end()
        if is_done:
            steps.rule.fit_returned(text)

    wrapped(module, "_fit_context", fits)
