"""The script's own profilers of the GPU: CUPTI is left to them before they begin, and the files that they write are known."""
import os

from runs import Case

PROTON = {
    "triton/__init__.py": "",
    "triton/profiler/__init__.py": "from .profile import start",
    "triton/profiler/profile.py": """
        def start(name=None, context=None, data=None, backend=None):
            print("proton")
    """,
}


class GpuProfilers(Case):
    def words(self, script, **keys):
        """What was printed, in one line; and the run."""
        done = self.run_script(script, **keys)
        self.assertEqual(done.notes(), [])
        return " ".join(done.out.split()), done

    def test_a_torch_profiler_with_cuda_finds_cupti_free(self):
        script = """
            from torch.autograd.profiler import profile
            with profile(use_device="cuda"):
                print("work")
        """
        out, done = self.words(script)
        # Once more before it starts: it may have been prepared long before.
        self.assertEqual(out, "aside prepare aside +profile work -profile")
        self.assertEqual(done.calls("stand_aside"), ["torch.profiler"] * 2)

    def test_a_torch_profiler_without_cuda_changes_nothing(self):
        script = """
            from torch.autograd.profiler import profile
            with profile() as prof:
                pass
            prof.export_chrome_trace("t.json")
        """
        out, done = self.words(script)
        self.assertEqual((out, done.calls("stand_aside")), ("prepare +profile -profile", []))
        self.assertNotIn("gpu.file", done.facts())

    def test_our_own_tracer_leaves_cupti_alone(self):
        script = """
            import torch
            for _ in range(3):
                torch.optim.SGD().step()
        """
        out, done = self.words(script, options="ops=full\n")
        self.assertIn("+profile", out)
        self.assertEqual(done.calls("stand_aside"), [])

    def test_the_file_of_a_torch_profiler_is_known_once(self):
        script = """
            import torch
            torch.profiler.profile().export_chrome_trace("t.json")
        """
        _, done = self.words(script)
        self.assertEqual(done.calls("note").count("1 gpu.file=torch.profiler: " + os.path.join(done.work, "t.json")), 1)
        self.assertEqual(sum("gpu.file" in note for note in done.calls("note")), 1)

    def test_a_file_that_was_not_written_is_none(self):
        script = """
            import torch
            try:
                torch.profiler.profile().export_chrome_trace("/nowhere/t.json")
            except OSError:
                print("as without us")
        """
        out, done = self.words(script)
        self.assertEqual(out, "as without us")
        self.assertNotIn("gpu.file", done.facts())

    def test_paddle_by_its_targets(self):
        script = """
            import paddle
            def profiled(*targets):
                prof = paddle.profiler.Profiler(targets=targets)
                prof.start()
                prof.stop()
                prof.export("%d.json" % len(targets))
            profiled("ProfilerTarget.CPU")
            profiled("ProfilerTarget.CPU", "ProfilerTarget.GPU")
        """
        out, done = self.words(script)
        self.assertEqual(out, "own started own aside started")
        self.assertEqual(done.facts()["gpu.file"], "paddle.profiler: " + os.path.join(done.work, "2.json"))

    def test_jax_and_proton(self):
        script = """
            import jax, triton.profiler
            jax.profiler.start_trace("folder")
            triton.profiler.start("name", backend="instrumentation")
            triton.profiler.start("name")
        """
        out, done = self.words(script, files=PROTON)
        self.assertEqual(out, "aside traces proton aside proton")
        self.assertEqual(done.calls("stand_aside"), ["jax.profiler", "triton.profiler"])
