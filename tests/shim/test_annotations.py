"""Steps of serving engines: the ranges by which they annotate them."""
import os
import sys
import unittest

from runs import SHIM, Case, Run

HEAD = """
import os, threading, torch
from torch import no_grad
from torch.nn import Module
from torch.optim import SGD
from torch.autograd.profiler import record_function
from torch.cuda.nvtx import range_pop, range_push
net = Module(Module()).eval()

def step(number=3, name="execute_context_0(0)_generation_%d(%d)"):
    with record_function(name % (number, number)): infer()

def infer():
    with no_grad(): net(1)
"""
NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "step_names.tsv")
VLLM, SGLANG = "annotation: vLLM", "annotation: SGLang"


class Names(unittest.TestCase):
    """Which names are those of steps."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, os.path.join(SHIM, "_proftui_shim"))
        try:
            import annotations
        finally:
            sys.path.pop(0)
        cls.engine_of = staticmethod(annotations.engine_of)

    def test_the_names_that_the_importer_knows(self):
        # The same list as in the tests of importing: both sides take the same names for steps.
        with open(NAMES, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        self.assertGreater(len(rows), 50)
        for engine, *_, name in rows:
            self.assertEqual(self.engine_of(name) or "-", engine, name)

    def test_a_name_of_no_length(self):
        self.assertIsNone(self.engine_of(""))


class Annotations(Case):
    def run_steps(self, script, count, by=VLLM, **keys):
        done = self.run_script(HEAD + script, **keys)
        calls = [call for _, call, *_ in done.processes[0] if call in ("begin_step", "begin_call", "step", "restart_steps")]
        last = len(calls) - calls[::-1].index("restart_steps") if "restart_steps" in calls else 0
        self.assertEqual((calls[last:].count("step"), done.notes()), (count, []), (script, done.recorded()))
        self.assertEqual(done.facts().get("step_on"), by)
        return calls

    def test_each_is_a_step_of_its_own(self):
        for options in ("", "timer_only=1", "step_on=annotation", "step_on=annotation\ntimer_only=1"):
            calls = self.run_steps("for at in range(5): step(at), infer()", 5, options=options)
            self.assertEqual(calls, ["begin_step"] + ["begin_call", "step"] * 5, options)

    def test_the_range_is_recorded_within_the_step(self):
        done = self.run_script(HEAD + "step()")
        name = "14 execute_context_0(0)_generation_3(3)"
        self.assertEqual(done.recorded(), [name, "9 Module", "end", "end", "step 0"])

    def test_forwards_before_the_first_one_are_no_steps(self):
        script = """
for size in range(40):
    with record_function("capture_%d_decode" % size): infer()
for _ in range(30): step()
"""
        for keys in {}, {"env": {"STANDIN_STATES": "0"}}, {"options": "timer_only=1"}:
            calls = self.run_steps(script, 30, **keys)
            self.assertEqual(calls.count("restart_steps"), 1)
            done = self.run_script(HEAD + script, **keys)
            self.assertEqual(done.facts()["step_on_before"], "forward, 40")

    def test_other_values_are_obeyed(self):
        for rule, count, by in (("forward", 6, "forward"), ("__main__:step", 5, "function: __main__:step"), ("optimizer", 0, None)):
            done = self.run_script(HEAD + "infer()\nfor _ in range(5): step()", options="step_on=" + rule)
            self.assertEqual((len(done.steps()), done.facts().get("step_on")), (count, by))

    def test_of_several_within_each_other_the_outermost_counts(self):
        # The engine is that of the inner name.
        calls = self.run_steps("""
for _ in range(4):
    with record_function("execute_32_context_0(sq0sk0)_generation_32(sq32sk64)"):
        with record_function("step[DECODE bs=32]"): infer()
        with record_function("step[DECODE bs=32]"): infer()
""", 4, SGLANG)
        self.assertEqual(calls, ["begin_step"] + ["begin_call", "step"] * 4)

    def test_one_that_raises_is_none(self):
        for script in (
            "with record_function('step[DECODE bs=1]'): raise KeyError",
            "with nvtx('step[DECODE bs=1]'): raise KeyError",
        ):
            self.run_steps("""
from contextlib import contextmanager
@contextmanager
def nvtx(name):
    range_push(name)
    try: yield
    finally: range_pop()
for at in range(3):
    try:
        %s
    except KeyError:
        with nvtx('step[DECODE bs=1]'): pass
        with record_function('step[DECODE bs=1]'): pass
""" % script, 6, SGLANG)

    def test_nvtx(self):
        for options in ("", "timer_only=1"):
            self.run_steps("""
for at in range(5):
    range_push("loop")
    range_push("decode[bs=117/128 tok=117 d=117]"), range_push("inner"), infer(), range_pop(), range_pop()
    range_push("decode"), range_pop()
    range_pop()
