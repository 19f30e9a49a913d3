"""Rows by name of operator as objects, and stacks as lines, of what the program says of a result."""
import json
import os
import tempfile
import unittest

import runs  # noqa: F401  # Finds the module.
from proftui.averages import KeyAverages, write_stacks
from proftui.binary import Refused

ROWS = [
    ["aten::mm", "host", 2000, 5000, 1500, "[[2, 3], []]", "inner f.py(3); outer;g", 64, 12, 7],
    ["kernel", "device", 0, 0, 0, "", "", 0, 0, None],
    ["aten::mm", "host", 1900, 1900, 1900, "[]", "inner f.py(3); outer;g", 0, 1, None],
]
COLUMNS = ["name", "side", "self_cpu_time_total", "cpu_time_total", "device_time_total", "input_shapes"]
COLUMNS += ["source_location", "device_memory_usage", "count", "flops"]


class Result:
    """A result of which the program says this."""

    def summary(self, form, *words):
        return json.dumps({"columns": [{"id": name} for name in COLUMNS], "rows": [{"cells": row} for row in ROWS]})


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

    def test_stacks_are_lines_with_their_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stacks")
            write_stacks(Result(), path, "self_cpu_time_total")
            with open(path) as file:
                self.assertEqual(file.read(), "outer_g;inner_f.py(3) 3\n")
            with self.assertRaises(Refused):
                write_stacks(Result(), os.path.join(folder, "no", "stacks"), "self_cpu_time_total")
