"""The script's own profilers of the GPU: CUPTI is left to them before they begin, and the files that they write are known."""
import os

from runs import Case

PROTON = {
    "triton/__init__.py": "",
    "triton/profiler/__init__.py": "from .profile import finalize, start",
    "triton/profiler/profile.py": """
        def start(name=None, context=None, data=None, backend=None):
            print("proton")
            return 4

        def finalize(session=None, output_format=""):
            open("name.chrome_trace", "w").close()
    """,
}


class GpuProfilers(Case):
    def words(self, script, notes=(), **keys):
        """What was printed, in one line; and the run, which has these notes."""
        done = self.run_script(script, **keys)
        self.assertEqual(done.notes(), list(notes))
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

    def test_a_torch_profiler_that_takes_cupti_is_known_once_gpus_are_recorded(self):
        script = """
            import os
            from _proftui_shim import kineto_cupti
            kineto_cupti.way = lambda torch: kineto_cupti.TAKES
            from torch.autograd.profiler import profile
            with profile():
                print("host")
            os.environ["CUDA_INJECTION64_PATH"] = "/cache/agent.so"
            with profile():
                print("host, while GPUs are recorded")
        """
        _, done = self.words(script)
        # Before it is prepared, and before it begins.
        self.assertEqual(len(done.calls("leave_gpu")), 2)

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

    def runs(self, done):
        """What was reported of the runs of profilers."""
        return [note.partition("gpu.run=")[2] for note in done.calls("note") if "gpu.run=" in note]

    def test_a_run_is_reported_from_its_beginning_to_its_file(self):
        script = """
            from torch.autograd.profiler import profile
            for path in "t.json", None:
                with profile(use_device="cuda") as prof:
                    pass
                if path:
                    profile.export_chrome_trace(prof, path)
                del prof
            last = profile(use_device="cuda")
            last.__enter__()
        """
        _, done = self.words(script)
        reported = ["1 began torch.profiler", "1 ended", "1 written", "2 began torch.profiler", "2 ended", "2 gone"]
        self.assertEqual(self.runs(done), reported + ["3 began torch.profiler"])

    def test_a_profiler_that_goes_on_after_its_file_runs_anew(self):
        script = """
            import paddle
            prof = paddle.profiler.Profiler(targets=["ProfilerTarget.GPU"])
            prof.start()
            prof.export("1.json")
            prof.stop()
            prof.export("2.json")
            prof.timer_only = True
            prof.start()
        """
        _, done = self.words(script)
        one, other = (["%d %s" % (run, what) for what in ("began paddle.profiler", "ended", "written")] for run in (1, 2))
        self.assertEqual(self.runs(done), [one[0], one[2]] + other)
        self.assertEqual(done.calls("stand_aside"), ["paddle.profiler"])

    def test_jax_and_proton(self):
        script = """
            import jax, triton.profiler
            jax.profiler.start_trace("folder")
            triton.profiler.start("name", backend="instrumentation")
            triton.profiler.start("name", data="trace")
            triton.profiler.finalize()
        """
        note = "note 4 no step was seen: JAX reports none: --step-on module:function names the function that ends a step"
        out, done = self.words(script, [note], files=PROTON)
        self.assertEqual(out, "aside traces proton aside proton")
        self.assertEqual(done.calls("stand_aside"), ["jax.profiler", "triton.profiler"])
        reported = ["1 began jax.profiler", "2 began triton.profiler", "2 ended", "2 written"]
        self.assertEqual(self.runs(done), reported)
        self.assertEqual(done.facts()["gpu.file"], "triton.profiler: " + os.path.join(done.work, "name.chrome_trace"))

    def test_proton_loads_the_cupti_that_was_left_to_it(self):
        profile = """
            import os
            def start(name=None, context=None, data=None, backend=None):
                folder = os.environ.get("TRITON_CUPTI_LIB_PATH")
                print(folder and os.path.realpath(os.path.join(folder, "libcupti.so")))
                return 4
            def finalize():
                pass
        """
        script = """
            import os, triton.profiler
            triton.profiler.start("name", data="trace")
            print(os.environ.get("TRITON_CUPTI_LIB_PATH"))
        """
        files = dict(PROTON, **{"triton/profiler/profile.py": profile})
        for env, expected in [
            ({"STANDIN_CUPTI": "/there/libcupti.so.13"}, "aside /there/libcupti.so.13 None"),
            ({}, "aside None None"),
            ({"STANDIN_CUPTI": "libcupti.so.13"}, "aside None None"),
            ({"STANDIN_CUPTI": "/there/libcupti.so.13", "TRITON_CUPTI_LIB_PATH": "/own"}, "aside /own/libcupti.so /own"),
        ]:
            self.assertEqual(self.words(script, files=files, env=env)[0], expected)

    def test_proton_without_times_is_reported(self):
        done = self.run_script("import triton.profiler\ntriton.profiler.start('name')\ntriton.profiler.finalize(4)", files=PROTON)
        self.assertEqual(len([note for note in done.notes() if "no times" in note]), 1)
        self.assertEqual((self.runs(done), "gpu.file" in done.facts()), ([], False))
