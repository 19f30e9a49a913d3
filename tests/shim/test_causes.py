"""What may leave a device idle: garbage collections, slow imports, checkpoints and compilations, each as a range of its own kind."""
import os
import tempfile

from runs import STANDIN, Case

SLOW = "import time\ntime.sleep(0.012)\n"

TORCH = {
    "torch/__init__.py": "__version__ = '0'\nfrom .serialization import save\n",
    "torch/serialization.py": "def save(obj, f):\n    if obj == 'bad': raise ValueError(obj)\n    return obj\n",
    "torch/distributed/__init__.py": "",
    "torch/distributed/checkpoint/__init__.py": "from .state_dict_saver import async_save, save\n",
    "torch/distributed/checkpoint/state_dict_saver.py": """
        import torch
        def save(state): return torch.save(state, None)
        def async_save(state): return save(state)
    """,
    "torch/_dynamo/__init__.py": "",
    "torch/_dynamo/convert_frame.py": """
        from torch._inductor import compile_fx
        def convert(code): return _compile(code, {})
        def _compile(code, globals): return compile_fx.compile_fx_inner(code)
    """,
    "torch/_inductor/__init__.py": "",
    "torch/_inductor/compile_fx.py": """
        import triton
        def compile_fx_inner(graph): return fx_codegen_and_compile(graph)
        def fx_codegen_and_compile(graph): return triton.compile(triton.Source("fused"))
    """,
}

TRITON = {
    "triton/__init__.py": "from .compiler import compile\nclass Source:\n    def __init__(self, name): self.name = name\n",
    "triton/compiler/__init__.py": "from .compiler import compile\n",
    "triton/compiler/compiler.py": "def compile(src, target=None): return 'binary of ' + str(getattr(src, 'name', src))\n",
    "triton/runtime/__init__.py": "",
    "triton/runtime/autotuner.py": """
        class Autotuner:
            def __init__(self, fn): self.fn = fn
            def run(self): return self._bench(1, config=2)
            def _bench(self, *args, config, **meta): return config
    """,
}


class Imports(Case):
    def imports(self, done):
        # Those of Python's own modules may be slow, too.
        ours = ["203 import %s 1" % name for name in ("slow", "fast", "outer", "again", "broken", "missing")]
        return [name for name in done.calls("record") if name in ours or "_proftui" in name]

    def test_slow_imports_are_ranges_and_others_are_not(self):
        files = {"slow.py": SLOW, "fast.py": "", "outer.py": "import slow, fast\n", "again.py": SLOW}
        script = """
import importlib
import outer, slow, fast
importlib.import_module("again")
try:
    import missing
except ImportError as error:
    print(error.name)
print(outer.slow is slow, slow.__name__)
"""
        done = self.run_script(script, files=files)
        self.assertEqual(self.imports(done), ["203 import slow 1", "203 import outer 1", "203 import again 1"])
        self.assertEqual(done.out, "missing\nTrue slow\n")

    def test_while_nothing_is_recorded_imports_are_none(self):
        for keys in ({"env": {"STANDIN_STATES": "0"}}, {"options": "timer_only=1"}):
            with self.subTest(keys=keys):
                self.assertEqual(self.imports(self.run_script("import slow", files={"slow.py": SLOW}, **keys)), [])

    def test_an_import_that_fails_is_as_without_the_hook(self):
        script = """
import traceback
try:
    import broken
except ValueError:
    print(traceback.format_exc().count("File"))
"""
        done = self.run_script(script, files={"broken.py": SLOW + "raise ValueError"})
        self.assertEqual(self.imports(done), ["203 import broken 1"])


