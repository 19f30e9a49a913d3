"""Calls of the runtime: launches, copies, waits, allocations. Each takes the calling thread's time and may give work to a stream."""
from .device import Event, Work
from .draws import us

# Bytes per ns.
BANDWIDTH = {("HtoD", True): 24.0, ("HtoD", False): 6.0, ("DtoH", True): 22.0, ("DtoH", False): 5.5, ("DtoD", True): 1100.0}
# A copy up to this size that waits is a synchronization (a scalar that is read).
SCALAR_BYTES = 1024


def call(thread, key, ns, cause=None, **args):
    """A runtime call that takes `ns`; `key` is looked up among the platform's names."""
    machine = thread.machine
    activity = thread.busy("call", machine.names.get(key, key), ns, cause, **args)
    if activity:
        activity.correlation = machine.next_correlation()
    return activity


def _launch_call(thread, stream, key, ns):
    """The call of a launch; it waits while the stream's queue is full."""
    machine = thread.machine
    cheap = 0.04 if machine.without == "launch_bound" else 1.0
    with thread.inside("call", machine.names.get(key, key)) as activity:
        thread.spend(max(machine.tick, machine.draws.near("call " + key, ns * machine.host_speed * cheap, 0.1)))
        activity.room_from = thread.now
        thread.until(stream.room_at())
    activity.correlation = machine.next_correlation()
    activity.is_launch = True
    thread.has_launched()
    return activity


def _work(activity, stream, kind, name, args):
    work = Work(stream, kind, name, activity)
    work.is_recorded = not stream.device.machine.loses
    work.args = args
    activity.works.append(work)
    return work


def _latency(thread, label="latency", mean=None):
    machine = thread.machine
    if machine.without == "launch_delay":
        return machine.tick
    return machine.draws.near(label, machine.latency if mean is None else mean, 0.1)


def launch(thread, stream, name, ns, key="launch", overlap=0, grid=264, block=256, latency=None, collective=None, peer=None,
           early=None):
    """Launches a kernel of `ns`.

    `overlap`: it may begin that long before the kernel before it ends (programmatic dependent launch). `early`: it may begin that long
    before its call returns. `peer`: when another process comes to the same collective.
    """
    activity = _launch_call(thread, stream, key, thread.machine.call_ns)
    work = _work(activity, stream, "kernel", name, {"grid": [grid, 1, 1], "block": [block, 1, 1]})
    if collective:
        work.is_collective = True
        work.args.update(collective)
    if thread.machine.without == "waits_for_stream":
        peer = None
    pause = 0 if thread.machine.without == "launch_delay" else stream.device.pause
    ready = thread.now + _latency(thread, mean=latency) if early is None else max(activity.start, thread.now - early)
    return stream.put(work, ready, ns, pause, overlap, peer)


def first_launch(thread, stream, name, ns, loading):
    """Launches a kernel whose code the call loads first, which takes `loading` ns."""
    machine = thread.machine
    if machine.without == "compile":
        return launch(thread, stream, name, ns)
    with thread.inside("call", machine.names["launch"], "compile") as activity:
        thread.spend(machine.host_ns("loading", loading))
    activity.correlation = machine.next_correlation()
    activity.is_launch = True
    thread.has_launched()
    work = _work(activity, stream, "kernel", name, {"grid": [264, 1, 1], "block": [256, 1, 1]})
    return stream.put(work, thread.now + _latency(thread), ns, stream.device.pause)


def several(thread, stream, works, call_ns):
    """One call of a library that launches several kernels of one correlation; no graph. `works`: (name, ns, pause before it)."""
    activity = _launch_call(thread, stream, "launch", call_ns)
    ready = thread.now + _latency(thread)
    for number, (name, ns, pause) in enumerate(works):
        work = _work(activity, stream, "kernel", name, {"grid": [264, 1, 1], "block": [256, 1, 1]})
        is_within = number > 0 and thread.machine.without != "within_call"
        stream.put(work, ready, ns, pause if is_within else stream.device.pause)


def memset(thread, stream, size):
    """Sets `size` bytes on the device."""
    activity = _launch_call(thread, stream, "memset", thread.machine.call_ns)
    work = _work(activity, stream, "memset", "Memset (Device)", {"bytes": size})
    return stream.put(work, thread.now + _latency(thread), us(1) + round(size / 900), stream.device.pause)


def graph(thread, stream, nodes, call_ns, pause=None, begins_inside=None):
    """Launches a graph: one call, many kernels of one correlation.

    `nodes`: (name, ns[, pause before it[, stream of its branch]]). `begins_inside`: ns after the call's start at which its first kernel may begin,
    where the call returns later than that; each next kernel may begin 2.5 us later.
    """
    start = thread.now
    activity = _launch_call(thread, stream, "graph", call_ns)
    first = thread.now + _latency(thread, "graph latency", us(12) if thread.machine.flavour == "rocm" else us(7))
    if begins_inside is not None:
        first = start + begins_inside
    pause = stream.device.pause if pause is None else pause
    if thread.machine.without == "graph":
        pause = 0
    ready, works = first, []
    for node in nodes:
        name, ns = node[:2]
        before = node[2] if len(node) > 2 and thread.machine.without != "graph" else pause
        branch = node[3] if len(node) > 3 else stream
        work = _work(activity, branch, "kernel", name, {"grid": [132, 1, 1], "block": [256, 1, 1]})
        work.is_graph = True
        works.append(branch.put(work, ready, ns, stream.device.pause if node is nodes[0] else before))
        ready += us(2.5) if begins_inside is not None else 0
    return works


