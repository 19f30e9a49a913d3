"""Parts of programs: operators, a model's passes, an optimizer, a loader, steps, in PyTorch's and Paddle's words."""
from contextlib import contextmanager

from sim import calls
from sim.draws import ms, us

GEMM = {
    "cuda": "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
    "rocm": "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1",
    "paddle": "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
}
SIMT = {
    "cuda": "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_tn_align1>(cutlass_80_simt_sgemm_128x128_8x4_tn_align1::Params)",
    "rocm": "Cijk_Alik_Bljk_SB_MT64x64x16_SN_K1", "paddle": "ampere_sgemm_128x64_tn",
}
POINTWISE = {
    "cuda": "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&)>",
    "paddle": "void phi::funcs::VectorizedElementwiseKernel<phi::dtype::bfloat16, phi::funcs::CudaGeluFunctor>",
}
POINTWISE["rocm"] = POINTWISE["cuda"]
ADAM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<3>, FusedAdamMathFunctor>"
# PyTorch's name of an operator and the one inside it; Paddle's name.
OPERATORS = {
    "linear": ("aten::linear", "aten::addmm", "matmul dygraph"), "gelu": ("aten::gelu", None, "gelu dygraph"),
    "loss": ("aten::cross_entropy_loss", "aten::nll_loss_nd", "cross_entropy dygraph"), "add": ("aten::add", None, "add dygraph"),
    "mul": ("aten::mul", None, "multiply dygraph"), "norm": ("aten::layer_norm", "aten::native_layer_norm", "layer_norm dygraph"),
    "to": ("aten::to", "aten::copy_", "cast dygraph"), "mul_": ("aten::mul_", None, "scale_ dygraph"),
    "bmm": ("aten::matmul", "aten::bmm", "bmm dygraph"), "softmax": ("aten::softmax", "aten::_softmax", "softmax dygraph"),
    "baddbmm": ("aten::baddbmm", None, "baddbmm dygraph"), "softmax_grad": ("aten::_softmax_backward_data", None, "softmax_grad dygraph"),
    "log_softmax": ("aten::log_softmax", "aten::_log_softmax", "log_softmax dygraph"),
    "conv": ("aten::conv2d", "aten::cudnn_convolution", "conv2d dygraph"),
    "conv_grad": ("aten::convolution_backward", None, "conv2d_grad dygraph"), "fill": ("aten::fill_", None, "full_ dygraph"),
    "addcdiv_": ("aten::addcdiv_", None, "adam dygraph"), "lerp_": ("aten::lerp_", None, "lerp dygraph"), "sqrt": ("aten::sqrt", None, "sqrt dygraph"),
}


