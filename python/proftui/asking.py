"""Requests traces from the proftui process that supervises this run, by files in the run folder (`src/capture/supervisor/requests.rs`)."""
import fcntl
import itertools
import json
import os
import threading
import time

from . import output
from .binary import Refused

# Pauses between two looks for the answer, s; the last one repeats. An answer takes about as long as writing the trace.
_MOMENTS = (0.001, 0.002, 0.005, 0.01)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_numbers = itertools.count()
_lock = threading.Lock()


def trace(run, process, wanted):
    """Has the trace of a cycle written, and waits until it is complete. `wanted` is the cycle, the name of the format, the path, and what is
    added to the header of PyTorch's form, by key; `process` is this process's key. Raises `Refused`."""
    with _lock:
        number = next(_numbers)
    name = "%s.%d" % (process, number)
    cycle, form, path, metadata = wanted
    # A text may have halves of characters, which UTF-8 cannot have.
    header = json.dumps(metadata, ensure_ascii=False).encode("utf-8", "replace")
    fields = str(cycle).encode(), form.encode(), os.fsencode(output.destination(path)), header
    try:
        folder = _open(run)
    except OSError as error:
        raise Refused("cannot open the run's folder %s: %s" % (run, error.strerror or error))
    try:
        _ask(folder, name, b"\0".join(fields))
        why = _answer(folder, "answer." + name)
    except OSError as error:
        raise Refused("cannot write a request to %s: %s" % (run, error.strerror))
    finally:
        os.close(folder)
    if why:
        raise Refused(why)


def _ask(folder, name, text):
    partial = ".ask." + name
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder), "wb") as file:
        file.write(text)
    # A reader never sees an incomplete request: the file gets its name when it is complete.
    os.rename(partial, "ask." + name, src_dir_fd=folder, dst_dir_fd=folder)


def _answer(folder, name):
    for moment in itertools.chain(_MOMENTS, itertools.repeat(_MOMENTS[-1])):
        # Asked first: an answer that the process gave before it ended is found below.
        has_ended = not _is_locked(folder)
        try:
            with open(os.open(name, _READ, dir_fd=folder), "rb") as file:
                why = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            if has_ended:
                raise Refused("the proftui process that writes the traces of this script has ended")
            time.sleep(moment)
            continue
        os.unlink(name, dir_fd=folder)
        return why


def is_looked_after(run):
    """True while a proftui process supervises the run: it holds a lock on a file of the run folder."""
    try:
        folder = _open(run)
    except OSError:
        return False
    try:
        return _is_locked(folder)
    finally:
        os.close(folder)


def _is_locked(folder):
    try:
        with open(os.open("parent", _READ, dir_fd=folder), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _open(run):
    """The descriptor of the run's folder. Once a run has ended, another user can make its folder anew: that one is refused."""
    folder = os.open(run, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        os.close(folder)
        raise PermissionError("it belongs to another user, or others can write to it")
    return folder
