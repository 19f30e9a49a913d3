"""Fetches NVIDIA's CUPTI headers, and libcupti itself, of the generations that the fakes are built for and of other releases.

Knows wheels and their insides; knows nothing of compiling. Nothing of what it fetches may be committed.

    python3 headers.py FOLDER      FOLDER/<generation>/include/*.h and FOLDER/<generation>/libcupti.so.N

Fetched once: what is there is not fetched again. Exit status 77 where it cannot be fetched (offline), which a test
takes for "skipped".
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

SKIPPED = 77

# All of them want crt/host_defines.h, which has a wheel of its own only since CUDA 13. Any version will do: it defines
# attributes of compilers, no layouts.
HOST_DEFINES = "nvidia-cuda-crt==13.5.37"

# What layouts differ between: CUPTI's API 18, 22, 28, 130001 and 130500.
GENERATIONS = {
    "11.8": ["nvidia-cuda-cupti-cu11==11.8.87", "nvidia-cuda-runtime-cu11==11.8.89", HOST_DEFINES],
    "12.4": ["nvidia-cuda-cupti-cu12==12.4.127", "nvidia-cuda-runtime-cu12==12.4.127", HOST_DEFINES],
    "12.9": ["nvidia-cuda-cupti-cu12==12.9.79", "nvidia-cuda-runtime-cu12==12.9.79", HOST_DEFINES],
    "13.0": ["nvidia-cuda-cupti==13.0.85", "nvidia-cuda-runtime==13.0.96", HOST_DEFINES],
    "13.5": ["nvidia-cuda-cupti==13.5.25", "nvidia-cuda-runtime==13.5.37", HOST_DEFINES],
}


class Missing(Exception):
    """What cannot be fetched, in one line."""


def fetch(folder, wanted=GENERATIONS):
    """The folder of each generation, by its name. Raises Missing. `wanted`: the wheels by name."""
    folder = pathlib.Path(folder)
    found = {name: folder / name for name in wanted}
    with tempfile.TemporaryDirectory() as wheels:
        for name, target in found.items():
            if not (target / "include/cupti.h").exists():
                unpack([wheel(one, wheels) for one in wanted[name]], target)
    return found


def wheel(requirement, folder):
    """A wheel, fetched unless an earlier generation wanted it, too."""
    name, version = requirement.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(pathlib.Path(folder).glob(pattern)):
        result = pip("download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", folder, requirement)
        if result.returncode != 0:
            why = result.stderr.strip().splitlines() or ["pip says nothing"]
            raise Missing(f"cannot fetch {requirement}: {why[-1]}")
    return next(pathlib.Path(folder).glob(pattern))


def pip(*words):
    """What pip did. A network may be missing; pip may not: then this process fails."""
    command = [sys.executable, "-m", "pip", words[0], "--disable-pip-version-check", "--retries=1", "--timeout=15", *words[1:]]
    result = subprocess.run(command, capture_output=True, text=True)
    if "No module named pip" in result.stderr:
        sys.exit("the headers of CUDA are fetched by pip, which this Python does not have: " + sys.executable)
    return result


def unpack(wheels, target):
    """Puts headers and libcupti of these wheels there, all or nothing: somebody else may do the same just now."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = pathlib.Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
    for path in wheels:
        with zipfile.ZipFile(path) as files:
            for name in files.namelist():
                inside = name.partition("/include/")[2]
                if inside.endswith((".h", ".hpp")):
                    write(part / "include" / inside, files.read(name))
                elif "/libcupti.so." in name:
                    write(part / pathlib.PurePath(name).name, files.read(name))
    try:
        part.rename(target)
    except OSError:
        shutil.rmtree(part)
        if not (target / "include/cupti.h").exists():
            raise


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        for generation, folder in fetch(sys.argv[1]).items():
            print(f"{generation}: {folder}")
    except Missing as missing:
        print(missing, file=sys.stderr)
        sys.exit(SKIPPED)