def copy(thread, stream, direction, size, pinned=True, waits=None, call_ns=None):
    """Copies `size` bytes. A pageable copy holds the caller until it is done (`waits`); else its call takes `call_ns`."""
    machine = thread.machine
    waits = (not pinned) if waits is None else waits
    cause = ("blocking_sync" if size <= SCALAR_BYTES else "blocking_copy") if waits else None
    if waits and machine.without == cause:
        waits, pinned, cause = False, True, None
    host = {"HtoD": ("Pinned" if pinned else "Pageable", "Device"), "DtoH": ("Device", "Pinned" if pinned else "Pageable"),
            "DtoD": ("Device", "Device")}[direction]
    name = "Memcpy %s (%s -> %s)" % ((direction,) + host)
    if machine.flavour == "rocm":
        name = "Memcpy %s (%s -> %s)" % ((direction,) + {"HtoD": ("Host", "Device"), "DtoH": ("Device", "Host"), "DtoD": ("Device",) * 2}[direction])
    ns = us(1.3) + round(size / BANDWIDTH[(direction, pinned or direction == "DtoD")])
    ns = machine.draws.near("copy", ns, 0.04)
    if not waits:
        activity = _launch_call(thread, stream, "copy", call_ns or machine.call_ns)
        work = _work(activity, stream, "memcpy", name, {"bytes": size, "direction": direction})
        return stream.put(work, thread.now + _latency(thread), ns, stream.device.pause)
    with thread.inside("call", machine.names["copy_wait"], cause) as activity:
        activity.correlation = machine.next_correlation()
        activity.is_launch = activity.blocks = True
        thread.has_launched()
        work = _work(activity, stream, "memcpy", name, {"bytes": size, "direction": direction})
        stream.put(work, thread.now + machine.host_ns("copy begins", us(5)), ns, stream.device.pause)
        thread.until(work.end)
        thread.spend(machine.host_ns("copy ends", us(4)))
    return work


def _wait(thread, key, target, cause, ns, kind, stream=None, event=None):
    """A call that holds the thread until `target`; the time after that is the way back."""
    machine = thread.machine
    with thread.inside("call", machine.names[key], cause) as activity:
        if activity is None:
            return None
        thread.spend(machine.host_ns("wait begins", ns))
        if target > thread.now:
            thread.until(target)
            thread.spend(machine.host_ns("wait ends", us(5)))
        activity.correlation = machine.next_correlation()
        activity.blocks = True
        activity.sync = (kind, stream.number if stream else -1, event)
    return activity


def synchronize(thread, device=None, stream=None, event=None):
    """Waits for a device, a stream or an event."""
    if stream is not None:
        return _wait(thread, "stream_sync", stream.free, "blocking_sync", us(1.5), "Stream Sync", stream)
    if event is not None:
        return _wait(thread, "event_sync", event.at, "blocking_sync", us(1.5), "Event Sync", None, event)
    return _wait(thread, "device_sync", device.done_at(), "blocking_sync", us(2), "Context Sync")


def record_event(thread, stream):
    """Notes the end of what is in the stream."""
    activity = call(thread, "event_record", thread.machine.host_ns("event", us(1.2)))
    return Event(stream, activity.correlation)


def wait_event(thread, stream, event):
    """The stream's next work waits for the event; the thread does not."""
    machine = thread.machine
    activity = call(thread, "wait_event", machine.host_ns("event", us(1.2)))
    if machine.without == "waits_for_stream" and event.stream.device is not stream.device:
        return
    stream.waits.append((event.at + machine.draws.near("event latency", us(2)), machine.sync_records))
    activity.sync = ("Stream Wait Event", stream, event)


def malloc(thread, ns, key="malloc", **args):
    """Asks the driver for memory."""
    return call(thread, key, thread.machine.host_ns("malloc", ns, 0.15), "allocator", **args)


def free(thread, device, ns):
    """Gives memory back to the driver, which waits for the device first."""
    machine = thread.machine
    with thread.inside("call", machine.names["free"], "allocator") as activity:
        if activity is None:
            return
        thread.until(device.done_at())
        thread.spend(machine.host_ns("free", ns, 0.15))
        activity.correlation = machine.next_correlation()


def overhead(thread, name, ns, cause):
    """Time that the profiler or the driver takes on the thread, which Kineto calls overhead."""
    thread.busy("overhead", name, thread.machine.host_ns("overhead " + name, ns), cause)
