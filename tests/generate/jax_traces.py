"""Writes traces in the shape of JAX's `HOST.trace.json.gz`: invented training steps on GPUs, TPUs and a CPU.

No device exists: a toy clock walks small programs through a few steps. Equal seeds give equal files. A case
of several hosts is a folder with a file for each. `check_jax.py` counts what is in them.

    python3 tests/generate/jax_traces.py FOLDER SEED
"""

import gzip
import json
import random
import sys
from itertools import count
from pathlib import Path

NS, US = 1000, 1_000_000  # All times are in ps, XLA's unit. Those of a GPU are whole ns.
HOST = 701  # The id of the host's process in every file of XLA.
PYTHON, EXECUTE, LAUNCHING = 11, 21, 5000  # Ids of threads of the host.
COMPUTE, TO_DEVICE, TO_HOST, INSIDE, COLLECTIVES = 13, 14, 15, 16, 20  # Ids of a GPU's streams.
KINDS = {TO_DEVICE: "MemcpyH2D", TO_HOST: "MemcpyD2H", INSIDE: "Compute,MemcpyD2D,Memset"}
STEPS, MODULES, OPERATIONS = 0xDEADBEEF, 0xDEADBEF3, 0xDEADBEF4  # Ids of threads that xprof adds to a GPU.
# Work of GPUs and of TPUs. Some only look like collectives.
KERNELS = "gemm_fusion_dot_1 loop_add_fusion_2 triton_softmax_3 nvjet_tss_192x192_64x3_1x2_h_bz_coopB_NNN \
    input_reduce_fusion_4 loop_gather_fusion triton_red_fused_all_reduce_1 wrapped_convert".split()
NCCL = "AllReduce_Sum_f32_RING_LL AllGather_RING_LL ReduceScatter_Sum_bf16_RING_LL SendRecv".split()
WORK = "fusion convolution_fusion copy recv_fusion dynamic-update-slice_fusion sender custom-call".split()
COMMUNICATION = "all-reduce all-gather-start all-gather-done reduce-scatter collective-permute-start send \
    send-done all-to-all ragged-all-to-all collective-broadcast recv recv-done async-collective-done".split()


class Trace:
    """The processes, lanes and events of one host's file."""

    def __init__(self, dice):
        self.dice, self.processes, self.lanes = dice, {HOST: "/host:CPU"}, {}
        self.correlations, self.start = count(dice.randrange(100, 5000)), dice.randrange(50, 300) * US

    def lane(self, process, thread, name):
        return self.lanes.setdefault((process, thread), (name, []))[1]

    def time(self, least, most, unit=NS):
        """A random time of so many µs, in whole units."""
        return self.dice.randrange(least * US, most * US, unit)

    def step(self, number, start, end, title):
        """The mark of a step, if with a title; the function that makes it ends within it, as in JAX."""
        python = self.lane(HOST, PYTHON, "python")
        if title:
            add(python, start - 6 * US, 7 * US, "$profiler.py:385 __init__")
            add(python, start, end - start, title, step_num=number)
        add(python, start + 6 * US, end - start - 8 * US, "PjitFunction(train_step)")
        add(python, start + 7 * US, 0, "ParseArguments")

    def text(self):
        process = '{"ph":"M","pid":%d,"name":"process_name","args":{"name":"%s"}}'
        thread = '{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":"%s"}}'
        parts = [process % named for named in sorted(self.processes.items())]
        for ids, (name, events) in sorted(self.lanes.items()):
            parts.append(thread % (*ids, name))
            for start, length, event, args in sorted(events, key=lambda event: (event[0], -event[1])):
                # As XLA writes it: µs with 17 digits, at least 1 ps long, all arguments as texts in order.
                head = '{"ph":"X","pid":%d,"tid":%d,"ts":%.17g,"dur":%.17g,'
                head %= *ids, start / US, max(length, 1) / US
                texts = {"args": {key: str(args[key]) for key in sorted(args)}} if args else {}
                parts.append(head + json.dumps({"name": event, **texts})[1:])
        head = '{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":['
        return head + ",".join([*parts, "{}"]) + "]}"


def add(lane, start, length, name, **args):
    lane.append((start, length, name, args))
    return start + length


