"""Loops of the kinds that programs have, as in `tests/scripts`, and how many steps each has."""
from runs import Case

HEAD = """
import torch
from torch import Tensor, no_grad
from torch.nn import Module
from torch.optim import SGD
from torch.utils.data import DataLoader

model, optimizer = Module(), SGD()

def batches(count):
    return DataLoader(*[Tensor(2)] * count)

def learn(batch=None):
    model(batch)
    Tensor(1).backward()

def validate(count):
    model.eval()
    with no_grad():
        for batch in batches(count):
            model(batch)
    model.train()
"""

# Name: script, steps, what ends them.
LOOPS = {
    "accumulation of 4": ("""
for at, batch in enumerate(batches(16)):
    learn(batch)
    if at % 4 == 3: optimizer.step()
""", 4, "optimizer"),
    "accumulation of 24": ("""
for at, batch in enumerate(batches(72)):
    learn(batch)
    if at % 24 == 23: optimizer.step()
""", 3, "optimizer"),
    # The loader is asked for all batches of a step, and one ahead, before the first of them is forwarded.
    "accumulation of 8, loaded ahead": ("""
loader = iter(batches(49))
next(loader)
for step in range(6):
    for batch in [next(loader) for _ in range(8)]: learn(batch)
    optimizer.step()
""", 6, "optimizer"),
    "validation after each epoch": ("""
for epoch in range(3):
    for batch in batches(8): learn(batch), optimizer.step()
    validate(4)
""", 24, "optimizer"),
    "validation first": ("""
validate(6)
for batch in batches(16): learn(batch), optimizer.step()
""", 16, "optimizer"),
    "sanity validation, then loaded ahead": ("""
validate(2)
for epoch in range(2):
    loader = iter(batches(6))
    for _ in range(6): learn(next(loader)), optimizer.step()
    validate(3)
""", 12, "optimizer"),
    "a pass without a model": ("""
for batch in batches(12): pass
for batch in batches(12): learn(batch), optimizer.step()
""", 12, "optimizer"),
    "decisions without gradients": ("""
for iteration in range(5):
    with no_grad():
        for decision in range(20): model(1)
    for epoch in range(4): learn(), optimizer.step()
""", 20, "optimizer"),
    "two of a critic, one of a generator": ("""
critic = SGD()
for iteration in range(12):
    for _ in range(2): learn(), critic.step()
    learn(), optimizer.step()
""", 12, "optimizer"),
    "two optimizers of one model": ("""
other = SGD()
for iteration in range(15): learn(), optimizer.step(), other.step()
""", 15, "optimizer"),
    "a teacher in each iteration": ("""
teacher = Module()
teacher.eval()
for iteration in range(15):
    with no_grad(): teacher(1)
    learn(), optimizer.step()
""", 15, "optimizer"),
    "inference over a loader": ("""
model.eval()
with no_grad():
    for batch in batches(40): model(batch)
""", 40, "dataloader"),
    "inference over a short loader": ("""
model.eval()
with no_grad():
    for batch in batches(2): model(batch)
""", 2, "dataloader"),
    "inference without a loader": ("""
model.eval()
with no_grad():
    for _ in range(30): model(1)
""", 30, "forward"),
    "a server with threads": ("""
from concurrent.futures import ThreadPoolExecutor
model.eval()
with ThreadPoolExecutor(4) as executor:
    list(executor.map(model, range(60)))
""", 60, "forward"),
}

class Loops(Case):
    pass


def _test(script, steps, by, options, env=None):
    def test(self):
        done = self.run_script(HEAD + script, options=options, env=env)
        self.assertEqual((len(done.steps()), done.facts().get("step_on", "").partition(":")[0]), (steps, by))

    return test


# Suffix of the test's name, options and environment.
WAYS = (("", "", None), ("by_the_timer", "timer_only=1", None), ("while_closed", "", {"STANDIN_STATES": "0"}))
for suffix, options, env in WAYS:
    for name, (script, steps, by) in LOOPS.items():
        test = _test(script, steps, by, options, env)
        name_of_test = "_".join(["test", *name.replace(",", "").split(), *suffix.split()])
        setattr(Loops, name_of_test, test)
