"""Where a step ends, and with it, or with a later one, the window in which the tracers of frameworks are on.

Knows no framework: a tracer is a thing with `prepare()`, `start(cycle)`, `stop()`, which raise nothing, may be called again,
and know themselves whether they are on: `start` returns whether it began just now. One that cannot start yet is asked again at
the end of each step.

A window by time opens in the middle of a step, where nothing here runs: tracers, which are light then, are on all the time, and
the agent keeps what they record while the window is open.
"""
import os
import threading

import _proftui
from _proftui import cycle, pause_step, resume_step, state

_READY, _RECORD, _RETURN = 1, 2, 3

_tracers = []
# True where the parent opens windows by time.
is_by_time = False
# True from the start of tracers to their stop.
_is_open = False
# Held by the thread that ends a step.
_step_lock = threading.Lock()


def add(tracer, is_child):
    """Has the tracer on in windows: from now on where one is open, else from the next one on."""
    _tracers.append(tracer)
    # What a child does is part of somebody's step, and tracers follow the thread that starts them.
    if is_child or threading.current_thread() is not threading.main_thread():
        return
    if is_by_time or state() >= _RECORD:
        _open([tracer])
    elif state() == _READY:
        tracer.prepare()


def end_step(samples, to=None):
    """A step ends, with so many samples; `to` is the state of the next one, where it is not the schedule that says."""
    if not _tracers:
        _step(samples, to)
    # Of two threads that end steps at once, one counts.
    elif _step_lock.acquire(False):
        try:
            _end_step(samples, to)
        finally:
            _step_lock.release()


def restart_step(to):
    """The step under way begins only now, in this state."""
    _follow(_proftui.restart_step(to))


def _end_step(samples, to):
    if _is_open and not is_by_time and (state() == _RETURN or (to is not None and to < _RECORD)):
        _close()
    _follow(_step(samples, to))


def _step(samples, to):
    return _proftui.step(samples) if to is None else _proftui.step_to(samples, to)


def _follow(after):
    """Tracers go with the state of the step that begins."""
    if is_by_time:
        return
    if after >= _RECORD:
        if _open(_tracers):
            # What tracers take to start is no step's time.
            resume_step()
    elif _is_open:
        _close()
    if after == _READY:
        for tracer in _tracers:
            tracer.prepare()


def finish(is_step=False):
    """The process ends, or its steps, the one under way whole with `is_step`: what tracers have is written before the cycle is over."""
    if _is_open:
        _close(is_step)


def _open(tracers):
    """Returns whether one of the tracers began now."""
    global _is_open
    _is_open = True
    number = cycle()
    # All of them, whatever the first did.
    return any([tracer.start(number) for tracer in tracers])


def _close(is_step=True):
    global _is_open
    _is_open = False
    # What tracers take to stop is no step's time, and not of the cycle.
    pause_step(is_step)
    for tracer in _tracers:
        tracer.stop()


def _after_fork():
    global _is_open, _step_lock
    _is_open, _step_lock = False, threading.Lock()
    for tracer in _tracers:
        tracer.forget()


os.register_at_fork(after_in_child=_after_fork)
