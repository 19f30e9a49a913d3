"""Which hooks are installed: all while steps are recorded, and while the schedule is closed only those that show where steps end."""
from runs import Case

HEAD = """
import os, torch
from torch import Tensor, no_grad, record_function
from torch.nn import Module
from torch.optim import SGD
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

HOOKED = [(Module, "__call__"), (Iterator, "__next__"), (torch.autograd, "backward"), (record_function, "__enter__")]

FIRST = [vars(owner)[name] for owner, name in HOOKED]

def show():
    # A letter for each hook that is installed: forward, loader, backward, range.
    is_there = [vars(owner)[name] is first for (owner, name), first in zip(HOOKED, FIRST)]
    print("".join(letter for letter, is_there in zip("flbr", is_there) if is_there) or "-")

model = Module(Module())

def train(steps):
    for batch in DataLoader(*[Tensor(2)] * steps):
        model(batch), Tensor(1).backward()
        optimizer.step()
"""
TRAINING = HEAD + "optimizer = SGD()\n"


def states(*counts):
    """The states of so many steps as (number, state)."""
    return {"STANDIN_STATES": ",".join(",".join([str(state)] * count) for count, state in counts)}


class Hooks(Case):
    def test_a_closed_schedule_leaves_only_the_optimizers_hook(self):
        script = TRAINING + "train(15); show(); train(2); show(); train(2); show(); train(4); show(); train(20); show()"
        done = self.run_script(script, env=states((20, 0), (3, 2), (1, 3), (1, 0)))
        self.assertEqual(done.out.split(), ["flbr", "-", "-", "flbr", "-"])
        self.assertEqual(len(done.steps()), 43)

    def test_recorded_steps_are_whole_after_closed_ones(self):
        done = self.run_script(TRAINING + "train(80)", env=states((40, 0), (2, 2), (1, 3), (1, 0)))
        calls = done.recorded()
        ends = [at for at, call in enumerate(calls) if call.startswith("step ")]
        self.assertEqual(len(ends), 80)
        inner = [call for call in calls[ends[39] + 1 : ends[42] + 1] if call != "end"]
        self.assertEqual(inner, ["1 Iterator", "9 Module", "10 Tensor.backward", "11 SGD.step", "step 2"] * 3)
        after = [call for call in calls[ends[42] + 1 :] if call != "end"]
        self.assertEqual(after[-21:], ["step 0"] * 21)

    def test_hooks_stay_where_steps_are_recorded_or_timed(self):
        for options, env in (("", states((40, 2))), ("timer_only=1", states((40, 0))), ("by_time=1", states((40, 0)))):
            with self.subTest(options=options, env=env):
                done = self.run_script(TRAINING + "train(40); show()", options=options, env=env)
                self.assertEqual(done.out.strip(), "flbr")

    def test_a_loader_that_ends_steps_keeps_its_hook(self):
        script = HEAD + """
model.eval()
with no_grad():
    for at, batch in enumerate(DataLoader(*[Tensor(2)] * 40)):
        model(batch)
        if at == 30: show()
show()
"""
        done = self.run_script(script, env=states((1, 0)))
        # The loader has ended: forwards may end the steps from here on.
        self.assertEqual((done.out.split(), len(done.steps())), (["l", "flbr"], 40))

    def test_forwards_that_end_steps_keep_their_hook(self):
        script = HEAD + "model.eval()\nfor _ in range(40): model(1)\nshow()"
        done = self.run_script(script, env=states((1, 0)))
        self.assertEqual((done.out.strip(), len(done.steps())), ("flbr", 40))

    def test_training_after_a_long_inference_counts_anew(self):
        script = HEAD + """
with no_grad():
    for batch in DataLoader(*[Tensor(2)] * 40): model.eval()(batch)
optimizer = SGD()
model.train()
train(20)
"""
        done = self.run_script(script, env=states((1, 0)))
        calls = done.recorded()
        self.assertEqual(len([call for call in calls[calls.index("11 SGD.step") :] if call.startswith("step ")]), 20)
        self.assertIn("restart_steps", [call for _, call, *_ in done.processes[0]])
        self.assertEqual(done.facts()["step_on"], "optimizer: torch.SGD")

    def test_a_function_that_ends_steps_needs_no_other_hook(self):
        script = TRAINING + "def step():\n    train(1)\nfor _ in range(30): step()\nshow()"
        done = self.run_script(script, options="step_on=__main__:step", env=states((1, 0)))
        self.assertEqual((done.out.strip(), len(done.steps())), ("-", 30))

    def test_the_scripts_own_profiler_and_what_follows_it(self):
        script = TRAINING + """
profile = torch.profiler.profile()
for _ in range(30): train(1), profile.step()
show()
profile.stop()
show()
train(20)
show()
"""
        done = self.run_script(script, env=states((1, 0)))
        self.assertEqual((done.out.split(), len(done.steps())), (["-", "flbr", "-"], 50))

    def test_empty_steps_are_counted_as_none_while_closed(self):
        script = TRAINING + "for _ in range(40): train(1), optimizer.step()\nshow()"
        done = self.run_script(script, env=states((1, 0)))
        self.assertEqual((done.out.strip(), len(done.steps())), ("flbr", 40))

    def test_another_optimizer_is_looked_at_again(self):
        script = TRAINING + """
train(30)
show()
critic = SGD()
show()
for _ in range(40):
    for _ in range(2): model(1), critic.step()
    train(1)
show()
"""
        done = self.run_script(script, env=states((1, 0)))
        self.assertEqual((done.out.split(), len(done.steps())), (["-", "flbr", "-"], 70))

    def test_an_optimizer_within_another_one(self):
        script = TRAINING + """
class Outer(SGD):
    def update(self): inner.step()
inner, optimizer = SGD(), Outer()
train(40)
show()
"""
        done = self.run_script(script, env=states((1, 0)))
        self.assertEqual((done.out.strip(), len(done.steps())), ("flbr", 40))

    def test_a_scaler_that_skips_the_optimizer(self):
        script = TRAINING + """
from torch.amp import GradScaler
scaler = GradScaler()
for at in range(60):
    model(1), Tensor(1).backward()
    scaler.step(optimizer, at % 5 > 0)
    scaler.update()
show()
"""
        done = self.run_script(script, env=states((1, 0)))
        self.assertEqual((done.out.strip(), len(done.steps())), ("-", 60))

    def test_the_scripts_own_replacements_stay(self):
        script = TRAINING + """
def replace():
    before = Module.__call__
    def mine(self, *args):
        calls.append(1)
        return before(self, *args)
    Module.__call__ = mine
    return mine
calls = []
if "early" in __import__("sys").argv:
    mine = replace()
    train(30)
else:
    train(30)
    mine = replace()
train(30)
print(len(calls))
train(10)
print(len(calls))
"""
        # Calls of the replacement; recorded forwards of 70 steps: hooks are removed for some, or are a part of the replacement.
        for args, counts, forwards in (((), ["60", "80"], 16 + 25), (("early",), ["120", "140"], 70)):
            with self.subTest(args=args):
                done = self.run_script(script, args=args, env=states((45, 0), (20, 2), (1, 0)))
                self.assertEqual((done.out.split(), done.recorded().count("9 Module")), (counts, forwards))

    def test_a_forked_child_of_a_closed_step_has_all_hooks(self):
        script = TRAINING + """
train(30)
show()
child = os.fork()
if not child:
    show()
    model(1)
    os._exit(0)
os.waitpid(child, 0)
show()
"""
        done = self.run_script("import sys; sys.stdout.reconfigure(line_buffering=True)" + script, env=states((1, 0)))
        self.assertEqual(done.out.split(), ["-", "flbr", "-"])
        self.assertEqual(done.recorded(1)[-2:], ["9 Module", "end"])

    def test_validation_right_before_recorded_steps_is_none_of_them(self):
        script = TRAINING + """
def validate():
    with no_grad():
        model.eval()
        for batch in DataLoader(*[Tensor(2)] * 4): model(batch)
        model.train()
for _ in range(5): train(10), validate()
"""
        done = self.run_script(script, env=states((30, 0), (10, 2), (1, 3), (1, 0)))
        self.assertEqual(len(done.steps()), 50)
        calls = [call for _, call, *_ in done.processes[0]]
        ends = [at for at, call in enumerate(calls) if call == "step"]
        found = [sum(end < at for end in ends) for at, call in enumerate(calls) if call == "validation"]
        self.assertEqual([at for at in found if 30 <= at <= 40], [30, 40])
