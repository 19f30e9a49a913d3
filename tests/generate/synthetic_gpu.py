"""Writes demo-traces/synthetic-gpu.json.gz: four invented training steps in Kineto's dialect.

No program ran and the GPU does not exist. A toy clock walks a small language model through data
loading, forward, backward with overlapped all-reduces, and AdamW, so that a viewer has one of everything
to draw: two host threads and a loader, three streams, a CUDA graph, memory, flows, a late host.

    python3 tests/generate/synthetic_gpu.py [OUTPUT]
"""

import gzip
import json
import math
import random
import re
import sys
from contextlib import contextmanager
from itertools import count
from pathlib import Path

OUTPUT = Path(__file__).parents[2] / "demo-traces" / "synthetic-gpu.json.gz"
BASE_NS = 1767225600 * 10**9
START_NS = 3_000_000 * 10**9
US = 1000
PROCESS, COMPUTE, COPY, COMM = 4242, 7, 14, 20
BATCH, LENGTH, WIDTH, VOCABULARY, LAYERS = 8, 512, 768, 50304, 3
TOKENS = BATCH * LENGTH
FIRST_STEP, STEPS, LATE_STEP, GRAPH_STEP = 10, 4, 12, 13
MIB = 1 << 20

DEVICE = {
    "id": 0, "name": "Synthetic GPU", "totalGlobalMem": 80 << 30, "computeMajor": 8, "computeMinor": 0,
    "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
    "regsPerMultiprocessor": 65536, "warpSize": 32, "sharedMemPerBlock": 49152,
    "sharedMemPerMultiprocessor": 167936, "numSms": 108, "sharedMemPerBlockOptin": 166912,
}


def elementwise(functor, arity):
    array = f"std::array<char*, {arity}ul>"
    return f"void at::native::vectorized_elementwise_kernel<4, {functor}, {array} >(int, {functor}, {array})"


def multi_tensor(functor):
    data = "at::native::(anonymous namespace)::TensorListMetadata<2>"
    return (f"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<{data}, {functor}, float>"
            f"({data}, {functor}, float)")


def gemm(tile, layout):
    return (f"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_{tile}_{layout}_align8>"
            f"(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_{tile}_{layout}_align8::Params)")


def flash(kind):
    traits = f"Flash_{kind}_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, " \
             f"Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >"
    return f"void pytorch_flash::flash_{kind}_kernel<{traits}, false, true, false, true>(pytorch_flash::Flash_{kind}_params)"


