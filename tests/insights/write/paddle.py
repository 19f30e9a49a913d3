"""Writes a run as Paddle's profiler exports it (`export_chrome_tracing`)."""
from .text import compact, micros, save

# The start of all traces, ns of the wall clock.
ZERO = 1_750_000_000_000_000_000
# Lanes of a thread: ranges of the script are on the Python lane, operators and calls on the other.
PYTHON = {"ProfileStep", "Dataloader", "Forward", "Backward", "Optimization", "PythonUserDefined"}
CATEGORY = {"step": "ProfileStep", "range": "PythonUserDefined", "operator": "Operator", "call": "CudaRuntime", "overhead": "UserDefined"}
DEVICE_CATEGORY = {"kernel": "Kernel", "memcpy": "Memcpy", "memset": "Memset"}
DEVICE = {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 84974239744, "computeMajor": 8, "computeMinor": 0, "smCount": 108,
          "maxThreadsPerMultiprocessor": 2048, "maxThreadsPerBlock": 1024, "warpSize": 32}
COPIES = {"HtoD": "MEMCPY_HtoD", "DtoH": "MEMCPY_DtoH", "DtoD": "MEMCPY_DtoD"}


class Paddle:
    """One file in the making."""

    def __init__(self, machine):
        self.machine, self.lines = machine, []
        starts = [a.start for t in machine.threads for a in t.activities if self._is_kept(a)]
        starts += [w.start for d in machine.devices for w in d.works if w.is_recorded]
        self.first = min(starts)

    @staticmethod
    def _is_kept(activity):
        return activity.is_recorded and activity.kind not in ("python", "wait")

    def write(self, path):
        """Writes the file and returns its path, and the number of events."""
        for thread in self.machine.threads:
            for activity in thread.activities:
                if self._is_kept(activity):
                    self._activity(thread, activity)
        for device in self.machine.devices:
            for work in device.works:
                if work.is_recorded:
                    self._work(device, work)
        self._metadata()
        head = {"displayTimeUnit": "ms", "schemaVersion": "1.0.2", "span_index": "0", "deviceProperties": [DEVICE]}
        tail = {"ExtraInfo": {str(self.machine.pid): "MainThread", "System Cpu Utilization": "0.310000", "Process Cpu Utilization": "0.910000"}}
        return save(path, head, self.lines, tail), len(self.lines)

    def _slice(self, name, category, pid, tid, start, end, args):
        ns = end - start
        unit = "%.3f ms" % (ns / 1e6) if ns > 1_000_000 else "%.3f us" % (ns / 1e3)
        args = dict({"start_time": micros(start - self.first) + " us", "end_time": micros(end - self.first) + " us"}, **args)
        self.lines.append('{"name":%s,"pid":%s,"tid":%s,"ts":%d,"dur":%s,"ph":"X","cat":"%s","args":%s}' % (
            compact("%s[%s]" % (name, unit)), compact(pid), compact(tid), (ZERO + start) // 1000, micros(ns), category, compact(args)))

    def _activity(self, thread, activity):
        category = activity.category or CATEGORY[activity.kind]
        name = activity.name.replace("ProfilerStep", "ProfileStep")
        layer = "Python" if category in PYTHON else "C++"
        args = {"correlation id": activity.correlation} if activity.kind == "call" else {}
        self._slice(name, category, self.machine.pid, "%d(%s)" % (thread.number, layer), activity.start, activity.end, args)

    def _work(self, device, work):
        args = {"device": device.number, "context": 1, "stream": work.stream.number, "correlation id": work.correlation}
        name = work.name
        if work.kind == "kernel":
            args.update({"registers per thread": 32, "shared memory": 0, "grid": work.args["grid"], "block": work.args["block"]})
        elif work.kind == "memcpy":
            size = work.args["bytes"]
            name = COPIES[work.args["direction"]]
            args.update({"bytes": size, "memory bandwidth (GB/s)": size / (work.end - work.start)})
        else:
            name = "MEMSET"
            args.update({"bytes": work.args["bytes"], "memory bandwidth (GB/s)": work.args["bytes"] / (work.end - work.start), "value": 0})
        self._slice(name, DEVICE_CATEGORY[work.kind], device.number, work.stream.number, work.start, work.end, args)

    def _metadata(self):
        def meta(kind, pid, tid, name):
            self.lines.append(compact({"name": kind, "pid": pid, "tid": tid, "ph": "M", "args": {"name": name}}))

        pid = self.machine.pid
        for thread in self.machine.threads:
            for layer in ("Python", "C++"):
                tid = "%d(%s)" % (thread.number, layer)
                meta("process_name", pid, tid, "Process %d (CPU)" % pid)
                meta("thread_name", pid, tid, "thread %d:%s(%s)" % (thread.number, thread.name, layer))
        for device in self.machine.devices:
            for stream in sorted(device.streams):
                meta("process_name", device.number, stream, "Device %d (GPU)" % device.number)
                meta("thread_name", device.number, stream, "stream %d" % stream)
