"""Random numbers by purpose, so that a run without one cause draws the same numbers for all else."""
import random

US = 1_000
MS = 1_000_000


def us(value):
    """Microseconds in ns."""
    return round(value * US)


def ms(value):
    """Milliseconds in ns."""
    return round(value * MS)


class Draws:
    """One sequence of random numbers per label; the same seed and name give the same numbers."""

    def __init__(self, seed, name, tick=1):
        """`tick` ns is the unit to which all drawn times are rounded."""
        self.seed, self.name, self.tick, self.sequences = seed, name, tick, {}

    def sequence(self, label):
        """The generator of one label."""
        if label not in self.sequences:
            self.sequences[label] = random.Random("%s/%s/%s" % (self.seed, self.name, label))
        return self.sequences[label]

    def near(self, label, mean, spread=0.08):
        """A time near `mean` ns; `spread` is the standard deviation as a share of it, cut at 2.5 of them."""
        z = max(-2.5, min(2.5, self.sequence(label).gauss(0, 1)))
        ns = mean * max(0.05, 1 + spread * z)
        return max(self.tick, round(ns / self.tick) * self.tick) if mean > 0 else 0

    def between(self, label, low, high):
        """A number between two numbers, all equally likely."""
        return self.sequence(label).uniform(low, high)

    def whole(self, label, low, high):
        """A whole number between two, both included."""
        return self.sequence(label).randint(low, high)
