"""Writes the traces of the guides' four case studies: `python3 tests/generate/guide_cases.py FOLDER` (default demo-traces).

The guides of Paddle, of its old profiler and of DeepLink describe how a profile led to a cause: a slow loader, an operator that computes on the host, copies of
control flow, a convolution without cuDNN. The guides print tables; no trace of them is public. These traces have the names, counts and times of those
tables; what the tables do not say (order, kernels' names, calls) is invented. The same each time: no clock, no random numbers.
"""
import gzip
import json
import sys
from pathlib import Path

# Start of all traces, ns; a number that is easy to read on the screen.
ZERO = 1_650_000_000_000_000_000
THREAD, STREAM = 4242, 7
MS = 1_000_000


def ns(ms):
    return round(ms * MS)


def spread(total, count, most=None, least=None):
    """`count` times (ns) with this sum, greatest and least (ms); the others are equal."""
    ends = [ns(most), ns(least)] if most else []
    rest, left = count - len(ends), ns(total) - sum(ends)
    even = [left // rest] * rest
    even[-1] += left - sum(even)
    return ends + even


class Paddle:
    """A trace as Paddle's `export_chrome_tracing` writes it, of one thread and one stream."""

    def __init__(self):
        self.events, self.device_free, self.correlation = [], 0, 0

    def slice(self, name, category, start, length, pid=None, tid=None, **args):
        layer = "Python" if category in PYTHON else "C++"
        unit = "%.3f ms" % (length / 1e6) if length > MS else "%.3f us" % (length / 1e3)
        self.events.append({
            "name": "%s[%s]" % (name, unit), "pid": THREAD if pid is None else pid,
            "tid": "%d(%s)" % (THREAD, layer) if tid is None else tid,
            "ts": (ZERO + start) // 1000, "dur": length / 1000, "ph": "X", "cat": category,
            "args": {"start_time": "%.3f us" % (start / 1000), "end_time": "%.3f us" % ((start + length) / 1000), **args},
        })

    def call(self, name, start, length, work=None, device=0, **args):
        """A call of the runtime and the device work that it starts, if any. Returns the call's end."""
        self.correlation += 1
        linked = {"correlation id": self.correlation}
        self.slice(name, "CudaRuntime", start, length, **linked)
        if work:
            begin = max(self.device_free, start + length)
            self.device_free = begin + device
            category = "Memcpy" if work.startswith("MEMCPY") else "Kernel"
            launch = {"registers per thread": 32, "shared memory": 0, "grid": [80, 1, 1], "block": [256, 1, 1]}
            self.slice(work, category, begin, device, 0, STREAM, device=0, context=1, stream=STREAM, **linked,
                       **(args or (launch if category == "Kernel" else {"bytes": 8, "memory bandwidth (GB/s)": 0.004})))
        return start + length

    def write(self, path, **extra):
        names = [("%d(%s)" % (THREAD, layer), "thread %d:MainThread(%s)" % (THREAD, layer)) for layer in ("Python", "C++")]
        for tid, name in names:
            self.events.append({"name": "process_name", "pid": THREAD, "tid": tid, "ph": "M", "args": {"name": "Process %d (CPU)" % THREAD}})
            self.events.append({"name": "thread_name", "pid": THREAD, "tid": tid, "ph": "M", "args": {"name": name}})
        if self.correlation:
            self.events.append({"name": "process_name", "pid": 0, "tid": STREAM, "ph": "M", "args": {"name": "Device 0 (GPU)"}})
            self.events.append({"name": "thread_name", "pid": 0, "tid": STREAM, "ph": "M", "args": {"name": "stream %d" % STREAM}})
        properties = {"id": 0, "name": "Synthetic GPU", "totalGlobalMem": 16 << 30, "computeMajor": 7, "computeMinor": 0, "smCount": 80,
                      "maxThreadsPerMultiprocessor": 2048, "maxThreadsPerBlock": 1024, "warpSize": 32}
        save(path, {"displayTimeUnit": "ms", "schemaVersion": "1.0.2", "span_index": "0", "deviceProperties": [properties],
                    "traceEvents": self.events, "ExtraInfo": {str(THREAD): "MainThread", **extra}})


PYTHON = {"ProfileStep", "Dataloader", "Forward", "Backward", "Optimization", "PythonUserDefined"}


def save(path, trace):
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in trace.pop("traceEvents"))
    text = json.dumps(trace, separators=(",", ":"))[:-1] + ',"traceEvents":[\n' + lines + "\n]}\n"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text.encode())


