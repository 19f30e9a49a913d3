"""The tables of a trace in a notebook are those of pyarrow: `.ci/long tables` runs this where it is installed."""
import os
import unittest

import pyarrow
import pyarrow.compute

import proftui

TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "demo-traces", "synthetic-gpu.json.gz")


class Arrow(unittest.TestCase):
    def test_tables_are_of_pyarrow(self):
        with proftui.load(TRACE) as trace:
            slices, kernels, operators = trace.slices, trace.kernels, trace.operators
        self.assertIsInstance(slices, pyarrow.Table)
        total = sum(row["total"] for row in proftui.summary(TRACE, "kernel").rows)
        self.assertEqual(pyarrow.compute.sum(kernels["counted_ns"]).as_py(), total)
        self.assertEqual((slices.num_rows, operators.num_rows), (2528, 1102))


if __name__ == "__main__":
    unittest.main()
