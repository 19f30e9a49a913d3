"""The public enumerations, with the values of their originals in Paddle and PyTorch."""
import os
from enum import Enum, IntEnum


class ProfilerTarget(Enum):
    """What to profile: `CPU` for the host; any other member for all GPUs."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class ProfilerActivity(Enum):
    """What to profile, with PyTorch's names: `CPU` for the host; any other member for all GPUs."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class DeviceType(IntEnum):
    """A kind of device, with PyTorch's names."""

    # That of whole numbers differs from version to version of Python.
    __str__ = Enum.__str__

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20


def supported_activities():
    """What can be recorded on this machine: the host, and with a driver of NVIDIA GPUs."""
    has_driver = os.path.exists("/proc/driver/nvidia/version") or os.path.exists("/dev/dxg")
    return {ProfilerActivity.CPU, ProfilerActivity.CUDA} if has_driver else {ProfilerActivity.CPU}


class SortedKeys(Enum):
    """The keys by which the tables of `Profiler.summary` are sorted."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(Enum):
    """The tables of `Profiler.summary`."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


# Names of the tables for `proftui summary --view`, by Paddle's names.
VIEWS = {
    "DeviceView": "device",
    "OverView": "overview",
    "ModelView": "model",
    "DistributedView": "distributed",
    "KernelView": "kernel",
    "OperatorView": "operator",
    "MemoryView": "memory",
    "MemoryManipulationView": "memcpy",
    "UDFView": "userdefined",
}


class TracerEventType(IntEnum):
    """The type of an event."""

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    DygraphKernelLaunch = 15
    StaticKernelLaunch = 16


class TracerMemEventType(IntEnum):
    """The type of a memory event."""

    Allocate = 0
    Free = 1
    ReservedAllocate = 2
    ReservedFree = 3