""", 5, "annotation: ATOM", options=options)

    def test_they_overlap_on_several_threads(self):
        calls = self.run_steps("""
meet = threading.Barrier(2)
def serve():
    with record_function("step[DECODE bs=1]"): meet.wait(), infer(), meet.wait()
for _ in range(2):
    threads = [threading.Thread(target=serve) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
""", 4, SGLANG)
        self.assertEqual(calls, ["begin_step"] + ["begin_call", "step"] * 4)

    def test_one_that_ends_on_another_thread(self):
        self.run_steps("""
for _ in range(3):
    one = record_function("step[DECODE bs=1]")
    one.__enter__()
    thread = threading.Thread(target=one.__exit__, args=(None, None, None))
    thread.start(), thread.join()
""", 3, SGLANG, options="timer_only=1")

    def test_an_optimizer_that_steps_is_better(self):
        script = """
optimizer = SGD()
for _ in range(3):
    for _ in range(5): step()
    net.train()(1), torch.Tensor(1).backward(), optimizer.step(), net.eval()
"""
        for options in ("", "timer_only=1"):
            calls = self.run_steps(script, 3, "optimizer: torch.SGD", options=options)
            self.assertEqual(calls.count("restart_steps"), 1)

    def test_optimizers_whose_steps_wait_are_not_mixed_with_them(self):
        self.run_steps("""
actor, critic = SGD(), SGD()
for _ in range(12):
    for _ in range(2): step()
    net.train()(1), torch.Tensor(1).backward()
    for one in (critic, critic, actor): one.step()
    net.eval()
""", 12, "optimizer: torch.SGD")

    def test_the_scripts_own_profiler_is_better(self):
        self.run_steps("""
profile = torch.profiler.profile()
for _ in range(5): step(), profile.step()
""", 5, "profiler: torch.profiler.profile")
        self.run_steps("""
profile = torch.profiler.profile()
for _ in range(5): profile.step(), step()
profile.stop()
for _ in range(5): step()
""", 10)

    def test_children_have_steps_of_their_own(self):
        script = HEAD + """
import multiprocessing
def serve(count):
    for _ in range(10): infer()
    for _ in range(count): step()
if __name__ == "__main__":
    for how in "fork", "spawn", "forkserver":
        child = multiprocessing.get_context(how).Process(target=serve, args=(3,))
        child.start(), child.join()
"""
        for options in ("", "timer_only=1"):
            done = self.run_script(script, options=options)
            found = []
            for at in range(1, len(done.processes)):
                calls = [call for _, call, *_ in done.processes[at]]
                last = len(calls) - calls[::-1].index("restart_steps") if "restart_steps" in calls else 0
                if "begin_call" in calls:
                    found.append((calls[last:].count("step"), done.facts(at)["step_on"]))
            self.assertEqual((done.steps(), found), ([], [(3, VLLM)] * 3))

    def test_a_fork_within_one_begins_anew(self):
        done = self.run_script(HEAD + """
with record_function("step[DECODE bs=1]"):
    child = os.fork()
    if child: os.waitpid(child, 0)
if not child:
    step()
    os._exit(0)
""", options="timer_only=1")
        self.assertEqual((len(done.steps(0)), len(done.steps(1))), (1, 1))

    def test_a_closed_schedule_leaves_only_their_hook(self):
        script = HEAD + """
first = record_function.__enter__, Module.__call__
def show(): print("".join(letter for letter, one, now in zip("rf", first, (record_function.__enter__, Module.__call__)) if one is now) or "-")
for _ in range(20): infer()
show()
for _ in range(40): step()
show()
for _ in range(30): step()
for at in range(20): net.train()(1), optimizer.step() if at else show() or globals().update(optimizer=SGD())
show()
"""
        states = ",".join(["0"] * 50 + ["2", "3"] + ["0"] * 99)
        done = self.run_script(script, env={"STANDIN_STATES": states})
        self.assertEqual(done.out.split(), ["rf", "r", "r", "-"])
        calls = done.recorded()
        ends = [at for at, call in enumerate(calls) if call.startswith("step ")]
        # 20 forwards, and then steps 50 and 51 of the annotated ones.
        recorded = calls[ends[20 + 49] + 1 : ends[20 + 51] + 1]
        name = "14 execute_context_0(0)_generation_3(3)"
        self.assertEqual(recorded, [name, "9 Module", "end", "end", "step 0"] * 2)
        before = calls[ends[20 + 40] + 1 : ends[20 + 49] + 1]
        self.assertEqual(before, ["step 0"] * 9)

    def test_a_hook_that_fails_is_reported_once(self):
        done = Run(HEAD + "for _ in range(3): step()\nprint('done')", env={"STANDIN_FAILS": "begin_call"})
        self.assertEqual((done.out, done.err, done.status), ("done\n", "", 0))
        self.assertIn("the hook call_ended failed", done.notes()[0])
        self.assertEqual(len(done.notes()), 2, "and that there was no step")
