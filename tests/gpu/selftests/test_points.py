"""Each judgement is good of what is so, and WRONG of what is not."""

import unittest

import demo
from kit.table import OK, WRONG, Row, judged
from points import clock, counts, cycles, doctor, ends, graphs, kinds, overhead
from selftests import made


def wrong(rows):
    return [row.what for row in ([rows] if isinstance(rows, Row) else rows) if row.verdict == WRONG]


class Counts(unittest.TestCase):
    def test_the_same_is_good_and_a_kernel_less_is_not(self):
        self.assertEqual(wrong(counts.compared("m", made.trace(), made.trace())), [])
        events = made.events()
        events.remove(made.work(events)[0])
        self.assertEqual(wrong(counts.compared("m", made.trace(), made.trace(events))),
                         ["m: Kernel as torch.profiler", "m: kernels by grid, block, registers"])

    def test_nothing_on_either_side_is_not_good(self):
        empty = made.trace([])
        self.assertEqual(wrong(counts.compared("m", empty, empty)), ["m: Kernel as torch.profiler", "m: launches as torch.profiler"])
        self.assertEqual(len(wrong(counts.linked("m", empty))), 2)

    def test_links_and_losses(self):
        self.assertEqual(wrong(counts.linked("m", made.trace())), [])
        self.assertEqual(wrong(counts.linked("m", made.trace(gpu__dropped=1))), ["m: lost or dropped"])
        operator = made.slice_("op", "Operator", 0, 10, made.MAIN, "%d(C++)" % made.MAIN)
        self.assertEqual(wrong(counts.linked("m", made.trace([*made.events(), operator]))), ["m: within one of their own thread"])

    def test_threads_are_the_systems(self):
        known = {"main": made.MAIN, "autograd": [made.AUTOGRAD], "threads": [made.MAIN, made.AUTOGRAD]}
        self.assertEqual(wrong(counts.threads("m", known, made.trace())), [])
        self.assertEqual(len(wrong(counts.threads("m", {**known, "main": 7}, made.trace()))), 1)
        self.assertEqual(len(wrong(counts.threads("m", {**known, "autograd": [], "threads": [made.MAIN]}, made.trace()))), 1)

    def test_the_products_reader(self):
        info = {"categories": {"Kernel": 6, "Memcpy": 2, "Memset": 2}, "quality": {}}
        self.assertEqual(wrong(counts.same_by_info("m", info, made.trace())), [])
        damaged = {**info, "quality": {"W_SYNTAX": {"damage": True}}}
        for other in (None, damaged, {**info, "categories": {}}):
            self.assertEqual(len(wrong(counts.same_by_info("m", other, made.trace()))), 1)


