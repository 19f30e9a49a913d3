"""Asks the proftui process that serves this process's run for traces, by files in the run's folder (`src/capture/requests.rs`)."""
import fcntl
import itertools
import os
import threading
import time

from .binary import Refused

# The times between looking for the answer, s; the last one repeats. An answer takes about as long as writing the trace.
_MOMENTS = (0.001, 0.002, 0.005, 0.01)
_numbers = itertools.count()
_lock = threading.Lock()


def trace(run, process, cycle, form, path):
    """Has a cycle of this process written to a path, and waits for it. `process` is the key of the process. Raises `Refused`."""
    with _lock:
        number = next(_numbers)
    name = "%s.%d" % (process, number)
    ask, answer = os.path.join(run, "ask." + name), os.path.join(run, "answer." + name)
    fields = (str(cycle).encode(), form.encode(), os.fsencode(os.path.realpath(path)))
    try:
        partial = os.path.join(run, ".ask." + name)
        with open(partial, "wb") as file:
            file.write(b"\0".join(fields))
        # Only a complete file gets the name of a request.
        os.rename(partial, ask)
    except OSError as error:
        raise Refused("%s: %s" % (run, error.strerror))
    for moment in itertools.chain(_MOMENTS, itertools.repeat(_MOMENTS[-1])):
        try:
            with open(answer, "rb") as file:
                why = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            if not is_looked_after(run) and not os.path.exists(answer):
                raise Refused("whoever writes traces for this process is gone")
            time.sleep(moment)
            continue
        os.unlink(answer)
        if why:
            raise Refused(why)
        return


def is_looked_after(run):
    """Whether a proftui process serves a run: it keeps a file of the run's folder locked."""
    try:
        with open(os.path.join(run, "parent"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
