"""Steps that end with a function that the person named, and with JAX's annotations."""
import sys

from runs import MISSING, UNRETURNED, Case, Run

PLAIN = """
def train_step(x):
    return x + 1

def main():
    total = 0
    for _ in range(5):
        total = train_step(total)
    print(total)

if __name__ == "__main__":
    main()
"""


class Functions(Case):
    def ended(self, script, rule, count, out=None, note=None, **keys):
        """Runs `script`; `note`: the note that says why there was no step."""
        done = self.run_script(script, options="step_on=" + rule, **keys)
        self.assertEqual((len(done.steps()), done.notes()), (count, ["note 4 " + note] if note else []), rule)
        if out is not None:
            self.assertEqual(done.out, out)
        return done

    def test_a_function_of_the_script(self):
        for rule in ("train:train_step", "__main__:train_step"):
            done = self.ended(PLAIN, rule, 5, "5\n")
            self.assertEqual(done.facts()["step_on"], "function: " + rule)

    def test_a_loop_right_below_the_function(self):
        self.ended("def step(): pass\nfor _ in range(3): step()", "train:step", 3)

    def test_a_method_of_the_script(self):
        script = """
class Trainer:
    def step(self): return self
    @staticmethod
    def still(): pass
    @classmethod
    def all(cls): return cls
for _ in range(4):
    assert isinstance(Trainer().step(), Trainer)
    Trainer.still()
    assert Trainer.all() is Trainer
"""
        for name in ("step", "still", "all"):
            self.ended(script, "train:Trainer." + name, 4)

    def test_a_function_of_a_module(self):
        files = {"mine.py": "def step(): pass"}
        self.ended("import mine\nfor _ in range(3): mine.step()", "mine:step", 3, files=files)
        self.ended("from mine import step\nfor _ in range(3): step()", "mine:step", 3, files=files)

    def test_calls_that_overlap_are_steps_of_their_own(self):
        script = """
import asyncio
async def answer(number, fails=False):
    if number > 2: await answer(0)
    await asyncio.sleep(0.01)
    if fails: raise KeyError(number)
    return number
async def main():
    print(sum(await asyncio.gather(*(answer(number) for number in range(6)))))
    print(await asyncio.gather(answer(1, True), return_exceptions=True))
asyncio.run(main())
"""
        done = self.ended(script, "train:answer", 6, "15\n[KeyError(1)]\n")
        calls = [call for _, call, *_ in done.processes[0] if call in ("begin_step", "begin_call", "step")]
        self.assertEqual(calls, ["begin_step"] + ["begin_call", "step"] * 6)
        script = """
import threading
meet = threading.Barrier(2)
def answer(is_alone):
    if not is_alone: meet.wait(), meet.wait()
answer(True)
threads = [threading.Thread(target=answer, args=(False,)) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
answer(True)
"""
        done = self.ended(script, "train:answer", 4)
        calls = [call for _, call, *_ in done.processes[0] if call in ("begin_step", "begin_call", "step")]
        self.assertEqual(calls, ["begin_step", "step"] + ["begin_call", "step"] * 3)

    def test_a_call_that_began_before_the_cycle_is_no_step_of_it(self):
        script = """
import asyncio
async def answer(*events):
    for event in events: await event.wait()
async def main():
    first, second = asyncio.Event(), asyncio.Event()
    early = asyncio.ensure_future(answer(first))
    await asyncio.sleep(0)
    await answer()
    late = asyncio.ensure_future(answer(second))
    await asyncio.sleep(0)
    first.set(), await early
    second.set(), await late
    await answer()
asyncio.run(main())
"""
        done = self.ended(script, "train:answer", 3, env={"STANDIN_STATES": "0,2,3,0"})
        calls = [words[2] for words in done.processes[0] if words[1] == "begin_call"]
        self.assertEqual(calls, ["0", "1", "1"], "the cycles of those that count")

    def test_what_a_compiler_made_counts_each_call_and_looks_the_same(self):
        script = """
import jax
@jax.jit
def step(): pass
assert step.lower() == "lowered" and isinstance(step, jax.jit)
for _ in range(3): step()
"""
        self.ended(script, "train:step", 3)

    def test_a_name_that_is_bound_anew_counts_once_a_call(self):
        script = """
import jax, sys
def step(): pass
step = jax.jit(step)
for _ in range(3): step()
"""
        self.ended(script, "train:step", 3)
        script = """
import functools
made = {}
def jit(function):
    @functools.wraps(function)
    def call():
        made.setdefault("first", function)
    return call
def step(): pass
step = jit(step)
def main():
    for _ in range(3): step()
main()
"""
        self.ended(script, "train:step", 3)

    def test_a_function_that_calls_itself_is_one(self):
        self.ended("def step(n):\n    if n: step(n - 1)\nstep(3)\nstep(2)", "train:step", 2)

    def test_a_coroutine_ends_when_it_returns(self):
        script = """
import asyncio
async def step(x):
    await asyncio.sleep(0)
    return x
async def main():
    print(await step(1) + await step(2))
asyncio.run(main())
"""
        self.ended(script, "train:step", 2, "3\n")

    def test_what_raises_ends_no_step(self):
        script = """
def step(): raise KeyError
for _ in range(3):
    try: step()
    except KeyError: print('as it was')
"""
        self.ended(script, "train:step", 0, "as it was\n" * 3, UNRETURNED % "train:step")

    def test_the_name_of_another_script_is_not_this_one(self):
        self.ended(PLAIN, "other:train_step", 0, "5\n", MISSING % ("train_step", "other"))
        self.ended(PLAIN, "train:train_stp", 0, "5\n", MISSING % ("train_stp", "train"))

    def test_what_a_module_lacks_is_noted(self):
        self.ended("import mine", "mine:none", 0, note=MISSING % ("none", "mine"), files={"mine.py": ""})
        files = {"mine.py": "def step(): pass"}
        self.ended("import mine", "mine:step", 0, note=UNRETURNED % "mine:step", files=files)

    def test_tracing_is_left_as_it_was(self):
        script = PLAIN + "    import sys\n    print(sys.gettrace(), sys.getprofile())"
        self.ended(script, "train:train_step", 5, "5\nNone None\n")

    def test_lines_are_traced_as_without(self):
        script = """
import sys
def step(): pass
for _ in range(2):
    step()

print(sys._getframe().f_lineno)
"""
        self.ended(script, "train:step", 2, "7\n")

    def test_it_is_looked_for_only_where_the_script_binds_it(self):
        script = """
import sys, threading
def looks():
    monitoring = getattr(sys, "monitoring", None)
    tools = [monitoring.get_tool(tool) for tool in (3, 4)] if monitoring else []
    return sys.gettrace() is not None or sys._getframe(1).f_trace is not None or "proftui" in tools
def call(function):
    try: function()
    except KeyError: print("as it was")
before = looks()
%s
print(before, looks(), looks())
"""
        define = "def step(): pass\nbefore = looks()\nstep = step\n"
        never = UNRETURNED % "train:step"
        for tail, note, out in (
            # Bound for the last time; mistyped; in use, though it may be bound again.
            (define, never, "True False False\n"),
            ("pass", MISSING % ("step", "train"), "False False False\n"),
            (define + "step()\nprint(looks())\nif not before: step = None", None, "False\nTrue False False\n"),
            (
                define + "def step(): raise KeyError\ncall(step)\nprint(looks())\nif not before: step = None",
                never,
                "as it was\nFalse\nTrue False False\n",
            ),
            # On another thread.
            (
                define
                + "other = threading.Thread(target=step)\nother.start(), other.join(), looks()\nprint(looks())\n"
                + "if not before: step = None",
                None,
                "False\nTrue False False\n",
            ),
        ):
            self.ended(script % tail, "train:step", int(note is None), out, note)

    def test_a_name_that_a_star_brings(self):
        files = {"mine.py": "def step(): pass"}
        self.ended("from mine import *\nfor _ in range(3): step()", "train:step", 3, files=files)

    def test_a_script_that_another_program_runs(self):
        script = "def step(): pass\nfor _ in range(3): step()"
        for launcher in (["-m", "cProfile", "-o", "stats"], ["-m", "trace", "--count", "-C", "counts"], ["-m", "pdb", "-c", "c"]):
            if launcher[1] != "cProfile" and not hasattr(sys, "monitoring"):
                # These have the one trace function that there is.
                done = Run(script, "step_on=__main__:step\n", before=launcher)
                self.assertIn("from Python 3.12 on", done.notes()[0])
                continue
            with self.subTest(launcher):
                done = Run(script, "step_on=__main__:step\n", before=launcher)
                self.assertEqual(len(done.calls("step")), 3, done.err)

    def test_a_script_that_another_script_runs(self):
        inner = "def step(): pass\nfor _ in range(3): step()"
        for outer in (
            "import runpy\nrunpy.run_path('inner.py', run_name='__main__')",
            "from runpy import run_path\ndef main(): return 1\nrun_path('inner.py', run_name='__main__')",
            "import runpy\nrunpy.run_module('inner', run_name='__main__')",
        ):
            with self.subTest(outer):
                self.ended(outer, "__main__:step", 3, files={"inner.py": inner})
        launch = "from runpy import run_path\nimport sys\nrun_path(sys.argv[-1], run_name='__main__')"
        self.ended(inner, "__main__:step", 3, before=["-c", launch])

    def test_a_script_or_cells_that_ipython_runs(self):
        # As IPython's launcher does, and its cells of several versions.
        launcher = """
from shell import start_ipython
start_ipython()
"""
        shell = """
import types
def run(text, name):
    code = compile(text, "cell", "exec")
    exec(code.replace(co_name=name) if name else code, names)
def start_ipython():
    run("x = 1", None)
    run("def step(): pass", %r)
    run("for _ in range(3): step()", %r)
names = {"__name__": "__main__"}
"""
        for name in (None, "<cell line: 1>"):
            self.ended(launcher, "__main__:step", 3, files={"shell.py": shell % (name, name)})

    def test_statements_that_are_typed(self):
        typed = "x = 1\ndef step(): pass\n\nfor _ in range(3): step()\n\nprint('done')\n"
        done = Run("", "step_on=__main__:step", before=["-i", "-q"], typed=typed)
        self.assertEqual((done.status, len(done.steps()), done.notes()), (0, 3, []), done.err)
        self.assertIn("done", done.out)

    def test_annotated_steps(self):
        done = self.run_script("""
            import jax
            for at in range(3):
                with jax.profiler.StepTraceAnnotation("train", step_num=at), jax.profiler.TraceAnnotation("mine"):
                    pass
        """)
        self.assertEqual(done.recorded(), ["14 mine", "end", "step 0"] * 3)
        self.assertEqual(done.facts()["step_on"], "profiler: jax.profiler.StepTraceAnnotation")
