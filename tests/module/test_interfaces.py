"""The names of the frameworks' profilers: which the module has, which differ, and which it lacks; the page that lists them.

`interfaces/torch.json` and `paddle.json` are what `interfaces/listed.py` lists of the frameworks; `tests/guides/check.py` holds them to installed
ones. `interfaces/differences.json` says of names that the module has what differs, and of others why they are missing. With
`PROFTUI_INTERFACES=write` the page is written.
"""
import json
import os
import unittest

from runs import HERE

import proftui
from interfaces.listed import arguments, names
from proftui.averages import FunctionEventAvg, KeyAverages
from proftui.events import EventList, FunctionEvent
from proftui.nodes import DeviceNode, HostNode, MemNode, ProfilerResult
from proftui.results import Result
from test_averages import event

FOLDER = os.path.join(HERE, "interfaces")
PAGE = os.path.join(HERE, "..", "..", "docs", "profiler-api.md")
TITLES = {"torch": "PyTorch", "paddle": "Paddle"}
HEAD = """# The names of Paddle's and PyTorch's profilers in the module `proftui`

This page lists the public names of the profilers of PyTorch %s and Paddle %s, and what they are in the Python module `proftui` ([python.md](python.md)).
A test makes this page of the names that the frameworks list.
"""


def read(name):
    with open(os.path.join(FOLDER, name)) as file:
        return json.load(file)


def ours():
    """The names of the module, by framework and by what has them."""
    torchs, paddles = proftui.profile(), proftui.Profiler(on_trace_ready=print)
    return {
        "torch": {
            "torch.profiler": names(proftui),
            "torch.profiler.profile": names(torchs),
            "torch.profiler._KinetoProfile": names(proftui._KinetoProfile()),
            "arguments": arguments(
                profile=proftui.profile,
                key_averages=torchs.key_averages,
                export_chrome_trace=torchs.export_chrome_trace,
                export_stacks=torchs.export_stacks,
                export_memory_timeline=torchs.export_memory_timeline,
                toggle_collection_dynamic=torchs.toggle_collection_dynamic,
                add_metadata=torchs.add_metadata,
                add_metadata_json=torchs.add_metadata_json,
                preset_metadata_json=torchs.preset_metadata_json,
                table=torchs.key_averages().table,
                record_function=proftui.record_function,
                schedule=proftui.schedule,
                tensorboard_trace_handler=proftui.tensorboard_trace_handler,
            ),
            "ProfilerAction": names(proftui.ProfilerAction),
            "ProfilerActivity": names(proftui.ProfilerActivity),
            "DeviceType": names(proftui.DeviceType),
            "events()": names(EventList(None)),
            "key_averages()": names(KeyAverages(None, False, 0)),
            "an event": names(FunctionEvent(json.loads(event("name")))),
            "a row of averages": names(FunctionEventAvg()),
            "torch.autograd.profiler": names(proftui),
        },
        "paddle": {
            "paddle.profiler": names(proftui),
            "paddle.profiler.Profiler": names(paddles),
            "arguments": arguments(
                Profiler=proftui.Profiler,
                step=paddles.step,
                step_info=paddles.step_info,
                summary=paddles.summary,
                export=paddles.export,
                make_scheduler=proftui.make_scheduler,
                export_chrome_tracing=proftui.export_chrome_tracing,
                export_protobuf=proftui.export_protobuf,
                load_profiler_result=proftui.load_profiler_result,
                RecordEvent=proftui.RecordEvent,
            ),
            "RecordEvent": names(proftui.RecordEvent("range")),
            "ProfilerState": names(proftui.ProfilerState),
            "ProfilerTarget": names(proftui.ProfilerTarget),
            "SortedKeys": names(proftui.SortedKeys),
            "SummaryView": names(proftui.SummaryView),
            "TracerEventType": names(proftui.TracerEventType),
            "profiler_result": sorted(set(names(Result)) & set(names(ProfilerResult))),
            "a host node": names(HostNode({}, 0)),
            "a device node": names(DeviceNode({})),
            "a memory node": names(MemNode({})),
        },
    }


def rows(theirs, own, differences):
    """For each owner of names: those that are there, and those that differ or are missing, with what is said of them."""
    for owner, known in theirs.items():
        said = differences.get(owner, {})
        there = [name for name in known if name in own[owner] and name not in said]
        differ = [(name, said.get(name)) for name in known if name in own[owner] and name in said]
        missing = [(name, said.get(name)) for name in known if name not in own[owner]]
        yield owner, there, differ, missing


def section(framework, found):
    lines = ["## %s" % framework, "", "| where | there | differ | missing |", "| --- | --- | --- | --- |"]
    lines += ["| %s | %d | %d | %d |" % (owner, len(there), len(differ), len(missing)) for owner, there, differ, missing in found]
    for owner, there, differ, missing in found:
        lines += ["", "### %s: %s" % (framework, owner), ""]
        if there:
            lines += ["There: %s." % ", ".join("`%s`" % name for name in there), ""]
        if differ or missing:
            lines += ["| name | | in proftui |", "| --- | --- | --- |"]
        lines += ["| `%s` | differs | %s |" % row for row in differ]
        lines += ["| `%s` | missing | %s |" % row for row in missing]
    return [line for at, line in enumerate(lines) if line or (at + 1 < len(lines) and lines[at + 1])]


class Interfaces(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.theirs, self.own, self.differences = {name: read(name + ".json") for name in TITLES}, ours(), read("differences.json")

    def test_every_name_is_there_or_it_is_said_why_not(self):
        for framework, theirs in self.theirs.items():
            self.assertEqual(sorted(theirs["names"]), sorted(self.own[framework]), framework)
            for owner, _, _, missing in rows(theirs["names"], self.own[framework], self.differences[framework]):
                self.assertEqual([name for name, why in missing if not why], [], "%s of %s: say why they are missing" % (owner, framework))

    def test_nothing_is_said_of_names_that_no_framework_has(self):
        for framework, said in self.differences.items():
            known = self.theirs[framework]["names"]
            self.assertEqual({owner: sorted(set(of) - set(known.get(owner, ()))) for owner, of in said.items()}, {owner: [] for owner in said})

    def test_the_page_lists_the_names(self):
        lines = (HEAD % tuple(self.theirs[name]["version"] for name in TITLES)).splitlines()
        for name, title in TITLES.items():
            found = list(rows(self.theirs[name]["names"], self.own[name], self.differences[name]))
            lines += [""] + section(title, found)
        text = "\n".join(lines) + "\n"
        if os.environ.get("PROFTUI_INTERFACES") == "write":
            with open(PAGE, "w") as file:
                file.write(text)
        with open(PAGE) as file:
            self.assertEqual(file.read(), text, "PROFTUI_INTERFACES=write writes the page")
