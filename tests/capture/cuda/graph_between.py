"""Launches a CUDA graph in each of twelve steps; a new one is made before the seventh, when nothing is recorded."""

import ctypes
import time

NODES, STEPS, SECOND = 5, 12, 6
cuda = ctypes.CDLL("libcuda.so.1")


class Kernel(ctypes.Structure):
    """As CUDA_KERNEL_NODE_PARAMS begins; what follows is not needed."""

    _fields_ = [("function", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("rest", ctypes.c_byte * 64)]


def made():
    function, drawn, graph, node = (ctypes.c_void_p() for _ in range(4))
    assert cuda.cuModuleGetFunction(ctypes.byref(function), None, b"kernel of a graph") == 0
    assert cuda.cuGraphCreate(ctypes.byref(drawn), 0) == 0
    kernel = Kernel(function.value, (1, 1, 1), (32, 1, 1))
    for _ in range(NODES):
        assert cuda.cuGraphAddKernelNode_v2(ctypes.byref(node), drawn, None, ctypes.c_size_t(0), ctypes.byref(kernel)) == 0
    assert cuda.cuGraphInstantiateWithFlags(ctypes.byref(graph), drawn, ctypes.c_ulonglong(0)) == 0
    return graph


def step(n):
    # Kinds of records are switched by another thread after a cycle.
    time.sleep(0.05)
    assert cuda.cuGraphLaunch(graph, None) == 0


assert cuda.cuInit(0) == 0
graph = made()
for n in range(STEPS):
    if n == SECOND:
        time.sleep(0.2)
        graph = made()
    step(n)
