"""Requests traces from the proftui process that supervises this run, by files in the run folder (`src/capture/requests.rs`)."""
import fcntl
import itertools
import os
import threading
import time

from . import output
from .binary import Refused

# Pauses between two looks for the answer, s; the last one repeats. An answer takes about as long as writing the trace.
_MOMENTS = (0.001, 0.002, 0.005, 0.01)
_numbers = itertools.count()
_lock = threading.Lock()


def trace(run, process, cycle, form, path):
    """Has the trace of a cycle written to `path` and waits until it is complete. `process` is this process's key. Raises `Refused`."""
    with _lock:
        number = next(_numbers)
    name = "%s.%d" % (process, number)
    ask, answer = os.path.join(run, "ask." + name), os.path.join(run, "answer." + name)
    fields = (str(cycle).encode(), form.encode(), os.fsencode(output.destination(path)))
    try:
        partial = os.path.join(run, ".ask." + name)
        with open(partial, "wb") as file:
            file.write(b"\0".join(fields))
        # A reader never sees an incomplete request: the file gets its name when it is complete.
        os.rename(partial, ask)
    except OSError as error:
        raise Refused("cannot write a request to %s: %s" % (run, error.strerror))
    for moment in itertools.chain(_MOMENTS, itertools.repeat(_MOMENTS[-1])):
        try:
            with open(answer, "rb") as file:
                why = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            if not is_looked_after(run) and not os.path.exists(answer):
                raise Refused("the proftui process that writes the traces of this script has ended")
            time.sleep(moment)
            continue
        os.unlink(answer)
        if why:
            raise Refused(why)
        return


def is_looked_after(run):
    """True while a proftui process supervises the run: it holds a lock on a file of the run folder."""
    try:
        with open(os.path.join(run, "parent"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