class Program:
    """A program with one main thread, one device and its main stream; PyTorch also has a thread for backward passes."""

    def __init__(self, run, layers=6, gemm=us(180), small=us(14), dispatch=us(14), script=us(6), simt=False, **device):
        self.run, self.machine = run, run.machine
        machine = run.machine
        self.main = machine.thread("python3")
        self.is_paddle = machine.flavour == "paddle"
        self.worker = None if self.is_paddle else machine.thread("pt_autograd_0")
        self.device = machine.device(**device)
        self.stream = self.device.stream(0 if machine.flavour == "rocm" else 7)
        self.layers, self.gemm_ns, self.small_ns, self.dispatch_ns, self.script_ns = layers, gemm, small, dispatch, script
        self.gemm = (SIMT if simt else GEMM)[machine.flavour]
        self.pointwise = POINTWISE[machine.flavour]
        self.number = 4

    # Operators.

    def dispatch(self, thread, share=1.0):
        """The framework's own time on the way to a launch."""
        machine = self.machine
        cheap = 0.04 if machine.without == "launch_bound" else 1.0
        thread.spend(max(machine.tick, machine.draws.near("dispatch", self.dispatch_ns * machine.host_speed * share * cheap, 0.15)))

    def short_script(self, thread):
        """A few lines of Python between two operators."""
        machine = self.machine
        cheap = 0.04 if machine.without == "launch_bound" else 1.0
        ns = machine.draws.near("script", self.script_ns * machine.host_speed * cheap, 0.3)
        thread.script("torch/nn/modules/module.py(1751): _wrapped_call_impl", max(machine.tick, min(ns, us(45))))

    @contextmanager
    def operator(self, thread, key):
        """The frames of an operator, around what its kernels need."""
        outer, inner, paddle = OPERATORS[key]
        with thread.inside("operator", paddle if self.is_paddle else outer):
            self.dispatch(thread, 0.45)
            if key == "loss":
                calls.call(thread, "is_capturing", self.machine.host_ns("query", us(1)))
            inner = paddle.replace("dygraph", "kernel launch") if self.is_paddle else inner
            if inner:
                with thread.inside("operator", inner) as activity:
                    if self.is_paddle:
                        activity.category = "DygraphKernelLaunch"
                    self.dispatch(thread, 0.4)
                    yield
                    self.dispatch(thread, 0.08)
            else:
                self.dispatch(thread, 0.4)
                yield
            self.dispatch(thread, 0.07)

    def op(self, thread, word, ns, kernel=None, stream=None, label="kernel", **how):
        """An operator with one kernel of about `ns`."""
        with self.operator(thread, word):
            name = kernel or (self.gemm if word == "linear" else self.pointwise)
            return calls.launch(thread, stream or self.stream, name, self.machine.device_ns(label + " " + word, ns), **how)

    # Passes.

    def frames(self, thread, name, category):
        """A range of the script that a framework's hooks write (Paddle), or a Python frame."""
        if self.is_paddle:
            return self._ranged(thread, name, category)
        return thread.inside("python", name)

    @contextmanager
    def _ranged(self, thread, name, category):
        with thread.inside("range", name) as activity:
            activity.category = category
            yield activity

    def forward(self, layers=None, each=None):
        """The forward pass; `each(layer)` is called after each layer."""
        with self.frames(self.main, "model.py(31): forward" if not self.is_paddle else "MyNet", "Forward"):
            for layer in range(layers or self.layers):
                self.op(self.main, "linear", self.gemm_ns)
                self.short_script(self.main)
                self.op(self.main, "gelu", self.small_ns)
                self.short_script(self.main)
                if each:
                    each(layer)
        self.op(self.main, "loss", self.small_ns)

    def backward(self, layers=None, each=None):
        """The backward pass: PyTorch runs it on a thread of its own while the main one waits."""
        layers = layers or self.layers
        if self.is_paddle:
            with self.frames(self.main, "Gradient Backward", "Backward"):
                for layer in range(layers):
                    self._grad(self.main, each, layer)
            return
        machine, worker = self.machine, self.worker
        with self.main.inside("python", "torch/_tensor.py(570): backward"):
            self.main.spend(machine.host_ns("to backward", us(12)))
            worker.until(self.main.now + machine.host_ns("wake", us(10)))
            for layer in range(layers):
                self._grad(worker, each, layer)
            self.main.wait_for(worker, "<built-in method run_backward of torch._C._EngineBase object at 0x7f21c0e5>",
                               machine.host_ns("wake back", us(9)))

    def _grad(self, thread, each, layer):
        if self.is_paddle:
            for key in ("gelu", "linear", "linear"):
                self.op(thread, key, self.gemm_ns if key == "linear" else self.small_ns, label="grad")
        else:
            with thread.inside("operator", "autograd::engine::evaluate_function: GeluBackward0"):
                self.op(thread, "mul", self.small_ns, label="grad")
            with thread.inside("operator", "autograd::engine::evaluate_function: AddmmBackward0"):
                self.dispatch(thread, 0.2)
                with thread.inside("operator", "AddmmBackward0"):
                    for side in ("input", "weight"):
                        self.op(thread, "linear", self.gemm_ns, label="grad " + side)
        if each:
            each(layer)

    def optimizer(self, length=us(90)):
        """A fused optimizer: two large kernels."""
        machine, main = self.machine, self.main
        with self._ranged(main, "Optimization Step" if self.is_paddle else "Optimizer.step#AdamW.step", "Optimization" if self.is_paddle else None):
            self.short_script(main)
            with main.inside("operator", "adamw_ dygraph" if self.is_paddle else "aten::_fused_adamw_"):
                for _ in range(2):
                    self.dispatch(main)
                    calls.launch(main, self.stream, ADAM, machine.device_ns("adam", length))

    def unfused_optimizer(self, parameters, length=us(3)):
        """An optimizer that launches four small kernels for each parameter."""
        with self._ranged(self.main, "Optimizer.step#Adam.step", None):
            for _ in range(parameters):
                for key in ("lerp_", "mul_", "sqrt", "addcdiv_"):
                    self.op(self.main, key, length, label="optimizer")

    # Around the passes.

    @contextmanager
    def step(self):
        """A step that the profiler counts."""
        with self.main.inside("step", "ProfilerStep#%d" % self.number):
            yield self.number
        self.number += 1

    def train_step(self, forward=None, backward=None):
        """The usual passes of a step."""
        self.forward(each=forward)
        self.backward(each=backward)
        self.optimizer()

    def item(self, thread=None):
        """Reads a scalar of the device, which waits for all work in the stream."""
        thread = thread or self.main
        machine = self.machine
        if machine.without == "blocking_sync":
            return
        with thread.inside("operator", "memcpy_d2h dygraph" if self.is_paddle else "aten::item"):
            self.dispatch(thread, 0.15)
            with thread.inside("operator", "memcpy_d2h kernel launch" if self.is_paddle else "aten::_local_scalar_dense"):
                self.dispatch(thread, 0.2)
                calls.copy(thread, self.stream, "DtoH", 4, pinned=False)
                if machine.flavour != "rocm":
                    calls.synchronize(thread, stream=self.stream)
                self.dispatch(thread, 0.1)

    def frame(self, name, ns, label="python"):
        """A long stretch of the script's Python code."""
        self.main.script(name, self.machine.host_ns(label, ns))

    def load_inline(self, ns):
        """A loader without workers: the batch is made by the caller."""
        with self._loader("_DataLoaderIterSingleProcess", "_SingleProcessDataLoaderIter") as activity:
            if activity:
                self.main.spend(self.machine.host_ns("load", ns))

    def _loader(self, paddle, torch):
        if self.is_paddle:
            return self._caused(paddle, "Dataloader")
        return self._caused("enumerate(DataLoader)#%s.__next__" % torch, None)

    @contextmanager
    def _caused(self, name, category):
        with self.main.inside("range", name, "data_loading") as activity:
            if activity:
                activity.category = category
            yield activity


