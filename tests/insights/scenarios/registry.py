"""The list of scenarios: what each expects, and how it is run."""
from sim.draws import Draws
from sim.machine import Machine

SCENARIOS = {}
FLAVOURS = ("cuda", "rocm", "paddle")
# Fields of a label about the first finding.
SAYS = ("when", "reason", "device", "severity")


class Scenario:
    """One trace to be made. See README.md for the meaning of each field."""

    def __init__(self, name, build, flavour, top, **more):
        self.name, self.build, self.flavour, self.top = name, build, flavour, top
        self.note = (build.__doc__ or "").strip().split("\n")[0]
        self.findings, self.must_not = tuple(more.pop("findings", ())), tuple(more.pop("must_not", ()))
        self.may, self.once = tuple(more.pop("may", ())), tuple(more.pop("once", ()))
        self.allowed_unknown = more.pop("allowed_unknown", 0)
        # Causes that the record has, and that the file cannot show: they must not be found.
        self.abstains = tuple(more.pop("abstains", ()))
        # What the first finding must say: see README.md.
        self.says = {key: more.pop(key) for key in SAYS if key in more}
        self.machine = more

    def run(self, seed, scale, without=None):
        """The machine after the run; `without` leaves a cause out (what-if)."""
        draws = Draws(seed, self.name, self.machine.get("tick", 1))
        machine = Machine(draws, self.flavour, without, **self.machine)
        self.build(Run(machine, scale))
        machine.close()
        return machine


class Run:
    """What a scenario's function gets: the machine and how large the run is to be."""

    def __init__(self, machine, scale):
        self.machine, self.scale, self.draws = machine, scale, machine.draws

    def says(self, **fields):
        """States what the first finding must say, where that depends on the run's size."""
        self.machine.says.update(fields)

    def count(self, number, least=3):
        """A count of steps or the like, by the scale."""
        return max(least, round(number * self.scale))


def scenario(top, flavours=("cuda",), **more):
    """Adds the function as a scenario of each flavour; `top` is the rule that must come first, None for a healthy run."""
    def add(build):
        for flavour in flavours:
            name = build.__name__ + ("" if len(flavours) == 1 and flavour == "cuda" else "_" + flavour)
            assert name not in SCENARIOS, name
            SCENARIOS[name] = Scenario(name, build, flavour, top, **dict(more))
        return build
    return add
