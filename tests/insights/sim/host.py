"""The host's side: threads whose activities cost time and nest. What an activity costs the device follows elsewhere."""
from contextlib import contextmanager


class Activity:
    """A stretch of a thread's time, with the true reason for it.

    kind: `step`, `range`, `python`, `operator`, `call`, `overhead`, `wait` (for another thread), or `compute` (what an operator itself computes on
    the host; it is in no file).
    cause: the cause of section "causes" that this activity is, by what it does and not by its name; None for dispatch and script.
    """

    __slots__ = ("thread", "kind", "name", "cause", "start", "end", "args", "correlation", "works", "launches", "blocks",
                 "is_recorded", "is_launch", "parent", "sync", "category", "room_from")

    def __init__(self, thread, kind, name, cause, args):
        self.thread, self.kind, self.name, self.cause, self.args = thread, kind, name, cause, args
        self.start = self.end = thread.now
        self.correlation, self.works, self.launches, self.blocks = 0, [], False, False
        self.is_recorded, self.is_launch, self.sync, self.category = True, False, None, None
        # From then on, a launch waits for room in the queue.
        self.room_from = None
        self.parent = thread.open[-1] if thread.open else None


class Thread:
    """A host thread with its own clock."""

    def __init__(self, machine, number, name, now=0):
        self.machine, self.number, self.name, self.now = machine, number, name, now
        self.activities, self.open = [], []

    def spend(self, ns):
        """Time passes on this thread."""
        self.now += ns

    def until(self, at):
        """Time passes until `at`, if that is not over yet."""
        self.now = max(self.now, at)

    @contextmanager
    def inside(self, kind, name, cause=None, **args):
        """An activity around what the block does. A cause that this run is to do without is not there, and costs nothing."""
        if cause and cause == self.machine.without:
            before = self.now
            yield None
            self.now = before
            return
        activity = Activity(self, kind, name, cause, args)
        self.activities.append(activity)
        self.open.append(activity)
        yield activity
        self.open.pop()
        activity.end = self.now

    def busy(self, kind, name, ns, cause=None, **args):
        """An activity of `ns` with nothing inside."""
        with self.inside(kind, name, cause, **args) as activity:
            self.spend(ns)
        return activity

    def compute(self, ns):
        """An operator computes on the host before, between or after its launches; a what-if run without the cause leaves it out."""
        if self.machine.without != ("cpu_operator" if ns >= 200_000 else "launch_bound"):
            self.busy("compute", "computes", ns)

    def script(self, name, ns):
        """Python code of the script; a what-if run without `host_python` leaves long ones out."""
        if self.machine.without == "host_python" and ns >= 100_000:
            return
        self.busy("python", name, ns)

    def wait_for(self, other, name, wake):
        """Waits until `other` is where it is now, and `wake` ns more."""
        with self.inside("wait", name):
            self.until(other.now)
            self.spend(wake)

    def has_launched(self):
        """Notes on all open activities that something was launched inside them."""
        for activity in self.open:
            activity.launches = True
