"""Writes a run as PyTorch's profiler (Kineto) exports it, for CUDA and for ROCm, and as it did before 2022."""
from sim.names import DRIVER

from .text import compact, micros, save

CUDA_DEVICE = {"name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936, "computeMajor": 9, "computeMinor": 0, "maxThreadsPerBlock": 1024,
               "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32, "sharedMemPerBlock": 49152, "numSms": 132,
               "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472}
ROCM_DEVICE = {"name": "AMD Instinct MI300X", "totalGlobalMem": 206141652992, "computeMajor": 9, "computeMinor": 4, "maxThreadsPerBlock": 1024,
               "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 131072, "warpSize": 64, "sharedMemPerBlock": 65536, "numSms": 304,
               "maxSharedMemoryPerMultiProcessor": 65536}
PASCAL_DEVICE = dict(CUDA_DEVICE, name="Tesla P100-PCIE-16GB", totalGlobalMem=17071734784, computeMajor=6, computeMinor=0, numSms=56)
CATEGORY = {"step": "user_annotation", "range": "user_annotation", "operator": "cpu_op", "python": "python_function", "wait": "python_function",
            "overhead": "overhead"}
DEVICE_CATEGORY = {"kernel": "kernel", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}
OLD = {"cpu_op": "Operator", "user_annotation": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel", "gpu_memcpy": "Memcpy",
       "gpu_memset": "Memset", "python_function": "Operator"}
# The start of all traces, ns after `baseTimeNanoseconds`.
ORIGIN = 3_603_029_046_213_755


class Kineto:
    """One file in the making."""

    def __init__(self, machine):
        self.machine, self.lines = machine, []
        self.is_rocm = machine.flavour == "rocm"
        self.is_old = machine.edition.get("old", False)
        self.has_names = machine.edition.get("device names", True)
        self.numbers = {}

    def write(self, path):
        """Writes the file and returns its path, and the number of events."""
        self._metadata()
        for thread in self.machine.threads:
            self._thread(thread)
        for device in self.machine.devices:
            self._device(device)
        self._memory()
        self._window()
        return save(path, self._head(), self.lines, {"traceName": "/tmp/trace.json"}), len(self.lines)

    # Parts of an event.

    def _time(self, ns):
        ns += ORIGIN
        return str(ns // 1000) if self.is_old else micros(ns)

    def _length(self, ns):
        return str(ns // 1000) if self.is_old else micros(ns)

    def _slice(self, category, name, pid, tid, start, end, args):
        if self.is_old:
            category, tid = OLD.get(category, category), str(tid)
        dur = self._length(end - start)
        if not self.is_old and (end - start) % 1000 == 0:
            dur = str((end - start) // 1000)
        self.lines.append('{"ph":"X","cat":"%s","name":%s,"pid":%s,"tid":%s,"ts":%s,"dur":%s%s}' % (
            category, compact(name), compact(pid), compact(tid), self._time(start), dur, ',"args":' + compact(args) if args is not None else ""))

    def _flow(self, phase, correlation, pid, tid, at):
        category, name = ("async", "launch") if self.is_old else ("ac2g", "ac2g")
        end = ',"bp":"e"' if phase == "f" else ""
        self.lines.append('{"ph":"%s","id":%d,"pid":%s,"tid":%s,"ts":%s,"cat":"%s","name":"%s"%s}' % (
            phase, correlation, compact(pid), compact(tid), self._time(at), category, name, end))

    # The host.

    def _thread(self, thread):
        tid, external = thread.number, {}
        for number, activity in enumerate(thread.activities):
            if not activity.is_recorded:
                continue
            external[activity] = 1000 * (thread.number - self.machine.pid) + number + 1
            if activity.kind == "call":
                self._call(activity, tid, self._around(activity, external))
            elif activity.kind == "overhead":
                pid, lane = (-1, 0) if self.machine.edition.get("overhead apart") else (self.machine.pid, tid)
                self._slice("overhead", activity.name, pid, lane, activity.start, activity.end, None)
            elif activity.kind in ("python", "wait"):
                args = {"Python parent id": None, "Python id": external[activity], "Ev Idx": number}
                self._slice("python_function", activity.name, self.machine.pid, tid, activity.start, activity.end, args)
            else:
                args = {"External id": external[activity], "Record function id": 0, "Ev Idx": number}
                args.update(activity.args)
                category = activity.category or CATEGORY[activity.kind]
                self._slice(category, activity.name, self.machine.pid, tid, activity.start, activity.end, args)
        self.numbers.update(external)

    @staticmethod
    def _around(activity, external):
        """The number of the innermost operator or range around a call."""
        outer = activity.parent
        while outer is not None and (outer not in external or outer.kind not in ("operator", "range", "step")):
            outer = outer.parent
        return external.get(outer)

    def _call(self, activity, tid, external):
        args = {} if external is None else {"External id": external}
        args["cid" if self.is_rocm else "cbid"] = 100 + len(activity.name)
        args["correlation"] = activity.correlation
        args.update(activity.args)
        works = activity.works
        if self.is_rocm and works and works[0].kind == "kernel" and not works[0].is_graph:
            args.update(kernel=works[0].name, grid=works[0].args["grid"], block=works[0].args["block"])
        if self.is_rocm and works and works[0].kind == "memcpy":
            args["bytes"] = str(works[0].args["bytes"])
        category = "cuda_driver" if activity.name in DRIVER else "cuda_runtime"
        self._slice(category, activity.name, self.machine.pid, tid, activity.start, activity.end, args)
        if any(work.is_recorded for work in works):
            self._flow("s", activity.correlation, self.machine.pid, tid, activity.start)
        if activity.sync and self.machine.sync_records:
            self._sync(activity, external)

    def _sync(self, activity, external):
        kind, stream, event = activity.sync
        start, end, pid, number = activity.start, activity.end, self.machine.devices[0].number, stream
        if kind == "Stream Wait Event":
            held = [w for w in stream.device.works if w.stream is stream and w.wait_start is not None and w.call.start >= activity.end]
            if held:
                start, end = held[0].wait_start, held[0].start
            pid, number = stream.device.number, stream.number
        args = {} if external is None else {"External id": external}
        args["cuda_sync_kind"] = kind
        if event:
            args.update(wait_on_stream=event.stream.number, wait_on_cuda_event_record_corr_id=event.correlation, wait_on_cuda_event_id=9)
        args.update(stream=number, correlation=activity.correlation, device=pid, context=1)
        self._slice("cuda_sync", kind, pid, number, start, end, args)

    # The device.

    def _device(self, device):
        for work in device.works:
            if not work.is_recorded:
                continue
            self._work(device, work)
        self._annotations(device)

    def _work(self, device, work):
        args = {} if work.call not in self.numbers else self._external(work.call)
        args.update(device=device.number, stream=work.stream.number, correlation=work.correlation)
        if not self.is_rocm:
            args["context"] = 1
        extra = dict(work.args)
        if work.kind == "kernel":
            if self.is_rocm:
                args["kind"] = "Dispatch Kernel"
                if work.is_graph:
                    extra.pop("grid"), extra.pop("block")
            else:
                blocks = extra["grid"][0] / 132
                args.update({"queued": 0, "registers per thread": 64, "shared memory": 0, "blocks per SM": round(blocks, 6),
                             "warps per SM": round(blocks * 8, 6), "est. achieved occupancy %": min(100, round(blocks * 12))})
        else:
            size = extra.pop("bytes")
            args.update({"bytes": size, "memory bandwidth (GB/s)": size / (work.end - work.start)})
            if self.is_rocm and "direction" in extra:
                args["kind"] = extra["direction"]
            extra.pop("direction", None)
        args.update(extra)
        tid = "stream %d" % work.stream.number if self.is_old else work.stream.number
        self._slice(DEVICE_CATEGORY[work.kind], work.name, device.number, tid, work.start, work.end, args)
        if work.call.is_recorded:
            self._flow("f", work.correlation, device.number, tid, work.start)

    def _external(self, call):
        external = self._around(call, self.numbers)
        return {} if external is None else {"External id": external}

    def _annotations(self, device):
        """What ranges and steps of the host cover on each stream: no work of its own."""
        if self.is_old:
            return
        spans = {}
        for work in device.works:
            outer = work.call
            while outer is not None and work.is_recorded and work.call.is_recorded:
                if outer.kind in ("step", "range") and outer.is_recorded and not outer.category:
                    start, end = spans.get((outer, work.stream.number), (work.start, work.end))
                    spans[(outer, work.stream.number)] = (min(start, work.start), max(end, work.end))
                outer = outer.parent
        for (outer, stream), (start, end) in spans.items():
            self._slice("gpu_user_annotation", outer.name, device.number, stream, start, end, {"External id": self.numbers[outer]})

    # The rest.

    def _memory(self):
        for thread, at, size, allocated, reserved in self.machine.memory:
            args = {"Total Reserved": reserved, "Total Allocated": allocated, "Bytes": size, "Addr": 136093868752896 + at, "Device Id": 0,
                    "Device Type": 1, "Ev Idx": 0}
            self.lines.append('{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":%d,"tid":%d,"ts":%s,"args":%s}' % (
                self.machine.pid, thread.number, self._time(at), compact(args)))

    def _meta(self, kind, pid, tid, args, at):
        self.lines.append('{"name":"%s","ph":"M","ts":%s,"pid":%s,"tid":%s,"args":%s}' % (kind, self._time(at), compact(pid), compact(tid), compact(args)))

    def _metadata(self):
        machine = self.machine
        at = self._bounds()[0]
        self._meta("process_name", machine.pid, 0, {"name": "python3"}, at)
        self._meta("process_labels", machine.pid, 0, {"labels": "CPU"}, at)
        self._meta("process_sort_index", machine.pid, 0, {"sort_index": machine.pid}, at)
        for number, device in enumerate(machine.devices):
            if not device.works:
                continue
            self._meta("process_name", device.number, 0, {"name": "python3"}, at)
            self._meta("process_labels", device.number, 0, {"labels": "GPU %d" % device.number}, at)
            self._meta("process_sort_index", device.number, 0, {"sort_index": 5000000 + number}, at)
            for stream in sorted(device.streams):
                tid = "stream %d" % stream if self.is_old else stream
                self._meta("thread_name", device.number, tid, {"name": "stream %d " % stream}, at)
                self._meta("thread_sort_index", device.number, tid, {"sort_index": stream}, at)
        for thread in machine.threads:
            self._meta("thread_name", machine.pid, thread.number, {"name": "thread %d (%s)" % (thread.number, thread.name)}, at)
            self._meta("thread_sort_index", machine.pid, thread.number, {"sort_index": thread.number}, at)

    def _bounds(self):
        """First and last time of the file."""
        times = [t for thread in self.machine.threads for a in thread.activities if a.is_recorded for t in (a.start, a.end)]
        times += [t for device in self.machine.devices for w in device.works if w.is_recorded for t in (w.start, w.end)]
        return min(times), max(times)

    def _window(self):
        """The profiler's own span is longer than what it recorded."""
        start, end = self._bounds()
        start, end = start - 2_400_000, end + 3_100_000
        self._slice("Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", start, end, {"Op count": 0})
        self.lines.append('{"name":"Iteration Start: PyTorch Profiler","ph":"i","s":"g","pid":"Traces","tid":"Trace PyTorch Profiler","ts":%s}' % self._time(start))
        self.lines.append('{"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":%s}' % self._time(end))

    def _head(self):
        kind = ROCM_DEVICE if self.is_rocm else PASCAL_DEVICE if self.machine.edition.get("pascal") else CUDA_DEVICE
        devices = [dict({"id": number}, **kind) for number in range(len(self.machine.devices))]
        head = {"schemaVersion": 1, "deviceProperties": devices}
        if self.is_old:
            return head
        version = {"roctracer_version": 4.1, "hip_runtime_version": 70253211, "hip_driver_version": 70253211} if self.is_rocm else {
            "cupti_version": 22, "cuda_runtime_version": 12040, "cuda_driver_version": 12090}
        head.update(version)
        if self.machine.stacks:
            head["with_stack"] = 1
        if self.machine.memory:
            head["profile_memory"] = 1
        head.update({"record_shapes": 1, "trace_id": "88EC7BDF94C14DC2AA22F482F2FC289E", "displayTimeUnit": "ms",
                     "baseTimeNanoseconds": 1775078550000000000})
        return head
