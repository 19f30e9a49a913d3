"""An independent clock for the programs beside this file: where a thread was while a loop ran, in percent of the loop's time."""
import time


def _ready():
    with open("/proc/thread-self/schedstat") as file:
        return int(file.read().split()[1])


def run(step, count):
    """Calls `step` so many times, and prints for how much of that time this thread was on a processor, ready without one, and waiting."""
    began = time.monotonic_ns(), time.thread_time_ns(), _ready()
    for _ in range(count):
        step()
    ended = time.monotonic_ns(), time.thread_time_ns(), _ready()
    whole, on, ready = (after - before for before, after in zip(began, ended))
    print("%.1f %.1f %.1f" % (100 * on / whole, 100 * ready / whole, 100 * (whole - on - ready) / whole))


def spin(seconds):
    """Computes for this long, of this thread's time on a processor."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
