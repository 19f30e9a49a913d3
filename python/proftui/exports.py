"""Callbacks for `on_trace_ready` that write each trace to a file."""
import datetime
import os
import socket
import time


def export_chrome_tracing(dir_name, worker_name=None):
    """Returns a callback that writes each trace into the folder `dir_name` as JSON in the form of Paddle's profiler; creates the folder."""
    return _paddle(dir_name, worker_name, "json")


def export_protobuf(dir_name, worker_name=None):
    """Returns a callback that writes each trace into the folder `dir_name` as Paddle's protobuf; creates the folder."""
    return _paddle(dir_name, worker_name, "pb")


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """Returns a callback that writes each trace into the folder `dir_name` as PyTorch's handler does; creates the folder.
    `use_python_export` is ignored."""
    _make(dir_name)

    def handle(prof):
        worker = worker_name or "%s_%d" % (socket.gethostname(), os.getpid())
        ending = ".gz" if use_gzip else ""
        name = "%s.%d.pt.trace.json%s" % (worker, time.time_ns(), ending)
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handle


def _paddle(dir_name, worker_name, format):
    _make(dir_name)

    def handle(prof):
        worker = worker_name or "host_%spid_%d" % (socket.gethostname(), os.getpid())
        now = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        prof.export(os.path.join(dir_name, "%s_time_%s.paddle_trace.%s" % (worker, now, format)), format)

    return handle


def _make(folder):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise RuntimeError("cannot create the folder %s: %s" % (folder, error.strerror))
