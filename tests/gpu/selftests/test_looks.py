"""Traces are read and looked at rightly: one whose numbers are known, one made by hand, and that one spoiled."""

import os
import unittest

from kit import looks, trace
from selftests import made

SYNTHETIC = os.path.join(os.path.dirname(__file__), "..", "..", "..", "demo-traces", "synthetic-gpu.json.gz")


class Synthetic(unittest.TestCase):
    """Kineto's form; its numbers are those of its generator."""

    @classmethod
    def setUpClass(cls):
        cls.trace = trace.read(SYNTHETIC)

    def test_counts(self):
        self.assertEqual(looks.counts(self.trace), {"Kernel": 572, "Memcpy": 13, "Memset": 12, "launches": 534})
        self.assertEqual(looks.calls_by_name(self.trace)["cudaGraphLaunch"], 1)

    def test_links(self):
        self.assertEqual(len(looks.orphans(self.trace)), 4)
        self.assertEqual(looks.in_ranges(self.trace, True), (593, 593))

    def test_one_clock(self):
        self.assertEqual((looks.early(self.trace), looks.late(self.trace)), ([], []))
        self.assertGreater(looks.delays(self.trace)[0], 0)

    def test_steps_and_threads(self):
        self.assertEqual((len(looks.steps(self.trace)), looks.threads(self.trace)), (4, {4242, 4299}))


class Made(unittest.TestCase):
    """Paddle's form, to the nanosecond."""

    def test_all_is_seen(self):
        of = made.trace()
        self.assertEqual(looks.counts(of), {"Kernel": 6, "Memcpy": 2, "Memset": 2, "launches": 10})
        self.assertEqual(looks.delays(of), [5_000] * 10)
        self.assertEqual((looks.orphans(of), looks.early(of), looks.late(of), looks.outside(of)), ([], [], [], []))
        self.assertEqual(of.work[0].name, "add")
        self.assertEqual((looks.in_ranges(of, False), looks.in_ranges(of, True)), ((10, 10), (8, 10)))
        self.assertEqual(looks.threads(of), {made.MAIN, made.AUTOGRAD})

    def test_work_a_nanosecond_before_its_launch_is_early(self):
        events = made.events()
        made.moved(made.work(events)[2], -5_000)
        self.assertEqual(looks.early(made.trace(events)), [])
        made.moved(made.work(events)[2], -1)
        self.assertEqual([before for _, before in looks.early(made.trace(events))], [1])

    def test_work_that_outlasts_the_wait_is_late(self):
        events = made.events()
        made.moved(made.work(events)[0], 70_000)
        self.assertEqual(looks.late(made.trace(events)), [2_000 + 5_000 + 70_000 + 2_000 - 70_000])

    def test_work_without_a_call_and_outside_the_steps(self):
        events = made.events()
        events = [event for event in events if event["args"].get("correlation id") != 1 or event["cat"] == "Kernel"]
        self.assertEqual(len(looks.orphans(made.trace(events))), 1)
        events = made.events()
        made.moved(made.work(events)[-1], 100_000)
        self.assertEqual(len(looks.outside(made.trace(events))), 1)

    def test_a_driver_call_within_one_of_the_runtime_is_not_the_launch(self):
        events = made.events()
        inner = made.slice_("cuMemAlloc_v2_ptsz", "CudaRuntime", 2_500, 2_600, made.MAIN, "%d(C++)" % made.MAIN, **{"correlation id": 1})
        of = made.trace([*events, inner])
        self.assertEqual(of.calls[-1].name, "cuMemAlloc")
        self.assertEqual(looks.launches(of)[0][1].name, "cudaLaunchKernel")

    def test_kernels_are_distinguished_by_their_shape(self):
        self.assertEqual(looks.shapes(made.trace()), looks.shapes(made.trace()))
        self.assertNotEqual(looks.shapes(made.trace()), looks.shapes(made.trace(made.events(grid=[5, 1, 1]))))

    def test_graphs(self):
        events = made.events()
        made.work(events)[0]["args"].update({"graph id": 1, "graph node id": 2})
        made.work(events)[1]["args"].update({"graph id": 1})
        self.assertEqual(looks.of_graphs(made.trace(events)), (1, 1))
