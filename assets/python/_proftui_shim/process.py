"""This process: its folder in the run, and its part in the run."""
import os
import sys


def is_loader_worker():
    """True in a worker process of a data loader, whose work is part of its parent's steps."""
    for name in ("torch.utils.data", "paddle.io"):
        info = getattr(sys.modules.get(name), "get_worker_info", None)
        if info is not None and info() is not None:
            return True
    return False


def folder():
    """Path of this process's folder in the run folder."""
    with open("/proc/self/stat", "rb") as file:
        # The second field is the command's name in parentheses, which may contain any character.
        fields = file.read().rpartition(b")")[2].split()
    return os.path.join(os.environ["PROFTUI_RUN"], "%d-%d" % (os.getpid(), int(fields[19])))
