"""How PyTorch's profiler, Kineto, comes to CUPTI, by the functions that its library asks the dynamic loader for.

Up to August 2026 it subscribes when the first profiler of any kind is prepared; where that is refused, it records nothing of the GPU for the rest
of the process, and leaves CUPTI alone. Later it does not subscribe: then each profiler, also one of the host alone, takes CUPTI's buffers.
"""
import mmap
import os
import struct

SUBSCRIBES, TAKES = "subscribes", "takes"
_SYMBOLS = 11  # ELF's SHT_DYNSYM


def way(torch):
    """The way of the package `torch`; None for a build without CUPTI, or with a copy of its own."""
    try:
        path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as library:
            names = _names(library)
            if _has(library, names, b"cuptiSubscribe"):
                return SUBSCRIBES
            return TAKES if _has(library, names, b"cuptiActivityRegisterCallbacks") else None
    except (OSError, TypeError, ValueError, struct.error):
        return None


def _has(library, names, name):
    return library.find(b"\0%s\0" % name, *names) >= 0


def _names(library):
    """Where the names of the library's dynamic symbols begin and end, in a file of 64 bits."""
    table, = struct.unpack_from("<Q", library, 40)
    size, count = struct.unpack_from("<HH", library, 58)
    for section in range(table, table + size * count, size):
        if struct.unpack_from("<I", library, section + 4) == (_SYMBOLS,):
            of_names = table + size * struct.unpack_from("<I", library, section + 40)[0]
            start, length = struct.unpack_from("<QQ", library, of_names + 24)
            return start, start + length
    return 0, 0
