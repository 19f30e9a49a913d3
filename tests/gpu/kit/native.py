"""The programs that are compiled here: with nvcc where it is, with a C compiler, or not at all. Each is the words of a command."""

import glob
import os
import shutil
import subprocess

from .setting import PROGRAMS

WHERE = "import nvidia; print('\\n'.join(nvidia.__path__))"
COMPILER = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
FAKE_DRIVER = [os.path.join(PROGRAMS, "..", "..", "fake-cuda", "libcuda.c"), os.path.join(PROGRAMS, "stand_in.c")]


def _built(setting, name, command):
    path = os.path.join(setting.folder("programs"), name)
    done = subprocess.run([*command, "-o", path], capture_output=True, text=True, timeout=120)
    return (path, None) if done.returncode == 0 else (None, "it cannot be built: " + done.stderr.strip()[-200:])


def driver_program(setting):
    """The program by the driver's API alone, or none and why."""
    if not COMPILER:
        return None, "no C compiler"
    command = [COMPILER, "-std=c11", "-O1", os.path.join(PROGRAMS, "native.c"), "-ldl"]
    path, why = setting.once("native", lambda: _built(setting, "native", command))
    if not path or not setting.fakes:
        return path and [path], why
    words, why = setting.once("fakes", lambda: _faked(setting))
    return words and [*words, path, "--unchecked"], why


def _faked(setting):
    """What runs a program on a fake driver, with the newest of the fake CUPTIs in it from the start."""
    command = [COMPILER, "-std=c11", "-O1", "-fPIC", "-shared", *FAKE_DRIVER, "-ldl", "-lpthread"]
    driver, why = _built(setting, "libcuda.so.1", command)
    cupti = sorted(glob.glob(os.path.join(setting.fakes, "[0-9]*[0-9]", "libcupti.so.*")), key=os.path.getsize)
    if not driver or not cupti:
        return None, why or "no fake CUPTI is in " + setting.fakes
    return ["env", "LD_LIBRARY_PATH=" + os.path.dirname(driver), "LD_PRELOAD=" + cupti[-1]], None


def libraries(setting):
    """CUPTI's libraries that are here: the fakes' newest, or those of Python's packages and of toolkits."""
    if setting.fakes:
        return sorted(glob.glob(os.path.join(setting.fakes, "[0-9]*[0-9]", "libcupti.so.*")), key=os.path.getsize)[-1:]
    ran = setting.run("where", [setting.python, "-c", WHERE])
    found = [path for folder in ran.out.split() for path in glob.glob(os.path.join(folder, "*", "lib", "libcupti.so.1[0-9]*"))]
    return found + glob.glob("/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1[0-9]")


def probe(setting):
    """The recorder that only asks, or none and why."""
    if not COMPILER:
        return None, "no C compiler"
    command = [COMPILER, "-std=c11", "-O1", "-fPIC", "-shared", os.path.join(PROGRAMS, "probe.c"), "-ldl", "-lpthread"]
    return setting.once("probe", lambda: _built(setting, "probe.so", command))


def runtime_program(setting):
    """The program by the runtime's API, or none and why."""
    nvcc = shutil.which("nvcc") or next(filter(os.path.exists, ["/usr/local/cuda/bin/nvcc"]), None)
    if not nvcc:
        return None, "no nvcc"
    command = [nvcc, "-O1", os.path.join(PROGRAMS, "plain.cu")]
    path, why = setting.once("plain", lambda: _built(setting, "plain", command))
    return path and [path], why
