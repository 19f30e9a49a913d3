"""Ends steps, and runs the operator tracers of frameworks during the steps that a cycle records.

Knows no framework: a tracer is an object with `prepare()`, `start(cycle)`, `pause(is_paused)`, `loop_begins()`, `stop()` and `forget()`,
which raise nothing and may be called repeatedly; `start` and `loop_begins` return True if tracing began with this call. A tracer that cannot start
yet is asked again at the end of each step.

With `--window`, recording begins in the middle of a step, when no function of this module runs: the tracers, which are then the light
ones, are always on, and the agent drops their reports outside the window.
"""
import os
import threading
import time

import _proftui
from _proftui import cycle, pause_step, resume_step, state

from . import installed

_READY, _RECORD, _RETURN = 1, 2, 3

_tracers = []
# True if cycles are opened and closed by time (`--window`).
is_by_time = False
# True from the start of tracers to their stop.
_is_open = False
# True once the loop of steps has begun.
has_loop = False
# Held by the thread that ends a step, if there are tracers.
_step_lock = threading.Lock()


def add(tracer, is_child):
    """Adds a tracer, which is started with each cycle; starts it at once if a cycle is open."""
    _tracers.append(tracer)
    # The work of a child is part of its parent's steps.
    if is_child:
        return
    # If it traces the thread that starts it, that should be the one that ends steps.
    if tracer.is_of_thread and threading.current_thread() is not threading.main_thread():
        return
    if is_by_time or state() >= _RECORD:
        _open([tracer])
    elif state() == _READY:
        tracer.prepare()


def remove(tracer):
    """Removes a tracer, if it was added. No cycle may be open."""
    if tracer in _tracers:
        _tracers.remove(tracer)


def collect(is_on):
    """Has the tracers pause in the open cycle, or go on."""
    for tracer in _tracers:
        tracer.pause(not is_on)


def begin_loop():
    """The program's start-up is over: its first step, or a backward pass, begins. Returns True if a tracer began with this call."""
    global has_loop
    if has_loop:
        return False
    has_loop = True
    return any([tracer.loop_begins() for tracer in _tracers])


def end_step(samples, to=None):
    """Ends a step that processed `samples` samples (0: unknown); `to` is the state of the next one, None for the schedule's."""
    if not _tracers:
        installed.follow(_step(samples, to))
    # If two threads end a step at the same time, only one of the calls counts.
    elif _step_lock.acquire(False):
        try:
            _end_step(samples, to)
        finally:
            _step_lock.release()


def end_unrecorded_step(samples):
    """As `end_step`, for a step of a closed schedule."""
    after = _proftui.step(samples)
    if after:
        _follow(after)


def end_step_at(samples, time, waited):
    """Ends a step in the past: at this time (ns), when it had waited so long for data (ns)."""
    if _is_open and not is_by_time and state() == _RETURN:
        _close(True, time, waited)
    _follow(_proftui.step_at(samples, time, waited))


def restart_steps():
    """Counts steps anew: the current step is step 0."""
    _follow(_proftui.restart_steps())


def restart_step(to):
    """Begins the current step anew, now and in this state."""
    _follow(_proftui.restart_step(to))


def _end_step(samples, to):
    if _is_open and not is_by_time and (state() == _RETURN or (to is not None and to < _RECORD)):
        _close()
    _follow(_step(samples, to))


def _step(samples, to):
    return _proftui.step(samples) if to is None else _proftui.step_to(samples, to)


def _follow(after):
    """Starts, stops or prepares tracers for the state of the step that begins."""
    installed.follow(after)
    if is_by_time:
        return
    if after >= _RECORD:
        since = time.monotonic_ns()
        if any([begin_loop(), _open(_tracers)]):
            # The time that the tracers take to start counts for no step.
            resume_step(since)
    elif _is_open:
        _close()
    begin_loop()
    if after == _READY:
        for tracer in _tracers:
            tracer.prepare()


def finish(is_step=False):
    """Stops the tracers, which then write their files, before the cycle ends: at the end of the steps (`is_step`) or of the process."""
    if _is_open:
        _close(is_step)


def _open(tracers):
    """Starts tracers; returns True if one of them began with this call."""
    global _is_open
    _is_open = True
    number = cycle()
    # A list, not a generator: all of them must be started.
    return any([tracer.start(number) for tracer in tracers])


def _close(*is_step):
    global _is_open
    _is_open = False
    # The time that the tracers take to stop counts neither for a step nor for the cycle.
    pause_step(*is_step)
    for tracer in _tracers:
        tracer.stop()


def _after_fork():
    global _is_open, _step_lock
    _is_open, _step_lock = False, threading.Lock()
    for tracer in _tracers:
        tracer.forget()


os.register_at_fork(after_in_child=_after_fork)
