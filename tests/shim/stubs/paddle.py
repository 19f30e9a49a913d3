"""A paddle of the names that the shim hooks, with the shape of the real one and none of its work."""
import sys
import types

__version__ = "0.1-stub"
__path__ = []
# Holds something in static mode.
static = []
in_dynamic_mode = lambda: not static  # noqa: E731
grad = lambda tensor: None  # noqa: E731


def _module(name, **members):
    module = types.ModuleType("paddle." + name)
    vars(module).update(members)
    sys.modules[module.__name__] = module
    parent, _, own = module.__name__.rpartition(".")
    setattr(sys.modules[parent], own, module)


class Tensor:
    def __init__(self, *shape):
        self.shape = list(shape)

    def backward(self):
        pass


class Layer:
    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        return x


class _DataLoaderIterSingleProcess:
    def __init__(self, batches):
        self.batches = iter(batches)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.batches)


class _DataLoaderIterMultiProcess(_DataLoaderIterSingleProcess):
    pass


class _Fetcher:
    def fetch(self, indices):
        return indices


class Optimizer:
    def __init__(self):
        pass

    def step(self):
        pass

    def minimize(self, loss):
        pass


class Adam(Optimizer):
    def step(self):
        pass


class GradScaler:
    def step(self, optimizer, is_finite=True):
        if is_finite:
            optimizer.step()

    def update(self):
        pass

    def minimize(self, optimizer, loss, is_finite=True):
        if is_finite:
            optimizer.minimize(loss)


class Profiler:
    def step(self, num_samples=None):
        pass

    def stop(self):
        pass


class RecordEvent:
    def __init__(self, name, event_type="PythonUserDefined"):
        self.name, self.event_type = name, event_type

    def begin(self):
        pass

    def end(self):
        pass


_module("version", cuda=lambda: "False")
_module("nn", Layer=Layer)
_module("autograd", backward=lambda tensor: None)
_module("optimizer", Optimizer=Optimizer, Adam=Adam, __all__=["Optimizer", "Adam"])
_module("amp", GradScaler=GradScaler)
_module("profiler", Profiler=Profiler, RecordEvent=RecordEvent)
_module("io")
_module("io.dataloader")
_module(
    "io.dataloader.dataloader_iter",
    _DataLoaderIterSingleProcess=_DataLoaderIterSingleProcess,
    _DataLoaderIterMultiProcess=_DataLoaderIterMultiProcess,
)
_module("io.dataloader.fetcher", _MapDatasetFetcher=_Fetcher, _IterableDatasetFetcher=type("_Other", (_Fetcher,), {}))
_module("base")
_module("base.core", TracerEventType=types.SimpleNamespace(PythonUserDefined="PythonUserDefined"))
