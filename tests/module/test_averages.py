"""Rows by name of operator as objects, events one by one, and stacks as lines, of what the program says of a result."""
import copy
import gzip
import json
import os
import tempfile
import unittest

import runs  # noqa: F401  # Finds the module.
from proftui.averages import FunctionEventAvg, KeyAverages, write_stacks
from proftui.binary import Refused
from proftui.events import EventList, events_of
from proftui.memory_timeline import write_timeline
from proftui.names import DeviceType
from proftui.nodes import HostNode, MemNode

ROWS = [
    ["aten::mm", "host", 2000, 5000, 1500, "[[2, 3], []]", "inner f.py(3); outer;g", 64, 12, 7],
    ["kernel", "device", 0, 0, 0, "", "", 0, 0, None],
    ["aten::mm", "host", 1900, 1900, 1900, "[]", "inner f.py(3); outer;g", 0, 1, None],
]
COLUMNS = ["name", "side", "self_cpu_time_total", "cpu_time_total", "device_time_total", "input_shapes"]
COLUMNS += ["source_location", "device_memory_usage", "count", "flops"]


def event(key, **more):
    """An event as the program lists it."""
    known = {"name": key, "key": key, "is_device": False, "is_user_annotation": False, "is_python_function": False}
    known.update(is_async=False, start=10.0, end=15.5, thread="7", process="41", flops=0, stack=[], parent=None, operator=None)
    known.update(arguments={}, activity_type="cpu_op", cpu_time_total=5.5, device_time_total=0.0)
    return json.dumps(dict(known, **more))


EVENTS = "\n".join((
    event("ProfilerStep*", name="ProfilerStep#3", is_user_annotation=True, cpu_time_total=1.5e6, arguments=None),
    event("aten::mm", parent=0, self_cpu_time_total=2.0, cpu_memory_usage=64, arguments={
        "External id": 4, "Input Dims": [[2, 3], []], "Concrete Inputs": ["", "[1, 2]", "odd("], "Sequence number": 8,
        "Fwd thread id": 1, "Input type": ["float", ""],
    }),
    event("kernel", is_device=True, operator=1, thread="stream 5", device_time_total=3.0, arguments={
        "device": 2, "correlation": 9, "External id": 4,
    }),
))


class Result:
    """A result of which the program says this."""

    def summary(self, form, *words):
        return json.dumps({"columns": [{"id": name} for name in COLUMNS], "rows": [{"cells": row} for row in ROWS]})

    def events(self):
        return events_of(EVENTS)

    def get_data(self):
        root, inner = HostNode({}, 7), HostNode({}, 0)
        root.children_node = [inner]
        for node, time, size, place, addr in (
            (root, 9000, -10, "cpu", 1),
            (inner, 2000, 300, "cpu", 2),
            (inner, 5000, -300, "cpu", 2),
            (root, 4000, 7, "gpu:0", 2),
        ):
            node.mem_node.append(MemNode({"timestamp_ns": time, "increase_bytes": size, "place": "Place(%s)" % place, "addr": addr}))
        return {1: root, 2: None}


class Averages(unittest.TestCase):
    def test_rows_are_a_sequence_of_objects(self):
        averages = KeyAverages(Result(), True, 5)
        self.assertEqual([row.key for row in averages], ["aten::mm", "kernel", "aten::mm"])
        self.assertEqual(sorted(averages, key=lambda row: -row.count)[0].count, 12)
        self.assertEqual((len(averages), averages[-1].count, len(averages[:2])), (3, 1, 2))
        first, second = averages[0], averages[1]
        self.assertEqual((first.self_cpu_time_total, first.cpu_time_total, first.cuda_time_total), (2.0, 5.0, 1.5))
        self.assertEqual((first.device_memory_usage, first.cuda_memory_usage, first.self_cpu_memory_usage), (64, 64, 0))
        self.assertEqual((first.input_shapes, first.stack, first.flops), ([[2, 3], []], ["inner f.py(3)", "outer;g"], 7))
        self.assertEqual((second.is_device, second.input_shapes, second.stack, second.flops), (True, [], [], 0))
        self.assertEqual(averages.self_cpu_time_total, 3.9)
        self.assertIn("aten::mm", repr(first))

    def test_rows_have_the_other_attributes_of_pytorchs(self):
        first, second, third = KeyAverages(Result(), True, 0)
        self.assertEqual((first.cpu_time, first.cpu_time_str, first.cpu_time_total_str), (5.0 / 12, "0.417us", "5.000us"))
        self.assertEqual((second.device_type, second.use_device, second.cpu_time), (DeviceType.CUDA, "cuda", 0.0))
        self.assertEqual((str(first.device_type), first.use_device, first.node_id), ("DeviceType.CPU", "cuda", -1))
        # What only single events have is that of the first event of the row.
        self.assertEqual((first.cpu_parent.name, first.scope, first.is_user_annotation), ("ProfilerStep*", 1, False))
        self.assertEqual((third.cpu_parent.name, third.cpu_children), ("ProfilerStep*", []))

    def test_rows_add_up(self):
        total = KeyAverages(Result(), False, 0).total_average()
        self.assertEqual((total.key, total.count, total.cpu_time_total, total.flops), ("Total", 13, 6.9, 7))
        sums = FunctionEventAvg()
        sums += KeyAverages(Result(), False, 0)[0]
        with self.assertRaises(AssertionError):
            sums += KeyAverages(Result(), False, 0)[1]
        self.assertEqual((sums.key, sums.count), ("aten::mm", 12))

    def test_stacks_are_lines_with_their_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stacks")
            write_stacks(Result(), path, "self_cpu_time_total")
            with open(path) as file:
                self.assertEqual(file.read(), "outer_g;inner_f.py(3) 3\n")
            with self.assertRaises(Refused):
                write_stacks(Result(), os.path.join(folder, "no", "stacks"), "self_cpu_time_total")


