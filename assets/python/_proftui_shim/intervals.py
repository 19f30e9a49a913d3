"""Ends steps, and has the tracers of frameworks on in the interval of steps that a cycle records.

Knows no framework: a tracer is an object with `prepare()`, `start(cycle)` and `stop()`, which raise nothing, may be called again,
and know themselves whether they are on: `start` returns whether it began just now. A tracer that cannot start yet is asked again at
the end of each step.

A recording window by time opens in the middle of a step, when nothing here runs: tracers, which are light then, are on all the time,
and the agent keeps what they report while the window is open.
"""
import os
import threading

import _proftui
from _proftui import cycle, pause_step, resume_step, state

_READY, _RECORD, _RETURN = 1, 2, 3

_tracers = []
# True where proftui opens recording windows by time.
is_by_time = False
# True from the start of tracers to their stop.
_is_open = False
# Held by the thread that ends a step, where there are tracers.
_step_lock = threading.Lock()


def add(tracer, is_child):
    """Adds a tracer, which is started with each cycle; at once where one is open."""
    _tracers.append(tracer)
    # The work of a child is part of its parent's steps, and tracers follow the thread that starts them.
    if is_child or threading.current_thread() is not threading.main_thread():
        return
    if is_by_time or state() >= _RECORD:
        _open([tracer])
    elif state() == _READY:
        tracer.prepare()


def end_step(samples, to=None):
    """Ends a step of so many samples (0: not known); `to` is the state of the next one, None for that of the schedule."""
    if not _tracers:
        _step(samples, to)
    # Where two threads end a step at once, one of the calls counts.
    elif _step_lock.acquire(False):
        try:
            _end_step(samples, to)
        finally:
            _step_lock.release()


def restart_step(to):
    """Begins the step under way only now, in this state."""
    _follow(_proftui.restart_step(to))


def _end_step(samples, to):
    if _is_open and not is_by_time and (state() == _RETURN or (to is not None and to < _RECORD)):
        _close()
    _follow(_step(samples, to))


def _step(samples, to):
    return _proftui.step(samples) if to is None else _proftui.step_to(samples, to)


def _follow(after):
    """Starts, stops or prepares tracers for the state of the step that begins."""
    if is_by_time:
        return
    if after >= _RECORD:
        if _open(_tracers):
            # The time that tracers take to start belongs to no step.
            resume_step()
    elif _is_open:
        _close()
    if after == _READY:
        for tracer in _tracers:
            tracer.prepare()


def finish(is_step=False):
    """Stops tracers, which write their files before the cycle ends, because the steps end (`is_step`) or the process does."""
    if _is_open:
        _close(is_step)


def _open(tracers):
    """Starts tracers; returns whether one of them began just now."""
    global _is_open
    _is_open = True
    number = cycle()
    # All of them, whatever the first did.
    return any([tracer.start(number) for tracer in tracers])


def _close(is_step=True):
    global _is_open
    _is_open = False
    # The time that tracers take to stop belongs to no step, and not to the cycle.
    pause_step(is_step)
    for tracer in _tracers:
        tracer.stop()


def _after_fork():
    global _is_open, _step_lock
    _is_open, _step_lock = False, threading.Lock()
    for tracer in _tracers:
        tracer.forget()


os.register_at_fork(after_in_child=_after_fork)
