"""Builds the fakes, once for each generation of CUPTI.

    python3 build.py [OUT] [--without FUNCTION]... [--selftest]

OUT (target/fake-cuda) then has

    libcuda.so.1                           the fake driver
    <generation>/libcupti.so.N             the fake CUPTI, with NVIDIA's layouts of that generation
    <generation>-without-FUNCTION/...      the same that lacks a function
    real/<generation>/libcupti.so.N        NVIDIA's own, to try without a driver
    <generation>/client.so                 a profiler of a program's own
    program, nvtx, beside                  what is captured
    selftest.so, selftest-nvtx.so          the clients that prove the fakes
    counter.so                             a client that only counts records
    kineto-<way>/lib/libtorch_cpu.so       a library with the texts of PyTorch's

and nvidia/, what was fetched. What is up to date is not built again. Exit status 77 where headers cannot be fetched:
what needs none of them is built all the same.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import headers

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]
CUPTI = ["cupti_api.c", "cupti_calls.c", "cupti_device.c", "cupti_seldom.c", "cupti_buffers.c", "cupti_ledger.c", "script.c"]


def newest(paths):
    return max(path.stat().st_mtime for path in paths)


def make(target, sources, *options):
    """Compiles, unless there is nothing new. Whoever looks at the target sees the old one or the new one, whole."""
    paths = [HERE / source for source in sources]
    if target.exists() and target.stat().st_mtime > newest([*paths, *HERE.glob("*.h"), *HERE.glob("*.py")]):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}")
    result = subprocess.run([os.environ.get("CC", "cc"), *FLAGS, *map(str, paths), "-o", str(part), *options, "-lpthread", "-ldl"])
    if result.returncode != 0:
        sys.exit(f"{target.name} cannot be built")
    part.rename(target)
    print(f"built {target}")


def declared(include):
    """The functions that a generation's headers know: no other is exported."""
    texts = [path.read_text(errors="replace") for path in include.glob("cupti_*.h")]
    return {name for text in texts for name in re.findall(r"\b(cupti\w+)\s*\(", text)}


def cupti(nvidia, folder, generation, without=None):
    """The fake of a generation, under the name and soname that NVIDIA's has."""
    (real,) = nvidia.glob("libcupti.so.*")
    names = sorted(declared(nvidia / "include") - {without})
    folder.mkdir(parents=True, exist_ok=True)
    exports = folder / "exports"
    wanted = "{ global: %s local: *; };\n" % " ".join(f"{name};" for name in names)
    if not exports.exists() or exports.read_text() != wanted:
        part = exports.with_name(f".exports.{os.getpid()}")
        part.write_text(wanted)
        part.rename(exports)
    options = [f'-DGENERATION="{generation}"', "-fPIC", "-shared", f"-Wl,-soname,{real.name}", f"-Wl,--version-script={exports}"]
    include = ["-isystem", str(nvidia / "include")]
    make(folder / real.name, CUPTI, *options, *include)
    make(folder / "client.so", ["client.c"], "-fPIC", "-shared", *include)
    return real


def build(out, without=()):
    """All of it. Raises headers.Missing once what needs no header is built."""
    make(out / "libcuda.so.1", ["libcuda.c"], "-fPIC", "-shared", "-Wl,-soname,libcuda.so.1")
    make(out / "selftest.so", ["selftest.c"], "-fPIC", "-shared")
    make(out / "selftest-nvtx.so", ["selftest_nvtx.c"], "-fPIC", "-shared")
    make(out / "counter.so", ["counter.c"], "-fPIC", "-shared")
    make(out / "program", ["program.c"])
    make(out / "nvtx", ["nvtx.c"])
    make(out / "beside", ["beside.c"])
    for way in "subscribes", "registers":
        (out / f"kineto-{way}" / "lib").mkdir(parents=True, exist_ok=True)
        make(out / f"kineto-{way}" / "lib" / "libtorch_cpu.so", ["kineto.c"], "-fPIC", "-shared", f"-D{way.upper()}")
    for name, nvidia in headers.fetch(out / "nvidia").items():
        real = cupti(nvidia, out / name, name)
        for function in without:
            cupti(nvidia, out / f"{name}-without-{function}", name, function)
        copy = out / "real" / name / real.name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(real, copy)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("out", nargs="?", default=HERE.parents[1] / "target/fake-cuda", type=pathlib.Path)
    words.add_argument("--without", action="append", default=[], metavar="FUNCTION")
    words.add_argument("--selftest", action="store_true")
    options = words.parse_args()
    out = options.out.absolute()
    try:
        build(out, [*options.without, *(["cuptiSetThreadIdType"] if options.selftest else [])])
    except headers.Missing as missing:
        print(missing, file=sys.stderr)
        sys.exit(headers.SKIPPED)
    if options.selftest:
        import selftest

        sys.exit(selftest.run(out))


if __name__ == "__main__":
    main()
