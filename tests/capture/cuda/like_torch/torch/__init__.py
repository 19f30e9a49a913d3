"""A torch that has a profiler and a GPU that is not there: its profiler is a client of CUPTI (`tests/fake-cuda/client.c`).

Its modules and methods have the names by which PyTorch's profiler begins and ends.
"""
from types import SimpleNamespace

__version__ = "0.1+like"
version = SimpleNamespace(cuda="13.0")
cuda = SimpleNamespace(is_initialized=lambda: False)


class Tensor:
    def backward(self):
        pass


from . import autograd, profiler  # noqa: E402, F401