# name: (full name, grid, block, registers, shared memory, microseconds)
KERNELS = {
    "embedding": ("void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>"
                  "(char*, char*, long*, int, long, long, long, long, bool)", 4096, 128, 24, 0, 11),
    "embedding_bwd": ("void at::native::(anonymous namespace)::compute_grad_weight<c10::BFloat16, long>"
                      "(long*, c10::BFloat16*, long*, long, long, long*, long)", 3072, 256, 38, 4096, 58),
    "norm": ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
             "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, float*)", 4096, 128, 32, 24, 13),
    "norm_bwd": ("void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>"
                 "(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, int)", 4096, 256, 46, 64, 21),
    "norm_bwd_weight": ("void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<c10::BFloat16, float, 128u, true>"
                        "(long, long, c10::BFloat16 const*, float const*, float const*)", 96, 256, 64, 8448, 17),
    "gemm": (gemm("256x128_32x3", "tn"), 288, 256, 224, 147456, 74),
    "gemm_nn": (gemm("128x128_64x4", "nn"), 576, 128, 230, 131072, 79),
    "gemm_nt": (gemm("128x256_32x3", "nt"), 144, 256, 236, 147456, 88),
    "gemm_head": (gemm("256x128_64x3", "tn"), 6288, 256, 242, 147456, 610),
    "flash": (flash("fwd"), 384, 128, 168, 81920, 66),
    "flash_bwd": (flash("bwd"), 384, 256, 255, 147456, 171),
    "gelu": (elementwise("at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda(c10::BFloat16)#1}", 2),
             6144, 128, 30, 0, 24),
    "gelu_bwd": (elementwise("at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&)::{lambda(c10::BFloat16, c10::BFloat16)#1}", 3),
                 6144, 128, 40, 0, 31),
    "dropout": ("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::BFloat16, float, unsigned int, 1, 4, bool>"
                "(at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, unsigned int, float, at::PhiloxCudaState)", 864, 256, 36, 0, 12),
    "multiply": (elementwise("at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                             "at::native::binary_internal::MulFunctor<float> >", 3), 3072, 128, 22, 0, 10),
    "add": (elementwise("at::native::CUDAFunctor_add<c10::BFloat16>", 3), 3072, 128, 20, 0, 9),
    "reduce": ("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
               "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16> >, "
               "unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp<c10::BFloat16>)", 24, 512, 40, 16, 14),
    "softmax": ("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, float, "
                "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, c10::BFloat16 const*, int)", 4096, 1024, 32, 128, 190),
    "softmax_bwd": ("void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, float, float, c10::BFloat16, "
                    "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, float const*, float const*, unsigned long)",
                    4096, 1024, 32, 128, 240),
    "loss": ("void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>"
             "(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)", 1, 32, 30, 256, 9),
    "foreach_mul": (multi_tensor("at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 2, 1, 1>"), 320, 512, 48, 0, 46),
    "foreach_lerp": (multi_tensor("at::native::(anonymous namespace)::TernaryOpScalarFunctor<float, 2, 3, 0>"), 320, 512, 56, 0, 61),
    "foreach_sqrt": (multi_tensor("at::native::(anonymous namespace)::UnaryOpFunctor<float, 2, 1, 1>"), 320, 512, 38, 0, 44),
    "foreach_addcdiv": (multi_tensor("at::native::(anonymous namespace)::PointwiseOpScalarFunctor<float, 4, 3, 0>"), 320, 512, 72, 0, 83),
    "all_reduce": ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 24, 544, 96, 82240, 820),
}

HIDDEN, WIDE = [TOKENS, WIDTH], [TOKENS, 4 * WIDTH]
# name: (module class, operators from the outside in, kernel, backward node, its operators and their kernels)
LAYER_KINDS = {
    "embedding": ("Embedding", ["aten::embedding"], "embedding", "EmbeddingBackward0", [("aten::embedding_dense_backward", "embedding_bwd")]),
    "norm": ("LayerNorm", ["aten::layer_norm", "aten::native_layer_norm"], "norm", "NativeLayerNormBackward0",
             [("aten::native_layer_norm_backward", "norm_bwd"), ("aten::native_layer_norm_backward", "norm_bwd_weight")]),
    "linear": ("Linear", ["aten::linear", "aten::addmm"], "gemm", "AddmmBackward0",
               [("aten::mm", "gemm_nn"), ("aten::mm", "gemm_nt"), ("aten::sum", "reduce")]),
    "attention": (None, ["aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention", "aten::_flash_attention_forward"],
                  "flash", "ScaledDotProductFlashAttentionBackward0", [("aten::_flash_attention_backward", "flash_bwd")]),
    "gelu": ("GELU", ["aten::gelu"], "gelu", "GeluBackward0", [("aten::gelu_backward", "gelu_bwd")]),
    "dropout": ("Dropout", ["aten::dropout", "aten::native_dropout"], "dropout", "NativeDropoutBackward0", [("aten::native_dropout_backward", "multiply")]),
    "add": (None, ["aten::add"], "add", "AddBackward0", []),
    "head": ("Linear", ["aten::linear", "aten::matmul", "aten::mm"], "gemm_head", "MmBackward0", [("aten::mm", "gemm_head"), ("aten::mm", "gemm_head")]),
    "softmax": (None, ["aten::log_softmax", "aten::_log_softmax"], "softmax", "LogSoftmaxBackward0", [("aten::_log_softmax_backward_data", "softmax_bwd")]),
    "loss": (None, ["aten::nll_loss", "aten::nll_loss_forward"], "loss", "NllLossBackward0", [("aten::nll_loss_backward", "loss")]),
}
BLOCK = [("norm", HIDDEN), ("linear", HIDDEN), ("attention", [BATCH, 12, LENGTH, 64]), ("linear", HIDDEN), ("dropout", HIDDEN), ("add", HIDDEN),
         ("norm", HIDDEN), ("linear", HIDDEN), ("gelu", WIDE), ("linear", WIDE), ("dropout", HIDDEN), ("add", HIDDEN)]


