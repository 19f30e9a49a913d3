"""A client of NVTX in Python, as torch.cuda.nvtx is one: finds its tool by the environment and calls what that filled in."""

import ctypes
import os

CORE = 1
SLOTS = 16
START, END, PUSH, POP = 5, 7, 9, 11

functions = (ctypes.c_void_p * SLOTS)()
addresses = (ctypes.c_void_p * SLOTS)()
for slot in range(1, SLOTS):
    addresses[slot] = ctypes.addressof(functions) + slot * ctypes.sizeof(ctypes.c_void_p)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint32))
def table(module, out, count):
    if module != CORE:
        return 0
    out[0], count[0] = ctypes.addressof(addresses), SLOTS
    return 1


class Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("table", type(table))]


callbacks = Callbacks(ctypes.sizeof(Callbacks), table)


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)
def export(which):
    return ctypes.addressof(callbacks) if which == 1 else None


tool = ctypes.CDLL(os.environ["NVTX_INJECTION64_PATH"])
assert tool.InitializeInjectionNvtx2(export) == 1

push = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(functions[PUSH])
pop = ctypes.CFUNCTYPE(ctypes.c_int)(functions[POP])
start = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_char_p)(functions[START])
end = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(functions[END])