class Events(unittest.TestCase):
    def test_events_are_linked_to_one_another(self):
        step, operator, kernel = EventList(Result())
        self.assertEqual((step.name, step.trace_name, step.cpu_time_str, step.scope), ("ProfilerStep*", "ProfilerStep#3", "1.500s", 7))
        self.assertEqual((step.cpu_children, operator.cpu_parent, step.cpu_parent), ([operator], step, None))
        self.assertEqual([tuple(one) for one in operator.kernels], [("kernel", 2, 3.0)])
        self.assertEqual((kernel.linked_correlation_id, kernel.device_type, kernel.device_resource_id), (4, 1, "stream 5"))
        self.assertEqual((operator.id, operator.sequence_nr, operator.fwd_thread, operator.scope), (4, 8, 1, 1))
        self.assertEqual((operator.input_shapes, operator.concrete_inputs), ([[2, 3], []], [None, [1, 2], "odd("]))
        self.assertEqual((operator.time_range.elapsed_us(), operator.thread, kernel.thread), (5.5, 1, 2))
        self.assertEqual((operator.count, operator.cpu_memory_usage, operator.self_cuda_memory_usage), (1, 64, 0))
        self.assertEqual(len({one.id for one in (step, operator, kernel)}), 3)

    def test_events_have_what_pytorchs_have(self):
        text = "\n".join((
            event("range\u2028x", is_user_annotation=True),
            event("autograd::engine::evaluate_function: MmBackward0", arguments={"Fwd thread id": 1}),
            event("MmBackward0", arguments={"Fwd thread id": 1}),
            event("aten::cat", arguments={"Input Dims": [[[4, 4], [4, 4]], []]}),
        ))
        named, engine, backward, cat = events_of(text.replace("\\u2028", "\u2028"))
        self.assertEqual((named.name, named.device_index), ("range\u2028x", 41))
        self.assertEqual((engine.scope, backward.scope), (0, 1))
        # A list of tensors has no shape, in rows by shape either.
        self.assertEqual((cat.input_shapes, cat.structured_input_shapes), ([[], []], [[[4, 4], [4, 4]], []]))
        self.assertEqual(events_of(EVENTS)[2].id, 9)

    def test_what_is_made_of_a_list_is_a_plain_list(self):
        rows, one = KeyAverages(Result(), True, 0), [1]
        for made in (rows + one, one + rows, rows * 2, 2 * rows, copy.copy(rows), rows.copy(), rows[:2]):
            self.assertIs(type(made), list)
        self.assertEqual([len(rows + rows), len(rows * 2), (one + rows)[0]], [6, 6, 1])
        rows += one
        self.assertEqual((len(rows), rows[-1]), (4, 1))

    def test_averages_and_sums_of_events(self):
        events = EventList(Result())
        self.assertEqual([row.count for row in events.key_averages(group_by_input_shapes=True)], [12, 0, 1])
        self.assertEqual((events.total_average().device_time_total, events.self_cpu_time_total), (3.0, 2.0))
        self.assertEqual(len(EventList(None)), 0)


class Timeline(unittest.TestCase):
    def written(self, name, device=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            write_timeline(Result(), path, device)
            with (gzip.open if name.endswith(".gz") else open)(path, "rt") as file:
                return file.read()

    def test_memory_over_time_by_the_end_of_the_path(self):
        # What is released and was not allocated here was there before.
        held = [[2, 5, 9], [[0] * 8 + [size] for size in (310, 10, 0)]]
        self.assertEqual(json.loads(self.written("t.json", "cpu")), held)
        self.assertEqual(json.loads(self.written("t.json.gz", "cpu")), held)
        raw = [[-1, 1, 10, 7], [2000, 2, 300, 7], [5000, 4, -300, 7], [9000, 4, -10, 7]]
        self.assertEqual(json.loads(self.written("t.raw.json.gz", "cpu")), raw)
        self.assertEqual(json.loads(self.written("t.json")), [[4], [[0] * 8 + [7]]])
        page = self.written("t.html", "cpu")
        self.assertIn("cpu: 0.000 MiB at most, 0.007 ms", page)
        self.assertIn('points="0.00,0.00 428.57,0.00 428.57,387.10 1000.00,387.10 1000.00,400.00"', page)
        self.assertEqual(json.loads(self.written("t.json", "cuda:5")), [[], []])

    def test_only_the_allocators_memory_counts(self):
        class WithOthers(Result):
            def get_data(self):
                data = super().get_data()
                for more in ({"memory_kind": "device"}, {"type": 2}, {"type": 3}):
                    known = {"timestamp_ns": 4500, "increase_bytes": 1000, "place": "Place(gpu:0)", "addr": 77}
                    data[1].mem_node.append(MemNode(dict(known, **more)))
                return data

        class Device:
            def __str__(self):
                return "cuda:0"

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            write_timeline(WithOthers(), path, Device())
            with open(path) as file:
                self.assertEqual(json.load(file), [[4], [[0] * 8 + [7]]])
