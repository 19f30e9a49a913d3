"""Which ends of steps count: training with and without an optimizer, inference, validation, several optimizers."""
from runs import Case

HEAD = """
import torch
from torch import Tensor, no_grad
from torch.nn import Module
from torch.optim import SGD
from torch.utils.data import DataLoader
net = Module(Module())

def batches(count):
    return DataLoader(*[Tensor(2)] * count)

def learn(batch=None):
    net(batch)
    Tensor(1).backward()

def infer(batch=None, module=net):
    module.eval()
    with no_grad():
        module(batch)
    module.train()
"""


class Steps(Case):
    def run_steps(self, script, count, **keys):
        """Runs the script, which has this many steps; returns the calls of the count."""
        done = self.run_script(HEAD + script, **keys)
        words = ("step", "begin_step", "restart_steps", "validation")
        calls = [call for _, call, *_ in done.processes[0] if call in words]
        last = len(calls) - calls[::-1].index("restart_steps") if "restart_steps" in calls else 0
        self.assertEqual(calls[last:].count("step"), count, (script, done.recorded()))
        self.assertFalse([note for note in done.notes() if "failed" in note], done.notes())
        return calls

    def test_batches_that_are_accumulated_are_one_step(self):
        for many in (1, 3, 8, 100):
            script = """
optimizer = SGD()
for at, batch in enumerate(batches(%d), 1):
    learn(batch)
    if at %% %d == 0: optimizer.step()
"""
            calls = self.run_steps(script % (5 * many, many), 5)
            self.assertEqual(calls, ["begin_step"] + ["step"] * 5)

    def test_batches_that_are_fetched_ahead_belong_to_the_step(self):
        script = """
optimizer, loader = SGD(), iter(batches(12))
for _ in range(4):
    ahead = [next(loader) for _ in range(3)]
    for batch in ahead: learn(batch)
    optimizer.step()
"""
        self.run_steps(script, 4)

    def test_a_schedule_waits_while_ends_are_provisional(self):
        script = """
optimizer = SGD()
for at, batch in enumerate(batches(40), 1):
    learn(batch)
    if at % 8 == 0: optimizer.step()
"""
        self.run_steps(script, 5, env={"STANDIN_STATES": "1,2,2,3,0"})

    def test_inference_counts_each_forward_or_batch(self):
        for script in (
            "for _ in range(60): infer()",
            "for _ in range(60): net(1)",
            "net.eval()\nfor _ in range(60): net(1)",
            "for batch in batches(60): infer(batch)",
            "for batch in batches(60): net(batch)",
            "for batch in batches(60): infer(batch), infer(batch)",
            "for batch in batches(60): pass",
            "infer()\nfor batch in batches(60): infer(batch)",
        ):
            # A forward before the loop over a loader is none of its steps.
            self.run_steps(script, 60)

    def test_a_single_inference_is_a_step(self):
        for script in ("net(1)", "infer()", "for batch in batches(1): infer(batch)"):
            self.run_steps(script, 1)

    def test_a_request_calls_several_modules(self):
        head = "one, two, three = Module(), Module(), Module()\nfor module in (one, two, three): module.eval()\n"
        request = "for _ in range(12):\n    one(1)\n    for _ in range(%s): two(1)\n"
        for script, count in (
            # An encoder and a decoder; with a third one; with a forward to warm up, once and several times.
            (request % 5, 12),
            (request % 1, 12),
            ("for _ in range(12): one(1), two(1), three(1), two(1)", 12),
            ("three(1)\n" + request % 5, 12),
            # So many that each seems to be a step, until the first module comes again: the first request is not counted.
            (request % 80, 11),
            # Calls in a row begin one request: two prompts of an image, drafts of a text.
            ("for _ in range(6):\n    one(1), one(2)\n    for _ in range(10): two(1)\n    three(1)", 6),
            ("for _ in range(20):\n    for _ in range(4): one(1)\n    two(1)", 20),
            # What comes later without the module that began requests is not one of them: each is a step, after at most 64 forwards.
            ("one(1), one(1)\nfor _ in range(1000): two(1)", 1000),
            ("for _ in range(20): one(1), two(1)\nfor _ in range(500): two(1)", 20 + 500 - 64),
            ("for _ in range(2): one(1), two(1)\nfor _ in range(500): three(1)", 2 + 500 - 64),
            ("for _ in range(20): one(1), two(1)\nfor _ in range(100): two(1)\nfor _ in range(20): one(1), two(1)", 40 + 100 - 64),
            # One request: each call of what is called several times is a step.
            ("one(1)\nfor _ in range(20): two(1)", 20),
            ("one(1), two(1)", 1),
            # What is called seldom, after others, changes nothing.
            ("for at in range(30):\n    one(1)\n    if at == 20: two(1)", 31),
            ("for _ in range(10): one(1)\nfor _ in range(10): two(1)", 10),
            # A module for each call.
            ("for _ in range(9): Module()(1)", 9),
            # Several threads do not share a request.
            ("from concurrent.futures import ThreadPoolExecutor\n"
             "with ThreadPoolExecutor(2) as pool: list(pool.map(lambda at: (one, two)[at % 2](1), range(30)))", 30),
        ):
            with self.subTest(script):
                self.run_steps(head + script, count)

    def test_forwards_of_other_threads_count(self):
        for forward in ("infer", "net"):
            self.run_steps("""
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    list(pool.map(%s, range(60)))
""" % forward, 60)

    def test_replicas_of_a_module_are_part_of_its_forward(self):
        self.run_steps("""
import threading
class Parallel(Module):
    def forward(self, x):
        replica = Module()
        replica._is_replica = True
        threads = [threading.Thread(target=replica, args=(1,)) for _ in range(2)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
parallel = Parallel()
for _ in range(5): parallel(1)
""", 5)

    def test_weights_that_are_updated_by_hand(self):
        self.run_steps("for batch in batches(5): learn(batch)", 5)
        self.run_steps("for _ in range(5): learn()", 5)
        self.run_steps("for _ in range(5): net(1), learn()", 5)

    def test_an_optimizer_that_nobody_steps(self):
        for loop in ("for _ in range(60): infer()", "for batch in batches(60): infer(batch)"):
            self.assertEqual(self.run_steps("optimizer = SGD()\n" + loop, 60), ["begin_step"] + ["step"] * 60)
        self.assertNotIn("validation", self.run_steps("optimizer = SGD()\nfor _ in range(1500): infer()", 1500))
        self.run_steps("optimizer = SGD()\ndel optimizer\nfor _ in range(5): infer()", 5)

    def test_an_example_before_the_loop_is_no_step(self):
        script = """
example = next(iter(batches(3)))
net(example)
optimizer = SGD()
for batch in batches(4):
    learn(batch)
    optimizer.step()
"""
        self.assertEqual(self.run_steps(script, 4)[-5:], ["begin_step"] + ["step"] * 4)

    def test_training_after_an_evaluation_counts_from_the_start(self):
        script = """
for batch in batches(5): infer(batch)
optimizer = SGD()
for batch in batches(4):
    learn(batch)
    optimizer.step()
"""
        calls = self.run_steps(script, 4)
        self.assertEqual(calls, ["begin_step"] + ["step"] * 5 + ["begin_step", "restart_steps"] + ["step"] * 4)

    def test_validation_is_no_step(self):
        script = """
optimizer = SGD()
for epoch in range(3):
    for batch in batches(4):
        learn(batch)
        optimizer.step()
    for batch in batches(5):
        infer(batch)
        with no_grad(): Module()(batch)
"""
        calls = self.run_steps(script, 12)
        steps = ["step"] * 4
        self.assertEqual(calls, ["begin_step"] + (steps + ["begin_step", "validation"]) * 2 + steps + ["validation"])

    def test_validation_before_training_is_no_step(self):
        script = """
optimizer = SGD()
for batch in batches(2): infer(batch)
for batch in batches(4):
    learn(batch)
    optimizer.step()
for batch in batches(2): infer(batch)
"""
        calls = self.run_steps(script, 4)
        self.assertEqual(calls, ["begin_step"] * 2 + ["validation"] + ["step"] * 4 + ["validation"])

    def test_validation_without_a_loader(self):
        script = """
optimizer = SGD()
for epoch in range(3):
    for _ in range(4):
        learn()
        optimizer.step()
    for _ in range(5): infer()
"""
        self.assertEqual(self.run_steps(script, 12).count("validation"), 3)

    def test_the_loop_of_another_thread_is_followed_there(self):
        loop = """
import threading
%s
def fit():
    %s
    for epoch in range(2):
        for batch in batches(4):
            learn(batch)
            optimizer.step()
        for batch in batches(3): infer(batch)
    ended.set()
%s
"""
        here = "ended = threading.Event()\nfit()"
        there = "ended = threading.Event()\nthread = threading.Thread(target=fit, name='fit')\nthread.start(), thread.join()"
        calls = self.run_steps(loop % ("", "optimizer = SGD()", here), 8)
        steps = ["step"] * 4
        self.assertEqual(calls, ["begin_step"] + steps + ["begin_step", "validation"] + steps + ["validation"])
        for first, made in (("", "optimizer = SGD()"), ("optimizer = SGD()", "")):
            self.assertEqual(self.run_steps(loop % (first, made, there), 8), calls)
            done = self.run_script(HEAD + loop % (first, made, there))
            main, fit = done.processes[0][0][0], next(words[0] for words in done.processes[0] if words[1:] == ["thread", "fit"])
            self.assertNotEqual(main, fit)
            of_loop = {words[0] for words in done.processes[0] if words[1] in ("begin", "end", *calls)}
            self.assertEqual(of_loop, {fit})

    def test_a_thread_that_only_loads_is_not_followed(self):
        self.run_steps("""
import threading, queue
optimizer, ready = SGD(), queue.Queue()
def load():
    for batch in batches(6): ready.put(batch)
thread = threading.Thread(target=load)
thread.start(), thread.join()
for _ in range(6):
    learn(ready.get())
    optimizer.step()
""", 6)

    def test_a_teacher_is_no_validation(self):
        for order in ("infer(batch, teacher), learn(batch)", "net(batch), infer(batch, teacher), Tensor(1).backward()"):
            for loop in ("for batch in batches(6):", "for batch in range(6):"):
                script = "teacher, optimizer = Module(), SGD()\n%s %s, optimizer.step()" % (loop, order)
                self.assertEqual(self.run_steps(script, 6), ["begin_step"] + ["step"] * 6, (order, loop))

    def test_the_optimizer_that_steps_least_often_ends_steps(self):
        script = """
critic, generator = SGD(), SGD()
for at, batch in enumerate(batches(24)):
    for one in %s: learn(), one.step()
"""
        for order, count in (
            ("(critic, critic, generator)", 24),
            ("(generator, critic, critic)", 24),
            ("(critic, generator)", 24),
            ("(critic, generator)[: 1 + at % 2]", 12),
            ("(critic, generator)[: 1 + (at % 6 == 5)]", 4),
        ):
            self.run_steps(script % order, count)

    def test_optimizers_that_come_one_after_another(self):
        script = """
critic = SGD()
for _ in range(10): learn(), critic.step()
generator = SGD()
for _ in range(10):
    for one in (critic, critic, generator): learn(), one.step()
"""
        self.run_steps(script, 20)

    def test_an_optimizer_that_is_made_in_each_step(self):
        script = """
outer = SGD()
for batch in batches(%d):
    inner = SGD()
    for _ in range(5): learn(batch), inner.step()
    outer.step()
"""
        for count in (10, 100):
            self.run_steps(script % count, count)

    def test_a_step_without_a_forward_is_none(self):
        self.run_steps("optimizer = SGD()\nfor _ in range(6): learn(), optimizer.step(), optimizer.step()", 6)
        self.run_steps("optimizer = SGD()\nfor _ in range(6): optimizer.step()", 6)

    def test_a_fixed_rule_counts_at_once(self):
        script = "optimizer = SGD()\nfor at, batch in enumerate(batches(6)):\n    learn(batch)\n    if at % 2: optimizer.step()"
        for rule, count in (("dataloader", 6), ("forward", 6), ("optimizer", 3)):
            self.run_steps(script, count, options="step_on=" + rule)

    def test_the_timer_counts_the_same(self):
        for script, count in (
            ("optimizer = SGD()\nfor at, batch in enumerate(batches(9), 1):\n    learn(batch)\n    if at % 3 == 0: optimizer.step()", 3),
            ("for batch in batches(9): infer(batch)", 9),
            ("for _ in range(9): net(1)", 9),
            ("for _ in range(9): learn()", 9),
            ("optimizer = SGD()\nfor _ in batches(2): infer()\nfor _ in batches(3): learn(), optimizer.step()", 3),
        ):
            self.run_steps(script, count, options="timer_only=1")
