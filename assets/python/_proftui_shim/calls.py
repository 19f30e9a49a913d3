"""Steps that are calls, from their beginning to their end: of a function, or of a range by which a serving engine annotates a step.

Such steps may overlap. Of annotations within each other on a thread the outermost one is the step. Knows no framework.
"""
from contextvars import ContextVar
from time import monotonic_ns

from _proftui import cycle, read_clocks

from . import steps, threads
from .annotations import engine_of
from .harmless import failed
from .ranges import here
from .sources import ANNOTATION, FUNCTION

# True within a call of a coroutine function or of a generator, also in the tasks that it creates.
is_within = ContextVar("is_within", default=False)


def begins():
    """A call begins: returns when (ns of the monotonic clock), and in which cycle (0: in none)."""
    if here.tracer is not threads.tracer:
        threads.follow()
    steps.rule.function_begins()
    begun, now_in = monotonic_ns(), cycle()
    if now_in:
        read_clocks(begun)
    return begun, now_in


def returned(begun):
    """The function that `--step-on` names returned; `begun`: what `begins` returned, if the step began with the call."""
    steps.rule.call_ended(FUNCTION, "function: " + steps.rule.function, begun)


class Annotation:
    """An outermost annotation that has begun."""

    def __init__(self, engine):
        # Of annotations within each other, the innermost one says which engine it is: engines that wrap another one use its names, too.
        self.engine = engine
        self.begun = begins()
        self.is_open = True

    def ends(self, has_failed):
        """It ends. It is no step if `has_failed`: it ends by an exception."""
        self.is_open = False
        # It may end on another thread than it began on.
        if here.annotation is self:
            here.annotation = None
        # In a child that was forked in it, annotations end no steps yet.
        if not has_failed and steps.rule.source == ANNOTATION:
            steps.rule.call_ended(ANNOTATION, "annotation: " + self.engine, self.begun)


def annotation_begins(name):
    """A range with this name begins. Returns what is to be called at its end, with whether it failed; None if it is no step."""
    try:
        engine = engine_of(name)
        if engine is None:
            return None
        outer = here.annotation
        if outer is not None and outer.is_open:
            outer.engine = engine
        elif steps.rule.annotation_begins():
            here.annotation = Annotation(engine)
            return here.annotation.ends
    except Exception as error:
        failed("annotation_begins", error)
    return None
