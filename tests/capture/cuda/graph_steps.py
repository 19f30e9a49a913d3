"""Ten steps. In those that the arguments number, a graph of four kernels is captured, a range about each; each step launches all graphs so
far. Prints how many kernels each step launched."""

import ctypes
import sys

from nvtx_functions import pop, push

cuda = ctypes.CDLL("libcuda.so.1")


def must(answer):
    assert answer == 0, answer


must(cuda.cuInit(0))
function, stream = ctypes.c_void_p(), ctypes.c_void_p()
must(cuda.cuModuleGetFunction(ctypes.byref(function), None, b"of_graph"))
must(cuda.cuStreamCreate(ctypes.byref(stream), 1))
graphs, numbers = [], [int(word) for word in sys.argv[1:]]


def capture():
    graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
    must(cuda.cuStreamBeginCapture_v2(stream, 0))
    for layer in range(4):
        push(b"layer %d" % layer)
        must(cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, None, None))
        pop()
    must(cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))
    must(cuda.cuGraphInstantiateWithFlags(ctypes.byref(instance), graph, ctypes.c_ulonglong(0)))
    graphs.append(instance)


def step(number):
    if number in numbers:
        capture()
    for graph in graphs:
        must(cuda.cuGraphLaunch(graph, stream))


launched = []
for number in range(10):
    step(number)
    launched.append(4 * len(graphs))
print(launched)
