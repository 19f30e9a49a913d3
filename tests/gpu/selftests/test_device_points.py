"""Judgements about what only a device shows: each is good of what is so, and WRONG of what is not."""

import unittest

from kit import probe
from kit.setting import Ran
from points import after, between, buffers, edges, full, lagging, pool, processes, profiler, server, stuck, unloadable, visible
from selftests import made
from selftests.test_points import wrong

PROGRAM = {"adds": 50, "nodes": 20, "second": 6, "quiet": 2}


def ran(status=0, report="{}"):
    return Ran("", status, report, "", 1.0, [])


def cycle(adds=100, nodes=40, orphans=0, **facts):
    """A trace of so many additions and kernels of one graph launch."""
    events, end = [], 0
    for number in range(1, adds + 1):
        events += made.launch(number, 10_000 * number, "add", "Kernel", "cudaLaunchKernel")[0 if number > orphans else 1:]
        end = 10_000 * number
    call, kernel = made.launch(adds + 1, end, "mul", "Kernel", "cudaGraphLaunch")
    events += [call] + [{**kernel, "args": {**kernel["args"], "graph node id": node}} for node in range(1, nodes + 1)]
    whole = made.slice_("ProfileStep#3", "ProfileStep", 0, end + 5_000, made.MAIN, "%d(Python)" % made.MAIN)
    return made.trace([whole, *events], **facts)


class Cycles(unittest.TestCase):
    def test_work_at_the_edges(self):
        self.assertEqual(wrong(edges.judge([cycle(), cycle()], PROGRAM)), [])
        self.assertEqual(wrong(edges.judge([cycle(), cycle(adds=99)], PROGRAM)), ["additions of each cycle"])
        self.assertEqual(wrong(edges.judge([cycle(orphans=1)], PROGRAM)), ["work without a call"])
        for key in ("gpu.lost", "gpu.dropped", "gpu.unfinished"):
            self.assertEqual(wrong(edges.judge([cycle(**{key.replace(".", "__"): 1})], PROGRAM)), [key])

    def test_a_call_of_the_next_step_is_outside(self):
        late = made.launch(900, 2_000_000, "mul", "Kernel", "cudaLaunchKernel")
        found = cycle()
        found.calls += made.trace(late).calls
        self.assertEqual(wrong(edges.judge([found], PROGRAM)), ["calls outside the steps"])

    def test_graphs_over_cycles(self):
        self.assertEqual([lagging.first_step(number) for number in range(3)], [3, 8, 13])
        good = [cycle(), cycle(nodes=80), cycle(nodes=80)]
        self.assertEqual(wrong(between.judge(good, PROGRAM)), [])
        self.assertEqual(wrong(between.judge([cycle(), cycle(), cycle(nodes=0)], PROGRAM)),
                         ["cycle 2: kernels of 2 graphs", "cycle 3: kernels of 2 graphs"])

    def test_steps_after_them(self):
        def report(time):
            return {**PROGRAM, "times": [9, 9, time, time, time]}

        self.assertEqual(wrong(after.judge([(report(1.0), report(1.1))])), [])
        self.assertEqual(wrong(after.judge([(report(1.0), report(1.3))])), ["launching a step after the cycles"])
        self.assertEqual(wrong(after.judge([(report(1.0), report(1.3)), (report(1.2), report(1.1))])), [], "the least counts")


class Graphs(unittest.TestCase):
    def test_kernels_are_there_or_said_to_be_lost(self):
        whole, pool.STEPS, pool.REPLAYS, pool.NODES = (pool.STEPS, pool.REPLAYS, pool.NODES), 1, 1, 40
        try:
            self.assertEqual(wrong(pool.judge("7M", cycle(adds=0))), [])
            self.assertEqual(wrong(pool.judge("7M", cycle(adds=0, nodes=39))), ["7M: kernels"])
            self.assertEqual(wrong(pool.judge("7M", cycle(adds=0, nodes=39, gpu__lost=1))), [])
        finally:
            pool.STEPS, pool.REPLAYS, pool.NODES = whole

    def test_a_servers_graphs_are_whole(self):
        self.assertEqual(wrong(server.judge(cycle(adds=0, nodes=server.NODES))), [])
        self.assertEqual(wrong(server.judge(cycle(adds=0, nodes=server.NODES - 1))), ["graphs whose launch is recorded"])
        self.assertEqual(wrong(server.judge(made.trace([]))), ["graphs whose launch is recorded"])
        self.assertEqual(wrong(server.judge(cycle(adds=0, nodes=server.NODES, gpu__lost=2))), ["gpu.lost"])


