"""This process: its folder in the run, and its part in the run."""
import os
import sys

from _proftui import name_process

from .harmless import harmless

# True once the process was named as a loader's worker, or is known to be none.
_is_named = False


def is_loader_worker():
    """True in a worker process of a data loader, whose work is part of its parent's steps."""
    return _loader_worker() is not None


@harmless
def name_child():
    """Names the process as multiprocessing does, if that has started it: `ForkPoolWorker-2`."""
    module = sys.modules.get("multiprocessing.process")
    name = module.current_process().name if module is not None else "MainProcess"
    if name != "MainProcess":
        name_process(name)


@harmless
def name_actor():
    """Names the process as Ray does, if it is one of Ray's workers: by its actor's class, and the actor's name if it has one."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return
    context = ray.get_runtime_context()
    if context.get_actor_id():
        # Ray has the worker's command line show it: `ray::Trainer`, `ray::Trainer.train`.
        with open("/proc/self/cmdline", "rb") as file:
            shown = file.read().split(b"\0")[0].decode("utf-8", "replace")
        name = context.get_actor_name()
        of_class = shown[len("ray::"):].partition(".")[0] if shown.startswith("ray::") else ""
        name_process(" ".join(filter(None, ("Ray actor", of_class, name))))


@harmless
def name_loader_worker():
    """Names the process, if it is a worker of a data loader, as `DataLoader worker 3`; later calls in the process do nothing."""
    global _is_named
    if not _is_named:
        _is_named = True
        worker = _loader_worker()
        if worker is not None:
            name_process("DataLoader worker %s" % getattr(worker, "id", ""))


def _loader_worker():
    for name in ("torch.utils.data", "paddle.io"):
        info = getattr(sys.modules.get(name), "get_worker_info", None)
        worker = info() if info is not None else None
        if worker is not None:
            return worker
    return None


def folder():
    """Path of this process's folder in the run folder."""
    with open("/proc/self/stat", "rb") as file:
        # The second field is the command's name in parentheses, which may contain any character.
        fields = file.read().rpartition(b")")[2].split()
    return os.path.join(os.environ["PROFTUI_RUN"], "%d-%d" % (os.getpid(), int(fields[19])))


def _after_fork():
    global _is_named
    _is_named = False


os.register_at_fork(after_in_child=_after_fork)
