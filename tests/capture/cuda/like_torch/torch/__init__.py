"""A torch that has a profiler and a GPU that is not there: its profiler is a client of CUPTI (`tests/fake-cuda/client.c`).

Its modules and methods have the names by which PyTorch's profiler begins and ends.
"""
import os
from types import SimpleNamespace

__version__ = "0.1+like"
# Beside this file its library would lie.
_client, _, _way = os.environ["LIKE_TORCH"].split(":")
__file__ = os.path.join(os.path.dirname(os.path.dirname(_client)), "kineto-" + _way, "__init__.py")
_C = SimpleNamespace(_autograd=SimpleNamespace(), _profiler=SimpleNamespace())
version = SimpleNamespace(cuda="13.0")
cuda = SimpleNamespace(is_initialized=lambda: False)


class Tensor:
    def backward(self):
        pass


from . import autograd, profiler  # noqa: E402, F401