class Prefetching:
    """A loader with workers in other processes, which are not in the trace: batches are ready some time after the one before."""

    def __init__(self, program, ns, ahead=2):
        self.program, self.ns, self.ahead = program, ns, ahead
        self.ready, self.taken = [], []

    def next(self):
        """Takes the next batch, or waits for it."""
        program, main = self.program, self.program.main
        number = len(self.taken)
        free = self.taken[number - self.ahead] if number >= self.ahead else 0
        begun = max(free, self.ready[-1] if self.ready else 0)
        self.ready.append(begun + program.machine.host_ns("load", self.ns))
        with program._loader("_DataLoaderIterMultiProcess", "_MultiProcessingDataLoaderIter") as activity:
            if activity:
                main.until(self.ready[number])
                main.spend(program.machine.host_ns("unpack", us(180)))
        self.taken.append(main.now)


def to_device(program, size, pinned=True, stream=None):
    """Copies a batch to the device."""
    with program.operator(program.main, "to"):
        return calls.copy(program.main, stream or program.stream, "HtoD", size, pinned)


def train(program, steps, before=None, after=None, **passes):
    """Training steps; `before(number)` and `after(number)` are called inside each step, numbered from 0."""
    for number in range(steps):
        with program.step():
            if before:
                before(number)
            program.train_step(**passes)
            if after:
                after(number)


__all__ = ["Program", "Prefetching", "train", "to_device", "calls", "ms", "us", "ADAM", "GEMM", "SIMT", "POINTWISE"]
