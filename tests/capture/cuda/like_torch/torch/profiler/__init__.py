from torch.autograd.profiler import ProfilerActivity  # noqa: F401

from .profiler import profile  # noqa: F401
