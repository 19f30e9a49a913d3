"""How PyTorch's profiler, Kineto, comes to CUPTI, by a text in PyTorch's library.

Before PyTorch 2.15 it subscribes when the first profiler of any kind is prepared; where that is refused, it says so, records nothing of the
GPU for the rest of the process, and leaves CUPTI alone. Later it does not subscribe: then each profiler, also one of the host alone, takes
CUPTI's buffers.
"""
import mmap
import os
import struct

SUBSCRIBES, TAKES = "subscribes", "takes"
# What each says where it has no CUPTI: in this section, to search 17 MB of 440.
_SECTION = b".rodata"
_SAID = ((b"CUPTI initialization failed", SUBSCRIBES), (b"CUPTI unavailable; continuing with CPU-only profiling", TAKES))


def way(torch):
    """The way of the package `torch`; None for a build without CUPTI, and where it is not known."""
    try:
        path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as library:
            texts = _section(library)
            return next((kind for said, kind in _SAID if library.find(said, *texts) >= 0), None)
    except (OSError, TypeError, ValueError, struct.error):
        return None


def _section(library):
    """Where the section begins and ends, in an ELF file of 64 bits; an empty range if there is none."""
    table, = struct.unpack_from("<Q", library, 40)
    size, count, of_names = struct.unpack_from("<HHH", library, 58)
    names, = struct.unpack_from("<Q", library, table + of_names * size + 24)
    for section in range(table, table + size * count, size):
        name = names + struct.unpack_from("<I", library, section)[0]
        if library[name : name + len(_SECTION) + 1] == _SECTION + b"\0":
            start, length = struct.unpack_from("<QQ", library, section + 24)
            return start, start + length
    return 0, 0