class Collections(Case):
    def test_a_program_sees_only_its_own_callbacks(self):
        script = """
import gc
print(gc.callbacks, type(gc.callbacks) is list)
seen = []
def first(phase, info): seen.append("first " + phase)
def second(phase, info): seen.append("second " + phase)
gc.disable()
gc.callbacks.append(first)
gc.callbacks.insert(0, second)
print([call.__name__ for call in gc.callbacks])
gc.collect(1)
gc.callbacks.remove(second)
gc.collect(2)
gc.callbacks.clear()
gc.collect()
print(seen)
"""
        done = self.run_script(script, env={"STANDIN_GC": "1"})
        said = ["second start", "first start", "second stop", "first stop", "first start", "first stop"]
        self.assertEqual(done.out.splitlines(), ["[] True", "['second', 'first']", str(said)])
        self.assertEqual(done.calls("collection")[-3:], ["1", "2", "2"])

    def test_callbacks_from_before_stay(self):
        site = "import gc\ndef mine(phase, info): gc.calls = getattr(gc, 'calls', 0) + 1\ngc.callbacks.append(mine)\n"
        script = """
import gc
gc.disable()
gc.calls = 0
gc.collect()
print(gc.callbacks == [gc.callbacks[0]], gc.callbacks[0].__name__, gc.calls)
"""
        done = self.with_site(site, script)
        self.assertEqual(done.out, "True mine 2\n")
        self.assertTrue(done.calls("collection"))

    def test_a_list_that_the_program_keeps_is_left_alone(self):
        site = "import gc\nfrom gc import callbacks\ngc.kept = callbacks\n"
        script = """
import gc
gc.disable()
seen = []
gc.kept.append(lambda phase, info: seen.append(phase))
gc.collect()
print(gc.kept is gc.callbacks, len(gc.callbacks), seen)
"""
        done = self.with_site(site, script)
        self.assertEqual(done.out, "True 1 ['start', 'stop']\n")
        self.assertEqual(done.calls("collection"), [])

    def with_site(self, site, script):
        """Runs a script whose own `sitecustomize` runs before the hooks are installed."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
                file.write("import _proftui\n" + site)
            return self.run_script(script, path=(folder, STANDIN), env={"STANDIN_GC": "1"})

    def test_with_a_timer_alone_collections_are_none(self):
        done = self.run_script("import gc\ngc.collect()", options="timer_only=1", env={"STANDIN_GC": "1"})
        self.assertEqual(done.calls("collection"), [])


class RareCalls(Case):
    def rare(self, script, files, **keys):
        """The ranges of compiling and of checkpoints."""
        done = self.run_script(script, files=files, **keys)
        return done, [call for call in done.recorded() if call[:4] in ("201 ", "202 ")]

    def test_checkpoints_by_every_name(self):
        script = """
import torch
from torch import save
import torch.distributed.checkpoint as dcp
print(torch.save("a", 1), save("b", f=2), torch.serialization.save is torch.save is save)
print(dcp.save("c"), dcp.async_save("d"))
try:
    torch.save("bad", 1)
except ValueError as error:
    print(error)
"""
        done, found = self.rare(script, TORCH)
        self.assertEqual(done.out, "a b True\nc d\nbad\n")
        # A checkpoint within another one is part of it.
        checkpoint = "202 torch.distributed.checkpoint."
        self.assertEqual(found, ["202 torch.save"] * 2 + [checkpoint + "save", checkpoint + "async_save", "202 torch.save"])
        self.assertEqual(done.notes(), [])

    def test_checkpoints_of_other_packages(self):
        files = {
            "safetensors/__init__.py": "",
            "safetensors/torch.py": "def save_file(tensors, filename): return filename\n",
            "safetensors/numpy.py": "def save_file(tensors, filename): return filename\n",
            "paddle/__init__.py": "__version__ = '0'\nfrom .framework import save\n",
            "paddle/framework/__init__.py": "from .io import save\n",
            "paddle/framework/io.py": "def save(obj, path): return path\n",
        }
        script = """
from safetensors.torch import save_file
from safetensors.numpy import save_file as other
import paddle
print(save_file({}, "x"), other({}, "y"), paddle.save({}, "z"))
"""
        done, found = self.rare(script, files)
        self.assertEqual(done.out, "x y z\n")
        self.assertEqual(found, ["202 safetensors.torch.save_file", "202 safetensors.numpy.save_file", "202 paddle.save"])

    def test_compilations_within_each_other(self):
        script = """
import torch
from torch._dynamo.convert_frame import convert
def step(): pass
print(convert(step.__code__))
"""
        done, found = self.rare(script, dict(TORCH, **TRITON))
        self.assertEqual(done.out, "binary of fused\n")
        self.assertEqual(found, ["201 compile: step", "201 compile: Inductor", "201 compile: fused"])

    def test_the_compilation_of_a_frame_begins_the_first_step(self):
        script = """
import torch
from torch._dynamo.convert_frame import convert
def step(): pass
print(convert(step.__code__))
"""
        done, _ = self.rare(script, dict(TORCH, **TRITON))
        calls = [call for _, call, *_ in done.processes[0]]
        self.assertLess(calls.index("begin_step"), calls.index("begin"))
        self.assertEqual(calls.count("begin_step"), 1)

    def test_tuning_and_unknown_arguments(self):
        script = """
import triton
from triton.runtime.autotuner import Autotuner
def kernel(): pass
print(Autotuner(kernel).run(), triton.compile(kernel)[:9], triton.compile(src=7))
"""
        done, found = self.rare(script, TRITON)
        self.assertEqual(done.out, "2 binary of binary of 7\n")
        self.assertEqual(found, ["201 compile: autotune kernel", "201 compile: kernel", "201 compile: (unknown)"])

    def test_with_a_timer_alone_they_are_none(self):
        done, found = self.rare("import torch\nprint(torch.save(1, 2))", TORCH, options="timer_only=1")
        self.assertEqual((done.out, found), ("1\n", []))
