"""The machine as a whole: threads, devices, how fast both are, and which part of the run the file shows."""
from contextlib import contextmanager

from .device import Device
from .draws import us
from .host import Activity, Thread
from .names import NAMES


class Machine:
    """One run of a program on one machine."""

    def __init__(self, draws, flavour="cuda", without=None, stacks=False, sync_records=False, tick=1):
        """`flavour`: cuda, rocm or paddle. `without`: a cause that this run does without (what-if).

        `stacks`: the file has Python frames. `sync_records`: the file has records of synchronizations on the device's side.
        """
        self.draws, self.flavour, self.without = draws, flavour, without
        self.stacks, self.sync_records, self.tick = stacks, sync_records, tick
        self.names = dict(NAMES["rocm" if flavour == "rocm" else "cuda"])
        self.threads, self.devices = [], []
        self.pid, self.correlation = 4711, 100
        self.window_start = -1 << 60
        self.loses = False
        self.memory = []
        self.steps = {}
        # Latency from the end of a launch call to the start of its kernel on an idle stream, ns.
        self.latency = us(9) if flavour == "rocm" else us(3.2)
        self.call_ns = us(5.5) if flavour == "rocm" else us(4.6)
        self.host_speed = draws.between("host speed", 0.85, 1.2)
        self.device_speed = draws.between("device speed", 0.9, 1.2)
        self.edition = {}
        # What the run says of its label, beside the scenario's own words.
        self.says = {}

    def thread(self, name, at=0):
        """A new host thread that begins at `at`."""
        number = self.pid + (0 if not self.threads else 90 + len(self.threads))
        self.threads.append(Thread(self, number, name, at))
        return self.threads[-1]

    def device(self, number=None, pause=None, depth=1024):
        """A new device; a ROCm file counts its devices from another number."""
        if number is None:
            number = 2 if self.flavour == "rocm" else 0
        if pause is None:
            pause = 0 if self.flavour == "rocm" else us(0.9)
        self.devices.append(Device(self, number, pause, depth))
        return self.devices[-1]

    def host_ns(self, label, ns, spread=0.08):
        """A drawn time of the host."""
        return self.draws.near(label, ns * self.host_speed, spread)

    def device_ns(self, label, ns, spread=0.05):
        """A drawn time of the device."""
        return self.draws.near(label, ns * self.device_speed, spread)

    def next_correlation(self):
        """The number that links a call to its work."""
        self.correlation += 1
        return self.correlation

    @contextmanager
    def losing(self):
        """Work launched in this block runs, and its records do not get into the file."""
        self.loses = True
        yield
        self.loses = False

    def window_opens(self, at):
        """What began before `at` is not in the file."""
        self.window_start = at

    def count_step(self, kind, requests, tokens, padded=None):
        """Notes a step of a serving engine."""
        row = self.steps.setdefault(kind, {"steps": 0, "requests": 0, "tokens": 0})
        row["steps"] += 1
        row["requests"] += requests
        row["tokens"] += tokens
        if padded:
            row["padded"] = row.get("padded", 0) + padded

    def close(self):
        """Decides what the file shows: frames only with stacks, in some files nothing of the host but calls, nothing before the window."""
        unseen = ("compute",) if self.stacks else ("python", "wait", "compute")
        if self.edition.get("calls only"):
            unseen = ("python", "wait", "compute", "operator", "range", "step")
        if self.edition.get("no calls"):
            unseen += ("call",)
        if self.stacks:
            self._outer_frame()
        for thread in self.threads:
            for activity in thread.activities:
                activity.is_recorded = activity.start >= self.window_start and activity.kind not in unseen
        for device in self.devices:
            for work in device.works:
                work.is_recorded = work.is_recorded and work.start >= self.window_start

    def _outer_frame(self):
        """The script's own frame, which is around all that the main thread does and lasts a little longer."""
        main = self.threads[0]
        frame = Activity(main, "python", "train.py(120): <module>", None, {})
        frame.launches = True
        frame.start = main.activities[0].start - us(40)
        frame.end = max(activity.end for activity in main.activities) + us(25)
        main.activities.insert(0, frame)