class Programs(unittest.TestCase):
    def test_own_profiler(self):
        alone = {"kernels": 80, "launched": 80}
        self.assertEqual(wrong(profiler.judge("torch", alone, 0, alone, 160, "")), [])
        self.assertEqual(wrong(profiler.judge("torch", alone, 0, alone, 0, "other_subscriber")), [])
        self.assertEqual(wrong(profiler.judge("torch", alone, 0, alone, 0, "")), ["torch: what we see"])
        self.assertEqual(wrong(profiler.judge("torch", alone, 0, {"kernels": 0}, 160, "")), ["torch: what it sees alone"])
        self.assertEqual(wrong(profiler.judge("torch", alone, 1, None, 160, "")), ["torch: the script ends well", "torch: what it sees alone"])

    def test_a_stuck_kernel(self):
        self.assertEqual(wrong(stuck.judge(0, 0.5, 0, 6.0, 100)), [])
        self.assertEqual(wrong(stuck.judge(0, 0.5, 139, 6.0, 100)), ["it ends as without a capture"])
        self.assertEqual(wrong(stuck.judge(0, 0.5, 0, 60.0, 99)), ["it ends in time", "kernels before it"])

    def test_visible_devices(self):
        self.assertEqual(wrong([visible.judge("by number", False, 0, 0, 50), visible.judge("none", True, 77, 77, 0)]), [])
        bad = [visible.judge("a", False, 0, 0, 49), visible.judge("b", True, 77, 0, 0), visible.judge("c", True, 77, 77, 1)]
        self.assertEqual(len(wrong([*bad, visible.judge("d", False, 77, 77, 0)])), 4)

    def test_processes(self):
        good = ran(report='{"adds": 100}')
        self.assertEqual(wrong(processes.judge("ranks", 2, good, [cycle(), cycle()])), [])
        self.assertEqual(len(wrong(processes.judge("ranks", 2, good, [cycle()]))), 2)
        self.assertEqual(wrong(processes.judge("ranks", 1, good, [cycle(adds=99)])), ["ranks: additions"])

    def test_a_full_device(self):
        words = {"adds": 120, "free": [1024, 1000]}
        self.assertEqual(wrong(full.judge(256, words, 0, words, 120)), [])
        self.assertEqual(len(wrong(full.judge(256, words, 1, None, 0))), 2)

    def test_a_recorder_that_cannot_be_loaded(self):
        self.assertTrue(unloadable.is_alike(ran(report='{"pid": 1, "kernels": 5}'), ran(report='{"pid": 2, "kernels": 5}')))
        self.assertFalse(unloadable.is_alike(ran(report='{"kernels": 5}'), ran(3, "")))
        self.assertFalse(unloadable.is_alike(ran(report='{"kernels": 5}'), ran(report='{"kernels": 4}')))


BUFFER = {"buffer": 1, "records": 9, "valid": 900, "size": 1 << 20, "last": 12, "behind": 0, "main": 1, "over": 0}
FLUSH = {"flush": 1, "dropped": 0, "untimed": 0, "reversed": 0, "kinds": {"10": 7, "5": 9}}
LINES = [{"cupti": "x", "loaded": 1}, {"call": "cuptiSubscribe", "answer": 0, "us": 1.0}, {"enable": 10},
         {"call": "cuptiActivityEnable", "answer": 0, "us": 1.0}, BUFFER, FLUSH]


class Probe(unittest.TestCase):
    def wrong(self, lines, kernels=7):
        return [what.partition(": ")[2] for what in wrong(probe.rows("p", lines, kernels))]

    def test_what_is_so(self):
        self.assertEqual(self.wrong(LINES), [])
        self.assertTrue(probe.is_taken(LINES))

    def test_what_is_not(self):
        self.assertEqual(self.wrong(LINES, 8), ["kernels"])
        self.assertEqual(len(self.wrong([])), 4)
        for key in ("dropped", "untimed", "reversed"):
            self.assertEqual(self.wrong([*LINES[:-1], {**FLUSH, key: 1}]), ["dropped; without a time; ended before they began"])
        for change in ({"behind": 8}, {"last": 7}, {"over": 1}):
            self.assertEqual(self.wrong([*LINES[:-2], {**BUFFER, **change}, FLUSH]), ["1 buffers are whole"])

    def test_refusals(self):
        refused = [{"enable": 10}, {"call": "cuptiActivityEnable", "answer": 35, "us": 1}, {"enable": 11},
                   {"call": "cuptiActivityEnable", "answer": 21, "us": 1}, {"call": "cuptiSubscribe", "answer": 39, "us": 1}]
        found = probe.refusals(refused)
        self.assertEqual(found, ["cuptiActivityEnable of kind 10: 35", "cuptiActivityEnable of kind 11: 21", "cuptiSubscribe: 39"])
        self.assertEqual([probe.is_needed(text) for text in found], [True, False, True])
        self.assertEqual(self.wrong([*LINES, *refused]), ["CUPTI's answers"])
        self.assertFalse(probe.is_taken(refused))

    def test_memory_of_the_device(self):
        self.assertEqual(buffers.taken("p", 30 << 20, 20 << 20).figure, "10.0 MiB")
        self.assertIn("skipped", buffers.taken("p", None, 1).verdict)
