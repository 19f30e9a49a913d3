"""A paddle of the names that the shim hooks, with the shape of the real one and none of its work."""
import sys
import types
import weakref

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


class _Result:
    def __init__(self, said):
        self.said = said

    def save(self, path, form):
        with open(path, "w") as file:
            file.write(form + " " + self.said)


class _Profiler:
    """The tracer, of which there is one as long as somebody holds it."""

    there = weakref.WeakSet()

    @classmethod
    def create(cls, options, devices):
        if cls.there:
            return None
        made = cls()
        cls.there.add(made)
        return made

    def prepare(self):
        print("prepare")

    def start(self):
        print("+host")

    def stop(self):
        print("-host")
        return _Result("events")


class Profiler:
    def __init__(self, targets=()):
        self.targets = set(targets)
        self.profiler = _Profiler.create(None, None)
        if self.profiler is None:
            raise RuntimeError("there is another one")
        print("own")
        self.profiler_result = None

    def start(self):
        print("started")

    def export(self, path, format="json"):
        open(path, "w").close()

    def step(self, num_samples=None):
        pass

    def stop(self):
        self.profiler_result = _Result("own")


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
_module(
    "base.core",
    TracerEventType=types.SimpleNamespace(PythonUserDefined="PythonUserDefined"),
    ProfilerOptions=types.SimpleNamespace,
    _Profiler=_Profiler,
    enable_memory_recorder=lambda: print("+memory"),
    disable_memory_recorder=lambda: print("-memory"),
)
