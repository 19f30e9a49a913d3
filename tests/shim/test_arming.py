"""How the shim gets into a process, and how quiet it is there."""
import contextlib
import os
import tempfile

from runs import STANDIN, STUBS, Case, Run

SHOW = """
import os, sys
print(sys.argv[1:], [entry for entry in sys.path if entry != "/none"], hasattr(sys, "users_own_ran"))
print("sitecustomize" in sys.modules and sys.modules["sitecustomize"].__file__)
print(os.environ["PYTHONPATH"].split(os.pathsep)[1:])
"""


@contextlib.contextmanager
def folder_with(name, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
        yield folder


class Arming(Case):
    def test_the_script_sees_what_it_would_see_without(self):
        with_shim = self.run_script(SHOW, args=["a", "b"])
        without = Run(SHOW, args=["a", "b"], env={"PYTHONPATH": os.pathsep.join(("/none", STANDIN, STUBS))})
        self.assertEqual(with_shim.out.replace(with_shim.work, ""), without.out.replace(without.work, ""))
        self.assertIn("True", with_shim.out)

    def test_without_a_run_nothing_is_done(self):
        done = Run("import sys; print('_proftui_shim' in sys.modules)", env={"PROFTUI_RUN": None})
        self.assertEqual((done.out, done.err), ("False\n", ""))

    def test_without_an_agent_there_is_one_line_and_the_script_runs(self):
        done = Run("print(1); raise SystemExit(7)", path=())
        self.assertEqual((done.status, done.out, len(done.err.splitlines())), (7, "1\n", 1))
        self.assertTrue(done.err.startswith("proftui: this process is not captured: "), done.err)

    def test_another_implementation_of_python_is_named(self):
        own = "import sys\nsys.implementation.name = 'pypy'"
        with folder_with("sitecustomize.py", own) as folder:
            done = Run("print(1)", path=(folder, STANDIN, STUBS))
        said = "proftui: phases and steps are not captured: the recorder is made for CPython, and this is PyPy\n"
        self.assertEqual((done.status, done.out, done.err, done.processes), (0, "1\n", said, []))

    def test_errors_of_the_users_own_file_are_shown_as_without(self):
        script = "import sys; print('_proftui_shim' in sys.modules)"
        with folder_with("sitecustomize.py", "import _proftui\nraise ValueError('mine')") as own:
            done = Run(script, path=(own, STANDIN))
            bare = Run(script, env={"PYTHONPATH": os.pathsep.join((own, STANDIN))})
        self.assertEqual((done.out, bare.out), ("True\n", "False\n"))
        self.assertEqual(done.err, bare.err)

    def test_the_process_is_opened_and_closed(self):
        done = self.run_script("import atexit; atexit.register(print, 'bye')")
        calls = [(call, *rest) for _, call, *rest in done.processes[0]]
        self.assertEqual((calls[0], calls[-1]), (("open", "0 "), ("close",)))

    def test_folders_of_packages_that_record_devices_are_passed_on(self):
        with tempfile.TemporaryDirectory() as packages:
            for part, name in (("cuda_cupti", "libcupti.so.12"), ("cu13", "libcupti.so.13"), ("cublas", "libcublas.so.12")):
                os.makedirs(os.path.join(packages, "nvidia", part, "lib"))
                with open(os.path.join(packages, "nvidia", part, "lib", name), "w"):
                    pass
            env = {"CUDA_INJECTION64_PATH": "/agent.so"}
            done = Run("", path=(packages, STANDIN, STUBS), env=env)
            quiet = Run("", path=(packages, STANDIN, STUBS))
        folder_lists = [line[2].strip() for line in done.processes[0] if line[1] == "libraries"]
        folders = [os.path.join(packages, "nvidia", part, "lib") for part in ("cu13", "cuda_cupti")]
        self.assertEqual(folder_lists[0].split(os.pathsep)[:2], folders)
        self.assertNotIn("libraries", [call for _, call, *_ in quiet.processes[0]])

    def test_facts_have_the_command_line_only_as_the_agent_shows_it(self):
        done = self.run_script("", args=["--lr", "1"], env={"RANK": "3", "MY_SECRET": "q7-hunter2", "WORLD_SIZE": "4"})
        facts = done.facts()
        self.assertRegex(facts["argv"], "^shown: .*train.py --lr 1$")
        self.assertRegex(facts["script"], "^shown: .*train.py$")
        self.assertEqual((facts["RANK"], facts["WORLD_SIZE"]), ("3", "4"))
        self.assertEqual(os.path.basename(facts["script"]), "train.py")
        self.assertNotIn("q7-hunter2", str(done.processes))

    def test_ranks_of_job_launchers_are_facts(self):
        for name in ("PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
            self.assertEqual(self.run_script("", env={name: "3"}).facts()[name], "3")

    def test_variables_of_jobs_are_facts_only_where_they_are_plausible(self):
        names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PMI_RANK", "SLURM_PROCID")
        said = "note 2 the environment variable %s is ignored: its value is not a number of at most 9 digits"
        for bad in (("../../x", "3; rm -rf /", "\x1b[31m7", "9" * 100000, "1e3", "٣", "+3", "-3"), ("0x3", "1 2", "3\n4", "1_0", "²", "1" * 10, "--", ".")):
            done = self.run_script("", env=dict(zip(names, bad)))
            self.assertFalse(set(names) & set(done.facts()), done.facts())
            self.assertEqual(done.notes(), [said % name for name in names])
        done = self.run_script("", env=dict(zip(names, (" 3 ", "007", "999999999", "-1", ""))))
        facts = [done.facts().get(name) for name in names]
        self.assertEqual((facts, done.notes()), (["3", "007", "999999999"] + [None] * 5, []))

    def test_visible_devices_are_a_fact_only_where_they_are_plausible(self):
        for value, fact in (("GPU-8f2c,MIG-GPU-1f/1/0", "GPU-8f2c,MIG-GPU-1f/1/0"), ("-1", "-1"), ("0\n1;", None), ("1" * 5000, None)):
            done = self.run_script("", env={"CUDA_VISIBLE_DEVICES": value})
            self.assertEqual(done.facts().get("CUDA_VISIBLE_DEVICES"), fact)
            said = "note 2 the environment variable CUDA_VISIBLE_DEVICES is ignored: its value is not a list of devices"
            self.assertEqual(done.notes(), [] if fact else [said])

    def test_a_framework_that_was_imported_before_is_hooked(self):
        with folder_with("sitecustomize.py", "import _proftui, torch") as own:
            done = self.run_script("import torch; torch.SGD().step()", path=(own, STANDIN, STUBS))
        self.assertEqual(done.recorded(), ["11 SGD.step", "end", "step 0"])

    def test_looking_for_a_framework_does_not_use_up_its_hooks(self):
        script = """
            import importlib.util
            assert importlib.util.find_spec("torch") and not importlib.util.find_spec("jaxx")
            import torch
            torch.SGD().step()
        """
        done = self.run_script(script)
        self.assertEqual(done.steps(), [0])
        self.assertEqual(done.facts()["torch"], "0.1+stub")

    def test_a_framework_states_the_cuda_that_it_was_built_for(self):
        self.assertEqual(self.run_script("import torch").facts().get("cuda"), "13.0")
        for framework in ("paddle", "jax"):
            self.assertNotIn("cuda", self.run_script("import " + framework).facts())

    def test_an_import_that_fails_may_be_tried_again(self):
        script = """
            try:
                import torch
            except OSError:
                import torch
            torch.SGD().step()
        """
        with open(os.path.join(STUBS, "torch.py")) as file:
            stub = file.read()
        trap = "import os\nif not os.path.exists('tried'):\n    os.mkdir('tried')\n    raise OSError('not yet')\n"
        done = self.run_script(script, path=(STANDIN,), files={"torch.py": trap + stub})
        self.assertEqual(done.steps(), [0])

    def test_what_the_agent_raises_is_never_seen_by_the_script(self):
        script = """
            import torch
            for batch in torch.utils.data.DataLoader(torch.Tensor(8, 4), torch.Tensor(8, 4)):
                torch.nn.Module()(batch).backward()
                torch.SGD().step()
            print("done")
        """
        for call in ("name", "step", "thread", "note", "name,step,thread,note"):
            done = Run(script, env={"STANDIN_FAILS": call})
            self.assertEqual((done.status, done.out, done.err), (0, "done\n", ""), call)
        self.assertEqual(Run("", env={"STANDIN_FAILS": "open"}).err.count("\n"), 1)

    def test_a_python_without_a_global_lock_is_left_alone(self):
        with folder_with("sitecustomize.py", "import _proftui, sys\nsys.abiflags = 't'") as own:
            done = Run("print(1)", path=(own, STANDIN))
        self.assertEqual((done.out, done.err.count("\n"), done.processes), ("1\n", 1, []))

    def test_the_end_of_another_interpreter_is_not_the_end(self):
        script = """
            try:
                import _interpreters as interpreters
            except ImportError:
                import _xxsubinterpreters as interpreters
            import torch
            other = interpreters.create()
            interpreters.run_string(other, "import sys")
            interpreters.destroy(other)
            torch.SGD().step()
        """
        done = self.run_script(script)
        calls = [call for _, call, *_ in done.processes[0]]
        self.assertEqual((calls.count("open"), calls.count("close"), done.steps()), (1, 1, [0]))