# The loader: of each phase its operators with their kernels. The tables of phases are in the guide, before and after `num_workers=4`.
LOADER = {
    "before": {"ProfileStep": (293.39, 30.42, 25.42), "Dataloader": (144.09, 15.09, 12.05), "Forward": (50.26, 5.34, 4.22),
               "Backward": (20.49, 2.26, 1.55), "Optimization": (34.52, 3.32, 2.52)},
    "after": {"ProfileStep": (93.45, 12.00, 7.78), "Dataloader": (1.70, 0.55, 0.11), "Forward": (32.25, 5.56, 2.52),
              "Backward": (15.43, 2.09, 1.32), "Optimization": (17.55, 1.95, 1.55)},
}
LOADER_DEVICE = {
    "before": {"Forward": 3.94, "Backward": 8.12, "Optimization": 0.67, "Other": 0.52},
    "after": {"Forward": 3.84, "Backward": 8.27, "Optimization": 0.66, "Other": 0.53},
}
PHASES = {"Dataloader": ("_DataLoaderIterSingleProcess", []),
          "Forward": ("MyNet", ["conv2d dygraph", "relu dygraph", "pool2d dygraph", "matmul dygraph"]),
          "Backward": ("Gradient Backward", ["Conv2dGradNodeFinal", "MatmulGradNodeFinal"]),
          "Optimization": ("Optimization Step", ["adam_ dygraph"])}
STEPS = 11