class Others(unittest.TestCase):
    def test_clock(self):
        self.assertEqual(wrong(clock.of_trace("m", made.trace())), [])
        self.assertEqual(len(wrong(clock.of_trace("m", made.trace([])))), 2)
        for by in (-6_000, 100_000):
            events = made.events(steps=1)
            made.moved(made.work(events)[0], by)
            self.assertEqual(len(wrong(clock.of_trace("m", made.trace(events)))), 1)

    def test_cycles(self):
        four = made.trace(made.events(steps=4))
        self.assertEqual(wrong(cycles.windows([four] * 3)), [])
        self.assertEqual(wrong(cycles.windows([four, made.trace()])), ["each has the same work", "steps"])
        late = made.events(steps=4)
        made.moved(made.work(late)[-1], 100_000)
        self.assertEqual(wrong(cycles.windows([made.trace(late)])), ["outside its steps"])
        self.assertEqual(wrong(cycles.windows([made.trace(made.events(steps=4), lost=3)])), ["lost"])

    def test_growth(self):
        even = [[100 << 20, 50 << 30]] * 20
        self.assertEqual(wrong(cycles.growth(even)), [])
        self.assertEqual(wrong(cycles.growth(even[:-1] + [[110 << 20, 50 << 30]])), ["the process grows over them"])
        self.assertEqual(wrong(cycles.growth(even[:-1] + [[100 << 20, 49 << 30]])), ["memory of the device"])

    def test_edges(self):
        times = [0.001] * 10 + [0.002, 0.003] * 35 + [0.004] * 10
        self.assertEqual(cycles.edges(times, 40), "begin of a cycle 2000 us, its end with the flush 3000 us, neither 4000 us")

    def test_overhead(self):
        good = {(model, way): [1.0] for model in overhead.MODELS for way in ("bare", *overhead.LIMITS)}
        self.assertEqual(wrong(overhead.judge(good)), [])
        self.assertEqual(wrong(overhead.judge({**good, ("small", "closed"): [1.2]})), ["small, closed"])
        self.assertEqual(wrong(overhead.judge({**good, ("large", "gpu"): [1.3]})), ["large, gpu"])
        self.assertEqual(wrong(overhead.judge({**good, ("large", "gpu"): [1.3, 1.01]})), [], "the least counts")

    def test_ends(self):
        steps = [number * 10_000_000 for number in range(300)]
        whole = made.trace(many(3001))
        self.assertEqual(wrong(ends.kept("return", steps, whole)), [])
        self.assertEqual(wrong(ends.kept("return", steps, made.trace(many(2999)))), ["return: kernels"])
        self.assertEqual(wrong(ends.kept("SIGKILL", steps, made.trace(many(1600)))), [])
        self.assertEqual(wrong(ends.kept("SIGKILL", steps, made.trace(many(1400)))), ["SIGKILL: kernels"])
        self.assertEqual(wrong(ends.kept("return", [], whole)), ["return: kernels"])

    def test_doctor(self):
        text = "ok    GPU driver  supports CUDA 13.0\nok    CUPTI       API 26\nnote  NVML        none\n"
        self.assertEqual(wrong(doctor.said(text)), [])
        self.assertEqual(wrong(doctor.said(text.replace("ok    CUPTI", "bad   CUPTI"))), ["doctor: CUPTI"])
        self.assertEqual(wrong(doctor.said("")), ["doctor: GPU driver", "doctor: CUPTI"])

    def test_graphs(self):
        program = {"replays": 2, "nodes": 2}
        steps = graphs.LAST - graphs.FIRST
        by_node = [event for step in range(steps * 2) for event in replay(step, 2)]
        self.assertEqual(wrong(graphs.by_node(made.trace(by_node), program)), [])
        self.assertEqual(len(wrong(graphs.by_node(made.trace(by_node[:-1]), program))), 2)
        by_graph = [event for step in range(steps * 2) for event in replay(step, 0)]
        self.assertEqual(wrong(graphs.by_graph(made.trace(by_graph), program)), [])
        self.assertEqual(len(wrong(graphs.by_graph(made.trace(by_node), program))), 3)

    def test_programs_that_report_what_they_did(self):
        program = {"kernels": 6, "sets": 2, "copies": 2, "pinned": 2}
        events = made.events()
        for number, event in enumerate(made.work(events)):
            event["args"].update({"stream": number % 2, "priority": -5 * (number % 2)})
        self.assertEqual(wrong(kinds.held_to("runtime", program, made.trace(events))), [])
        self.assertEqual(wrong(kinds.held_to("driver", program, made.trace(events))), ["driver: names by NVTX"])
        for key in program:
            self.assertEqual(len(wrong(kinds.held_to("runtime", {**program, key: 1}, made.trace(events)))), 1, key)

    def test_unified_memory(self):
        moved = made.slice_("Migration HtoD", "UnifiedMemory", 1_000, 2_000, 0, "unified memory", bytes=64, address="0x10")
        answers = {"gpu__cupti_kinds": "kind 10: 0, cuptiActivityConfigureUnifiedMemoryCounter: 0, kind 25: 0"}
        of = lambda events, **facts: wrong(kinds.migrated({"kernels": 6}, made.trace(made.events() + events, **facts)))
        self.assertEqual(of([moved], **answers), [])
        self.assertEqual(of([], **answers), ["unified memory: moves to the device"])
        self.assertEqual(of([{**moved, "args": {**moved["args"], "address": ""}}], **answers), ["unified memory: times and addresses"])
        refused = {"gpu__cupti_kinds": "kind 10: 0, cuptiActivityConfigureUnifiedMemoryCounter: 28"}
        self.assertEqual(of([], **refused), [])
        self.assertEqual(of([moved], **refused), ["unified memory: none where it is refused"])
        self.assertEqual(len(wrong(kinds.migrated({"kernels": 5}, made.trace(made.events(), **refused)))), 1)


def many(count):
    return [made.launch(number, 10 * number, "add", "Kernel", "cudaLaunchKernel")[1] for number in range(1, count + 1)]


def replay(number, nodes):
    """A graph's launch with its nodes, or with the graph as a whole."""
    call, whole = made.launch(number + 1, number * 50_000, "add", "Kernel", "cudaGraphLaunch", **{"graph id": 1})
    if not nodes:
        return [call, whole]
    return [call] + [{**whole, "args": {**whole["args"], "graph node id": node + 1}} for node in range(nodes)]


class Verdicts(unittest.TestCase):
    def test_rows(self):
        self.assertEqual((judged("a", True, "").verdict, judged("a", False, "").verdict), (OK, WRONG))


class Demo(unittest.TestCase):
    def test_nothing_identifies_the_machine(self):
        head = '{"a":"/home/me/.venv/lib/libcupti.so.13 (API 26)","b":"python3 ../x/ordinary.py",'
        head += '"c":"GPU-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f","d":"1/2"'
        clean = '{"a":"libcupti.so.13 (API 26)","b":"python3 ../x/ordinary.py","c":"GPU-0","d":"1/2"'
        events = ',"traceEvents":[{"name":"/home/me/"}]}'
        self.assertEqual(demo.scrubbed(head + events), clean + events)
