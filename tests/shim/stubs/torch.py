"""A torch of the names that the shim hooks, with the shape of the real one and none of its work."""
import os
import sys
import threading
import types

__version__ = os.environ.get("STUB_VERSION", "0.1+stub")
__path__ = []
_before, _after = [], []
# Holds "reads" while a compiler reads the code, "traces" while it traces operators.
compiling = []
# What NVTX does with a range that is pushed there, and with those of `emit_nvtx`.
pushed, emitted, left = [lambda *_: 0], [lambda *_: 0], [lambda *_: 0]


def _module(name, **members):
    module = types.ModuleType("torch." + name)
    vars(module).update(members)
    sys.modules[module.__name__] = module
    parent, _, own = module.__name__.rpartition(".")
    setattr(sys.modules[parent], own, module)


class Tensor:
    def __init__(self, *shape):
        self.shape = shape

    def backward(self):
        autograd.backward(self)


class _Gradients(threading.local):
    """Whether operations on this thread are recorded for a backward pass."""

    are_on = True


_gradients = _Gradients()


def is_grad_enabled():
    return _gradients.are_on


class no_grad:
    def __enter__(self):
        self.before, _gradients.are_on = _gradients.are_on, False

    def __exit__(self, *error):
        _gradients.are_on = self.before


inference_mode = no_grad


class Module:
    training = True

    def __init__(self, *inner):
        self.inner = inner

    def train(self, mode=True):
        self.training = mode
        for module in self.inner:
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, x):
        for module in self.inner:
            x = module(x)
        return x


class record_function:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        emitted[0](self.name)
        return self

    def __exit__(self, *error):
        left[0](self.name)


class _Tracing:
    """What traces on each thread, from which Python takes nothing when it ends."""

    threads = {}

    @property
    def all(self):
        return self.threads.setdefault(threading.get_ident(), [])

    def __bool__(self):
        return bool(self.all)

    def append(self, what):
        self.all.append(what)

    def pop(self):
        self.all.pop()


# What traces on this thread; there is room for one.
tracing = _Tracing()


class _Traces:
    def __enter__(self):
        if tracing:
            raise RuntimeError("Profiler is already enabled on this thread")
        tracing.append(self)
        print("+" + self.said)
        return self

    def __exit__(self, *error):
        tracing.pop()
        print("-" + self.said)


class CUDAGraph:
    def capture_begin(self, pool=None):
        print("captures")

    def capture_end(self):
        print("captured")


class emit_itt(_Traces):
    said = "itt"


class emit_nvtx(_Traces):
    said = "nvtx"


class _Event:
    def __init__(self, name, kind="cpu_op", start=1 << 62):
        self.of = {"name": name, "activity_type": kind, "start_ns": start}

    def __getattr__(self, name):
        return lambda: self.of.get(name, [] if name in ("shapes", "stack", "concrete_inputs") else 7)


class _Results:
    # What events there are.
    found = [_Event("aten::add"), _Event("mine", "user_annotation"), _Event("nccl", "user_annotation")]
    found += [_Event("cudaLaunchKernel", "cuda_runtime"), _Event("early", start=1)]
    is_saved = False

    def events(self):
        return self.found

    def save(self, path):
        assert not self.is_saved
        self.is_saved = True
        with open(path, "w") as file:
            file.write("saved")


class old_profile(_Traces):
    said = "profile"

    def __init__(self, use_cpu=True, use_kineto=False, **options):
        self.options = options
        self.kineto_activities = {"ProfilerActivity.CPU"}
        if options.get("use_device") == "cuda":
            self.kineto_activities.add("ProfilerActivity.CUDA")

    def export_chrome_trace(self, path):
        with open(path, "w") as file:
            file.write("{}")

    def __enter__(self):
        self._prepare_trace()
        return self._start_trace()

    def _prepare_trace(self):
        if tracing:
            raise RuntimeError("Profiler is already enabled on this thread")
        print("prepare")

    def _start_trace(self):
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.kineto_results = _Results()


class _BaseDataLoaderIter:
    def __init__(self, batches):
        self.batches = iter(batches)

    def __next__(self):
        with record_function("enumerate(DataLoader)#_BaseDataLoaderIter.__next__"):
            return next(self.batches)


class DataLoader:
    def __init__(self, *batches):
        self.batches = batches

    def __iter__(self):
        class Iterator(_BaseDataLoaderIter):
            __iter__ = lambda self: self  # noqa: E731

        return Iterator(self.batches)


class _MapDatasetFetcher:
    def __init__(self, dataset):
        self.dataset = dataset

    def fetch(self, indices):
        return [self.dataset[index] for index in indices]


class _IterableDatasetFetcher(_MapDatasetFetcher):
    pass


class SGD:
    def __init__(self):
        self._patch_step_function()

    def _patch_step_function(self):
        pass

    def step(self):
        with record_function("Optimizer.step#SGD.step"):
            for hook in _before:
                hook(self, (), {})
            self.update()
            for hook in _after:
                hook(self, (), {})

    def update(self):
        pass


class GradScaler:
    def step(self, optimizer, is_finite=True):
        if is_finite:
            optimizer.step()

    def update(self):
        pass


class profile:
    activities = "ProfilerActivity.CPU", "ProfilerActivity.CUDA"

    def export_chrome_trace(self, path):
        # As the real one does for a compressed file.
        old_profile(use_device="cuda").export_chrome_trace(path + ".part")
        os.rename(path + ".part", path)

    def step(self):
        pass

    def stop(self):
        pass


_module("version", cuda=os.environ.get("STUB_CUDA", "13.0"))
_module("compiler", is_compiling=lambda: bool(compiling), is_dynamo_compiling=lambda: "reads" in compiling)
_module("nn", Module=Module)
_module(
    "autograd",
    backward=lambda tensor: None,
    grad=lambda tensor: None,
    _profiler_enabled=lambda: bool(tracing),
    _add_metadata_json=lambda key, value: print("metadata", key, value),
    _enable_record_function=lambda is_on: print("seen" if is_on else "unseen"),
)
_module(
    "autograd.profiler",
    record_function=record_function,
    profile=old_profile,
    emit_itt=emit_itt,
    emit_nvtx=emit_nvtx,
    ProfilerActivity=types.SimpleNamespace(CPU=0),
)
_module("_C")
_module("_C._autograd")
_module("_C._profiler", _ExperimentalConfig=lambda **options: " ".join(sorted(options)))
_module("optim", SGD=SGD)
_module(
    "optim.optimizer",
    Optimizer=SGD,
    register_optimizer_step_pre_hook=_before.append,
    register_optimizer_step_post_hook=_after.append,
)
_module("utils")
_module("utils.data", DataLoader=DataLoader, get_worker_info=lambda: None)
_module("utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter)
_module("utils.data._utils")
_module(
    "utils.data._utils.fetch", _MapDatasetFetcher=_MapDatasetFetcher, _IterableDatasetFetcher=_IterableDatasetFetcher
)
_module("profiler", profile=profile, record_function=record_function)
_module("profiler.profiler", profile=profile)
_module("profiler.itt", is_available=lambda: True)
_module("amp", GradScaler=GradScaler)
_module("amp.grad_scaler", GradScaler=GradScaler)
_module("cuda", is_initialized=lambda: False)
_module("cuda.graphs", CUDAGraph=CUDAGraph)
_module("cuda.amp")
_module("cuda.amp.grad_scaler", GradScaler=type("GradScaler", (GradScaler,), {}))
_module("cuda.nvtx", range_push=lambda msg: pushed[0](msg), range_pop=lambda: 0)
autograd = sys.modules["torch.autograd"]
