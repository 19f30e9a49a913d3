"""Base class of the operator tracers, of which `operators_chosen` has one per framework, which `intervals` starts and stops, and which yield to the script's own profiler.

Knows no framework: subclasses do. A framework can run one profiler at a time, so the tracer ends before the script's own profiler
begins, and begins again when that has ended; the events of the script's profiler are written to a file beside the tracer's.
"""
import ctypes
import os
import threading
import time
import weakref
from contextlib import nullcontext

from _proftui import add_file, folder, note

from . import own, threads
from .harmless import fail, harmless

# Most bytes that a tracer writes per cycle; then it stops for the rest of the cycle. In a ring the oldest files go instead.
most = 1 << 30
# The events in memory are written at the end of a step, and a new part begins: after at most `_LONGEST` ns, and sooner where the file
# would be longer than `_PART` bytes, or an eighth of `most`, but `_LEAST` bytes at least. A framework's profiler takes some ten times as
# much memory while it writes. Nothing is known of the first part of a process and of its loop: `_FIRST` ns. To write and begin again costs a
# millisecond beyond the cost per event.
_FIRST, _LONGEST = 50_000_000, 1_000_000_000
_PART, _LEAST = 8 << 20, 1 << 20
# After a part of at least this size, bytes, the C library is asked to return free memory to the system: it keeps many times that.
_LARGE = 16 << 20