def loader(when):
    trace = Paddle()
    times = {name: spread(total, STEPS, most, least) for name, (total, most, least) in LOADER[when].items()}
    device = {name: spread(total, STEPS) for name, total in LOADER_DEVICE[when].items()}
    at = 0
    for step in range(STEPS):
        length = times["ProfileStep"][step]
        trace.slice("ProfileStep#%d" % (step + 3), "ProfileStep", at, length)
        rest = length - sum(times[phase][step] for phase in PHASES)
        begin = at
        for phase, (name, operators) in PHASES.items():
            long = times[phase][step]
            trace.slice(name if when == "before" or operators else "_DataLoaderIterMultiProcess", phase, begin, long)
            for number, operator in enumerate(operators):
                each = long // len(operators)
                start = begin + number * each + each // 20
                trace.slice(operator, "Operator", start, each * 9 // 10)
                work = device[phase][step] // len(operators)
                trace.call("cudaLaunchKernel", start + each // 2, ns(0.01), operator.split()[0].rstrip("_") + "_kernel", work)
            begin += long
            if phase == "Dataloader":
                # The labels get their form.
                trace.slice("unsqueeze dygraph", "Operator", begin + rest // 4, rest // 4)
                trace.call("cudaLaunchKernel", begin + rest // 2, ns(0.02), "unsqueeze_kernel", device["Other"][step])
                begin += rest
        at += length
    trace.write(FOLDER / ("guide-loader-%s.paddle_trace.json.gz" % when),
                **{"System Cpu Utilization": "0.259900", "Process Cpu Utilization": "0.771300"})


# slice_grad: calls, total and time on the host of operators and of their parts, from the report; a twentieth of the calls, each as long.
SLICE = {
    "slice_grad": (1900, 17120.6, 16651.581006, {"infer_shape": 7.84785, "prepare_data": 3.35192, "compute": 16616.287107}),
    "matmul_grad": (3720, 2403.56, 591.410434, {"infer_shape": 15.3237, "prepare_data": 5.76746, "compute": 526.575728}),
    "cast": (14600, 1651.43, 1240.865640, {"infer_shape": 39.1496, "prepare_data": 22.4475, "compute": 1088.888215}),
}
# The report's total has more than these three; ten operators share the rest.
OTHERS = ["elementwise_add_grad", "layer_norm_grad", "dropout_grad", "softmax_grad", "gelu_grad", "matmul", "transpose2", "layer_norm", "dropout",
          "elementwise_add"]
PART = 20


def slice_grad():
    trace = Paddle()
    total = 35377.5 - sum(row[1] for row in SLICE.values())
    computed = 32290.3 - (17085.3 + 2338.72 + 1499.45)
    device = 0.4 * total
    rows = dict(SLICE)
    for name in OTHERS:
        parts = {"infer_shape": 15.0, "prepare_data": 6.0, "compute": (computed - device) / 10}
        rows[name] = (1900, total / 10, (total - device) / 10, parts)
    made = {}
    for name, (calls, whole, host, parts) in rows.items():
        count = calls // PART
        ends = (92.4, 0.16) if name == "slice_grad" else (None, None)
        inner = (92.38, 0.148) if name == "slice_grad" else (None, None)
        made[name] = (spread(host / PART, count, *ends),
                      {part: spread(time / PART, count, *(inner if part == "compute" else (None, None))) for part, time in parts.items()},
                      spread((whole - host) / PART, count))
    at, rounds = 0, 1900 // PART
    for at_round in range(rounds):
        for name, (times, parts, work) in made.items():
            first, last = len(times) * at_round // rounds, len(times) * (at_round + 1) // rounds
            for number in range(first, last):
                length = times[number]
                trace.slice(name, "Operator", at, length)
                begin = at + 500
                for part in ("infer_shape", "prepare_data", "compute"):
                    long = parts[part][number]
                    trace.slice("%s/%s" % (name, part), "OperatorInner", begin, long)
                    if part == "compute":
                        trace.call("cudaLaunchKernel", begin + 1000, ns(0.005), "%s_kernel" % name, work[number])
                    begin += long
                at += length + 1000
    trace.write(FOLDER / "guide-slice-grad.paddle_trace.json.gz")


# Control flow: (operator, calls, host ms, device ms, parts in it); each part likewise. 100 runs of the program.
GET, SAME, WAIT = "GpuMemcpyAsync:GPU->CPU", "GpuMemcpyAsync(same_gpu):GPU->GPU", "GpuMemcpySync:GPU->CPU"
CONTROL = {
    "before": [
        ("fill_constant", 300, 13.298308, 0.422559, []),
        ("less_than", 200, 7.053690, 0.272799, []),
        ("equal", 100, 3.192579, 0.138464, []),
        ("conditional_block", 400, 43.963987, 1.354010, [
            (GET, 400, 11.040198, 0.790586, []),
            ("assign", 200, 7.738432, 0.274368, [(SAME, 200, 4.285085, 0.274368, [])]),
            ("fill_constant", 200, 7.511009, 0.289056, [])]),
        ("logical_not", 200, 6.772137, 0.274432, []),
        ("cast", 200, 6.768117, 0.277375, []),
        ("select_input", 200, 12.810170, 0.681598, [(WAIT, 200, 6.296225, 0.396191, []), (SAME, 200, 3.448200, 0.285407, [])]),
        ("fetch", 200, 6.766394, 0.395773, [(WAIT, 200, 5.323041, 0.395773, [])]),
    ],
    "after": [
        ("fill_constant", 300, 7.084390, 0, []),
        ("less_than", 200, 2.830909, 0, []),
        ("equal", 100, 1.247408, 0, []),
        ("conditional_block", 400, 28.488841, 0.555707, [
            ("fill_constant", 200, 9.245150, 0.280573, []),
            ("assign", 200, 8.104736, 0.275134, [(SAME, 200, 4.672113, 0.275134, [])])]),
        ("logical_not", 200, 2.732127, 0, []),
        ("cast", 200, 2.574083, 0, []),
        ("select_input", 200, 4.765534, 0.273757, [(SAME, 200, 3.512380, 0.273757, [])]),
        ("fetch", 200, 7.754766, 0.397758, [(WAIT, 200, 6.149903, 0.397758, [])]),
    ],
}
RUNS = 100
# Of an operator that computes, the share of its time in that part: the report has only the sum over all. `assign` copies in that part.
COMPUTE = {"before": (38.1497 - 0.9 * 8.0128) / 46.2702, "after": (19.7797 - 0.9 * 8.37987) / 25.9944}
COMPUTING = {"fill_constant", "less_than", "equal", "assign", "logical_not", "cast"}
# A branch that is not taken takes this long, beside its copy; two of four are taken.
NOT_TAKEN = 4_000


def control_flow(when):
    trace = Paddle()

    def nested(row, at, length=None):
        """One call of an operator or copy, from `at`. Returns its end."""
        name, calls, host, device, inner = row
        length, work = length or ns(host) // calls, ns(device) // calls
        begin = at + 300
        if name.startswith("GpuMemcpy"):
            trace.slice(name, "UserDefined", at, length)
            kind = "MEMCPY_DtoD" if name == SAME else "MEMCPY_DtoH"
            long = length - 1500 if name == WAIT else length // 2
            end = trace.call("cudaMemcpy" if name == WAIT else "cudaMemcpyAsync", begin, long, kind, work)
            if name == GET:
                trace.call("cudaStreamSynchronize", end + 300, length - long - 1000)
            return at + length
        trace.slice(name, "Operator", at, length)
        if name in COMPUTING:
            share = 0.9 if name == "assign" else COMPUTE[when]
            trace.slice(name + "/compute", "OperatorInner", begin, int((length + work) * share) - work)
            begin += 500
            if not inner and work:
                trace.call("cudaLaunchKernel", begin, 5000, name + "_kernel", work)
        for part in inner:
            begin = nested(part, begin) + 200
        return at + length

    def conditional(row, at):
        """The four calls of a run: each reads its condition, if that is on the device; two run a branch."""
        name, calls, host, device, inner = row
        condition, branch = [part for part in inner if part[1] == calls], [part for part in inner if part[1] < calls]
        short = NOT_TAKEN + sum(ns(part[2]) // calls for part in condition)
        for at_round in range(4):
            taken = at_round < 2
            length = ns(host) // RUNS // 2 - short if taken else short
            at = nested((name, calls, host, device, condition + branch * taken), at, length) + 500
        return at

    at = 0
    for _ in range(RUNS):
        for row in CONTROL[when]:
            if row[0] == "conditional_block":
                at = conditional(row, at)
                continue
            for _ in range(row[1] // RUNS):
                at = nested(row, at) + 500
        at += 20_000
    trace.write(FOLDER / ("guide-control-flow-%s.paddle_trace.json.gz" % when))


# The convolution: inputs' shapes of the layers of ResNet-18 and how often, with the share of all convolutions' time. Two shares are the guide's.
LAYERS = [([5, 3, 224, 224], [64, 3, 7, 7], 1, 14.44), ([5, 64, 56, 56], [64, 64, 3, 3], 4, 35.20), ([5, 64, 56, 56], [128, 64, 3, 3], 1, 4.0),
          ([5, 128, 28, 28], [128, 128, 3, 3], 3, 11.5), ([5, 64, 56, 56], [128, 64, 1, 1], 1, 1.0), ([5, 128, 28, 28], [256, 128, 3, 3], 1, 3.2),
          ([5, 256, 14, 14], [256, 256, 3, 3], 3, 8.9), ([5, 128, 28, 28], [256, 128, 1, 1], 1, 0.7), ([5, 256, 14, 14], [512, 256, 3, 3], 1, 2.6),
          ([5, 512, 7, 7], [512, 512, 3, 3], 3, 5.05), ([5, 256, 14, 14], [512, 256, 1, 1], 1, 0.6)]
# Operators from the outermost to the innermost, with the time of all twenty calls and what their inputs are beside the two tensors.
CHAIN = [("aten::conv2d", 221.245, 5), ("aten::convolution", 221.061, 6), ("aten::_convolution", 220.601, 10), ("aten::thnn_conv2d", 220.303, 4),
         ("aten::_slow_conv2d_forward", 220.175, 4), ("aten::empty", 0.396, 0)]
NORM = [("aten::batch_norm", 9.036), ("aten::_batch_norm_impl_index", 8.881), ("aten::native_batch_norm", 8.531), ("aten::empty", 0.405)]

# The stack in the guide, innermost first.
CALL = "<built-in method conv2d of type object at 0x7f1c8db7ef20>"
MODEL = ["torchvision/models/resnet.py(266): _forward_impl", "nn.Module: ResNet_0", "resnet18.py(12): <module>"]
REST = [("aten::max_pool2d", 1, 3.136), ("aten::relu_", 17, 1.795), ("aten::add_", 8, 1.5), ("aten::linear", 1, 0.7)]


def conv():
    events = []

    def slice(name, category, start, length, shapes=None, stack=()):
        args = {"External id": len(events) + 1}
        if shapes is not None:
            args["Input Dims"] = shapes
        if stack:
            args["Call stack"] = ";".join(stack)
        events.append({"ph": "X", "cat": category, "name": name, "pid": THREAD, "tid": THREAD,
                       "ts": (ZERO // 1000) + start / 1000, "dur": length / 1000, "args": args})

    def nest(chain, times, at, stack):
        for (name, *_), (length, shapes) in zip(chain, times):
            slice(name, "cpu_op", at, length, shapes, stack)
            at += 400

    shares = [share / count for *_, count, share in LAYERS for _ in range(count)]
    shapes = [(tensor, weight) for tensor, weight, count, _ in LAYERS for _ in range(count)]
    whole = sum(shares)
    at = ns(1.0)
    begin = at
    lengths = {name: [round(ns(total) * share / whole) for share in shares] for name, total, _ in CHAIN}
    for number, (tensor, weight) in enumerate(shapes):
        # The parts around the innermost are as long in every call, as calling costs the same whatever the shape.
        inner = lengths["aten::_slow_conv2d_forward"][number]
        times = []
        for name, total, others in CHAIN:
            around = (ns(total) - ns(CHAIN[4][1])) // 20
            length = inner + around if total > 1 else ns(total) // 20
            times.append((length, [tensor, weight] + [[]] * others if total > 1 else [[]] * 6))
        nest(CHAIN, times, at, [CALL, "torch/nn/modules/conv.py(454): _conv_forward", "torch/nn/modules/conv.py(462): forward",
                                "nn.Module: Conv2d_%d" % number] + MODEL)
        at += times[0][0] + 1000
        nest(NORM, [(ns(total) // 20, [[tensor[0], weight[0], tensor[2], tensor[3]]] + [[weight[0]]] * 4 + [[]] * 4 if total > 1 else [[]] * 6)
                    for _, total in NORM], at, ["nn.Module: BatchNorm2d_%d" % number] + MODEL)
        at += ns(NORM[0][1]) // 20 + 1000
        for name, calls, total in REST:
            if number < calls:
                slice(name, "cpu_op", at, ns(total) // calls, [[tensor[0], weight[0], tensor[2], tensor[3]]])
                at += ns(total) // calls + 1000
    slice("model_inference", "user_annotation", begin - 1000, ns(253.751))
    names = [("process_name", "python"), ("process_labels", "CPU")]
    for name, text in names:
        events.append({"name": name, "ph": "M", "ts": 0, "pid": THREAD, "tid": 0, "args": {"name" if name == "process_name" else "labels": text}})
    save(FOLDER / "guide-conv.pt.trace.json.gz", {"schemaVersion": 1, "trace_name": "guide-conv.pt.trace.json", "traceEvents": events})


FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "demo-traces")

if __name__ == "__main__":
    for moment in ("before", "after"):
        loader(moment)
        control_flow(moment)
    slice_grad()
    conv()
