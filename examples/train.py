"""A training loop without a framework: an example for `proftui capture --step-on __main__:train_step`."""

import random


def load_batch():
    """Makes a batch of random samples instead of reading data."""
    return [random.random() for _ in range(20_000)]


def train_step(batch):
    """Computes something of a batch instead of forward, backward and the optimizer."""
    return sum(sample * sample for sample in batch)


for _ in range(12):
    train_step(load_batch())
print("trained")
