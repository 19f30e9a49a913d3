"""The device's side: streams that work in order, and the work itself. It knows nothing of host activities' names."""


class Work:
    """One kernel, copy or memset: when it ran, who launched it, and what it had waited for."""

    __slots__ = ("device", "stream", "kind", "name", "start", "end", "ready", "call", "correlation", "is_recorded",
                 "is_graph", "is_collective", "held", "proof", "args", "wait_start")

    def __init__(self, stream, kind, name, call):
        self.device, self.stream, self.kind, self.name, self.call = stream.device, stream, kind, name, call
        self.correlation = call.correlation
        self.start = self.end = self.ready = 0
        self.is_recorded, self.is_graph, self.is_collective = True, False, False
        # `held`: it began later than it could have, since it waited for other work or for another process.
        # `proof`: the file says so, by a record of the wait.
        self.held, self.proof, self.wait_start = False, False, None
        self.args = {}

    @property
    def group(self):
        """Kind by which delays are compared."""
        if self.is_graph:
            return "graph"
        return "collective" if self.is_collective else self.kind


class Event:
    """What `cudaEventRecord` notes: the end of the work that was in the stream."""

    def __init__(self, stream, correlation):
        self.stream, self.at, self.correlation = stream, stream.free, correlation


class Stream:
    """Work in the order of its launches."""

    def __init__(self, device, number, depth):
        self.device, self.number, self.depth = device, number, depth
        self.free = -1 << 60
        self.ends = []
        self.waits = []

    def room_at(self):
        """The time from which one more launch fits into the queue."""
        return self.ends[-self.depth] if len(self.ends) >= self.depth else -1 << 60

    def put(self, work, ready, length, pause, overlap=0, peer=None):
        """Runs `work` for `length` ns, at the earliest at `ready`; `pause` ns after the work before it, or `overlap` ns before its end.

        `peer`: the time at which another process has come to the same collective.
        """
        if pause == 0 and len(self.ends) % 3 == 0:
            # Two times that were rounded apart: a hole of 1 ns.
            pause = self.device.rounding
        work.ready = max(ready, self.free + pause - overlap) if self.ends else ready
        start = work.ready
        for at, proof in self.waits:
            if at > start:
                work.held, work.proof, start = True, proof, at
        if peer is not None and peer > start:
            work.held, start = True, peer
        if work.held and self.waits:
            work.wait_start = work.ready
        self.waits = []
        work.start, work.end = start, start + length
        self.free = max(self.free, work.end)
        self.ends.append(self.free)
        self.device.works.append(work)
        return work


class Device:
    """A device with its streams. `pause` is the time between two kernels of a full queue, ns."""

    def __init__(self, machine, number, pause, depth=1024):
        self.machine, self.number, self.pause, self.depth = machine, number, pause, depth
        self.rounding = 1 if machine.tick == 1 else 0
        self.streams, self.works = {}, []

    def stream(self, number):
        """The stream of this number; made when it is first asked for."""
        if number not in self.streams:
            self.streams[number] = Stream(self, number, self.depth)
        return self.streams[number]

    def done_at(self):
        """When all work launched so far has ended."""
        return max([stream.free for stream in self.streams.values() if stream.ends], default=-1 << 60)
