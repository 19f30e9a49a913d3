"""PyTorch's phases, and what ends a step."""
import os

from runs import NO_STEP, STANDIN, STUBS, Case

HEAD = """
import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import SGD
from torch.utils.data import DataLoader
"""

LOAD = ["1 Iterator", "end"]
FORWARD = ["9 Module", "end"]
BACKWARD = ["10 Tensor.backward", "end"]
OPTIMIZE = ["11 SGD.step", "end"]


class Torch(Case):
    def torch(self, script, **keys):
        return self.run_script(HEAD + script, **keys)

    def test_phases_and_steps(self):
        done = self.torch("""
net, optimizer = Module(Module(), Module(Module())), SGD()
for batch in DataLoader([Tensor(8, 3), Tensor(8)], {"x": Tensor(5, 3)}):
    net(Tensor(1))
    Tensor(1).backward()
    optimizer.step()
""")
        iteration = LOAD + FORWARD + BACKWARD + OPTIMIZE
        self.assertEqual(done.recorded(), iteration + ["step 8"] + iteration + ["step 5"] + LOAD)
        self.assertEqual(done.facts()["step_on"], "optimizer: torch.SGD")

    def test_gradients_added_up_are_one_step_with_all_their_samples(self):
        done = self.torch("""
optimizer = SGD()
for at, batch in enumerate(DataLoader(*[Tensor(4)] * 8)):
    batch.backward()
    if at % 4 == 3:
        optimizer.step()
""")
        self.assertEqual(done.steps(), [16, 16])

    def test_other_optimizers_do_not_count_until_the_one_that_ends_steps_is_gone(self):
        script = """
first, second = SGD(), SGD()
for _ in range(3):
    first.step()
    second.step()
del first
second.step()
second.step()
"""
        self.assertEqual(len(self.torch(script).steps()), 5)

    def test_an_optimizer_that_is_never_used_again_is_given_up(self):
        script = "first, second = SGD(), SGD()\nfirst.step()\nfor _ in range(102): second.step()"
        self.assertEqual(len(self.torch(script).steps()), 103)

    def test_an_optimizer_that_another_follows_is_given_up(self):
        head = """
first, second, third = SGD(), SGD(), SGD()
def batches(count):
    return DataLoader(*[Tensor(2)] * count)
"""
        for script, count in (
            ("for _ in batches(50): first.step()\nfor _ in batches(150): second.step()", 200),
            ("for _ in range(50): first.step()\nfor _ in range(150): second.step()", 200),
            ("for at in range(6):\n    for _ in batches(9): (second if at % 2 else first).step()", 6 * 9),
        ):
            self.assertEqual(len(self.torch(head + script).steps()), count, script)

    def test_optimizers_that_step_one_after_another_end_one_step(self):
        head = """
critic, generator, third = SGD(), SGD(), SGD()
def batches(count):
    return DataLoader(*[Tensor(2)] * count)
"""
        for script, count in (
            ("for _ in batches(8): critic.step(), generator.step()", 8),
            ("for _ in range(8): critic.step(), generator.step(), third.step()", 8),
            ("for _ in batches(8): critic.step(), next(noise), generator.step()", 8),
            ("for _ in range(5): critic.step()\nfor _ in batches(8): critic.step(), next(noise), generator.step()", 13),
            ("for at, _ in enumerate(batches(20)):\n    critic.step()\n    if at % 5 == 4: generator.step()", 4),
            ("for at in range(20):\n    critic.step()\n    if at % 5 == 4: generator.step()", 4),
            ("for _ in batches(4): generator.step(), [critic.step() for _ in range(5)]", 4),
            ("for _ in range(4): generator.step(), [critic.step() for _ in range(5)]", 4),
            # One that steps each fourth time, before the other; two that step twice each second time.
            ("for at, _ in enumerate(batches(12)):\n    if at % 4 == 3: generator.step()\n    critic.step()", 3),
            ("for at in range(12):\n    critic.step()\n    for one in [generator, third] * (at % 2 * 2): one.step()", 12),
            ("many = [SGD() for _ in range(40)]\nfor _ in batches(9): [one.step() for one in many]", 9),
        ):
            done = self.torch(head + "noise = iter(batches(99))\n" + script)
            self.assertEqual(len(done.steps()), count, script)

    def test_scalers_of_two_optimizers_end_one_step(self):
        script = """
critic, generator = SGD(), SGD()
scalers = [torch.amp.GradScaler() for _ in range(2)]
for _ in range(6):
    for scaler, optimizer in zip(scalers, (critic, generator)):
        scaler.step(optimizer), scaler.update()
"""
        self.assertEqual(len(self.torch(script).steps()), 6)

    def test_an_optimizer_within_another_is_part_of_it(self):
        script = """
class Outer(SGD):
    inner = SGD()
    def update(self):
        self.inner.step()
outer = Outer()
outer.step()
outer.step()
"""
        self.assertEqual(self.torch(script).recorded(), ["11 Outer.step", "end", "step 0"] * 2)

    def test_steps_that_the_scaler_skips_count(self):
        script = """
optimizer, scaler = SGD(), torch.%s.GradScaler()
for is_finite in (False, True, False, False, True):
    scaler.step(optimizer, is_finite)
    scaler.update()
"""
        for module in ("amp", "cuda.amp.grad_scaler"):
            done = self.torch(script % module)
            self.assertEqual(done.recorded().count("11 SGD.step"), 2)
            self.assertEqual(len(done.steps()), 5)
            self.assertEqual(done.facts()["step_on"], "optimizer: torch.SGD")

    def test_inference_goes_by_the_loader(self):
        done = self.torch("for batch in DataLoader(*map(Tensor, range(1, 7))): Module()(batch)", options="batch_size=x")
        self.assertEqual(done.steps(), [1, 2, 3, 4, 5, 6])
        self.assertEqual(done.facts()["step_on"], "dataloader")
        twice = self.torch("for batch in DataLoader(*map(Tensor, range(1, 7))): Module()(batch), Module()(batch)")
        self.assertEqual(twice.steps(), done.steps())

    def test_a_loader_is_asked_once_more_than_it_gives(self):
        script = "for epoch in range(3):\n    for batch in DataLoader(Tensor(2), Tensor(3)): pass"
        self.assertEqual(self.torch(script, options="step_on=dataloader").steps(), [2, 3] * 3)

    def test_without_a_loader_it_goes_by_the_forward(self):
        done = self.torch("for _ in range(7): Module()(1)")
        self.assertEqual((len(done.steps()), done.facts()["step_on"]), (7, "forward"))
        self.assertEqual(len(self.torch("for _ in range(7): Module()(1)", options="step_on=forward").steps()), 7)

    def test_an_optimizer_that_comes_late_takes_over(self):
        done = self.torch("""
for batch in DataLoader(*[Tensor(2)] * 4): pass
optimizer = SGD()
for batch in DataLoader(*[Tensor(2)] * 4):
    optimizer.step()
""")
        self.assertEqual(done.steps(), [2] * 8)
        calls = [call for _, call, *_ in done.processes[0] if call in ("begin_step", "step", "restart_steps")]
        self.assertEqual(calls[-6:], ["begin_step", "restart_steps"] + ["step"] * 4)
        self.assertEqual(done.facts()["step_on"], "optimizer: torch.SGD")

    def test_no_forward_ends_a_step_of_training(self):
        done = self.torch("""
optimizer = SGD()
for _ in range(3):
    for _ in range(8):
        Module()(1)
        Tensor(1).backward()
    optimizer.step()
""")
        self.assertEqual(len(done.steps()), 3)

    def test_the_scripts_own_profiler_rules_while_it_runs(self):
        done = self.torch("""
optimizer, profiler = SGD(), torch.profiler.profile()
for at in range(10):
    optimizer.step()
    if 2 <= at < 6:
        profiler.step()
    if at == 6:
        profiler.stop()
""")
        # In the seventh iteration the optimizer had stepped before the profiler stopped.
        self.assertEqual(len(done.steps()), 9)
        notes = [words[2] for words in done.processes[0] if words[1] == "note" and "step_on" in words[2]]
        rules = [note.partition("=")[2].partition(":")[0] for note in notes]
        self.assertEqual(rules, ["optimizer", "profiler", "optimizer"])

    def test_a_profiler_that_stops_with_the_script_is_what_ended_its_steps(self):
        done = self.torch("""
optimizer, profiler = SGD(), torch.profiler.profile()
for _ in range(5):
    optimizer.step()
    profiler.step()
profiler.stop()
""")
        self.assertEqual(done.facts()["step_on"], "profiler: torch.profiler.profile")

    def test_after_the_scripts_own_profiler_comes_the_optimizer_that_stepped_meanwhile(self):
        done = self.torch("""
optimizer, profiler = SGD(), torch.profiler.profile()
for batch in DataLoader(*[Tensor(2)] * 20):
    profiler.step()
    optimizer.step()
profiler.stop()
for batch in DataLoader(*[Tensor(2)] * 5):
    optimizer.step()
""")
        self.assertEqual(len(done.steps()), 25)

    def test_the_rule_that_the_person_gave_stands(self):
        script = """
optimizer, profiler = SGD(), torch.profiler.profile()
for batch in DataLoader(*[Tensor(2)] * 5):
    Module()(batch), Module()(batch)
    optimizer.step()
    if batch is None:
        profiler.step()
"""
        for rule, count in (("optimizer", 5), ("dataloader", 5), ("forward", 10), ("profiler", 0)):
            self.assertEqual(len(self.torch(script, options="step_on=" + rule).steps()), count, rule)
        done = self.torch(script, options="step_on=nonsense")
        self.assertEqual((len(done.steps()), len(done.notes())), (5, 1))

    def test_the_batch_size_that_the_person_gave_stands(self):
        script = "optimizer = SGD()\nfor batch in DataLoader(Tensor(8), Tensor(3)): optimizer.step()"
        self.assertEqual(self.torch(script, options="batch_size=32").steps(), [32, 32])

    def test_batches_of_any_make_do_no_harm(self):
        done = self.torch("""
class Odd:
    @property
    def shape(self):
        raise KeyError("no shape")
optimizer = SGD()
for batch in DataLoader(None, "text", [], Odd(), Tensor(), {"a": ["b", Tensor(6)]}, [[[[[Tensor(4)]]]]]):
    optimizer.step()
""")
        self.assertEqual(done.steps(), [0, 0, 0, 0, 0, 6, 0])

    def test_what_raises_ends_its_ranges(self):
        done = self.torch("""
class Fails(Module):
    def forward(self, x):
        raise MemoryError
class Broken(SGD):
    def update(self):
        raise MemoryError
broken, optimizer = Broken(), SGD()
for fails in (lambda: Fails()(1), lambda: Module(Fails())(1)):
    try:
        fails()
    except MemoryError as error:
        print("as it was")
optimizer.step()
Module()(1)
""")
        self.assertEqual(done.out, "as it was\n" * 2)
        self.assertEqual(done.recorded(), ["9 Fails", "end", "9 Module", "end"] + OPTIMIZE + FORWARD + ["step 0"])

    def test_an_optimizer_that_raised_ends_when_it_steps_again(self):
        done = self.torch("""
class Once(SGD):
    tries = 0
    def update(self):
        self.tries += 1
        if self.tries == 1:
            raise MemoryError
optimizer = Once()
for _ in range(3):
    try:
        optimizer.step()
    except MemoryError:
        pass
""")
        once = ["11 Once.step", "end"]
        self.assertEqual(done.recorded(), once + once + ["step 0"] + once + ["step 0"])

    def test_user_ranges_are_recorded_and_torchs_own_are_not(self):
        done = self.torch("""
with torch.profiler.record_function("mine"):
    torch.cuda.nvtx.range_push("pushed")
    torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_pop()
SGD().step()
""")
        self.assertEqual(done.recorded(), ["14 mine", "14 pushed", "end", "end"] + OPTIMIZE + ["step 0"])

    def test_a_step_holds_all_of_torchs_own_range_around_the_optimizer(self):
        done = self.torch("""
import _proftui
torch.left[0] = lambda name: _proftui.note(9, "left " + name)
for _ in range(2): SGD().step()
class Fails(SGD):
    def update(self): raise MemoryError()
try: Fails().step()
except MemoryError: pass
""")
        once = OPTIMIZE + ["note 9 left Optimizer.step#SGD.step", "step 0"]
        failed = ["11 Fails.step", "note 9 left Optimizer.step#SGD.step", "end"]
        self.assertEqual(done.recorded(), once + once + failed)

    def test_what_nvtx_records_is_not_recorded_twice(self):
        done = self.torch("""
import _proftui
def records(name):
    _proftui.report("another"), _proftui.report(name)
quiet = lambda name: _proftui.report("another")
for torch.pushed[0], torch.emitted[0] in ((quiet, quiet), (records, quiet), (records, records), (quiet, quiet)):
    with torch.profiler.record_function("mine"):
        with torch.profiler.record_function("inner"):
            torch.cuda.nvtx.range_push("pushed")
            torch.cuda.nvtx.range_pop()
""")
        both = ["14 mine", "14 inner", "14 pushed", "end", "end", "end"]
        self.assertEqual(done.recorded(), both + ["14 mine", "14 inner", "end", "end"] + both)

    def test_only_a_range_of_its_name_is_the_scripts_own_where_torch_emits_others_too(self):
        done = self.torch("""
import _proftui
def emits(name):
    for one in ("PythonDispatchMode", name): _proftui.note(9, "%s %s" % (_proftui.report(one), one))
torch.emitted[0] = emits
with torch.profiler.record_function("mine"): pass
SGD().step()
emits("aten::add")
""")
        notes = [word[7:] for word in done.recorded() if word.startswith("note 9")]
        mode, step = "operator PythonDispatchMode", "own Optimizer.step#SGD.step"
        self.assertEqual(notes, [mode, "own mine", mode, step, mode, "operator aten::add"])

    def test_a_pop_ends_what_its_own_push_began(self):
        done = self.torch("""
import _proftui
push, pop = torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop
push("mine")
torch.pushed[0] = _proftui.report
push("recorded by NVTX"), pop()
push("recorded by NVTX")
SGD().step()
pop(), pop(), pop()
""")
        self.assertEqual(done.recorded(), ["14 mine"] + OPTIMIZE + ["step 0", "end"])

    def test_forwards_of_wrappers_are_no_ranges_of_the_user(self):
        done = self.torch("""
for name in "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel":
    with torch.profiler.record_function(name + ".forward"): pass
""")
        self.assertEqual(done.recorded(), [])

    def test_timer_only_is_the_loader_and_steps(self):
        done = self.torch("""
optimizer = SGD()
for batch in DataLoader(Tensor(2), Tensor(2)):
    with torch.profiler.record_function("mine"):
        batch.backward()
    optimizer.step()
""", options="timer_only=1\nstep_on=optimizer")
        kinds = {word.split()[0] for word in done.recorded()}
        self.assertEqual(kinds & {"9", "10", "14"}, set())
        self.assertEqual(done.steps(), [2, 2])

    def test_a_compiler_sees_only_the_calls(self):
        done = self.torch("""
torch.compiling.append("reads")
Module()(1), Tensor(1).backward(), SGD().step()
with torch.profiler.record_function("mine"): pass
torch.compiling.clear()
Module()(1)
""")
        self.assertEqual(done.recorded(), FORWARD + ["step 0"])

    def test_what_a_compiler_traces_is_no_phase_of_the_program(self):
        done = self.torch("""
class Compiled(Module):
    def forward(self, x):
        torch.compiling.append("traces")
        Tensor(1).backward(), torch.autograd.grad(1)
        with torch.profiler.record_function("of the compiler"): pass
        torch.compiling.clear()
Compiled()(1)
""")
        self.assertEqual(done.recorded(), ["9 Compiled", "14 of the compiler", "end", "end", "step 0"])

    def test_a_torch_that_lacks_something_loses_that_alone(self):
        with open(os.path.join(STUBS, "torch.py")) as file:
            stub = file.read()
        stub = stub.replace("register_optimizer_step_pre_hook", "another").replace("profile=profile", "profile=None")
        done = self.torch("Module()(1)\nSGD().step()", path=(STANDIN,), files={"torch.py": stub})
        self.assertEqual(done.recorded()[2:], FORWARD + ["step 0"])
        self.assertEqual(len(done.notes()), 2)
        self.assertIn("cannot record optimizer steps", done.notes()[0])

    def test_missing_steps_are_noted_where_something_was_computed(self):
        for script, is_noted in (("loaded = next(iter(DataLoader(1)))", True), ("Module()(1)\nSGD().step()", False), ("Module()", False)):
            self.assertEqual(self.torch(script).recorded().count(NO_STEP), int(is_noted), script)
        self.assertEqual(self.torch("Module()(1)\nSGD().step()", options="step_on=profiler").notes(), [NO_STEP])

    def test_threads_have_forwards_of_their_own(self):
        done = self.torch("""
import threading
thread = threading.Thread(target=lambda: Module()(1), name="second")
class Waits(Module):
    def forward(self, x):
        thread.start()
        thread.join()
Waits()(1)
""")
        self.assertEqual(done.recorded(), ["9 Waits", "9 Module", "end", "end", "step 0", "step 0"])
        self.assertIn("second", [words[2] for words in done.processes[0] if words[1] == "thread"])