@harmless
def give_back():
    """Returns free memory to the system, if the C library has `malloc_trim`."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _next_length(took, size):
    """How long the next part may take, ns, after one that took `took` ns and `size` bytes: twice as long at most, since rates change."""
    wanted = max(min(_PART, most // 8), _LEAST)
    return max(_FIRST, min(_LONGEST, 2 * took, took * wanted // max(size, 1)))


class Tracer:
    """A tracer of operators. A subclass sets `framework` and, if it writes files, their `ending`."""

    framework = ending = None
    # How it records operators: off, light or full.
    how = "off"
    # Why it is used although another one was asked for; empty if it was asked for.
    why = ""
    # True for a tracer that keeps events in memory until it ends.
    keeps = False
    # True for a tracer that only the thread on which it began can end.
    is_of_thread = True

    def __init__(self):
        # The script's own profilers that run.
        self.others = weakref.WeakSet()
        self._has_failed = False
        self._local = threading.local()
        self._nothing_is_on()

    def forget(self):
        """Resets the state in the child of a fork: a tracer that is on belongs to the parent."""
        self._nothing_is_on()

    def _nothing_is_on(self):
        self._cycle = None
        self._parts = 0
        self._thread = None
        self._is_spoilt = False
        self._began = 0
        self._length = _FIRST
        self._bytes = 0
        self._is_full = False
        self._is_paused = False
        self._is_ready = False
        # In how many steps of the cycle the script's own profiler has run since it began.
        self._held = 0

    # For subclasses to override; any of it may raise.

    def make_ready(self):
        """Prepares tracing, which takes time, ahead of `begin`. Returns False if that is not possible yet."""
        return True

    def begin(self):
        """Begins to trace on this thread. Returns False if that is not possible yet."""
        raise NotImplementedError

    def end(self):
        """Ends tracing, and writes the events."""
        raise NotImplementedError

    def unready(self):
        """Undoes `make_ready`."""

    def count(self, path):
        """The number of events in a file that was written; 0 if that is not known."""
        return 0

    def beside(self):
        """A context in which the script's own profiler begins."""
        return nullcontext()

    def take(self, other):
        """Writes the events of the script's own profiler."""

    # Called by `intervals`.

    def prepare(self):
        """Prepares tracing, since the next step may be recorded."""
        if not self.others and self._thread is None and not self._is_ready:
            self._is_ready = bool(self._try(self.make_ready))

    def start(self, cycle):
        """Starts tracing in the open cycle; called at its beginning and after each step. Returns True if tracing began with this call."""
        if cycle != self._cycle:
            # What is known of the last cycle holds for this one: with parts of 50 ms again, each cycle of steps of some ms would be cut.
            self._cycle, self._parts, self._bytes, self._is_full, self._held = cycle, 0, 0, False, 0
            self._is_paused = False
        self._held += bool(self.others)
        if self.keeps and self.is_on and time.monotonic_ns() - self._began > self._length:
            self._end()
        return self._begin()

    def pause(self, is_paused):
        """Has the rest of the cycle not traced, or traced again."""
        self._is_paused = is_paused
        if is_paused:
            self._end()
        else:
            self._begin()

    def loop_begins(self):
        """The loop of steps begins, in which there are more events than before: the part that goes on is as long as one that begins now.
        Returns True if tracing began with this call."""
        self._began, self._length = time.monotonic_ns(), _FIRST
        return False

    def renew(self):
        """Ends the part that goes on, and begins the next one. Returns True if tracing began with this call."""
        self._drop()
        if not self.is_on:
            return False
        self._end()
        self._length = _FIRST
        return self._begin()

    def stop(self):
        """The cycle ends: stops tracing."""
        self._end()
        self._drop()
        if self.others and self._cycle:
            note(2, "%s: the script's own profiler was still running at the end of cycle %d: its operators, of %d step%s, are not in the trace"
                 % (self.framework, self._cycle, self._held, "s" if self._held > 1 else ""))
        self._cycle = None

    def retire(self):
        """Another tracer is used from now on."""
        self.stop()

    @property
    def has_cycle(self):
        """True between the beginning and the end of a cycle."""
        return bool(self._cycle)

    @property
    def is_on(self):
        """True while it is tracing."""
        return self._thread is not None

    @property
    def is_alone(self):
        """True while it is tracing and no profiler of the script's own runs on any thread."""
        return self.is_on and not self.others

    def _begin(self):
        if self._cycle is None or self.others or self.is_on or self._has_failed or self._is_full or self._is_paused:
            return False
        if not self._is_ready:
            self._is_ready = bool(self._try(self.make_ready))
        if not self._is_ready or not self._try(self.begin):
            return False
        self._is_ready = False
        if self.is_of_thread:
            # Replaces that of the last time.
            self._local.ends = threads.AtEnd(self._thread_ends)
        self._thread, self._began = threading.get_ident(), time.monotonic_ns()
        return True

    def _end(self):
        if self.is_on and (not self.is_of_thread or self._thread == threading.get_ident()):
            self._thread = None
            before, took = self._bytes, time.monotonic_ns() - self._began
            self._try(self.end)
            self._is_spoilt = False
            size = self._bytes - before
            self._length = _next_length(took, size)
            if size > _LARGE:
                give_back()

    def _thread_ends(self):
        # A tracer of all threads may be on by now, which another thread has begun.
        if self._thread == threading.get_ident():
            self._end()

    def _drop(self):
        if self._is_ready:
            self._is_ready = False
            self._try(self.unready)

    def _try(self, method):
        if self._has_failed:
            return False
        try:
            return method()
        except Exception as error:
            self._has_failed = True
            fail("%s: cannot record operators" % self.framework, error)
            return False

    # The script's own profiler.

    def give_way(self, other):
        """Ends tracing, since the script's own profiler is about to begin. May be called repeatedly; returns True for the first time."""
        self._end()
        self._drop()
        # A tracer of another thread cannot be ended from here; the script's profiler replaces it nevertheless.
        self._is_spoilt = self.is_on
        is_new = other not in self.others
        if not self.others:
            self._held = 1
        self.others.add(other)
        return is_new

    def take_back(self, other):
        """Starts tracing again after the script's own profiler has ended."""
        self.others.discard(other)
        self._begin()

    # Files.

    def write(self, save):
        """Has `save(path)` write a file of the cycle; the file gets its name when it is complete."""
        its_path = folder() if self._cycle else None
        if its_path:
            with own.opened(*os.path.split(its_path)) as opened:
                # Frameworks only take paths: this one is of the folder that was checked.
                name = "c%d.%d.%s" % (self._cycle, self._parts, self.ending)
                path = "/proc/self/fd/%d/%s" % (opened, name)
                self._parts += 1
                save(path + ".partial")
                os.rename(path + ".partial", path)
                size, events = os.path.getsize(path), self.count(path)
            self._bytes += size
            if not add_file(name, size, events) and self._bytes > most:
                self._is_full = True
                note(2, "%s: cycle %d: no more operators are recorded: %d MiB (--max-mb) are full; raise that, or record fewer steps"
                     % (self.framework, self._cycle, most >> 20))
