"""The programs: all of Python's parse, those in C and PTX compile, and the one by the driver's API does what it says on a driver that is
not there and on one that computes nothing."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import skip  # noqa: E402

PROGRAMS, FAKES = os.path.join(HERE, "programs"), os.path.join(HERE, "..", "fake-cuda")
CC = shutil.which(os.environ.get("CC", "cc"))
FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]


class Python(unittest.TestCase):
    def test_all_of_it_parses(self):
        files = glob.glob(os.path.join(HERE, "**", "*.py"), recursive=True)
        self.assertGreater(len(files), 20)
        for path in files:
            with open(path) as file:
                compile(file.read(), path, "exec")


class Native(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not CC:
            skip.lacks_tool("programs of the GPU check", "no C compiler", "install a C compiler, or name it in CC")
            raise unittest.SkipTest("no C compiler")
        cls.folder = tempfile.mkdtemp()
        cls.program = os.path.join(cls.folder, "native")
        subprocess.run([CC, *FLAGS, os.path.join(PROGRAMS, "native.c"), "-o", cls.program, "-ldl"], check=True)
        driver = [os.path.join(FAKES, "libcuda.c"), os.path.join(PROGRAMS, "stand_in.c")]
        library = ["-fPIC", "-shared", "-o", os.path.join(cls.folder, "libcuda.so.1"), "-ldl", "-lpthread"]
        subprocess.run([CC, *FLAGS, *driver, *library], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def ran(self, *words, **env):
        env = {**os.environ, "LD_LIBRARY_PATH": self.folder, **env}
        return subprocess.run([self.program, *words], env=env, capture_output=True, text=True)

    def test_what_it_says_it_did(self):
        done = self.ran(*"--kernels 3 --small 2 --graphs 4 --nodes 5 --pageable 2 --pinned 3 --device 1".split(),
                        *"--sets 2 --pools 2 --managed 2 --rounds 2 --unchecked".split())
        reported = json.loads(done.stdout)
        reported.pop("pid")
        self.assertEqual(reported, {"kernels": 54, "graphs": 8, "copies": 13, "pinned": 6, "sets": 5, "pools": 4})

    def test_what_was_not_computed_is_seen(self):
        self.assertEqual(self.ran("--kernels", "3").returncode, 3)

    def test_without_a_device(self):
        self.assertEqual(self.ran(FAKE_CUDA_NO_DEVICE="1").returncode, 77)

    def test_without_sense(self):
        self.assertEqual(self.ran("--kernels", "3", "more").returncode, 2)

    def test_its_kernel_compiles(self):
        ptxas = assembler()
        if not ptxas:
            skip.excused("the kernel of the GPU check", "no network to fetch ptxas", "a network, or an installed CUDA toolkit")
            self.skipTest("no ptxas")
        with open(os.path.join(PROGRAMS, "native.c")) as file:
            code = re.search(r"\*const code =\n(.*?);\n\n", file.read(), re.S).group(1)
        text = "".join(json.loads('"%s"' % part) for part in re.findall(r'"((?:[^"\\]|\\.)*)"', code)) % 75
        path = os.path.join(self.folder, "code.ptx")
        with open(path, "w") as file:
            file.write(text)
        subprocess.run([ptxas, "-arch=sm_90", path, "-o", path + ".out"], check=True)


def assembler():
    """NVIDIA's assembler: that of the toolkit, of Triton's package, or of NVIDIA's package, fetched once. None without a network."""
    python = os.environ.get("TORCH_PYTHON", sys.executable)
    ask = "import importlib.util as u; s = u.find_spec('triton'); print(s.submodule_search_locations[0] if s else '')"
    folder = subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.strip()
    inside = os.path.join(folder, "backends", "nvidia", "bin", "ptxas")
    return shutil.which("ptxas") or (inside if folder and os.path.exists(inside) else fetched())


def fetched():
    """The assembler of NVIDIA's package, kept in the target folder; None if the package cannot be downloaded."""
    kept = os.path.join(os.environ.get("CARGO_TARGET_DIR") or os.path.join(skip.ROOT, "target"), "ptxas")
    if not os.path.exists(kept):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--retries=1", "--timeout=15"]
            if subprocess.run(command + ["--dest", folder, "nvidia-cuda-nvcc-cu12==12.4.131"]).returncode != 0:
                return None
            (wheel,) = os.listdir(folder)
            with zipfile.ZipFile(os.path.join(folder, wheel)) as files, open(kept + ".part", "wb") as file:
                file.write(files.read("nvidia/cuda_nvcc/bin/ptxas"))
        os.chmod(kept + ".part", 0o755)
        os.rename(kept + ".part", kept)
    return kept
