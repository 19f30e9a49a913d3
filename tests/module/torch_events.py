"""Events of a profile with PyTorch itself, beside those of PyTorch's own profiler: `.ci/long scripts` runs this where it is installed."""
import unittest

from runs import MODULE, Case

SCRIPT = """
import torch, torch.profiler
import proftui

model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))

def work(record_function):
    x = torch.randn(3, 6, requires_grad=True)
    with record_function("outer"):
        y = model(x).sum()
    y.backward()
    torch.add(torch.ones(3), torch.ones(3), alpha=2)
    torch.cat([torch.ones(2, 2), torch.zeros(2, 2)], dim=1).to(torch.int32)
    torch.nn.functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3), padding=1)

def events(module, options):
    with module.profile(activities=[module.ProfilerActivity.CPU], record_shapes=True, **options) as prof:
        work(module.record_function)
    return prof.events()

# Times and numbers that count up differ; those of flows are not had.
DIFFER = {"time_range", "id", "external_id", "sequence_nr", "flow_id", "flow_start", "flow_type"}

def value(event, name):
    found = getattr(event, name, "missing")
    if name == "cpu_parent":
        return found and found.name
    if name == "cpu_children":
        return [child.name for child in found]
    return str(found) if name == "device_type" else found

work(torch.profiler.record_function)
for options in {}, {"with_flops": True}, {"profile_memory": True}:
    theirs, ours = events(torch.profiler, options), events(proftui, options)
    # What has the same time may stand in another order.
    key = lambda event: (event.name == "[memory]", 0 if event.name == "[memory]" else event.time_range.start)
    names = [name for name in dir(theirs[0]) if not name.startswith("_") and "time" not in name and name not in DIFFER]
    for mine, other in zip(sorted(ours, key=key), sorted(theirs, key=key)):
        for name in names:
            if not callable(getattr(other, name)) and value(mine, name) != value(other, name):
                print(options, other.name, name, value(other, name), value(mine, name))
    print(len(theirs) == len(ours) > 100)
"""


class Events(Case):

    def test_attributes_of_events_have_the_values_that_pytorch_gives_them(self):
        # PyTorch's profiler prints what it does, but for the highest level.
        out = self.run_script(SCRIPT, PYTHONPATH=MODULE, PYTHONWARNINGS="ignore", KINETO_LOG_LEVEL="99")
        self.assertEqual(out, "True\n" * 3)


if __name__ == "__main__":
    unittest.main()