class Thread:
    def __init__(self, tid, name):
        self.tid, self.name, self.now, self.ops, self.frames = tid, name, START_NS, [0], [None]


class Recorder:
    """The clocks of the threads and streams, and the events so far."""

    def __init__(self):
        self.random = random.Random(20)
        self.main = Thread(PROCESS, "train")
        self.autograd = Thread(PROCESS + 57, "pt_autograd_0")
        self.loader = Thread(PROCESS + 31, "DataLoader")
        self.free = dict.fromkeys((COMPUTE, COPY, COMM), START_NS)
        self.events, self.busy, self.annotations = [], [], []
        self.ids, self.correlations, self.python_ids, self.sequence = count(1), count(901), count(1), count(300)
        self.evs = count()
        self.allocated, self.peak, self.address = {0: 0, 1: 2400 * MIB}, {0: 0, 1: 2400 * MIB}, 0x7F10_0000_0000

    def jitter(self, microseconds):
        return int(microseconds * US * self.random.uniform(0.85, 1.25))

    def wait(self, thread, microseconds):
        thread.now += self.jitter(microseconds)

    def emit(self, ph, name, cat, pid, tid, ts, dur=None, **rest):
        times = {"ts": ts} if dur is None else {"ts": ts, "dur": dur}
        self.events.append({"ph": ph, "cat": cat, "name": name, "pid": pid, "tid": tid, **times, **rest})

    @contextmanager
    def op(self, thread, name, cat="cpu_op", before=7, after=4, **args):
        """A host range: whatever runs inside is nested in it."""
        external = next(self.ids)
        start, ev = thread.now, next(self.evs)
        thread.ops.append(external)
        annotation = {"name": name, "id": external, "streams": {}} if cat == "user_annotation" else None
        if annotation:
            self.annotations.append(annotation)
        self.wait(thread, before)
        yield external
        self.wait(thread, after)
        thread.ops.pop()
        self.emit("X", name, cat, PROCESS, thread.tid, start, thread.now - start,
                  args={"External id": external, "Record function id": 0, **args, "Ev Idx": ev})
        if annotation:
            self.annotations.remove(annotation)
            for stream, (first, last) in annotation["streams"].items():
                self.emit("X", name, "gpu_user_annotation", 0, stream, first - 1, last - first + 2, args={"External id": external})

    @contextmanager
    def frame(self, thread, name, module=None):
        """A Python call."""
        me, start = next(self.python_ids), thread.now
        args = {"Python id": me, "Python parent id": thread.frames[-1], "Python thread": 0}
        if module is not None:
            args["Python module id"] = module
        thread.frames.append(me)
        self.wait(thread, 1.5)
        yield
        self.wait(thread, 1)
        thread.frames.pop()
        self.emit("X", name, "python_function", PROCESS, thread.tid, start, thread.now - start, args={**args, "Ev Idx": next(self.evs)})

    def runtime(self, thread, name, microseconds, cbid):
        """A CUDA runtime call; returns its start and its correlation."""
        start, correlation = thread.now, next(self.correlations)
        self.wait(thread, microseconds)
        linked = {"External id": thread.ops[-1]} if thread.ops[-1] else {}
        self.emit("X", name, "cuda_runtime", PROCESS, thread.tid, start, thread.now - start,
                  args={**linked, "cbid": cbid, "correlation": correlation})
        return start, correlation

    def device(self, cat, name, stream, start, dur, correlation, external, **args):
        linked = {"External id": external} if external else {}
        self.emit("X", name, cat, 0, stream, start, dur,
                  args={**linked, "device": 0, "context": 1, "stream": stream, "correlation": correlation, **args})
        self.free[stream] = start + dur
        self.busy.append((start, start + dur))
        for annotation in self.annotations:
            first, last = annotation["streams"].get(stream, (start, 0))
            annotation["streams"][stream] = (min(first, start), max(last, start + dur))

    def kernel(self, key, stream, start, correlation, external, **args):
        name, blocks, threads, registers, shared, microseconds = KERNELS[key]
        per_sm = blocks / DEVICE["numSms"]
        resident = min(2048 // threads, 65536 // (registers * threads), 167936 // shared if shared else 32)
        occupancy = min(100, round(100 * min(per_sm, max(1, resident)) * threads / 2048))
        self.device("kernel", name, stream, start, self.jitter(microseconds), correlation, external, **{
            "queued": 0, "registers per thread": registers, "shared memory": shared,
            "blocks per SM": round(per_sm, 5), "warps per SM": round(per_sm * threads / 32, 5),
            "grid": [blocks, 1, 1], "block": [threads, 1, 1], "est. achieved occupancy %": occupancy, **args})

    def after(self, thread, call_start, stream):
        """When work handed over now can start: the launch takes effect, the stream is free."""
        return max(call_start + self.jitter(5), self.free[stream] + self.jitter(1))

    def flow(self, correlation, thread, call_start, stream, start):
        self.emit("s", "ac2g", "ac2g", PROCESS, thread.tid, call_start, id=correlation)
        self.emit("f", "ac2g", "ac2g", 0, stream, start, id=correlation, bp="e")

    def launch(self, thread, key, stream=COMPUTE, overlap=0, call="cudaLaunchKernel", **args):
        call_start, correlation = self.runtime(thread, call, 4.5, 211)
        start = self.after(thread, call_start, stream) - overlap
        self.kernel(key, stream, start, correlation, thread.ops[-1], **args)
        self.flow(correlation, thread, call_start, stream, start)

    def copy(self, thread, kind, stream, size, gigabytes):
        call_start, correlation = self.runtime(thread, "cudaMemcpyAsync", 7, 41)
        start, dur = self.after(thread, call_start, stream), 1200 + int(size / gigabytes)
        self.device("gpu_memcpy", f"Memcpy {kind}", stream, start, dur, correlation, thread.ops[-1],
                    **{"bytes": size, "memory bandwidth (GB/s)": round(size / dur, 3)})
        self.flow(correlation, thread, call_start, stream, start)

    def clear(self, thread, size):
        call_start, correlation = self.runtime(thread, "cudaMemsetAsync", 4, 51)
        start, dur = self.after(thread, call_start, COMPUTE), 900 + size // 1200
        self.device("gpu_memset", "Memset (Device)", COMPUTE, start, dur, correlation, thread.ops[-1],
                    **{"bytes": size, "memory bandwidth (GB/s)": round(size / dur, 3)})
        self.flow(correlation, thread, call_start, COMPUTE, start)

    def graph(self, thread, keys):
        """One launch call, many kernels, as a replayed CUDA graph gives."""
        call_start, correlation = self.runtime(thread, "cudaGraphLaunch", 95, 311)
        first = self.after(thread, call_start, COMPUTE)
        self.flow(correlation, thread, call_start, COMPUTE, first)
        for node, key in enumerate(keys):
            start = max(first, self.free[COMPUTE] + 700)
            self.kernel(key, COMPUTE, start, correlation, thread.ops[-1], **{"graph id": 3, "graph node id": node + 1})

    def memory(self, thread, size, device=1, address=None):
        """An allocation (or, with a negative size, a release); returns the address."""
        if address is None:
            address = self.address = self.address + (abs(size) + 511) // 512 * 512
        self.allocated[device] += size
        self.peak[device] = max(self.peak[device], self.allocated[device])
        reserved = math.ceil(self.peak[device] / (20 * MIB)) * 20 * MIB if device else 0
        self.emit("i", "[memory]", "cpu_instant_event", PROCESS, thread.tid, thread.now, s="t", args={
            "Total Reserved": reserved, "Total Allocated": self.allocated[device], "Bytes": size, "Addr": address,
            "Device Id": 0 if device else -1, "Device Type": device, "Ev Idx": next(self.evs)})
        thread.now += 200
        return address


def shapes(dims, element="c10::BFloat16"):
    return {"Input type": [element, ""], "Input Dims": [dims, []]}


def load_batch(rec, late):
    """The loader thread makes a batch; a late one reads from a slow disk first."""
    thread, size = rec.loader, TOKENS * 8
    with rec.frame(thread, "loader.py(48): fetch"):
        with rec.op(thread, "read_shard", "user_annotation", before=15_000 if late else 2_600):
            held = rec.memory(thread, size, device=0)
        for _ in range(3):
            with rec.op(thread, "aten::stack", after=160, **shapes([LENGTH], "long int")):
                with rec.op(thread, "aten::cat", before=220, after=30, **shapes([LENGTH], "long int")):
                    pass
            rec.wait(thread, 150)
        rec.memory(thread, -size, device=0, address=held)
        with rec.op(thread, "aten::pin_memory", before=120, after=40, **shapes([BATCH, LENGTH], "long int")):
            pass
    return thread.now


def get_batch(rec, ready):
    main = rec.main
    with rec.op(main, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", before=30):
        with rec.frame(main, "queue.py(154): get"):
            main.now = max(main.now, ready)
    for _ in range(2):
        with rec.op(main, "aten::to", **shapes([BATCH, LENGTH], "long int")), rec.op(main, "aten::_to_copy"), rec.op(main, "aten::copy_"):
            rec.copy(main, "HtoD (Pinned -> Device)", COPY, TOKENS * 8, 21)
    rec.runtime(main, "cudaStreamWaitEvent", 1.5, 147)
    rec.free[COMPUTE] = max(rec.free[COMPUTE], rec.free[COPY])


def run_layer(rec, tape, layer_kind, dims, overlap=0):
    module, names, kernel, node, _ = LAYER_KINDS[layer_kind]
    main, sequence = rec.main, next(rec.sequence)
    size = 2 * math.prod(dims)

    def nest(names):
        if not names:
            held = rec.memory(main, size)
            tape.append((layer_kind, sequence, start, tid, dims, held, size))
            rec.launch(main, kernel, overlap=overlap)
            return
        with rec.op(main, names[0], **shapes(dims), **{"Sequence number": sequence, "Fwd thread id": 0}):
            nest(names[1:])

    tid = main.tid
    if module:
        number = sum(1 for entry in tape if LAYER_KINDS[entry[0]][0] == module)
        with rec.frame(main, f"nn.Module: {module}_{number}", module=1 + len(tape)):
            start = main.now
            nest(names)
    else:
        start = main.now
        nest(names)
    rec.wait(main, 2)


def forward(rec, overlap):
    main, tape = rec.main, []
    with rec.frame(main, "nn.Module: LanguageModel_0", module=0), rec.op(main, "forward", "user_annotation"):
        run_layer(rec, tape, "embedding", HIDDEN)
        for layer in range(LAYERS):
            with rec.frame(main, f"nn.Module: Block_{layer}", module=100 + layer):
                with rec.frame(main, "model.py(64): forward"):
                    for index, (layer_kind, dims) in enumerate(BLOCK):
                        run_layer(rec, tape, layer_kind, dims, overlap if (layer, index) == (1, 1) else 0)
        run_layer(rec, tape, "norm", HIDDEN)
        run_layer(rec, tape, "head", [TOKENS, VOCABULARY])
    with rec.frame(main, "functional.py(3102): cross_entropy"):
        run_layer(rec, tape, "softmax", [TOKENS, VOCABULARY])
        run_layer(rec, tape, "loss", [1])
    return tape


def all_reduce(rec, elements):
    thread = rec.autograd
    comms = {"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements, "dtype": "BFloat16", "Group size": 2,
             "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]"}
    with rec.op(thread, "nccl:all_reduce", "user_annotation"), rec.op(thread, "record_param_comms", **comms):
        rec.runtime(thread, "cudaEventRecord", 1.2, 135)
        rec.runtime(thread, "cudaStreamWaitEvent", 1.2, 147)
        rec.free[COMM] = max(rec.free[COMM], rec.free[COMPUTE])
        rec.launch(thread, "all_reduce", COMM, call="cudaLaunchKernelExC", **comms)


def backward(rec, tape):
    main, thread = rec.main, rec.autograd
    with rec.frame(main, "_tensor.py(581): backward"), rec.frame(main, "graph.py(823): _engine_run_backward"):
        thread.now = main.now + 20 * US
        for index, (layer_kind, sequence, start, tid, dims, held, size) in enumerate(reversed(tape)):
            _, _, _, node, work = LAYER_KINDS[layer_kind]
            link = {"Sequence number": sequence, "Fwd thread id": 1}
            rec.emit("s", "fwdbwd", "fwdbwd", PROCESS, tid, start, id=sequence)
            with rec.op(thread, f"autograd::engine::evaluate_function: {node}", **link):
                rec.emit("f", "fwdbwd", "fwdbwd", PROCESS, thread.tid, thread.now, id=sequence, bp="e")
                with rec.op(thread, node, **link):
                    for name, kernel in work:
                        with rec.op(thread, name, **shapes(dims)):
                            rec.launch(thread, kernel)
                rec.memory(thread, -size, address=held)
            if layer_kind == "linear":
                with rec.op(thread, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"):
                    with rec.op(thread, "aten::detach"):
                        pass
            if index % len(BLOCK) == len(BLOCK) - 1:
                all_reduce(rec, 7_087_872)
        main.now = thread.now + 15 * US
    rec.free[COMPUTE] = max(rec.free[COMPUTE], rec.free[COMM])


def optimize(rec):
    main = rec.main
    work = [("mul_", "foreach_mul"), ("lerp_", "foreach_lerp"), ("mul_", "foreach_mul"), ("addcmul_", "foreach_addcdiv"),
            ("sqrt", "foreach_sqrt"), ("div_", "foreach_mul"), ("add_", "foreach_mul"), ("addcdiv_", "foreach_addcdiv")]
    with rec.frame(main, "optimizer.py(493): wrapper"), rec.op(main, "Optimizer.step#AdamW.step", "user_annotation"):
        for name, kernel in work:
            with rec.op(main, f"aten::_foreach_{name}"):
                rec.launch(main, kernel)
                rec.launch(main, kernel)
    with rec.op(main, "Optimizer.zero_grad#AdamW.zero_grad", "user_annotation"):
        for _ in range(3):
            with rec.op(main, "aten::zero_"):
                rec.clear(main, 14_175_744)


def read_loss(rec):
    main = rec.main
    with rec.op(main, "aten::item"), rec.op(main, "aten::_local_scalar_dense"):
        rec.copy(main, "DtoH (Device -> Pageable)", COMPUTE, 4, 0.01)
        start = main.now
        main.now = max(main.now, rec.free[COMPUTE]) + 6 * US
        rec.emit("X", "cudaStreamSynchronize", "cuda_runtime", PROCESS, main.tid, start, main.now - start,
                 args={"External id": main.ops[-1], "cbid": 131, "correlation": next(rec.correlations)})


def train(rec):
    main = rec.main
    start = rec.free[COMPUTE] - 900 * US
    for key in ("foreach_sqrt", "foreach_addcdiv", "foreach_addcdiv", "foreach_mul"):  # launched before the recording
        rec.kernel(key, COMPUTE, start, next(rec.correlations), 0)
        start = rec.free[COMPUTE] + 2 * US
    with rec.frame(main, "train.py(92): <module>"), rec.frame(main, "train.py(55): train"):
        rec.loader.now = main.now - 2200 * US
        for number in range(FIRST_STEP, FIRST_STEP + STEPS):
            with rec.op(main, f"ProfilerStep#{number}", "user_annotation"):
                ready = load_batch(rec, late=number == LATE_STEP)
                get_batch(rec, ready)
                rec.loader.now = max(rec.loader.now, main.now)
                tape = forward(rec, overlap=3 * US if number == FIRST_STEP + 1 else 0)
                backward(rec, tape)
                optimize(rec)
                read_loss(rec)
                if number == GRAPH_STEP:
                    with rec.op(main, "validate", "user_annotation", before=120), rec.frame(main, "graphs.py(88): replay"):
                        rec.graph(main, [LAYER_KINDS[layer_kind][2] for layer_kind, _ in BLOCK] * 5)
                    read_loss(rec)
            rec.wait(main, 8)


def counters(rec, window=500 * US):
    """The share of each half millisecond in which the device had work."""
    first, last = min(rec.busy)[0], max(end for _, end in rec.busy)
    for start in range(first, last, window):
        at, total = start, 0
        for begin, end in sorted(rec.busy):
            begin, end = max(begin, at), min(end, start + window)
            if end > begin:
                total, at = total + end - begin, end
        rec.emit("C", "GPU busy", "hardware_counters", "GPU 0 Counters", 0, start, args={"percent": round(100 * total / window, 1)})


def metadata(rec):
    def meta(kind, pid, tid, **args):
        return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "ts": START_NS, "args": args}

    yield meta("process_name", PROCESS, 0, name="python3 train.py")
    yield meta("process_labels", PROCESS, 0, labels="CPU")
    yield meta("process_sort_index", PROCESS, 0, sort_index=PROCESS)
    yield meta("process_name", 0, 0, name="python3 train.py")
    yield meta("process_labels", 0, 0, labels="GPU 0")
    yield meta("process_sort_index", 0, 0, sort_index=5_000_000)
    for thread in (rec.main, rec.autograd, rec.loader):
        yield meta("thread_name", PROCESS, thread.tid, name=f"thread {thread.tid} ({thread.name})")
        yield meta("thread_sort_index", PROCESS, thread.tid, sort_index=thread.tid)
    for stream in rec.free:
        yield meta("thread_name", 0, stream, name=f"stream {stream}")
        yield meta("thread_sort_index", 0, stream, sort_index=stream)
    yield meta("process_name", "Spans", 0, name="PyTorch Profiler")
    yield meta("process_sort_index", "Spans", 0, sort_index=0x20000000)


def encode(event):
    """One event as JSON, its nanoseconds as microseconds with three decimals."""
    for key in ("ts", "dur"):
        if key in event:
            event[key] = "@%d.%03d" % divmod(event[key], 1000)
    return re.sub(r'"@([\d.]+)"', r"\1", json.dumps(event, separators=(",", ":")))


def main():
    rec = Recorder()
    train(rec)
    counters(rec)
    start = min(event["ts"] for event in rec.events)
    end = max(event["ts"] + event.get("dur", 0) for event in rec.events)
    rec.emit("X", "PyTorch Profiler (0)", "Trace", "Spans", "PyTorch Profiler", start, end - start, args={"Op count": 0})
    events = [*metadata(rec), *sorted(rec.events, key=lambda event: event["ts"])]
    events.append({"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": start})
    header = {
        "schemaVersion": 1, "deviceProperties": [DEVICE], "cuda_runtime_version": 12060, "cuda_driver_version": 12060,
        "record_shapes": 1, "profile_memory": 1, "with_stack": 1,
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_count": 1, "nccl_version": "2.21.5", "pg_config": [
            {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]}]},
        "synthetic": "made by tests/generate/synthetic_gpu.py", "displayTimeUnit": "ms", "baseTimeNanoseconds": BASE_NS,
    }
    text = json.dumps(header)[:-1] + ',\n"traceEvents": [\n' + ",\n".join(map(encode, events)) + '\n],"traceName": "synthetic-gpu.json" }\n'
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    output.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{output.name}: {len(events)} events, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