class Gpu:
    """A GPU, and the thread that launches its work, which is at the time `now`."""

    def __init__(self, trace, number, is_rocm, derived):
        self.trace, self.number, self.is_rocm, self.derived = trace, number, is_rocm, derived
        self.process, self.now, self.free = number + 1, trace.start, {}
        trace.processes[self.process] = f"/device:GPU:{number}"
        self.host = trace.lane(HOST, LAUNCHING + number, f"Host Threads/{LAUNCHING + number}")

    def call(self, name, least=2, most=9, **args):
        """A call of CUDA's driver or of HIP; returns its correlation."""
        args |= {"device_id": 47645} if self.is_rocm else {"device_id": self.number, "context_id": "$$1"}
        args["correlation_id"] = next(self.trace.correlations)
        start, length = self.now + self.trace.time(1, 3), self.trace.time(least, most)
        self.now = add(self.host, start, length, ("hip" if self.is_rocm else "cu") + name, **args)
        return args["correlation_id"]

    def run(self, stream, name, most, **args):
        """Work on a stream, behind its earlier work; returns its start and length."""
        kinds = "Kernel" if self.is_rocm else KINDS.get(stream, "Compute")
        lane = self.trace.lane(self.process, stream, f"Stream #{stream}({kinds})")
        free = self.free.get(stream, 0) + self.trace.dice.choice([0, 600 * NS])
        start, length = max(self.now + self.trace.time(1, 6), free), self.trace.time(1, most)
        self.free[stream] = add(lane, start, length, name + ".kd" * self.is_rocm, **args)
        return start, length

    def copy(self, kind, stream, call, details="memcpy_details"):
        """A copy or memset. With ROCm a kernel copies, and only the call has details."""
        text = "kind:device num_bytes" if kind == "Memset" else "kind_src:pinned kind_dst:device size"
        details = {details: f"{text}:{self.trace.dice.randrange(2048) * 512} async:1"}
        if self.is_rocm:
            self.run(stream, "__amd_rocclr_copyBuffer", 9, correlation_id=self.call(call, **details))
        else:
            self.run(stream, kind, 60, correlation_id=self.call(call), **details)

    def module(self, name, kernels, collectives, graph):
        """An execution of a module; the later kernels of a graph have the correlation of its call."""
        shared, operations = self.call("GraphLaunch") if graph else None, []
        self.call("StreamWaitEvent")
        for number in range(kernels):
            args = {"hlo_op": f"op.{number}", "hlo_module": name, "kernel_details": "regs:64 grid:64,1,1"}
            args["correlation_id"] = shared if graph and number > 1 else self.call("LaunchKernel")
            kernel = KERNELS[number % len(KERNELS)]
            operations.append((*self.run(COMPUTE, kernel, 140, **args), args["hlo_op"], {}))
            if collectives and number % 3 == 2:
                kernel = f"ncclDevKernel_{NCCL[number // 3 % len(NCCL)]}(ncclDevKernelArgsStorage<4096ul>)"
                self.run(COLLECTIVES, kernel, 200, correlation_id=self.call("LaunchCooperativeKernel"))
        self.copy("MemcpyD2D", INSIDE, "MemcpyDtoDAsync")
        self.copy("Memset", INSIDE, "MemsetD32Async", "Memset_details")
        if self.derived:
            start, end = operations[0][0], sum(operations[-1][:2])
            self.trace.lane(self.process, OPERATIONS, self.derived.format("XLA Ops")).extend(operations)
            modules = self.trace.lane(self.process, MODULES, self.derived.format("XLA Modules"))
            add(modules, start, end - start, f"{name}(77)")

    def step(self, number, collectives, graphs, lost):
        """The work of a step. Each third step does not wait for it: JAX runs ahead where nothing does."""
        self.copy("MemcpyH2D", TO_DEVICE, "MemcpyHtoDAsync")
        start = self.now
        if lost:
            self.run(COMPUTE, "loop_multiply_fusion", 9, correlation_id=self.call("StreamWaitEvent"))
            self.run(COMPUTE, "loop_multiply_fusion", 9)
        self.module("jit_train_step", 13, collectives, graphs)
        if number % 2:
            self.module("jit_eval_step", 4, False, graphs)
        self.copy("MemcpyD2H", TO_HOST, "MemcpyDtoHAsync")
        end = max(self.free.values())
        if self.derived or number % 3:
            self.call("StreamSynchronize", max(end - self.now, 0) // US + 5, max(end - self.now, 0) // US + 9)
        if self.derived:
            add(self.trace.lane(self.process, STEPS, "Steps"), start, end - start, str(number))


def gpu(trace, gpus=1, steps=4, is_rocm=False, marked="train", derived=None, graphs=False, lost=False):
    """Steps of GPUs. `derived` names the lanes that xprof adds; with `lost`, some work has no launch."""
    found = [Gpu(trace, number, is_rocm, derived) for number in range(gpus)]
    for number in range(10, 10 + steps):
        start = max(gpu.now for gpu in found) + trace.time(30, 400)
        for gpu in found:
            gpu.now = start + 8 * US
            gpu.step(number, gpus > 1, graphs, lost)
        trace.step(number, start, max(gpu.now for gpu in found) + 9 * US, marked and marked.format(number))


class Tpu:
    """A TPU, which is at the time `now`; its times are no whole ns."""

    def __init__(self, trace, number, has_steps):
        self.trace, self.now, self.process = trace, trace.start, 1 + 3 * number
        trace.processes[self.process] = f"/device:TPU:{number}"
        self.steps = trace.lane(self.process, 1, "Steps") if has_steps else []
        names = enumerate(("XLA Modules", "XLA Ops", "Async XLA Ops"), 2)
        self.modules, self.ops, _ = (trace.lane(self.process, thread, name) for thread, name in names)

    def op(self, name, most=90, call=None):
        """An operation, inside a call that takes as long, if its name is given."""
        length = most and self.trace.time(0, most, 1)
        if call:
            add(self.ops, self.now, length, call)
        self.now = add(self.ops, self.now, length, name, long_name=f"%{name} = f32[128] {name}(...)")

    def body(self, operations, collectives, first=0, loops=0):
        """Operations, most without a gap behind them; `loops` is how deep loops may be."""
        for number in range(first, first + operations):
            names = COMMUNICATION if collectives and number % 3 == 1 else WORK
            name = f"{names[number // 3 % len(names)]}.{number}"
            if loops and number % 4 == 3:
                start = self.now
                for _ in range(3):
                    self.now += 5 * NS
                    self.op(f"get-tuple-element.{number}", 0)
                    self.now += 5 * NS
                    self.body(5, collectives, 100 * number, loops - 1)
                add(self.ops, start, self.now - start, f"while.{number}")
            elif number % 7 == 6:
                self.op(f"copy-start.{number}", 1)
                self.op(name)
                self.op(f"copy-done.{number}", 3)
            else:
                self.op(name, call=f"call.{number}" if number % 11 == 5 else None)
            self.now += self.trace.dice.choice([0, 0, 0, self.trace.time(0, 3, 1)])


def tpu(trace, tpus=1, steps=4, operations=24, marked="train", has_steps=True, loops=0, sparse=False):
    """Steps of TPUs, with one module or two each. The program marks when it hands them over."""
    found = [Tpu(trace, number, has_steps) for number in range(tpus)]
    for number in range(5, 5 + steps):
        start = max(tpu.now for tpu in found) + trace.time(20, 700)
        for tpu in found:
            tpu.now = begin = start + trace.time(60, 70, 1)
            for module in range(1 + number % 2):
                if sparse:
                    trace.processes[tpu.process + 1] = f"{trace.processes[tpu.process]} SparseCore 0"
                    lane = trace.lane(tpu.process + 1, 3, "Sparse Core Ops")
                    add(lane, tpu.now, trace.time(9, 19, 1), "sc_loop.2")
                    add(lane, tpu.now, trace.time(2, 9, 1), "sc_gather.1")
                at = tpu.now
                tpu.body(5 if module else operations, tpus > 1, 1000 * module, loops)
                add(tpu.modules, at, tpu.now - at, f"jit_train_step({7719283 + module})")
            add(tpu.steps, begin, tpu.now - begin, str(number))
        trace.step(number, start, start + trace.time(150, 260), marked)


def cpu(trace):
    """Steps of two simulated devices: their operations are on threads of the host."""
    for start in range(trace.start, trace.start + 4000 * US, 600 * US):
        for device in range(2):
            lane, now = trace.lane(HOST, EXECUTE + device, f"tf_XLAPjRtCpuClient/{device}"), start + 20 * US
            for operation in ("dot.3", "ynn_fusion.11", "all-reduce.2", "dot.3"):
                now = add(lane, now, trace.time(1, 90), operation, hlo_op=operation, device_ordinal=device)
            add(lane, start + 19 * US, now - start - 18 * US, "ThunkExecutor::Execute")
        trace.step((start - trace.start) // (600 * US), start, start + 500 * US, "train")


# name: (number of hosts, what each runs, its arguments)
CASES = {
    "gpu_1": (1, gpu, {}),
    "gpu_2": (1, gpu, {"gpus": 2, "steps": 5}),
    "gpu_graphs": (1, gpu, {"gpus": 2, "graphs": True, "marked": None}),
    "gpu_rocm": (1, gpu, {"gpus": 2, "is_rocm": True, "lost": True}),
    "gpu_xprof": (1, gpu, {"gpus": 2, "derived": "{} - from #13", "marked": "train {}"}),
    "gpu_derived": (1, gpu, {"gpus": 2, "derived": "{}", "marked": None}),
    "gpu_hosts": (2, gpu, {"gpus": 2}),
    "tpu_1": (1, tpu, {}),
    "tpu_2": (1, tpu, {"tpus": 2, "operations": 48}),
    "tpu_4_loops": (1, tpu, {"tpus": 4, "loops": 2, "marked": None}),
    "tpu_host_steps": (1, tpu, {"has_steps": False, "loops": 1}),
    "tpu_sparse": (1, tpu, {"tpus": 2, "sparse": True}),
    "tpu_hosts": (2, tpu, {"tpus": 2, "loops": 1}),
    "cpu": (1, cpu, {}),
}


def write(folder, seed):
    for case, (hosts, program, arguments) in CASES.items():
        for host in range(hosts):
            trace = Trace(random.Random(f"{case} {seed} {host}"))
            program(trace, **arguments)
            name = f"{case}_{seed}" + f"/plugins/profile/2026_01_01_00_00_00/host-{host}" * (hosts > 1)
            path = Path(folder) / f"{name}.trace.json.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(trace.text().encode(), mtime=0))


if __name__ == "__main__":
    write(*sys.argv[1:])
